// The tape: order, ownership and letting go of records, errors of misuse, changes in place, memory that does not grow.
#include "autodiff/tape.h"

#include <gtest/gtest.h>

#include <functional>

#include "autodiff/run.h"
#include "base/random.h"
#include "ops/registry.h"
#include "ops/vocabulary.h"

namespace gradbook::test {
namespace {

Tensor leaf(const Shape& shape, const std::vector<double>& values, DType dtype = DType::kFloat32) {
  const Tensor t = Tensor::from(shape, values, dtype);
  t.set_requires_grad(true);
  return t;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}
void expect_error(const std::function<void()>& action, const std::string& words) {
  const std::string message = message_of(action);
  EXPECT_NE(message.find(words), std::string::npos) << "got: " << message << "\nexpected to contain: " << words;
}

using Values = std::vector<double>;

TEST(Tape, AddsGradientsOfRepeatedBackwardUntilTheyAreDropped) {
  const Tensor x = leaf({2}, {1, 2});
  backward(sum(x * x));
  EXPECT_EQ(x.grad().values(), (Values{2, 4}));
  backward(sum(x * x));
  EXPECT_EQ(x.grad().values(), (Values{4, 8}));
  x.set_grad({});
  backward(sum(x));
  EXPECT_EQ(x.grad().values(), (Values{1, 1}));
}

TEST(Tape, AddsUpWhatReachesATensorOnSeveralWays) {
  const Tensor x = leaf({}, {3});
  const Tensor y = x * x;
  backward(y * y + y + x);  // x^4 + x^2 + x
  EXPECT_EQ(x.grad().item(), 4 * 27 + 6 + 1);
}

TEST(Tape, SumsGradientsToTheShapeOfABroadcastInput) {
  const Tensor x = leaf({3}, {1, 2, 3}), y = leaf({2, 1}, {10, 20});
  backward(sum(x * y));
  EXPECT_EQ(x.grad().values(), (Values{30, 30, 30}));
  EXPECT_EQ(y.grad().values(), (Values{6, 6}));
}

TEST(Tape, GivesTwoInputsThatShareOneGradientTensorsOfTheirOwn) {
  const Tensor x = leaf({2}, {1, 2}), y = leaf({2}, {3, 4});
  backward(sum(x + y));
  EXPECT_NE(x.grad().storage(), y.grad().storage());
  x.grad().copy_from(Tensor::zeros({2}));
  EXPECT_EQ(y.grad().values(), (Values{1, 1}));
}

TEST(Tape, LetsGoOfItsRecordsInBackward) {
  const int64_t before = record_count();
  const Tensor x = leaf({2}, {1, 2});
  const Tensor loss = sum(exp(x) * x);
  EXPECT_GT(record_count(), before);
  backward(loss);
  expect_error([&] { backward(loss); }, "let go by an earlier backward()");
}

TEST(Tape, CanBeGoneThroughTwiceWhenRetained) {
  const Tensor x = leaf({2}, {1, 2});
  const Tensor loss = sum(x * x);
  backward(loss, {}, {.retain_graph = true});
  backward(loss);
  EXPECT_EQ(x.grad().values(), (Values{4, 8}));
}

TEST(Tape, SaysThatPartOfItIsGoneWhenTwoLossesShareIt) {
  const Tensor x = leaf({2}, {1, 2});
  const Tensor shared = exp(x);
  const Tensor first = sum(shared), second = sum(shared * shared);
  backward(first);
  expect_error([&] { backward(second); }, "pass retainGraph to the first call");
}

TEST(Tape, NeedsAScalarOrAnUpstreamGradient) {
  const Tensor x = leaf({2}, {1, 2});
  expect_error([&] { backward(x * 2.0); }, "needs a scalar such as a loss, got shape [2]");
  expect_error([&] { backward(x * 2.0, Tensor::zeros({3})); }, "must have shape [2], got [3]");
  backward(x * 2.0, Tensor::from({2}, {1, 10}));
  EXPECT_EQ(x.grad().values(), (Values{2, 20}));
}

TEST(Tape, SaysThatNothingRequiresAGradient) {
  expect_error([] { backward(sum(Tensor::zeros({2}))); }, "depends on nothing that requires a gradient");
  const Tensor x = leaf({2}, {1, 2});
  Tensor off;
  {
    GradModeGuard guard(false);
    off = sum(x);
  }
  expect_error([&] { backward(off); }, "noGrad()");
  expect_error([&] { backward(sum(x.detach())); }, "detach()");
}

TEST(Tape, RecordsNothingWhileGradModeIsOff) {
  const Tensor x = leaf({2}, {1, 2});
  const int64_t before = record_count();
  GradModeGuard guard(false);
  const Tensor y = sum(x * x);
  EXPECT_EQ(record_count(), before);
  EXPECT_FALSE(y.requires_grad());
}

TEST(Tape, NoticesAValueThatChangedAfterItWasUsed) {
  const Tensor x = leaf({2}, {1, 2});
  const Tensor loss = sum(x * x);
  x.copy_from(Tensor::from({2}, {5, 6}));
  expect_error([&] { backward(loss); }, "changed in place");
}

TEST(Tape, GivesGradientsOfChosenTensorsAndLeavesGradAlone) {
  const Tensor x = leaf({2}, {1, 2}), unused = leaf({1}, {1});
  const Tensor y = exp(x);
  const Tensor loss = sum(y * y);
  const auto got = gradients(loss, {y, x, unused});
  EXPECT_EQ(got[0].values(), (y * 2.0).values());
  EXPECT_NEAR(got[1].values()[0], 2 * std::exp(2.0), 1e-4);
  EXPECT_FALSE(got[2].defined());
  EXPECT_FALSE(x.grad().defined());
}

TEST(Tape, DifferentiatesGradientsWhenTheyAreRecorded) {
  const Tensor x = leaf({}, {2}, DType::kFloat64);
  const Tensor cube = x * x * x;
  const Tensor first = gradients(cube, {x}, {}, {.create_graph = true})[0];
  const Tensor second = gradients(first, {x}, {}, {.create_graph = true})[0];
  const Tensor third = gradients(second, {x})[0];
  EXPECT_EQ(first.item(), 12);
  EXPECT_EQ(second.item(), 12);
  EXPECT_EQ(third.item(), 6);
}

TEST(Tape, CarriesChainsOfAHundredThousandRecords) {
  const int64_t before = record_count();
  const Tensor x = leaf({}, {1});
  {
    Tensor y = x;
    for (int i = 0; i < 100000; ++i) y = y + 1.0;
    EXPECT_EQ(record_count() - before, 100000);
    backward(y);
  }
  EXPECT_EQ(x.grad().item(), 1);
  EXPECT_EQ(record_count(), before);
  {
    Tensor y = x;
    for (int i = 0; i < 100000; ++i) y = y + 1.0;
  }  // dropped without backward
  EXPECT_EQ(record_count(), before);
}

TEST(Tape, DropsABranchingHistoryOfAHundredThousandRecordsWithoutBackward) {
  const int64_t before = record_count();
  {
    const Tensor x = leaf({}, {1});
    Tensor y = x, z = x;
    for (int i = 0; i < 50000; ++i) {
      const Tensor next = y + z;
      z = y * 0.5;
      y = next * 0.5;
    }
  }
  EXPECT_EQ(record_count(), before);
}

// Two layers with random data: loss, backward, a step by hand.
struct SmallNet {
  Tensor x, target, w1, b1, w2, b2;
  SmallNet() {
    default_generator() = {5, 0};
    auto random = [](const Shape& shape) { return op<"randn">({}, {shape}); };
    x = random({16, 8});
    target = random({16, 1});
    w1 = random({32, 8}) * 0.3;
    b1 = Tensor::zeros({32});
    w2 = random({1, 32}) * 0.2;
    b2 = Tensor::zeros({1});
    for (const Tensor* t : {&w1, &b1, &w2, &b2}) t->set_requires_grad(true);
  }
  double step() {
    const Tensor hidden = relu(op<"linear">({x, w1, b1}));
    const Tensor loss = op<"mse">({op<"linear">({hidden, w2, b2}), target});
    backward(loss);
    GradModeGuard off(false);
    for (const Tensor* t : {&w1, &b1, &w2, &b2}) {
      t->copy_from(*t - t->grad() * 0.05);
      t->set_grad({});
    }
    return loss.item();
  }
};

TEST(Memory, StaysFlatOverFiveThousandStepsOfASmallNet) {
  SmallNet net;
  const double first = net.step();
  for (int i = 0; i < 20; ++i) net.step();
  const MemoryCount before = memory_count();
  const int64_t records = record_count();
  double last = 0;
  for (int i = 0; i < 5000; ++i) last = net.step();
  EXPECT_EQ(memory_count().live_bytes, before.live_bytes);
  EXPECT_EQ(memory_count().blocks, before.blocks);
  EXPECT_EQ(memory_count().peak_bytes, before.peak_bytes);
  EXPECT_EQ(record_count(), records);
  EXPECT_LT(last, first / 10);
}

TEST(Memory, IsFreedByAnExceptionInTheMiddleOfAStep) {
  SmallNet net;
  net.step();
  const MemoryCount before = memory_count();
  const int64_t records = record_count();
  for (int i = 0; i < 50; ++i) {
    EXPECT_THROW(
        {
          const Tensor hidden = relu(op<"linear">({net.x, net.w1, net.b1}));
          matmul(hidden, net.w2);  // inner sizes differ
        },
        Error);
    // A gradient rule that fails: solve of a singular matrix, singular only in its derivative's transposed use.
    EXPECT_THROW(
        {
          const Tensor a = leaf({2, 2}, {1, 1, 1, 1});
          backward(sum(op<"inverse">({a})));
        },
        Error);
  }
  EXPECT_EQ(memory_count().live_bytes, before.live_bytes);
  EXPECT_EQ(record_count(), records);
}

TEST(Memory, OfNothingButALimitIsAnErrorWithNumbers) {
  set_memory_limit(memory_count().live_bytes + (8 << 20));
  expect_error([] { Tensor::empty({16 << 20}); }, "MB more would pass the limit");
  set_memory_limit(0);
  EXPECT_NO_THROW(Tensor::empty({16 << 20}));
}

TEST(Interrupt, StopsBeforeTheNextOpAndIsLowered) {
  *interrupt_flag() = 1;
  expect_error([] { Tensor::zeros({1}) + 1.0; }, "stopped");
  EXPECT_EQ(*interrupt_flag(), 0);
  EXPECT_NO_THROW(Tensor::zeros({1}) + 1.0);
}

TEST(Random, DrawsTheSameNumbersAfterTheSameSeedWhateverWasAllocatedBefore) {
  default_generator() = {42, 0};
  const Values first = op<"randn">({}, {Shape{5}}).values(), second = op<"rand">({}, {Shape{3}}).values();
  const Generator saved = default_generator();
  const Values third = op<"dropoutMask">({}, {Shape{9}, 0.5}).values();
  default_generator() = {42, 0};
  EXPECT_EQ(op<"randn">({}, {Shape{5}}).values(), first);
  EXPECT_EQ(op<"rand">({}, {Shape{3}}).values(), second);
  default_generator() = saved;
  EXPECT_EQ(op<"dropoutMask">({}, {Shape{9}, 0.5}).values(), third);
}

TEST(Random, HasTheMeanAndSpreadThatItPromises) {
  default_generator() = {7, 0};
  const Tensor normal = op<"randn">({}, {Shape{100000}}), uniform = op<"rand">({}, {Shape{100000}});
  EXPECT_NEAR(mean(normal).item(), 0, 0.02);
  EXPECT_NEAR(op<"std">({normal}).item(), 1, 0.02);
  EXPECT_NEAR(mean(uniform).item(), 0.5, 0.01);
  EXPECT_NEAR(op<"var">({uniform}).item(), 1.0 / 12, 0.002);
  const Tensor mask = op<"dropoutMask">({}, {Shape{100000}, 0.25});
  EXPECT_NEAR(mean(mask).item(), 1, 0.02);
  const Tensor whole = op<"randint">({}, {-3, 4, Shape{70000}});
  EXPECT_EQ(op<"unique">({whole}).values(), (Values{-3, -2, -1, 0, 1, 2, 3}));
  EXPECT_NEAR(op<"uniqueCounts">({whole}).values()[0], 10000, 500);
}

}  // namespace
}  // namespace gradbook::test
