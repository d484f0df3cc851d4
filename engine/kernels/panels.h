// Products whose factors are packed by the caller, who uses one of them again and again: what gemm.h is made of, without its blocks
// for the caches. For factors that fit in the second cache.
#pragma once

#include "kernels/gemm_pack.h"

namespace gradbook::kernels {

/// `size` columns with those that fill the last panel up.
inline long panel_columns(long size) { return (size + kTileColumns - 1) / kTileColumns * kTileColumns; }

/// Rows of A as panels for the tile in use.
RowPanels cut_panels(long rows);

/// Packs B (k, columns) as panels of eight columns, panel_columns(columns) * k floats. Element (step, column) lies at
/// b[step * step_stride + column * column_stride]. May read 7 floats past the last one.
void pack_columns(const float* b, long column_stride, long step_stride, long columns, long k, float* packed);

/// C = A B, or C += A B, with A packed by pack_rows() and B by pack_columns(). C has cut.padded_rows() rows of `width` =
/// panel_columns(columns) floats; what lies beyond the rows and columns asked for gets anything.
void multiply_panels(RowPanels cut, long k, const float* packed_a, const float* packed_b, long width, float* c, bool accumulate);

/// The same, C = A B, with `rows` rows of A where they lie, `a_stride` floats apart.
void multiply_rows(long rows, long k, const float* a, long a_stride, const float* packed_b, long width, float* c);

}  // namespace gradbook::kernels
