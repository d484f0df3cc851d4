// Recurrence and attention weights at sizes that the samples of the rows do not reach: quick kernels against plain loops, forward and
// backward, the same bits on any number of threads, and nothing kept when nobody asks for a gradient.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "autodiff/run.h"
#include "autodiff/tape.h"
#include "kernels/threads.h"
#include "op_arguments.h"
#include "ops/vocabulary.h"

namespace gradbook::test {
namespace {

struct Sizes {
  Index steps, batch, hidden;
};
constexpr Sizes kSizes[] = {{1, 1, 1}, {2, 3, 2}, {3, 5, 7}, {4, 9, 8}, {2, 17, 13}, {5, 33, 20}, {2, 40, 66}, {40, 2, 5}};
constexpr const char* kCells[] = {"tanh", "relu", "gru", "lstm"};

struct Sequence {
  std::vector<Tensor> inputs;
  Tensor upstream;
  Attributes attributes;
};

Sequence sequence(const char* cell, const Sizes& s, bool bias, uint64_t seed) {
  const std::string_view name = cell;
  const Index gates = name == "lstm" ? 4 : name == "gru" ? 3 : 1, states = name == "lstm" ? 2 : 1;
  Draw draw(seed);
  const double bound = 1 / std::sqrt(static_cast<double>(s.hidden));
  Sequence q;
  q.inputs = {random_tensor({s.steps, s.batch, gates * s.hidden}, draw, DType::kFloat32, -3, 3), random_tensor({gates * s.hidden, s.hidden}, draw, DType::kFloat32, -bound, bound),
              random_tensor({states, s.batch, s.hidden}, draw, DType::kFloat32), bias ? random_tensor({gates * s.hidden}, draw, DType::kFloat32) : Tensor()};
  for (const Tensor& t : q.inputs)
    if (t.defined()) t.set_requires_grad(true);
  q.upstream = random_tensor({states, s.steps + 1, s.batch, s.hidden}, draw, DType::kFloat32);
  q.attributes = {Attribute::text(cell)};
  return q;
}

// The states, then the gradients of all inputs.
std::vector<std::vector<double>> run_through(const Sequence& q, bool fast) {
  const bool before = set_fast_kernels(fast);
  const Tensor states = op<"recurrence">(q.inputs, q.attributes);
  std::vector<Tensor> targets;
  for (const Tensor& t : q.inputs)
    if (t.defined()) targets.push_back(t);
  std::vector<std::vector<double>> all = {states.values()};
  for (const Tensor& g : gradients(states, targets, q.upstream)) all.push_back(g.values());
  set_fast_kernels(before);
  return all;
}

void expect_near(const std::vector<std::vector<double>>& got, const std::vector<std::vector<double>>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].size(), expected[i].size());
    double largest = 1, worst = 0;
    for (double v : expected[i]) largest = std::max(largest, std::abs(v));
    for (size_t k = 0; k < got[i].size(); ++k) worst = std::max(worst, std::isnan(got[i][k]) ? HUGE_VAL : std::abs(got[i][k] - expected[i][k]));
    EXPECT_LT(worst / largest, 1e-5) << "tensor " << i;
  }
}

TEST(Recurrence, OfAnySizeAgreesWithThePlainLoopsForwardAndBackward) {
  for (const char* cell : kCells)
    for (const Sizes& s : kSizes)
      for (const bool bias : {false, true}) {
        SCOPED_TRACE(testing::Message() << cell << " " << s.steps << " steps, batch " << s.batch << ", hidden " << s.hidden << ", bias " << bias);
        const Sequence q = sequence(cell, s, bias, 5);
        expect_near(run_through(q, true), run_through(q, false));
      }
}

TEST(Recurrence, GivesTheSameBitsOnAnyNumberOfThreads) {
  const int before = kernels::thread_count();
  for (const char* cell : kCells) {
    SCOPED_TRACE(cell);
    const Sequence q = sequence(cell, {6, 70, 48}, true, 9);
    kernels::set_thread_count(1);
    const auto one = run_through(q, true);
    for (const int threads : {2, 3}) {
      kernels::set_thread_count(threads);
      EXPECT_EQ(run_through(q, true), one) << threads << " threads";
    }
  }
  kernels::set_thread_count(before);
}

TEST(Recurrence, OfAPartGivesThoseBitsOfTheWhole) {
  for (const char* cell : kCells) {
    SCOPED_TRACE(cell);
    const Sequence q = sequence(cell, {7, 21, 18}, true, 3);
    const GradModeGuard off(false);
    const Tensor whole = op<"recurrence">(q.inputs, q.attributes);
    const Tensor start = reshape(slice(whole, 4, 5, 1), q.inputs[2].shape());
    const Tensor rest = op<"recurrence">({slice(q.inputs[0], 4, 7, 0), q.inputs[1], start, q.inputs[3]}, q.attributes);
    EXPECT_EQ(rest.values(), slice(whole, 4, 8, 1).values());
    // Fewer rows are cut into other blocks and tiles.
    const Tensor few = op<"recurrence">({slice(q.inputs[0], 3, 8, 1), q.inputs[1], slice(q.inputs[2], 3, 8, 1), q.inputs[3]}, q.attributes);
    EXPECT_EQ(few.values(), slice(whole, 3, 8, 2).values());
  }
}

TEST(Recurrence, KeepsGradientsOfLongSequencesFreeOfSubnormals) {
  Sequence q = sequence("lstm", {300, 2, 4}, false, 8);
  q.inputs[0] = Tensor::full(q.inputs[0].shape(), -4);  // gates that forget
  q.inputs[0].set_requires_grad(true);
  const Tensor states = op<"recurrence">(q.inputs, q.attributes);
  Tensor upstream = Tensor::zeros(states.shape());
  upstream.data<float>()[300 * 8] = 1;
  for (double v : gradients(states, {q.inputs[0]}, upstream)[0].values()) ASSERT_TRUE(v == 0 || std::abs(v) >= 1e-30) << v;
}

TEST(AttentionWeights, OfAnySizeAgreeWithThePlainLoopsAndAreTheSameOnAnyNumberOfThreads) {
  const int before = kernels::thread_count();
  for (const auto& [batch, queries, keys, features] : {std::array<Index, 4>{1, 1, 1, 1}, {3, 25, 9, 5}, {2, 97, 33, 8}, {1, 200, 130, 17}, {40, 24, 24, 16}}) {
    SCOPED_TRACE(testing::Message() << batch << " times " << queries << " queries, " << keys << " keys, " << features << " features");
    Draw draw(4);
    const Tensor q = random_tensor({batch, queries, features}, draw, DType::kFloat32), k = random_tensor({batch, keys, features}, draw, DType::kFloat32);
    const Tensor mask = random_tensor({queries, keys}, draw, DType::kFloat32);
    kernels::set_thread_count(1);
    const Tensor one = op<"attentionWeights">({q, k, mask}, {0.3});
    kernels::set_thread_count(3);
    const Tensor three = op<"attentionWeights">({q, k, mask}, {0.3});
    EXPECT_EQ(one.values(), three.values());
    const bool fast = set_fast_kernels(false);
    const Tensor plain = op<"attentionWeights">({q, k, mask}, {0.3});
    set_fast_kernels(fast);
    expect_near({one.values()}, {plain.values()});
  }
  kernels::set_thread_count(before);
}

TEST(Attention, WithAMaskThatHidesAllKeysOfAQueryGivesNaNThereAlone) {
  Draw draw(6);
  const Tensor q = random_tensor({2, 3}, draw, DType::kFloat32), k = random_tensor({4, 3}, draw, DType::kFloat32);
  const Tensor mask = Tensor::from({2, 1}, {0, 1}, DType::kBool);
  const std::vector<double> out = op<"scaledDotProductAttention">({q, k, k, mask}).values();
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(std::isnan(out[i]), i < 3);
}

}  // namespace
}  // namespace gradbook::test
