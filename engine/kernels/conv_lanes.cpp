// Input gradient with eight images in the lanes: for every pixel of the image the taps that reach it, and no others, are summed.
// With a stride, pixels fall into classes that see different taps; each class is a small convolution of its own.
#include <algorithm>
#include <vector>

#include "kernels/conv_classes.h"
#include "kernels/conv_taps.h"
#include "kernels/conv_techniques.h"
#include "kernels/gemm_tile.h"
#include "kernels/lanes.h"
#include "kernels/scratch.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

constexpr long kBandFloats = 128 * 1024;  // of lanes that one band of image rows works on: half of L2

// The filter of one class, as convolve_lanes() wants it: the image's channels are the results, the gradient's the sources.
void pack_class(const ConvPlan& plan, const float* filter, const ResidueClass& y, const ResidueClass& x, float* packed) {
  const long area = plan.filter_height * plan.filter_width;
  const RowPanels cut = cut_rows(plan.in_channels);
  for (long panel = 0, channel = 0; panel < cut.sixes + cut.fours; ++panel) {
    const long rows = panel < cut.sixes ? 6 : 4;
    for (long tap_y : y.taps)
      for (long tap_x : x.taps)
        for (long out = 0; out < plan.out_channels; ++out)
          for (long i = 0; i < rows; ++i) *packed++ = filter[(out * plan.in_channels + std::min(channel + i, plan.in_channels - 1)) * area + tap_y * plan.filter_width + tap_x];
    channel += rows;
  }
}

/// Gradient rows that image rows first.. end - 1 see.
struct Rows {
  long first, end;
};
Rows gradient_rows(const ConvPlan& plan, long first, long end) {
  const long lowest = first + plan.padding_y - (plan.filter_height - 1) * plan.dilation_y, highest = end - 1 + plan.padding_y;
  const long from = lowest <= 0 ? 0 : lowest / plan.stride_y, to = highest < 0 ? 0 : highest / plan.stride_y + 1;
  return {std::min(from, plan.out_height), std::clamp(to, std::min(from, plan.out_height), plan.out_height)};
}

}  // namespace

void input_gradient_lanes(const ConvShape& s, const float* results_gradient, const float* filter, float* images_gradient) {
  const ConvPlan plan(s);
  const std::vector<ResidueClass> ys = residue_classes(plan.stride_y, plan.padding_y, plan.dilation_y, plan.filter_height);
  const std::vector<ResidueClass> xs = residue_classes(plan.stride_x, plan.padding_x, plan.dilation_x, plan.filter_width);
  const long padded_channels = cut_rows(plan.in_channels).padded_rows();
  // All classes together hold every tap once.
  const long group_floats = padded_channels * plan.out_channels * plan.filter_height * plan.filter_width;
  const Scratch packed(s.groups * group_floats);
  for (long group = 0; group < s.groups; ++group) {
    float* to = packed.data() + group * group_floats;
    for (const ResidueClass& y : ys)
      for (const ResidueClass& x : xs) {
        pack_class(plan, filter + group * plan.out_channels * plan.taps(), y, x, to);
        to += padded_channels * plan.out_channels * static_cast<long>(y.taps.size() * x.taps.size());
      }
  }

  // Bands begin at a multiple of the stride, so that classes keep their meaning inside a band.
  const long row_floats = kLanes * padded_channels * plan.in_width, fitting = std::max(1L, kBandFloats / row_floats) / plan.stride_y * plan.stride_y;
  const long band = std::clamp(fitting, plan.stride_y, (plan.in_height + plan.stride_y - 1) / plan.stride_y * plan.stride_y);
  const Index bands = (plan.in_height + band - 1) / band, blocks = (s.batch + kLanes - 1) / kLanes;
  parallel_for(blocks * s.groups * bands, s.flops(), [&](Index work) {
    const long first = static_cast<long>(work % bands) * band, end = std::min(plan.in_height, first + band);
    const Index part = work / bands, block = part / s.groups, group = part % s.groups;
    const long count = static_cast<long>(std::min<Index>(kLanes, s.batch - block * kLanes));
    const Rows rows = gradient_rows(plan, first, end);
    const Scratch source(kLanes * plan.out_channels * (rows.end - rows.first) * plan.out_width), target(kLanes * padded_channels * (end - first) * plan.in_width);
    const float* gradient = results_gradient + (block * kLanes * s.out_channels + group * plan.out_channels) * plan.pixels() + rows.first * plan.out_width;
    to_lanes(gradient, static_cast<long>(s.out_channels) * plan.pixels(), count, plan.out_channels, plan.pixels(), rows.end - rows.first, plan.out_width, source.data());

    const float* panel = packed.data() + group * group_floats;
    for (const ResidueClass& y : ys)
      for (const ResidueClass& x : xs) {
        LanesConvolution t{};
        t.source = source.data(), t.source_height = rows.end - rows.first, t.source_width = plan.out_width, t.channels = plan.out_channels;
        t.y = {y.origin + first / plan.stride_y - rows.first, 1, y.step, static_cast<long>(y.taps.size()), (end - first - y.residue + plan.stride_y - 1) / plan.stride_y};
        t.x = {x.origin, 1, x.step, static_cast<long>(x.taps.size()), (plan.in_width - x.residue + plan.stride_x - 1) / plan.stride_x};
        t.filter = panel, t.result_channels = plan.in_channels;
        t.result_pixel = kLanes * padded_channels * plan.stride_x, t.result_row = kLanes * padded_channels * plan.in_width * plan.stride_y;
        t.results = target.data() + kLanes * padded_channels * (y.residue * plan.in_width + x.residue);
        if (t.y.count > 0 && t.x.count > 0) convolve_lanes(t);
        panel += padded_channels * plan.out_channels * static_cast<long>(y.taps.size() * x.taps.size());
      }
    float* image = images_gradient + (block * kLanes * s.in_channels + group * plan.in_channels) * plan.in_height * plan.in_width + first * plan.in_width;
    from_lanes(target.data(), count, plan.in_channels, padded_channels, end - first, plan.in_width, image, static_cast<long>(s.in_channels) * plan.in_height * plan.in_width,
               plan.in_height * plan.in_width);
  });
}

}  // namespace gradbook::kernels
