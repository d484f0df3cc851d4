#include "inspect/observe.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "autodiff/run.h"
#include "autodiff/tape.h"
#include "inspect/trace.h"

namespace gradbook {
namespace {

struct Costs {
  int64_t calls = 0;
  double milliseconds = 0;
};
struct Watch {
  bool profiling = false, anomalies = false;
  std::unordered_map<const Op*, Costs> forward, backward;
  Costs steps;
};
Watch& watch() {
  static Watch* watch = new Watch;
  return *watch;
}

// -- anomalies -------------------------------------------------------------------------------------------------------

enum class Finding { kFinite, kInfinite, kNaN };
Finding worse(Finding a, Finding b) { return std::max(a, b); }

Finding find_in(double v) { return std::isnan(v) ? Finding::kNaN : std::isinf(v) ? Finding::kInfinite : Finding::kFinite; }

Finding find_in(const Tensor& t) {
  if (!t.defined() || !is_floating(t.dtype())) return Finding::kFinite;
  const Tensor values = t.dtype() == DType::kFloat16 ? t.converted(DType::kFloat32) : t.contiguous();
  return dispatch_floating(values.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* v = values.data<T>();
    // x - x is 0 for finite x, else NaN: one sum tells whether a closer look is worth it.
    T sum = 0;
    for (Index i = 0; i < values.element_count(); ++i) sum += v[i] - v[i];
    if (sum == 0) return Finding::kFinite;
    for (Index i = 0; i < values.element_count(); ++i)
      if (std::isnan(v[i])) return Finding::kNaN;
    return Finding::kInfinite;
  });
}

Finding find_in(const Call& call) {
  Finding worst = Finding::kFinite;
  for (const Tensor& t : call.inputs) worst = worse(worst, find_in(t));
  for (const Attribute& a : call.attributes) {
    if (!a.present) continue;
    worst = worse(worst, find_in(a.number));
    for (double v : a.list) worst = worse(worst, find_in(v));
  }
  return worst;
}

std::string value_text(double v) { return std::isnan(v) ? "NaN" : v > 0 ? "Infinity" : "-Infinity"; }

// "NaN at [0, 2] (and 3 more of 12 elements)"
std::string describe_bad(const Tensor& t) {
  const std::vector<double> values = t.values();
  size_t first = values.size(), count = 0;
  for (size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i])) {
      // NaN is what is reported when there is any.
      if (count++ == 0 || (std::isnan(values[i]) && !std::isnan(values[first]))) first = i;
    }
  Shape place = t.shape();
  size_t rest = first;
  for (int axis = t.rank() - 1; axis >= 0; --axis) {
    place[axis] = static_cast<Index>(rest % static_cast<size_t>(t.size(axis)));
    rest /= static_cast<size_t>(t.size(axis));
  }
  std::string text = value_text(values[first]);
  if (t.rank() > 0) text += " at " + to_string(place);
  if (count > 1) text += " (and " + std::to_string(count - 1) + " more of " + std::to_string(values.size()) + " elements)";
  return text;
}

std::string describe_range(const Tensor& t) {
  const std::vector<double> values = t.values();
  if (values.empty()) return "nothing";
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return message_of({t.shape(), " from ", *low, " to ", *high});
}

void look_for_anomaly(const Call& call) {
  const Finding result = find_in(call.result);
  if (result == Finding::kFinite || find_in(call) >= result) return;
  std::string inputs;
  for (const Tensor& t : call.inputs)
    if (t.defined()) inputs += (inputs.empty() ? "" : ", ") + describe_range(t);
  // run() names the op that was called; the one that it is written with helps to understand, unless it is one of our own.
  const bool is_part = call.op != call.called && !call.op->internal;
  fail(ErrorCode::kValue, is_part ? std::string(call.op->name) + " " : std::string(), "gave ", describe_bad(call.result), inputs.empty() ? "" : "; its inputs: ", inputs);
}

// -- the observer ----------------------------------------------------------------------------------------------------

void observe(const Call& call, double milliseconds) {
  Watch& w = watch();
  trace_call(call, milliseconds);
  if (w.profiling) {
    const Op* gradient = gradient_in_progress();
    Costs& costs = gradient ? w.backward[gradient] : w.forward[call.op];
    ++costs.calls;
    costs.milliseconds += milliseconds;
  }
  if (w.anomalies) look_for_anomaly(call);
}

bool set_flag(bool& flag, bool value) {
  const bool before = std::exchange(flag, value);
  watch_ops();
  return before;
}

}  // namespace

void watch_ops() { set_run_observer(watch().profiling || watch().anomalies || tracing() ? observe : nullptr); }

bool set_profiling(bool enabled) {
  if (enabled) {
    watch().forward.clear();
    watch().backward.clear();
    watch().steps = {};
  }
  return set_flag(watch().profiling, enabled);
}

bool profiling() { return watch().profiling; }

void profile_step(double milliseconds) {
  if (!watch().profiling) return;
  ++watch().steps.calls;
  watch().steps.milliseconds += milliseconds;
}

std::vector<ProfileRow> profile_rows() {
  std::vector<ProfileRow> rows;
  for (const auto& [op, costs] : watch().forward) rows.push_back({op, false, costs.calls, costs.milliseconds});
  for (const auto& [op, costs] : watch().backward) rows.push_back({op, true, costs.calls, costs.milliseconds});
  if (watch().steps.calls) rows.push_back({nullptr, false, watch().steps.calls, watch().steps.milliseconds});
  return rows;
}

bool set_anomaly_detection(bool enabled) { return set_flag(watch().anomalies, enabled); }

}  // namespace gradbook
