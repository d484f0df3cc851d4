// Planes are independent: one plane is the unit of work, several make a block. Two-by-two pooling without padding, the usual
// case, has its own vector loops.
#include "kernels/pooling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/larger.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

/// The elements of the image under a window: first and end in both directions. With dilation, steps apart.
struct Window {
  Index y, y_end, x, x_end;
};

Window window_at(const PoolShape& s, Index row, Index column) {
  const Span y = clip(row * s.stride_y - s.padding_y, s.window_height, s.dilation_y, s.in_height);
  const Span x = clip(column * s.stride_x - s.padding_x, s.window_width, s.dilation_x, s.in_width);
  return {y.first, y.end, x.first, x.end};
}

template <class Body>
void for_planes(const PoolShape& s, double cost, Body body) {
  const Index size = std::max<Index>(1, s.in_height * s.in_width);
  parallel_ranges(s.planes, std::max<Index>(1, 16384 / size), cost * static_cast<double>(s.planes) * static_cast<double>(size), [&](Index first, Index last) {
    for (Index plane = first; plane < last; ++plane) body(plane);
  });
}

// One output row of 2x2 pooling. argmax may be null.
void max_row_two_by_two(const float* top, const float* bottom, Index width, int32_t place, int32_t in_width, float* out, int32_t* argmax) {
  Index x = 0;
  // The last four overlap their neighbours when the width asks for it: the same numbers once more.
  for (Index next = 0; next < width && width >= 4; next += 4) {
    x = std::min(next, width - 4);
    const Int4 at = Int4{0, 2, 4, 6} + (place + static_cast<int32_t>(2 * x));
    const Float4 a = load(top + 2 * x), b = load(top + 2 * x + 4), c = load(bottom + 2 * x), d = load(bottom + 2 * x + 4);
    Float4 best = even_lanes(a, b), lower = even_lanes(c, d);
    Int4 best_at = at, lower_at = at + in_width;
    keep_larger(best, best_at, odd_lanes(a, b), at + 1);
    keep_larger(lower, lower_at, odd_lanes(c, d), at + in_width + 1);
    keep_larger(best, best_at, lower, lower_at);
    store(out + x, best);
    if (argmax) store(argmax + x, best_at);
  }
  if (width >= 4) return;
  for (; x < width; ++x) {
    float best = top[2 * x];
    int32_t best_at = place + static_cast<int32_t>(2 * x);
    const auto take = [&](float value, int32_t where) {
      if (value > best || (std::isnan(value) && !std::isnan(best))) best = value, best_at = where;
    };
    take(top[2 * x + 1], place + static_cast<int32_t>(2 * x) + 1);
    take(bottom[2 * x], place + static_cast<int32_t>(2 * x) + in_width);
    take(bottom[2 * x + 1], place + static_cast<int32_t>(2 * x) + in_width + 1);
    out[x] = best;
    if (argmax) argmax[x] = best_at;
  }
}

Index out_size(Index in, Index padding, Index dilation, Index window, Index stride, bool ceil_mode) {
  const Index free = in + 2 * padding - dilation * (window - 1) - 1;
  if (free < 0) return 0;
  Index out = (free + (ceil_mode ? stride - 1 : 0)) / stride + 1;
  if (ceil_mode && (out - 1) * stride >= in + padding) --out;
  return out;
}

// One output row of 2x2 averages.
void average_row_two_by_two(const float* top, const float* bottom, Index width, float* out) {
  const Float4 quarter = splat(0.25f);
  for (Index next = 0; next < width; next += 4) {
    if (width < 4) {
      for (Index x = 0; x < width; ++x) out[x] = ((top[2 * x] + top[2 * x + 1]) + (bottom[2 * x] + bottom[2 * x + 1])) * 0.25f;
      return;
    }
    const Index x = std::min(next, width - 4);
    const Float4 a = load(top + 2 * x), b = load(top + 2 * x + 4), c = load(bottom + 2 * x), d = load(bottom + 2 * x + 4);
    store(out + x, ((even_lanes(a, b) + odd_lanes(a, b)) + (even_lanes(c, d) + odd_lanes(c, d))) * quarter);
  }
}

// The gradients of one output row, a quarter each to two rows of the image.
void spread_row_two_by_two(const float* gradient, Index width, float* top, float* bottom) {
  const Float4 quarter = splat(0.25f);
  for (Index next = 0; next < width; next += 4) {
    if (width < 4) {
      for (Index x = 0; x < width; ++x) top[2 * x] = top[2 * x + 1] = bottom[2 * x] = bottom[2 * x + 1] = gradient[x] * 0.25f;
      return;
    }
    const Index x = std::min(next, width - 4);
    const Float4 share = load(gradient + x) * quarter;
    const Float4 low = interleave_low(share, share), high = interleave_high(share, share);
    store(top + 2 * x, low), store(top + 2 * x + 4, high);
    store(bottom + 2 * x, low), store(bottom + 2 * x + 4, high);
  }
}

/// What the sum of a window is divided by.
float divisor(const PoolShape& s, bool count_padding, Index row, Index column, const Window& w) {
  if (!count_padding) return static_cast<float>((w.y_end - w.y) * (w.x_end - w.x));
  const Index top = row * s.stride_y - s.padding_y, left = column * s.stride_x - s.padding_x;
  // A window may also hang over the padding (ceil mode); what lies beyond it does not count.
  const Index height = std::min(top + s.window_height, s.in_height + s.padding_y) - top, width = std::min(left + s.window_width, s.in_width + s.padding_x) - left;
  return static_cast<float>(height * width);
}

}  // namespace

Span clip(Index start, Index window, Index dilation, Index size) {
  const Index end = std::min(start + (window - 1) * dilation + 1, size);
  const Index skipped = start < 0 ? (-start + dilation - 1) / dilation : 0;
  return {start + skipped * dilation, end};
}

void PoolShape::infer_out(bool ceil_mode) {
  out_height = out_size(in_height, padding_y, dilation_y, window_height, stride_y, ceil_mode);
  out_width = out_size(in_width, padding_x, dilation_x, window_width, stride_x, ceil_mode);
}

bool is_two_by_two(const PoolShape& s) {
  return s.window_height == 2 && s.window_width == 2 && s.stride_y == 2 && s.stride_x == 2 && s.padding_y == 0 && s.padding_x == 0 && s.dilation_y == 1 &&
         s.dilation_x == 1 && s.out_height * 2 <= s.in_height && s.out_width * 2 <= s.in_width;
}

void max_pool_plane(const PoolShape& s, const float* image, float* results, int32_t* argmax) {
  if (is_two_by_two(s)) {
    for (Index row = 0; row < s.out_height; ++row) {
      const float* top = image + 2 * row * s.in_width;
      const Index to = row * s.out_width;
      max_row_two_by_two(top, top + s.in_width, s.out_width, static_cast<int32_t>(2 * row * s.in_width), static_cast<int32_t>(s.in_width), results + to, argmax ? argmax + to : nullptr);
    }
    return;
  }
  for (Index row = 0; row < s.out_height; ++row)
    for (Index column = 0; column < s.out_width; ++column, ++results) {
      const Window w = window_at(s, row, column);
      float best = -std::numeric_limits<float>::infinity();
      Index best_at = w.y * s.in_width + w.x;
      for (Index y = w.y; y < w.y_end; y += s.dilation_y)
        for (Index x = w.x; x < w.x_end; x += s.dilation_x) {
          const float value = image[y * s.in_width + x];
          if (value > best || (std::isnan(value) && !std::isnan(best))) best = value, best_at = y * s.in_width + x;
        }
      *results = best;
      if (argmax) *argmax++ = static_cast<int32_t>(best_at);
    }
}

void max_pool_forward(const PoolShape& s, const float* images, float* results, int32_t* argmax) {
  const Index in_size = s.in_height * s.in_width, out_size = s.out_height * s.out_width;
  const double cost = is_two_by_two(s) ? 2 : 2.0 * static_cast<double>(s.window_height * s.window_width);
  for_planes(s, cost, [=](Index plane) { max_pool_plane(s, images + plane * in_size, results + plane * out_size, argmax ? argmax + plane * out_size : nullptr); });
}

void max_pool_backward(const PoolShape& s, const float* results_gradient, const int32_t* argmax, float* images_gradient) {
  const Index in_size = s.in_height * s.in_width, out_size = s.out_height * s.out_width;
  for_planes(s, 2, [=](Index plane) {
    float* target = images_gradient + plane * in_size;
    std::fill(target, target + in_size, 0.0f);
    const float* source = results_gradient + plane * out_size;
    const int32_t* place = argmax + plane * out_size;
    for (Index i = 0; i < out_size; ++i) target[place[i]] += source[i];
  });
}

void average_pool_forward(const PoolShape& s, bool count_padding, const float* images, float* results) {
  const Index in_size = s.in_height * s.in_width, out_size = s.out_height * s.out_width;
  if (is_two_by_two(s)) {
    for_planes(s, 2, [=](Index plane) {
      for (Index row = 0; row < s.out_height; ++row) {
        const float* top = images + plane * in_size + 2 * row * s.in_width;
        average_row_two_by_two(top, top + s.in_width, s.out_width, results + plane * out_size + row * s.out_width);
      }
    });
    return;
  }
  for_planes(s, 2.0 * static_cast<double>(s.window_height * s.window_width), [=](Index plane) {
    const float* image = images + plane * in_size;
    Index to = plane * out_size;
    for (Index row = 0; row < s.out_height; ++row)
      for (Index column = 0; column < s.out_width; ++column, ++to) {
        const Window w = window_at(s, row, column);
        float sum = 0;
        for (Index y = w.y; y < w.y_end; ++y) {
          float line = 0;
          for (Index x = w.x; x < w.x_end; ++x) line += image[y * s.in_width + x];
          sum += line;
        }
        results[to] = sum / divisor(s, count_padding, row, column, w);
      }
  });
}

void average_pool_backward(const PoolShape& s, bool count_padding, const float* results_gradient, float* images_gradient) {
  const Index in_size = s.in_height * s.in_width, out_size = s.out_height * s.out_width;
  for_planes(s, 2.0 * static_cast<double>(s.window_height * s.window_width), [=](Index plane) {
    float* target = images_gradient + plane * in_size;
    std::fill(target, target + in_size, 0.0f);
    Index from = plane * out_size;
    if (is_two_by_two(s)) {
      for (Index row = 0; row < s.out_height; ++row, from += s.out_width)
        spread_row_two_by_two(results_gradient + from, s.out_width, target + 2 * row * s.in_width, target + (2 * row + 1) * s.in_width);
      return;
    }
    for (Index row = 0; row < s.out_height; ++row)
      for (Index column = 0; column < s.out_width; ++column, ++from) {
        const Window w = window_at(s, row, column);
        const float share = results_gradient[from] / divisor(s, count_padding, row, column, w);
        for (Index y = w.y; y < w.y_end; ++y)
          for (Index x = w.x; x < w.x_end; ++x) target[y * s.in_width + x] += share;
      }
  });
}

}  // namespace gradbook::kernels
