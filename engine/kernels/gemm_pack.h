// Packing of matrix operands into panels: k groups of `width` floats, so that a register tile reads memory in order.
#pragma once

#include "kernels/gemm_tile.h"

namespace gradbook::kernels {

/// Packs lines 0..count-1 (rows of A, columns of B), each of length k, into one panel of kWidth lines; the missing ones hold
/// anything. Element (line, step) lies at source[line * line_stride + step * step_stride]. May read 7 floats past the last one.
template <int kWidth>
void pack_panel(const float* source, long line_stride, long step_stride, long count, long k, float* panel);

extern template void pack_panel<4>(const float*, long, long, long, long, float*);
extern template void pack_panel<6>(const float*, long, long, long, long, float*);
extern template void pack_panel<8>(const float*, long, long, long, long, float*);

/// Packs a block of `rows` rows of A into the panels of cut_rows(rows), one after another.
void pack_rows(const float* source, long row_stride, long step_stride, long rows, RowPanels cut, long k, float* packed);

}  // namespace gradbook::kernels
