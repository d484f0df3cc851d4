#include "kernels/gemm_pack.h"

#include <algorithm>

#include "kernels/simd.h"

namespace gradbook::kernels {
namespace {

// Lines next to each other in memory: a panel group is a piece of memory as it lies.
template <int kWidth>
__attribute__((noinline)) void copy_groups(const float* __restrict source, long step_stride, long k, float* __restrict panel) {
  for (long step = 0; step < k; ++step, source += step_stride, panel += kWidth) {
    store(panel, load(source));
    if constexpr (kWidth == 8) store(panel + 4, load(source + 4));
    if constexpr (kWidth == 6) store_low(panel + 4, load_low(source + 4));
  }
}

// Steps next to each other in memory: four lines by four steps are turned at a time. Returns the number of steps done.
// Missing lines repeat the last one: nobody looks at their products.
template <int kWidth>
__attribute__((noinline)) long turn_groups(const float* source, long line_stride, long count, long k, float* __restrict panel) {
  const float* line[kWidth];
  for (long i = 0; i < kWidth; ++i) line[i] = source + std::min(i, count - 1) * line_stride;
  long step = 0;
  for (; step + 4 <= k; step += 4, panel += 4 * kWidth) {
    Float4 a = load(line[0] + step), b = load(line[1] + step), c = load(line[2] + step), d = load(line[3] + step);
    transpose(a, b, c, d);
    store(panel, a);
    store(panel + kWidth, b);
    store(panel + 2 * kWidth, c);
    store(panel + 3 * kWidth, d);
    if constexpr (kWidth == 8) {
      a = load(line[4] + step), b = load(line[5] + step), c = load(line[6] + step), d = load(line[7] + step);
      transpose(a, b, c, d);
      store(panel + 4, a);
      store(panel + 12, b);
      store(panel + 20, c);
      store(panel + 28, d);
    }
    if constexpr (kWidth == 6) {
      const Float4 e = load(line[4] + step), f = load(line[5] + step);
      const Float4 low = interleave_low(e, f), high = interleave_high(e, f);
      store_low(panel + 4, low);
      store_high(panel + 10, low);
      store_low(panel + 16, high);
      store_high(panel + 22, high);
    }
  }
  return step;
}

template <int kWidth>
__attribute__((noinline)) void gather_groups(const float* source, long line_stride, long step_stride, long count, long k, float* panel) {
  for (long step = 0; step < k; ++step, source += step_stride, panel += kWidth)
    for (long line = 0; line < kWidth; ++line) panel[line] = source[std::min(line, count - 1) * line_stride];
}

}  // namespace

template <int kWidth>
void pack_panel(const float* source, long line_stride, long step_stride, long count, long k, float* panel) {
  if (line_stride == 1) return copy_groups<kWidth>(source, step_stride, k, panel);
  const long done = step_stride == 1 ? turn_groups<kWidth>(source, line_stride, count, k, panel) : 0;
  gather_groups<kWidth>(source + done * step_stride, line_stride, step_stride, count, k - done, panel + done * kWidth);
}

template void pack_panel<4>(const float*, long, long, long, long, float*);
template void pack_panel<6>(const float*, long, long, long, long, float*);
template void pack_panel<8>(const float*, long, long, long, long, float*);

void pack_rows(const float* source, long row_stride, long step_stride, long rows, RowPanels cut, long k, float* packed) {
  long row = 0;
  for (long panel = 0; panel < cut.sixes; ++panel, row += 6, packed += 6 * k)
    pack_panel<6>(source + row * row_stride, row_stride, step_stride, std::min(6L, rows - row), k, packed);
  for (long panel = 0; panel < cut.fours; ++panel, row += 4, packed += 4 * k)
    pack_panel<4>(source + row * row_stride, row_stride, step_stride, std::min(4L, rows - row), k, packed);
}

}  // namespace gradbook::kernels
