// Forward convolution that reads eight neighbouring pixels of a row in place: no packing, so it wins where a packed pixel would
// serve only a few output channels.
#include <algorithm>

#include "kernels/conv_taps.h"
#include "kernels/conv_techniques.h"
#include "kernels/gemm_pack.h"
#include "kernels/scratch.h"
#include "kernels/simd.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

/// What the row loop needs: pitches in floats, counts, and the packed filter of one panel of output channels.
struct RowTask {
  const float* image;
  long row_step;                 // from one output row's first tap to the next row's
  long plane, tap_row, tap;      // from one channel, filter row, filter column to the next
  long channels, filter_height, filter_width;
  long rows, width;
  const float* filter;           // [channel][filter row][filter column][kRows]
  float bias[6];
  bool relu;
  float* results;
  long out_row, out_plane;
};

// kRows channels by kVectors * 4 pixels, at one place.
template <int kRows, int kVectors>
GRADBOOK_INLINE void direct_tile(const RowTask& t, const float* image, float* out) {
  Float4 sum[kRows][kVectors];
  for (int i = 0; i < kRows; ++i)
    for (int v = 0; v < kVectors; ++v) sum[i][v] = splat(t.bias[i]);
  const float* filter = t.filter;
  for (long channel = 0; channel < t.channels; ++channel, image += t.plane) {
    const float* row = image;
    for (long y = 0; y < t.filter_height; ++y, row += t.tap_row) {
      const float* p = row;
#pragma clang loop unroll_count(1)
      for (long x = 0; x < t.filter_width; ++x) {
        Float4 pixel[kVectors];
        for (int v = 0; v < kVectors; ++v) pixel[v] = load(p + 4 * v);
        for (int i = 0; i < kRows; ++i) {
          const Float4 factor = load_splat(filter + i);
          for (int v = 0; v < kVectors; ++v) sum[i][v] = madd(factor, pixel[v], sum[i][v]);
        }
        p += t.tap;
        filter += kRows;
      }
    }
  }
  for (int i = 0; i < kRows; ++i)
    for (int v = 0; v < kVectors; ++v) {
      const Float4 value = t.relu ? raise_to(sum[i][v], Float4{}) : sum[i][v];
      store(out + i * t.out_plane + 4 * v, value);
    }
}

template <int kRows>
__attribute__((noinline)) void direct_rows_of_eight(const RowTask& task, long first, long count) {
  const RowTask t = task;
  for (long row = 0; row < t.rows; ++row)
    for (long x = first; x < first + 8 * count; x += 8) direct_tile<kRows, 2>(t, t.image + row * t.row_step + x, t.results + row * t.out_row + x);
}

template <int kRows>
__attribute__((noinline)) void direct_rows_of_four(const RowTask& task, long x) {
  const RowTask t = task;
  for (long row = 0; row < t.rows; ++row) direct_tile<kRows, 1>(t, t.image + row * t.row_step + x, t.results + row * t.out_row + x);
}

// A row is covered by tiles of 8 and at most one of 4; the last tile overlaps its neighbour when the width asks for it, and
// writes the same numbers there again.
template <int kRows>
void direct_rows(const RowTask& t) {
  const long eights = t.width / 8, rest = t.width % 8;
  if (eights > 0) direct_rows_of_eight<kRows>(t, 0, eights);
  if (rest == 0) return;
  if (rest <= 4) {
    direct_rows_of_four<kRows>(t, t.width - 4);
  } else if (eights > 0) {
    direct_rows_of_eight<kRows>(t, t.width - 8, 1);
  } else {
    direct_rows_of_four<kRows>(t, 0);
    direct_rows_of_four<kRows>(t, t.width - 4);
  }
}

}  // namespace

void forward_direct(const ConvShape& s, const float* images, const float* filter, const float* bias, bool relu, const Results& results) {
  const ConvPlan plan(s);
  const long taps = plan.taps(), rows = static_cast<long>(results.rows(s));
  const RowPanels cut = cut_rows(plan.out_channels);
  const long padded_channels = cut.padded_rows();
  const Scratch packed(s.groups * padded_channels * taps);
  for (long group = 0; group < s.groups; ++group)
    pack_rows(filter + group * plan.out_channels * taps, taps, 1, plan.out_channels, cut, taps, packed.data() + group * padded_channels * taps);

  const Index row_blocks = (s.out_height + rows - 1) / rows;
  parallel_for(s.batch * s.groups * row_blocks, s.flops(), [&](Index block) {
    const long first_row = static_cast<long>(block % row_blocks) * rows, count = std::min(rows, plan.out_height - first_row);
    const Index part = block / row_blocks, image = part / s.groups, group = part % s.groups;
    const Scratch padded(plan.view_floats(rows)), own(results.scratch_floats(s));
    const float* source = images + (image * s.in_channels + group * plan.in_channels) * plan.in_height * plan.in_width;
    const ImageView view = plan.view(source, first_row, count, rows, padded.data());
    RowTask t{};
    t.image = view.data, t.row_step = plan.stride_y * view.row, t.plane = view.plane, t.tap_row = plan.dilation_y * view.row, t.tap = plan.dilation_x;
    t.channels = plan.in_channels, t.filter_height = plan.filter_height, t.filter_width = plan.filter_width;
    t.rows = count, t.width = plan.out_width, t.relu = relu, t.out_row = plan.out_width, t.out_plane = plan.pixels();
    const Index first_plane = image * s.out_channels + group * plan.out_channels;
    float* target = results.begin(s, first_plane, own.data()) + first_row * plan.out_width;
    // Padding channels of the last panel would be written past the last channel: they go to a place of their own.
    const Scratch spare(padded_channels == plan.out_channels ? 0 : 6 * plan.pixels());
    const auto run = [&](long channel, long panel_rows, auto direct) {
      for (long i = 0; i < panel_rows; ++i) t.bias[i] = bias && channel + i < plan.out_channels ? bias[group * plan.out_channels + channel + i] : 0.0f;
      t.filter = packed.data() + (group * padded_channels + channel) * taps;
      const long real = std::min(panel_rows, plan.out_channels - channel);
      t.results = real == panel_rows ? target + channel * t.out_plane : spare.data();
      direct(t);
      if (real < panel_rows)
        for (long i = 0; i < real; ++i)
          for (long row = 0; row < count; ++row)
            std::copy_n(spare.data() + i * t.out_plane + row * t.out_row, t.width, target + (channel + i) * t.out_plane + row * t.out_row);
    };
    long channel = 0;
    for (long six = 0; six < cut.sixes; ++six, channel += 6) run(channel, 6, direct_rows<6>);
    for (long four = 0; four < cut.fours; ++four, channel += 4) run(channel, 4, direct_rows<4>);
    results.finish(s, first_plane, own.data());
  });
}

}  // namespace gradbook::kernels
