#include "inspect/costs.h"

#include <algorithm>
#include <map>

#include "base/clock.h"
#include "kernels/gemm.h"
#include "kernels/threads.h"

namespace gradbook {
namespace {

double measure(double milliseconds) {
  constexpr Index n = 256;
  std::vector<float> a(n * n + 16, 0.5f), b(n * n + 16, 0.25f), c(n * n);
  const double begin = engine_time_ms();
  double best = 1e9;
  do {
    const double start = engine_time_ms();
    kernels::gemm(n, n, n, {a.data(), n, 1}, {b.data(), n, 1}, {c.data(), n, 1});
    best = std::min(best, engine_time_ms() - start);
  } while (engine_time_ms() - begin < milliseconds);
  return 2.0 * n * n * n / best / 1e6;
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
    ceiling.best = std::max(ceiling.best, measure(hurried ? 5 : 20));
    ceiling.measured += !hurried;
  }
  return ceiling.best;
}

}  // namespace gradbook
