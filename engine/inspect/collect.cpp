#include "inspect/collect.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "autodiff/tape.h"
#include "base/clock.h"
#include "inspect/costs.h"
#include "inspect/metrics.h"
#include "inspect/snapshot.h"
#include "inspect/statistics.h"
#include "inspect/trace.h"
#include "kernels/threads.h"
#include "tensor/capacity.h"

namespace gradbook {
namespace {

constexpr int kBins = 32;

// Ids are addresses: they fit into a double on every machine that we know.
double key_of(const void* id) { return static_cast<double>(reinterpret_cast<uintptr_t>(id)); }

class Collector {
 public:
  explicit Collector(const SnapshotRequest& request) : request_(request) {}

  std::vector<uint8_t> collect() {
    gather();
    engine();
    tensors();
    cells();
    selected();
    trace();
    profile();
    program();
    metrics();
    out_.table("numbers", {"value"});
    out_.rows(numbers_);
    return out_.finish();
  }

 private:
  struct Row {
    const HeldTensor* held;
    Tensor tensor;
    std::string_view kind;
    std::string name;
  };

  void gather() {
    std::unordered_set<const void*> seen;
    for (const HeldTensor& held : request_.tensors)
      if (held.tensor.defined() && seen.insert(held.tensor.id()).second) rows_.push_back({&held, held.tensor, held.kind, held.name});
    const size_t count = rows_.size();
    for (size_t i = 0; i < count; ++i) {
      const Row& row = rows_[i];
      if (!row.tensor.is_leaf() || !row.tensor.grad().defined()) continue;
      const Tensor gradient = row.tensor.grad();
      if (seen.insert(gradient.id()).second) rows_.push_back({row.held, gradient, "gradient", row.name.empty() ? "" : row.name + ".grad"});
    }
    for (const Row& row : rows_) names_.emplace(row.tensor.id(), &row);
  }

  void engine() {
    const MemoryCount& memory = memory_count();
    out_.table("engine", {"taken", "flavour", "threads", "live", "peak", "cached", "heap", "blocks", "handles", "records", "stepMs", "steps", "ceiling", "trace", "running"});
    out_.row({engine_time_ms(), out_.text(request_.flavour), static_cast<double>(kernels::thread_count()), static_cast<double>(memory.live_bytes),
              static_cast<double>(memory.peak_bytes), static_cast<double>(memory.cached_bytes), request_.heap_bytes, static_cast<double>(memory.blocks),
              static_cast<double>(request_.handles), static_cast<double>(record_count()), last_step_ms(), static_cast<double>(traced_steps()), measured_ceiling(request_.running),
              static_cast<double>(last_trace().number), request_.running ? 1.0 : 0.0});
  }

  // Puts a list among the numbers; gives its place.
  template <class List>
  double place(const List& list) {
    const double at = static_cast<double>(numbers_.size());
    for (const auto value : list) numbers_.push_back(static_cast<double>(value));
    return at;
  }

  void tensors() {
    int64_t allowance = request_.allowance;
    out_.table("tensors", {"key", "name", "cell", "kind", "dtype", "shape", "rank", "elements", "bytes", "memory", "storage", "isView", "requiresGrad", "op", "known", "min", "max", "mean",
                           "deviation", "zeros", "notFinite", "looked"});
    for (const Row& row : rows_) {
      const Tensor& t = row.tensor;
      // The one that is looked at is never left waiting.
      int64_t enough = t.element_count();
      const Statistics s = statistics_of(t, t.id() == request_.selected ? enough : allowance);
      const double bytes = static_cast<double>(t.element_count()) * static_cast<double>(info(t.dtype()).size);
      const bool is_view = static_cast<double>(t.storage()->byte_count()) > bytes || !t.is_contiguous();
      out_.row({key_of(t.id()), out_.text(row.name), out_.text(row.held->cell), out_.text(row.kind), out_.text(info(t.dtype()).name), place(t.shape()), static_cast<double>(t.rank()),
                static_cast<double>(t.element_count()), bytes, static_cast<double>(block_capacity(t.storage()->byte_count())), key_of(t.storage().get()), is_view ? 1.0 : 0.0, t.requires_grad() ? 1.0 : 0.0,
                out_.text(t.record() ? t.record()->call.op->name : std::string_view()), static_cast<double>(s.known), s.min, s.max, s.mean, s.deviation, static_cast<double>(s.zeros),
                static_cast<double>(s.not_finite), static_cast<double>(s.count)});
    }
  }

  // Every storage counts once, for the first that holds it.
  void cells() {
    struct Sum {
      std::string cell;
      double tensors = 0, bytes = 0;
    };
    std::vector<Sum> sums;
    std::unordered_set<const void*> seen;
    double rest = static_cast<double>(memory_count().live_bytes);
    for (const Row& row : rows_) {
      auto found = std::find_if(sums.begin(), sums.end(), [&](const Sum& sum) { return sum.cell == row.held->cell; });
      if (found == sums.end()) found = sums.insert(sums.end(), {row.held->cell, 0, 0});
      ++found->tensors;
      if (!seen.insert(row.tensor.storage().get()).second) continue;
      found->bytes += static_cast<double>(block_capacity(row.tensor.storage()->byte_count()));
      rest -= static_cast<double>(block_capacity(row.tensor.storage()->byte_count()));
    }
    auto own = std::find_if(sums.begin(), sums.end(), [](const Sum& sum) { return sum.cell.empty(); });
    if (own == sums.end()) own = sums.insert(sums.end(), Sum{});
    own->bytes += rest;
    out_.table("cells", {"cell", "tensors", "bytes"});
    for (const Sum& sum : sums) out_.row({out_.text(sum.cell), sum.tensors, sum.bytes});
  }

  void selected() {
    const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.tensor.id() == request_.selected; });
    if (!request_.selected || found == rows_.end()) return;
    const Tensor& t = found->tensor;
    const int64_t from = std::clamp<int64_t>(request_.from, 0, t.element_count());
    const int64_t count = std::min(request_.most_values, t.element_count() - from);
    out_.table("selected", {"key", "from", "count", "bins"});
    out_.row({key_of(t.id()), static_cast<double>(from), static_cast<double>(count), kBins});
    std::vector<double> values(static_cast<size_t>(count));
    dispatch(t.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const T* first = t.data<T>();
      for (int64_t i = 0; i < count; ++i) {
        int64_t rest = from + i, at = t.is_contiguous() ? rest : 0;
        for (int axis = t.rank() - 1; axis >= 0 && !t.is_contiguous(); --axis) {
          at += rest % t.size(axis) * t.strides()[axis];
          rest /= t.size(axis);
        }
        values[static_cast<size_t>(i)] = static_cast<double>(first[at]);
      }
    });
    out_.table("values", {"value"});
    out_.rows(values);
    int64_t enough = t.element_count();
    const std::vector<int64_t> counts = histogram_of(t, statistics_of(t, enough), kBins);
    out_.table("bins", {"count"});
    out_.rows(std::vector<double>(counts.begin(), counts.end()));
  }

  void trace() {
    const Trace& trace = last_trace();
    if (trace.number == 0) return;
    double flops = 0;
    for (const TraceNode& node : trace.nodes) flops += node.flops;
    out_.table("trace", {"number", "elapsedMs", "beginBytes", "isStep", "isCut", "flops"});
    out_.row({static_cast<double>(trace.number), trace.elapsed_ms, static_cast<double>(trace.begin_bytes), trace.is_step ? 1.0 : 0.0, trace.is_cut ? 1.0 : 0.0, flops});
    out_.table("nodes", {"name", "pass", "of", "cell", "line", "startMs", "elapsedMs", "flops", "bytes", "live", "died", "dtype", "shape", "rank", "inputs", "inputCount"});
    for (const TraceNode& node : trace.nodes) {
      const bool placed = node.place >= 0 && static_cast<size_t>(node.place) < request_.places.size();
      const TracePlace at = placed ? request_.places[static_cast<size_t>(node.place)] : TracePlace{};
      out_.row({out_.text(node.name), static_cast<double>(node.pass), static_cast<double>(node.of), out_.text(at.cell), static_cast<double>(at.line), node.start_ms, node.elapsed_ms, node.flops,
                static_cast<double>(node.bytes), static_cast<double>(node.live_bytes), static_cast<double>(node.died), out_.text(info(node.dtype).name), place(node.shape),
                static_cast<double>(node.shape.rank()), place(node.inputs), static_cast<double>(node.inputs.size())});
    }
    out_.table("leaves", {"name", "key", "dtype", "shape", "rank", "bytes", "requiresGrad"});
    for (const TraceLeaf& leaf : trace.leaves) {
      const auto found = names_.find(leaf.id);
      const bool lives = found != names_.end() && found->second->tensor.storage() == leaf.storage.lock();
      out_.row({out_.text(lives ? std::string_view(found->second->name) : std::string_view()), lives ? key_of(leaf.id) : 0, out_.text(info(leaf.dtype).name), place(leaf.shape),
                static_cast<double>(leaf.shape.rank()), static_cast<double>(leaf.bytes), leaf.requires_grad ? 1.0 : 0.0});
    }
  }

  void profile() {
    out_.table("profile", {"name", "pass", "calls", "elapsedMs", "flops"});
    for (const TracedCost& cost : traced_costs()) out_.row({out_.text(cost.name), static_cast<double>(cost.pass), static_cast<double>(cost.calls), cost.elapsed_ms, cost.flops});
  }

  void program() {
    if (request_.program.empty()) return;
    out_.table("programs", {"runs", "arena", "largest"});
    out_.row({request_.program_runs, request_.arena_bytes, request_.largest_live_bytes});
    out_.table("program", {"name", "backward", "fused", "dtype", "shape", "rank", "bytes", "offset", "flops"});
    for (const ProgramRow& row : request_.program)
      out_.row({out_.text(row.name), row.backward ? 1.0 : 0.0, out_.text(row.fused), out_.text(info(row.dtype).name), place(row.shape), static_cast<double>(row.shape.rank()), row.bytes, row.offset, row.flops});
  }

  void metrics() {
    const MetricRing& ring = metric_ring();
    std::vector<double> history;
    out_.table("metrics", {"name", "count", "step", "last", "min", "max", "history", "historyCount"});
    for (int id = 0; id < ring.metric_count(); ++id) {
      const MetricSummary& m = ring.summary(id);
      out_.row({out_.text(ring.metric_name(id)), static_cast<double>(m.count), m.step, m.last, m.min, m.max, static_cast<double>(history.size() / 2), static_cast<double>(m.history.size())});
      for (const auto& [step, value] : m.history) history.insert(history.end(), {step, value});
    }
    out_.table("history", {"step", "value"});
    out_.rows(history);
  }

  const SnapshotRequest& request_;
  SnapshotWriter out_;
  std::vector<Row> rows_;
  std::unordered_map<const void*, const Row*> names_;
  std::vector<double> numbers_;
};

}  // namespace

std::vector<uint8_t> take_snapshot(const SnapshotRequest& request) { return Collector(request).collect(); }

}  // namespace gradbook
