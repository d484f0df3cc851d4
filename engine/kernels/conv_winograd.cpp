// Convolution with filters of 3 x 3 and max pool with fewer multiplications: Winograd's F(2 x 2, 3 x 3) as in Lavin and Gray, "Fast
// Algorithms for Convolutional Neural Networks" (2016), with eight images in the lanes. Sixteen products give the four results that
// take 36 as sums of taps. A tile of 2 x 2 results is a cell of the pool, so no result of the convolution is ever stored.
// Each result is made of what lies under its own filter and of nothing else, so its rounding is that of plain sums, and a NaN of an
// image reaches no further; but an infinity becomes NaN where terms of both signs meet.
#include <algorithm>

#include "kernels/conv_techniques.h"
#include "kernels/lanes.h"
#include "kernels/larger.h"
#include "kernels/scratch.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

constexpr long kPositions = 16;           // of a tile: places of its 4 x 4 pixels, and products per channel
constexpr long kBiasPosition = 5;         // the product that all four results contain once
constexpr long kRows = 4;                 // output channels of a panel; six take longer here, where sums are only as long as there are channels
constexpr long kTileFloats = 4096;        // of the tiles that are worked on together: half of L1
constexpr long kBandFloats = 128 * 1024;  // of lanes that one band of rows of tiles works on, about: large images are shared by threads

long panels_of(const ConvShape& s) { return static_cast<long>((s.group_out() + kRows - 1) / kRows); }

// G g G^T with the rows (1 0 0), (1 1 1) / 2, (1 -1 1) / 2, (0 0 1) of G; `to` + position * step.
void transform_filter(const float* g, float* to, long step) {
  double half[4][3];
  for (int x = 0; x < 3; ++x) {
    const double a = static_cast<double>(g[x]), b = static_cast<double>(g[3 + x]), c = static_cast<double>(g[6 + x]);
    half[0][x] = a, half[1][x] = (a + c + b) / 2, half[2][x] = (a + c - b) / 2, half[3][x] = c;
  }
  for (const auto& [a, b, c] : half)
    for (const double value : {a, (a + c + b) / 2, (a + c - b) / 2, c}) {
      *to = static_cast<float>(value);
      to += step;
    }
}

// The filter of one group in panels, each [position][what sums begin with, then each channel][kRows]; rows beyond the last channel
// repeat it.
void pack_filter(const ConvShape& s, const float* filter, const float* bias, float* packed) {
  const long channels = static_cast<long>(s.group_in()), step = (1 + channels) * kRows;
  for (long row = 0; row < panels_of(s) * kRows; ++row) {
    const Index out = std::min<Index>(row, s.group_out() - 1);
    float* const to = packed + row / kRows * kPositions * step + row % kRows;
    for (long position = 0; position < kPositions; ++position) to[position * step] = bias && position == kBiasPosition ? bias[out] : 0.0f;
    for (long in = 0; in < channels; ++in) transform_filter(filter + (out * channels + in) * 9, to + (1 + in) * kRows, step);
  }
}

// B^T d B with the rows (1 0 -1 0), (0 1 1 0), (0 -1 1 0), (0 1 0 -1) of B^T, for `count` tiles side by side: [tile][position][channel][8].
__attribute__((noinline)) void transform_tiles(const float* source, long row, long pixel, long count, float* to) {
  for (; count > 0; --count, source += 2 * pixel, to += (kPositions - 1) * pixel)
    for (long lane = 0; lane < pixel; lane += 4, to += 4) {
      const float* p = source + lane;
      Float4 second[4], third[4];
      const auto put = [&](long position, Float4 a, Float4 b, Float4 c, Float4 d) {
        float* at = to + position * pixel;
        store(at, a - c);
        store(at + pixel, b + c);
        store(at + 2 * pixel, c - b);
        store(at + 3 * pixel, b - d);
      };
      for (int x = 0; x < 4; ++x) second[x] = load(p + row + x * pixel), third[x] = load(p + 2 * row + x * pixel);
      put(0, load(p) - third[0], load(p + pixel) - third[1], load(p + 2 * pixel) - third[2], load(p + 3 * pixel) - third[3]);
      put(4, second[0] + third[0], second[1] + third[1], second[2] + third[2], second[3] + third[3]);
      put(8, third[0] - second[0], third[1] - second[1], third[2] - second[2], third[3] - second[3]);
      p += 3 * row;
      put(12, second[0] - load(p), second[1] - load(p + pixel), second[2] - load(p + 2 * pixel), second[3] - load(p + 3 * pixel));
    }
}

// The products of one tile and one panel of channels: [position][kRows][8].
__attribute__((noinline)) void multiply_positions(long channels, const float* tile, const float* factors, float* products) {
  for (long position = 0; position < kPositions; ++position, products += kRows * kLanes) {
    Float4 sum[kRows][2];
    for (int i = 0; i < kRows; ++i) sum[i][0] = sum[i][1] = load_splat(factors + i);
    factors += kRows;
#pragma clang loop unroll_count(1)
    for (const float* const end = tile + channels * kLanes; tile != end; tile += kLanes) {
      const Float4 left = load(tile), right = load(tile + 4);
      for (int i = 0; i < kRows; ++i) {
        const Float4 factor = load_splat(factors + i);
        sum[i][0] = madd(factor, left, sum[i][0]);
        sum[i][1] = madd(factor, right, sum[i][1]);
      }
      factors += kRows;
    }
    for (int i = 0; i < kRows; ++i) {
      store(products + i * kLanes, sum[i][0]);
      store(products + i * kLanes + 4, sum[i][1]);
    }
  }
}

// A^T m A with the rows (1 1 1 0), (0 1 -1 -1) of A^T, and the largest of the four results with its place, of each channel.
__attribute__((noinline)) void pool_tile(const float* products, long channels, bool relu, int32_t place, int32_t width, float* values, int32_t* places) {
  constexpr long step = kRows * kLanes;  // from one position to the next
  for (; channels > 0; --channels)
    for (int half = 0; half < 2; ++half, products += 4, values += 4, places += 4) {
      Float4 top[4], bottom[4];
      for (int x = 0; x < 4; ++x) {
        const float* p = products + x * step;
        const Float4 b = load(p + 4 * step), c = load(p + 8 * step);
        top[x] = load(p) + (b + c);
        bottom[x] = (b - c) - load(p + 12 * step);
      }
      Float4 best = top[0] + (top[1] + top[2]), best_right = (top[1] - top[2]) - top[3];
      Float4 lower = bottom[0] + (bottom[1] + bottom[2]), lower_right = (bottom[1] - bottom[2]) - bottom[3];
      if (relu) {
        best = raise_to(best, Float4{}), best_right = raise_to(best_right, Float4{});
        lower = raise_to(lower, Float4{}), lower_right = raise_to(lower_right, Float4{});
      }
      Int4 best_at = splat(place), lower_at = splat(place + width);
      keep_larger(best, best_at, best_right, splat(place + 1));
      keep_larger(lower, lower_at, lower_right, splat(place + width + 1));
      keep_larger(best, best_at, lower, lower_at);
      store(values, best);
      store(places, best_at);
    }
}

}  // namespace

bool serves_winograd(const ConvShape& s, const PoolShape& pool) {
  return is_two_by_two(pool) && s.filter_height == 3 && s.filter_width == 3 && s.stride_y == 1 && s.stride_x == 1 && s.dilation_y == 1 && s.dilation_x == 1;
}

void forward_winograd_max_pool(const ConvShape& s, const PoolShape& pool, const float* images, const float* filter, const float* bias, bool relu, float* results, int32_t* places) {
  const long channels = static_cast<long>(s.group_in()), out_channels = static_cast<long>(s.group_out()), plane = static_cast<long>(s.in_height * s.in_width);
  const long across = static_cast<long>(pool.out_width), down = static_cast<long>(pool.out_height), pooled_plane = down * across;
  const long panels = panels_of(s), panel_floats = kPositions * (1 + channels) * kRows, group_filter = panels * panel_floats;
  const Scratch packed(s.groups * group_filter);
  for (Index group = 0; group < s.groups; ++group)
    pack_filter(s, filter + group * out_channels * channels * 9, bias ? bias + group * out_channels : nullptr, packed.data() + group * group_filter);
  // The images with zeros around them, as far as windows reach, in bands of rows of tiles.
  const long top = static_cast<long>(s.padding_y), left = static_cast<long>(s.padding_x), height = static_cast<long>(s.in_height), columns = 2 * across + 2;
  const long width = std::clamp(columns - left, 0L, static_cast<long>(s.in_width));
  const long pixel = channels * kLanes, row = columns * pixel, tile = kPositions * pixel, together = std::clamp(kTileFloats / tile, 1L, across);
  const long band = std::clamp((kBandFloats / row - 2) / 2, 1L, down);
  const Index bands = (down + band - 1) / band, blocks = (s.batch + kLanes - 1) / kLanes;
  parallel_for(blocks * s.groups * bands, s.flops(), [&](Index work) {
    const Index part = work / bands, block = part / s.groups, group = part % s.groups;
    const long begin = static_cast<long>(work % bands) * band, tile_rows = std::min(band, down - begin), rows = 2 * tile_rows + 2, origin = 2 * begin - top;
    const long count = static_cast<long>(std::min<Index>(kLanes, s.batch - block * kLanes));
    const Scratch source(rows * row), values(kLanes * out_channels * tile_rows * across), at(kLanes * out_channels * tile_rows * across), tiles(together * tile), products(kPositions * kRows * kLanes);
    const long from = std::clamp(-origin, 0L, rows), end = std::clamp(height - origin, from, rows);  // rows of the image among them
    if (end - from < rows || width < columns) std::fill(source.data(), source.data() + rows * row, 0.0f);
    for (long y = from; y < end; ++y)
      to_lanes(images + (block * kLanes * s.in_channels + group * channels) * plane + (origin + y) * static_cast<long>(s.in_width), static_cast<long>(s.in_channels) * plane, count, channels, plane, 1, width,
               source.data() + y * row + left * pixel);
    int32_t* const found = reinterpret_cast<int32_t*>(at.data());
    for (long y = 0; y < tile_rows; ++y)
      for (long first = 0; first < across; first += together) {
        const long tile_count = std::min(together, across - first);
        transform_tiles(source.data() + 2 * y * row + 2 * first * pixel, row, pixel, tile_count, tiles.data());
        for (long panel = 0; panel < panels; ++panel)
          for (long x = first; x < first + tile_count; ++x) {
            multiply_positions(channels, tiles.data() + (x - first) * tile, packed.data() + group * group_filter + panel * panel_floats, products.data());
            const long to = ((y * across + x) * out_channels + panel * kRows) * kLanes;
            pool_tile(products.data(), std::min(kRows, out_channels - panel * kRows), relu, static_cast<int32_t>(2 * ((begin + y) * s.out_width + x)), static_cast<int32_t>(s.out_width), values.data() + to, found + to);
          }
      }
    const Index first = (block * kLanes * s.out_channels + group * out_channels) * pooled_plane + begin * across;
    const long image_step = static_cast<long>(s.out_channels) * pooled_plane;
    from_lanes(values.data(), count, out_channels, out_channels, tile_rows, across, results + first, image_step, pooled_plane);
    if (places) from_lanes(at.data(), count, out_channels, out_channels, tile_rows, across, reinterpret_cast<float*>(places) + first, image_step, pooled_plane);
  });
}

}  // namespace gradbook::kernels
