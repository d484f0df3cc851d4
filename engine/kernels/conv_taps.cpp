#include "kernels/conv_taps.h"

#include <algorithm>

#include "kernels/simd.h"

namespace gradbook::kernels {

ConvPlan::ConvPlan(const ConvShape& s)
    : in_channels(static_cast<long>(s.group_in())), in_height(static_cast<long>(s.in_height)), in_width(static_cast<long>(s.in_width)),
      out_channels(static_cast<long>(s.group_out())), out_height(static_cast<long>(s.out_height)), out_width(static_cast<long>(s.out_width)),
      filter_height(static_cast<long>(s.filter_height)), filter_width(static_cast<long>(s.filter_width)), stride_y(static_cast<long>(s.stride_y)),
      stride_x(static_cast<long>(s.stride_x)), padding_y(static_cast<long>(s.padding_y)), padding_x(static_cast<long>(s.padding_x)),
      dilation_y(static_cast<long>(s.dilation_y)), dilation_x(static_cast<long>(s.dilation_x)) {
  padded_width = (out_width - 1) * stride_x + (filter_width - 1) * dilation_x + 1;
  needs_padding = padding_y != 0 || padding_x != 0 || padded_rows(out_height) > in_height || padded_width > in_width;
}

namespace {

// Rows of images are short: a call of memcpy or fill takes longer than what it copies.
void clear_row(float* target, long count) {
  long i = 0;
  for (; i + 4 <= count; i += 4) store(target + i, Float4{});
#pragma clang loop vectorize(disable) unroll(disable)
  for (; i < count; ++i) target[i] = 0.0f;
}

void copy_row(const float* source, long count, float* target) {
  if (count < 4) {
#pragma clang loop vectorize(disable) unroll(disable)
    for (long i = 0; i < count; ++i) target[i] = source[i];
    return;
  }
#pragma clang loop unroll_count(2)
  for (long i = 0; i + 4 <= count; i += 4) store(target + i, load(source + i));
  store(target + count - 4, load(source + count - 4));
}

// Rows of `count` floats with zeros before and behind.
void copy_rows(const float* source, long pitch, long count, long rows, float* target, long left, long right) {
  if (left > 4 || right > 4 || count < 4) {
    for (long row = 0; row < rows; ++row, source += pitch, target += left + count + right) {
      clear_row(target, left);
      copy_row(source, count, target + left);
      clear_row(target + left + count, right);
    }
    return;
  }
  // Zeros are written four at a time: those that are too many fall where the row itself, or the next one, comes to lie.
  const long last = count - 4;
  for (long row = 0; row < rows; ++row, source += pitch) {
    store(target, Float4{});
    target += left;
#pragma clang loop unroll_count(1)
    for (long i = 0; i < last; i += 4) store(target + i, load(source + i));
    store(target + last, load(source + last));
    target += count;
    store(target, Float4{});
    target += right;
  }
}

}  // namespace

ImageView ConvPlan::view(const float* image, long first_row, long rows, long scratch_rows, float* scratch) const {
  if (!needs_padding) return {image + first_row * stride_y * in_width, in_width, in_height * in_width};
  const long height = padded_rows(rows), plane = plane_pitch(scratch_rows), top = first_row * stride_y - padding_y;
  // Columns of the image that appear in a row of the copy, and columns of zeros behind them.
  const long left = std::clamp(padding_x, 0L, padded_width), first = std::max(0L, -padding_x);
  const long copied = std::clamp(in_width - first, 0L, padded_width - left), right = padded_width - left - copied;
  const long above = std::clamp(-top, 0L, height), below = std::clamp(top + height - in_height, 0L, height - above);
  for (long channel = 0; channel < in_channels; ++channel) {
    float* target = scratch + channel * plane;
    clear_row(target, above * padded_width);
    target += above * padded_width;
    const float* source = image + channel * in_height * in_width + (top + above) * in_width + first;
    copy_rows(source, in_width, copied, height - above - below, target, left, right);
    clear_row(target + (height - above - below) * padded_width, below * padded_width);
  }
  return {scratch, padded_width, plane};
}

void ConvPlan::take_inside(const float* scratch, float* image) const {
  const long height = padded_rows(out_height), plane = plane_pitch(out_height);
  const long left = std::clamp(padding_x, 0L, padded_width), first = std::max(0L, -padding_x);
  const long copied = std::clamp(in_width - first, 0L, padded_width - left);
  for (long channel = 0; channel < in_channels; ++channel)
    for (long y = 0; y < in_height; ++y) {
      float* target = image + (channel * in_height + y) * in_width;
      const long row = y + padding_y;
      if (row < 0 || row >= height || copied == 0) {
        clear_row(target, in_width);
        continue;
      }
      clear_row(target, first);
      copy_row(scratch + channel * plane + row * padded_width + left, copied, target + first);
      clear_row(target + first + copied, in_width - first - copied);
    }
}

void ConvPlan::tap_offsets(long scratch_rows, long* offsets) const {
  const long row = row_pitch(), plane = plane_pitch(scratch_rows);
  for (long channel = 0; channel < in_channels; ++channel)
    for (long y = 0; y < filter_height; ++y)
      for (long x = 0; x < filter_width; ++x) *offsets++ = channel * plane + y * dilation_y * row + x * dilation_x;
}

namespace {

// Four pixels of a panel. kStep: floats from one to the next, 0 when they have no common step.
template <int kStep>
__attribute__((noinline)) void pack_four_pixels(const float* image, const long* pixel_offsets, const long* tap_offsets, long taps, float* panel) {
  const float* base = image + pixel_offsets[0];
  const long second = pixel_offsets[1] - pixel_offsets[0], third = pixel_offsets[2] - pixel_offsets[0], fourth = pixel_offsets[3] - pixel_offsets[0];
#pragma clang loop unroll_count(2)
  for (long tap = 0; tap < taps; ++tap, panel += 8) {
    const float* p = base + tap_offsets[tap];
    if constexpr (kStep == 1) store(panel, load(p));
    if constexpr (kStep == 2) store(panel, even_lanes(load(p), load(p + 4)));
    if constexpr (kStep == 0) store(panel, Float4{p[0], p[second], p[third], p[fourth]});
  }
}

void pack_half(const float* image, const long* pixels, const long* tap_offsets, long taps, float* panel) {
  const long step = pixels[1] - pixels[0];
  const bool even = pixels[2] - pixels[1] == step && pixels[3] - pixels[2] == step;
  if (even && step == 1) {
    pack_four_pixels<1>(image, pixels, tap_offsets, taps, panel);
  } else if (even && step == 2) {
    pack_four_pixels<2>(image, pixels, tap_offsets, taps, panel);
  } else {
    pack_four_pixels<0>(image, pixels, tap_offsets, taps, panel);
  }
}

// Four pixels of one tap.
template <int kStep>
GRADBOOK_INLINE Float4 load_pixels(const float* p, long step) {
  if constexpr (kStep == 1) return load(p);
  if constexpr (kStep == 2) return even_lanes(load(p), load(p + 4));
  return Float4{p[0], p[step], p[2 * step], p[3 * step]};
}

template <int kWidth, int kStep>
__attribute__((noinline)) void pack_tap_rows(const float* image, long row_step, long rows, long column_step, long width, const long* taps, float* panel) {
  for (long row = 0; row < rows; ++row, image += row_step) {
    const float* p = image;
    float* to = panel;
    for (long column = 0; column < width; column += 4, p += 4 * column_step, to += 4 * kWidth) {
      Float4 v[kWidth];
      // The last few pixels of a row with a wide step: repeat the last instead of reading far behind it.
      const long step = kStep == 0 && width - column < 4 ? 0 : column_step;
      if (kStep == 0 && step == 0) {
        for (int i = 0; i < kWidth; ++i)
          for (long k = 0; k < 4; ++k) v[i][k] = p[taps[i] + std::min(k, width - column - 1) * column_step];
      } else {
        for (int i = 0; i < kWidth; ++i) v[i] = load_pixels<kStep>(p + taps[i], step);
      }
      transpose(v[0], v[1], v[2], v[3]);
      if constexpr (kWidth == 8) transpose(v[4], v[5], v[6], v[7]);
      if constexpr (kWidth == 6) {
        const Float4 low = interleave_low(v[4], v[5]), high = interleave_high(v[4], v[5]);
        v[4] = low, v[5] = high;
      }
      for (int k = 0; k < 4; ++k) {
        store(to + k * kWidth, v[k]);
        if constexpr (kWidth == 8) store(to + k * kWidth + 4, v[4 + k]);
      }
      if constexpr (kWidth == 6) {
        store_low(to + 4, v[4]);
        store_high(to + 10, v[4]);
        store_low(to + 16, v[5]);
        store_high(to + 22, v[5]);
      }
    }
    panel += width * kWidth;
  }
}

}  // namespace

void pack_pixels(const float* image, const long* pixel_offsets, const long* tap_offsets, long taps, float* panel) {
  pack_half(image, pixel_offsets, tap_offsets, taps, panel);
  pack_half(image, pixel_offsets + 4, tap_offsets, taps, panel + 4);
}

template <int kWidth>
void pack_taps(const float* image, long row_step, long rows, long column_step, long width, const long* tap_offsets, long count, float* panel) {
  long taps[kWidth];
  for (long i = 0; i < kWidth; ++i) taps[i] = tap_offsets[std::min(i, count - 1)];
  if (column_step == 1) {
    pack_tap_rows<kWidth, 1>(image, row_step, rows, 1, width, taps, panel);
  } else if (column_step == 2) {
    pack_tap_rows<kWidth, 2>(image, row_step, rows, 2, width, taps, panel);
  } else {
    pack_tap_rows<kWidth, 0>(image, row_step, rows, column_step, width, taps, panel);
  }
}

template void pack_taps<4>(const float*, long, long, long, long, const long*, long, float*);
template void pack_taps<6>(const float*, long, long, long, long, const long*, long, float*);
template void pack_taps<8>(const float*, long, long, long, long, const long*, long, float*);

}  // namespace gradbook::kernels
