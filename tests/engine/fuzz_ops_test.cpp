// Random ops with random arguments, one after the other: whatever comes in, an op gives a well-formed tensor or throws an Error.
// The sanitizers watch for everything else. Seeds are fixed; GRADBOOK_FUZZ=<sequences> makes it longer, GRADBOOK_FUZZ_LOG=1 prints
// each call before it runs, so that the last line of a crash names it.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "autodiff/run.h"
#include "autodiff/tape.h"
#include "op_arguments.h"
#include "ops/registry.h"
#include "ops/vocabulary.h"
#include "tensor/storage.h"

namespace gradbook::test {
namespace {

constexpr int kSequences = 400, kCalls = 80;
constexpr int64_t kMemoryLimit = 32 << 20;
constexpr Index kLargestKept = 400;  // elements of a result that later calls may use

template <class T, size_t n>
const T& one_of(Draw& draw, const std::array<T, n>& list) {
  return list[static_cast<size_t>(draw.whole(static_cast<Index>(n)))];
}

Tensor random_input(Draw& draw) {
  static constexpr std::array<DType, 8> kTypes = {DType::kFloat32, DType::kFloat32, DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kUint8, DType::kBool, DType::kFloat16};
  Shape shape;
  for (Index rank = draw.whole(6); rank > 0; --rank) shape.push_back(draw.whole(12) == 0 ? 0 : 1 + draw.whole(4));
  const DType type = one_of(draw, kTypes);
  std::vector<double> values(static_cast<size_t>(element_count(shape)));
  const bool extreme = draw.whole(10) == 0;
  static constexpr std::array<double, 7> kExtremes = {0, -0.0, NAN, INFINITY, -INFINITY, 1e30, -1e-40};
  for (double& v : values) v = extreme ? one_of(draw, kExtremes) : is_floating(type) ? draw.uniform(-2, 2) : static_cast<double>(draw.whole(5)) - (type == DType::kInt32 ? 1 : 0);
  Tensor t = Tensor::from(shape, values, type);
  if (draw.whole(4) == 0 && t.rank() >= 2) t = transposed(t);
  if (t.is_leaf() && (type == DType::kFloat32 || type == DType::kFloat64) && draw.whole(3) == 0) t.set_requires_grad(true);
  return t;
}

double random_whole(Draw& draw) {
  static constexpr std::array<double, 8> kExtremes = {2147483647, -2147483648.0, 2147483648.0, 9007199254740991, -9007199254740991, 1000000, -1000000, 65536};
  return draw.whole(25) == 0 ? one_of(draw, kExtremes) : static_cast<double>(draw.whole(8) - 3);
}

double random_number(Draw& draw) {
  static constexpr std::array<double, 10> kNumbers = {0, 1, -1, 0.5, 2, 0.1, 1e-8, NAN, INFINITY, -1e30};
  return draw.whole(2) ? draw.uniform(-2, 2) : one_of(draw, kNumbers);
}

Attribute random_attribute(Draw& draw, const Param& p) {
  static constexpr std::array<std::string_view, 14> kTexts = {"mean", "sum", "none", "batchmean", "nearest", "bilinear", "constant", "reflect", "circular", "tanh", "ij,jk->ik", "...i->...", "", "i\xFFi->,"};
  if (p.fallback != Fallback::kRequired && draw.whole(3) == 0) return Attribute::absent();
  std::vector<double> list;
  switch (p.kind) {
    case Kind::kInteger: return random_whole(draw);
    case Kind::kNumber: return random_number(draw);
    case Kind::kBoolean: return draw.whole(2) == 1;
    case Kind::kDType: return static_cast<double>(draw.whole(kDTypeCount + 1));
    case Kind::kText: {
      if (draw.whole(2) && p.list_value.size() > 2) return Attribute::text(p.list_value.substr(1, p.list_value.size() - 2));
      return Attribute::text(one_of(draw, kTexts));
    }
    default:
      for (Index i = draw.whole(30) == 0 ? 9 : draw.whole(5); i > 0; --i) list.push_back(p.kind == Kind::kIntegers ? random_whole(draw) : random_number(draw));
      return list;
  }
}

std::string text_of(const Op& op, const std::vector<Tensor>& inputs, const Attributes& attributes) {
  std::string text = std::string(op.name) + "(";
  for (const Tensor& t : inputs) text += (t.defined() ? std::string(info(t.dtype()).name) + to_string(t.shape()) : "-") + ", ";
  for (const Attribute& a : attributes) {
    if (!a.present) {
      text += "undefined, ";
      continue;
    }
    text += a.list.empty() ? std::to_string(a.number) : "";
    for (double v : a.list) text += (v == *a.list.data() ? "[" : " ") + std::to_string(v);
    text += a.list.empty() ? ", " : "], ";
  }
  return text + ")";
}

class Sequence {
 public:
  explicit Sequence(uint64_t seed) : draw_(seed) {
    for (int i = 0; i < 8; ++i) pool_.push_back(random_input(draw_));
  }

  /// True when the op gave a result.
  bool call() {
    const Op& op = op_at(static_cast<int>(draw_.whole(op_count())));
    if (op.internal) return false;
    std::vector<Tensor> inputs;
    Attributes attributes;
    for (const Param& p : op.params) {
      if (p.kind == Kind::kTensors)
        for (Index i = 1 + draw_.whole(3); i > 0; --i) inputs.push_back(any());
      else if (p.kind == Kind::kTensor)
        inputs.push_back(p.fallback == Fallback::kAbsent && draw_.whole(2) ? Tensor() : draw_.whole(12) == 0 ? literal(random_number(draw_)) : any());
      else
        attributes.push_back(random_attribute(draw_, p));
    }
    const std::string text = text_of(op, inputs, attributes);
    if (std::getenv("GRADBOOK_FUZZ_LOG")) std::fprintf(stderr, "%s\n", text.c_str());
    SCOPED_TRACE(text);
    try {
      const Tensor result = run(op, std::move(inputs), std::move(attributes));
      EXPECT_EQ(static_cast<Index>(result.values().size()), element_count(result.shape()));
      if (result.requires_grad() && draw_.whole(3) == 0) backward(sum(to(result, DType::kFloat64)));
      if (result.element_count() <= kLargestKept) pool_[static_cast<size_t>(draw_.whole(static_cast<Index>(pool_.size())))] = result;
      return true;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()), "");
      return false;
    }
  }

 private:
  Tensor any() {
    if (draw_.whole(4) == 0) return random_input(draw_);
    return pool_[static_cast<size_t>(draw_.whole(static_cast<Index>(pool_.size())))];
  }

  Draw draw_;
  std::vector<Tensor> pool_;
};

TEST(Fuzz, RandomOpsWithRandomArgumentsGiveATensorOrAnErrorAndKeepNoMemory) {
  register_ops();
  const char* wanted = std::getenv("GRADBOOK_FUZZ");
  const int sequences = wanted ? std::atoi(wanted) : kSequences;
  const int64_t before = memory_count().live_bytes;
  set_memory_limit(before + kMemoryLimit);
  int done = 0;
  for (int seed = 1; seed <= sequences; ++seed) {
    SCOPED_TRACE("sequence " + std::to_string(seed));
    const bool fast = set_fast_kernels(seed % 3 != 0);
    {
      Sequence sequence(static_cast<uint64_t>(seed));
      for (int i = 0; i < kCalls; ++i) done += sequence.call();
    }
    set_fast_kernels(fast);
    EXPECT_EQ(memory_count().live_bytes, before) << "bytes are held after every tensor is gone";
  }
  set_memory_limit(0);
  EXPECT_GT(done, sequences * kCalls / 10) << "too few calls got past the checks of their arguments to mean anything";
  RecordProperty("calls", done);
}

}  // namespace
}  // namespace gradbook::test
