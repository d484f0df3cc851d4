#include "base/clock.h"

#include <time.h>

namespace gradbook {

// Not std::chrono's clock: it can throw std::system_error, whose words bring printf into the page.
double engine_time_ms() {
  const auto read = [] {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now;
  };
  static const timespec start = read();
  const timespec now = read();
  return static_cast<double>(now.tv_sec - start.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec - start.tv_nsec) * 1e-6;
}

}  // namespace gradbook
