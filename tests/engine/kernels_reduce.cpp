// Sums, extremes, softmax and cross-entropy against plain loops in double.
#include "kernels/reduce.h"

#include "kernels/softmax.h"
#include "kernels/threads.h"
#include "kernels_numbers.h"

namespace gradbook::kernels {
namespace {

using tests::Floats;
using tests::Numbers;

struct Sizes {
  Index outer, size, inner;
};
const Sizes kSizes[] = {{1, 0, 1}, {3, 0, 2}, {0, 3, 2}, {1, 1, 1}, {1, 5, 1}, {4, 7, 1}, {1, 9, 5}, {3, 33, 17}, {2, 70, 3}, {1, 2500, 260}, {1, 100003, 1}, {5, 2000, 1}, {64, 10, 1}, {2, 3, 1000}};

TEST(Reduce, SumsAgreeWithPlainLoops) {
  Numbers numbers(1);
  for (const Sizes& s : kSizes) {
    const Floats x(s.outer * s.size * s.inner, numbers, 0, 1);
    Floats out(s.outer * s.inner);
    sum_axis(s.outer, s.size, s.inner, x.data(), out.data());
    std::vector<double> expected(static_cast<size_t>(out.size()));
    for (Index o = 0; o < s.outer; ++o)
      for (Index k = 0; k < s.size; ++k)
        for (Index i = 0; i < s.inner; ++i) expected[static_cast<size_t>(o * s.inner + i)] += x[(o * s.size + k) * s.inner + i];
    EXPECT_LT(tests::difference(expected, out), 3e-7) << s.outer << "x" << s.size << "x" << s.inner;
    EXPECT_TRUE(out.tail_untouched());
  }
}

TEST(Reduce, WholeSumsAndDotProductsKeepTheirDigits) {
  Numbers numbers(2);
  for (Index n : {0, 1, 3, 1023, 1025, 16385, 1000003}) {
    const Floats a(n, numbers, 0, 1), b(n, numbers, 0, 1);
    double total = 0, product = 0, squares = 0;
    for (Index i = 0; i < n; ++i) total += a[i], product += static_cast<double>(a[i]) * b[i], squares += static_cast<double>(a[i]) * a[i];
    EXPECT_NEAR(sum(n, a.data()), total, 2e-7 * (total + 1)) << n;
    EXPECT_NEAR(dot(n, a.data(), b.data()), product, 2e-7 * (product + 1)) << n;
    EXPECT_NEAR(sum_of_squares(n, a.data()), squares, 2e-7 * (squares + 1)) << n;
  }
}

TEST(Reduce, ChannelSumsAgree) {
  Numbers numbers(3);
  for (const Sizes& s : kSizes) {
    const Floats x(s.outer * s.size * s.inner, numbers, 0, 1);
    Floats out(s.size);
    sum_channels(s.outer, s.size, s.inner, x.data(), out.data());
    std::vector<double> expected(static_cast<size_t>(s.size));
    for (Index o = 0; o < s.outer; ++o)
      for (Index k = 0; k < s.size; ++k)
        for (Index i = 0; i < s.inner; ++i) expected[static_cast<size_t>(k)] += x[(o * s.size + k) * s.inner + i];
    EXPECT_LT(tests::difference(expected, out), 3e-7) << s.outer << "x" << s.size << "x" << s.inner;
  }
}

TEST(Reduce, SumsAreTheSameBitsWithAnyThreadCount) {
  Numbers numbers(4);
  const Floats x(3000 * 300, numbers);
  Floats one(300), many(300);
  const float whole = sum(x.size(), x.data());
  sum_axis(1, 3000, 300, x.data(), one.data());
  set_thread_count(4);
  EXPECT_EQ(whole, sum(x.size(), x.data()));
  sum_axis(1, 3000, 300, x.data(), many.data());
  set_thread_count(1);
  EXPECT_TRUE(one.same_bits(many));
}

TEST(Reduce, ExtremesAndTheirPlacesAgree) {
  Numbers numbers(5);
  for (const Sizes& s : kSizes) {
    if (s.size == 0) continue;
    Floats x(s.outer * s.size * s.inner, numbers);
    for (Index i = 0; i < x.size(); ++i) x[i] = std::round(x[i] * 8);  // many equal values
    if (x.size() > 40) x[x.size() / 2] = NAN;
    Floats largest(s.outer * s.inner), smallest(s.outer * s.inner);
    std::vector<int32_t> place(static_cast<size_t>(s.outer * s.inner));
    max_axis(s.outer, s.size, s.inner, x.data(), largest.data());
    min_axis(s.outer, s.size, s.inner, x.data(), smallest.data());
    argmax_axis(s.outer, s.size, s.inner, x.data(), place.data());
    for (Index o = 0; o < s.outer; ++o)
      for (Index i = 0; i < s.inner; ++i) {
        float high = x[o * s.size * s.inner + i], low = high;
        Index at = 0;
        for (Index k = 1; k < s.size; ++k) {
          const float v = x[(o * s.size + k) * s.inner + i];
          if (v > high || (std::isnan(v) && !std::isnan(high))) high = v, at = k;
          if (v < low || (std::isnan(v) && !std::isnan(low))) low = v;
        }
        const Index to = o * s.inner + i;
        const auto same = [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); };
        ASSERT_TRUE(same(largest[to], high)) << s.outer << "x" << s.size << "x" << s.inner;
        ASSERT_TRUE(same(smallest[to], low)) << s.outer << "x" << s.size << "x" << s.inner;
        ASSERT_EQ(place[static_cast<size_t>(to)], at);
      }
  }
}

// Softmax of one row in double.
std::vector<double> softmax_of(const float* x, Index n) {
  double largest = -INFINITY, total = 0;
  for (Index i = 0; i < n; ++i) largest = std::max<double>(largest, x[i]);
  std::vector<double> p;
  for (Index i = 0; i < n; ++i) p.push_back(std::exp(x[i] - largest)), total += p.back();
  for (double& v : p) v /= total;
  return p;
}

TEST(Softmax, RowsAndTheirGradientsAgreeWithPlainLoops) {
  Numbers numbers(6);
  for (const auto& [rows, columns] : {std::pair<Index, Index>{0, 5}, {3, 1}, {5, 3}, {64, 10}, {7, 33}, {2, 50000}}) {
    const Floats x(rows * columns, numbers, -6, 6), g(rows * columns, numbers);
    Floats p(x.size()), l(x.size()), dp(x.size()), dl(x.size());
    softmax_rows(rows, columns, x.data(), p.data());
    log_softmax_rows(rows, columns, x.data(), l.data());
    softmax_rows_gradient(rows, columns, p.data(), g.data(), dp.data());
    log_softmax_rows_gradient(rows, columns, l.data(), g.data(), dl.data());
    std::vector<double> ep, el, edp, edl;
    for (Index r = 0; r < rows; ++r) {
      const std::vector<double> s = softmax_of(x.data() + r * columns, columns);
      double mean = 0, total = 0;
      for (Index c = 0; c < columns; ++c) mean += s[static_cast<size_t>(c)] * g[r * columns + c], total += g[r * columns + c];
      for (Index c = 0; c < columns; ++c) {
        const double v = s[static_cast<size_t>(c)], up = g[r * columns + c];
        ep.push_back(v), el.push_back(std::log(v)), edp.push_back(v * (up - mean)), edl.push_back(up - v * total);
      }
    }
    EXPECT_LT(tests::difference(ep, p), 1e-6) << rows << "x" << columns;
    EXPECT_LT(tests::difference(el, l), 1e-6) << rows << "x" << columns;
    EXPECT_LT(tests::difference(edp, dp), 4e-6) << rows << "x" << columns;
    EXPECT_LT(tests::difference(edl, dl), 4e-6) << rows << "x" << columns;
    EXPECT_TRUE(p.tail_untouched() && l.tail_untouched() && dp.tail_untouched() && dl.tail_untouched());
  }
}

TEST(Softmax, CrossEntropyAndItsGradientAgreeWithPlainLoops) {
  Numbers numbers(7);
  for (const auto& [rows, columns] : {std::pair<Index, Index>{0, 5}, {3, 1}, {5, 3}, {64, 10}, {7, 33}}) {
    const Floats x(rows * columns, numbers, -30, 30), up(rows, numbers);
    std::vector<int32_t> target;
    Floats loss(rows), log_sums(rows), g(x.size());
    for (Index r = 0; r < rows; ++r) target.push_back(static_cast<int32_t>(numbers.between(0, columns - 1)));
    cross_entropy_rows(rows, columns, x.data(), target.data(), loss.data(), log_sums.data());
    cross_entropy_rows_gradient(rows, columns, x.data(), target.data(), log_sums.data(), up.data(), 1, g.data());
    std::vector<double> el, eg;
    for (Index r = 0; r < rows; ++r) {
      const std::vector<double> s = softmax_of(x.data() + r * columns, columns);
      const auto t = static_cast<size_t>(target[static_cast<size_t>(r)]);
      double rest = 0;  // 1 - p of the target
      for (size_t c = 0; c < s.size(); ++c) rest += c == t ? 0 : s[c];
      el.push_back(-std::log(s[t]));
      for (size_t c = 0; c < s.size(); ++c) eg.push_back(up[r] * (c == t ? -rest : s[c]));
    }
    EXPECT_LT(tests::difference(el, loss), 1e-6) << rows << "x" << columns;
    EXPECT_LT(tests::difference(eg, g), 2e-6) << rows << "x" << columns;
    EXPECT_TRUE(loss.tail_untouched() && g.tail_untouched());
  }
}

TEST(Softmax, LargeLogitsDoNotOverflowAndSmallGradientsAreZeroNotSubnormal) {
  const float logits[] = {1000, 0, -1000, 999};
  const int32_t target = 0;
  float loss = 0, log_sum = 0, upstream = 1, g[4];
  cross_entropy_rows(1, 4, logits, &target, &loss, &log_sum);
  cross_entropy_rows_gradient(1, 4, logits, &target, &log_sum, &upstream, 0, g);
  EXPECT_NEAR(loss, 0.31326168, 1e-6);
  EXPECT_NEAR(g[3], 0.26894142, 1e-6);
  EXPECT_NEAR(g[0], -0.26894142, 1e-6);
  EXPECT_EQ(g[1], 0);
  EXPECT_EQ(g[2], 0);
}

TEST(Softmax, MaskedEntriesGetProbabilityZeroAndFullyMaskedRowsNan) {
  const float x[] = {-INFINITY, 1, -INFINITY, 1, -INFINITY};
  float p[5];
  softmax_rows(1, 5, x, p);
  EXPECT_EQ(p[0], 0);
  EXPECT_EQ(p[4], 0);
  EXPECT_FLOAT_EQ(p[1], 0.5f);
  for (Index n : {1, 3, 5}) {
    const float masked[] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY};
    softmax_rows(1, n, masked, p);
    for (Index i = 0; i < n; ++i) EXPECT_TRUE(std::isnan(p[i])) << n;
  }
  const float broken[] = {0, NAN, 0, 0, 0};
  softmax_rows(1, 5, broken, p);
  for (float v : p) EXPECT_TRUE(std::isnan(v));
}

// Rows without small exponentials are summed in a quicker loop. Two masked vectors in front keep a row out of it.
TEST(Softmax, MaskedEntriesInFrontChangeNoBitOfTheOthers) {
  for (Index n = 1; n < 40; ++n) {
    tests::Numbers numbers(9);
    const tests::Floats x(n, numbers);
    std::vector<float> masked(8, -INFINITY), p(static_cast<size_t>(n)), q(static_cast<size_t>(n + 8));
    masked.insert(masked.end(), x.data(), x.data() + n);
    softmax_rows(1, n, x.data(), p.data());
    softmax_rows(1, n + 8, masked.data(), q.data());
    for (size_t i = 0; i < p.size(); ++i) EXPECT_EQ(p[i], q[i + 8]) << n;
  }
}

}  // namespace
}  // namespace gradbook::kernels
