// Partial filter gradients: how the batch is cut, and the tree in which the parts are added. By sizes alone, so that the result
// does not depend on threads.
#pragma once

#include "kernels/convolution.h"

namespace gradbook::kernels {

inline Index filter_floats(const ConvShape& s) { return s.out_channels * s.group_in() * s.filter_height * s.filter_width; }

/// Blocks of images with partial sums of their own: 8 images each, fewer blocks when the filter is large.
Index filter_gradient_blocks(const ConvShape& shape);

/// Adds `blocks` partial gradients, one after another in `partial` (which is used up), two by two into `filter_gradient`.
void add_partial_filters(const ConvShape& shape, Index blocks, float* partial, float* filter_gradient);

}  // namespace gradbook::kernels
