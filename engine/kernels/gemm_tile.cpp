#include "kernels/gemm_tile.h"

#include "kernels/simd.h"

namespace gradbook::kernels {

// What is left to do with a tile's sums.
template <int kRows>
GRADBOOK_INLINE void finish_sums(Float4 (&sum)[kRows][2], float* __restrict c, long c_stride, bool accumulate, const TileEnd* end) {
  if (accumulate) {
    for (int i = 0; i < kRows; ++i) {
      sum[i][0] += load(c + i * c_stride);
      sum[i][1] += load(c + i * c_stride + 4);
    }
  }
  if (end) {
    const Float4 left = end->column_bias ? load(end->column_bias) : Float4{}, right = end->column_bias ? load(end->column_bias + 4) : Float4{};
    for (int i = 0; i < kRows; ++i) {
      const Float4 bias = end->row_bias ? load_splat(end->row_bias + i) : Float4{};
      sum[i][0] += left + bias;
      sum[i][1] += right + bias;
    }
    if (end->relu)
      for (int i = 0; i < kRows; ++i) {
        sum[i][0] = raise_to(sum[i][0], Float4{});
        sum[i][1] = raise_to(sum[i][1], Float4{});
      }
  }
  for (int i = 0; i < kRows; ++i) {
    store(c + i * c_stride, sum[i][0]);
    store(c + i * c_stride + 4, sum[i][1]);
  }
}

template <int kRows>
__attribute__((noinline)) void multiply_tile(long k, const float* __restrict a, const float* __restrict b, long b_step, float* __restrict c, long c_stride,
                                             bool accumulate, const TileEnd* end) {
  Float4 sum[kRows][2];
  for (int i = 0; i < kRows; ++i) sum[i][0] = sum[i][1] = Float4{};
  // Unrolling this loop makes V8 spill: measured at half the speed.
#pragma clang loop unroll_count(1)
  for (long step = 0; step < k; ++step) {
    const Float4 left = load(b), right = load(b + 4);
    for (int i = 0; i < kRows; ++i) {
      const Float4 factor = load_splat(a + i);
      sum[i][0] = madd(factor, left, sum[i][0]);
      sum[i][1] = madd(factor, right, sum[i][1]);
    }
    a += kRows;
    b += b_step;
  }
  finish_sums<kRows>(sum, c, c_stride, accumulate, end);
}

template <int kRows>
__attribute__((noinline)) void multiply_lines(long k, const float* __restrict a, long a_stride, long rows, const float* __restrict b, float* __restrict c, long c_stride,
                                              bool accumulate, const TileEnd* end) {
  Float4 sum[kRows][2];
  const float* line[kRows];
  for (int i = 0; i < kRows; ++i) sum[i][0] = sum[i][1] = Float4{}, line[i] = a + (i < rows ? i : rows - 1) * a_stride;
#pragma clang loop unroll_count(1)
  for (long step = 0; step < k; ++step) {
    const Float4 left = load(b), right = load(b + 4);
    for (int i = 0; i < kRows; ++i) {
      const Float4 factor = load_splat(line[i] + step);
      sum[i][0] = madd(factor, left, sum[i][0]);
      sum[i][1] = madd(factor, right, sum[i][1]);
    }
    b += kTileColumns;
  }
  finish_sums<kRows>(sum, c, c_stride, accumulate, end);
}

template void multiply_tile<6>(long, const float*, const float*, long, float*, long, bool, const TileEnd*);
template void multiply_tile<4>(long, const float*, const float*, long, float*, long, bool, const TileEnd*);
template void multiply_tile<2>(long, const float*, const float*, long, float*, long, bool, const TileEnd*);
template void multiply_lines<6>(long, const float*, long, long, const float*, float*, long, bool, const TileEnd*);
template void multiply_lines<4>(long, const float*, long, long, const float*, float*, long, bool, const TileEnd*);

RowPanels cut_rows(long rows, bool allow_sixes) {
  if (!allow_sixes) return {0, (rows + 3) / 4};
  const long even = rows + rows % 2;
  switch (even % 6) {
    case 0: return {even / 6, 0};
    case 4: return {even / 6, 1};
    default: return even == 2 ? RowPanels{0, 1} : RowPanels{even / 6 - 1, 2};
  }
}

}  // namespace gradbook::kernels
