// The ring of numbers that training logs: step, metric, value, time, arithmetic done. Writing never waits; when nobody drains, the oldest
// records make room and are counted. Turning records into charts is the page's part.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gradbook {

/// Five doubles, so that a batch of records crosses to TypeScript as one Float64Array.
struct MetricRecord {
  double step = 0;
  double metric = 0;  // from metric_id()
  double value = 0;
  double time_ms = 0;  // since the engine started
  double flops = 0;    // flops_done() when it was logged
};

/// What needs a look: the first value that was not finite, and how much was lost.
struct MetricTrouble {
  bool found = false;    // a NaN or an infinity was logged
  MetricRecord first{};  // the first such record since forget_trouble(); only when found
  int64_t dropped = 0;   // records overwritten before they were drained
};

/// All that was ever logged of one metric, in few numbers.
struct MetricSummary {
  int64_t count = 0;
  double step = 0, last = 0;
  double min = 0, max = 0;  // of finite values; NaN when there is none
  std::vector<std::pair<double, double>> history;  // step and value, evenly spread over all that was logged, at most 512

 private:
  friend class MetricRing;
  void note(double at, double value);
  int64_t every_ = 1;
};

class MetricRing {
 public:
  /// Requires capacity > 0.
  explicit MetricRing(size_t capacity = 32768) : records_(capacity) {}

  /// The number of a metric name; the same name always gets the same number.
  int metric_id(std::string_view name);
  /// Throws Error(kValue) for a number that metric_id() did not give.
  const std::string& metric_name(int id) const;
  int metric_count() const { return static_cast<int>(names_.size()); }
  /// Throws as metric_name() does.
  const MetricSummary& summary(int id) const;

  /// Appends a record; the oldest undrained one is dropped when the ring is full. Throws Error(kValue) for an unknown metric.
  void log(double step, int metric, double value);
  /// Moves the oldest records, at most `most`, to `out`; returns how many.
  size_t drain(MetricRecord* out, size_t most);
  size_t waiting() const { return count_; }

  const MetricTrouble& trouble() const { return trouble_; }
  /// The next value that is not finite counts as the first.
  void forget_trouble() { trouble_.found = false; }
  /// Drops all records, summaries and the trouble; names keep their numbers.
  void clear();

 private:
  std::vector<MetricRecord> records_;
  size_t first_ = 0, count_ = 0;
  std::vector<std::string> names_;
  std::vector<MetricSummary> summaries_;
  MetricTrouble trouble_;
};

/// To be called once per optimizer step.
void note_step();
/// Milliseconds of a step: between the last two optimizer steps, or the mean of the last few where they are short; 0 before the second.
double last_step_ms();
/// The ring of this engine instance.
MetricRing& metric_ring();

}  // namespace gradbook
