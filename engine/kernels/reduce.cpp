// Sums are blocked and pairwise: rows of kLeaf elements in four vectors of partial sums, leaves added two by two.
#include "kernels/reduce.h"

#include <algorithm>

#include "kernels/scratch.h"
#include "kernels/simd.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

constexpr Index kLeaf = 1024;
constexpr Index kGrain = 16 * kLeaf;  // elements of one block of work

// Sums f(i) over vectors i..i+3 of a leaf; f reads four elements, f_rest the last few.
template <class Vector, class Rest>
float sum_leaf(Index first, Index last, Vector f, Rest rest) {
  Float4 sum[4] = {};
  Index i = first;
  for (; i + 16 <= last; i += 16)
    for (int v = 0; v < 4; ++v) sum[v] += f(i + 4 * v);
  for (; i + 4 <= last; i += 4) sum[0] += f(i);
  if (i < last) sum[1] += rest(i, static_cast<long>(last - i));
  return lane_sum((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

template <class Vector, class Rest>
float sum_pairwise(Index first, Index last, Vector f, Rest rest) {
  if (last - first <= kLeaf) return sum_leaf(first, last, f, rest);
  const Index leaves = (last - first + kLeaf - 1) / kLeaf, middle = first + (leaves + 1) / 2 * kLeaf;
  return sum_pairwise(first, middle, f, rest) + sum_pairwise(middle, last, f, rest);
}

// Large sums: blocks on all threads, then the pairwise sum of their sums.
template <class Vector, class Rest>
float sum_blocks(Index n, Vector f, Rest rest) {
  if (n <= kGrain) return sum_pairwise(0, n, f, rest);
  const Index blocks = (n + kGrain - 1) / kGrain;
  const Scratch partial(blocks);
  parallel_ranges(n, kGrain, static_cast<double>(n), [&](Index first, Index last) { partial.data()[first / kGrain] = sum_pairwise(first, last, f, rest); });
  return sum(blocks, partial.data());
}

float sum_here(Index n, const float* x) {
  return sum_pairwise(0, n, [=](Index i) { return load(x + i); }, [=](Index i, long count) { return load_first(x + i, count); });
}

// Columns: out[i] = sum over s of x[s * inner + i] for one range of columns, pairwise over blocks of kRows rows.
constexpr long kRows = 32;

void add_rows(long rows, long width, const float* x, long step, float* out) {
  long i = 0;
  for (; i + 16 <= width; i += 16) {
    Float4 a{}, b{}, c{}, d{};
    const float* p = x + i;
    for (long row = 0; row < rows; ++row, p += step) a += load(p), b += load(p + 4), c += load(p + 8), d += load(p + 12);
    store(out + i, a), store(out + i + 4, b), store(out + i + 8, c), store(out + i + 12, d);
  }
  for (; i < width; i += 4) {
    const long count = std::min(4L, width - i);
    Float4 sum{};
    const float* p = x + i;
    for (long row = 0; row < rows; ++row, p += step) sum += count == 4 ? load(p) : load_first(p, count);
    store_first(out + i, sum, count);
  }
}

void sum_columns(long rows, long width, const float* x, long step, float* out) {
  if (rows <= kRows) return add_rows(rows, width, x, step, out);
  const long blocks = (rows + kRows - 1) / kRows, half = (blocks + 1) / 2 * kRows;
  const Scratch other(width);
  sum_columns(half, width, x, step, out);
  sum_columns(rows - half, width, x + half * step, step, other.data());
  for (long i = 0; i < width; ++i) out[i] += other.data()[i];
}

// One matrix (size x inner). Columns are cut into ranges, and long ones into blocks of rows, both by the sizes alone.
void sum_matrix(Index size, Index inner, const float* x, float* out) {
  constexpr Index kColumns = 256, kRowBlock = 1024;
  const Index column_blocks = (inner + kColumns - 1) / kColumns, row_blocks = std::max<Index>(1, (size + kRowBlock - 1) / kRowBlock);
  const Scratch partial(row_blocks > 1 ? row_blocks * inner : 0);
  float* target = row_blocks > 1 ? partial.data() : out;
  parallel_for(column_blocks * row_blocks, static_cast<double>(size) * static_cast<double>(inner), [&](Index block) {
    const Index column = block % column_blocks * kColumns, row = block / column_blocks * kRowBlock;
    sum_columns(static_cast<long>(std::min(kRowBlock, size - row)), static_cast<long>(std::min(kColumns, inner - column)), x + row * inner + column, static_cast<long>(inner),
                target + block / column_blocks * inner + column);
  });
  if (row_blocks > 1) sum_matrix(row_blocks, inner, partial.data(), out);
}

// Keeps the first of equal values; NaN beats all.
bool beats(float candidate, float best) { return candidate > best || (candidate != candidate && best == best); }

float max_row(Index n, const float* x, float sign) {
  const Float4 flip = splat(sign);
  Float4 best = flip * splat(x[0]);
  Index i = 0;
  for (; i + 4 <= n; i += 4) best = maximum(best, flip * load(x + i));
  float result = best[0];
  for (int lane = 1; lane < 4; ++lane)
    if (beats(best[lane], result)) result = best[lane];
  for (; i < n; ++i)
    if (beats(sign * x[i], result)) result = sign * x[i];
  return sign * result;
}

void extreme_axis(Index outer, Index size, Index inner, const float* x, float* out, float sign) {
  const double work = 2.0 * static_cast<double>(outer * size) * static_cast<double>(inner);
  parallel_ranges(outer, std::max<Index>(1, kGrain / std::max<Index>(1, size * inner)), work, [&](Index first, Index last) {
    for (Index o = first; o < last; ++o) {
      const float* source = x + o * size * inner;
      float* target = out + o * inner;
      if (inner == 1) {
        *target = max_row(size, source, sign);
        continue;
      }
      std::copy(source, source + inner, target);
      for (Index s = 1; s < size; ++s) {
        const float* row = source + s * inner;
        Index i = 0;
        for (; i + 4 <= inner; i += 4) store(target + i, sign > 0 ? maximum(load(target + i), load(row + i)) : minimum(load(target + i), load(row + i)));
        for (; i < inner; ++i)
          if (beats(sign * row[i], sign * target[i])) target[i] = row[i];
      }
    }
  });
}

}  // namespace

float sum(Index n, const float* x) {
  return sum_blocks(n, [=](Index i) { return load(x + i); }, [=](Index i, long count) { return load_first(x + i, count); });
}

float sum_of_squares(Index n, const float* x) { return dot(n, x, x); }

float dot(Index n, const float* a, const float* b) {
  return sum_blocks(n, [=](Index i) { return load(a + i) * load(b + i); }, [=](Index i, long count) { return load_first(a + i, count) * load_first(b + i, count); });
}

void sum_axis(Index outer, Index size, Index inner, const float* x, float* out) {
  if (outer == 1 && inner == 1) {
    *out = sum(size, x);
  } else if (outer == 1) {
    sum_matrix(size, inner, x, out);
  } else {
    const double work = static_cast<double>(outer * size) * static_cast<double>(inner);
    parallel_ranges(outer, std::max<Index>(1, kGrain / std::max<Index>(1, size * inner)), work, [&](Index first, Index last) {
      for (Index o = first; o < last; ++o) {
        if (inner == 1) {
          out[o] = sum_here(size, x + o * size);
        } else {
          sum_columns(static_cast<long>(size), static_cast<long>(inner), x + o * size * inner, static_cast<long>(inner), out + o * inner);
        }
      }
    });
  }
}

void sum_channels(Index batch, Index channels, Index inner, const float* x, float* out) {
  if (inner == 1) return sum_axis(1, batch, channels, x, out);
  const double work = static_cast<double>(batch * channels) * static_cast<double>(inner);
  parallel_for(channels, work, [&](Index channel) {
    const Scratch partial(batch);
    for (Index b = 0; b < batch; ++b) partial.data()[b] = sum_here(inner, x + (b * channels + channel) * inner);
    out[channel] = sum_here(batch, partial.data());
  });
}

void max_axis(Index outer, Index size, Index inner, const float* x, float* out) { extreme_axis(outer, size, inner, x, out, 1); }
void min_axis(Index outer, Index size, Index inner, const float* x, float* out) { extreme_axis(outer, size, inner, x, out, -1); }

void argmax_axis(Index outer, Index size, Index inner, const float* x, int32_t* out) {
  const double work = 2.0 * static_cast<double>(outer * size) * static_cast<double>(inner);
  parallel_ranges(outer, std::max<Index>(1, kGrain / std::max<Index>(1, size * inner)), work, [&](Index first, Index last) {
    for (Index o = first; o < last; ++o)
      for (Index i = 0; i < inner; ++i) {
        const float* source = x + o * size * inner + i;
        float best = source[0];
        Index place = 0;
        for (Index s = 1; s < size; ++s)
          if (beats(source[s * inner], best)) best = source[s * inner], place = s;
        out[o * inner + i] = static_cast<int32_t>(place);
      }
  });
}

}  // namespace gradbook::kernels
