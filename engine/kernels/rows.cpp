#include "kernels/rows.h"

#include <algorithm>
#include <cstring>

#include "kernels/simd.h"
#include "kernels/strided.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

constexpr Index kGrain = 16384;  // elements of one block of work

void add_to(long n, const float* x, float* out) {
  long i = 0;
  for (; i + 4 <= n; i += 4) store(out + i, load(out + i) + load(x + i));
  for (; i < n; ++i) out[i] += x[i];
}

// Four rows at a time: each is a chain of additions, and four chains hide the latency of one.
void sum_along_rows(long rows, long length, const float* x, float* out) {
  long row = 0;
  for (; row + 4 <= rows; row += 4) {
    const float* a = x + row * length;
    float* to = out + row * length;
    double total[4] = {};
    for (long i = 0; i < length; ++i)
      for (long k = 0; k < 4; ++k) to[k * length + i] = static_cast<float>(total[k] += static_cast<double>(a[k * length + i]));
  }
  for (; row < rows; ++row) {
    double total = 0;
    for (long i = row * length; i < (row + 1) * length; ++i) out[i] = static_cast<float>(total += static_cast<double>(x[i]));
  }
}

constexpr long kColumns = 64;

void sum_down_columns(long size, long columns, long step, const float* x, float* out) {
  double total[kColumns] = {};
  for (long s = 0; s < size; ++s, x += step, out += step)
    for (long i = 0; i < columns; ++i) out[i] = static_cast<float>(total[i] += static_cast<double>(x[i]));
}

}  // namespace

void select_rows(Index outer, Index size, Index inner, Index count, const int32_t* rows, const float* x, float* out) {
  const Index all = outer * count;
  if (all <= 0 || inner <= 0) return;
  parallel_ranges(all, std::max<Index>(1, kGrain / inner), static_cast<double>(all) * static_cast<double>(inner), [&](Index first, Index last) {
    for (Index at = first; at < last; ++at) {
      const float* source = x + (at / count * size + rows[at % count]) * inner;
      float* target = out + at * inner;
      if (inner == 1)
        *target = *source;
      else
        std::memcpy(target, source, static_cast<size_t>(inner) * sizeof(float));
    }
  });
}

void add_rows(Index outer, Index size, Index inner, Index count, const int32_t* rows, const float* source, float* out) {
  if (outer <= 0 || count <= 0 || inner <= 0) return;
  // A block owns a range of columns of all rows, so no two blocks write to one place.
  const Index columns = std::max<Index>(64, (inner + 7) / 8 * 4), blocks = (inner + columns - 1) / columns;
  parallel_for(outer * blocks, 2.0 * static_cast<double>(outer * count) * static_cast<double>(inner), [&](Index block) {
    const Index o = block / blocks, first = block % blocks * columns, width = std::min(columns, inner - first);
    for (Index i = 0; i < count; ++i) add_to(static_cast<long>(width), source + (o * count + i) * inner + first, out + (o * size + rows[i]) * inner + first);
  });
}

void copy_between(const Shape& shape, const float* x, const Shape& strides, float* out, const Shape& out_strides) {
  if (element_count(shape) == 0) return;
  const Axes<2> axes(shape, {&strides, &out_strides});
  const long inner = axes.inner(), from = axes.inner_stride(0), to = axes.inner_stride(1), rows = axes.rows();
  const auto copy = [=](const float* source, float* target, long n) {
    if (from == 1 && to == 1)
      std::memcpy(target, source, static_cast<size_t>(n) * sizeof(float));
    else
      for (long i = 0; i < n; ++i) target[i * to] = source[i * from];
  };
  const double work = static_cast<double>(rows) * static_cast<double>(inner);
  if (rows == 1) {
    parallel_ranges(inner, kGrain, work, [&](Index first, Index last) {
      const long i = static_cast<long>(first);
      copy(x + i * from, out + i * to, static_cast<long>(last - first));
    });
    return;
  }
  parallel_ranges(rows, std::max<Index>(1, kGrain / inner), work, [&](Index first, Index last) {
    for (long row = static_cast<long>(first); row < last; ++row) {
      const auto at = axes.start(row);
      copy(x + at[0], out + at[1], inner);
    }
  });
}

void running_sum(Index outer, Index size, Index inner, const float* x, float* out) {
  if (outer <= 0 || size <= 0 || inner <= 0) return;
  const double work = 2.0 * static_cast<double>(outer * size) * static_cast<double>(inner);
  if (inner == 1) {
    const Index together = std::max<Index>(4, kGrain / size / 4 * 4);
    parallel_ranges(outer, together, work, [&](Index first, Index last) { sum_along_rows(static_cast<long>(last - first), static_cast<long>(size), x + first * size, out + first * size); });
    return;
  }
  const Index blocks = (inner + kColumns - 1) / kColumns;
  parallel_for(outer * blocks, work, [&](Index block) {
    const Index column = block % blocks * kColumns, start = block / blocks * size * inner + column;
    sum_down_columns(static_cast<long>(size), static_cast<long>(std::min<Index>(kColumns, inner - column)), static_cast<long>(inner), x + start, out + start);
  });
}

}  // namespace gradbook::kernels
