// Bringing groups of float32 to mean 0 and variance 1 (batch, layer, group and instance normalisation), and the gradient of that.
// A tensor is seen as contiguous (outer, groups, inner); a group is all that shares the middle index: channels have outer > 1,
// rows of layer normalisation outer = 1. Sums are made of leaves of at most 1024 elements, added up in double precision.
#pragma once

#include "tensor/shape.h"

namespace gradbook::kernels {

struct GroupShape {
  Index outer = 1, groups = 1, inner = 1;
  Index per_group() const { return outer * inner; }
};

/// Mean and variance (divided by the count) of each group. Without elements both are NaN.
void group_moments(const GroupShape& shape, const float* x, float* means, float* variances);
/// out = (x - mean) / sqrt(variance + epsilon). `inverses` takes 1 / sqrt(variance + epsilon) of each group.
void standardize(const GroupShape& shape, double epsilon, const float* x, float* out, float* inverses);
/// d standardize: out = inverse * (g - mean(g) - y mean(g y)), y and `inverses` as standardize() gave them.
void standardize_gradient(const GroupShape& shape, const float* g, const float* y, const float* inverses, float* out);

}  // namespace gradbook::kernels
