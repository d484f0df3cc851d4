// Register tiles of matrix products: the innermost loops, on packed panels. gemm.cpp and the convolutions drive them.
#pragma once

#include <cstddef>

namespace gradbook::kernels {

/// Columns of a tile: two vectors.
inline constexpr int kTileColumns = 8;

/// What happens to a tile's sums before they are stored: relu(sum + (column_bias[column] + row_bias[row])).
struct TileEnd {
  const float* column_bias;  // eight; null: none
  const float* row_bias;     // one per row; null: none
  bool relu;                 // NaN passes
};

// C[kRows, 8] = A panel * B panel, plus C when `accumulate`, and then what `end` says (null: nothing). `a` holds k groups of kRows
// floats, `b` k groups of 8 floats, each `b_step` floats after the last; C has rows of 8 floats `c_stride` apart. Never inlined: V8
// optimizes a function that is called often, and gives a small one all its registers.
template <int kRows>
void multiply_tile(long k, const float* a, const float* b, long b_step, float* c, long c_stride, bool accumulate, const TileEnd* end = nullptr);

extern template void multiply_tile<6>(long, const float*, const float*, long, float*, long, bool, const TileEnd*);
extern template void multiply_tile<4>(long, const float*, const float*, long, float*, long, bool, const TileEnd*);
extern template void multiply_tile<2>(long, const float*, const float*, long, float*, long, bool, const TileEnd*);

/// The same with A not packed: `rows` (1..kRows) lines of k floats, `a_stride` apart. For few columns, where packing A takes as long as
/// some of them. The sums have the same bits; lines of C beyond `rows` get anything.
template <int kRows>
void multiply_lines(long k, const float* a, long a_stride, long rows, const float* b, float* c, long c_stride, bool accumulate, const TileEnd* end = nullptr);

extern template void multiply_lines<6>(long, const float*, long, long, const float*, float*, long, bool, const TileEnd*);
extern template void multiply_lines<4>(long, const float*, long, long, const float*, float*, long, bool, const TileEnd*);

/// How many rows of panels a block of `rows` is cut into: `sixes` panels of 6 rows, then `fours` of 4, the last one padded when
/// rows is odd or below 4. No even number of rows from 4 on needs padding.
struct RowPanels {
  long sixes = 0, fours = 0;
  long padded_rows() const { return sixes * 6 + fours * 4; }
};
RowPanels cut_rows(long rows, bool allow_sixes = true);

}  // namespace gradbook::kernels
