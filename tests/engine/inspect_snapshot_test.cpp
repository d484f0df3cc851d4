// Snapshots: what is written is read back, bytes of strangers are refused, and the tables say what the engine holds and did.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "autodiff/flops.h"
#include "autodiff/run.h"
#include "autodiff/tape.h"
#include "inspect/collect.h"
#include "inspect/metrics.h"
#include "inspect/snapshot.h"
#include "inspect/statistics.h"
#include "inspect/trace.h"
#include "ops/registry.h"
#include "train/optimizers.h"

namespace gradbook {
namespace {

Tensor apply(std::string_view op, std::vector<Tensor> inputs, Attributes attributes = {}) { return run(find_op(op), std::move(inputs), std::move(attributes)); }

Tensor parameter(const Shape& shape, double value) {
  Tensor t = Tensor::full(shape, value);
  t.set_requires_grad(true);
  return t;
}

std::vector<uint8_t> sample() {
  SnapshotWriter out;
  out.table("first", {"a", "b"});
  out.row({1, out.text("word")});
  out.row({-2.5, out.text("")});
  out.table("empty", {"x"});
  out.table("numbers", {"value"});
  out.rows(std::vector<double>{3, 4, std::nan("")});
  out.text("never named");
  return out.finish();
}

Snapshot read(std::vector<uint8_t> bytes) {
  Snapshot snapshot;
  std::string why;
  EXPECT_TRUE(snapshot.read(std::move(bytes), &why)) << why;
  return snapshot;
}

Snapshot taken(SnapshotRequest request = {}) {
  request.allowance = 1 << 20;
  return read(take_snapshot(request));
}

// The row of a table whose column holds this text, or -1.
int row_of(const Snapshot& s, std::string_view table, std::string_view column, std::string_view text) {
  for (size_t i = 0; i < s.table(table).rows(); ++i)
    if (s.text(s.table(table).at(i, column)) == text) return static_cast<int>(i);
  return -1;
}

TEST(SnapshotBytes, WhatIsWrittenIsReadBack) {
  const Snapshot s = read(sample());
  ASSERT_EQ(s.table("first").rows(), 2u);
  EXPECT_EQ(s.table("first").at(0, "a"), 1);
  EXPECT_EQ(s.text(s.table("first").at(0, "b")), "word");
  EXPECT_EQ(s.table("first").at(1, "a"), -2.5);
  EXPECT_EQ(s.table("empty").rows(), 0u);
  EXPECT_EQ(s.table("empty").columns(), 1u);
  EXPECT_EQ(s.table("numbers").at(1, "value"), 4);
  EXPECT_TRUE(std::isnan(s.table("numbers").at(2, "value")));
}

TEST(SnapshotBytes, WhatIsNotThereIsEmptyAndNoNumber) {
  const Snapshot s = read(sample());
  EXPECT_EQ(s.table("nothing").rows(), 0u);
  EXPECT_TRUE(std::isnan(s.table("first").at(2, "a")));
  EXPECT_TRUE(std::isnan(s.table("first").at(0, "c")));
  for (double number : {-1.0, 0.5, 1e9, std::nan("")}) EXPECT_EQ(s.text(number), "");
}

TEST(SnapshotBytes, EveryTruncationIsRefused) {
  const std::vector<uint8_t> whole = sample();
  for (size_t size = 0; size < whole.size(); ++size) {
    Snapshot s;
    EXPECT_FALSE(s.read({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)})) << size;
    EXPECT_TRUE(s.empty());
  }
}

TEST(SnapshotBytes, DamagedBytesNeverReachOutside) {
  // Whatever is read afterwards lies inside: the sanitizers of the other build are the judge.
  const std::vector<uint8_t> whole = sample();
  std::mt19937 random(7);
  const auto look = [](std::vector<uint8_t> bytes) {
    Snapshot s;
    if (!s.read(std::move(bytes))) return;
    for (std::string_view name : {"first", "empty", "numbers"})
      for (size_t row = 0; row < std::min<size_t>(s.table(name).rows(), 100); ++row)
        for (int column = 0; column < static_cast<int>(s.table(name).columns()); ++column) (void)s.text(s.table(name).at(row, column)).size();
  };
  for (size_t i = 0; i + 4 <= whole.size(); i += 4)
    for (uint32_t value : {0u, 1u, 7u, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0xfffffff8u}) {
      std::vector<uint8_t> bytes = whole;
      for (size_t b = 0; b < 4; ++b) bytes[i + b] = static_cast<uint8_t>(value >> (8 * b));
      look(std::move(bytes));
    }
  for (int i = 0; i < 3000; ++i) {
    std::vector<uint8_t> bytes = whole;
    for (int k = 0; k < 3; ++k) bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    look(std::move(bytes));
  }
}

TEST(Statistics, AreThoseOfTheValuesAndAreFoundAgainWhenTheyChange) {
  const Tensor t = Tensor::from({2, 3}, {1, 2, 3, 4, 0, std::nan("")});
  int64_t allowance = 6;
  Statistics s = statistics_of(t, allowance);
  EXPECT_EQ(s.known, Known::kAll);
  EXPECT_EQ(allowance, 0);
  EXPECT_EQ(s.min, 0);
  EXPECT_EQ(s.max, 4);
  EXPECT_EQ(s.mean, 2);
  EXPECT_NEAR(s.deviation, std::sqrt(2.0), 1e-12);
  EXPECT_EQ(s.zeros, 1);
  EXPECT_EQ(s.not_finite, 1);
  EXPECT_EQ(statistics_of(t, allowance).known, Known::kAll) << "what is known costs nothing";
  t.copy_from(Tensor::full({2, 3}, 7));
  EXPECT_EQ(statistics_of(t, allowance).known, Known::kOlder) << "no allowance is left to look again";
  allowance = 100;
  EXPECT_EQ(statistics_of(t, allowance).mean, 7);
}

TEST(Statistics, HistogramsCountEveryFiniteElementOfAnyView) {
  const Tensor t = Tensor::from({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7}).view({4, 2}, {1, 4});
  const std::vector<int64_t> counts = histogram_of(t, statistics_now(t), 4);
  EXPECT_EQ(counts, (std::vector<int64_t>{2, 2, 2, 2}));
  const Tensor same = Tensor::full({5}, 3);
  EXPECT_EQ(histogram_of(same, statistics_now(same), 2), (std::vector<int64_t>{5, 0}));
}

TEST(Costs, ProductsAndConvolutionsCountTwoForEachMultiplyAdd) {
  register_ops();
  const auto flops = [](std::string_view op, std::vector<Tensor> inputs, Attributes attributes = {}) {
    Call call{&find_op(op), inputs, attributes, {}, {}};
    call.result = apply(op, inputs, attributes);
    return flops_of(call);
  };
  EXPECT_EQ(flops("matmul", {Tensor::zeros({2, 3}), Tensor::zeros({3, 4})}), 2 * 2 * 3 * 4);
  EXPECT_EQ(flops("matmul", {Tensor::zeros({5, 2, 3}), Tensor::zeros({3, 4})}), 5 * 2 * 2 * 3 * 4);
  EXPECT_EQ(flops("linear", {Tensor::zeros({8, 3}), Tensor::zeros({4, 3}), Tensor::zeros({4})}), 2 * 8 * 3 * 4);
  EXPECT_EQ(flops("conv2d", {Tensor::zeros({2, 3, 6, 6}), Tensor::zeros({4, 3, 3, 3}), {}}), 2 * (2 * 4 * 4 * 4) * (3 * 3 * 3));
  EXPECT_EQ(flops("relu", {Tensor::zeros({7})}), 7);
  EXPECT_EQ(flops("sum", {Tensor::zeros({7})}), 7) << "what is read counts, not the one number that comes out";
  EXPECT_EQ(flops("reshape", {Tensor::zeros({6})}, {Attribute(Shape{2, 3})}), 0);
}

class Tracing : public testing::Test {
 protected:
  void SetUp() override {
    register_ops();
    clear_traced_costs();
    begin_traced_run();
  }
  Tensor weight = parameter({4, 3}, 0.5), x = Tensor::full({8, 3}, 1);
  Optimizer optimizer{optimizer_table()[0], {weight}, default_settings(optimizer_table()[0])};

  void step() {
    optimizer.zero_grad();
    backward(apply("sum", {apply("relu", {apply("linear", {x, weight, Tensor()})})}));
    optimizer.step();
    trace_step(optimizer.row().name, 0.1, optimizer.parameters());
  }
};

TEST_F(Tracing, OneStepIsWatchedAndThenNothingMore) {
  const uint64_t before = last_trace().number;
  arm_trace();
  EXPECT_TRUE(tracing());
  step();
  EXPECT_FALSE(tracing());
  const Trace& trace = last_trace();
  EXPECT_EQ(trace.number, before + 1);
  EXPECT_TRUE(trace.is_step);
  ASSERT_GE(trace.nodes.size(), 6u);
  EXPECT_EQ(trace.nodes[0].name, "linear");
  EXPECT_EQ(trace.nodes[0].inputs, (std::vector<int>{-1, -2})) << "what was there before is a leaf";
  EXPECT_EQ(trace.nodes[1].name, "relu");
  EXPECT_EQ(trace.nodes[1].inputs, (std::vector<int>{0}));
  EXPECT_EQ(trace.nodes[0].flops, 2 * 8 * 3 * 4);
  EXPECT_EQ(trace.nodes.back().pass, Pass::kStep);
  EXPECT_EQ(trace.nodes.back().inputs, (std::vector<int>{-2})) << "the optimizer changes the leaf that linear used";
  for (const TraceNode& node : trace.nodes)
    if (node.pass == Pass::kBackward) EXPECT_GE(node.of, 0) << node.name << " belongs to no forward op";
  step();
  EXPECT_EQ(last_trace().number, before + 1);
}

TEST_F(Tracing, ArmedInTheMiddleOfAStepTheNextOneIsTraced) {
  const uint64_t before = last_trace().number;
  backward(apply("sum", {apply("relu", {apply("linear", {x, weight, Tensor()})})}));
  arm_trace();
  optimizer.step();
  trace_step(optimizer.row().name, 0.1, optimizer.parameters());
  EXPECT_TRUE(tracing());
  EXPECT_EQ(last_trace().number, before);
  step();
  EXPECT_EQ(last_trace().number, before + 1);
  EXPECT_EQ(last_trace().nodes[0].name, "linear");
}

TEST_F(Tracing, GradientsCountForTheOpThatTheyAreOf) {
  for (int i = 0; i < 3; ++i) {
    arm_trace();
    step();
  }
  EXPECT_EQ(traced_steps(), 3);
  int64_t forward = 0, gradients = 0;
  double flops = 0;
  for (const TracedCost& cost : traced_costs()) {
    if (cost.name == "linear") (cost.pass == Pass::kForward ? forward : gradients) += cost.calls;
    if (cost.name == "linear" && cost.pass == Pass::kForward) flops = cost.flops;
  }
  EXPECT_EQ(forward, 3);
  EXPECT_GE(gradients, 3);
  EXPECT_EQ(flops, 3.0 * 2 * 8 * 3 * 4);
}

TEST_F(Tracing, MemoryThatWasGivenBackDuringTheStepIsKnown) {
  arm_trace();
  {
    const Tensor gone = apply("exp", {x});
    const Tensor kept = apply("neg", {x});
    apply("sum", {apply("log", {gone})});
    apply("abs", {x});
  }
  apply("abs", {x});
  end_trace();
  EXPECT_FALSE(tracing());
  const Trace& trace = last_trace();
  EXPECT_FALSE(trace.is_step);
  ASSERT_EQ(trace.nodes.size(), 6u);
  EXPECT_EQ(trace.nodes[2].name, "log");
  EXPECT_EQ(trace.nodes[2].died, 5) << "seen when the next op had run";
  EXPECT_EQ(trace.nodes[0].died, 6);
  EXPECT_EQ(trace.nodes[5].died, -1);
  EXPECT_GT(trace.nodes[0].bytes, 8 * 3 * 4);
}

TEST_F(Tracing, ATraceWithoutOpsStaysArmed) {
  const uint64_t before = last_trace().number;
  arm_trace();
  end_trace();
  EXPECT_TRUE(tracing());
  apply("abs", {x});
  end_trace();
  EXPECT_EQ(last_trace().number, before + 1);
}

TEST_F(Tracing, ARunThatTrainedShowsItsStepAndNotWhatItDidAfterwards) {
  arm_trace();
  step();
  const uint64_t trained = last_trace().number;
  arm_trace();
  apply("mean", {x});
  end_trace();
  EXPECT_EQ(last_trace().number, trained);
  EXPECT_TRUE(tracing()) << "the next step is still wanted";
  apply("mean", {x});
  begin_traced_run();
  EXPECT_EQ(last_trace().number, trained) << "what was left over belongs to the run before";
  apply("abs", {x});
  end_trace();
  EXPECT_EQ(last_trace().number, trained + 1) << "a run without steps shows what it did";
  EXPECT_EQ(last_trace().nodes[0].name, "abs");
}

TEST_F(Tracing, OpsOfThoseWhoWatchAreLeftOut) {
  arm_trace();
  EXPECT_FALSE(pause_trace(true));
  apply("abs", {x});
  EXPECT_TRUE(pause_trace(false));
  step();
  EXPECT_EQ(last_trace().nodes[0].name, "linear");
}

TEST_F(Tracing, ASnapshotTellsAllOfIt) {
  set_trace_place(0);
  arm_trace();
  step();
  set_trace_place(-1);
  metric_ring().clear();
  const int loss = metric_ring().metric_id("loss");
  for (int i = 0; i < 2000; ++i) metric_ring().log(i, loss, 2000 - i);
  SnapshotRequest request;
  request.places = {{"cell-a", 7}};
  request.flavour = "native";
  request.tensors = {{weight, "parameter", "model.weight", "cell-a"}, {x, "variable", "x", "cell-b"}, {x, "tensor", "", "cell-c"}};
  request.selected = weight.id();
  request.from = 2;
  const Snapshot s = taken(request);

  EXPECT_EQ(s.text(s.table("engine").at(0, "flavour")), "native");
  EXPECT_EQ(s.table("engine").at(0, "live"), static_cast<double>(memory_count().live_bytes));
  EXPECT_GT(s.table("engine").at(0, "ceiling"), 0.1);

  ASSERT_EQ(s.table("tensors").rows(), 3u) << "weight, x once, and the gradient of weight";
  const int at = row_of(s, "tensors", "name", "model.weight");
  ASSERT_GE(at, 0);
  const SnapshotTable& tensors = s.table("tensors");
  const size_t row = static_cast<size_t>(at);
  EXPECT_EQ(tensors.at(row, "elements"), 12);
  EXPECT_EQ(tensors.at(row, "bytes"), 48);
  EXPECT_EQ(s.text(tensors.at(row, "dtype")), "float32");
  EXPECT_EQ(tensors.at(row, "rank"), 2);
  const size_t shape = static_cast<size_t>(tensors.at(row, "shape"));
  EXPECT_EQ(s.table("numbers").at(shape, "value"), 4);
  EXPECT_EQ(s.table("numbers").at(shape + 1, "value"), 3);
  EXPECT_EQ(tensors.at(row, "mean"), statistics_now(weight).mean);
  EXPECT_GE(row_of(s, "tensors", "name", "model.weight.grad"), 0);

  EXPECT_EQ(s.table("values").rows(), 10u);
  EXPECT_EQ(s.table("values").at(0, "value"), weight.values()[2]);
  EXPECT_EQ(s.table("bins").rows(), 32u);

  double sum = 0;
  for (size_t i = 0; i < s.table("cells").rows(); ++i) sum += s.table("cells").at(i, "bytes");
  EXPECT_EQ(sum, s.table("engine").at(0, "live")) << "the ledger accounts for every byte";

  ASSERT_EQ(s.table("nodes").rows(), last_trace().nodes.size());
  EXPECT_EQ(s.text(s.table("nodes").at(0, "cell")), "cell-a");
  EXPECT_EQ(s.table("nodes").at(0, "line"), 7);
  EXPECT_GE(row_of(s, "leaves", "name", "model.weight"), 0);
  EXPECT_GE(row_of(s, "profile", "name", "linear"), 0);

  const int metric = row_of(s, "metrics", "name", "loss");
  ASSERT_GE(metric, 0);
  EXPECT_EQ(s.table("metrics").at(static_cast<size_t>(metric), "count"), 2000);
  EXPECT_EQ(s.table("metrics").at(static_cast<size_t>(metric), "last"), 1);
  EXPECT_EQ(s.table("metrics").at(static_cast<size_t>(metric), "max"), 2000);
  EXPECT_LE(s.table("history").rows(), 512u);
  EXPECT_GE(s.table("history").rows(), 256u);
  EXPECT_EQ(s.table("history").at(1, "step") - s.table("history").at(0, "step"), s.table("history").at(9, "step") - s.table("history").at(8, "step"));
  metric_ring().clear();
}

}  // namespace
}  // namespace gradbook
