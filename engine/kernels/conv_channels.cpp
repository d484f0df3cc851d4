// Forward convolution with eight output channels in the lanes: a few neighbouring pixels are read in place, one by one, and
// multiplied by eight filters at a time. No width, stride or dilation wastes lanes; finished tiles are turned into rows.
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

/// One panel of eight output channels over some rows of an image.
struct PanelTask {
  const float* image;
  long row_step, stride;      // floats from one output row, one output pixel, to the next
  const int32_t* tap_offsets;
  long taps, rows, width;
  const float* filter;        // [tap][8]
  Float4 bias[2];
  bool relu;
  float* results;
  long plane;                 // floats from one channel to the next
  long channels;              // 1..8 are real
};

// Stores kPixels x 8 sums as rows of channels. `count` pixels are real.
template <int kPixels>
GRADBOOK_INLINE void store_turned(const PanelTask& t, Float4 (&sum)[kPixels][2], float* out) {
  if (t.relu)
    for (int i = 0; i < kPixels; ++i)
      for (int half = 0; half < 2; ++half) sum[i][half] = raise_to(sum[i][half], Float4{});
  for (int half = 0; half < 2; ++half) {
    Float4 row[4] = {sum[0][half], sum[1][half], sum[2][half], sum[3][half]};
    transpose(row[0], row[1], row[2], row[3]);
    Float4 low{}, high{};
    if constexpr (kPixels == 6) low = interleave_low(sum[4][half], sum[5][half]), high = interleave_high(sum[4][half], sum[5][half]);
    for (int i = 0; i < 4; ++i) {
      if (4 * half + i >= t.channels) return;
      float* to = out + (4 * half + i) * t.plane;
      store(to, row[i]);
      if constexpr (kPixels == 6) {
        if (i % 2 == 0) {
          store_low(to + 4, i == 0 ? low : high);
        } else {
          store_high(to + 4, i == 1 ? low : high);
        }
      }
    }
  }
}

// kStep: the stride between pixels when it is 1 or 2, else 0.
template <int kPixels, int kStep>
GRADBOOK_INLINE void multiply_pixels(const PanelTask& t, const float* image, float* out) {
  const long stride = kStep ? kStep : t.stride;
  Float4 sum[kPixels][2];
  for (int i = 0; i < kPixels; ++i) sum[i][0] = t.bias[0], sum[i][1] = t.bias[1];
  const float* filter = t.filter;
  const int32_t* offset = t.tap_offsets;
  const int32_t* end = offset + t.taps;
#pragma clang loop unroll_count(1)
  for (; offset != end; ++offset, filter += 8) {
    const Float4 left = load(filter), right = load(filter + 4);
    const float* p = image + *offset;
    for (int i = 0; i < kPixels; ++i) {
      const Float4 pixel = load_splat(p + i * stride);
      sum[i][0] = madd(pixel, left, sum[i][0]);
      sum[i][1] = madd(pixel, right, sum[i][1]);
    }
  }
  store_turned<kPixels>(t, sum, out);
}

// Tiles of one size in all rows: `count` of them from pixel `first` on; the last one overlaps its neighbour when the width is odd.
template <int kPixels, int kStep>
__attribute__((noinline)) void multiply_tiles(const PanelTask& task, long first, long count) {
  const PanelTask t = task;
  for (long row = 0; row < t.rows; ++row) {
    const float* image = t.image + row * t.row_step;
    float* out = t.results + row * t.width;
    for (long tile = 0; tile < count; ++tile) {
      const long x = std::min(first + tile * kPixels, t.width - kPixels);
      multiply_pixels<kPixels, kStep>(t, image + x * t.stride, out + x);
    }
  }
}

template <int kStep>
void multiply_rows(const PanelTask& t, RowPanels cut) {
  if (cut.sixes > 0) multiply_tiles<6, kStep>(t, 0, cut.sixes);
  if (cut.fours > 0) multiply_tiles<4, kStep>(t, 6 * cut.sixes, cut.fours);
}

}  // namespace

void forward_channels(const ConvShape& s, const float* images, const float* filter, const float* bias, bool relu, const Results& results) {
  const ConvPlan plan(s);
  const long taps = plan.taps(), rows = static_cast<long>(results.rows(s)), panels = (plan.out_channels + 7) / 8;
  const Scratch packed(s.groups * panels * 8 * taps);
  for (long group = 0; group < s.groups; ++group)
    for (long panel = 0; panel < panels; ++panel)
      pack_panel<8>(filter + (group * plan.out_channels + 8 * panel) * taps, taps, 1, std::min(8L, plan.out_channels - 8 * panel), taps, packed.data() + (group * panels + panel) * 8 * taps);
  std::vector<long> wide(static_cast<size_t>(taps));
  plan.tap_offsets(rows, wide.data());
  const std::vector<int32_t> offsets(wide.begin(), wide.end());
  // An odd width of 5 has no room for a tile of 6.
  const RowPanels cut = plan.out_width == 5 ? RowPanels{0, 2} : cut_rows(plan.out_width);

  const Index row_blocks = (s.out_height + rows - 1) / rows;
  parallel_for(s.batch * s.groups * row_blocks, s.flops(), [&](Index block) {
    const long first_row = static_cast<long>(block % row_blocks) * rows, count = std::min(rows, plan.out_height - first_row);
    const Index part = block / row_blocks, image = part / s.groups, group = part % s.groups;
    const Scratch padded(plan.view_floats(rows)), own(results.scratch_floats(s));
    const Index first_plane = image * s.out_channels + group * plan.out_channels;
    float* target = results.begin(s, first_plane, own.data()) + first_row * plan.out_width;
    const float* source = images + (image * s.in_channels + group * plan.in_channels) * plan.in_height * plan.in_width;
    const ImageView view = plan.view(source, first_row, count, rows, padded.data());
    PanelTask t{};
    t.image = view.data, t.row_step = plan.stride_y * view.row, t.stride = plan.stride_x, t.tap_offsets = offsets.data(), t.taps = taps, t.rows = count, t.width = plan.out_width;
    t.relu = relu, t.plane = plan.pixels();
    for (long panel = 0; panel < panels; ++panel) {
      const long channel = 8 * panel;
      t.channels = std::min(8L, plan.out_channels - channel);
      t.filter = packed.data() + (group * panels + panel) * 8 * taps;
      t.results = target + channel * plan.pixels();
      const float* b = bias ? bias + group * plan.out_channels + channel : nullptr;
      t.bias[0] = b ? load_first(b, std::min(4L, t.channels)) : Float4{};
      t.bias[1] = b ? load_first(b + 4, std::max(0L, t.channels - 4)) : Float4{};
      (t.stride == 1 ? multiply_rows<1> : t.stride == 2 ? multiply_rows<2> : multiply_rows<0>)(t, cut);
    }
    results.finish(s, first_plane, own.data());
  });
}

}  // namespace gradbook::kernels
