// Timing of one kernel: warm-up, several samples, best and median. The machine may be busy: compare within one run.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace gradbook::bench {

inline double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Times {
  double best_ms, median_ms;
};

/// V8 compiles a wasm function well only after it was called often: the warm-up lasts until that has happened.
inline Times time(const std::function<void()>& body, double warm_ms = 120, int samples = 60, double sample_ms = 1) {
  const double start = now_ms();
  int calls = 0;
  do body(), ++calls;
  while (now_ms() - start < warm_ms);
  const int repeat = std::max(1, static_cast<int>(sample_ms * calls / warm_ms));
  std::vector<double> times;
  for (int i = 0; i < samples; ++i) {
    const double before = now_ms();
    for (int r = 0; r < repeat; ++r) body();
    times.push_back((now_ms() - before) / repeat);
  }
  std::sort(times.begin(), times.end());
  return {times[0], times[times.size() / 2]};
}

/// One line: name, milliseconds, and work per second in GFLOP/s (or GB/s), median and best.
inline void report(const std::string& name, double work, const char* unit, const std::function<void()>& body) {
  const Times t = time(body);
  std::printf("%-44s %10.4f ms  %7.1f median %7.1f best %s\n", name.c_str(), t.median_ms, work / t.median_ms * 1e-6, work / t.best_ms * 1e-6, unit);
  std::fflush(stdout);
}

}  // namespace gradbook::bench
