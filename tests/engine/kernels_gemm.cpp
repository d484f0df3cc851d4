// Matrix products against plain loops in double: sizes, strides, epilogues, thread counts.
#include "kernels/gemm.h"

#include "kernels/threads.h"
#include "kernels_numbers.h"

namespace gradbook::kernels {
namespace {

using tests::Floats;
using tests::Numbers;

enum class Order { kRows, kColumns, kGaps };

// Strides of a rows x columns matrix and the floats it spans.
struct Layout {
  Index row_stride, column_stride, size;
};
Layout layout(Order order, Index rows, Index columns) {
  switch (order) {
    case Order::kRows: return {columns, 1, rows * columns};
    case Order::kColumns: return {1, rows, rows * columns};
    default: return {2 * columns + 3, 2, rows * (2 * columns + 3)};
  }
}

struct Case {
  Index m, n, k;
  Order a = Order::kRows, b = Order::kRows, c = Order::kRows;
  bool accumulate = false, row_bias = false, column_bias = false, relu = false;
};

void check(const Case& t, uint64_t seed) {
  SCOPED_TRACE(testing::Message() << t.m << "x" << t.n << "x" << t.k << " orders " << int(t.a) << int(t.b) << int(t.c) << " epilogue " << t.accumulate << t.row_bias
                                  << t.column_bias << t.relu << " seed " << seed);
  Numbers numbers(seed);
  const Layout la = layout(t.a, t.m, t.k), lb = layout(t.b, t.k, t.n), lc = layout(t.c, t.m, t.n);
  const Floats a(la.size, numbers), b(lb.size, numbers), rows(t.m, numbers), columns(t.n, numbers);
  Floats c(lc.size, numbers);
  std::vector<double> expected(static_cast<size_t>(lc.size));
  for (Index i = 0; i < lc.size; ++i) expected[static_cast<size_t>(i)] = c[i];
  for (Index i = 0; i < t.m; ++i)
    for (Index j = 0; j < t.n; ++j) {
      const Index at = i * lc.row_stride + j * lc.column_stride;
      double sum = t.accumulate ? c[at] : 0;
      for (Index s = 0; s < t.k; ++s) sum += static_cast<double>(a[i * la.row_stride + s * la.column_stride]) * b[s * lb.row_stride + j * lb.column_stride];
      if (t.row_bias) sum += rows[i];
      if (t.column_bias) sum += columns[j];
      if (t.relu && sum < 0) sum = 0;
      expected[static_cast<size_t>(at)] = sum;
    }
  Epilogue epilogue;
  epilogue.accumulate = t.accumulate;
  epilogue.row_bias = t.row_bias ? rows.data() : nullptr;
  epilogue.column_bias = t.column_bias ? columns.data() : nullptr;
  epilogue.relu = t.relu;
  gemm(t.m, t.n, t.k, {a.data(), la.row_stride, la.column_stride}, {b.data(), lb.row_stride, lb.column_stride}, {c.data(), lc.row_stride, lc.column_stride}, epilogue);
  EXPECT_LT(tests::difference(expected, c), 2e-6);
  EXPECT_TRUE(c.tail_untouched());
}

TEST(Gemm, ProductsOfRandomSizesAndOrdersAgreeWithPlainLoops) {
  Numbers numbers(1);
  for (uint64_t round = 0; round < 300; ++round) {
    Case t{numbers.between(1, 40), numbers.between(1, 40), numbers.between(1, 60)};
    t.a = static_cast<Order>(numbers.between(0, 2));
    t.b = static_cast<Order>(numbers.between(0, 2));
    t.c = static_cast<Order>(numbers.between(0, 2));
    t.accumulate = numbers.between(0, 1);
    if (!t.accumulate) t.row_bias = numbers.between(0, 1), t.column_bias = numbers.between(0, 1), t.relu = numbers.between(0, 1);
    check(t, round);
  }
}

TEST(Gemm, SizesAroundEveryBlockBoundaryAgree) {
  for (Index m : {1, 2, 95, 96, 97, 110, 385}) check({m, 9, 17}, 7);
  // A of one block of rows that stays in the cache, and one that does not.
  for (Index k : {853, 854}) check({96, 70, k, Order::kColumns, Order::kColumns, Order::kRows, true}, 12);
  for (Index n : {1, 7, 8, 9, 1023, 1025}) check({5, n, 11}, 8);
  for (Index k : {383, 384, 385, 770}) check({13, 11, k, Order::kColumns, Order::kColumns, Order::kRows, false, true, true, true}, 9);
  for (Index k : {385, 770}) check({13, 11, k, Order::kRows, Order::kRows, Order::kRows, true}, 10);
  check({200, 1100, 390, Order::kColumns, Order::kColumns}, 11);
}

TEST(Gemm, EmptySizesWriteNothingOrZeros) {
  check({0, 5, 3}, 1);
  check({5, 0, 3}, 1);
  check({3, 5, 0}, 1);
  check({3, 5, 0, Order::kRows, Order::kRows, Order::kGaps, false, true, true, true}, 1);
  check({3, 5, 0, Order::kRows, Order::kRows, Order::kRows, true}, 1);
}

TEST(Gemm, RepeatedRowsAndColumnsAreStridesOfZero) {
  Numbers numbers(3);
  const Floats a(7, numbers), b(9, numbers);
  Floats c(5 * 6);
  gemm(5, 6, 7, {a.data(), 0, 1}, {b.data(), 1, 0}, {c.data(), 6, 1});
  double sum = 0;
  for (Index s = 0; s < 7; ++s) sum += static_cast<double>(a[s]) * b[s];
  EXPECT_LT(tests::difference(std::vector<double>(30, sum), c), 1e-6);
}

TEST(Gemm, NanAndInfinityPassThroughProductAndRelu) {
  Floats a(2, 1.0f), b(2, 1.0f), c(1);
  a[0] = std::nanf("");
  Epilogue relu;
  relu.relu = true;
  gemm(1, 1, 2, {a.data(), 2, 1}, {b.data(), 1, 1}, {c.data(), 1, 1}, relu);
  EXPECT_TRUE(std::isnan(c[0]));
  a[0] = INFINITY;
  gemm(1, 1, 2, {a.data(), 2, 1}, {b.data(), 1, 1}, {c.data(), 1, 1}, relu);
  EXPECT_EQ(c[0], INFINITY);
}

TEST(Gemm, ResultsAreTheSameBitsWithAnyThreadCountAndTile) {
  struct Size {
    Index m, n, k;
  };
  for (const auto& [m, n, k] : {Size{301, 407, 500}, {96, 130, 800}, {64, 120, 256}, {10, 64, 784}, {120, 256, 64}, {400, 90, 70}}) {
    SCOPED_TRACE(testing::Message() << m << "x" << n << "x" << k);
    Numbers numbers(5);
    const Floats a(m * k, numbers), b(k * n, numbers);
    Floats one(m * n), many(m * n), fours(m * n);
    const auto product = [&](Floats& c) { gemm(m, n, k, {a.data(), k, 1}, {b.data(), n, 1}, {c.data(), n, 1}); };
    set_thread_count(1);
    product(one);
    set_thread_count(3);
    product(many);
    set_thread_count(1);
    set_gemm_tile(Tile::k4x8);
    product(fours);
    set_gemm_tile(Tile::k6x8);
    EXPECT_TRUE(one.same_bits(many));
    EXPECT_TRUE(one.same_bits(fours));
  }
}

// Whole tiles add them in registers, those at an edge in memory; the last of several rounds over k adds them once.
TEST(Gemm, BiasesAndReluComeAfterTheWholeSumWithTheSameBitsInEveryTile) {
  for (const Case& t : {Case{31, 45, 64}, {12, 16, 500}, {6, 8, 900}, {29, 7, 40}}) {
    for (int parts = 1; parts < 8; ++parts) {
      SCOPED_TRACE(testing::Message() << t.m << "x" << t.n << "x" << t.k << " epilogue " << parts);
      Numbers numbers(8);
      const Floats a(t.m * t.k, numbers), b(t.k * t.n, numbers), rows(t.m, numbers), columns(t.n, numbers);
      Floats plain(t.m * t.n), whole(t.m * t.n);
      Epilogue epilogue;
      epilogue.row_bias = parts & 1 ? rows.data() : nullptr;
      epilogue.column_bias = parts & 2 ? columns.data() : nullptr;
      epilogue.relu = parts & 4;
      gemm(t.m, t.n, t.k, {a.data(), t.k, 1}, {b.data(), t.n, 1}, {plain.data(), t.n, 1});
      gemm(t.m, t.n, t.k, {a.data(), t.k, 1}, {b.data(), t.n, 1}, {whole.data(), t.n, 1}, epilogue);
      for (Index i = 0; i < t.m; ++i)
        for (Index j = 0; j < t.n; ++j) {
          float sum = plain[i * t.n + j];
          if (parts & 3) sum += (parts & 2 ? columns[j] : 0.0f) + (parts & 1 ? rows[i] : 0.0f);
          EXPECT_EQ(whole[i * t.n + j], epilogue.relu && sum < 0 ? 0.0f : sum);
        }
    }
  }
}

TEST(Gemm, BatchesUseTheirOffsets) {
  Numbers numbers(6);
  const Index m = 5, n = 9, k = 4, batch = 6;
  const Floats a(batch * m * k, numbers), b(2 * k * n, numbers);
  Floats c(batch * m * n);
  std::vector<Index> a_at, b_at, c_at;
  std::vector<double> expected(static_cast<size_t>(batch * m * n));
  for (Index i = 0; i < batch; ++i) {
    a_at.push_back((batch - 1 - i) * m * k);
    b_at.push_back(i % 2 * k * n);
    c_at.push_back(i * m * n);
    for (Index r = 0; r < m; ++r)
      for (Index j = 0; j < n; ++j)
        for (Index s = 0; s < k; ++s)
          expected[static_cast<size_t>(c_at.back() + r * n + j)] += static_cast<double>(a[a_at.back() + r * k + s]) * b[b_at.back() + s * n + j];
  }
  gemm_batched(batch, m, n, k, {a.data(), k, 1}, a_at.data(), {b.data(), n, 1}, b_at.data(), {c.data(), n, 1}, c_at.data());
  EXPECT_LT(tests::difference(expected, c), 1e-6);
}

// Small products are not packed; the same rows and columns inside a larger product are.
TEST(Gemm, SmallProductsHaveTheBitsOfThePackedOnes) {
  for (const Case& t : {Case{1, 1, 32}, {32, 1, 1}, {1, 32, 1}, {3, 5, 7}, {2, 17, 9}, {4, 8, 16}, {1, 8, 256}}) {
    SCOPED_TRACE(testing::Message() << t.m << "x" << t.n << "x" << t.k);
    const Index m = t.m + 40, n = t.n + 40;
    Numbers numbers(7);
    const Floats a(m * t.k, numbers), b(t.k * n, numbers), bias(n, numbers);
    Floats all(m * n, numbers), small(t.m * t.n, numbers);
    Epilogue epilogue;
    epilogue.column_bias = bias.data();
    epilogue.relu = true;
    gemm(m, n, t.k, {a.data(), t.k, 1}, {b.data(), n, 1}, {all.data(), n, 1}, epilogue);
    gemm(t.m, t.n, t.k, {a.data(), t.k, 1}, {b.data(), n, 1}, {small.data(), t.n, 1}, epilogue);
    for (Index i = 0; i < t.m; ++i)
      for (Index j = 0; j < t.n; ++j) EXPECT_EQ(all[i * n + j], small[i * t.n + j]);
  }
}

}  // namespace
}  // namespace gradbook::kernels
