#include "kernels/softmax.h"

#include <algorithm>
#include <cmath>

#include "kernels/math.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

constexpr Index kGrain = 8192;      // elements of one block of work
constexpr float kSmallest = 1e-30f;  // smaller gradients become 0

template <class Body>
void for_rows(Index rows, Index columns, double cost, Body body) {
  parallel_ranges(rows, std::max<Index>(1, kGrain / std::max<Index>(1, columns)), cost * static_cast<double>(rows) * static_cast<double>(columns),
                  [&](Index first, Index last) {
                    for (Index row = first; row < last; ++row) body(row);
                  });
}

// The largest of a row, and NaN when the row holds one if kSeesNan. Where exponentials are summed afterwards it need not: that of NaN
// is one, and makes the sum and with it the whole row NaN; so does a largest that is infinite.
template <bool kSeesNan = false>
float row_maximum(long n, const float* x) {
  Float4 best = splat(-INFINITY), second = best;
  Int4 broken{};
  const auto look = [&](Float4& largest, Float4 v) {
    largest = raise_to(largest, v);
    if constexpr (kSeesNan) broken |= is_nan(v);
  };
  long i = 0;
  for (; i + 8 <= n; i += 8) {
    look(best, load(x + i));
    look(second, load(x + i + 4));
  }
  for (; i < n; ++i) look(best, splat(x[i]));
  best = raise_to(best, second);
  best = raise_to(best, __builtin_shufflevector(best, best, 2, 3, 0, 1));
  best = raise_to(best, __builtin_shufflevector(best, best, 1, 0, 3, 2));
  return any_lane(broken) ? NAN : best[0];
}

// sum(exp(x - shift)) of at most kLeaf elements; the exponentials themselves go to `out` when it is not null.
constexpr long kLeaf = 1024;
float sum_leaf(long n, const float* x, Float4 shift, float* out) {
  Float4 sum{};
  long i = 0;
  // Two at a time where no exponential is as small as a subnormal: the same bits, with less to look after.
  for (; i + 8 <= n; i += 8) {
    const Float4 a = load(x + i) - shift, b = load(x + i + 4) - shift;
    if (any_lane(~((a > constant<-kExpInside>()) & (b > constant<-kExpInside>())))) break;
    const Float4 first = exp_inside(a), second = exp_inside(b);
    if (out) {
      store(out + i, first);
      store(out + i + 4, second);
    }
    sum = (sum + first) + second;
  }
  for (; i + 4 <= n; i += 4) {
    const Float4 e = exp_negative(load(x + i) - shift);
    if (out) store(out + i, e);
    sum += e;
  }
  if (i < n) {
    const long count = n - i;
    // Lanes that do not exist are far below every other: their exponential is 0.
    const Float4 rest = select(to_float(Int4{0, 1, 2, 3}) < splat(static_cast<float>(count)), load_first(x + i, count), splat(-INFINITY));
    const Float4 e = exp_negative(select(rest == splat(-INFINITY), rest, rest - shift));
    if (out) store_first(out + i, e, count);
    sum += e;
  }
  return lane_sum(sum);
}

float sum_exponentials(long n, const float* x, float shift, float* out) {
  double sum = 0;
  for (long i = 0; i < n; i += kLeaf) sum += sum_leaf(std::min(kLeaf, n - i), x + i, splat(shift), out ? out + i : nullptr);
  return static_cast<float>(sum);
}

template <class Function>
void map_row(long n, const float* x, float* out, Function f) {
  long i = 0;
  for (; i + 4 <= n; i += 4) store(out + i, f(load(x + i)));
  if (i < n) store_first(out + i, f(load_first(x + i, n - i)), n - i);
}

template <class Function>
void zip_row(long n, const float* a, const float* b, float* out, Function f) {
  long i = 0;
  for (; i + 4 <= n; i += 4) store(out + i, f(load(a + i), load(b + i)));
  if (i < n) store_first(out + i, f(load_first(a + i, n - i), load_first(b + i, n - i)), n - i);
}

Float4 without_subnormals(Float4 x) { return select(absolute(x) < constant<kSmallest>(), Float4{}, x); }

float log_of(float x) { return log(splat(x))[0]; }

}  // namespace

void softmax_row(Index columns, const float* x, float* out) {
  const long n = static_cast<long>(columns);
  const float largest = row_maximum(n, x);
  const float sum = sum_exponentials(n, x, largest, out);
  const Float4 factor = splat(1.0f / sum);
  map_row(n, out, out, [=](Float4 e) { return e * factor; });
}

void softmax_rows(Index rows, Index columns, const float* x, float* out) {
  for_rows(rows, columns, 25, [=](Index row) { softmax_row(columns, x + row * columns, out + row * columns); });
}

void log_softmax_rows(Index rows, Index columns, const float* x, float* out) {
  const long n = static_cast<long>(columns);
  for_rows(rows, columns, 25, [=](Index row) {
    const float* source = x + row * columns;
    const float largest = row_maximum(n, source);
    const Float4 shift = splat(largest), log_sum = splat(log_of(sum_exponentials(n, source, largest, nullptr)));
    map_row(n, source, out + row * columns, [=](Float4 v) { return (v - shift) - log_sum; });
  });
}

void softmax_rows_gradient(Index rows, Index columns, const float* softmax, const float* gradient, float* out) {
  const long n = static_cast<long>(columns);
  for_rows(rows, columns, 6, [=](Index row) {
    const float *s = softmax + row * columns, *g = gradient + row * columns;
    Float4 sum{};
    long i = 0;
    for (; i + 4 <= n; i += 4) sum = madd(load(s + i), load(g + i), sum);
    if (i < n) sum = madd(load_first(s + i, n - i), load_first(g + i, n - i), sum);
    const Float4 mean = splat(lane_sum(sum));
    zip_row(n, s, g, out + row * columns, [=](Float4 p, Float4 v) { return without_subnormals(p * (v - mean)); });
  });
}

void log_softmax_rows_gradient(Index rows, Index columns, const float* log_softmax, const float* gradient, float* out) {
  const long n = static_cast<long>(columns);
  for_rows(rows, columns, 25, [=](Index row) {
    const float *l = log_softmax + row * columns, *g = gradient + row * columns;
    Float4 sum{};
    long i = 0;
    for (; i + 4 <= n; i += 4) sum += load(g + i);
    if (i < n) sum += load_first(g + i, n - i);
    const Float4 total = splat(lane_sum(sum));
    zip_row(n, l, g, out + row * columns, [=](Float4 p, Float4 v) { return without_subnormals(v - exp_negative(p) * total); });
  });
}

void cross_entropy_rows(Index rows, Index columns, const float* logits, const int32_t* targets, float* losses, float* log_sums) {
  const long n = static_cast<long>(columns);
  for_rows(rows, columns, 25, [=](Index row) {
    const float* source = logits + row * columns;
    const float largest = row_maximum(n, source);
    const float log_sum = log_of(sum_exponentials(n, source, largest, nullptr));
    // Shifted first: the difference of two large numbers would lose the digits of a small loss.
    losses[row] = log_sum - (source[targets[row]] - largest);
    if (log_sums) log_sums[row] = log_sum;
  });
}

void cross_entropy_rows_gradient(Index rows, Index columns, const float* logits, const int32_t* targets, const float* log_sums, const float* upstream,
                                 Index upstream_stride, float* out) {
  const long n = static_cast<long>(columns);
  for_rows(rows, columns, 25, [=](Index row) {
    const float* source = logits + row * columns;
    float* target = out + row * columns;
    const float factor = upstream[row * upstream_stride], largest = row_maximum<true>(n, source), wanted = source[targets[row]];
    const Float4 shift = splat(largest), log_sum = splat(log_sums[row]), scale = splat(factor);
    map_row(n, source, target, [=](Float4 v) { return without_subnormals(exp_negative((v - shift) - log_sum) * scale); });
    // p - 1 from the logit itself, so that it keeps its digits when p is nearly 1.
    const float rest = expm1(lower_to(splat((wanted - largest) - log_sums[row]), Float4{}))[0] * factor;
    target[targets[row]] = std::fabs(rest) < kSmallest ? 0 : rest;
  });
}

}  // namespace gradbook::kernels
