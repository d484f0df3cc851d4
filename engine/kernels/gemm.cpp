#include "kernels/gemm.h"

#include <algorithm>

#include "kernels/gemm_pack.h"
#include "kernels/scratch.h"
#include "kernels/simd.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

// Sizes of blocks, in rows, columns and steps. A panel of B (kStepBlock * 8 floats) stays in L1 while a row block of A passes
// over it from L2; the packed blocks of one round fit in L2.
constexpr long kRowBlock = 96, kRowSlab = 4 * kRowBlock, kColumnSlab = 1024, kStepBlock = 384;
constexpr long kFewColumns = 64;    // for so many, rows of A are read where they lie
constexpr long kPanelsPerPack = 4;  // panels that one block of packing work holds
constexpr long kRowUnit = 12;       // blocks of so many rows have no padding, whichever tile is used
constexpr long kStaysNear = 81920;  // floats of packed A that stay in the second cache while all columns pass by

Tile chosen_tile = Tile::k6x8;

struct Problem {
  long m, n, k;
  ConstMatrix a, b;
  Matrix c;
  Epilogue epilogue;
};

/// One round of work: C[rows, columns] += A[rows, steps] B[steps, columns], all packed.
struct Round {
  long row, rows, column, columns, step, steps;
  bool first, last;  // of the rounds over k
};

long padded(long size, long unit) { return (size + unit - 1) / unit * unit; }

bool has_epilogue(const Epilogue& e) { return e.row_bias || e.column_bias || e.relu; }

// Turns the product C^T = B^T A^T, which is the same numbers in the other roles of rows and columns.
Problem turned(const Problem& p) {
  Problem t{p.n, p.m, p.k, p.b.transposed(), p.a.transposed(), {p.c.data, p.c.column_stride, p.c.row_stride}, p.epilogue};
  std::swap(t.epilogue.row_bias, t.epilogue.column_bias);
  return t;
}

double tile_area(long m, long n) { return static_cast<double>(cut_rows(m).padded_rows()) * static_cast<double>(padded(n, kTileColumns)); }

// The roles that waste the fewest lanes; where C's rows are not contiguous the other roles also store quicker.
Problem best_roles(const Problem& p) {
  if (p.m == 1 && p.n == 1) return p;
  double as_is = tile_area(p.m, p.n), other = tile_area(p.n, p.m);
  if (p.c.column_stride != 1) as_is *= 1.05;
  if (p.c.row_stride != 1) other *= 1.05;
  return other < as_is ? turned(p) : p;
}

bool packs_rows(const Problem& p) { return p.a.column_stride != 1 || p.n > kFewColumns; }

// Stores the finished sums of a tile with the epilogue. `sums`: rows of 8.
void finish_tile(const Problem& p, long row, long column, long rows, long columns, bool add, bool last, float* sums) {
  const Epilogue& e = p.epilogue;
  const long row_stride = static_cast<long>(p.c.row_stride), column_stride = static_cast<long>(p.c.column_stride);
  float* c = p.c.data + row * row_stride + column * column_stride;
  if (add)
    for (long i = 0; i < rows; ++i)
      for (long j = 0; j < columns; ++j) sums[i * kTileColumns + j] += c[i * row_stride + j * column_stride];
  if (last && has_epilogue(e)) {
    Float4 left{}, right{};
    if (e.column_bias) left = load_first(e.column_bias + column, std::min(columns, 4L)), right = load_first(e.column_bias + column + 4, std::max(columns - 4, 0L));
    for (long i = 0; i < rows; ++i) {
      const Float4 bias = splat(e.row_bias ? e.row_bias[row + i] : 0.0f);
      float* s = sums + i * kTileColumns;
      Float4 x = load(s) + (left + bias), y = load(s + 4) + (right + bias);
      if (e.relu) x = raise_to(x, Float4{}), y = raise_to(y, Float4{});
      store(s, x);
      store(s + 4, y);
    }
  }
  if (column_stride == 1 && columns == kTileColumns) {
    for (long i = 0; i < rows; ++i) {
      store(c + i * row_stride, load(sums + i * kTileColumns));
      store(c + i * row_stride + 4, load(sums + i * kTileColumns + 4));
    }
  } else {
    for (long j = 0; j < columns; ++j)
      for (long i = 0; i < rows; ++i) c[i * row_stride + j * column_stride] = sums[i * kTileColumns + j];
  }
}

template <int kRows>
void sum_tile(const Problem& p, const Round& r, long row, long rows, const float* a, const float* b, float* c, long c_stride, bool add, const TileEnd* end) {
  if (packs_rows(p)) return multiply_tile<kRows>(r.steps, a, b, kTileColumns, c, c_stride, add, end);
  multiply_lines<kRows>(r.steps, p.a.data + row * p.a.row_stride + r.step, static_cast<long>(p.a.row_stride), rows, b, c, c_stride, add, end);
}

template <int kRows>
void one_tile(const Problem& p, const Round& r, long row, long rows, const float* a, long column, const float* b) {
  const long columns = std::min<long>(kTileColumns, p.n - column);
  const bool add = !r.first || p.epilogue.accumulate;
  if (p.c.column_stride == 1 && columns == kTileColumns && rows == kRows) {
    const Epilogue& e = p.epilogue;
    const TileEnd end{e.column_bias ? e.column_bias + column : nullptr, e.row_bias ? e.row_bias + row : nullptr, e.relu};
    sum_tile<kRows>(p, r, row, rows, a, b, p.c.data + row * p.c.row_stride + column, static_cast<long>(p.c.row_stride), add, r.last && has_epilogue(e) ? &end : nullptr);
  } else {
    alignas(16) float sums[kRows * kTileColumns];
    sum_tile<kRows>(p, r, row, rows, a, b, sums, kTileColumns, false, nullptr);
    finish_tile(p, row, column, rows, columns, add, r.last, sums);
  }
}

// All tiles of some panels of rows, from `row` on, under one panel of B.
void multiply_panel(const Problem& p, const Round& r, RowPanels cut, long row, const float* packed_a, long column, const float* b) {
  const long row_end = std::min(row + kRowBlock, r.row + r.rows);
  const float* a = packed_a;
  for (long panel = 0; panel < cut.sixes; ++panel, row += 6, a += 6 * r.steps) one_tile<6>(p, r, row, std::min(6L, row_end - row), a, column, b);
  for (long panel = 0; panel < cut.fours; ++panel, row += 4, a += 4 * r.steps) one_tile<4>(p, r, row, std::min(4L, row_end - row), a, column, b);
}

RowPanels cut_block(long rows) { return cut_rows(rows, chosen_tile == Tile::k6x8); }

// Packs the rows of A in panels first..last-1 of a block that is cut like `cut`.
void pack_row_panels(const float* source, long row_stride, long step_stride, long rows, RowPanels cut, long first, long last, long k, float* packed) {
  for (long panel = first; panel < std::min(last, cut.sixes + cut.fours); ++panel) {
    const bool six = panel < cut.sixes;
    const long row = six ? 6 * panel : 6 * cut.sixes + 4 * (panel - cut.sixes), count = std::min(six ? 6L : 4L, rows - row);
    (six ? pack_panel<6> : pack_panel<4>)(source + row * row_stride, row_stride, step_stride, count, k, packed + row * k);
  }
}

long pieces(long count, long size) { return (count + size - 1) / size; }

// Columns of B that one block of work has, in panels: enough blocks for the threads to end at the same time, none of a microsecond.
long panels_per_block(long rows, long panels, long steps) {
  constexpr double kShortest = 1e5;  // operations
  constexpr long kBlocks = 16;
  const double of_one = 2.0 * kTileColumns * static_cast<double>(rows) * static_cast<double>(steps);
  return std::clamp(std::max(pieces(panels, kBlocks), static_cast<long>(kShortest / of_one)), 1L, panels);
}

void run_round(const Problem& p, const Round& r, bool pack_b, float* packed_a, float* packed_b) {
  // Blocks of the same size, so that no thread has the only large one.
  const long block_rows = padded(pieces(r.rows, pieces(r.rows, kRowBlock)), kRowUnit), row_blocks = pieces(r.rows, block_rows);
  const long panels = pieces(r.columns, kTileColumns);
  const long b_packs = pack_b ? pieces(panels, kPanelsPerPack) : 0;
  const ConstMatrix &a = p.a, &b = p.b;
  const long a_row = static_cast<long>(a.row_stride), a_step = static_cast<long>(a.column_stride);
  const long b_step = static_cast<long>(b.row_stride), b_column = static_cast<long>(b.column_stride);
  const float* a_start = a.data + r.row * a_row + r.step * a_step;
  const float* b_start = b.data + r.step * b_step + r.column * b_column;

  const long packs_per_block = pieces(block_rows / 4, kPanelsPerPack), a_packs = packs_rows(p) ? row_blocks * packs_per_block : 0;
  const double moved = 4.0 * static_cast<double>(r.steps) * static_cast<double>((a_packs ? r.rows : 0) + (pack_b ? r.columns : 0));
  parallel_for(a_packs + b_packs, moved, [&](Index block) {
    if (block < a_packs) {
      const long row = static_cast<long>(block) / packs_per_block * block_rows, rows = std::min(block_rows, r.rows - row), first = static_cast<long>(block) % packs_per_block * kPanelsPerPack;
      pack_row_panels(a_start + row * a_row, a_row, a_step, rows, cut_block(rows), first, first + kPanelsPerPack, r.steps, packed_a + row * r.steps);
    } else {
      const long first = static_cast<long>(block - a_packs) * kPanelsPerPack;
      for (long panel = first; panel < std::min(panels, first + kPanelsPerPack); ++panel) {
        const long column = panel * kTileColumns;
        pack_panel<kTileColumns>(b_start + column * b_column, b_column, b_step, std::min<long>(kTileColumns, r.columns - column), r.steps, packed_b + column * r.steps);
      }
    }
  });

  // Few row blocks: the columns are cut too, so that there is something to share.
  const long block_panels = panels_per_block(block_rows, panels, r.steps) * row_blocks, column_blocks = pieces(panels, block_panels);
  const double flops = 2.0 * static_cast<double>(r.rows) * static_cast<double>(r.columns) * static_cast<double>(r.steps);
  parallel_for(row_blocks * column_blocks, flops, [&](Index block) {
    const long row = static_cast<long>(block / column_blocks) * block_rows;
    const RowPanels cut = cut_block(std::min(block_rows, r.rows - row));
    const long first = static_cast<long>(block % column_blocks) * block_panels, last = std::min(panels, first + block_panels);
    // Columns outermost: their panel of B stays in L1.
    for (long panel = first; panel < last; ++panel)
      multiply_panel(p, r, cut, r.row + row, packed_a + row * r.steps, r.column + panel * kTileColumns, packed_b + panel * kTileColumns * r.steps);
  });
}

// A has one block of rows: each panel of B is needed once, and packed by the thread that needs it, when it does.
void multiply_one_block(const Problem& p, long steps) {
  const RowPanels cut = cut_block(p.m);
  const long row_panels = cut.sixes + cut.fours, padded_rows = cut.padded_rows(), rounds = pieces(p.k, steps);
  const long a_row = static_cast<long>(p.a.row_stride), a_step = static_cast<long>(p.a.column_stride);
  const long b_step = static_cast<long>(p.b.row_stride), b_column = static_cast<long>(p.b.column_stride);
  const bool packs = packs_rows(p);
  const Scratch packed_a(packs ? padded_rows * p.k : 0);
  const long packs_per_round = packs ? pieces(row_panels, kPanelsPerPack) : 0;
  parallel_for(rounds * packs_per_round, 4.0 * static_cast<double>(p.m) * static_cast<double>(p.k), [&](Index block) {
    const long step = static_cast<long>(block) / packs_per_round * steps, first = static_cast<long>(block) % packs_per_round * kPanelsPerPack;
    pack_row_panels(p.a.data + step * a_step, a_row, a_step, p.m, cut, first, first + kPanelsPerPack, std::min(steps, p.k - step), packed_a.data() + padded_rows * step);
  });
  const long panels = pieces(p.n, kTileColumns), block_panels = panels_per_block(p.m, panels, p.k);
  parallel_for(pieces(panels, block_panels), 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k), [&](Index block) {
    const Scratch packed_b(kTileColumns * steps);
    const long first = static_cast<long>(block) * block_panels, last = std::min(panels, first + block_panels);
    for (long panel = first; panel < last; ++panel) {
      const long column = panel * kTileColumns;
      for (long step = 0; step < p.k; step += steps) {
        const Round round{0, p.m, 0, p.n, step, std::min(steps, p.k - step), step == 0, step + steps >= p.k};
        pack_panel<kTileColumns>(p.b.data + column * b_column + step * b_step, b_column, b_step, std::min<long>(kTileColumns, p.n - column), round.steps, packed_b.data());
        multiply_panel(p, round, cut, 0, packed_a.data() + padded_rows * step, column, packed_b.data());
      }
    }
  });
}

// k = 0: the product is all zeros.
void store_nothing(const Problem& p) {
  for (long i = 0; i < p.m; ++i)
    for (long j = 0; j < p.n; ++j) {
      float sums[kTileColumns] = {};
      finish_tile(p, i, j, 1, 1, p.epilogue.accumulate, true, sums);
    }
}

// All rows of up to eight columns from `column` on, of a product of a handful of elements. Step s of B lies at b + s * b_step.
void multiply_columns(const Problem& p, long column, long columns, const float* b, long b_step) {
  const long a_row = static_cast<long>(p.a.row_stride), a_step = static_cast<long>(p.a.column_stride);
  for (long row = 0; row < p.m; ++row) {
    const float *a = p.a.data + row * a_row, *from = b;
    alignas(16) float sums[kTileColumns];
    if (columns == 1) {
      Float4 sum{};
      for (long step = 0; step < p.k; ++step, a += a_step, from += b_step) sum = madd(load_splat(a), load_splat(from), sum);
      sums[0] = sum[0];
    } else {
      Float4 left{}, right{};
      for (long step = 0; step < p.k; ++step, a += a_step, from += b_step) {
        const Float4 factor = load_splat(a);
        left = madd(factor, load(from), left);
        right = madd(factor, load(from + 4), right);
      }
      store(sums, left);
      store(sums + 4, right);
    }
    finish_tile(p, row, column, 1, columns, p.epilogue.accumulate, true, sums);
  }
}

// A product of a handful of elements, without packing A, which would take longer than the product. The additions are those of
// the tiles in the same order, so the bits are the same.
void multiply_small(const Problem& p) {
  const long b_step = static_cast<long>(p.b.row_stride), b_column = static_cast<long>(p.b.column_stride);
  for (long column = 0; column < p.n; column += kTileColumns) {
    const long columns = std::min<long>(kTileColumns, p.n - column);
    const float* b = p.b.data + column * b_column;
    // Columns that lie side by side are read where they are, with what is behind the last; others are put side by side once.
    if (b_column == 1 || columns == 1) {
      multiply_columns(p, column, columns, b, b_step);
      continue;
    }
    const Scratch lines(p.k * kTileColumns);
    std::fill_n(lines.data(), p.k * kTileColumns, 0.0f);
    for (long i = 0; i < columns; ++i)
      for (long step = 0; step < p.k; ++step) lines.data()[step * kTileColumns + i] = b[step * b_step + i * b_column];
    multiply_columns(p, column, columns, lines.data(), kTileColumns);
  }
}

void multiply(const Problem& given) {
  if (given.m <= 0 || given.n <= 0) return;
  if (given.k <= 0) return store_nothing(given);
  const Problem p = best_roles(given);
  constexpr long kSmall = 256;  // multiplications of eight lanes
  const auto vectors = static_cast<Index>(p.m) * ((p.n + kTileColumns - 1) / kTileColumns);
  if (p.k <= kSmall && vectors <= kSmall && vectors * p.k <= kSmall) return multiply_small(p);
  const long rounds = (p.k + kStepBlock - 1) / kStepBlock;
  const long steps = (p.k + rounds - 1) / rounds;
  if (p.m <= kRowBlock && p.m * p.k <= kStaysNear) return multiply_one_block(p, steps);
  const Scratch packed_a((std::min(p.m, kRowSlab) + kRowBlock) * steps);
  const Scratch packed_b(padded(std::min(p.n, kColumnSlab), kTileColumns) * steps);
  for (long column = 0; column < p.n; column += kColumnSlab)
    for (long step = 0; step < p.k; step += steps)
      for (long row = 0; row < p.m; row += kRowSlab) {
        const Round round{row, std::min(kRowSlab, p.m - row), column, std::min(kColumnSlab, p.n - column), step, std::min(steps, p.k - step), step == 0, step + steps >= p.k};
        run_round(p, round, row == 0, packed_a.data(), packed_b.data());
      }
}

}  // namespace

void gemm(Index m, Index n, Index k, ConstMatrix a, ConstMatrix b, Matrix c, const Epilogue& epilogue) {
  multiply({static_cast<long>(m), static_cast<long>(n), static_cast<long>(k), a, b, c, epilogue});
}

void gemm_batched(Index batch, Index m, Index n, Index k, ConstMatrix a, const Index* a_offsets, ConstMatrix b, const Index* b_offsets, Matrix c,
                  const Index* c_offsets, const Epilogue& epilogue) {
  const double flops = 2.0 * static_cast<double>(m * n) * static_cast<double>(k);
  const auto one = [&](Index i) {
    gemm(m, n, k, {a.data + a_offsets[i], a.row_stride, a.column_stride}, {b.data + b_offsets[i], b.row_stride, b.column_stride},
         {c.data + c_offsets[i], c.row_stride, c.column_stride}, epilogue);
  };
  // Large products share their own insides; small ones are shared out whole.
  if (flops > 2e7 && batch < 16) {
    for (Index i = 0; i < batch; ++i) one(i);
  } else {
    parallel_for(batch, flops * static_cast<double>(batch), one);
  }
}

void set_gemm_tile(Tile tile) { chosen_tile = tile; }
Tile gemm_tile() { return chosen_tile; }

}  // namespace gradbook::kernels
