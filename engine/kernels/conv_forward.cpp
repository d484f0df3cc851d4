// Forward convolution as a matrix product whose right operand is packed straight from the image: any stride, padding, dilation.
#include <algorithm>
#include <vector>

#include "kernels/conv_taps.h"
#include "kernels/conv_techniques.h"
#include "kernels/gemm_pack.h"
#include "kernels/scratch.h"
#include "kernels/simd.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

constexpr long kPanels = 6;       // panels of 8 pixels that share a pass over the filter
constexpr long kTapBlock = 384;  // taps that are packed at a time: six panels of them fit in L2

struct Product {
  const ConvPlan& plan;
  const float* filter;  // packed, block of taps by block of taps
  RowPanels cut;
  const float* bias;
  bool relu;
  float* results;  // of the group and image, at the first pixel of the block
  long plane;      // pixels of a channel
};

// One tile with everything but the plain case: edges, bias, relu.
template <int kRows>
__attribute__((noinline)) void tile_with_epilogue(const Product& p, long taps, const float* a, const float* b, long channel, long channels, long pixel, long pixels, bool first,
                                                  bool last) {
  alignas(16) float sums[kRows * 8];
  multiply_tile<kRows>(taps, a, b, 8, sums, 8, false);
  for (long i = 0; i < channels; ++i) {
    float* to = p.results + (channel + i) * p.plane + pixel;
    const float* s = sums + 8 * i;
    const Float4 bias = splat(last && p.bias ? p.bias[channel + i] : 0.0f);
    for (long half = 0; half < pixels; half += 4) {
      const long count = std::min(4L, pixels - half);
      Float4 v = load(s + half);
      if (!first) v += count == 4 ? load(to + half) : load_first(to + half, count);
      v += bias;
      if (last && p.relu) v = raise_to(v, Float4{});
      if (count == 4) {
        store(to + half, v);
      } else {
        store_first(to + half, v, count);
      }
    }
  }
}

template <int kRows>
GRADBOOK_INLINE void tile(const Product& p, long taps, const float* a, const float* b, long channel, long pixel, long pixels, bool first, bool last) {
  const long channels = std::min<long>(kRows, p.plan.out_channels - channel);
  const bool epilogue = last && (p.bias || p.relu);
  if (channels == kRows && pixels == 8 && !epilogue) {
    multiply_tile<kRows>(taps, a, b, 8, p.results + channel * p.plane + pixel, p.plane, !first);
  } else {
    tile_with_epilogue<kRows>(p, taps, a, b, channel, channels, pixel, pixels, first, last);
  }
}

void multiply_pixels(const Product& p, const ImageView& view, const long* tap_offsets, long first_pixel, long pixels, float* panels) {
  const ConvPlan& plan = p.plan;
  long at[kPanels * 8];
  for (long i = 0; i < kPanels * 8; ++i) {
    // Pixels that do not exist repeat the last one.
    const long pixel = first_pixel + std::min(i, pixels - 1);
    at[i] = pixel / plan.out_width * plan.stride_y * view.row + pixel % plan.out_width * plan.stride_x;
  }
  const long panel_count = (pixels + 7) / 8, all = plan.taps();
  for (long tap = 0; tap < all; tap += kTapBlock) {
    const long taps = std::min(kTapBlock, all - tap);
    const bool first = tap == 0, last = tap + taps == all;
    for (long panel = 0; panel < panel_count; ++panel) pack_pixels(view.data, at + 8 * panel, tap_offsets + tap, taps, panels + panel * 8 * taps);
    const float* a = p.filter + p.cut.padded_rows() * tap;
    long channel = 0;
    for (long six = 0; six < p.cut.sixes; ++six, channel += 6, a += 6 * taps)
      for (long panel = 0; panel < panel_count; ++panel) tile<6>(p, taps, a, panels + panel * 8 * taps, channel, first_pixel + 8 * panel, std::min(8L, pixels - 8 * panel), first, last);
    for (long four = 0; four < p.cut.fours; ++four, channel += 4, a += 4 * taps)
      for (long panel = 0; panel < panel_count; ++panel) tile<4>(p, taps, a, panels + panel * 8 * taps, channel, first_pixel + 8 * panel, std::min(8L, pixels - 8 * panel), first, last);
  }
}

}  // namespace

Index rows_per_block(const ConvShape& s) {
  constexpr double kBlockFlops = 2e6;
  const double row = 2.0 * static_cast<double>(s.group_out() * s.out_width) * static_cast<double>(s.group_in() * s.filter_height * s.filter_width);
  return std::clamp<Index>(static_cast<Index>(kBlockFlops / std::max(row, 1.0)) + 1, 1, std::max<Index>(1, s.out_height));
}

void forward_packed(const ConvShape& s, const float* images, const float* filter, const float* bias, bool relu, float* results) {
  const ConvPlan plan(s);
  const long taps = plan.taps(), rows = static_cast<long>(rows_per_block(s));
  const RowPanels cut = cut_rows(plan.out_channels);
  const Scratch packed(static_cast<Index>(s.groups) * cut.padded_rows() * taps);
  for (long group = 0; group < s.groups; ++group)
    for (long tap = 0; tap < taps; tap += kTapBlock) {
      const float* source = filter + group * plan.out_channels * taps + tap;
      pack_rows(source, taps, 1, plan.out_channels, cut, std::min(kTapBlock, taps - tap), packed.data() + cut.padded_rows() * (group * taps + tap));
    }
  std::vector<long> offsets(static_cast<size_t>(taps));
  plan.tap_offsets(rows, offsets.data());

  const Index row_blocks = (s.out_height + rows - 1) / rows;
  parallel_for(s.batch * s.groups * row_blocks, s.flops(), [&](Index block) {
    const long first_row = static_cast<long>(block % row_blocks) * rows, count = std::min(rows, plan.out_height - first_row);
    const Index part = block / row_blocks, image = part / s.groups, group = part % s.groups;
    const Scratch padded(plan.view_floats(rows)), panels(kPanels * 8 * std::min(taps, kTapBlock));
    const float* source = images + (image * s.in_channels + group * plan.in_channels) * plan.in_height * plan.in_width;
    const ImageView view = plan.view(source, first_row, count, rows, padded.data());
    float* target = results + (image * s.out_channels + group * plan.out_channels) * plan.pixels() + first_row * plan.out_width;
    const Product p{plan, packed.data() + group * cut.padded_rows() * taps, cut, bias ? bias + group * plan.out_channels : nullptr, relu, target, plan.pixels()};
    const long pixels = count * plan.out_width;
    for (long pixel = 0; pixel < pixels; pixel += kPanels * 8) multiply_pixels(p, view, offsets.data(), pixel, std::min(kPanels * 8, pixels - pixel), panels.data());
  });
}

}  // namespace gradbook::kernels
