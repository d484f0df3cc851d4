// Random fills against the plain generator of base, and their distributions.
#include "kernels/random.h"

#include "base/random.h"
#include "kernels/threads.h"
#include "kernels_numbers.h"

namespace gradbook::kernels {
namespace {

using tests::Floats;

constexpr RandomPosition kAt{0x123456789abcdefu, 0xfffffffeu};  // crosses the boundary of 32 bits

TEST(RandomFills, UniformAndNormalAreTheNumbersOfBase) {
  for (Index n : {0, 1, 5, 15, 16, 17, 40001}) {
    Generator generator{kAt.seed, kAt.first_group};
    std::vector<float> plain(static_cast<size_t>(n));
    Floats fast(n);
    gradbook::fill_uniform(plain.data(), n, generator, -1, 3);
    EXPECT_EQ(generator.position, kAt.first_group + random_groups(n));
    fill_uniform(kAt, n, -1, 3, fast.data());
    for (Index i = 0; i < n; ++i) ASSERT_EQ(plain[static_cast<size_t>(i)], fast[i]) << i;
    generator.position = kAt.first_group;
    gradbook::fill_normal(plain.data(), n, generator, 1, 2);
    fill_normal(kAt, n, 1, 2, fast.data());
    for (Index i = 0; i < n; ++i) ASSERT_NEAR(plain[static_cast<size_t>(i)], fast[i], 2e-6) << i;
    EXPECT_TRUE(fast.tail_untouched());
  }
}

TEST(RandomFills, NormalHasMeanZeroAndVarianceOne) {
  const Index n = 400000;
  Floats x(n);
  fill_normal({7, 0}, n, 0, 1, x.data());
  double mean = 0, square = 0, fourth = 0;
  for (Index i = 0; i < n; ++i) mean += x[i], square += static_cast<double>(x[i]) * x[i], fourth += std::pow(x[i], 4);
  EXPECT_NEAR(mean / n, 0, 0.006);
  EXPECT_NEAR(square / n, 1, 0.01);
  EXPECT_NEAR(fourth / n, 3, 0.1);
}

TEST(RandomFills, BernoulliHasItsProbability) {
  const Index n = 200000;
  Floats x(n);
  for (double p : {0.0, 0.1, 0.5, 1.0}) {
    fill_bernoulli({3, 5}, n, p, 1, x.data());
    double ones = 0;
    for (Index i = 0; i < n; ++i) ones += x[i];
    EXPECT_NEAR(ones / n, p, p == 0 || p == 1 ? 0 : 0.005);
  }
}

TEST(RandomFills, DropoutKeepsTheSameElementsForwardAndBackward) {
  const Index n = 1003;
  tests::Numbers numbers(1);
  const Floats x(n, numbers, 1, 2);
  Floats kept(n), y(n), g(n);
  fill_bernoulli(kAt, n, 0.75, 1, kept.data());
  dropout(kAt, n, 0.75, x.data(), y.data());
  dropout(kAt, n, 0.75, x.data(), g.data());
  EXPECT_TRUE(y.same_bits(g));
  for (Index i = 0; i < n; ++i) EXPECT_FLOAT_EQ(y[i], kept[i] * x[i] / 0.75f);
  EXPECT_TRUE(y.tail_untouched());
}

TEST(RandomFills, AreTheSameBitsWithAnyThreadCount) {
  const Index n = 100003;
  Floats one(n), many(n);
  fill_normal(kAt, n, 0, 1, one.data());
  set_thread_count(4);
  fill_normal(kAt, n, 0, 1, many.data());
  set_thread_count(1);
  EXPECT_TRUE(one.same_bits(many));
}

}  // namespace
}  // namespace gradbook::kernels
