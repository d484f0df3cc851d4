// Initializers: mean, deviation and bounds of every random row, what they refuse, and that a seed gives the same numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "train/clip.h"
#include "train/initializers.h"

namespace gradbook {
namespace {

const InitializerRow& row_named(std::string_view name) {
  for (const InitializerRow& row : initializer_table())
    if (row.name == name) return row;
  throw std::runtime_error("no initializer " + std::string(name));
}

struct Moments {
  double mean = 0, deviation = 0, lowest = 0, highest = 0;
};
Moments moments_of(const Tensor& t) {
  const std::vector<double> v = t.values();
  Moments m;
  for (double x : v) m.mean += x / static_cast<double>(v.size());
  for (double x : v) m.deviation += (x - m.mean) * (x - m.mean) / static_cast<double>(v.size());
  m.deviation = std::sqrt(m.deviation);
  m.lowest = *std::min_element(v.begin(), v.end());
  m.highest = *std::max_element(v.begin(), v.end());
  return m;
}

Moments filled(std::string_view name, const Shape& shape, Attributes attributes, DType dtype = DType::kFloat32) {
  Generator generator{42, 0};
  Tensor t = Tensor::zeros(shape, dtype);
  initialize(row_named(name), t, std::move(attributes), generator);
  return moments_of(t);
}

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Initializers, RandomRowsHaveTheMeanAndDeviationOfTheirFormula) {
  struct Case {
    const char* name;
    Shape shape;
    Attributes attributes;
    double mean, deviation;
  };
  const double root5 = std::sqrt(5.0);
  const Case cases[] = {
      {"uniform", {200, 300}, {}, 0.5, 1 / std::sqrt(12.0)},
      {"uniform", {200, 300}, {-3.0, 1.0}, -1, 4 / std::sqrt(12.0)},
      {"normal", {200, 300}, {}, 0, 1},
      {"normal", {200, 300}, {5.0, 0.1}, 5, 0.1},
      {"truncNormal", {200, 300}, {}, 0, 0.8796256610342398},
      {"xavierUniform", {200, 300}, {}, 0, std::sqrt(2.0 / 500)},
      {"xavierNormal", {200, 300}, {2.0}, 0, 2 * std::sqrt(2.0 / 500)},
      {"xavierNormal", {40, 20, 5, 5}, {}, 0, std::sqrt(2.0 / (60 * 25))},
      {"kaimingUniform", {200, 300}, {root5}, 0, 1 / std::sqrt(3.0 * 300)},
      {"kaimingUniform", {40, 20, 5, 5}, {0.0, Attribute::text("fanOut"), Attribute::text("relu")}, 0, std::sqrt(2.0 / (40 * 25))},
      {"kaimingNormal", {200, 300}, {0.0, Attribute::text("fanIn"), Attribute::text("tanh")}, 0, 5.0 / 3 / std::sqrt(300.0)},
      {"orthogonal", {200, 300}, {2.0}, 0, 2 / std::sqrt(300.0)},
  };
  for (const Case& c : cases)
    for (DType dtype : {DType::kFloat32, DType::kFloat64}) {
      const Moments m = filled(c.name, c.shape, c.attributes, dtype);
      const double count = static_cast<double>(element_count(c.shape));
      EXPECT_NEAR(m.mean, c.mean, 5 * c.deviation / std::sqrt(count)) << c.name;
      EXPECT_NEAR(m.deviation, c.deviation, 5 * c.deviation / std::sqrt(count)) << c.name;
    }
}

TEST(Initializers, TheDefaultOfLinearAndConvolutionLayersStaysWithinOneOverRootOfFanIn) {
  const Moments m = filled("kaimingUniform", {64, 16, 3, 3}, {std::sqrt(5.0)});
  EXPECT_LE(m.highest, 1 / 12.0);
  EXPECT_GT(m.highest, 0.99 / 12.0);
  EXPECT_GE(m.lowest, -1 / 12.0);
}

TEST(Initializers, BoundsHold) {
  const Moments uniform = filled("uniform", {1000, 1000}, {-1.0, 2.0});
  EXPECT_GE(uniform.lowest, -1);
  EXPECT_LT(uniform.highest, 2);
  const Moments truncated = filled("truncNormal", {300, 300}, {1.0, 2.0, 0.0, 1.5});
  EXPECT_GE(truncated.lowest, 0);
  EXPECT_LE(truncated.highest, 1.5);
  EXPECT_GT(filled("normal", {1000, 1000}, {}).highest, 4);
}

TEST(Initializers, TruncatedNormalFollowsItsDistributionFunction) {
  Generator generator{7, 0};
  Tensor t = Tensor::zeros({200000}, DType::kFloat64);
  initialize(row_named("truncNormal"), t, {0.0, 1.0, -3.0, 3.0}, generator);
  std::vector<double> v = t.values();
  std::sort(v.begin(), v.end());
  auto below = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  double worst = 0;
  for (size_t i = 0; i < v.size(); i += 100)
    worst = std::max(worst, std::abs((below(v[i]) - below(-3)) / (below(3) - below(-3)) - static_cast<double>(i) / static_cast<double>(v.size())));
  // The Kolmogorov-Smirnov bound at one in a thousand.
  EXPECT_LT(worst, 1.95 / std::sqrt(200000.0));
}

TEST(Initializers, OrthogonalRowsOrColumnsAreAtRightAngles) {
  for (const Shape& shape : {Shape{4, 9}, Shape{9, 4}, Shape{5, 5}, Shape{6, 2, 2}}) {
    Generator generator{1, 0};
    Tensor t = Tensor::zeros(shape, DType::kFloat64);
    initialize(row_named("orthogonal"), t, {}, generator);
    const size_t rows = static_cast<size_t>(shape[0]), columns = static_cast<size_t>(t.element_count()) / rows;
    const std::vector<double> v = t.values();
    const bool wide = rows <= columns;
    const size_t count = std::min(rows, columns), length = std::max(rows, columns);
    auto at = [&](size_t i, size_t k) { return wide ? v[i * columns + k] : v[k * columns + i]; };
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j < count; ++j) {
        double dot = 0;
        for (size_t k = 0; k < length; ++k) dot += at(i, k) * at(j, k);
        EXPECT_NEAR(dot, i == j ? 1 : 0, 1e-12);
      }
  }
}

TEST(Initializers, TheSameSeedGivesTheSameNumbersAndTheStreamMovesOn) {
  for (const InitializerRow& row : initializer_table()) {
    Attributes attributes;
    if (row.name == "constant") attributes = {2.5};
    Generator a{9, 0}, b{9, 0};
    Tensor x = Tensor::zeros({5, 7}), y = Tensor::zeros({5, 7}), next = Tensor::zeros({5, 7});
    initialize(row, x, attributes, a);
    initialize(row, y, attributes, b);
    initialize(row, next, attributes, a);
    EXPECT_EQ(x.values(), y.values()) << row.name;
    if (b.position) {
      EXPECT_NE(x.values(), next.values()) << row.name;
    }
  }
}

TEST(Initializers, ConstantsFillAnyTypeAndViewsToo) {
  Tensor ids = Tensor::zeros({3}, DType::kInt32);
  initialize(row_named("constant"), ids, {7.0});
  EXPECT_EQ(ids.values(), (std::vector<double>{7, 7, 7}));
  Tensor base = Tensor::zeros({2, 2});
  const uint32_t version = base.storage()->version;
  initialize(row_named("ones"), base.view({2}, {2}, 1));
  EXPECT_EQ(base.values(), (std::vector<double>{0, 1, 0, 1}));
  EXPECT_GT(base.storage()->version, version);
}

TEST(Initializers, EmptyTensorsAreFilledWithNothing) {
  for (const InitializerRow& row : initializer_table())
    for (const Shape& shape : {Shape{0, 3}, Shape{3, 0}}) {
      Tensor t = Tensor::zeros(shape);
      Attributes attributes;
      if (row.name == "constant") attributes = {1.0};
      EXPECT_NO_THROW(initialize(row, t, attributes)) << row.name;
    }
}

TEST(Initializers, BadUsesAreRefusedByNameAndLeaveTheTargetAlone) {
  Tensor bias = Tensor::full({4}, 3), weight = Tensor::full({4, 4}, 3);
  EXPECT_EQ(message_of([&] { initialize(row_named("kaimingUniform"), bias); }),
            "kaimingUniform: needs a weight with at least 2 axes, [out, in, ...], got shape [4]; fill a bias with zeros or uniform");
  EXPECT_NE(message_of([&] { initialize(row_named("kaimingNormal"), weight, {0.0, Attribute::text("fan_in")}); }).find("'fanIn' or 'fanOut', got 'fan_in'"), std::string::npos);
  EXPECT_NE(message_of([&] { initialize(row_named("kaimingNormal"), weight, {0.0, Attribute::text("fanIn"), Attribute::text("gelu")}); }).find("`nonlinearity`"), std::string::npos);
  EXPECT_NE(message_of([&] { initialize(row_named("constant"), weight); }).find("needs `value`"), std::string::npos);
  EXPECT_NE(message_of([&] { initialize(row_named("normal"), weight, {0.0, -1.0}); }).find("`std`"), std::string::npos);
  EXPECT_NE(message_of([&] { initialize(row_named("uniform"), weight, {2.0, 1.0}); }).find("`low`"), std::string::npos);
  EXPECT_NE(message_of([&] { initialize(row_named("normal"), Tensor::zeros({2}, DType::kInt32)); }).find("needs float32 or float64"), std::string::npos);
  EXPECT_EQ(weight.values(), std::vector<double>(16, 3.0));
}

// -- clipping --------------------------------------------------------------------------------------------------------

Tensor with_gradient(const std::vector<double>& gradient, DType dtype = DType::kFloat32) {
  Tensor p = Tensor::zeros({static_cast<Index>(gradient.size())}, dtype);
  p.set_grad(Tensor::from(p.shape(), gradient, dtype));
  return p;
}

TEST(Clipping, TheNormIsTakenOverAllGradientsAndScaledDownTogether) {
  Tensor a = with_gradient({3, 0}), b = with_gradient({0, 4}, DType::kFloat64), none = Tensor::zeros({2});
  EXPECT_NEAR(clip_gradient_norm({a, none, b}, 1), 5, 1e-12);
  EXPECT_NEAR(a.grad().values()[0], 0.6, 1e-6);
  EXPECT_NEAR(b.grad().values()[1], 0.8, 1e-6);
  EXPECT_NEAR(clip_gradient_norm({a, b}, 100), 1, 1e-6);
  EXPECT_NEAR(a.grad().values()[0], 0.6, 1e-6) << "a small norm leaves gradients alone";
  EXPECT_NEAR(clip_gradient_norm({a, b}, 100, 1), 1.4, 1e-5);
  EXPECT_NEAR(clip_gradient_norm({a, b}, 100, std::numeric_limits<double>::infinity()), 0.8, 1e-6);
  EXPECT_EQ(clip_gradient_norm({none}, 1), 0);
  EXPECT_THROW(clip_gradient_norm({a}, 1, 3), Error);
  EXPECT_THROW(clip_gradient_norm({a}, std::nan("")), Error);
}

TEST(Clipping, ANormThatIsNotFiniteComesBackAsSuch) {
  EXPECT_TRUE(std::isnan(clip_gradient_norm({with_gradient({1, std::nan(""), 2})}, 1)));
  EXPECT_TRUE(std::isnan(clip_gradient_norm({with_gradient({1, std::nan(""), 2})}, 1, std::numeric_limits<double>::infinity())));
}

TEST(Clipping, ValuesAreLimitedOneByOneAndNaNStays) {
  Tensor a = with_gradient({-5, 0.25, 5, std::nan("")});
  clip_gradient_value({a}, 0.5);
  const std::vector<double> g = a.grad().values();
  EXPECT_EQ((std::vector<double>{g[0], g[1], g[2]}), (std::vector<double>{-0.5, 0.25, 0.5}));
  EXPECT_TRUE(std::isnan(g[3]));
}

}  // namespace
}  // namespace gradbook
