// Runs of `inner` elements are summed in vectors. Where inner is 1 (channels of a matrix) the vectors lie across the groups instead.
#include "kernels/standardize.h"

#include <algorithm>
#include <cmath>

#include "kernels/simd.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

constexpr long kLeaf = 1024;
constexpr long kColumns = 32;  // groups that are worked on together when inner is 1
constexpr Index kGrain = 16384;

// Sum of f(i) over 0..n-1, where f(i) gives four values and rest(i, count) the last few with zeros behind them.
template <class Vector, class Rest>
double sum_run(long n, Vector f, Rest rest) {
  double total = 0;
  for (long first = 0; first < n; first += kLeaf) {
    const long last = std::min(n, first + kLeaf);
    Float4 sum[4] = {};
    long i = first;
    for (; i + 16 <= last; i += 16)
      for (long v = 0; v < 4; ++v) sum[v] += f(i + 4 * v);
    for (; i + 4 <= last; i += 4) sum[0] += f(i);
    if (i < last) sum[1] += rest(i, last - i);
    total += static_cast<double>(lane_sum((sum[0] + sum[1]) + (sum[2] + sum[3])));
  }
  return total;
}

double sum_of(long n, const float* x) {
  return sum_run(n, [=](long i) { return load(x + i); }, [=](long i, long count) { return load_first(x + i, count); });
}
double squares_of(long n, const float* x, float mean) {
  const Float4 centre = splat(mean);
  const auto square = [=](Float4 v) { return (v - centre) * (v - centre); };
  return sum_run(
      n, [=](long i) { return square(load(x + i)); },
      [=](long i, long count) {
        Float4 v = square(load_first(x + i, count));
        for (long k = count; k < 4; ++k) v[k] = 0;
        return v;
      });
}
double products_of(long n, const float* x, const float* y) {
  return sum_run(n, [=](long i) { return load(x + i) * load(y + i); }, [=](long i, long count) { return load_first(x + i, count) * load_first(y + i, count); });
}

// out = a x + b y + c.
void combine(long n, float a, const float* x, float b, const float* y, float c, float* out) {
  const Float4 first = splat(a), second = splat(b), constant = splat(c);
  long i = 0;
  for (; i + 4 <= n; i += 4) store(out + i, first * load(x + i) + (second * load(y + i) + constant));
  if (i < n) store_first(out + i, first * load_first(x + i, n - i) + (second * load_first(y + i, n - i) + constant), n - i);
}
// out = (x - mean) * factor.
void centre(long n, float mean, float factor, const float* x, float* out) {
  const Float4 shift = splat(mean), scale = splat(factor);
  long i = 0;
  for (; i + 4 <= n; i += 4) store(out + i, (load(x + i) - shift) * scale);
  if (i < n) store_first(out + i, (load_first(x + i, n - i) - shift) * scale, n - i);
}

// Calls body(group) for every group, or body(first, count) for ranges of columns, on all threads.
template <class Group, class Columns>
void for_groups(const GroupShape& s, double cost, Group group, Columns columns) {
  const double work = cost * static_cast<double>(s.groups) * static_cast<double>(s.per_group());
  if (s.inner == 1 && s.outer > 1) {
    parallel_ranges(s.groups, kColumns, work, [&](Index first, Index last) { columns(static_cast<long>(first), static_cast<long>(last - first)); });
  } else {
    parallel_ranges(s.groups, std::max<Index>(1, kGrain / std::max<Index>(1, s.per_group())), work, [&](Index first, Index last) {
      for (Index g = first; g < last; ++g) group(static_cast<long>(g));
    });
  }
}

struct Moments {
  float mean, variance;
};

Moments moments_of(const GroupShape& s, long group, const float* x) {
  const long inner = static_cast<long>(s.inner), step = static_cast<long>(s.groups) * inner;
  const double count = static_cast<double>(s.per_group());
  double sum = 0, squares = 0;
  const float* first = x + group * inner;
  for (long o = 0; o < s.outer; ++o) sum += sum_of(inner, first + o * step);
  const float mean = static_cast<float>(sum / count);
  for (long o = 0; o < s.outer; ++o) squares += squares_of(inner, first + o * step, mean);
  // The mean was rounded to a float: what is left of it is taken off.
  const double left = sum / count - static_cast<double>(mean);
  return {mean, static_cast<float>(squares / count - left * left)};
}

// The same for `count` columns of a matrix with `step` floats per row.
void moments_of_columns(long rows, long step, long count, const float* x, float* means, float* variances) {
  double sum[kColumns] = {}, squares[kColumns] = {};
  for (long r = 0; r < rows; ++r)
    for (long i = 0; i < count; ++i) sum[i] += static_cast<double>(x[r * step + i]);
  for (long i = 0; i < count; ++i) means[i] = static_cast<float>(sum[i] / static_cast<double>(rows));
  for (long r = 0; r < rows; ++r)
    for (long i = 0; i < count; ++i) {
      const double d = static_cast<double>(x[r * step + i]) - static_cast<double>(means[i]);
      squares[i] += d * d;
    }
  for (long i = 0; i < count; ++i) variances[i] = static_cast<float>(squares[i] / static_cast<double>(rows));
}

float inverse_of(float variance, double epsilon) { return static_cast<float>(1 / std::sqrt(static_cast<double>(variance) + epsilon)); }

}  // namespace

void group_moments(const GroupShape& s, const float* x, float* means, float* variances) {
  for_groups(
      s, 4,
      [&](long g) {
        const Moments m = moments_of(s, g, x);
        means[g] = m.mean, variances[g] = m.variance;
      },
      [&](long first, long count) { moments_of_columns(static_cast<long>(s.outer), static_cast<long>(s.groups), count, x + first, means + first, variances + first); });
}

void standardize(const GroupShape& s, double epsilon, const float* x, float* out, float* inverses) {
  const long inner = static_cast<long>(s.inner), step = static_cast<long>(s.groups) * inner;
  for_groups(
      s, 6,
      [&](long g) {
        const Moments m = moments_of(s, g, x);
        inverses[g] = inverse_of(m.variance, epsilon);
        for (long o = 0; o < s.outer; ++o) centre(inner, m.mean, inverses[g], x + o * step + g * inner, out + o * step + g * inner);
      },
      [&](long first, long count) {
        float means[kColumns], variances[kColumns];
        moments_of_columns(static_cast<long>(s.outer), step, count, x + first, means, variances);
        for (long i = 0; i < count; ++i) inverses[first + i] = inverse_of(variances[i], epsilon);
        for (long r = 0; r < s.outer; ++r)
          for (long i = 0; i < count; ++i) out[r * step + first + i] = (x[r * step + first + i] - means[i]) * inverses[first + i];
      });
}

void standardize_gradient(const GroupShape& s, const float* g, const float* y, const float* inverses, float* out) {
  const long inner = static_cast<long>(s.inner), step = static_cast<long>(s.groups) * inner;
  const double count = static_cast<double>(s.per_group());
  for_groups(
      s, 6,
      [&](long group) {
        const long first = group * inner;
        double sum = 0, product = 0;
        for (long o = 0; o < s.outer; ++o) {
          sum += sum_of(inner, g + first + o * step);
          product += products_of(inner, g + first + o * step, y + first + o * step);
        }
        const double inverse = static_cast<double>(inverses[group]);
        const float factor = static_cast<float>(-inverse * product / count), constant = static_cast<float>(-inverse * sum / count);
        for (long o = 0; o < s.outer; ++o) combine(inner, inverses[group], g + first + o * step, factor, y + first + o * step, constant, out + first + o * step);
      },
      [&](long first, long columns) {
        double sum[kColumns] = {}, product[kColumns] = {};
        for (long r = 0; r < s.outer; ++r)
          for (long i = 0; i < columns; ++i) {
            const double value = static_cast<double>(g[r * step + first + i]);
            sum[i] += value;
            product[i] += value * static_cast<double>(y[r * step + first + i]);
          }
        for (long r = 0; r < s.outer; ++r)
          for (long i = 0; i < columns; ++i) {
            const long at = r * step + first + i;
            out[at] = inverses[first + i] * (g[at] - static_cast<float>(sum[i] / count) - y[at] * static_cast<float>(product[i] / count));
          }
      });
}

}  // namespace gradbook::kernels
