// Filter gradient as a product over pixels: gradient[channel][pixel] * image[tap][pixel], both packed with the pixels as steps.
// Blocks of images give partial sums, which are added in a fixed tree.
#include <algorithm>
#include <vector>

#include "kernels/conv_partial.h"
#include "kernels/conv_taps.h"
#include "kernels/conv_techniques.h"
#include "kernels/gemm_pack.h"
#include "kernels/scratch.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

constexpr long kSteps = 256;  // pixels of one pass: a panel of them stays in L1

/// Neighbouring rows of one image that a pass covers.
struct Segment {
  ImageView view;
  const float* gradient;  // at the first pixel, channel 0 of the group
  long rows, steps;
};

struct Pass {
  const ConvPlan& plan;
  const std::vector<Segment>& segments;
  const long* tap_offsets;
  long steps;  // of all segments
};

// Lines first.. of one operand into one panel: output channels from the gradient, or taps from the image.
template <int kWidth>
void pack_channels(const Pass& p, long first, float* panel) {
  for (const Segment& segment : p.segments) {
    const float* source = segment.gradient + first * p.plan.pixels();
    pack_panel<kWidth>(source, p.plan.pixels(), 1, std::min<long>(kWidth, p.plan.out_channels - first), segment.steps, panel);
    panel += kWidth * segment.steps;
  }
}
template <int kWidth>
void pack_filter_taps(const Pass& p, long first, long end, float* panel) {
  for (const Segment& segment : p.segments) {
    pack_taps<kWidth>(segment.view.data, p.plan.stride_y * segment.view.row, segment.rows, p.plan.stride_x, p.plan.out_width, p.tap_offsets + first,
                      std::min<long>(kWidth, end - first), panel);
    panel += kWidth * segment.steps;
  }
}

/// Which operand is cut into panels of 6 and 4 lines, and which into panels of 8: whatever wastes less.
struct Roles {
  bool channels_are_rows;
  RowPanels cut;
  long columns;  // padded to 8
};
Roles choose_roles(long channels, long taps) {
  const auto area = [](long rows, long columns) { return cut_rows(rows).padded_rows() * ((columns + 7) / 8 * 8); };
  const bool channels_are_rows = area(channels, taps) <= area(taps, channels);
  return {channels_are_rows, cut_rows(channels_are_rows ? channels : taps), ((channels_are_rows ? taps : channels) + 7) / 8 * 8};
}

// One pass: sums[row][column] (+)= product of the packed panels. Taps first_tap..end_tap only.
void multiply_pass(const Pass& p, const Roles& roles, long first_tap, long end_tap, float* rows, float* columns, float* sums, bool add) {
  float* panel = rows;
  long line = 0;
  const auto pack_row_panel = [&]<int kWidth>() {
    if (roles.channels_are_rows) {
      pack_channels<kWidth>(p, line, panel);
    } else {
      pack_filter_taps<kWidth>(p, first_tap + line, end_tap, panel);
    }
    line += kWidth, panel += kWidth * p.steps;
  };
  for (long six = 0; six < roles.cut.sixes; ++six) pack_row_panel.operator()<6>();
  for (long four = 0; four < roles.cut.fours; ++four) pack_row_panel.operator()<4>();

  for (long column = 0; column < roles.columns; column += 8) {
    if (roles.channels_are_rows) {
      pack_filter_taps<8>(p, first_tap + column, end_tap, columns);
    } else {
      pack_channels<8>(p, column, columns);
    }
    const float* a = rows;
    float* to = sums + column;
    for (long six = 0; six < roles.cut.sixes; ++six, a += 6 * p.steps, to += 6 * roles.columns) multiply_tile<6>(p.steps, a, columns, 8, to, roles.columns, add);
    for (long four = 0; four < roles.cut.fours; ++four, a += 4 * p.steps, to += 4 * roles.columns) multiply_tile<4>(p.steps, a, columns, 8, to, roles.columns, add);
  }
}

/// Passes over the images first.. end - 1 of a group: whole images together when they are small, else rows of one.
template <class Use>
void for_passes(const ConvShape& s, const ConvPlan& plan, Index group, Index first, Index end, const float* images, const float* gradient, const long* tap_offsets, long view_rows,
                Use use) {
  const long whole = std::max(1L, kSteps / std::max(1L, plan.pixels()));  // images per pass
  const Scratch padded(whole * plan.view_floats(view_rows));
  std::vector<Segment> segments;
  for (Index image = first; image < end; image += whole) {
    const Index stop = std::min(end, image + whole);
    for (long row = 0; row < plan.out_height; row += view_rows) {
      const long rows = std::min(view_rows, plan.out_height - row);
      segments.clear();
      for (Index i = image; i < stop; ++i) {
        const float* source = images + (i * s.in_channels + group * plan.in_channels) * plan.in_height * plan.in_width;
        float* copy = padded.data() + (i - image) * plan.view_floats(view_rows);
        segments.push_back({plan.view(source, row, rows, view_rows, copy), gradient + (i * s.out_channels + group * plan.out_channels) * plan.pixels() + row * plan.out_width, rows,
                            rows * plan.out_width});
      }
      use(Pass{plan, segments, tap_offsets, static_cast<long>(stop - image) * rows * plan.out_width});
    }
  }
}

}  // namespace

void filter_gradient_packed(const ConvShape& s, const float* images, const float* results_gradient, float* filter_gradient) {
  const ConvPlan plan(s);
  const long taps = plan.taps();
  const Index image_blocks = filter_gradient_blocks(s);
  // Few blocks of images (large filters): the taps are shared out too.
  const long tap_blocks = image_blocks * s.groups >= 8 ? 1 : std::clamp(static_cast<long>(8 / (image_blocks * s.groups)), 1L, (taps + 95) / 96);
  const long taps_per_block = ((taps + tap_blocks - 1) / tap_blocks + 7) / 8 * 8;
  const Index images_per_block = (s.batch + image_blocks - 1) / image_blocks;
  const long view_rows = std::clamp(kSteps / std::max(1L, plan.out_width), 1L, plan.out_height);
  std::vector<long> offsets(static_cast<size_t>(taps));
  plan.tap_offsets(view_rows, offsets.data());

  const Scratch partial(image_blocks * filter_floats(s));
  parallel_for(image_blocks * s.groups * tap_blocks, s.flops(), [&](Index block) {
    const long first_tap = static_cast<long>(block % tap_blocks) * taps_per_block, end_tap = std::min(taps, first_tap + taps_per_block);
    if (first_tap >= end_tap) return;
    const Index part = block / tap_blocks, group = part % s.groups, image_block = part / s.groups;
    const Roles roles = choose_roles(plan.out_channels, end_tap - first_tap);
    const long most_steps = std::max(kSteps, view_rows * plan.out_width);
    const Scratch rows((roles.cut.padded_rows()) * most_steps + 32), columns(8 * most_steps + 32), sums(roles.cut.padded_rows() * roles.columns);
    bool add = false;
    const Index first = image_block * images_per_block, end = std::min(s.batch, first + images_per_block);
    for_passes(s, plan, group, first, end, images, results_gradient, offsets.data(), view_rows, [&](const Pass& pass) {
      multiply_pass(pass, roles, first_tap, end_tap, rows.data(), columns.data(), sums.data(), add);
      add = true;
    });
    float* target = partial.data() + image_block * filter_floats(s) + group * plan.out_channels * taps;
    for (long channel = 0; channel < plan.out_channels; ++channel)
      for (long tap = first_tap; tap < end_tap; ++tap) {
        const long row = roles.channels_are_rows ? channel : tap - first_tap, column = roles.channels_are_rows ? tap - first_tap : channel;
        target[channel * taps + tap] = add ? sums.data()[row * roles.columns + column] : 0.0f;
      }
  });
  add_partial_filters(s, image_blocks, partial.data(), filter_gradient);
}

}  // namespace gradbook::kernels
