// Which technique serves which convolution. The limits are measurements in wasm under Node; bench/kernels prints them anew.
#include "kernels/convolution.h"

#include <algorithm>
#include <vector>

#include "kernels/conv_partial.h"
#include "kernels/conv_techniques.h"
#include "kernels/gemm.h"
#include "kernels/gemm_tile.h"
#include "kernels/reduce.h"
#include "kernels/scratch.h"

namespace gradbook::kernels {
namespace {

bool empty(const ConvShape& s) { return s.batch <= 0 || s.out_channels <= 0 || s.out_height <= 0 || s.out_width <= 0 || s.group_in() <= 0; }

bool depthwise(const ConvShape& s) { return s.group_in() == 1 && s.group_out() == 1; }

/// Filter of one pixel, no padding, every pixel taken: the image is the right operand of a product as it lies.
bool pointwise(const ConvShape& s) {
  return s.filter_height == 1 && s.filter_width == 1 && s.stride_y == 1 && s.stride_x == 1 && s.padding_y == 0 && s.padding_x == 0 && s.groups == 1;
}

// One product per image, with the offsets that gemm_batched wants.
struct Offsets {
  std::vector<Index> images, results, none;
  explicit Offsets(const ConvShape& s) : none(static_cast<size_t>(s.batch), 0) {
    for (Index i = 0; i < s.batch; ++i) {
      images.push_back(i * s.in_channels * s.in_height * s.in_width);
      results.push_back(i * s.out_channels * s.out_height * s.out_width);
    }
  }
};

void forward_pointwise(const ConvShape& s, const float* images, const float* filter, const float* bias, bool relu, float* results) {
  const Offsets at(s);
  const Index pixels = s.out_height * s.out_width;
  Epilogue epilogue;
  epilogue.row_bias = bias;
  epilogue.relu = relu;
  gemm_batched(s.batch, s.out_channels, pixels, s.in_channels, {filter, s.in_channels, 1}, at.none.data(), {images, pixels, 1}, at.images.data(), {results, pixels, 1},
               at.results.data(), epilogue);
}

void input_gradient_pointwise(const ConvShape& s, const float* results_gradient, const float* filter, float* images_gradient) {
  const Offsets at(s);
  const Index pixels = s.out_height * s.out_width;
  gemm_batched(s.batch, s.in_channels, pixels, s.out_channels, {filter, 1, s.in_channels}, at.none.data(), {results_gradient, pixels, 1}, at.results.data(),
               {images_gradient, pixels, 1}, at.images.data());
}

// Cost of one tap over one row of results, in multiply-add pairs of vectors, when rows (or channels) are cut into panels of 6 and 4.
// Four accumulators times two hide the latency of an addition only just: a panel of 4 costs 4.5.
double panel_cost(Index size) {
  const RowPanels cut = cut_rows(static_cast<long>(size));
  return 6.0 * static_cast<double>(cut.sixes) + 4.5 * static_cast<double>(cut.fours);
}
double direct_cost(const ConvShape& s) { return panel_cost(s.group_out()) * static_cast<double>(s.out_width / 8 + (s.out_width % 8 > 0) + (s.out_width < 8 && s.out_width > 4)); }
double channels_cost(const ConvShape& s) { return panel_cost(s.out_width) * static_cast<double>((s.group_out() + 7) / 8); }

/// Packing costs nothing when a packed pixel serves many output channels, and then small images waste no lanes.
bool packed_forward(const ConvShape& s) { return s.out_width < 4 || (s.out_width < 8 && s.group_out() >= 32); }

/// Rows of four pixels waste lanes where images are narrow, and other techniques do not when there are several channels.
bool small_forward(const ConvShape& s) { return serves_small(s) && (s.group_out() == 1 || s.out_width >= 12); }

void forward_in_place(const ConvShape& s, const float* images, const float* filter, const float* bias, bool relu, const Results& results) {
  if (s.stride_x == 1 && direct_cost(s) < channels_cost(s)) return forward_direct(s, images, filter, bias, relu, results);
  forward_channels(s, images, filter, bias, relu, results);
}

/// Few lanes stay empty.
bool fills_lanes(const ConvShape& s) { return s.batch % 8 == 0 || s.batch >= 32; }

/// Eight images in the lanes, when a block of images fits the cache: then the pool needs no shuffles, and what is turned back is
/// small. With one to three input channels a pixel's taps are too short a run: there rows of pixels win, but for windows whose sums
/// stay in registers.
bool lanes_max_pool(const ConvShape& s, const PoolShape& pool) {
  constexpr Index kMostFloats = 65536;
  return fills_lanes(s) && s.groups == 1 && (s.in_channels >= 4 || serves_short_sums(s, pool)) && 8 * s.in_channels * s.in_height * s.in_width <= kMostFloats;
}

/// Fewer multiplications pay from four input channels on: 64 images of 14 x 14 with padding take, of the time of sums of taps, 0.67
/// with 8 -> 16 channels, 0.61 with 16 -> 16, 0.56 with 32 -> 64 (16 x 16), 0.84 with 4 -> 4; but 1.02 and 1.04 with 4 -> 5 and
/// 4 -> 6, where panels of four are half empty and those of six full. Images of any size and groups: 0.6 of the time of rows of
/// pixels with 16 -> 32 and 32 -> 32 (28 x 28), 32 -> 16 (56 x 56), 32 -> 32 in four groups.
bool winograd_max_pool(const ConvShape& s, const PoolShape& pool) {
  return fills_lanes(s) && serves_winograd(s, pool) && s.group_in() >= 4 && (s.group_in() >= 8 || (s.group_out() != 5 && s.group_out() != 6));
}

/// Few images leave lanes empty; few input channels leave panels empty.
bool lanes_input_gradient(const ConvShape& s) { return !depthwise(s) && s.batch >= 5 && s.group_in() >= 3; }

/// As a convolution of the gradient, when multiplying by padding's zeros costs less than scattering.
bool reversed_input_gradient(const ConvShape& s) {
  if (s.stride_y != 1 || s.stride_x != 1) return false;
  if (depthwise(s) || serves_five(reversed(s))) return true;
  return static_cast<double>(s.in_height * s.in_width) <= 1.25 * static_cast<double>(s.out_height * s.out_width);
}

/// Four pixels in the lanes: where eight output channels, or six taps, would be padding for a good part.
bool direct_filter_gradient(const ConvShape& s) {
  if (depthwise(s)) return s.stride_x <= 2;
  return s.stride_x == 1 && s.out_width >= 7 && (s.group_in() <= 3 || s.group_out() <= 3);
}
bool packed_filter_gradient(const ConvShape& s) { return s.out_width < 4; }

}  // namespace

void ConvShape::infer_out() {
  const auto size = [](Index in, Index padding, Index dilation, Index filter, Index stride) {
    const Index free = in + 2 * padding - dilation * (filter - 1) - 1;
    return free < 0 ? 0 : free / stride + 1;
  };
  out_height = size(in_height, padding_y, dilation_y, filter_height, stride_y);
  out_width = size(in_width, padding_x, dilation_x, filter_width, stride_x);
}

void conv_forward(const ConvShape& s, const float* images, const float* filter, const float* bias, bool relu, float* results) {
  if (s.batch <= 0 || s.out_channels <= 0 || s.out_height <= 0 || s.out_width <= 0) return;
  if (filter_floats(s) == 0) return forward_pointwise(s, images, filter, bias, relu, results);  // a product of length 0
  if (small_forward(s)) return forward_small(s, images, filter, bias, relu, results);
  if (serves_five(s)) return forward_five(s, images, filter, bias, relu, results);
  if (depthwise(s)) return forward_depthwise(s, images, filter, bias, relu, results);
  if (pointwise(s)) return forward_pointwise(s, images, filter, bias, relu, results);
  if (packed_forward(s)) return forward_packed(s, images, filter, bias, relu, results);
  forward_in_place(s, images, filter, bias, relu, Results(results));
}

bool serves_max_pool(const ConvShape& s, const PoolShape& pool) {
  constexpr Index kMostFloats = 65536;  // of an image's results: half of a core's cache
  return !empty(s) && filter_floats(s) > 0 && !depthwise(s) && !((serves_small(s) || serves_five(s)) && s.group_out() == 1) && !pointwise(s) && !packed_forward(s) && s.group_out() * s.out_height * s.out_width <= kMostFloats && s.batch * s.groups >= 8 &&
         pool.planes == s.batch * s.out_channels && pool.in_height == s.out_height && pool.in_width == s.out_width;
}

void conv_forward_max_pool(const ConvShape& s, const PoolShape& pool, const float* images, const float* filter, const float* bias, bool relu, float* results, int32_t* argmax) {
  if (winograd_max_pool(s, pool)) return forward_winograd_max_pool(s, pool, images, filter, bias, relu, results, argmax);
  if (lanes_max_pool(s, pool)) return forward_lanes_max_pool(s, pool, images, filter, bias, relu, results, argmax);
  forward_in_place(s, images, filter, bias, relu, Results(pool, results, argmax));
}

void conv_input_gradient(const ConvShape& s, const float* results_gradient, const float* filter, float* images_gradient) {
  if (empty(s)) {
    std::fill_n(images_gradient, std::max<Index>(0, s.batch * s.in_channels * s.in_height * s.in_width), 0.0f);
    return;
  }
  if (pointwise(s)) return input_gradient_pointwise(s, results_gradient, filter, images_gradient);
  const bool strided = s.stride_y != 1 || s.stride_x != 1;
  if (depthwise(s) && strided && s.stride_y <= 16 && s.stride_x <= 16) return input_gradient_depthwise(s, results_gradient, filter, images_gradient);
  if (lanes_input_gradient(s)) return input_gradient_lanes(s, results_gradient, filter, images_gradient);
  if (reversed_input_gradient(s)) {
    const Scratch turned(filter_floats(s));
    turn_filter(s, filter, turned.data());
    return conv_forward(reversed(s), results_gradient, turned.data(), nullptr, false, images_gradient);
  }
  input_gradient_scattered(s, results_gradient, filter, images_gradient);
}

void conv_filter_gradient(const ConvShape& s, const float* images, const float* results_gradient, float* filter_gradient) {
  if (empty(s)) {
    std::fill_n(filter_gradient, std::max<Index>(0, filter_floats(s)), 0.0f);
    return;
  }
  if (serves_small(s) && s.group_out() == 1) return filter_gradient_small(s, images, results_gradient, filter_gradient);
  if (direct_filter_gradient(s)) return filter_gradient_direct(s, images, results_gradient, filter_gradient);
  if (packed_filter_gradient(s)) return filter_gradient_packed(s, images, results_gradient, filter_gradient);
  filter_gradient_channels(s, images, results_gradient, filter_gradient);
}

void conv_bias_gradient(const ConvShape& s, const float* results_gradient, float* bias_gradient) {
  sum_channels(s.batch, s.out_channels, s.out_height * s.out_width, results_gradient, bias_gradient);
}

}  // namespace gradbook::kernels
