// Optimizer steps against ten lines in double, and what happens to tiny gradients.
#include "kernels/optimizer.h"

#include "kernels/threads.h"
#include "kernels_numbers.h"

namespace gradbook::kernels {
namespace {

using tests::Floats;
using tests::Numbers;

TEST(SgdStep, FollowsTheFormulaOverSeveralSteps) {
  Numbers numbers(1);
  for (int round = 0; round < 40; ++round) {
    const Index n = numbers.between(0, 40);
    SgdStep s;
    s.lr = 0.1f, s.weight_decay = round % 2 ? 0.01f : 0, s.momentum = round % 3 ? 0.9f : 0, s.nesterov = round % 3 == 2, s.maximize = round % 5 == 0;
    s.dampening = round % 3 == 1 ? 0.2f : 0;
    Floats p(n, numbers), buffer(n);
    std::vector<double> ep, eb(static_cast<size_t>(n));
    for (Index i = 0; i < n; ++i) ep.push_back(p[i]);
    for (int step = 0; step < 5; ++step) {
      const Floats g(n, numbers);
      s.first = step == 0;
      sgd_step(s, n, p.data(), g.data(), s.momentum == 0 ? nullptr : buffer.data());
      for (Index i = 0; i < n; ++i) {
        const auto at = static_cast<size_t>(i);
        double d = (s.maximize ? -1 : 1) * static_cast<double>(g[i]) + s.weight_decay * ep[at];
        if (s.momentum != 0) {
          eb[at] = s.first ? d : s.momentum * eb[at] + (1 - s.dampening) * d;
          d = s.nesterov ? d + s.momentum * eb[at] : eb[at];
        }
        ep[at] -= s.lr * d;
      }
    }
    EXPECT_LT(tests::difference(ep, p), 1e-6) << round;
    EXPECT_TRUE(p.tail_untouched());
  }
}

TEST(AdamStep, FollowsTheFormulaOverManySteps) {
  Numbers numbers(2);
  for (int round = 0; round < 8; ++round) {
    const Index n = numbers.between(1, 40);
    AdamStep s;
    s.lr = 0.01, s.weight_decay = round % 2 ? 0.1 : 0, s.decoupled = round % 4 == 3, s.maximize = round == 6;
    Floats p(n, numbers), m(n), v(n);
    std::vector<double> ep, em(static_cast<size_t>(n)), ev(static_cast<size_t>(n));
    for (Index i = 0; i < n; ++i) ep.push_back(p[i]);
    for (s.step = 1; s.step <= 40; ++s.step) {
      const Floats g(n, numbers);
      adam_step(s, n, p.data(), g.data(), m.data(), v.data());
      for (size_t i = 0; i < ep.size(); ++i) {
        double d = (s.maximize ? -1 : 1) * static_cast<double>(g[static_cast<Index>(i)]);
        if (s.decoupled) ep[i] *= 1 - s.lr * s.weight_decay;
        else d += s.weight_decay * ep[i];
        em[i] = s.beta1 * em[i] + (1 - s.beta1) * d;
        ev[i] = s.beta2 * ev[i] + (1 - s.beta2) * d * d;
        ep[i] -= s.lr * em[i] / (1 - std::pow(s.beta1, s.step)) / (std::sqrt(ev[i] / (1 - std::pow(s.beta2, s.step))) + s.epsilon);
      }
    }
    EXPECT_LT(tests::difference(ep, p), 1e-5) << round;
    EXPECT_TRUE(p.tail_untouched() && m.tail_untouched() && v.tail_untouched());
  }
}

TEST(AdamStep, StateNeverBecomesSubnormalWhenGradientsVanish) {
  Numbers numbers(3);
  const Index n = 64;
  AdamStep s;
  Floats p(n, numbers), m(n), v(n);
  for (s.step = 1; s.step <= 3000; ++s.step) {
    Floats g(n);
    for (Index i = 0; i < n; ++i) g[i] = s.step < 20 ? numbers.uniform() * std::pow(10.0f, -static_cast<float>(i % 40)) : 0;
    adam_step(s, n, p.data(), g.data(), m.data(), v.data());
    for (Index i = 0; i < n; ++i) {
      ASSERT_NE(std::fpclassify(m[i]), FP_SUBNORMAL) << "step " << s.step;
      ASSERT_NE(std::fpclassify(v[i]), FP_SUBNORMAL) << "step " << s.step;
    }
  }
}

TEST(OptimizerSteps, NanGradientsAreNotHidden) {
  float p[] = {1, 1}, g[] = {NAN, 0}, m[2] = {}, v[2] = {};
  adam_step({}, 2, p, g, m, v);
  EXPECT_TRUE(std::isnan(p[0]));
  EXPECT_EQ(p[1], 1);
  float q[] = {1};
  sgd_step({}, 1, q, g, nullptr);
  EXPECT_TRUE(std::isnan(q[0]));
}

TEST(OptimizerSteps, GiveTheSameBitsWithAnyThreadCount) {
  Numbers numbers(4);
  const Index n = 50001;
  const Floats g(n, numbers), start(n, numbers);
  Floats one = start, many = start, m1(n), v1(n), m2(n), v2(n);
  adam_step({}, n, one.data(), g.data(), m1.data(), v1.data());
  set_thread_count(3);
  adam_step({}, n, many.data(), g.data(), m2.data(), v2.data());
  set_thread_count(1);
  EXPECT_TRUE(one.same_bits(many));
}

}  // namespace
}  // namespace gradbook::kernels
