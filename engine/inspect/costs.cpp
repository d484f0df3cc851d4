#include "inspect/costs.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "kernels/gemm.h"
#include "kernels/threads.h"

namespace gradbook {
namespace {

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
