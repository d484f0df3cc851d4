#include "inspect/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autodiff/flops.h"
#include "base/clock.h"
#include "base/error.h"

namespace gradbook {

int MetricRing::metric_id(std::string_view name) {
  check(!name.empty(), ErrorCode::kValue, "log: a metric needs a name");
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return static_cast<int>(found - names_.begin());
  names_.emplace_back(name);
  summaries_.emplace_back();
  return metric_count() - 1;
}

const std::string& MetricRing::metric_name(int id) const {
  check(id >= 0 && id < metric_count(), ErrorCode::kValue, "log: no metric has number ", id, "; there are ", metric_count());
  return names_[static_cast<size_t>(id)];
}

const MetricSummary& MetricRing::summary(int id) const {
  metric_name(id);
  return summaries_[static_cast<size_t>(id)];
}

void MetricSummary::note(double at, double value) {
  step = at;
  last = value;
  if (count == 0 || std::isnan(min)) min = max = std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN();
  if (std::isfinite(value)) {
    min = std::min(min, value);
    max = std::max(max, value);
  }
  if (count++ % every_ != 0) return;
  constexpr size_t kMost = 512;
  if (history.size() == kMost) {
    // Every second one stays, and from now on half as many come.
    for (size_t i = 0; i < kMost / 2; ++i) history[i] = history[2 * i];
    history.resize(kMost / 2);
    every_ *= 2;
  }
  history.emplace_back(at, value);
}

void MetricRing::log(double step, int metric, double value) {
  metric_name(metric);
  summaries_[static_cast<size_t>(metric)].note(step, value);
  const MetricRecord record{step, static_cast<double>(metric), value, engine_time_ms(), flops_done()};
  if (!std::isfinite(value) && !trouble_.found) {
    trouble_.found = true;
    trouble_.first = record;
  }
  if (count_ == records_.size()) {
    first_ = (first_ + 1) % records_.size();
    --count_;
    ++trouble_.dropped;
  }
  records_[(first_ + count_) % records_.size()] = record;
  ++count_;
}

size_t MetricRing::drain(MetricRecord* out, size_t most) {
  const size_t taken = std::min(most, count_);
  for (size_t i = 0; i < taken; ++i) out[i] = records_[(first_ + i) % records_.size()];
  first_ = (first_ + taken) % records_.size();
  count_ -= taken;
  return taken;
}

void MetricRing::clear() {
  first_ = count_ = 0;
  summaries_.assign(names_.size(), {});
  trouble_ = {};
}

namespace {
double g_step_at = -1, g_step_ms = 0;
// Steps until the clock is read, and between the last two readings.
int g_steps_left = 1, g_steps_between = 1;
}  // namespace

// In WebAssembly a clock is a call out of the engine, a tenth of the shortest steps: of those only some are timed.
void note_step() {
  if (--g_steps_left > 0) return;
  const double now = engine_time_ms();
  if (g_step_at >= 0) g_step_ms = (now - g_step_at) / g_steps_between;
  g_step_at = now;
  constexpr double kPeriodMs = 0.5;
  g_steps_between = g_steps_left = static_cast<int>(std::clamp(kPeriodMs / std::max(g_step_ms, 1e-3), 1.0, 16.0));
}

double last_step_ms() { return g_step_ms; }

MetricRing& metric_ring() {
  static MetricRing ring;
  return ring;
}

}  // namespace gradbook
