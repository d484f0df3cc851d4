// Standardising groups and its gradient against plain loops in double, over random shapes with 0 and 1.
#include "kernels/standardize.h"

#include "kernels/threads.h"
#include "kernels_numbers.h"

namespace gradbook::kernels {
namespace {

using tests::Floats;
using tests::Numbers;

GroupShape random_shape(Numbers& numbers, int round) {
  const auto size = [&](Index most) { return numbers.between(round % 9 == 0 ? 0 : 1, most); };
  GroupShape s;
  s.outer = round % 3 == 0 ? 1 : size(9), s.groups = size(40), s.inner = round % 3 == 1 ? 1 : size(round % 5 == 0 ? 1500 : 40);
  return s;
}

// Calls use(group, element index).
template <class Use>
void for_elements(const GroupShape& s, Use use) {
  for (Index o = 0; o < s.outer; ++o)
    for (Index g = 0; g < s.groups; ++g)
      for (Index i = 0; i < s.inner; ++i) use(static_cast<size_t>(g), (o * s.groups + g) * s.inner + i);
}

TEST(Standardize, MomentsResultsAndGradientsAgreeWithPlainLoops) {
  Numbers numbers(1);
  for (int round = 0; round < 200; ++round) {
    const GroupShape s = random_shape(numbers, round);
    SCOPED_TRACE(testing::Message() << "outer " << s.outer << ", groups " << s.groups << ", inner " << s.inner);
    const Index n = s.outer * s.groups * s.inner;
    const double count = static_cast<double>(s.per_group()), epsilon = 1e-3;
    const Floats x(n, numbers, 2, 4), g(n, numbers);
    Floats y(n), dx(n), inverses(s.groups), means(s.groups), variances(s.groups);
    group_moments(s, x.data(), means.data(), variances.data());
    standardize(s, epsilon, x.data(), y.data(), inverses.data());
    standardize_gradient(s, g.data(), y.data(), inverses.data(), dx.data());
    if (n == 0) continue;
    const size_t groups = static_cast<size_t>(s.groups);
    std::vector<double> mean(groups), variance(groups), inverse(groups), sum(groups), product(groups), ey(static_cast<size_t>(n)), edx(static_cast<size_t>(n));
    for_elements(s, [&](size_t k, Index i) { mean[k] += x[i] / count; });
    for_elements(s, [&](size_t k, Index i) { variance[k] += (x[i] - mean[k]) * (x[i] - mean[k]) / count; });
    for (size_t k = 0; k < groups; ++k) inverse[k] = 1 / std::sqrt(variance[k] + epsilon);
    for_elements(s, [&](size_t k, Index i) {
      ey[static_cast<size_t>(i)] = (x[i] - mean[k]) * inverse[k];
      sum[k] += g[i] / count;
      product[k] += g[i] * ey[static_cast<size_t>(i)] / count;
    });
    // Small groups nearly cancel: rounding is judged by what was added up.
    double terms = 0;
    for_elements(s, [&](size_t k, Index i) {
      edx[static_cast<size_t>(i)] = inverse[k] * (g[i] - sum[k] - ey[static_cast<size_t>(i)] * product[k]);
      terms = std::max(terms, inverse[k] * (std::abs(g[i]) + std::abs(sum[k]) + std::abs(ey[static_cast<size_t>(i)] * product[k])));
    });
    EXPECT_LT(tests::difference(mean, means), 3e-7);
    EXPECT_LT(tests::difference(variance, variances), 2e-6);
    EXPECT_LT(tests::difference(inverse, inverses), 2e-6);
    EXPECT_LT(tests::difference(ey, y), 1e-5);
    for (Index i = 0; i < n; ++i) EXPECT_LE(std::abs(edx[static_cast<size_t>(i)] - dx[i]), 1e-5 * terms) << i;
    EXPECT_TRUE(y.tail_untouched() && dx.tail_untouched() && inverses.tail_untouched());
  }
}

TEST(Standardize, IsTheSameBitsWithAnyThreadCount) {
  for (const GroupShape& s : {GroupShape{64, 16, 196}, GroupShape{1, 300, 100}, GroupShape{500, 70, 1}}) {
    Numbers numbers(2);
    const Index n = s.outer * s.groups * s.inner;
    const Floats x(n, numbers), g(n, numbers);
    Floats y[2] = {Floats(n), Floats(n)}, dx[2] = {Floats(n), Floats(n)}, inverses(s.groups);
    for (int i = 0; i < 2; ++i) {
      set_thread_count(i == 0 ? 1 : 3);
      standardize(s, 1e-5, x.data(), y[i].data(), inverses.data());
      standardize_gradient(s, g.data(), y[i].data(), inverses.data(), dx[i].data());
    }
    set_thread_count(1);
    EXPECT_TRUE(y[0].same_bits(y[1]) && dx[0].same_bits(dx[1]));
  }
}

}  // namespace
}  // namespace gradbook::kernels
