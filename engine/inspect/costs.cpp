#include "inspect/costs.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "kernels/gemm.h"
#include "kernels/threads.h"

namespace gradbook {
namespace {

double count_of(const Tensor& t) { return t.defined() ? static_cast<double>(t.element_count()) : 0; }
double size_of(const Tensor& t, int axis) { return axis < t.rank() ? static_cast<double>(t.size(axis)) : 1; }

// A filter [out, in / groups, ...]: multiply-adds for each element of the larger channel side.
double taps_of(const Tensor& filter) { return count_of(filter) / std::max(1.0, size_of(filter, 0)); }

double product_flops(const Call& c) {
  const Tensor& x = c.input(0);
  const double inner = x.rank() ? static_cast<double>(x.shape().back()) : 1;
  return 2 * count_of(c.result) * inner;
}
double convolution_flops(const Call& c) { return 2 * count_of(c.result) * taps_of(c.input(1)); }
double input_gradient_flops(const Call& c) { return 2 * count_of(c.input(0)) * taps_of(c.input(1)); }
double filter_gradient_flops(const Call& c) { return 2 * count_of(c.input(0)) * taps_of(c.result); }
double nothing(const Call&) { return 0; }

struct Rule {
  std::string_view op;
  double (*flops)(const Call&);
};
// Ops whose cost is not one operation for each element. Composites never come here: what they are written with does.
constexpr Rule kRules[] = {
    {"matmul", product_flops},
    {"linear", product_flops},
    {"conv2d", convolution_flops},
    {"conv3d", convolution_flops},
    {"conv2dInputGradient", input_gradient_flops},
    {"conv3dInputGradient", input_gradient_flops},
    {"conv2dFilterGradient", filter_gradient_flops},
    {"conv3dFilterGradient", filter_gradient_flops},
    {"to", nothing},
    {"concat", nothing},
    {"stack", nothing},
    {"padConstant", nothing},
    {"flip", nothing},
    {"contiguous", nothing},
    {"unslice", nothing},
    {"gather", nothing},
    {"indexSelect", nothing},
    {"embedding", nothing},
    {"oneHot", nothing},
};

double measure(std::chrono::milliseconds time) {
  constexpr Index n = 256;
  std::vector<float> a(n * n + 16, 0.5f), b(n * n + 16, 0.25f), c(n * n);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  double best = 1e9;
  do {
    const Clock::time_point start = Clock::now();
    kernels::gemm(n, n, n, {a.data(), n, 1}, {b.data(), n, 1}, {c.data(), n, 1});
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  } while (Clock::now() - begin < time);
  return 2.0 * n * n * n / best / 1e9;
}

}  // namespace

double flops_of(const Call& call) {
  if (!call.op || call.op->view || !call.result.defined()) return 0;
  for (const Rule& rule : kRules)
    if (rule.op == call.op->name) return rule.flops(call);
  double most = count_of(call.result);
  for (const Tensor& t : call.inputs) most = std::max(most, count_of(t));
  return most;
}

double measured_ceiling(bool hurried) {
  struct Ceiling {
    double best = 0;
    int measured = 0;
  };
  constexpr int kOften = 5;
  static std::map<int, Ceiling> ceilings;
  Ceiling& ceiling = ceilings[kernels::thread_count()];
  if (hurried ? ceiling.best == 0 : ceiling.measured < kOften) {
    ceiling.best = std::max(ceiling.best, measure(std::chrono::milliseconds(hurried ? 5 : 20)));
    ceiling.measured += !hurried;
  }
  return ceiling.best;
}

}  // namespace gradbook
