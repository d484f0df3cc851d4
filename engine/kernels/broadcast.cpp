// Two inputs with broadcasting, and copies between strides.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/binary_line.h"
#include "kernels/math.h"
#include "kernels/strided.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

constexpr long kGrain = 16384;  // elements of one block of work

// Four values `stride` apart; stride 0 repeats one.
Float4 load_apart(const float* p, long stride) { return Float4{p[0], p[stride], p[2 * stride], p[3 * stride]}; }
Float4 load_first_apart(const float* p, long stride, long count) {
  Float4 v = splat(p[0]);
  for (long i = 1; i < count; ++i) v[i] = p[i * stride];
  return v;
}

// One run: out[i] = f(a[i * a_stride], b[i * b_stride]).
template <class Function>
void line(long n, const float* a, long a_stride, const float* b, long b_stride, float* out) {
  const Function f{};
  long i = 0;
  if (a_stride == 1 && b_stride == 1) {
    for (; i + 4 <= n; i += 4) store(out + i, f(load(a + i), load(b + i)));
  } else if (a_stride == 1 && b_stride == 0) {
    const Float4 right = splat(*b);
    for (; i + 4 <= n; i += 4) store(out + i, f(load(a + i), right));
  } else if (a_stride == 0 && b_stride == 1) {
    const Float4 left = splat(*a);
    for (; i + 4 <= n; i += 4) store(out + i, f(left, load(b + i)));
  } else {
    for (; i + 4 <= n; i += 4) store(out + i, f(load_apart(a + i * a_stride, a_stride), load_apart(b + i * b_stride, b_stride)));
  }
  if (i < n) {
    const long rest = n - i;
    store_first(out + i, f(load_first_apart(a + i * a_stride, a_stride, rest), load_first_apart(b + i * b_stride, b_stride, rest)), rest);
  }
}

/// The loop of a function, and the cost of one element.
struct Row {
  BinaryLine line;
  double cost;
};

template <class Function>
Row row(double cost, Function) {
  return {line<Function>, cost};
}

void zip(const Axes<2>& axes, const float* a, const float* b, float* out, const Row& row) {
  const long inner = axes.inner(), rows = axes.rows(), a_stride = axes.inner_stride(0), b_stride = axes.inner_stride(1);
  const double work = row.cost * static_cast<double>(rows) * static_cast<double>(inner);
  if (rows == 1) {
    parallel_ranges(inner, kGrain, work, [&](Index first, Index last) {
      const long i = static_cast<long>(first);
      row.line(static_cast<long>(last) - i, a + i * a_stride, a_stride, b + i * b_stride, b_stride, out + i);
    });
  } else {
    parallel_ranges(rows, std::max(1L, kGrain / inner), work, [&](Index first, Index last) {
      for (long n = static_cast<long>(first); n < last; ++n) {
        const auto at = axes.start(n);
        row.line(inner, a + at[0], a_stride, b + at[1], b_stride, out + n * inner);
      }
    });
  }
}

// s + x s (1 - s), s = sigmoid(x)
Float4 silu_slope(Float4 x) {
  const Float4 s = sigmoid(x);
  return s + x * s * (constant<1.0f>() - s);
}
// P(x) + x p(x), P and p the normal distribution and its density
Float4 gelu_slope(Float4 x) {
  const Float4 share = constant<0.5f>() * (constant<1.0f>() + erf(x * constant<0.70710678f>()));
  return share + x * (constant<0.39894228f>() * exp_negative(constant<-0.5f>() * x * x));
}

Float4 power_of(Float4 a, Float4 b) { return Float4{std::pow(a[0], b[0]), std::pow(a[1], b[1]), std::pow(a[2], b[2]), std::pow(a[3], b[3])}; }

Row power_row(const Axes<2>& axes, const float* exponents) {
  bool constant = true;
  for (int axis = 0; axis < axes.rank; ++axis) constant = constant && axes.stride[1][static_cast<size_t>(axis)] == 0;
  if (constant && *exponents == 2.0f) return row(2, [](Float4 x, Float4) { return x * x; });
  if (constant && *exponents == 3.0f) return row(2, [](Float4 x, Float4) { return x * x * x; });
  if (constant && *exponents == 1.0f) return row(2, [](Float4 x, Float4) { return x; });
  if (constant && *exponents == -1.0f) return row(2, [](Float4 x, Float4) { return gradbook::kernels::constant<1.0f>() / x; });
  return row(60, [](Float4 x, Float4 y) { return power_of(x, y); });
}

Row row_of(Binary function) {
  switch (function) {
    case Binary::kAdd: return row(2, [](Float4 x, Float4 y) { return x + y; });
    case Binary::kSubtract: return row(2, [](Float4 x, Float4 y) { return x - y; });
    case Binary::kMultiply: return row(2, [](Float4 x, Float4 y) { return x * y; });
    case Binary::kDivide: return row(3, [](Float4 x, Float4 y) { return x / y; });
    case Binary::kMaximum: return row(2, [](Float4 x, Float4 y) { return maximum(x, y); });
    case Binary::kMinimum: return row(2, [](Float4 x, Float4 y) { return minimum(x, y); });
    case Binary::kPow: break;
    case Binary::kSquaredDifference: return row(2, [](Float4 x, Float4 y) { return (x - y) * (x - y); });
    case Binary::kReluGradient: return row(2, [](Float4 x, Float4 y) { return keep_where(y > Float4{}, x); });
    case Binary::kSigmoidGradient: return row(3, [](Float4 x, Float4 y) { return x * y * (constant<1.0f>() - y); });
    case Binary::kSiluGradient: return row(24, [](Float4 x, Float4 y) { return x * silu_slope(y); });
    case Binary::kGeluGradient: return row(40, [](Float4 x, Float4 y) { return x * gelu_slope(y); });
    case Binary::kTanhGradient: return row(3, [](Float4 x, Float4 y) { return x * (constant<1.0f>() - y * y); });
  }
  return {};
}

void zip_by_name(Binary function, const Axes<2>& axes, const float* a, const float* b, float* out) {
  zip(axes, a, b, out, function == Binary::kPow ? power_row(axes, b) : row_of(function));
}

// A block of at most 64 x 64: the target's rows and the source's columns are both contiguous.
void turn_block(const float* x, long row_stride, long rows, long column_stride, long columns, float* out, long out_stride) {
  long i = 0;
  for (; i + 4 <= rows; i += 4) {
    long j = 0;
    const float* source = x + i * row_stride;
    for (; j + 4 <= columns; j += 4) {
      const float* p = source + j * column_stride;
      Float4 a = load(p), b = load(p + column_stride), c = load(p + 2 * column_stride), d = load(p + 3 * column_stride);
      transpose(a, b, c, d);
      float* target = out + i * out_stride + j;
      store(target, a);
      store(target + out_stride, b);
      store(target + 2 * out_stride, c);
      store(target + 3 * out_stride, d);
    }
    for (; j < columns; ++j)
      for (long k = 0; k < 4; ++k) out[(i + k) * out_stride + j] = source[j * column_stride + k * row_stride];
  }
  for (; i < rows; ++i)
    for (long j = 0; j < columns; ++j) out[i * out_stride + j] = x[i * row_stride + j * column_stride];
}

// The last axis of the target is not contiguous in the source, axis `turn` is: blocks of the two are turned.
void copy_turned(const Axes<1>& axes, size_t turn, const float* x, float* out) {
  constexpr long kSide = 64;
  const size_t last = static_cast<size_t>(axes.rank - 1);
  std::array<long, kMaxRank> out_stride{};
  long count = 1;
  for (size_t axis = last + 1; axis-- > 0;) {
    out_stride[axis] = count;
    count *= axes.size[axis];
  }
  const long rows = axes.size[turn], columns = axes.size[last];
  const long row_blocks = (rows + kSide - 1) / kSide, column_blocks = (columns + kSide - 1) / kSide;
  const long outer = count / std::max(1L, rows * columns);
  parallel_for(outer * row_blocks * column_blocks, 2.0 * static_cast<double>(count), [&](Index block) {
    long rest = static_cast<long>(block);
    const long column = rest % column_blocks * kSide;
    rest /= column_blocks;
    const long row = rest % row_blocks * kSide;
    rest /= row_blocks;
    long from = column * axes.stride[0][last] + row, to = column + row * out_stride[turn];
    for (size_t axis = last; axis-- > 0;) {
      if (axis == turn) continue;
      from += rest % axes.size[axis] * axes.stride[0][axis];
      to += rest % axes.size[axis] * out_stride[axis];
      rest /= axes.size[axis];
    }
    turn_block(x + from, 1, std::min(kSide, rows - row), axes.stride[0][last], std::min(kSide, columns - column), out + to, out_stride[turn]);
  });
}

void copy_run(long n, const float* x, long stride, float* out) {
  if (stride == 1) {
    std::memcpy(out, x, static_cast<size_t>(n) * sizeof(float));
  } else if (stride == 0) {
    std::fill(out, out + n, *x);
  } else if (stride == -1) {
    long i = 0;
    for (; i + 4 <= n; i += 4) store(out + i, reversed_lanes(load(x - i - 3)));
    for (; i < n; ++i) out[i] = x[-i];
  } else {
    for (long i = 0; i < n; ++i) out[i] = x[i * stride];
  }
}

}  // namespace

BinaryLine binary_line(Binary function) { return row_of(function).line; }

void binary(Binary function, Index n, const float* a, const float* b, float* out) {
  const Shape flat{n}, one{1};
  if (n > 0) zip_by_name(function, Axes<2>(flat, {&one, &one}), a, b, out);
}

void binary(Binary function, const Shape& shape, const float* a, const Shape& a_strides, const float* b, const Shape& b_strides, float* out) {
  if (element_count(shape) > 0) zip_by_name(function, Axes<2>(shape, {&a_strides, &b_strides}), a, b, out);
}

void copy_strided(const Shape& shape, const float* x, const Shape& strides, float* out) {
  if (element_count(shape) == 0) return;
  const Axes<1> axes(shape, {&strides});
  const long inner = axes.inner(), stride = axes.inner_stride(0);
  if (stride != 1 && stride != 0)
    for (size_t axis = 0; axis + 1 < static_cast<size_t>(axes.rank); ++axis)
      if (axes.stride[0][axis] == 1 && axes.size[axis] >= 4 && inner >= 4) return copy_turned(axes, axis, x, out);
  const long rows = axes.rows();
  parallel_ranges(rows, std::max(1L, kGrain / inner), 2.0 * static_cast<double>(rows) * static_cast<double>(inner), [&](Index first, Index last) {
    for (long row = static_cast<long>(first); row < last; ++row) copy_run(inner, x + axes.start(row)[0], stride, out + row * inner);
  });
}

}  // namespace gradbook::kernels
