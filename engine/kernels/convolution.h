// Two-dimensional convolution (cross-correlation, as in PyTorch) of contiguous NCHW float32 and both its gradients, for any
// stride, padding, dilation and groups. Which technique serves which sizes is decided in convolution.cpp.
// One-dimensional convolution is height 1; transposed convolution is conv_input_gradient.
#pragma once

#include "kernels/pooling.h"
#include "tensor/shape.h"

namespace gradbook::kernels {

/// Sizes of one convolution. y is the vertical axis, x the horizontal one.
struct ConvShape {
  Index batch = 1;
  Index in_channels = 1, in_height = 1, in_width = 1;
  Index out_channels = 1, out_height = 1, out_width = 1;
  Index filter_height = 1, filter_width = 1;
  Index stride_y = 1, stride_x = 1;
  Index padding_y = 0, padding_x = 0;  // rows above and columns left of the image; out sizes say how much follows after it
  Index dilation_y = 1, dilation_x = 1;
  Index groups = 1;

  /// Sets the out sizes from the others for symmetric padding, as PyTorch does: floor((in + 2p - d(f - 1) - 1) / s) + 1.
  /// A filter larger than the padded image gives 0 or less; the op says so to the learner.
  void infer_out();
  Index group_in() const { return in_channels / groups; }
  Index group_out() const { return out_channels / groups; }
  /// Multiplications and additions of the forward pass.
  double flops() const {
    return 2.0 * static_cast<double>(batch * out_channels * out_height * out_width) * static_cast<double>(group_in() * filter_height * filter_width);
  }
};

// Layouts: images (batch, in_channels, in_height, in_width); filter (out_channels, in_channels / groups, filter_height,
// filter_width); results (batch, out_channels, out_height, out_width); bias (out_channels). Requires: groups divides both
// channel counts; sizes of 0 give empty results or zero gradients. May read up to 64 bytes past the last input element.

/// results = conv(images, filter) + bias, then max(0, .) when `relu` (NaN passes). `bias` may be null.
void conv_forward(const ConvShape& shape, const float* images, const float* filter, const float* bias, bool relu, float* results);

/// max_pool_forward of conv_forward's results, which stay in the cache and are written nowhere. The same bits, or the same but
/// for rounding where blocks of eight images are computed together. There what an infinity of the images reaches may be NaN; NaN
/// gives NaN in the same places.
/// Requires serves_max_pool().
void conv_forward_max_pool(const ConvShape& shape, const PoolShape& pool, const float* images, const float* filter, const float* bias, bool relu, float* results, int32_t* argmax);
/// Whether that is worth it: batches whose images are small enough for the cache, and the common ways to compute a convolution.
bool serves_max_pool(const ConvShape& shape, const PoolShape& pool);

/// Gradient of the images. Overwrites `images_gradient`.
void conv_input_gradient(const ConvShape& shape, const float* results_gradient, const float* filter, float* images_gradient);

/// Gradient of the filter. Overwrites `filter_gradient`. Partial sums of fixed blocks of images are added in a fixed order.
void conv_filter_gradient(const ConvShape& shape, const float* images, const float* results_gradient, float* filter_gradient);

/// Gradient of the bias: sums over batch and pixels. Overwrites `bias_gradient`.
void conv_bias_gradient(const ConvShape& shape, const float* results_gradient, float* bias_gradient);

}  // namespace gradbook::kernels
