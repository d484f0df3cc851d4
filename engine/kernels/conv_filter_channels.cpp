// Filter gradient with eight output channels in the lanes: the gradient is packed once per image, and the image is read in place,
// one value per tap and pixel. Six taps by eight channels are summed over all pixels of an image.
#include <algorithm>
#include <vector>

#include "kernels/conv_partial.h"
#include "kernels/conv_taps.h"
#include "kernels/conv_techniques.h"
#include "kernels/gemm_pack.h"
#include "kernels/scratch.h"
#include "kernels/simd.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

struct TapTask {
  const float* image;
  long row_step, stride;  // from one output row, one output pixel, to the next
  long rows, width;
  const float* gradient;  // [pixel][8]
  long sums_row;          // floats from one tap's sums to the next
};

// sums[tap][8] += image tap * gradient over all pixels. `count` taps are real; the others repeat the last one.
template <int kTaps>
__attribute__((noinline)) void sum_taps(const TapTask& task, const int32_t* tap_offsets, long count, float* sums) {
  const TapTask t = task;
  Float4 sum[kTaps][2];
  const float* line[kTaps];
  for (int i = 0; i < kTaps; ++i) {
    sum[i][0] = load(sums + i * t.sums_row);
    sum[i][1] = load(sums + i * t.sums_row + 4);
    line[i] = t.image + tap_offsets[std::min<long>(i, count - 1)];
  }
  const float* gradient = t.gradient;
  const long to_next_row = t.row_step - t.width * t.stride;
  for (long row = 0; row < t.rows; ++row) {
#pragma clang loop unroll_count(1)
    for (long x = 0; x < t.width; ++x) {
      const Float4 left = load(gradient), right = load(gradient + 4);
      gradient += 8;
      for (int i = 0; i < kTaps; ++i) {
        const Float4 pixel = load_splat(line[i]);
        line[i] += t.stride;
        sum[i][0] = madd(pixel, left, sum[i][0]);
        sum[i][1] = madd(pixel, right, sum[i][1]);
      }
    }
    for (int i = 0; i < kTaps; ++i) line[i] += to_next_row;
  }
  for (int i = 0; i < kTaps; ++i) {
    store(sums + i * t.sums_row, sum[i][0]);
    store(sums + i * t.sums_row + 4, sum[i][1]);
  }
}

}  // namespace

void filter_gradient_channels(const ConvShape& s, const float* images, const float* results_gradient, float* filter_gradient) {
  const ConvPlan plan(s);
  const long taps = plan.taps(), panels = (plan.out_channels + 7) / 8;
  const Index image_blocks = filter_gradient_blocks(s), images_per_block = (s.batch + image_blocks - 1) / image_blocks;
  // Few blocks of images (large filters, small batches): the output channels are shared out too, panel by panel.
  const long panel_blocks = std::clamp(static_cast<long>(8 / (image_blocks * s.groups)), 1L, panels), panels_per_block = (panels + panel_blocks - 1) / panel_blocks;
  std::vector<long> wide(static_cast<size_t>(taps));
  plan.tap_offsets(plan.out_height, wide.data());
  const std::vector<int32_t> offsets(wide.begin(), wide.end());
  const RowPanels cut = cut_rows(taps);

  const Scratch partial(image_blocks * filter_floats(s));
  parallel_for(image_blocks * s.groups * panel_blocks, s.flops(), [&](Index work) {
    const long first_panel = static_cast<long>(work % panel_blocks) * panels_per_block, mine = std::min(panels, first_panel + panels_per_block) - first_panel;
    if (mine <= 0) return;
    const Index part = work / panel_blocks, group = part % s.groups, block = part / s.groups;
    const long sums_size = mine * 8 * cut.padded_rows();
    const Scratch padded(plan.view_floats(plan.out_height)), gradient(8 * plan.pixels()), sums(sums_size);
    std::fill(sums.data(), sums.data() + sums_size, 0.0f);
    TapTask t{};
    t.stride = plan.stride_x, t.rows = plan.out_height, t.width = plan.out_width, t.gradient = gradient.data(), t.sums_row = mine * 8;
    for (Index image = block * images_per_block; image < std::min(s.batch, (block + 1) * images_per_block); ++image) {
      const float* source = images + (image * s.in_channels + group * plan.in_channels) * plan.in_height * plan.in_width;
      const ImageView view = plan.view(source, 0, plan.out_height, plan.out_height, padded.data());
      t.image = view.data, t.row_step = plan.stride_y * view.row;
      for (long panel = 0; panel < mine; ++panel) {
        const long channel = 8 * (first_panel + panel);
        const float* g = results_gradient + (image * s.out_channels + group * plan.out_channels + channel) * plan.pixels();
        pack_panel<8>(g, plan.pixels(), 1, std::min(8L, plan.out_channels - channel), plan.pixels(), gradient.data());
        const int32_t* offset = offsets.data();
        float* to = sums.data() + 8 * panel;
        long left = taps;
        for (long six = 0; six < cut.sixes; ++six, offset += 6, left -= 6, to += 6 * t.sums_row) sum_taps<6>(t, offset, left, to);
        for (long four = 0; four < cut.fours; ++four, offset += 4, left -= 4, to += 4 * t.sums_row) sum_taps<4>(t, offset, left, to);
      }
    }
    float* target = partial.data() + block * filter_floats(s) + group * plan.out_channels * taps;
    for (long i = 0; i < std::min(8 * mine, plan.out_channels - 8 * first_panel); ++i)
      for (long tap = 0; tap < taps; ++tap) target[(8 * first_panel + i) * taps + tap] = sums.data()[tap * t.sums_row + i];
  });
  add_partial_filters(s, image_blocks, partial.data(), filter_gradient);
}

}  // namespace gradbook::kernels
