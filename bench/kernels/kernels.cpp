// Times the kernels, natively or in wasm under Node: kernels [group] [threads] [layer]. Groups: matmul, conv, techniques (every
// way to compute a convolution), elementwise, ops (through the op table and the tape),
// peer (XNNPACK beside us), all. The first line is the ceiling: multiplications and additions that
// never leave the registers.
#include <cstdlib>
#include <cstring>

#include "clock.h"
#include "groups.h"
#include "kernels/gemm.h"
#include "kernels/simd.h"
#include "kernels/threads.h"

namespace gradbook::bench {

namespace {

using namespace gradbook::kernels;

// Twelve sums, as in a register tile.
__attribute__((noinline)) float multiply_in_registers(long steps, float factor) {
  Float4 sum[12], x = splat(factor), y = splat(1 - factor);
  for (int i = 0; i < 12; ++i) sum[i] = splat(static_cast<float>(i));
#pragma clang loop unroll_count(1)
  for (long step = 0; step < steps; ++step)
    for (int i = 0; i < 12; ++i) sum[i] = madd(sum[i], x, y);
  for (int i = 1; i < 12; ++i) sum[0] += sum[i];
  return lane_sum(sum[0]);
}

void bench_ceiling() {
  volatile float sink = 0;
  // Short calls: V8 optimizes what is called often.
  volatile float half = 0.5f;
  const auto ceiling = [&] {
    for (int i = 0; i < 100; ++i) sink = multiply_in_registers(400, half);
  };
  time(ceiling, 500);
  report("ceiling (registers only)", 2.0 * 4 * 12 * 40000, "GFLOP/s", ceiling);
}

}  // namespace

void bench_matmul() {
  for (long n : {64, 128, 256, 512, 1024}) {
    const std::vector<float> a = values(n * n), b = a;
    std::vector<float> c(static_cast<size_t>(n * n));
    const ConstMatrix x{a.data(), n, 1}, y{b.data(), n, 1};
    const double flops = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
    const std::string size = std::to_string(n);
    report("matmul A B    " + size, flops, "GFLOP/s", [&] { gemm(n, n, n, x, y, {c.data(), n, 1}); });
    report("matmul A^T B  " + size, flops, "GFLOP/s", [&] { gemm(n, n, n, x.transposed(), y, {c.data(), n, 1}); });
    report("matmul A B^T  " + size, flops, "GFLOP/s", [&] { gemm(n, n, n, x, y.transposed(), {c.data(), n, 1}); });
  }
  // Layers: forward x W^T, input gradient g W, weight gradient g^T x, as PyTorch lays them out.
  struct Layer {
    long batch, in, out;
  };
  for (Layer l : {Layer{32, 784, 256}, Layer{128, 784, 256}, Layer{128, 256, 128}, Layer{1000, 784, 256}, Layer{64, 256, 120}, Layer{64, 120, 84}, Layer{64, 784, 10}, Layer{64, 84, 10}}) {
    const std::vector<float> x = values(l.batch * l.in), w = values(l.in * l.out), g = values(l.batch * l.out);
    std::vector<float> y(static_cast<size_t>(l.batch * l.out)), dx(x.size()), dw(w.size());
    const double flops = 2.0 * static_cast<double>(l.batch) * static_cast<double>(l.in) * static_cast<double>(l.out);
    const std::string size = std::to_string(l.batch) + " x " + std::to_string(l.in) + " -> " + std::to_string(l.out);
    report("linear forward " + size, flops, "GFLOP/s", [&] { gemm(l.batch, l.out, l.in, {x.data(), l.in, 1}, {w.data(), 1, l.in}, {y.data(), l.out, 1}); });
    report("linear dX      " + size, flops, "GFLOP/s", [&] { gemm(l.batch, l.in, l.out, {g.data(), l.out, 1}, {w.data(), l.in, 1}, {dx.data(), l.in, 1}); });
    report("linear dW      " + size, flops, "GFLOP/s", [&] { gemm(l.out, l.in, l.batch, {g.data(), 1, l.out}, {x.data(), l.in, 1}, {dw.data(), l.in, 1}); });
  }
}

}  // namespace gradbook::bench

int main(int argc, char** argv) {
  const char* group = argc > 1 ? argv[1] : "all";
  const int threads = gradbook::kernels::set_thread_count(argc > 2 ? std::atoi(argv[2]) : 1);
  std::printf("threads %d\n", threads);
  const char* layer = argc > 3 ? argv[3] : nullptr;
  const auto wanted = [&](const char* name) { return !std::strcmp(group, "all") || !std::strcmp(group, name); };
  gradbook::bench::bench_ceiling();
  if (wanted("matmul")) gradbook::bench::bench_matmul();
  if (wanted("conv")) gradbook::bench::bench_convolution(layer, false);
  if (!std::strcmp(group, "techniques")) gradbook::bench::bench_convolution(layer, true);
  if (wanted("elementwise")) gradbook::bench::bench_elementwise();
  if (wanted("ops")) gradbook::bench::bench_ops(layer);
#if defined(GRADBOOK_PEER)
  if (!std::strcmp(group, "peer")) gradbook::bench::bench_peer();
#endif
  return 0;
}
