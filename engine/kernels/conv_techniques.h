// The ways to compute a convolution; convolution.cpp chooses. All take and give contiguous NCHW, as convolution.h says.
#pragma once

#include "kernels/convolution.h"
#include "kernels/pooling.h"

namespace gradbook::kernels {

/// How many output rows one block of work takes, so that small images stay whole and large ones are shared: by sizes alone.
Index rows_per_block(const ConvShape& shape);

/// Where a forward technique leaves its results: in memory, or image by image in the cache, from where a max pool takes them.
class Results {
 public:
  Results(float* all) : all_(all) {}  // implicit: plain memory is the usual case
  /// `places` may be null.
  Results(const PoolShape& pool, float* pooled, int32_t* places) : all_(pooled), places_(places), pool_(&pool) {}

  /// How many output rows one block of work takes.
  Index rows(const ConvShape& shape) const { return pool_ ? shape.out_height : rows_per_block(shape); }
  /// Working memory of one block.
  Index scratch_floats(const ConvShape& shape) const { return pool_ ? shape.group_out() * shape.out_height * shape.out_width : 0; }
  /// Where the first plane of the block begins; `plane` counts over batch and channels.
  float* begin(const ConvShape& shape, Index plane, float* scratch) const { return pool_ ? scratch : all_ + plane * shape.out_height * shape.out_width; }
  /// To be called when all planes of the block are there.
  void finish(const ConvShape& shape, Index plane, const float* scratch) const {
    if (!pool_) return;
    const Index to = pool_->out_height * pool_->out_width;
    for (Index i = 0; i < shape.group_out(); ++i)
      max_pool_plane(*pool_, scratch + i * shape.out_height * shape.out_width, all_ + (plane + i) * to, places_ ? places_ + (plane + i) * to : nullptr);
  }

 private:
  float* all_;
  int32_t* places_ = nullptr;
  const PoolShape* pool_ = nullptr;
};

/// Eight pixels by six channels: pixels are packed straight from the image into the panels of a matrix product. Any sizes.
void forward_packed(const ConvShape& shape, const float* images, const float* filter, const float* bias, bool relu, float* results);
/// The same register tile reading eight neighbouring pixels in place: nothing is packed. Requires stride_x = 1 and out_width >= 4.
void forward_direct(const ConvShape& shape, const float* images, const float* filter, const float* bias, bool relu, const Results& results);
/// Eight output channels in the lanes by six pixels of a row, read in place one by one. Requires out_width >= 4.
void forward_channels(const ConvShape& shape, const float* images, const float* filter, const float* bias, bool relu, const Results& results);
/// Eight images in the lanes, with the max pool in the same layout: only what the pool leaves is turned back. Any sizes;
/// wasteful where batches leave lanes empty. `places` may be null.
void forward_lanes_max_pool(const ConvShape& shape, const PoolShape& pool, const float* images, const float* filter, const float* bias, bool relu, float* results, int32_t* places);
/// Whether that keeps the four sums of a window of two by two in registers: few taps, as in a first layer, and steps of one pixel.
bool serves_short_sums(const ConvShape& shape, const PoolShape& pool);
/// The same in fewer multiplications: sixteen instead of 36 for a cell of the pool and a pair of channels. Requires serves_winograd().
void forward_winograd_max_pool(const ConvShape& shape, const PoolShape& pool, const float* images, const float* filter, const float* bias, bool relu, float* results, int32_t* places);
/// Filters of 3 x 3 that move by single pixels, and windows of two by two.
bool serves_winograd(const ConvShape& shape, const PoolShape& pool);
/// One channel in, one out: rows are multiplied tap by tap. Requires group_in() = group_out() = 1.
void forward_depthwise(const ConvShape& shape, const float* images, const float* filter, const float* bias, bool relu, float* results);

/// Whether forward_small takes the shape: one input or one output channel per group, a filter of 3 x 3 that moves by single pixels
/// over at least four, at most one pixel of padding.
bool serves_small(const ConvShape& shape);
/// Rows are read once for three rows of results, without a copy that has zeros around it. Requires serves_small().
void forward_small(const ConvShape& shape, const float* images, const float* filter, const float* bias, bool relu, float* results);
/// Whether forward_five takes the shape: one output channel per group, 5 x 5, otherwise the same with up to four pixels of padding.
bool serves_five(const ConvShape& shape);
/// Rows are read once for five rows of results, two columns of the filter at a time. Requires serves_five().
void forward_five(const ConvShape& shape, const float* images, const float* filter, const float* bias, bool relu, float* results);

/// filter^T times the gradient gives one value per tap and pixel; these are added where the taps lie. Any sizes.
void input_gradient_scattered(const ConvShape& shape, const float* results_gradient, const float* filter, float* images_gradient);
/// Eight images in the lanes: only the taps that reach a pixel are summed. Any sizes; wasteful for fewer than 5 images.
void input_gradient_lanes(const ConvShape& shape, const float* results_gradient, const float* filter, float* images_gradient);
/// One channel in, one out, class of pixels by class. Requires group_in() = group_out() = 1, strides of at most 16.
void input_gradient_depthwise(const ConvShape& shape, const float* results_gradient, const float* filter, float* images_gradient);
/// The convolution that is the input gradient of `shape` when its strides are 1: the filter turned round, channels exchanged.
ConvShape reversed(const ConvShape& shape);
/// As `reversed` wants it: (in, out, height, width) of each group, both axes turned round.
void turn_filter(const ConvShape& shape, const float* filter, float* turned);

/// A product over pixels with one operand packed from the gradient and the other tap by tap from the image. Any sizes.
void filter_gradient_packed(const ConvShape& shape, const float* images, const float* results_gradient, float* filter_gradient);
/// Eight output channels in the lanes, six taps at a time, the image read in place. Any sizes.
void filter_gradient_channels(const ConvShape& shape, const float* images, const float* results_gradient, float* filter_gradient);
/// Four pixels in the lanes, a few channels and taps of one filter row at a time; nothing is packed. Requires stride_x = 1, or 2 with one output channel per group.
void filter_gradient_direct(const ConvShape& shape, const float* images, const float* results_gradient, float* filter_gradient);
/// The same with the nine sums of two channels in registers. Requires serves_small() and one output channel per group.
void filter_gradient_small(const ConvShape& shape, const float* images, const float* results_gradient, float* filter_gradient);

}  // namespace gradbook::kernels
