// Every optimizer of the table against a few scalar lines in plain double code, then on a quadratic; plus the rules of Optimizer.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>

#include "autodiff/run.h"
#include "autodiff/tape.h"
#include "ops/vocabulary.h"
#include "train/optimizers.h"

namespace gradbook {
namespace {

const OptimizerRow& row_named(std::string_view name) {
  for (const OptimizerRow& row : optimizer_table())
    if (row.name == name) return row;
  throw std::runtime_error("no optimizer " + std::string(name));
}

int flat_index(const OptimizerRow& row, std::string_view name) {
  int at = 0;
  for (const Setting& s : row.settings) {
    if (s.name == name) return at;
    at += s.count;
  }
  throw std::runtime_error("no setting " + std::string(name));
}

using Changes = std::map<std::string, double>;
std::vector<double> settings(const OptimizerRow& row, const Changes& changes) {
  std::vector<double> values = default_settings(row);
  for (const auto& [name, value] : changes) values[static_cast<size_t>(flat_index(row, name))] = value;
  return values;
}

Tensor parameter(const Shape& shape, const std::vector<double>& values, DType dtype = DType::kFloat64) {
  Tensor p = Tensor::from(shape, values, dtype);
  p.set_requires_grad(true);
  return p;
}

// -- the scalar oracles ----------------------------------------------------------------------------------------------

struct Memory {
  double a = 0, b = 0, c = 0;
  bool used = false;
};
using V = std::function<double(const char*)>;  // value of a setting
// One step of one number: p changes, t counts from 1.
using Oracle = std::function<void(double& p, double g, Memory& s, int t, const V& v)>;

double beta(const V& v, int i) { return v(i == 1 ? "betas" : "betas2"); }

void adam_lines(double& p, double g, Memory& s, int t, const V& v, bool decoupled) {
  if (decoupled) p -= v("lr") * v("weightDecay") * p;
  else g += v("weightDecay") * p;
  s.a = beta(v, 1) * s.a + (1 - beta(v, 1)) * g;
  s.b = beta(v, 2) * s.b + (1 - beta(v, 2)) * g * g;
  s.c = std::max(s.c, s.b);
  const double m = s.a / (1 - std::pow(beta(v, 1), t)), q = (v("amsgrad") ? s.c : s.b) / (1 - std::pow(beta(v, 2), t));
  p -= v("lr") * m / (std::sqrt(q) + v("eps"));
}

const std::map<std::string, Oracle>& oracles() {
  static const std::map<std::string, Oracle> table = {
      {"sgd", [](double& p, double g, Memory& s, int, const V& v) {
         g += v("weightDecay") * p;
         if (v("momentum")) {
           s.a = s.used ? v("momentum") * s.a + (1 - v("dampening")) * g : g;
           s.used = true;
           g = v("nesterov") ? g + v("momentum") * s.a : s.a;
         }
         p -= v("lr") * g;
       }},
      {"adam", [](double& p, double g, Memory& s, int t, const V& v) { adam_lines(p, g, s, t, v, false); }},
      {"adamw", [](double& p, double g, Memory& s, int t, const V& v) { adam_lines(p, g, s, t, v, true); }},
      {"rmsprop", [](double& p, double g, Memory& s, int, const V& v) {
         g += v("weightDecay") * p;
         s.a = v("alpha") * s.a + (1 - v("alpha")) * g * g;
         s.b = v("alpha") * s.b + (1 - v("alpha")) * g;
         const double spread = std::sqrt(s.a - (v("centered") ? s.b * s.b : 0)) + v("eps");
         s.c = v("momentum") * s.c + g / spread;
         p -= v("lr") * s.c;
       }},
      {"adagrad", [](double& p, double g, Memory& s, int t, const V& v) {
         if (t == 1) s.a = v("initialAccumulatorValue");
         g += v("weightDecay") * p;
         s.a += g * g;
         p -= v("lr") / (1 + (t - 1) * v("lrDecay")) * g / (std::sqrt(s.a) + v("eps"));
       }},
      {"adadelta", [](double& p, double g, Memory& s, int, const V& v) {
         g += v("weightDecay") * p;
         s.a = v("rho") * s.a + (1 - v("rho")) * g * g;
         const double delta = g * std::sqrt(s.b + v("eps")) / std::sqrt(s.a + v("eps"));
         s.b = v("rho") * s.b + (1 - v("rho")) * delta * delta;
         p -= v("lr") * delta;
       }},
      {"nadam", [](double& p, double g, Memory& s, int t, const V& v) {
         if (t == 1) s.c = 1;
         g += v("weightDecay") * p;
         s.a = beta(v, 1) * s.a + (1 - beta(v, 1)) * g;
         s.b = beta(v, 2) * s.b + (1 - beta(v, 2)) * g * g;
         const double now = beta(v, 1) * (1 - 0.5 * std::pow(0.96, t * v("momentumDecay"))), next = beta(v, 1) * (1 - 0.5 * std::pow(0.96, (t + 1) * v("momentumDecay")));
         s.c *= now;
         const double m = next * s.a / (1 - s.c * next) + (1 - now) * g / (1 - s.c), q = s.b / (1 - std::pow(beta(v, 2), t));
         p -= v("lr") * m / (std::sqrt(q) + v("eps"));
       }},
      {"radam", [](double& p, double g, Memory& s, int t, const V& v) {
         g += v("weightDecay") * p;
         s.a = beta(v, 1) * s.a + (1 - beta(v, 1)) * g;
         s.b = beta(v, 2) * s.b + (1 - beta(v, 2)) * g * g;
         const double m = s.a / (1 - std::pow(beta(v, 1), t)), last = 2 / (1 - beta(v, 2)) - 1, power = std::pow(beta(v, 2), t);
         const double now = last - 2 * t * power / (1 - power);
         const double r = std::sqrt((now - 4) * (now - 2) * last / ((last - 4) * (last - 2) * now)), l = std::sqrt(1 - power) / (std::sqrt(s.b) + v("eps"));
         p -= now > 5 ? v("lr") * m * r * l : v("lr") * m;
       }},
      {"adamax", [](double& p, double g, Memory& s, int t, const V& v) {
         g += v("weightDecay") * p;
         s.a = beta(v, 1) * s.a + (1 - beta(v, 1)) * g;
         s.b = std::max(beta(v, 2) * s.b, std::abs(g) + v("eps"));
         p -= v("lr") / (1 - std::pow(beta(v, 1), t)) * s.a / s.b;
       }},
      {"asgd", [](double& p, double g, Memory&, int t, const V& v) {
         const double eta = v("lr") / std::pow(1 + v("lambd") * v("lr") * (t - 1), v("alpha"));
         g += v("weightDecay") * p;
         p -= eta * (v("lambd") * p + g);
       }},
      {"rprop", [](double& p, double g, Memory& s, int t, const V& v) {
         if (t == 1) s.b = v("lr");
         if (g * s.a > 0) s.b = std::min(s.b * 1.2, 50.0);
         if (g * s.a < 0) s.b = std::max(s.b * 0.5, 1e-6), g = 0;
         p -= s.b * ((g > 0) - (g < 0));
         s.a = g;
       }},
      {"lion", [](double& p, double g, Memory& s, int, const V& v) {
         const double c = beta(v, 1) * s.a + (1 - beta(v, 1)) * g;
         p -= v("lr") * ((c > 0) - (c < 0) + v("weightDecay") * p);
         s.a = beta(v, 2) * s.a + (1 - beta(v, 2)) * g;
       }},
      // On a matrix of one element the orthogonal matrix is the sign, as the quintic polynomial finds it.
      {"muon", [](double& p, double g, Memory& s, int, const V& v) {
         s.a = v("momentum") * s.a + (1 - v("momentum")) * g;
         double x = v("nesterov") ? (1 - v("momentum")) * g + v("momentum") * s.a : s.a;
         x /= std::max(std::abs(x), v("eps"));
         for (int i = 0; i < v("nsSteps"); ++i) x = 3.4445 * x - 4.7750 * x * x * x + 2.0315 * x * x * x * x * x;
         p -= v("lr") * (x + v("weightDecay") * p);
       }},
  };
  return table;
}

// Settings that take every branch of the formulas.
const std::map<std::string, std::vector<Changes>>& variants() {
  static const std::map<std::string, std::vector<Changes>> table = {
      {"sgd", {{}, {{"momentum", 0.9}}, {{"momentum", 0.8}, {"dampening", 0.3}, {"weightDecay", 0.1}}, {{"momentum", 0.9}, {"nesterov", 1}, {"maximize", 1}}}},
      {"adam", {{}, {{"amsgrad", 1}, {"weightDecay", 0.1}}, {{"maximize", 1}, {"lr", 0.1}}}},
      {"adamw", {{}, {{"amsgrad", 1}, {"lr", 0.1}}, {{"maximize", 1}}}},
      {"rmsprop", {{}, {{"centered", 1}}, {{"momentum", 0.9}}, {{"centered", 1}, {"momentum", 0.5}, {"weightDecay", 0.1}, {"maximize", 1}}}},
      {"adagrad", {{}, {{"lrDecay", 0.1}, {"weightDecay", 0.1}, {"initialAccumulatorValue", 0.5}}}},
      {"adadelta", {{}, {{"weightDecay", 0.1}, {"rho", 0.5}}}},
      {"nadam", {{}, {{"weightDecay", 0.1}, {"momentumDecay", 0.05}}}},
      {"radam", {{}, {{"weightDecay", 0.1}, {"betas2", 0.9}}}},
      {"adamax", {{}, {{"weightDecay", 0.1}, {"betas2", 0.9}}, {{"maximize", 1}}}},
      {"asgd", {{}, {{"weightDecay", 0.1}, {"lambd", 0.1}, {"lr", 0.1}}, {{"maximize", 1}}}},
      {"rprop", {{}, {{"lr", 0.1}}, {{"maximize", 1}}}},
      {"lion", {{}, {{"weightDecay", 0.1}, {"lr", 0.01}}}},
      {"muon", {{}, {{"nesterov", 0}, {"momentum", 0.5}, {"lr", 0.1}}}},
  };
  return table;
}

std::vector<double> settings_with_second_beta(const OptimizerRow& row, Changes changes) {
  const auto second = changes.find("betas2");
  if (second == changes.end()) return settings(row, changes);
  const double value = second->second;
  changes.erase(second);
  std::vector<double> values = settings(row, changes);
  values[static_cast<size_t>(flat_index(row, "betas") + 1)] = value;
  return values;
}

V reader(const OptimizerRow& row, const std::vector<double>& values) {
  return [&row, values](const char* name) {
    return std::string(name) == "betas2" ? values[static_cast<size_t>(flat_index(row, "betas") + 1)] : values[static_cast<size_t>(flat_index(row, name))];
  };
}

void follow(const OptimizerRow& row, const Changes& changes, DType dtype, double tolerance) {
  const std::vector<double> values = settings_with_second_beta(row, changes);
  const V v = reader(row, values);
  const bool matrix = row.name == "muon";
  const Index n = matrix ? 1 : 7;
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<double> expected(static_cast<size_t>(n));
  for (double& p : expected) p = normal(random);
  Tensor p = parameter(matrix ? Shape{1, 1} : Shape{n}, expected, dtype);
  Optimizer optimizer(row, {p}, values);
  std::vector<Memory> memory(expected.size());
  const double sign = changes.contains("maximize") ? -1 : 1;
  for (int t = 1; t <= 60; ++t) {
    std::vector<double> gradient;
    for (size_t i = 0; i < expected.size(); ++i) {
      gradient.push_back(normal(random));
      oracles().at(std::string(row.name))(expected[i], sign * gradient.back(), memory[i], t, v);
    }
    p.set_grad(Tensor::from(p.shape(), gradient, dtype));
    optimizer.step();
    const std::vector<double> actual = p.values();
    for (size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(actual[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i]))) << row.name << " step " << t;
  }
}

TEST(Optimizers, EveryRowFollowsItsScalarFormula) {
  register_ops();
  for (const OptimizerRow& row : optimizer_table()) {
    ASSERT_TRUE(oracles().contains(std::string(row.name))) << row.name << " has no scalar lines in this test";
    for (const Changes& changes : variants().at(std::string(row.name))) {
      SCOPED_TRACE(row.name);
      follow(row, changes, DType::kFloat64, 1e-12);
      // The polynomial of muon amplifies rounding by 3.4 per round; momentum over 60 steps adds up.
      for (bool fast : {true, false}) {
        set_fast_kernels(fast);
        follow(row, changes, DType::kFloat32, row.name == "muon" ? 1e-3 : 2e-5);
      }
      set_fast_kernels(true);
    }
  }
}

TEST(Optimizers, EveryRowGoesDownhillOnAQuadratic) {
  register_ops();
  for (const OptimizerRow& row : optimizer_table()) {
    Changes changes;
    if (row.name == "adadelta") changes = {{"lr", 20}};
    else changes = {{"lr", 0.05}};
    if (row.name == "adagrad") changes["lr"] = 0.5;
    if (row.name == "muon") changes["weightDecay"] = 0;
    Tensor p = parameter({2, 2}, {3, -2, 1, 0.5}, DType::kFloat32);
    Optimizer optimizer(row, {p}, settings(row, changes));
    auto loss = [&] {
      double sum = 0;
      const std::vector<double> x = p.values();
      for (size_t i = 0; i < x.size(); ++i) sum += (static_cast<double>(i) + 1) * x[i] * x[i] / 2;
      return sum;
    };
    const double before = loss();
    for (int t = 0; t < 400; ++t) {
      std::vector<double> g = p.values();
      for (size_t i = 0; i < g.size(); ++i) g[i] *= static_cast<double>(i) + 1;
      p.set_grad(Tensor::from({2, 2}, g));
      optimizer.step();
    }
    EXPECT_LT(loss(), before * 0.01) << row.name;
  }
}

TEST(Optimizers, MuonMovesByANearlyOrthogonalMatrix) {
  register_ops();
  for (const Shape& shape : {Shape{3, 5}, Shape{5, 3}, Shape{4, 2, 3}}) {
    const OptimizerRow& row = row_named("muon");
    const size_t count = static_cast<size_t>(element_count(shape));
    Tensor p = parameter(shape, std::vector<double>(count, 0.0));
    Optimizer optimizer(row, {p}, settings(row, {{"lr", 1}, {"nsSteps", 5}}));
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    std::vector<double> gradient(count);
    for (double& g : gradient) g = normal(random);
    p.set_grad(Tensor::from(shape, gradient, DType::kFloat64));
    optimizer.step();
    const size_t m = static_cast<size_t>(shape[0]), n = count / m;
    const double scale = std::sqrt(std::max(1.0, static_cast<double>(m) / static_cast<double>(n)));
    const std::vector<double> x = p.values();
    // x x^T (or x^T x) has the squares of the singular values as eigenvalues: its trace is near the smaller side.
    double trace = 0;
    for (double v : x) trace += v * v / (scale * scale);
    const double side = static_cast<double>(std::min(m, n));
    EXPECT_GT(trace, 0.5 * side);
    EXPECT_LT(trace, 1.5 * side);
  }
}

TEST(Optimizers, AParameterWithoutGradientIsLeftAloneAndDoesNotCountTheStep) {
  const OptimizerRow& row = row_named("adam");
  Tensor used = parameter({2}, {1, 2}), unused = parameter({2}, {3, 4});
  Optimizer optimizer(row, {used, unused}, default_settings(row));
  used.set_grad(Tensor::full({2}, 1, DType::kFloat64));
  optimizer.step();
  EXPECT_EQ(unused.values(), (std::vector<double>{3, 4}));
  EXPECT_EQ(optimizer.steps(0), 1);
  EXPECT_EQ(optimizer.steps(1), 0);
  EXPECT_TRUE(optimizer.state(0, 0).defined());
  EXPECT_FALSE(optimizer.state(1, 0).defined());
  EXPECT_FALSE(optimizer.state(0, 2).defined()) << "maxExpAvgSq belongs to amsgrad";
  optimizer.zero_grad();
  EXPECT_FALSE(used.grad().defined());
}

TEST(Optimizers, ASavedStateContinuesBitForBit) {
  register_ops();
  for (const OptimizerRow& row : optimizer_table()) {
    Tensor straight = parameter({2, 3}, {1, 2, 3, -1, -2, -3}, DType::kFloat32), resumed = straight.clone();
    resumed.set_requires_grad(true);
    Optimizer one(row, {straight}, default_settings(row)), two(row, {resumed}, default_settings(row));
    auto push = [](const Tensor& p, Optimizer& o, int t) {
      std::vector<double> g = p.values();
      for (double& v : g) v = v * 0.3 + 0.01 * t;
      p.set_grad(Tensor::from(p.shape(), g));
      o.step();
    };
    for (int t = 0; t < 5; ++t) push(straight, one, t);
    resumed.copy_from(straight);
    two.set_steps(0, one.steps(0));
    for (int slot = 0; slot < row.slots.count; ++slot)
      if (one.state(0, slot).defined()) two.set_state(0, slot, one.state(0, slot));
    for (int t = 5; t < 12; ++t) {
      push(straight, one, t);
      push(resumed, two, t);
    }
    EXPECT_EQ(straight.values(), resumed.values()) << row.name;
  }
}

TEST(Optimizers, AViewAsParameterIsUpdatedInItsStorage) {
  const OptimizerRow& row = row_named("sgd");
  Tensor base = Tensor::from({2, 2}, {1, 2, 3, 4}, DType::kFloat64);
  Tensor column = base.view({2}, {2}, 1);
  column.set_requires_grad(true);
  Optimizer optimizer(row, {column}, settings(row, {{"lr", 1}}));
  column.set_grad(Tensor::from({2}, {10, 20}, DType::kFloat64));
  const uint32_t version = base.storage()->version;
  optimizer.step();
  EXPECT_EQ(base.values(), (std::vector<double>{1, -8, 3, -16}));
  EXPECT_GT(base.storage()->version, version);
}

TEST(Optimizers, AStepCountsAChangeOfTheStorageSoThatAnOlderLossIsRefused) {
  register_ops();
  for (const OptimizerRow& row : optimizer_table())
    for (bool fast : {true, false}) {
      SCOPED_TRACE(row.name);
      const bool before = set_fast_kernels(fast);
      const Tensor p = parameter({2, 2}, {1, 2, 3, 4}, DType::kFloat32);
      Optimizer optimizer(row, {p}, default_settings(row));
      // The gradient of a square reads the parameter.
      const Tensor loss = sum(square(p));
      p.set_grad(Tensor::full({2, 2}, 1));
      const uint32_t version = p.storage()->version;
      optimizer.step();
      EXPECT_GT(p.storage()->version, version);
      EXPECT_THROW(backward(loss), Error);
      set_fast_kernels(before);
    }
}

TEST(Optimizers, StateNeverHoldsSubnormalNumbers) {
  for (const char* name : {"sgd", "adam", "rmsprop", "lion", "nadam", "radam", "adadelta"}) {
    const OptimizerRow& row = row_named(name);
    Tensor p = parameter({4}, {1, 1, 1, 1}, DType::kFloat32);
    Changes changes;
    if (std::string(name) == "sgd") changes = {{"momentum", 0.9}};
    Optimizer optimizer(row, {p}, settings(row, changes));
    p.set_grad(Tensor::full({4}, 1e-3));
    optimizer.step();
    p.set_grad(Tensor::full({4}, 1e-19));
    for (int t = 0; t < 100000; t += 1) optimizer.step();
    for (int slot = 0; slot < row.slots.count; ++slot) {
      const Tensor& state = optimizer.state(0, slot);
      if (!state.defined()) continue;
      for (double v : state.values()) EXPECT_TRUE(v == 0 || std::abs(v) > 1e-37) << name << " " << v;
    }
  }
}

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Optimizers, BadSettingsAndParametersAreRefusedWithTheReason) {
  const OptimizerRow& adam = row_named("adam");
  const OptimizerRow& sgd = row_named("sgd");
  Tensor p = parameter({2}, {1, 2}), plain = Tensor::zeros({2});
  EXPECT_EQ(message_of([&] { Optimizer(adam, {p}, settings(adam, {{"lr", -1}})); }), "adam: `lr` must be at least 0 and finite, got -1");
  EXPECT_EQ(message_of([&] { Optimizer(adam, {p}, settings(adam, {{"betas", 1}})); }), "adam: `betas` must be at least 0 and below 1, got 1");
  EXPECT_NE(message_of([&] { Optimizer(adam, {p}, settings(adam, {{"lr", std::nan("")}})); }).find("`lr`"), std::string::npos);
  EXPECT_NE(message_of([&] { Optimizer(sgd, {p}, settings(sgd, {{"nesterov", 1}})); }).find("needs a `momentum`"), std::string::npos);
  EXPECT_NE(message_of([&] { Optimizer(adam, {p, p}, default_settings(adam)); }).find("parameter 1 is in the list twice"), std::string::npos);
  EXPECT_NE(message_of([&] { Optimizer(adam, {p, plain}, default_settings(adam)); }).find("parameter 1 is no leaf that requires a gradient"), std::string::npos);
  EXPECT_NE(message_of([&] { Optimizer(adam, {}, default_settings(adam)); }).find("no parameters"), std::string::npos);
  Optimizer good(adam, {p}, default_settings(adam));
  EXPECT_NE(message_of([&] { good.set_value(0, -3); }), "no error");
  EXPECT_EQ(good.value(0), 1e-3) << "a refused value must not stay";
  EXPECT_NE(message_of([&] { good.set_state(0, 0, Tensor::zeros({3})); }).find("expected [2]"), std::string::npos);
}

}  // namespace
}  // namespace gradbook
