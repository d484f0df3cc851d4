// Input gradient for any strides: a product gives one value per tap and output pixel, which is added where the tap lies.
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

constexpr long kColumnFloats = 48 * 1024;  // of values that wait to be added: they stay in L2
constexpr long kStepBlock = 384;           // output channels per pass of the product

// target[i * step] += source[i].
void add_run(long n, const float* source, float* target, long step) {
  long i = 0;
  if (step == 1)
    for (; i + 4 <= n; i += 4) store(target + i, load(target + i) + load(source + i));
  for (; i < n; ++i) target[i * step] += source[i];
}

/// columns[tap][pixel] = sum over channels of filter[channel][tap] * gradient[channel][pixel], for `pixels` neighbouring pixels.
/// `filter` is packed with the taps as rows. Rows of `columns` are `pitch` (a multiple of 8) floats apart; as many panels.
void multiply_columns(const ConvPlan& plan, RowPanels cut, const float* filter, const float* gradient, long pixels, long pitch, float* panel, float* columns) {
  for (long channel = 0; channel < plan.out_channels; channel += kStepBlock) {
    const long steps = std::min(kStepBlock, plan.out_channels - channel);
    for (long pixel = 0; pixel < pixels; pixel += 8) {
      pack_panel<8>(gradient + channel * plan.pixels() + pixel, 1, plan.pixels(), std::min(8L, pixels - pixel), steps, panel);
      const float* a = filter + cut.padded_rows() * channel;
      float* to = columns + pixel;
      for (long six = 0; six < cut.sixes; ++six, a += 6 * steps, to += 6 * pitch) multiply_tile<6>(steps, a, panel, 8, to, pitch, channel > 0);
      for (long four = 0; four < cut.fours; ++four, a += 4 * steps, to += 4 * pitch) multiply_tile<4>(steps, a, panel, 8, to, pitch, channel > 0);
    }
  }
}

}  // namespace

void input_gradient_scattered(const ConvShape& s, const float* results_gradient, const float* filter, float* images_gradient) {
  const ConvPlan plan(s);
  const long taps = plan.taps(), image_floats = plan.in_channels * plan.in_height * plan.in_width;
  const RowPanels cut = cut_rows(taps);
  const Scratch packed(s.groups * cut.padded_rows() * plan.out_channels);
  for (long group = 0; group < s.groups; ++group)
    for (long channel = 0; channel < plan.out_channels; channel += kStepBlock) {
      const float* source = filter + (group * plan.out_channels + channel) * taps;
      pack_rows(source, 1, taps, taps, cut, std::min(kStepBlock, plan.out_channels - channel), packed.data() + cut.padded_rows() * (group * plan.out_channels + channel));
    }
  std::vector<long> offsets(static_cast<size_t>(taps));
  plan.tap_offsets(plan.out_height, offsets.data());
  const long rows = std::clamp(kColumnFloats / std::max(1L, cut.padded_rows() * plan.out_width), 1L, std::max(1L, plan.out_height));

  parallel_for(s.batch * s.groups, s.flops(), [&](Index block) {
    const Index image = block / s.groups, group = block % s.groups;
    const long pitch = (rows * plan.out_width + 7) / 8 * 8;
    const Scratch padded(plan.view_floats(plan.out_height)), columns(cut.padded_rows() * pitch), panel(8 * std::min(plan.out_channels, kStepBlock));
    float* target = images_gradient + (image * s.groups + group) * image_floats;
    float* sums = plan.needs_padding ? padded.data() : target;
    std::fill(sums, sums + (plan.needs_padding ? plan.view_floats(plan.out_height) : image_floats), 0.0f);
    const float* gradient = results_gradient + (image * s.out_channels + group * plan.out_channels) * plan.pixels();
    for (long row = 0; row < plan.out_height; row += rows) {
      const long count = std::min(rows, plan.out_height - row);
      multiply_columns(plan, cut, packed.data() + group * cut.padded_rows() * plan.out_channels, gradient + row * plan.out_width, count * plan.out_width, pitch, panel.data(), columns.data());
      for (long tap = 0; tap < taps; ++tap)
        for (long r = 0; r < count; ++r)
          add_run(plan.out_width, columns.data() + tap * pitch + r * plan.out_width, sums + offsets[static_cast<size_t>(tap)] + (row + r) * plan.stride_y * plan.row_pitch(), plan.stride_x);
    }
    if (plan.needs_padding) plan.take_inside(padded.data(), target);
  });
}

ConvShape reversed(const ConvShape& s) {
  ConvShape r = s;
  r.in_channels = s.out_channels, r.in_height = s.out_height, r.in_width = s.out_width;
  r.out_channels = s.in_channels, r.out_height = s.in_height, r.out_width = s.in_width;
  r.padding_y = s.dilation_y * (s.filter_height - 1) - s.padding_y;
  r.padding_x = s.dilation_x * (s.filter_width - 1) - s.padding_x;
  return r;
}

void turn_filter(const ConvShape& s, const float* filter, float* turned) {
  const Index area = s.filter_height * s.filter_width;
  for (Index group = 0; group < s.groups; ++group)
    for (Index in = 0; in < s.group_in(); ++in)
      for (Index out = 0; out < s.group_out(); ++out) {
        const float* source = filter + ((group * s.group_out() + out) * s.group_in() + in) * area;
        float* target = turned + ((group * s.group_in() + in) * s.group_out() + out) * area;
        for (Index i = 0; i < area; ++i) target[i] = source[area - 1 - i];
      }
}

}  // namespace gradbook::kernels
