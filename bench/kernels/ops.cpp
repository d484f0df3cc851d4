// Ops through run() and the tape, as the engine uses them: forward, and forward with backward, with quick kernels and with the
// plain loops. A row that does not get faster has no quick kernel.
#include "clock.h"
#include "groups.h"

#include <cmath>
#include <cstring>

#include "autodiff/tape.h"
#include "base/random.h"
#include "ops/vocabulary.h"
#include "train/optimizers.h"

namespace gradbook::bench {
namespace {

Tensor random(const Shape& shape, bool needs_gradient = true) {
  Tensor t = Tensor::empty(shape);
  fill_uniform(t.data<float>(), t.element_count(), default_generator(), -2, 2);
  t.set_requires_grad(needs_gradient);
  return t;
}
Tensor whole(const Shape& shape, Index below) {
  Tensor t = Tensor::empty(shape, DType::kInt32);
  for (Index i = 0; i < t.element_count(); ++i) t.data<int32_t>()[i] = static_cast<int32_t>((i * 2654435761u >> 8) % static_cast<uint64_t>(below));
  return t;
}

struct Row {
  const char* name;
  double flops;  // 0: elements of the result count
  std::vector<Tensor> inputs;
  std::function<Tensor(const std::vector<Tensor>&)> forward;
  bool backward = true;
};

double milliseconds(const std::function<void()>& body) { return time(body, 60, 15).median_ms; }

void show(const Row& row) {
  const auto clear = [&] {
    for (const Tensor& t : row.inputs) t.set_grad({});
  };
  const auto only_forward = [&] {
    GradModeGuard off(false);
    row.forward(row.inputs);
  };
  const Tensor sample = row.forward(row.inputs);
  const bool differentiable = row.backward && sample.requires_grad();
  const Tensor upstream = random(sample.shape(), false);
  const auto both = [&] {
    backward(row.forward(row.inputs), upstream);
    clear();
  };
  const double work = row.flops > 0 ? row.flops : static_cast<double>(std::max(sample.element_count(), row.inputs.empty() ? 0 : row.inputs[0].element_count()));
  const double forward_ms = milliseconds(only_forward), both_ms = differentiable ? milliseconds(both) : 0;
  set_fast_kernels(false);
  const double plain_ms = row.flops > 0 ? 0 : milliseconds(only_forward), plain_both_ms = differentiable && row.flops == 0 ? milliseconds(both) : 0;
  set_fast_kernels(true);
  std::printf("%-34s forward %8.3f ms %7.2f G/s", row.name, forward_ms, work / forward_ms * 1e-6);
  if (differentiable) std::printf("   with backward %8.3f ms", both_ms);
  if (differentiable && row.flops > 0) std::printf(", backward alone %7.2f G/s", 2 * work / (both_ms - forward_ms) * 1e-6);
  if (row.flops == 0) std::printf("   plain %8.3f", plain_ms);
  if (differentiable && row.flops == 0) std::printf(" / %8.3f", plain_both_ms);
  std::printf("\n");
  std::fflush(stdout);
}

using Inputs = const std::vector<Tensor>&;

template <OpName name>
Row unary_row(const Shape& shape, const Attributes& attributes = {}) {
  return {name.text, 0, {random(shape)}, [=](Inputs x) { return op<name>({x[0]}, attributes); }};
}
template <OpName name>
Row binary_row(const Shape& shape) {
  return {name.text, 0, {random(shape), random(shape)}, [](Inputs x) { return op<name>({x[0], x[1]}); }};
}

void show_optimizer(std::string_view name, bool momentum) {
  for (const OptimizerRow& row : optimizer_table()) {
    if (row.name != name) continue;
    std::vector<double> values = default_settings(row);
    if (momentum) values[1] = 0.9;
    const Tensor p = random({200704});
    Optimizer optimizer(row, {p}, values);
    p.set_grad(random({200704}, false));
    const double quick = milliseconds([&] { optimizer.step(); });
    set_fast_kernels(false);
    const double plain = milliseconds([&] { optimizer.step(); });
    set_fast_kernels(true);
    std::printf("%-34s step of 200704 %8.3f ms, plain %8.3f ms\n", std::string(name).c_str(), quick, plain);
  }
}

}  // namespace

void bench_ops(const char* only) {
  register_ops();
  const Shape million{1024, 1024}, image{64, 16, 28, 28};
  const Index tall = 1024;
  const Tensor condition = gt(random(million, false), literal(0));
  std::vector<Row> rows = {
      binary_row<"add">(million),
      binary_row<"gt">(million),
      binary_row<"eq">(million),
      {"gt 0", 0, {random(million)}, [](Inputs x) { return gt(x[0], literal(0)); }},
      {"logicalAnd", 0, {condition}, [=](Inputs x) { return op<"logicalAnd">({x[0], condition}); }},
      {"where", 0, {random(million), random(million)}, [=](Inputs x) { return where(condition, x[0], x[1]); }},
      {"where with numbers", 0, {random(million)}, [=](Inputs x) { return where(condition, x[0], literal(-INFINITY)); }},
      unary_row<"exp">(million),
      unary_row<"tanh">(million),
      unary_row<"sigmoid">(million),
      unary_row<"erf">(million),
      unary_row<"relu">(million),
      unary_row<"leakyRelu">(million),
      unary_row<"elu">(million),
      unary_row<"gelu">(million),
      {"gelu tanh", 0, {random(million)}, [](Inputs x) { return op<"gelu">({x[0]}, {Attribute(std::vector<double>{'t', 'a', 'n', 'h'})}); }},
      unary_row<"silu">(million),
      unary_row<"softplus">(million),
      unary_row<"mish">(million),
      unary_row<"hardswish">(million),
      {"clamp", 0, {random(million)}, [](Inputs x) { return op<"clamp">({x[0]}, {-1, 1}); }},
      {"layerNorm 1024x1024", 0, {random(million), random({tall}), random({tall})}, [](Inputs x) { return op<"layerNorm">({x[0], x[1], x[2]}); }},
      {"groupNorm 64x16x28x28, 4 groups", 0, {random(image), random({16}), random({16})}, [](Inputs x) { return op<"groupNorm">({x[0], x[1], x[2]}, {4}); }},
      {"batchNorm 64x16x28x28", 0, {random(image), random({16}), random({16})}, [](Inputs x) { return op<"batchNorm">({x[0], Tensor(), Tensor(), x[1], x[2]}, {Attribute(true)}); }},
      {"softmax 1024x1024", 0, {random(million)}, [](Inputs x) { return softmax(x[0], -1); }},
      {"sum all", 0, {random(million)}, [](Inputs x) { return sum(x[0]); }},
      {"mean axis 0", 0, {random(million)}, [](Inputs x) { return mean(x[0], {0}, false); }},
      {"cumsum rows", 0, {random(million)}, [](Inputs x) { return op<"cumsum">({x[0]}, {1}); }},
      {"cumsum columns", 0, {random(million)}, [](Inputs x) { return op<"cumsum">({x[0]}, {0}); }},
      {"concat axis 0", 0, {random({512, 1024}), random({512, 1024})}, [](Inputs x) { return concat({x[0], x[1]}, 0); }},
      {"concat axis 1", 0, {random({1024, 512}), random({1024, 512})}, [](Inputs x) { return concat({x[0], x[1]}, 1); }},
      {"stack axis 0", 0, {random({512, 1024}), random({512, 1024})}, [](Inputs x) { return op<"stack">({x[0], x[1]}, {0}); }},
      {"pad 64x16x28x28 by 1", 0, {random(image)}, [](Inputs x) { return op<"pad">({x[0]}, {Shape{1, 1, 1, 1}}); }},
      {"flip rows", 0, {random(million)}, [](Inputs x) { return op<"flip">({x[0]}, {Shape{1}}); }},
      {"gather rows", 0, {random(million), whole(million, 1024)}, [](Inputs x) { return gather(x[0], x[1], 1); }},
      {"indexSelect 1024 of 1024 rows", 0, {random(million), whole({tall}, 1024)}, [](Inputs x) { return indexSelect(x[0], x[1], 0); }},
      {"embedding 4096 of 1000x64", 0, {random({1000, 64}), whole({64, 64}, 1000)}, [](Inputs x) { return op<"embedding">({x[1], x[0]}); }},
      {"dropout", 0, {random(million)}, [](Inputs x) { return op<"dropout">({x[0]}); }},
      {"rand 1M", 0, {}, [](Inputs) { return op<"rand">({}, {Shape{1024, 1024}}); }},
      {"randn 1M", 0, {}, [](Inputs) { return op<"randn">({}, {Shape{1024, 1024}}); }},
      {"crossEntropy 1024x1000", 0, {random({1024, 1000}), whole({tall}, 1000)}, [](Inputs x) { return op<"crossEntropy">({x[0], x[1]}); }},
      {"transposed copy 1024x1024", 0, {random(million)}, [](Inputs x) { return op<"contiguous">({transpose(x[0], 0, 1)}); }},
  };
  const auto conv = [&](const char* name, Index batch, Index in, Index size, Index out, Index filter, Index stride, Index padding, Index groups, bool transposed) {
    const Index result = transposed ? (size - 1) * stride - 2 * padding + filter : (size + 2 * padding - filter) / stride + 1;
    const Index pixels = transposed ? size * size : result * result;
    const double flops = 2.0 * static_cast<double>(batch * pixels * filter * filter) * static_cast<double>(in / groups * out);
    const Tensor w = random(transposed ? Shape{in, out / groups, filter, filter} : Shape{out, in / groups, filter, filter});
    const Attribute steps = Shape{stride, stride}, edge = Shape{padding, padding}, none = Shape{0, 0}, one = Shape{1, 1};
    rows.push_back({name, flops, {random({batch, in, size, size}), w, random({out})}, [=](Inputs x) {
                      return transposed ? op<"convTranspose2d">({x[0], x[1], x[2]}, {steps, edge, none, one, groups}) : op<"conv2d">({x[0], x[1], x[2]}, {steps, edge, one, groups});
                    }});
  };
  conv("conv 16->32 3x3 28", 32, 16, 28, 32, 3, 1, 1, 1, false);
  conv("strided 16->32 3x3 28 /2", 32, 16, 28, 32, 3, 2, 1, 1, false);
  conv("grouped 32->32 3x3 14 g4", 32, 32, 14, 32, 3, 1, 1, 4, false);
  conv("depthwise 32 3x3 28", 32, 32, 28, 32, 3, 1, 1, 32, false);
  conv("depthwise 32 3x3 28 /2", 32, 32, 28, 32, 3, 2, 1, 32, false);
  conv("pointwise 32->64 14", 32, 32, 14, 64, 1, 1, 0, 1, false);
  conv("transposed 32->16 4x4 14 x2", 32, 32, 14, 16, 4, 2, 1, 1, true);
  const Index batch = 32, hidden = 128;
  const auto n = [](Index value) { return static_cast<double>(value); };
  rows.push_back({"lstmCell 32, 128 -> 128", 2.0 * n(batch) * 4 * n(hidden) * n(2 * hidden),
                  {random({batch, hidden}), random({batch, hidden}), random({batch, hidden}), random({4 * hidden, hidden}), random({4 * hidden, hidden}), random({4 * hidden}), random({4 * hidden})},
                  [](Inputs x) { return op<"lstmCell">({x[0], x[1], x[2], x[3], x[4], x[5], x[6]}); }});
  rows.push_back({"gruCell 32, 128 -> 128", 2.0 * n(batch) * 3 * n(hidden) * n(2 * hidden),
                  {random({batch, hidden}), random({batch, hidden}), random({3 * hidden, hidden}), random({3 * hidden, hidden}), random({3 * hidden}), random({3 * hidden})},
                  [](Inputs x) { return op<"gruCell">({x[0], x[1], x[2], x[3], x[4], x[5]}); }});
  for (bool causal : {false, true})
    rows.push_back({causal ? "causal attention 8x4x64x32" : "attention 8x4x64x32", 2.0 * 2 * 8 * 4 * 64 * 64 * 32, {random({8, 4, 64, 32}), random({8, 4, 64, 32}), random({8, 4, 64, 32})},
                    [=](Inputs x) { return op<"scaledDotProductAttention">({x[0], x[1], x[2], Tensor()}, {0, Attribute(causal)}); }});
  rows.push_back({"linear 128 x 784 -> 256", 2.0 * 128 * 784 * 256, {random({128, 784}), random({256, 784}), random({256})}, [](Inputs x) { return op<"linear">({x[0], x[1], x[2]}); }});
  for (const Row& row : rows)
    if (!only || std::strstr(row.name, only)) show(row);
  if (only) return;
  show_optimizer("sgd", false);
  show_optimizer("sgd", true);
  for (const char* name : {"adam", "adamw", "rmsprop", "lion"}) show_optimizer(name, false);
}

}  // namespace gradbook::bench
