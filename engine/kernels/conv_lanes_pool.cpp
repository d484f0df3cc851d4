// Convolution and max pool with eight images in the lanes: the pool compares whole vectors, no width wastes lanes, and of the
// convolution's results no more rows are kept than a window of the pool is high; where sums are short, none at all.
#include <algorithm>
#include <vector>

#include "kernels/conv_techniques.h"
#include "kernels/gemm_tile.h"
#include "kernels/lanes.h"
#include "kernels/larger.h"
#include "kernels/scratch.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

// As convolve_lanes() wants it; rows beyond the last channel repeat it.
void pack_filter(const ConvShape& s, const float* filter, float* packed) {
  const Index area = s.filter_height * s.filter_width, channels = s.group_in();
  const RowPanels cut = cut_rows(static_cast<long>(s.group_out()));
  for (long panel = 0, channel = 0; panel < cut.sixes + cut.fours; ++panel) {
    const long rows = panel < cut.sixes ? 6 : 4;
    for (Index tap = 0; tap < area; ++tap)
      for (Index in = 0; in < channels; ++in)
        for (long i = 0; i < rows; ++i) *packed++ = filter[(std::min<Index>(channel + i, s.group_out() - 1) * channels + in) * area + tap];
    channel += rows;
  }
}

/// Rows of the convolution's results: row r lies in slot r % count.
struct Ring {
  const float* rows;
  long count, row, pixel;  // floats from slot to slot, from pixel to pixel
};

// One row of pooled values and their places, [column][channel][8].
__attribute__((noinline)) void pool_row(const PoolShape& s, const Ring& ring, long channels, Index row, float* values, int32_t* places) {
  const Span ys = clip(row * s.stride_y - s.padding_y, s.window_height, s.dilation_y, s.in_height);
  for (Index column = 0; column < s.out_width; ++column) {
    const Span xs = clip(column * s.stride_x - s.padding_x, s.window_width, s.dilation_x, s.in_width);
    for (long lane = 0; lane < channels * kLanes; lane += 4, values += 4, places += 4) {
      Float4 best = load(ring.rows + ys.first % ring.count * ring.row + xs.first * ring.pixel + lane);
      Int4 best_at = splat(static_cast<int32_t>(ys.first * s.in_width + xs.first));
      for (Index y = ys.first; y < ys.end; y += s.dilation_y) {
        const float* line = ring.rows + y % ring.count * ring.row + lane;
        for (Index x = xs.first; x < xs.end; x += s.dilation_x) keep_larger(best, best_at, load(line + x * ring.pixel), splat(static_cast<int32_t>(y * s.in_width + x)));
      }
      store(values, best);
      store(places, best_at);
    }
  }
}

// The usual window: two by two, side by side, all inside. Columns are the outer loop so that the places are worked out once.
__attribute__((noinline)) void pool_row_two_by_two(const float* top, const float* bottom, long pixel, long columns, long channels, int32_t place, int32_t in_width, float* values, int32_t* places) {
  for (long column = 0; column < columns; ++column, top += 2 * pixel, bottom += 2 * pixel, place += 2) {
    const Int4 at[4] = {splat(place), splat(place + 1), splat(place + in_width), splat(place + in_width + 1)};
    for (long lane = 0; lane < channels * kLanes; lane += 4, values += 4, places += 4) {
      Float4 best = load(top + lane), lower = load(bottom + lane);
      Int4 best_at = at[0], lower_at = at[2];
      keep_larger(best, best_at, load(top + pixel + lane), at[1]);
      keep_larger(lower, lower_at, load(bottom + pixel + lane), at[3]);
      keep_larger(best, best_at, lower, lower_at);
      store(values, best);
      store(places, best_at);
    }
  }
}

// -- short sums --------------------------------------------------------------------------------------------------------

// With few taps, as in a first layer, storing results and loading them for the pool takes as long as the sums. Here the four sums
// of a window of two by two stay in registers, for two channels and four images, and what is under one tap is loaded once for both
// columns of the window.

/// Images in lanes with zeros around them, and the filter of one group.
struct Cells {
  long rows, columns, channels;  // of the images, with their zeros
  long filter_height, filter_width, out_channels;
  bool relu;
  int32_t out_width;
  long row_floats() const { return columns * channels * kLanes; }
};

// One row of pooled values and their places, of two channels and four images. `filter`: [tap y][channel][tap x][2].
__attribute__((noinline)) void pool_short_sums(const Cells& cells, const float* source, const float* filter, const float* bias, long count, int32_t place, float* values, int32_t* places, long step, long second) {
  const Cells t = cells;
  const long row = t.row_floats(), pixel = t.channels * kLanes;
  for (; count > 0; --count, source += 2 * pixel, place += 2, values += step, places += step) {
    Float4 sum[2][2][2];  // [channel][y][x]
    for (int c = 0; c < 2; ++c) sum[c][0][0] = sum[c][0][1] = sum[c][1][0] = sum[c][1][1] = load_splat(bias + c);
    const float* factors = filter;
    for (long y = 0; y < t.filter_height; ++y)
      for (long channel = 0; channel < t.channels; ++channel) {
        const float* p = source + y * row + channel * kLanes;
        Float4 top = load(p), bottom = load(p + row);
#pragma clang loop unroll_count(1)
        for (long x = 0; x < t.filter_width; ++x, factors += 2) {
          p += pixel;
          const Float4 next_top = load(p), next_bottom = load(p + row);
          for (int c = 0; c < 2; ++c) {
            const Float4 factor = load_splat(factors + c);
            sum[c][0][0] = madd(factor, top, sum[c][0][0]);
            sum[c][0][1] = madd(factor, next_top, sum[c][0][1]);
            sum[c][1][0] = madd(factor, bottom, sum[c][1][0]);
            sum[c][1][1] = madd(factor, next_bottom, sum[c][1][1]);
          }
          top = next_top;
          bottom = next_bottom;
        }
      }
    for (int c = 0; c < 2; ++c) {
      if (t.relu)
        for (int k = 0; k < 4; ++k) sum[c][k / 2][k % 2] = raise_to(sum[c][k / 2][k % 2], Float4{});
      Float4 best = sum[c][0][0], lower = sum[c][1][0];
      Int4 best_at = splat(place), lower_at = splat(place + t.out_width);
      keep_larger(best, best_at, sum[c][0][1], splat(place + 1));
      keep_larger(lower, lower_at, sum[c][1][1], splat(place + t.out_width + 1));
      keep_larger(best, best_at, lower, lower_at);
      store(values + c * second, best);
      store(places + c * second, best_at);
    }
  }
}

void forward_short_sums(const ConvShape& s, const PoolShape& pool, const float* images, const float* filter, const float* bias, bool relu, float* results, int32_t* places) {
  const long height = static_cast<long>(s.in_height), width = static_cast<long>(s.in_width), plane = height * width, top = static_cast<long>(s.padding_y), left = static_cast<long>(s.padding_x);
  const Cells cells{std::max(static_cast<long>(s.out_height + s.filter_height - 1), top + height), std::max(static_cast<long>(s.out_width + s.filter_width - 1), left + width), static_cast<long>(s.group_in()),
                    static_cast<long>(s.filter_height), static_cast<long>(s.filter_width), static_cast<long>(s.group_out()), relu, static_cast<int32_t>(s.out_width)};
  // Channels in pairs; a last one alone is paired with itself.
  const long steps = cells.filter_height * cells.filter_width * cells.channels, pairs = (cells.out_channels + 1) / 2, pooled_plane = static_cast<long>(pool.out_height * pool.out_width);
  const Scratch packed(s.groups * pairs * steps * 2), biases(s.groups * pairs * 2);
  float* to = packed.data();
  for (Index pair = 0; pair < s.groups * pairs; ++pair) {
    const auto channel_of = [&](long k) { return pair / pairs * s.group_out() + std::min(pair % pairs * 2 + k, s.group_out() - 1); };
    for (long y = 0; y < cells.filter_height; ++y)
      for (long in = 0; in < cells.channels; ++in)
        for (long x = 0; x < cells.filter_width; ++x)
          for (long k = 0; k < 2; ++k) *to++ = filter[((channel_of(k) * cells.channels + in) * cells.filter_height + y) * cells.filter_width + x];
    for (long k = 0; k < 2; ++k) biases.data()[2 * pair + k] = bias ? bias[channel_of(k)] : 0;
  }
  const Index blocks = (s.batch + kLanes - 1) / kLanes;
  parallel_for(blocks * s.groups, s.flops(), [&](Index work) {
    const Index block = work / s.groups, group = work % s.groups;
    const long count = static_cast<long>(std::min<Index>(kLanes, s.batch - block * kLanes));
    const Scratch source(cells.rows * cells.row_floats()), values(kLanes * 2 * pairs * pooled_plane), at(kLanes * 2 * pairs * pooled_plane);
    if (cells.rows * cells.columns != plane) std::fill(source.data(), source.data() + cells.rows * cells.row_floats(), 0.0f);
    for (long y = 0; y < height; ++y)
      to_lanes(images + (block * kLanes * s.in_channels + group * cells.channels) * plane + y * width, static_cast<long>(s.in_channels) * plane, count, cells.channels, plane, 1, width,
               source.data() + (top + y) * cells.row_floats() + left * cells.channels * kLanes);
    int32_t* const found = reinterpret_cast<int32_t*>(at.data());
    const long pixel = 2 * pairs * kLanes;
    for (long row = 0; row < pool.out_height; ++row)
      for (long pair = 0; pair < pairs; ++pair)
        for (long half = 0; half < kLanes; half += 4) {
          const long result = row * static_cast<long>(pool.out_width) * pixel + 2 * pair * kLanes + half;
          pool_short_sums(cells, source.data() + 2 * row * cells.row_floats() + half, packed.data() + (group * pairs + pair) * steps * 2, biases.data() + (group * pairs + pair) * 2, static_cast<long>(pool.out_width),
                          static_cast<int32_t>(2 * row * s.out_width), values.data() + result, found + result, pixel, kLanes);
        }
    const Index first = (block * kLanes * s.out_channels + group * cells.out_channels) * pooled_plane;
    const long image_step = static_cast<long>(s.out_channels) * pooled_plane;
    from_lanes(values.data(), count, cells.out_channels, 2 * pairs, static_cast<long>(pool.out_height), static_cast<long>(pool.out_width), results + first, image_step, pooled_plane);
    if (places) from_lanes(at.data(), count, cells.out_channels, 2 * pairs, static_cast<long>(pool.out_height), static_cast<long>(pool.out_width), reinterpret_cast<float*>(places) + first, image_step, pooled_plane);
  });
}

}  // namespace

bool serves_short_sums(const ConvShape& s, const PoolShape& pool) {
  constexpr Index kMostSteps = 32;  // beyond, the tiles of convolve_lanes() are quicker
  return is_two_by_two(pool) && s.stride_y == 1 && s.stride_x == 1 && s.dilation_y == 1 && s.dilation_x == 1 && s.group_in() * s.filter_height * s.filter_width <= kMostSteps;
}

void forward_lanes_max_pool(const ConvShape& s, const PoolShape& pool, const float* images, const float* filter, const float* bias, bool relu, float* results, int32_t* places) {
  if (serves_short_sums(s, pool)) return forward_short_sums(s, pool, images, filter, bias, relu, results, places);
  const long channels = static_cast<long>(s.group_in()), height = static_cast<long>(s.in_height), width = static_cast<long>(s.in_width), plane = height * width;
  const long out_channels = static_cast<long>(s.group_out()), padded_channels = cut_rows(out_channels).padded_rows(), pooled_plane = static_cast<long>(pool.out_height * pool.out_width);
  const Index group_filter = padded_channels * channels * s.filter_height * s.filter_width;
  const Scratch packed(s.groups * group_filter), biases(s.groups * padded_channels);
  for (Index group = 0; group < s.groups; ++group) {
    pack_filter(s, filter + group * out_channels * channels * s.filter_height * s.filter_width, packed.data() + group * group_filter);
    for (long i = 0; i < padded_channels; ++i) biases.data()[group * padded_channels + i] = bias && i < out_channels ? bias[group * out_channels + i] : 0;
  }
  // The rows under one window.
  const long slots = static_cast<long>((pool.window_height - 1) * pool.dilation_y + 1), pixel = padded_channels * kLanes, row_floats = static_cast<long>(s.out_width) * pixel;
  const bool two_by_two = is_two_by_two(pool);
  const Index blocks = (s.batch + kLanes - 1) / kLanes;
  parallel_for(blocks * s.groups, s.flops(), [&](Index work) {
    const Index block = work / s.groups, group = work % s.groups;
    const long count = static_cast<long>(std::min<Index>(kLanes, s.batch - block * kLanes));
    const Scratch source(kLanes * channels * plane), rows(slots * row_floats), values(kLanes * out_channels * pooled_plane), at(kLanes * out_channels * pooled_plane);
    to_lanes(images + (block * kLanes * s.in_channels + group * channels) * plane, static_cast<long>(s.in_channels) * plane, count, channels, plane, height, width, source.data());
    LanesConvolution t{};
    t.source = source.data(), t.source_height = height, t.source_width = width, t.channels = channels;
    t.x = {-static_cast<long>(s.padding_x), static_cast<long>(s.stride_x), static_cast<long>(s.dilation_x), static_cast<long>(s.filter_width), static_cast<long>(s.out_width)};
    t.filter = packed.data() + group * group_filter, t.result_channels = out_channels, t.bias = biases.data() + group * padded_channels, t.relu = relu;
    t.result_pixel = pixel, t.result_row = row_floats;
    int32_t* const found = reinterpret_cast<int32_t*>(at.data());
    long made = 0;  // rows of results so far
    for (long row = 0; row < pool.out_height; ++row) {
      const long last = std::min(row * static_cast<long>(pool.stride_y) - static_cast<long>(pool.padding_y) + slots, static_cast<long>(s.out_height));
      for (made = std::max(made, last - slots); made < last; ++made) {
        t.y = {made * static_cast<long>(s.stride_y) - static_cast<long>(s.padding_y), 1, static_cast<long>(s.dilation_y), static_cast<long>(s.filter_height), 1};
        t.results = rows.data() + made % slots * row_floats;
        convolve_lanes(t);
      }
      const long to = row * static_cast<long>(pool.out_width) * out_channels * kLanes;
      if (two_by_two) {
        pool_row_two_by_two(rows.data(), rows.data() + row_floats, pixel, static_cast<long>(pool.out_width), out_channels, static_cast<int32_t>(2 * row * s.out_width), static_cast<int32_t>(s.out_width),
                            values.data() + to, found + to);
      } else {
        pool_row(pool, {rows.data(), slots, row_floats, pixel}, out_channels, row, values.data() + to, found + to);
      }
    }
    const Index first = (block * kLanes * s.out_channels + group * out_channels) * pooled_plane;
    const long image_step = static_cast<long>(s.out_channels) * pooled_plane;
    from_lanes(values.data(), count, out_channels, out_channels, static_cast<long>(pool.out_height), static_cast<long>(pool.out_width), results + first, image_step, pooled_plane);
    if (places) from_lanes(at.data(), count, out_channels, out_channels, static_cast<long>(pool.out_height), static_cast<long>(pool.out_width), reinterpret_cast<float*>(places) + first, image_step, pooled_plane);
  });
}

}  // namespace gradbook::kernels
