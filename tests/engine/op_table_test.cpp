// Laws of the op table that the compiler cannot see: names over all tables, uses that must fail, dtypes of results.
#include <gtest/gtest.h>

#include <cctype>
#include <functional>
#include <set>

#include "autodiff/run.h"
#include "autodiff/tape.h"
#include "expression.h"
#include "op_arguments.h"
#include "ops/registry.h"
#include "ops/vocabulary.h"
#include "ops/words.h"

namespace gradbook::test {
namespace {

constexpr uint64_t kSeed = 99;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

TEST(OpTable, HasEveryNameOnce) {
  std::set<std::string_view> names;
  for (int i = 0; i < op_count(); ++i) EXPECT_TRUE(names.insert(op_at(i).name).second) << op_at(i).name << " is in two tables";
  EXPECT_GT(names.size(), 0u);
}

TEST(OpTable, ListsTensorsBeforeAttributesAndATensorListLast) {
  for (int i = 0; i < op_count(); ++i) {
    const Op& op = op_at(i);
    bool attributes = false, list = false;
    for (const Param& p : op.params) {
      if (p.is_tensor()) {
        EXPECT_FALSE(attributes) << op.name << ": the tensor " << p.name << " stands behind an attribute";
        EXPECT_FALSE(list) << op.name << ": the tensor " << p.name << " stands behind a list of tensors";
      }
      attributes = attributes || !p.is_tensor();
      list = list || p.kind == Kind::kTensors;
    }
  }
}

TEST(OpTable, SuggestsTheNearestNameForAnUnknownOne) {
  EXPECT_EQ(message_of([] { find_op("matmull"); }), "there is no op `matmull`; did you mean `matmul`?");
}

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// Names of ops in a message that the caller of `op` did not write: internal ones as words, others where a name stands in front.
std::vector<std::string> strange_names(const Op& op, const std::string& message) {
  std::vector<std::string> names;
  for (int i = 0; i < op_count(); ++i) {
    const Op& other = op_at(i);
    const std::string name = std::string(other.name) + (other.internal ? "" : ": ");
    if (&other == &op && other.internal) continue;
    const size_t from = &other == &op ? 1 : 0;  // its own name stands in front once
    for (size_t at = message.find(name, from); at != std::string::npos; at = message.find(name, at + 1)) {
      const size_t end = at + name.size();
      if ((at == 0 || !is_letter(message[at - 1])) && (!other.internal || end == message.size() || !is_letter(message[end]))) names.push_back(name);
    }
  }
  return names;
}

TEST(OpTable, FailsOnEveryMisuseWithItsMessageAndTheNameOfTheOpAndOfNoOther) {
  for (int i = 0; i < op_count(); ++i) {
    const Op& op = op_at(i);
    for (const Misuse& misuse : trials_of(op).misuses) {
      SCOPED_TRACE(std::string(op.name) + "(" + std::string(misuse.shapes) + "; " + std::string(misuse.attributes) + ")");
      const std::string message = message_of([&] {
        const Arguments a = arguments_of(op, {.shapes = misuse.shapes, .attributes = misuse.attributes, .integer_inputs = misuse.integer_inputs}, DType::kFloat32, kSeed);
        run(op, a.inputs, a.attributes);
      });
      EXPECT_NE(message.find(misuse.message), std::string::npos) << "got: " << message << "\nexpected to contain: " << misuse.message;
      EXPECT_EQ(message.rfind(std::string(op.name) + ": ", 0), 0u) << "got: " << message;
      EXPECT_EQ(strange_names(op, message), std::vector<std::string>{}) << "got: " << message;
    }
  }
}

TEST(OpTable, HasAMisuseForEveryOpThatDoesNotTakeAnySingleTensor) {
  for (int i = 0; i < op_count(); ++i) {
    const Op& op = op_at(i);
    if (op.internal || trials_of(op).misuses.count > 0) continue;
    int tensors = 0, lists = 0;
    for (const Param& p : op.params) {
      tensors += p.is_tensor();
      lists += p.kind == Kind::kIntegers || p.kind == Kind::kInteger;
    }
    EXPECT_TRUE(tensors == 1 && lists == 0) << op.name << " has no row of inputs that must fail";
  }
}

TEST(OpTable, RefusesMissingTensorsTooManyTensorsAndTooManyAttributesOfEveryOp) {
  for (int i = 0; i < op_count(); ++i) {
    const Op& op = op_at(i);
    SCOPED_TRACE(std::string(op.name));
    const Arguments good = arguments_of(op, samples_of(op).front(), DType::kFloat32, kSeed);
    bool list = false;
    int tensor = 0;
    for (const Param& p : op.params) {
      list = list || p.kind == Kind::kTensors;
      if (p.kind == Kind::kTensor && p.fallback == Fallback::kRequired) {
        std::vector<Tensor> inputs = good.inputs;
        inputs.at(static_cast<size_t>(tensor)) = Tensor();
        EXPECT_EQ(message_of([&] { run(op, inputs, good.attributes); }), std::string(op.name) + ": needs a tensor for `" + std::string(p.name) + "`");
      }
      tensor += p.kind == Kind::kTensor;
    }
    std::vector<Tensor> more = good.inputs;
    for (size_t count = 0; count <= op.params.items.size(); ++count) more.push_back(Tensor::zeros({2}));
    if (!list) EXPECT_NE(message_of([&] { run(op, more, good.attributes); }).find(": takes "), std::string::npos);
    Attributes many(op.params.items.size() + 1, Attribute(1.0));
    EXPECT_NE(message_of([&] { run(op, good.inputs, many); }), "(no error)");
  }
}

TEST(OpTable, TakesFloat16AsFloat32AndGivesNothingInFloat16ButViewsAndConversions) {
  for (int i = 0; i < op_count(); ++i) {
    const Op& op = op_at(i);
    if (op.random) continue;
    for (const Sample& sample : samples_of(op)) {
      SCOPED_TRACE(describe(op, sample));
      const Arguments a = arguments_of(op, sample, DType::kFloat32, kSeed);
      std::vector<Tensor> halves, rounded;
      bool any = false;
      for (const Tensor& t : a.inputs) {
        const bool floating = t.defined() && is_floating(t.dtype());
        any = any || floating;
        halves.push_back(floating ? t.converted(DType::kFloat16) : t);
        rounded.push_back(floating ? halves.back().converted(DType::kFloat32) : t);
      }
      if (!any) continue;
      try {
        const Tensor from_halves = run(op, halves, a.attributes), expected = run(op, rounded, a.attributes);
        EXPECT_EQ(from_halves.shape(), expected.shape());
        if (from_halves.dtype() == DType::kFloat16)
          EXPECT_EQ(from_halves.values(), expected.converted(DType::kFloat16).values());
        else
          EXPECT_EQ(from_halves.values(), expected.values());
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
      }
    }
  }
}

TEST(OpTable, AcceptsEverySampleInFloat32AndKeepsFloat64) {
  for (int i = 0; i < op_count(); ++i) {
    const Op& op = op_at(i);
    for (const Sample& sample : samples_of(op)) {
      SCOPED_TRACE(describe(op, sample));
      try {
        const Arguments a = arguments_of(op, sample, DType::kFloat32, kSeed), b = arguments_of(op, sample, DType::kFloat64, kSeed);
        const Tensor narrow = run(op, a.inputs, a.attributes), wide = run(op, b.inputs, b.attributes);
        EXPECT_EQ(narrow.shape(), wide.shape());
        if (!a.inputs.empty() && is_floating(narrow.dtype()) && op.name != "to") {
          EXPECT_EQ(narrow.dtype(), DType::kFloat32);
          EXPECT_EQ(wide.dtype(), DType::kFloat64);
        }
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
      }
    }
  }
}

TEST(OpTable, GivesTheSameResultForViewsAsForRowMajorInputs) {
  for (int i = 0; i < op_count(); ++i) {
    const Op& op = op_at(i);
    if (op.random || op.name == "view") continue;
    for (const Sample& sample : samples_of(op)) {
      SCOPED_TRACE(describe(op, sample));
      try {
        const Arguments a = arguments_of(op, sample, DType::kFloat64, kSeed);
        std::vector<Tensor> views;
        for (const Tensor& t : a.inputs) {
          if (!t.defined() || t.rank() < 2) {
            views.push_back(t);
            continue;
          }
          // The first and last axis trade places in memory.
          Shape turned = t.shape(), strides = t.strides();
          std::swap(turned[0], turned[t.rank() - 1]);
          std::swap(strides[0], strides[t.rank() - 1]);
          const Tensor copy = t.view(turned, strides).clone();
          Shape back = copy.strides();
          std::swap(back[0], back[t.rank() - 1]);
          views.push_back(copy.view(t.shape(), back));
        }
        EXPECT_EQ(run(op, views, a.attributes).values(), run(op, a.inputs, a.attributes).values());
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
      }
    }
  }
}

TEST(OpTable, GivesInEveryExampleWhatTheRowSays) {
  for (int i = 0; i < op_count(); ++i) {
    const Op& op = op_at(i);
    SCOPED_TRACE(std::string(words_of(op).example));
    for (bool fast : {false, true}) {
      const bool before = set_fast_kernels(fast);
      try {
        EXPECT_EQ(print(evaluate(words_of(op).example)), words_of(op).gives) << (fast ? "with" : "without") << " quick kernels";
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
      }
      set_fast_kernels(before);
    }
  }
}

struct Promotion {
  DType x, y, result;
};

TEST(Types, MeetByPyTorchsPromotion) {
  using enum DType;
  // torch.promote_types for every pair. With float16 PyTorch stays in float16 (but for wider floats); here float16 counts as float32.
  const Promotion cases[] = {{kFloat32, kFloat32, kFloat32}, {kFloat32, kFloat64, kFloat64}, {kFloat32, kInt32, kFloat32}, {kFloat32, kUint8, kFloat32}, {kFloat32, kBool, kFloat32},
                             {kFloat64, kFloat64, kFloat64}, {kFloat64, kInt32, kFloat64},   {kFloat64, kUint8, kFloat64}, {kFloat64, kBool, kFloat64},
                             {kInt32, kInt32, kInt32},       {kInt32, kUint8, kInt32},       {kInt32, kBool, kInt32},
                             {kUint8, kUint8, kUint8},       {kUint8, kBool, kUint8},        {kBool, kBool, kBool},
                             {kFloat16, kFloat16, kFloat32}, {kFloat16, kFloat32, kFloat32}, {kFloat16, kFloat64, kFloat64}, {kFloat16, kInt32, kFloat32}, {kFloat16, kUint8, kFloat32}, {kFloat16, kBool, kFloat32}};
  EXPECT_EQ(std::size(cases), static_cast<size_t>(kDTypeCount * (kDTypeCount + 1) / 2));
  for (const Promotion& p : cases) {
    SCOPED_TRACE(std::string(info(p.x).name) + " with " + info(p.y).name);
    const Tensor x = Tensor::full({2}, 1, p.x), y = Tensor::full({2}, 1, p.y);
    EXPECT_EQ(add(x, y).dtype(), p.result);
    EXPECT_EQ(add(y, x).dtype(), p.result);
    EXPECT_EQ(div(x, y).dtype(), is_floating(p.result) ? p.result : kFloat32);
    EXPECT_EQ(eq(x, y).dtype(), kBool);
  }
}

TEST(Types, ScalarsAndNumbersOnlyCountWhenTheirCategoryIsHigher) {
  const Tensor ints = Tensor::full({2}, 3, DType::kInt32), floats = Tensor::full({2}, 3), wide = Tensor::full({}, 0.5, DType::kFloat64);
  EXPECT_EQ(add(floats, wide).dtype(), DType::kFloat32);
  EXPECT_EQ(add(ints, wide).dtype(), DType::kFloat64);
  EXPECT_EQ(add(ints, literal(2)).dtype(), DType::kInt32);
  EXPECT_EQ(add(ints, literal(0.5)).dtype(), DType::kFloat32);
  EXPECT_EQ(add(floats, literal(0.5)).dtype(), DType::kFloat32);
  EXPECT_EQ(add(Tensor::full({2}, 1, DType::kFloat64), literal(0.5)).dtype(), DType::kFloat64);
}

TEST(Types, WholeNumbersWrapAroundInsteadOfBeingUndefined) {
  const Tensor big = Tensor::full({1}, 2147483647, DType::kInt32);
  EXPECT_EQ(add(big, literal(1)).item(), -2147483648.0);
  EXPECT_EQ(mul(Tensor::full({1}, 200, DType::kUint8), literal(2)).item(), 144);
  EXPECT_EQ(sum(Tensor::full({1000}, 255, DType::kUint8)).item(), 255000);
  EXPECT_EQ(sum(Tensor::full({5}, 1, DType::kBool)).item(), 5);
}

TEST(Types, HalvesAreTheNearestOnesAndComeBackUnchanged) {
  const double infinity = std::numeric_limits<double>::infinity();
  // Between two halves the nearer one, in the middle the even one; subnormal ones; the largest, and what is beyond it.
  const std::vector<double> given = {0, -0.0, 1, -2, 1 + 0x1p-11, 1 + 0x1.8p-10, 1 + 0x1.1p-11, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1p-14, 0x1.ff8p-15, 65504, 65519.99, 65520, -1e30, infinity, 0.1};
  const std::vector<double> wanted = {0, -0.0, 1, -2, 1, 1 + 0x1p-9, 1 + 0x1p-10, 0x1p-24, 0, 0x1p-24, 0x1p-14, 0x1.ff8p-15, 65504, 65504, infinity, -infinity, infinity, 0.0999755859375};
  const Tensor wide = Tensor::from({static_cast<Index>(given.size())}, given, DType::kFloat64);
  const Tensor halves = to(wide, DType::kFloat16);
  EXPECT_EQ(halves.values(), wanted);
  EXPECT_TRUE(std::signbit(halves.values()[1]));
  for (int bits = 0; bits < 65536; ++bits) {
    const Tensor one = Tensor::empty({}, DType::kFloat16);
    one.data<Half>()->bits = static_cast<uint16_t>(bits);
    const Tensor back = to(to(one, DType::kFloat32), DType::kFloat16);
    if (!std::isnan(one.item())) ASSERT_EQ(back.data<Half>()->bits, bits);
    else ASSERT_TRUE(std::isnan(back.item()));
  }
  EXPECT_EQ(to(Tensor::from({2}, {1.9, -70000}), DType::kFloat16).converted(DType::kInt32).values(), (std::vector<double>{1, -2147483648.0}));
}

TEST(Types, GradientsFlowThroughFloat16ButItCannotBeTrained) {
  const Tensor x = Tensor::full({2}, 3);
  x.set_requires_grad(true);
  backward(sum(mul(to(x, DType::kFloat16), literal(2))));
  EXPECT_EQ(x.grad().dtype(), DType::kFloat32);
  EXPECT_EQ(x.grad().values(), (std::vector<double>{2, 2}));
  EXPECT_EQ(message_of([] { Tensor::zeros({1}, DType::kFloat16).set_requires_grad(true); }), "only float32 and float64 tensors can require gradients, this one holds float16");
}

TEST(Types, GradientsHaveTheDtypeOfTheirInput) {
  const Tensor narrow = Tensor::full({2}, 2), wide = Tensor::full({2}, 3, DType::kFloat64);
  narrow.set_requires_grad(true);
  wide.set_requires_grad(true);
  backward(sum(mul(narrow, wide)));
  EXPECT_EQ(narrow.grad().dtype(), DType::kFloat32);
  EXPECT_EQ(wide.grad().dtype(), DType::kFloat64);
  EXPECT_EQ(narrow.grad().values(), (std::vector<double>{3, 3}));
}

}  // namespace
}  // namespace gradbook::test
