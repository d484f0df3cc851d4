// The vector functions against the C library in double precision, on every 4099th float and around the special values.
// FLOAT_STRIDE=1 in the environment tries every float there is: about two minutes a function, so not in every run.
#include "kernels/math.h"

#include <cstdlib>

#include "kernels_numbers.h"

namespace gradbook::kernels {
namespace {

struct Function {
  const char* name;
  Float4 (*fast)(Float4);
  double (*exact)(double);
  double bound;              // in ULP
  float lowest = -INFINITY;  // arguments outside are left out
  float highest = INFINITY;
};

double exact_sigmoid(double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }
double exact_softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

const Function kFunctions[] = {
    {"exp", [](Float4 x) { return exp(x); }, [](double x) { return std::exp(x); }, 1.2},
    {"expm1", [](Float4 x) { return expm1(x); }, [](double x) { return std::expm1(x); }, 2},
    {"log", [](Float4 x) { return log(x); }, [](double x) { return std::log(x); }, 1},
    {"log1p", [](Float4 x) { return log1p(x); }, [](double x) { return std::log1p(x); }, 2},
    {"sigmoid", [](Float4 x) { return sigmoid(x); }, exact_sigmoid, 2},
    {"tanh", [](Float4 x) { return tanh(x); }, [](double x) { return std::tanh(x); }, 1.7},
    {"erf", [](Float4 x) { return erf(x); }, [](double x) { return std::erf(x); }, 1.9},
    {"sin", [](Float4 x) { return sin(x); }, [](double x) { return std::sin(x); }, 1.5},
    {"cos", [](Float4 x) { return cos(x); }, [](double x) { return std::cos(x); }, 1.5},
    {"softplus", [](Float4 x) { return softplus(x); }, exact_softplus, 2},
    // Flushes results below 2^-126 to 0.
    {"exp_negative", [](Float4 x) { return exp_negative(x); }, [](double x) { return std::exp(x); }, 1.2, -87.3365f, 0.0f},
};

float from_bits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

void check(const Function& f, float x, double& worst, float& where) {
  if (!(x >= f.lowest && x <= f.highest) && !std::isnan(x)) return;
  const Float4 got = f.fast(splat(x));
  const double error = tests::ulps(f.exact(x), got[0]);
  if (error > worst) worst = error, where = x;
}

uint64_t float_stride() {
  const char* wanted = std::getenv("FLOAT_STRIDE");
  return wanted && std::atoi(wanted) > 0 ? static_cast<uint64_t>(std::atoi(wanted)) : 4099;
}

class MathFunctions : public testing::TestWithParam<Function> {};

TEST_P(MathFunctions, StayWithinTheirStatedErrorOverAllFloats) {
  const Function& f = GetParam();
  double worst = 0;
  float where = 0;
  const uint64_t stride = float_stride();
  for (uint64_t bits = 0; bits <= 0xffffffffu; bits += stride) check(f, from_bits(static_cast<uint32_t>(bits)), worst, where);
  for (float x : {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, 0x1p-149f, -0x1p-149f, 0x1p-126f, 0x1.fffffep127f, 88.72283f, 88.72284f, -87.33654f, -103.97208f, -103.97209f, -86.9999f, -87.0f, 87.0f, -16.0f, -16.00001f, -15.99999f, 0.54999995f, 0.55f, 3.9f, 4.0f}) check(f, x, worst, where);
  // Where most arguments of a network lie: densely.
  for (uint32_t i = 0; i < 500000; ++i) check(f, -10.0f + static_cast<float>(i) * 4e-5f, worst, where);
  EXPECT_LE(worst, f.bound) << f.name << "(" << where << ") = " << f.exact(where) << ", got " << f.fast(splat(where))[0];
  RecordProperty("worst_ulp", std::to_string(worst));
}

TEST_P(MathFunctions, GiveTheSameBitsInEveryLane) {
  const Function& f = GetParam();
  const Float4 x = {0.7f, -3.25f, 1e-20f, 11.0f};
  const Float4 together = f.fast(x);
  for (int i = 0; i < 4; ++i) {
    const Float4 alone = f.fast(splat(x[i]));
    EXPECT_TRUE(std::isnan(together[i]) ? std::isnan(alone[0]) : together[i] == alone[3]) << f.name << "(" << x[i] << ")";
  }
}

TEST_P(MathFunctions, KeepTheSignOfZero) {
  const Function& f = GetParam();
  for (float zero : {0.0f, -0.0f}) {
    const double exact = f.exact(zero);
    if (exact == 0) {
      EXPECT_EQ(std::signbit(f.fast(splat(zero))[0]), std::signbit(exact)) << f.name;
    }
  }
}

// An element's result must not depend on the others in its vector, nor on which of two paths they take.
TEST(QuickMath, GivesTheSameBitsAsTheWholeFunctionWhereItServes) {
  const uint64_t stride = std::max<uint64_t>(float_stride() / 16, 1);
  uint64_t seen = 0;
  for (uint64_t bits = 0; bits <= 0xffffffffu; bits += stride) {
    const float x = from_bits(static_cast<uint32_t>(bits));
    if (std::abs(x) <= kExpInside) {
      ASSERT_EQ(exp_inside(splat(x))[0], exp(splat(x))[0]) << x;
      ++seen;
    }
    if (x > kSigmoidInside) {
      ASSERT_EQ(sigmoid_inside(splat(x))[0], sigmoid(splat(x))[0]) << x;
    }
  }
  EXPECT_GT(seen, 1000u);
}

// The functions in pieces take one vector or several, which must not show.
TEST(PiecewiseMath, GivesTheSameBitsForOneVectorAndForFour) {
  tests::Numbers numbers(5);
  for (int round = 0; round < 20000; ++round) {
    Float4 tanhs[4], erfs[4], x[4];
    for (int i = 0; i < 16; ++i) x[i / 4][i % 4] = numbers.uniform(-5, 5) * (round % 3 == 0 ? 2.0f : 0.5f);
    for (int i = 0; i < 4; ++i) tanhs[i] = erfs[i] = x[i];
    tanh(tanhs);
    erf(erfs);
    for (int i = 0; i < 16; ++i) {
      const Float4 alone = splat(x[i / 4][i % 4]);
      ASSERT_EQ(tanhs[i / 4][i % 4], tanh(alone)[i % 4]) << alone[0];
      ASSERT_EQ(erfs[i / 4][i % 4], erf(alone)[i % 4]) << alone[0];
    }
  }
}

// Near their ends the pieces are fitted a little further than they reach; where one ends depends on how madd() rounds.
TEST(PiecewiseMath, StaysWithinItsErrorWherePiecesMeet) {
  for (float end : {0.811f, 2.007f, 4.4f, 8.9f, 0.668f, 1.439f, 2.467f, 3.945f}) {
    float x = end - 0.004f * end;
    while (x < end + 0.004f * end) {
      EXPECT_LE(tests::ulps(std::tanh(static_cast<double>(x)), tanh(splat(x))[0]), 1.7) << x;
      EXPECT_LE(tests::ulps(std::erf(static_cast<double>(x)), erf(splat(x))[0]), 1.9) << x;
      x = std::nextafter(x + 1e-6f, INFINITY);
    }
  }
}

TEST(PiecewiseMath, ReachesOneAndNeverPassesIt) {
  for (float x : {8.9f, 9.5f, 100.0f, 0x1.fffffep127f, static_cast<float>(INFINITY)}) {
    EXPECT_EQ(tanh(splat(x))[0], 1.0f) << x;
    EXPECT_EQ(erf(splat(-x))[0], -1.0f) << x;
  }
  for (float x = 3.0f; x < 10.0f; x += 1e-5f) {
    ASSERT_LE(tanh(splat(x))[0], 1.0f) << x;
    ASSERT_LE(erf(splat(x))[0], 1.0f) << x;
  }
  for (float x : {0x1p-149f, -0x1.8p-130f, 0x1.234568p-40f, -0x1.fffffep-20f}) EXPECT_EQ(tanh(splat(x))[0], x);
}

std::ostream& operator<<(std::ostream& out, const Function& f) { return out << f.name; }

INSTANTIATE_TEST_SUITE_P(All, MathFunctions, testing::ValuesIn(kFunctions), [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace gradbook::kernels
