// Elementwise functions over a million floats (and over what fits in L2), reductions, softmax, optimizer steps, random fills.
#include "clock.h"
#include "groups.h"
#include "kernels/elementwise.h"
#include "kernels/optimizer.h"
#include "kernels/random.h"
#include "kernels/reduce.h"
#include "kernels/softmax.h"

namespace gradbook::bench {

using namespace gradbook::kernels;

void bench_elementwise() {
  const Index n = 1 << 20, small = 1 << 15;
  const std::vector<float> a = values(n), b = values(n);
  std::vector<float> out = a, m(a.size()), v(a.size());
  const double count = static_cast<double>(n);
  const std::pair<const char*, Unary> functions[] = {{"relu", Unary::kRelu}, {"sqrt", Unary::kSqrt}, {"exp", Unary::kExp}, {"log", Unary::kLog}, {"tanh", Unary::kTanh}, {"sigmoid", Unary::kSigmoid}, {"erf", Unary::kErf}, {"gelu", Unary::kGelu}, {"sin", Unary::kSin}};
  for (const auto& [name, function] : functions) {
    report(std::string(name) + " of 1M", count, "G/s", [&, f = function] { unary(f, n, a.data(), out.data()); });
    report(std::string(name) + " of 32k", static_cast<double>(small), "G/s", [&, f = function] { unary(f, small, a.data(), out.data()); });
  }
  report("add of 1M", count, "G/s", [&] { binary(Binary::kAdd, n, a.data(), b.data(), out.data()); });
  report("add of 32k", static_cast<double>(small), "G/s", [&] { binary(Binary::kAdd, small, a.data(), b.data(), out.data()); });
  const Shape image{64, 8, 28, 28}, bias{0, 1, 0, 0};
  report("bias of 64x8x28x28", 64.0 * 8 * 784, "G/s", [&] { binary(Binary::kAdd, image, a.data(), contiguous_strides(image), b.data(), bias, out.data()); });
  const Shape matrix{128, 256}, row{0, 1};
  report("bias of 128x256", 128.0 * 256, "G/s", [&] { binary(Binary::kAdd, matrix, a.data(), contiguous_strides(matrix), b.data(), row, out.data()); });
  report("transpose of 1024x1024", count, "G/s", [&] { copy_strided(Shape{1024, 1024}, a.data(), Shape{1, 1024}, out.data()); });
  volatile float sink = 0;
  report("sum of 1M", count, "G/s", [&] { sink = sum(n, a.data()); });
  report("sum over rows 1024x1024", count, "G/s", [&] { sum_axis(1, 1024, 1024, a.data(), out.data()); });
  report("sum over columns 1024x1024", count, "G/s", [&] { sum_axis(1024, 1024, 1, a.data(), out.data()); });
  report("sum over channels 64x8x784", 64.0 * 8 * 784, "G/s", [&] { sum_channels(64, 8, 784, a.data(), out.data()); });
  report("softmax of 1024x1024", count, "G/s", [&] { softmax_rows(1024, 1024, a.data(), out.data()); });
  report("softmax of 64x10", 640, "G/s", [&] { softmax_rows(64, 10, a.data(), out.data()); });
  const Index parameters = 50000, many = 200704;
  SgdStep sgd;
  sgd.momentum = 0.9f;
  report("sgd with momentum, 50k", static_cast<double>(parameters), "G/s", [&] { sgd_step(sgd, parameters, out.data(), b.data(), m.data()); });
  AdamStep adam;
  adam.step = 10001;
  report("adam, 50k", static_cast<double>(parameters), "G/s", [&] { adam_step(adam, parameters, out.data(), b.data(), m.data(), v.data()); });
  report("adam, 200704", static_cast<double>(many), "G/s", [&] { adam_step(adam, many, out.data(), b.data(), m.data(), v.data()); });
  report("uniform of 1M", count, "G/s", [&] { fill_uniform({1, 0}, n, 0, 1, out.data()); });
  report("normal of 1M", count, "G/s", [&] { fill_normal({1, 0}, n, 0, 1, out.data()); });
}

}  // namespace gradbook::bench
