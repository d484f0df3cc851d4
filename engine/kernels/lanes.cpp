#include "kernels/lanes.h"

#include <algorithm>

#include "kernels/gemm_tile.h"
#include "kernels/simd.h"

namespace gradbook::kernels {
namespace {

/// Taps first..end - 1 lie inside a source of `size`.
struct Range {
  long first, end;
};
Range inside(const LanesConvolution::Direction& d, long at, long size) {
  // Nearly all pixels; and divisions take as long as a small filter.
  if (at >= 0 && at + (d.taps - 1) * d.step < size) return {0, d.taps};
  const long first = at < 0 ? (-at + d.step - 1) / d.step : 0;
  const long end = at >= size ? 0 : (size - at + d.step - 1) / d.step;
  return {first, std::min(end, d.taps)};
}

template <int kRows>
__attribute__((noinline)) void convolve_row(const LanesConvolution& task, const float* panel, const float* bias, long row, float* out) {
  const LanesConvolution t = task;
  const long pixel_floats = t.channels * kLanes, source_y = t.y.origin + row * t.y.stride;
  const Range ys = inside(t.y, source_y, t.source_height);
  for (long column = 0; column < t.x.count; ++column, out += t.result_pixel) {
    const long source_x = t.x.origin + column * t.x.stride;
    const Range xs = inside(t.x, source_x, t.source_width);
    // Neighbouring taps and their channels are one run when they lie side by side.
    const long taps = std::max(0L, xs.end - xs.first), runs = t.x.step == 1 ? std::min(taps, 1L) : taps, steps = t.x.step == 1 ? taps * t.channels : t.channels;
    Float4 sum[kRows][2];
    for (int i = 0; i < kRows; ++i) sum[i][0] = sum[i][1] = bias ? load_splat(bias + i) : Float4{};
    for (long y = ys.first; y < ys.end; ++y) {
      const float* line = t.source + ((source_y + y * t.y.step) * t.source_width + source_x + xs.first * t.x.step) * pixel_floats;
      const float* factors = panel + (y * t.x.taps + xs.first) * t.channels * kRows;
      for (long run = 0; run < runs; ++run, line += t.x.step * pixel_floats) {
        const float* p = line;
#pragma clang loop unroll_count(1)
        for (long step = 0; step < steps; ++step) {
          const Float4 left = load(p), right = load(p + 4);
          for (int i = 0; i < kRows; ++i) {
            const Float4 factor = load_splat(factors + i);
            sum[i][0] = madd(factor, left, sum[i][0]);
            sum[i][1] = madd(factor, right, sum[i][1]);
          }
          p += kLanes;
          factors += kRows;
        }
      }
    }
    for (int i = 0; i < kRows; ++i)
      for (int half = 0; half < 2; ++half) store(out + i * kLanes + 4 * half, t.relu ? raise_to(sum[i][half], Float4{}) : sum[i][half]);
  }
}

template <int kRows>
void convolve_panel(const LanesConvolution& t, const float* panel, long channel) {
  for (long row = 0; row < t.y.count; ++row) convolve_row<kRows>(t, panel, t.bias ? t.bias + channel : nullptr, row, t.results + row * t.result_row + channel * kLanes);
}

}  // namespace

void convolve_lanes(const LanesConvolution& t) {
  const RowPanels cut = cut_rows(t.result_channels);
  const long run = t.y.taps * t.x.taps * t.channels;
  const float* panel = t.filter;
  long channel = 0;
  for (long six = 0; six < cut.sixes; ++six, channel += 6, panel += 6 * run) convolve_panel<6>(t, panel, channel);
  for (long four = 0; four < cut.fours; ++four, channel += 4, panel += 4 * run) convolve_panel<4>(t, panel, channel);
}

namespace {

__attribute__((noinline)) void plane_to_lanes(const float* const* image, long pixels, long pixel_floats, float* lanes) {
  for (int half = 0; half < 2; ++half, lanes += 4) {
    const float *i0 = image[4 * half], *i1 = image[4 * half + 1], *i2 = image[4 * half + 2], *i3 = image[4 * half + 3];
    float* to = lanes;
    long p = 0;
    for (; p + 4 <= pixels; p += 4, to += 4 * pixel_floats) {
      Float4 a = load(i0 + p), b = load(i1 + p), c = load(i2 + p), d = load(i3 + p);
      transpose(a, b, c, d);
      store(to, a);
      store(to + pixel_floats, b);
      store(to + 2 * pixel_floats, c);
      store(to + 3 * pixel_floats, d);
    }
    for (; p < pixels; ++p, to += pixel_floats) store(to, Float4{i0[p], i1[p], i2[p], i3[p]});
  }
}

__attribute__((noinline)) void plane_from_lanes(const float* lanes, long pixels, long pixel_floats, float* const* image, long count) {
  for (int half = 0; half < 2; ++half, lanes += 4) {
    const float* from = lanes;
    const long images = std::clamp(count - 4 * half, 0L, 4L);
    long p = 0;
    for (; images > 0 && p + 4 <= pixels; p += 4, from += 4 * pixel_floats) {
      Float4 a = load(from), b = load(from + pixel_floats), c = load(from + 2 * pixel_floats), d = load(from + 3 * pixel_floats);
      transpose(a, b, c, d);
      store(image[4 * half] + p, a);
      if (images > 1) store(image[4 * half + 1] + p, b);
      if (images > 2) store(image[4 * half + 2] + p, c);
      if (images > 3) store(image[4 * half + 3] + p, d);
    }
    for (; p < pixels; ++p, from += pixel_floats)
      for (long i = 0; i < images; ++i) image[4 * half + i][p] = from[i];
  }
}

}  // namespace

void to_lanes(const float* images, long image_step, long count, long channels, long plane, long rows, long width, float* lanes) {
  const float* image[kLanes];
  for (long channel = 0; channel < channels; ++channel) {
    for (long i = 0; i < kLanes; ++i) image[i] = images + std::min(i, count - 1) * image_step + channel * plane;
    plane_to_lanes(image, rows * width, channels * kLanes, lanes + channel * kLanes);
  }
}

void from_lanes(const float* lanes, long count, long channels, long pixel_channels, long rows, long width, float* images, long image_step, long plane) {
  float* image[kLanes];
  for (long channel = 0; channel < channels; ++channel) {
    for (long i = 0; i < kLanes; ++i) image[i] = images + std::min(i, count - 1) * image_step + channel * plane;
    plane_from_lanes(lanes + channel * kLanes, rows * width, pixel_channels * kLanes, image, count);
  }
}

}  // namespace gradbook::kernels
