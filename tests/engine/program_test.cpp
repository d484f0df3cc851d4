// Programs: a step that was recorded does the same again, in one arena, and what differs from step to step is noticed.
#include "program/program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "autodiff/tape.h"
#include "base/random.h"
#include "ops/vocabulary.h"
#include "tensor/storage.h"
#include "train/optimizers.h"

namespace gradbook::test {
namespace {

using Values = std::vector<double>;
using StepFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>& inputs)>;

Tensor random_tensor(const Shape& shape, uint64_t seed, double scale = 1) {
  const Tensor t = Tensor::empty(shape);
  Generator generator{seed, 0};
  fill_uniform(t.data<float>(), t.element_count(), generator, -scale, scale);
  return t;
}
Tensor leaf(const Shape& shape, uint64_t seed) {
  const Tensor t = random_tensor(shape, seed, 0.5);
  t.set_requires_grad(true);
  return t;
}
Tensor class_ids(Index count, Index classes, uint64_t seed) {
  const Tensor t = Tensor::empty({count}, DType::kInt32);
  Generator generator{seed, 0};
  for (Index i = 0; i < count; ++i) t.data<int32_t>()[i] = static_cast<int32_t>(philox(generator.seed, generator.reserve(1))[0] % static_cast<uint32_t>(classes));
  return t;
}

StepTrace record(const StepFunction& step, const std::vector<Tensor>& inputs) {
  Recording recording(inputs);
  return recording.finish(step(inputs));
}

// What a model has besides its step.
struct Training {
  std::vector<Tensor> parameters;
  std::unique_ptr<Optimizer> optimizer;

  explicit Training(std::vector<Tensor> list, std::string_view name = "adam", int setting = 0, double value = 0.01) : parameters(std::move(list)) {
    for (const OptimizerRow& row : optimizer_table())
      if (row.name == name) {
        std::vector<double> values = default_settings(row);
        values[static_cast<size_t>(setting)] = value;
        optimizer = std::make_unique<Optimizer>(row, parameters, values);
      }
  }
  void zero_grad() const { optimizer->zero_grad(); }
  void step() const {
    Recording* recording = Recording::current();
    if (!recording) return optimizer->step();
    std::vector<Tensor> gradients;
    for (const Tensor& p : parameters)
      if (p.grad().defined()) gradients.push_back(p.grad());
    recording->act({"optimizer step", {1}, [this](const auto&, const auto&) { optimizer->step(); }}, gradients, parameters);
  }
};

// A model with its step, made anew from the same numbers each time.
struct Case {
  const char* name;
  std::vector<Tensor> (*inputs)(uint64_t seed);
  StepFunction (*make)(std::shared_ptr<Training>& training);
  /// Largest difference from the eager step after twelve steps, relative to the largest value of a tensor. 0: the same bits.
  /// Gradients that visit only the places of maxima are summed in another order.
  double tolerance = 0;
};

std::vector<Tensor> points(uint64_t seed) { return {random_tensor({32, 1}, seed), random_tensor({32, 1}, seed + 1)}; }
std::vector<Tensor> rows(uint64_t seed) { return {random_tensor({12, 20}, seed), class_ids(12, 5, seed + 1)}; }
std::vector<Tensor> images(uint64_t seed) { return {random_tensor({4, 1, 12, 12}, seed), class_ids(4, 5, seed + 1)}; }

std::vector<Tensor> nine_images(uint64_t seed) { return {random_tensor({9, 1, 12, 12}, seed), class_ids(9, 5, seed + 1)}; }
std::vector<Tensor> eight_images(uint64_t seed) { return {random_tensor({8, 1, 12, 12}, seed), class_ids(8, 5, seed + 1)}; }

StepFunction train(const std::shared_ptr<Training>& t, const std::function<Tensor(const Tensor& x, const Tensor& y)>& loss_of) {
  return [=](const std::vector<Tensor>& in) -> std::vector<Tensor> {
    const Tensor loss = loss_of(in[0], in[1]);
    t->zero_grad();
    backward(loss);
    t->step();
    return {loss};
  };
}

const Case kCases[] = {
    {"linear regression", points,
     [](std::shared_ptr<Training>& t) {
       t = std::make_shared<Training>(std::vector<Tensor>{leaf({1, 1}, 1), leaf({1}, 2)}, "sgd");
       return train(t, [p = t->parameters](const Tensor& x, const Tensor& y) { return op<"mse">({op<"linear">({x, p[0], p[1]}), y}); });
     }},
    {"a perceptron of three layers", rows,
     [](std::shared_ptr<Training>& t) {
       t = std::make_shared<Training>(std::vector<Tensor>{leaf({16, 20}, 1), leaf({16}, 2), leaf({8, 16}, 3), leaf({8}, 4), leaf({5, 8}, 5), leaf({5}, 6)});
       return train(t, [p = t->parameters](const Tensor& x, const Tensor& y) {
         const Tensor h = relu(op<"linear">({x, p[0], p[1]})), g = tanh(op<"linear">({h, p[2], p[3]}));
         return op<"crossEntropy">({op<"linear">({g, p[4], p[5]}), y});
       });
     }},
    {"a convolutional network", images,
     [](std::shared_ptr<Training>& t) {
       t = std::make_shared<Training>(std::vector<Tensor>{leaf({3, 1, 3, 3}, 1), leaf({3}, 2), leaf({4, 3, 3, 3}, 3), leaf({4}, 4), leaf({5, 16}, 5), leaf({5}, 6)}, "sgd", 1, 0.9);
       return train(t, [p = t->parameters](const Tensor& x, const Tensor& y) {
         const Attributes pool = {Attribute(Values{2})};
         const Tensor h = op<"maxPool2d">({relu(op<"conv2d">({x, p[0], p[1]}))}, pool);
         const Tensor g = op<"maxPool2d">({relu(op<"conv2d">({h, p[2], p[3]}, {Attribute(Values{1}), Attribute(Values{1})}))}, pool);
         return op<"crossEntropy">({op<"linear">({reshape(g, {4, 16}), p[4], p[5]}), y});
       });
     },
     1e-5},
    {"pools that take results from the cache", nine_images,
     [](std::shared_ptr<Training>& t) {
       t = std::make_shared<Training>(std::vector<Tensor>{leaf({3, 1, 3, 3}, 1), leaf({3}, 2), leaf({8, 3, 3, 3}, 3), leaf({5, 72}, 5), leaf({5}, 6)}, "sgd", 1, 0.9);
       return train(t, [p = t->parameters](const Tensor& x, const Tensor& y) {
         // The first pool's windows overlap and reach into padding; the second follows without relu and bias.
         const Tensor h = op<"maxPool2d">({relu(op<"conv2d">({x, p[0], p[1]}, {Attribute(Values{1}), Attribute(Values{1})}))}, {Attribute(Values{3}), Attribute(Values{2}), Attribute(Values{1})});
         const Tensor g = op<"maxPool2d">({op<"conv2d">({h, p[2], Tensor()}, {Attribute(Values{1}), Attribute(Values{1})})}, {Attribute(Values{2})});
         return op<"crossEntropy">({op<"linear">({reshape(g, {9, 72}), p[3], p[4]}), y});
       });
     },
     1e-5},
    {"a convolution in fewer multiplications", eight_images,
     [](std::shared_ptr<Training>& t) {
       t = std::make_shared<Training>(std::vector<Tensor>{leaf({4, 1, 3, 3}, 1), leaf({4}, 2), leaf({7, 4, 3, 3}, 3), leaf({7}, 4), leaf({5, 63}, 5), leaf({5}, 6)}, "sgd", 1, 0.9);
       return train(t, [p = t->parameters](const Tensor& x, const Tensor& y) {
         const Attributes pool = {Attribute(Values{2})}, padded = {Attribute(Values{1}), Attribute(Values{1})};
         const Tensor h = op<"maxPool2d">({relu(op<"conv2d">({x, p[0], p[1]}, padded))}, pool);
         const Tensor g = op<"maxPool2d">({relu(op<"conv2d">({h, p[2], p[3]}, padded))}, pool);
         return op<"crossEntropy">({op<"linear">({reshape(g, {8, 63}), p[4], p[5]}), y});
       });
     },
     1e-5},
    {"dropout and layer normalisation", rows,
     [](std::shared_ptr<Training>& t) {
       t = std::make_shared<Training>(std::vector<Tensor>{leaf({16, 20}, 1), leaf({16}, 2), leaf({16}, 3), leaf({5, 16}, 4), leaf({5}, 5)}, "adamw");
       return train(t, [p = t->parameters](const Tensor& x, const Tensor& y) {
         const Tensor h = op<"layerNorm">({op<"linear">({op<"dropout">({x}, {0.2}), p[0], p[1]}), p[2], Tensor()});
         return op<"crossEntropy">({op<"linear">({op<"dropout">({op<"gelu">({h})}, {0.5}), p[3], p[4]}), y}, {Attribute::text("mean"), -100, 0.1});
       });
     }},
    {"attention", rows,
     [](std::shared_ptr<Training>& t) {
       t = std::make_shared<Training>(std::vector<Tensor>{leaf({20, 20}, 1), leaf({20, 20}, 2), leaf({5, 20}, 3)});
       return train(t, [p = t->parameters](const Tensor& x, const Tensor& y) {
         const Tensor q = reshape(matmul(x, p[0]), {3, 4, 4, 5}), k = reshape(matmul(x, p[1]), {3, 4, 4, 5});
         const Tensor a = softmax(matmul(permute(q, {0, 2, 1, 3}), permute(k, {0, 2, 3, 1})), -1);
         const Tensor z = reshape(permute(matmul(a, permute(q, {0, 2, 1, 3})), {0, 2, 1, 3}), {12, 20});
         return op<"crossEntropy">({op<"linear">({z + x, p[2]}), y});
       });
     }},
};

class ProgramCases : public testing::TestWithParam<int> {};

// Twelve steps with the program, and twelve without, from the same start: losses, parameters and the place in the random stream.
TEST_P(ProgramCases, ACapturedStepDoesWhatTheEagerStepDoes) {
  const Case& each = kCases[GetParam()];
  std::vector<Values> results[2];
  for (int captured = 0; captured < 2; ++captured) {
    default_generator() = {42, 0};
    std::shared_ptr<Training> training;
    const StepFunction step = each.make(training);
    std::unique_ptr<Program> program;
    StepTrace before;
    for (uint64_t n = 0; n < 12; ++n) {
      const std::vector<Tensor> inputs = each.inputs(100 + 2 * n);
      std::vector<Tensor> outputs;
      if (program) {
        ASSERT_TRUE(program->applies() && program->accepts(inputs));
        outputs = program->run(inputs, 0);
      } else if (captured) {
        Recording recording(inputs);
        outputs = step(inputs);
        StepTrace trace = recording.finish(outputs);
        if (n == 1) {
          ASSERT_EQ(difference(before, trace), "");
          program = std::make_unique<Program>(std::move(trace));
        } else {
          before = std::move(trace);
        }
      } else {
        outputs = step(inputs);
      }
      results[captured].push_back({outputs[0].item()});
    }
    for (const Tensor& p : training->parameters) {
      results[captured].push_back(p.values());
      results[captured].push_back(p.grad().values());
    }
    results[captured].push_back({static_cast<double>(default_generator().position)});
    if (program) {
      EXPECT_LE(program->plan().arena_bytes, 1.2 * static_cast<double>(program->plan().largest_live_bytes)) << program->explain();
    }
  }
  ASSERT_EQ(results[0].size(), results[1].size());
  for (size_t i = 0; i < results[0].size(); ++i) {
    ASSERT_EQ(results[0][i].size(), results[1][i].size());
    double largest = 0;
    for (double v : results[0][i]) largest = std::max(largest, std::abs(v));
    for (size_t k = 0; k < results[0][i].size(); ++k) EXPECT_NEAR(results[0][i][k], results[1][i][k], each.tolerance * largest) << each.name << ", value " << i << " [" << k << "]";
  }
}
INSTANTIATE_TEST_SUITE_P(All, ProgramCases, testing::Range(0, static_cast<int>(std::size(kCases))), [](const auto& info) {
  std::string name;
  for (const char* c = kCases[info.param].name; *c; ++c)
    if (std::isalpha(static_cast<unsigned char>(*c))) name += *c;
  return name;
});

TEST(Program, RunsWithoutAskingForMemory) {
  std::shared_ptr<Training> training;
  const StepFunction step = kCases[2].make(training);
  const std::vector<Tensor> inputs = images(1);
  record(step, inputs);
  Program program(record(step, inputs));
  program.run(inputs, 0);
  const MemoryCount before = memory_count();
  for (int i = 0; i < 100; ++i) program.run(inputs, 0);
  EXPECT_EQ(memory_count().live_bytes, before.live_bytes);
  EXPECT_EQ(memory_count().peak_bytes, before.peak_bytes);
  EXPECT_EQ(memory_count().blocks, before.blocks);
}

TEST(Program, SeesValuesOfParametersThatWereChangedFromOutside) {
  const Tensor w = leaf({3}, 1), x = random_tensor({3}, 2);
  const StepFunction step = [w](const std::vector<Tensor>& in) -> std::vector<Tensor> { return {sum(in[0] * w)}; };
  Program program(record(step, {x}));
  w.copy_from(Tensor::full({3}, 2));
  EXPECT_EQ(program.run({x}, 0)[0].item(), step({x})[0].item());
}

TEST(Program, AddsToGradientsThatWereThereBefore) {
  const Tensor w = leaf({3}, 1);
  const StepFunction step = [w](const std::vector<Tensor>& in) -> std::vector<Tensor> {
    backward(sum(in[0] * w));
    return {};
  };
  const Tensor x = Tensor::from({3}, {1, 2, 3});
  Program first(record(step, {x}));
  EXPECT_FALSE(first.applies());
  Program more(record(step, {x}));
  EXPECT_EQ(w.grad().values(), (Values{2, 4, 6}));
  more.run({x}, 0);
  more.run({x}, 0);
  EXPECT_EQ(w.grad().values(), (Values{4, 8, 12}));
  w.set_grad({});
  EXPECT_FALSE(more.applies());
  ASSERT_TRUE(first.applies());
  first.run({x}, 0);
  EXPECT_EQ(w.grad().values(), (Values{1, 2, 3}));
}

TEST(Program, ChecksClassIdsInEveryRun) {
  const Tensor w = leaf({5, 20}, 1);
  const StepFunction step = [w](const std::vector<Tensor>& in) -> std::vector<Tensor> { return {op<"crossEntropy">({op<"linear">({in[0], w}), in[1]})}; };
  const std::vector<Tensor> inputs = rows(1);
  Program program(record(step, inputs));
  program.run(inputs, 0);
  const Tensor bad = inputs[1].clone();
  bad.data<int32_t>()[7] = 9;
  try {
    program.run({inputs[0], bad}, 0);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "crossEntropy: class id 9 at place 7 lies outside 0 to 4 (the logits have 5 classes)");
  }
  EXPECT_FALSE(program.changed_anything());
  // Ids in a floating tensor are looked at as well.
  const Tensor floating = inputs[1].converted(DType::kFloat32);
  Program other(record(step, {inputs[0], floating}));
  EXPECT_EQ(other.run({inputs[0], floating}, 0)[0].item(), program.run(inputs, 0)[0].item());
  floating.data<float>()[3] = 1.5f;
  try {
    other.run({inputs[0], floating}, 0);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "crossEntropy: indices and class ids must be whole numbers, got 1.5 in a float32 tensor");
  }
  // With weights of classes the ids go another way.
  const Tensor weights = Tensor::full({5}, 1);
  Program weighted(record([w, weights](const std::vector<Tensor>& in) -> std::vector<Tensor> { return {op<"crossEntropy">({op<"linear">({in[0], w}), in[1], weights})}; }, inputs));
  weighted.run(inputs, 0);
  bad.data<int32_t>()[7] = -1;
  try {
    weighted.run({inputs[0], bad}, 0);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "crossEntropy: id -1 at place 7 lies outside 0 to 4");
  }
}

TEST(Program, UpdatesRunningAveragesInPlace) {
  const Tensor mean = Tensor::zeros({20}), variance = Tensor::full({20}, 1);
  const StepFunction step = [=](const std::vector<Tensor>& in) -> std::vector<Tensor> {
    return {sum(square(op<"batchNorm">({in[0], mean, variance, Tensor(), Tensor()}, {true})))};
  };
  const Tensor other_mean = Tensor::zeros({20}), other_variance = Tensor::full({20}, 1);
  Program program(record(step, rows(1)));
  op<"batchNorm">({rows(1)[0], other_mean, other_variance, Tensor(), Tensor()}, {true});
  for (uint64_t n = 2; n < 6; ++n) {
    program.run(rows(n), 0);
    op<"batchNorm">({rows(n)[0], other_mean, other_variance, Tensor(), Tensor()}, {true});
  }
  EXPECT_EQ(mean.values(), other_mean.values());
  EXPECT_EQ(variance.values(), other_variance.values());
}

struct Differing {
  const char* words;
  std::function<std::vector<Tensor>(const std::vector<Tensor>& in, int round)> step;
};

TEST(Trace, TellsWhatDiffersFromStepToStep) {
  const Tensor a = random_tensor({20}, 1), b = random_tensor({20}, 2);
  const Differing cases[] = {
      {"changed: 1 and 2", [](const auto& in, int round) -> std::vector<Tensor> { return {in[0] * static_cast<double>(round)}; }},
      {"it was `exp` before", [](const auto& in, int round) -> std::vector<Tensor> { return {round == 1 ? exp(in[0]) : tanh(in[0])}; }},
      {"another tensor from outside", [=](const auto& in, int round) -> std::vector<Tensor> { return {in[0] + (round == 1 ? a : b)}; }},
      {"an option changed", [](const auto& in, int round) -> std::vector<Tensor> { return {sum(in[0], {round - 1}, false)}; }},
      {"1 operations once and 2", [](const auto& in, int round) -> std::vector<Tensor> { return {round == 1 ? exp(in[0]) : exp(exp(in[0]))}; }},
      {"another part of a tensor", [](const auto& in, int round) -> std::vector<Tensor> { return {exp(slice(in[0], round, round + 2, 0))}; }},
  };
  for (const Differing& each : cases) {
    const std::vector<Tensor> inputs = {random_tensor({12, 20}, 5)};
    const StepTrace first = record([&](const auto& in) { return each.step(in, 1); }, inputs), second = record([&](const auto& in) { return each.step(in, 2); }, inputs);
    const StepTrace again = record([&](const auto& in) { return each.step(in, 1); }, {random_tensor({12, 20}, 6)});
    EXPECT_NE(difference(first, second).find(each.words), std::string::npos) << "got: " << difference(first, second) << "\nexpected to contain: " << each.words;
    EXPECT_EQ(difference(first, again), "");
  }
}

TEST(Trace, RefusesWhatNoProgramCanDo) {
  const std::vector<Tensor> inputs = {random_tensor({4}, 1)};
  const StepTrace in_place = record(
      [](const std::vector<Tensor>& in) -> std::vector<Tensor> {
        const Tensor mine = Tensor::zeros({4});
        mine.copy_from(in[0]);
        return {exp(mine)};
      },
      inputs);
  EXPECT_EQ(in_place.refusal, "a tensor that is made inside the step is overwritten in place");
  EXPECT_EQ(record([](const auto& in) { return in; }, {leaf({3}, 1)}).refusal, "argument 1 requires a gradient");
  const auto ctc = [](const std::vector<Tensor>& in) -> std::vector<Tensor> { return {op<"ctcLoss">({in[0], in[1]})}; };
  EXPECT_EQ(record(ctc, {random_tensor({4, 2, 3}, 1), Tensor::full({2, 1}, 1, DType::kInt32)}).refusal,
            "ctcLoss looks at values to decide what is computed, and they may be others from call to call");
  // Targets that are numbers of the step itself never change.
  const auto fixed = [](const std::vector<Tensor>& in) -> std::vector<Tensor> { return {op<"ctcLoss">({in[0], Tensor::full({2, 1}, 1, DType::kInt32)})}; };
  EXPECT_EQ(record(fixed, {random_tensor({4, 2, 3}, 1)}).refusal, "");
}

TEST(Program, ExplainsItself) {
  std::shared_ptr<Training> training;
  const StepFunction step = kCases[1].make(training);
  Program program(record(step, rows(1)));
  const std::string text = program.explain();
  for (const char* words : {"linear", "backward", "optimizer step", "FLOP", "one arena of", "times the largest live set"}) EXPECT_NE(text.find(words), std::string::npos) << text;
}

}  // namespace
}  // namespace gradbook::test
