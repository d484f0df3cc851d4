// Elementwise loops, broadcasting and strided copies against plain loops.
#include "kernels/elementwise.h"

#include "kernels/threads.h"
#include "kernels_numbers.h"

namespace gradbook::kernels {
namespace {

using tests::Floats;
using tests::Numbers;

struct UnaryCase {
  const char* name;
  Unary function;
  double (*exact)(double);
  float low = -4, high = 4;
};

double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

const UnaryCase kUnary[] = {
    {"negate", Unary::kNegate, [](double x) { return -x; }},
    {"abs", Unary::kAbs, [](double x) { return std::abs(x); }},
    {"relu", Unary::kRelu, [](double x) { return x < 0 ? 0 : x; }},
    {"step", Unary::kStep, [](double x) { return x > 0 ? 1.0 : 0.0; }},
    {"sign", Unary::kSign, sign},
    {"square", Unary::kSquare, [](double x) { return x * x; }},
    {"reciprocal", Unary::kReciprocal, [](double x) { return 1 / x; }, 0.1f},
    {"sqrt", Unary::kSqrt, [](double x) { return std::sqrt(x); }, 0},
    {"rsqrt", Unary::kRsqrt, [](double x) { return 1 / std::sqrt(x); }, 0.1f},
    {"exp", Unary::kExp, [](double x) { return std::exp(x); }},
    {"expm1", Unary::kExpm1, [](double x) { return std::expm1(x); }},
    {"log", Unary::kLog, [](double x) { return std::log(x); }, 0.01f},
    {"log1p", Unary::kLog1p, [](double x) { return std::log1p(x); }, -0.9f},
    {"sigmoid", Unary::kSigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"tanh", Unary::kTanh, [](double x) { return std::tanh(x); }},
    {"erf", Unary::kErf, [](double x) { return std::erf(x); }},
    {"softplus", Unary::kSoftplus, [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }},
    {"silu", Unary::kSilu, [](double x) { return x / (1 + std::exp(-x)); }},
    {"gelu", Unary::kGelu, [](double x) { return 0.5 * x * (1 + std::erf(x * std::sqrt(0.5))); }},
    {"sin", Unary::kSin, [](double x) { return std::sin(x); }, -100, 100},
    {"cos", Unary::kCos, [](double x) { return std::cos(x); }, -100, 100},
    {"floor", Unary::kFloor, [](double x) { return std::floor(x); }},
    {"ceil", Unary::kCeil, [](double x) { return std::ceil(x); }},
    {"round", Unary::kRound, [](double x) { return std::nearbyint(x); }},
    {"trunc", Unary::kTrunc, [](double x) { return std::trunc(x); }},
};

TEST(Elementwise, EveryFunctionAgreesWithPlainLoopsAtAnySize) {
  Numbers numbers(1);
  for (const UnaryCase& c : kUnary)
    for (Index n : {0, 1, 3, 4, 5, 31, 40001}) {
      const Floats x(n, numbers, c.low, c.high);
      Floats out(n);
      unary(c.function, n, x.data(), out.data());
      std::vector<double> expected;
      for (Index i = 0; i < n; ++i) expected.push_back(c.exact(x[i]));
      EXPECT_LT(tests::difference(expected, out), 1e-6) << c.name << " of " << n;
      EXPECT_TRUE(out.tail_untouched()) << c.name;
    }
}

TEST(Elementwise, SpecialValuesPass) {
  const float special[] = {NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 0.5f, 1.5f, -0.5f, 2.5f, 8388609.0f, -8388609.0f, 3e9f, 1e-40f};
  for (const UnaryCase& c : kUnary)
    for (float value : special) {
      if (value < c.low && !std::isinf(value)) continue;
      const double exact = c.exact(value);
      float out = 0;
      unary(c.function, 1, &value, &out);
      // silu and gelu lose the limit 0 at -infinity, as in PyTorch: -infinity * 0 is NaN.
      if (std::isnan(exact)) {
        EXPECT_TRUE(std::isnan(out)) << c.name << "(" << value << ") gave " << out;
      } else {
        EXPECT_LE(tests::ulps(exact, out), c.function == Unary::kGelu ? 4 : 2.5) << c.name << "(" << value << ") gave " << out << ", not " << exact;
      }
    }
}

struct BinaryCase {
  const char* name;
  Binary function;
  double (*exact)(double, double);
  float low = -3;
};
const BinaryCase kBinary[] = {
    {"add", Binary::kAdd, [](double a, double b) { return a + b; }},
    {"subtract", Binary::kSubtract, [](double a, double b) { return a - b; }},
    {"multiply", Binary::kMultiply, [](double a, double b) { return a * b; }},
    {"divide", Binary::kDivide, [](double a, double b) { return a / b; }, 0.5f},
    {"maximum", Binary::kMaximum, [](double a, double b) { return a > b ? a : b; }},
    {"minimum", Binary::kMinimum, [](double a, double b) { return a < b ? a : b; }},
    {"pow", Binary::kPow, [](double a, double b) { return std::pow(a, b); }, 0.1f},
    {"squaredDifference", Binary::kSquaredDifference, [](double a, double b) { return (a - b) * (a - b); }},
    {"reluGradient", Binary::kReluGradient, [](double a, double b) { return b > 0 ? a : 0; }},
    {"sigmoidGradient", Binary::kSigmoidGradient, [](double a, double b) { return a * b * (1 - b); }},
    {"siluGradient", Binary::kSiluGradient, [](double a, double b) { const double s = 1 / (1 + std::exp(-b)); return a * (s + b * s * (1 - s)); }},
    {"geluGradient", Binary::kGeluGradient, [](double a, double b) { return a * (0.5 * std::erfc(-b * 0.7071067811865476) + b * std::exp(-b * b / 2) * 0.3989422804014327); }},
    {"tanhGradient", Binary::kTanhGradient, [](double a, double b) { return a * (1 - b * b); }},
};

// A random shape that broadcasts to `shape`: some axes become 1.
Shape shrink(const Shape& shape, Numbers& numbers) {
  Shape s = shape;
  for (int axis = 0; axis < s.rank(); ++axis)
    if (numbers.between(0, 2) == 0) s[axis] = 1;
  return s;
}

double at(const Floats& x, const Shape& strides, const Shape& shape, Index flat) {
  Index offset = 0;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    offset += flat % shape[axis] * strides[axis];
    flat /= shape[axis];
  }
  return x[offset];
}

TEST(Elementwise, BroadcastingAgreesWithPlainLoopsOnRandomShapes) {
  Numbers numbers(2);
  for (int round = 0; round < 400; ++round) {
    const BinaryCase& c = kBinary[numbers.next() % std::size(kBinary)];
    Shape shape;
    const Index rank = numbers.between(0, 4);
    for (Index axis = 0; axis < rank; ++axis) shape.push_back(numbers.between(round % 7 == 0 ? 0 : 1, 9));
    const Shape a_shape = shrink(shape, numbers), b_shape = shrink(shape, numbers);
    const Shape a_strides = broadcast_strides(a_shape, contiguous_strides(a_shape), shape), b_strides = broadcast_strides(b_shape, contiguous_strides(b_shape), shape);
    const Floats a(element_count(a_shape), numbers, c.low, 3), b(element_count(b_shape), numbers, c.low, 3);
    Floats out(element_count(shape));
    binary(c.function, shape, a.data(), a_strides, b.data(), b_strides, out.data());
    std::vector<double> expected;
    for (Index i = 0; i < element_count(shape); ++i) expected.push_back(c.exact(at(a, a_strides, shape, i), at(b, b_strides, shape, i)));
    // 1 - b * b loses digits near 1, which shows when there is only one element to compare with.
    EXPECT_LT(tests::difference(expected, out), 5e-6) << c.name << " " << to_string(a_shape) << " and " << to_string(b_shape);
    EXPECT_TRUE(out.tail_untouched()) << c.name << " " << to_string(shape);
  }
}

TEST(Elementwise, LargeBroadcastsAgreeOnManyThreads) {
  set_thread_count(3);
  Numbers numbers(3);
  const Shape shape{50, 8, 30, 30}, bias{1, 8, 1, 1};
  const Shape strides = broadcast_strides(bias, contiguous_strides(bias), shape);
  const Floats a(element_count(shape), numbers), b(8, numbers);
  Floats out(element_count(shape));
  binary(Binary::kAdd, shape, a.data(), contiguous_strides(shape), b.data(), strides, out.data());
  std::vector<double> expected;
  for (Index i = 0; i < element_count(shape); ++i) expected.push_back(static_cast<double>(a[i]) + b[i / 900 % 8]);
  EXPECT_LT(tests::difference(expected, out), 1e-6);
  set_thread_count(1);
}

TEST(Elementwise, MaximumAndMinimumPassNan) {
  const float nan = NAN, one = 1;
  float out = 0;
  for (Binary function : {Binary::kMaximum, Binary::kMinimum}) {
    binary(function, 1, &nan, &one, &out);
    EXPECT_TRUE(std::isnan(out));
    binary(function, 1, &one, &nan, &out);
    EXPECT_TRUE(std::isnan(out));
  }
  clamp(1, &nan, 0, 1, &out);
  EXPECT_TRUE(std::isnan(out));
}

TEST(Elementwise, PowersWithShortCutsAgree) {
  Numbers numbers(4);
  const Floats a(37, numbers, -3, 3);
  for (float exponent : {2.0f, 3.0f, 1.0f, -1.0f, 0.0f}) {
    Floats out(37);
    binary(Binary::kPow, Shape{37}, a.data(), Shape{1}, &exponent, Shape{0}, out.data());
    std::vector<double> expected;
    for (Index i = 0; i < 37; ++i) expected.push_back(std::pow(static_cast<double>(a[i]), exponent));
    EXPECT_LT(tests::difference(expected, out), 1e-6) << exponent;
  }
}

TEST(Elementwise, SmallHelpersAgree) {
  Numbers numbers(5);
  for (Index n : {0, 1, 7, 20000}) {
    const Floats x(n, numbers);
    Floats y(n, numbers), scaled(n), limited(n), filled(n);
    std::vector<double> sum, scale, limit;
    for (Index i = 0; i < n; ++i) {
      sum.push_back(y[i] + 0.25 * x[i]);
      scale.push_back(2.0 * x[i] - 1.0);
      limit.push_back(std::min(std::max(x[i], -0.5f), 0.25f));
    }
    axpy(n, 0.25f, x.data(), y.data());
    scale_shift(n, 2, x.data(), -1, scaled.data());
    clamp(n, x.data(), -0.5f, 0.25f, limited.data());
    fill(n, 3, filled.data());
    EXPECT_LT(tests::difference(sum, y), 1e-6);
    EXPECT_LT(tests::difference(scale, scaled), 1e-6);
    EXPECT_EQ(tests::difference(limit, limited), 0);
    EXPECT_EQ(tests::difference(std::vector<double>(static_cast<size_t>(n), 3), filled), 0);
    EXPECT_TRUE(y.tail_untouched() && scaled.tail_untouched() && limited.tail_untouched() && filled.tail_untouched());
  }
}

TEST(Elementwise, StridedCopiesAgreeOnRandomPermutationsAndSlices) {
  Numbers numbers(6);
  for (int round = 0; round < 300; ++round) {
    Shape whole;
    const Index rank = numbers.between(1, 4);
    for (Index axis = 0; axis < rank; ++axis) whole.push_back(numbers.between(1, round % 10 == 0 ? 70 : 9));
    if (element_count(whole) > 400000) continue;
    const Floats x(element_count(whole), numbers);
    // A permutation, with some axes shortened, stepped, repeated or reversed.
    Shape shape = whole, strides = contiguous_strides(whole);
    Index offset = 0;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const int other = static_cast<int>(numbers.between(axis, shape.rank() - 1));
      std::swap(shape[axis], shape[other]);
      std::swap(strides[axis], strides[other]);
      switch (numbers.between(0, 5)) {
        case 0: shape[axis] = (shape[axis] + 1) / 2, strides[axis] *= 2; break;
        case 1: offset += (shape[axis] - 1) * strides[axis], strides[axis] = -strides[axis]; break;
        case 2: strides[axis] = 0; break;
        default: break;
      }
    }
    Floats out(element_count(shape));
    copy_strided(shape, x.data() + offset, strides, out.data());
    for (Index i = 0; i < out.size(); ++i) {
      Index from = offset, flat = i;
      for (int axis = shape.rank() - 1; axis >= 0; --axis) from += flat % shape[axis] * strides[axis], flat /= shape[axis];
      ASSERT_EQ(out[i], x[from]) << to_string(shape) << " strides " << to_string(strides) << " at " << i;
    }
    EXPECT_TRUE(out.tail_untouched());
  }
}

}  // namespace
}  // namespace gradbook::kernels
