// Filter gradient with four pixels in the lanes: a few channels (or filter rows) by a few filter columns are summed at once, and
// both operands are read in place. The lanes are added at the end of each block of images.
#include <algorithm>
#include <vector>

#include "kernels/conv_partial.h"
#include "kernels/conv_taps.h"
#include "kernels/conv_techniques.h"
#include "kernels/scratch.h"
#include "kernels/simd.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

/// One image, one input channel, one filter row. All pitches in floats.
struct RowsTask {
  const float* gradient;
  long gradient_plane;  // from one of the summed channels to the next (0: they are filter rows of one channel)
  const float* image;
  long image_row;       // from one output row's first tap to the next row's
  long image_line;      // from one of the summed filter rows to the next (0: they are channels)
  long tap;             // from one filter column to the next
  long rows, width;
  float* sums;          // [line][filter column][4 lanes]
  long sums_line;
};

// kLines output channels of one filter row, or kLines filter rows of one output channel, by kTaps filter columns. kStep: image
// floats from one pixel to the next, 1 or 2.
template <int kLines, int kTaps, bool kChannels, int kStep>
__attribute__((noinline)) void sum_rows(const RowsTask& task) {
  const RowsTask t = task;
  Float4 sum[kLines][kTaps];
  for (int i = 0; i < kLines; ++i)
    for (int k = 0; k < kTaps; ++k) sum[i][k] = load(t.sums + i * t.sums_line + 4 * k);
  const long whole = t.width / 4 * 4;
  // Behind the end of a row lies the next one, or nothing: both operands are cut to the row.
  const Int4 inside = Int4{0, 1, 2, 3} < static_cast<int32_t>(t.width - whole);
  const auto read_image = [](const float* p) { return kStep == 1 ? load(p) : even_lanes(load(p), load(p + 4)); };
  const auto add = [&](const float* g, const float* p, auto cut) {
    if constexpr (kChannels) {
      Float4 grad[kLines];
      for (int i = 0; i < kLines; ++i) grad[i] = cut(load(g + i * t.gradient_plane));
      for (int k = 0; k < kTaps; ++k) {
        const Float4 pixel = cut(read_image(p + k * t.tap));
        for (int i = 0; i < kLines; ++i) sum[i][k] = madd(grad[i], pixel, sum[i][k]);
      }
    } else {
      const Float4 grad = cut(load(g));
      for (int i = 0; i < kLines; ++i)
        for (int k = 0; k < kTaps; ++k) sum[i][k] = madd(grad, cut(read_image(p + i * t.image_line + k * t.tap)), sum[i][k]);
    }
  };
  const float *gradient = t.gradient, *image = t.image;
  for (long row = 0; row < t.rows; ++row, gradient += t.width, image += t.image_row) {
#pragma clang loop unroll_count(1)
    for (long x = 0; x < whole; x += 4) add(gradient + x, image + x * kStep, [](Float4 v) { return v; });
    if (whole < t.width) add(gradient + whole, image + whole * kStep, [=](Float4 v) { return keep_where(inside, v); });
  }
  for (int i = 0; i < kLines; ++i)
    for (int k = 0; k < kTaps; ++k) store(t.sums + i * t.sums_line + 4 * k, sum[i][k]);
}

long most_lines(long taps) { return taps >= 4 ? 2 : 3; }

template <bool kChannels, int kStep>
void sum_rows_of(const RowsTask& t, long lines, long taps) {
  using Function = void (*)(const RowsTask&);
  // Filter rows are many or three: two of them are not worth their code.
  constexpr int kTwo = kChannels ? 2 : 1;
  if (lines > 1 && lines < most_lines(taps) && !kChannels) {
    RowsTask each = t;
    for (long i = 0; i < lines; ++i, each.image += t.image_line, each.sums += t.sums_line) sum_rows_of<kChannels, kStep>(each, 1, taps);
    return;
  }
  static constexpr Function kFunctions[4][3] = {{sum_rows<1, 1, kChannels, kStep>, sum_rows<kTwo, 1, kChannels, kStep>, sum_rows<3, 1, kChannels, kStep>},
                                                {sum_rows<1, 2, kChannels, kStep>, sum_rows<kTwo, 2, kChannels, kStep>, sum_rows<3, 2, kChannels, kStep>},
                                                {sum_rows<1, 3, kChannels, kStep>, sum_rows<kTwo, 3, kChannels, kStep>, sum_rows<3, 3, kChannels, kStep>},
                                                {sum_rows<1, 5, kChannels, kStep>, sum_rows<2, 5, kChannels, kStep>, nullptr}};
  kFunctions[std::min(taps - 1, 3L)][lines - 1](t);
}

// `total` cut into nearly equal parts of at most `most`: calls use(first, count).
template <class Use>
void for_parts(long total, long most, Use use) {
  const long parts = (total + most - 1) / most;
  for (long part = 0; part < parts; ++part) {
    const long first = total * part / parts;
    use(first, total * (part + 1) / parts - first);
  }
}

void add_image(const ConvPlan& plan, const ImageView& view, const float* gradient, float* sums) {
  const long taps = plan.taps(), area = plan.filter_height * plan.filter_width;
  RowsTask t{};
  t.gradient_plane = plan.pixels(), t.image_row = plan.stride_y * view.row, t.tap = plan.dilation_x, t.rows = plan.out_height, t.width = plan.out_width;
  const bool by_channels = plan.out_channels > 1;
  for (long in = 0; in < plan.in_channels; ++in)
    // Five, or up to three: four at once are not worth their code.
    for_parts(plan.filter_width, plan.filter_width % 5 == 0 ? 5 : 3, [&](long x, long columns) {
      const float* image = view.data + in * view.plane + x * plan.dilation_x;
      float* to = sums + 4 * (in * area + x);
      if (by_channels) {
        for_parts(plan.out_channels, most_lines(columns), [&](long channel, long lines) {
          for (long y = 0; y < plan.filter_height; ++y) {
            t.gradient = gradient + channel * t.gradient_plane, t.image = image + y * plan.dilation_y * view.row;
            t.sums = to + 4 * (channel * taps + y * plan.filter_width), t.sums_line = 4 * taps;
            sum_rows_of<true, 1>(t, lines, columns);
          }
        });
      } else {
        for_parts(plan.filter_height, most_lines(columns), [&](long y, long lines) {
          t.gradient = gradient, t.image = image + y * plan.dilation_y * view.row, t.image_line = plan.dilation_y * view.row;
          t.sums = to + 4 * y * plan.filter_width, t.sums_line = 4 * plan.filter_width;
          (plan.stride_x == 1 ? sum_rows_of<false, 1> : sum_rows_of<false, 2>)(t, lines, columns);
        });
      }
    });
}

}  // namespace

void filter_gradient_direct(const ConvShape& s, const float* images, const float* results_gradient, float* filter_gradient) {
  const ConvPlan plan(s);
  const Index blocks = filter_gradient_blocks(s), images_per_block = (s.batch + blocks - 1) / blocks;
  const long floats = plan.out_channels * plan.taps();
  const Scratch partial(blocks * filter_floats(s));
  parallel_for(blocks * s.groups, s.flops(), [&](Index block) {
    const Index image_block = block / s.groups, group = block % s.groups;
    const Scratch padded(plan.view_floats(plan.out_height)), sums(4 * floats);
    std::fill(sums.data(), sums.data() + 4 * floats, 0.0f);
    for (Index image = image_block * images_per_block; image < std::min(s.batch, (image_block + 1) * images_per_block); ++image) {
      const float* source = images + (image * s.in_channels + group * plan.in_channels) * plan.in_height * plan.in_width;
      const ImageView view = plan.view(source, 0, plan.out_height, plan.out_height, padded.data());
      add_image(plan, view, results_gradient + (image * s.out_channels + group * plan.out_channels) * plan.pixels(), sums.data());
    }
    float* target = partial.data() + image_block * filter_floats(s) + group * floats;
    for (long i = 0; i < floats; ++i) target[i] = lane_sum(load(sums.data() + 4 * i));
  });
  add_partial_filters(s, blocks, partial.data(), filter_gradient);
}

}  // namespace gradbook::kernels
