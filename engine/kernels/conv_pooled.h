// Gradients of a convolution whose results went straight into a max pool: only the places of maxima have a gradient, so only
// those are visited. Dead places (a relu before the pool gave 0 there) are left out as well.
#pragma once

#include "kernels/convolution.h"

namespace gradbook::kernels {

/// The gradient of the results, sparse: `count` values per plane of (batch, out_channels), value i at places[i] inside its plane
/// (y * out_width + x). Places may repeat; their values add up.
struct SparseGradient {
  Index count;
  const float* values;
  const int32_t* places;
  /// Value i lies in cell i of the results cut into 2 x 2, row by row, without the last row and column where sizes are odd: so it is
  /// behind a max pool of that window.
  bool is_one_per_cell = false;
};

/// Which convolutions the two functions below serve: one group, no dilation, images and filters that fit the cache's blocks.
bool serves_sparse(const ConvShape& shape, Index count);

/// As conv_filter_gradient and conv_input_gradient, with the same result but for rounding: sums have another order.
void conv_filter_gradient_sparse(const ConvShape& shape, const float* images, const SparseGradient& gradient, float* filter_gradient);
void conv_input_gradient_sparse(const ConvShape& shape, const SparseGradient& gradient, const float* filter, float* images_gradient);

}  // namespace gradbook::kernels
