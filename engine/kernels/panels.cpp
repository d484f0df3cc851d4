#include "kernels/panels.h"

#include <algorithm>

#include "kernels/gemm.h"

namespace gradbook::kernels {

RowPanels cut_panels(long rows) { return cut_rows(rows, gemm_tile() == Tile::k6x8); }

void pack_columns(const float* b, long column_stride, long step_stride, long columns, long k, float* packed) {
  for (long column = 0; column < columns; column += kTileColumns)
    pack_panel<kTileColumns>(b + column * column_stride, column_stride, step_stride, std::min<long>(kTileColumns, columns - column), k, packed + column * k);
}

// Columns outermost: their panel of B stays in the first cache.
void multiply_panels(RowPanels cut, long k, const float* packed_a, const float* packed_b, long width, float* c, bool accumulate) {
  for (long column = 0; column < width; column += kTileColumns) {
    const float *a = packed_a, *b = packed_b + column * k;
    float* to = c + column;
    for (long panel = 0; panel < cut.sixes; ++panel, a += 6 * k, to += 6 * width) multiply_tile<6>(k, a, b, kTileColumns, to, width, accumulate);
    for (long panel = 0; panel < cut.fours; ++panel, a += 4 * k, to += 4 * width) multiply_tile<4>(k, a, b, kTileColumns, to, width, accumulate);
  }
}

void multiply_rows(long rows, long k, const float* a, long a_stride, const float* packed_b, long width, float* c) {
  const RowPanels cut = cut_panels(rows);
  for (long column = 0; column < width; column += kTileColumns) {
    const float* b = packed_b + column * k;
    long row = 0;
    for (long panel = 0; panel < cut.sixes; ++panel, row += 6) multiply_lines<6>(k, a + row * a_stride, a_stride, std::min(6L, rows - row), b, c + row * width + column, width, false);
    for (long panel = 0; panel < cut.fours; ++panel, row += 4) multiply_lines<4>(k, a + row * a_stride, a_stride, std::min(4L, rows - row), b, c + row * width + column, width, false);
  }
}

}  // namespace gradbook::kernels
