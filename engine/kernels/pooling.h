// Max and average pooling of contiguous NCHW float32, forward and backward. Batch and channels are one axis of planes here.
#pragma once

#include <cstdint>

#include "tensor/shape.h"

namespace gradbook::kernels {

struct PoolShape {
  Index planes = 1;  // batch * channels
  Index in_height = 1, in_width = 1;
  Index out_height = 1, out_width = 1;
  Index window_height = 1, window_width = 1;
  Index stride_y = 1, stride_x = 1;
  Index padding_y = 0, padding_x = 0;
  Index dilation_y = 1, dilation_x = 1;

  /// Sets the out sizes from the others: floor (or ceil) ((in + 2p - d(w - 1) - 1) / s) + 1; with `ceil_mode` no window starts
  /// in the padding after the image, as in PyTorch.
  void infer_out(bool ceil_mode = false);
};

/// Positions of one window along an axis, cut to the image: first, first + dilation, .. below end.
struct Span {
  Index first, end;
};
/// A window that begins at `start`, which may lie in the padding; dilated ones then begin at their first tap inside.
Span clip(Index start, Index window, Index dilation, Index size);

/// Windows of two by two, side by side, all of them inside the image: the usual case.
bool is_two_by_two(const PoolShape& shape);

// Requires of all: every window covers at least one element of the image (padding at most half the window).

/// results = largest element of each window; the first in row order where several are equal; NaN wins. `argmax`, when not
/// null, takes its place inside the plane (y * in_width + x), for the gradient.
void max_pool_forward(const PoolShape& shape, const float* images, float* results, int32_t* argmax);
/// One plane of it, on the calling thread.
void max_pool_plane(const PoolShape& shape, const float* image, float* results, int32_t* argmax);
/// Each gradient goes to the place of its maximum. Overwrites `images_gradient`.
void max_pool_backward(const PoolShape& shape, const float* results_gradient, const int32_t* argmax, float* images_gradient);

/// results = sum of each window divided by its element count: the padded count when `count_padding` (PyTorch's default), else
/// the elements inside the image. Requires dilation 1.
void average_pool_forward(const PoolShape& shape, bool count_padding, const float* images, float* results);
/// Overwrites `images_gradient`.
void average_pool_backward(const PoolShape& shape, bool count_padding, const float* results_gradient, float* images_gradient);

}  // namespace gradbook::kernels
