// The profile of ops, and the anomaly mode: it names the op that made the first value that is not finite, forward or backward.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "autodiff/run.h"
#include "autodiff/tape.h"
#include "inspect/observe.h"
#include "ops/registry.h"

namespace gradbook {
namespace {

Tensor apply(std::string_view op, std::vector<Tensor> inputs, Attributes attributes = {}) { return run(find_op(op), std::move(inputs), std::move(attributes)); }

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class Anomalies : public testing::Test {
 protected:
  void SetUp() override {
    register_ops();
    set_anomaly_detection(true);
  }
  void TearDown() override { set_anomaly_detection(false); }
};

TEST_F(Anomalies, TheOpThatMadeTheFirstNaNIsNamedWithPlaceAndInputs) {
  const Tensor x = Tensor::from({2, 2}, {1, 4, -1, -9});
  EXPECT_EQ(message_of([&] { apply("sqrt", {x}); }), "sqrt: gave NaN at [1, 0] (and 1 more of 4 elements); its inputs: [2, 2] from -9 to 4");
  EXPECT_EQ(message_of([&] { apply("log", {Tensor::from({2}, {1, 0})}); }), "log: gave -Infinity at [1]; its inputs: [2] from 0 to 1");
  EXPECT_EQ(message_of([&] { apply("exp", {Tensor::from({}, {1000})}); }), "exp: gave Infinity; its inputs: [] from 1000 to 1000");
}

TEST_F(Anomalies, FiniteResultsAndTensorsOfOtherTypesPass) {
  EXPECT_EQ(message_of([&] { apply("add", {Tensor::from({2}, {1, 2}), Tensor::from({2}, {3, 4})}); }), "no error");
  EXPECT_EQ(message_of([&] { apply("mul", {Tensor::zeros({3}, DType::kInt32), Tensor::zeros({3}, DType::kInt32)}); }), "no error");
  EXPECT_EQ(message_of([&] { apply("add", {Tensor::zeros({0}), Tensor::zeros({0})}); }), "no error");
}

TEST_F(Anomalies, InfinitiesThatWereAskedForPassOnButNotTheNaNMadeFromThem) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor masked = Tensor::from({2}, {-infinity, 1});
  EXPECT_EQ(message_of([&] { apply("add", {masked, Tensor::number(1)}); }), "no error");
  EXPECT_EQ(message_of([&] { apply("mul", {Tensor::from({2}, {1, 2}), Tensor::number(infinity)}); }), "no error");
  EXPECT_NE(message_of([&] { apply("sub", {masked, masked}); }).find("sub: gave NaN at [0]"), std::string::npos);
  EXPECT_EQ(message_of([&] { apply("add", {Tensor::from({1}, {std::nan("")}), Tensor::number(1)}); }), "no error") << "NaN that came in is not this op's doing";
}

TEST_F(Anomalies, InsideBackwardTheOpWhoseGradientFailedIsNamed) {
  Tensor x = Tensor::from({2}, {0, 1});
  x.set_requires_grad(true);
  const Tensor y = apply("sum", {apply("sqrt", {x})});
  const std::string message = message_of([&] { backward(y); });
  EXPECT_EQ(message.rfind("gradient of sqrt: ", 0), 0u) << message;
  EXPECT_NE(message.find("gave Infinity at [0]"), std::string::npos) << message;
  EXPECT_EQ(gradient_in_progress(), nullptr);
}

TEST_F(Anomalies, TheOpThatWasCalledIsNamedInsteadOfTheOnesThatItIsWrittenWith) {
  Tensor logits = Tensor::from({1, 2}, {std::numeric_limits<double>::infinity(), 0}, DType::kFloat32);
  const Tensor ids = Tensor::from({1}, {1}, DType::kInt32);
  EXPECT_EQ(message_of([&] { apply("crossEntropy", {logits, ids, Tensor()}); }), "crossEntropy: gave NaN; its inputs: [1, 2] from 0 to inf, [1] from 1 to 1") << "an internal op is not named";
  EXPECT_EQ(message_of([&] { apply("logSumExp", {Tensor::from({1}, {std::nan("")})}); }), "no error");
  EXPECT_EQ(message_of([&] { apply("std", {Tensor::from({1}, {2})}); }).rfind("std: div gave NaN", 0), 0u) << message_of([&] { apply("std", {Tensor::from({1}, {2})}); });
  // The gradient of the square root in std, which is part of standard deviations of equal numbers.
  Tensor equal = Tensor::from({2}, {3, 3});
  equal.set_requires_grad(true);
  const Tensor y = apply("std", {equal});
  EXPECT_EQ(message_of([&] { backward(y); }).rfind("gradient of std: ", 0), 0u) << message_of([&] { backward(apply("std", {equal})); });
}

TEST_F(Anomalies, SwitchedOffNothingIsChecked) {
  EXPECT_TRUE(set_anomaly_detection(false));
  EXPECT_EQ(message_of([&] { apply("log", {Tensor::from({2}, {-1, 0})}); }), "no error");
}

TEST(Profile, ForwardAndBackwardAreCountedByOp) {
  register_ops();
  EXPECT_FALSE(set_profiling(true));
  Tensor x = Tensor::from({2, 2}, {1, 2, 3, 4});
  x.set_requires_grad(true);
  for (int i = 0; i < 3; ++i) backward(apply("sum", {apply("matmul", {x, x})}));
  EXPECT_TRUE(set_profiling(false));
  apply("matmul", {x, x});
  int64_t forward = 0, backward_calls = 0;
  for (const ProfileRow& row : profile_rows()) {
    EXPECT_GE(row.milliseconds, 0);
    if (row.op->name == "matmul") (row.backward ? backward_calls : forward) += row.calls;
  }
  EXPECT_EQ(forward, 3) << "ops of a gradient count for it, and what runs after the end counts for nothing";
  EXPECT_GE(backward_calls, 6);
  set_profiling(true);
  set_profiling(false);
  EXPECT_TRUE(profile_rows().empty());
}

}  // namespace
}  // namespace gradbook
