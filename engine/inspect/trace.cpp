#include "inspect/trace.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "autodiff/flops.h"
#include "autodiff/tape.h"
#include "base/clock.h"
#include "inspect/metrics.h"
#include "inspect/observe.h"
#include "tensor/capacity.h"

namespace gradbook {
namespace {

constexpr size_t kMostNodes = 4000;

// Who made a tensor. Tensors are known by body, and by storage for other looks at it (a result taken off the tape); the weak
// pointer tells whether the address still means the same storage.
struct Maker {
  std::weak_ptr<Storage> storage;
  int node = -1;
};

struct Tracer {
  bool armed = false, begun = false, begun_again = false, paused = false;
  bool run_has_step = false;  // one of the run that goes on
  int32_t place = -1;
  Trace trace, last;
  std::unordered_map<const void*, Maker> by_body, by_storage;
  std::unordered_map<uint64_t, int> by_record;
  std::vector<int> alive;  // nodes whose memory has not been given back
  std::vector<std::weak_ptr<Storage>> memory;  // of each node
  std::map<std::pair<std::string_view, Pass>, TracedCost> costs;
  int64_t steps = 0;
};
Tracer& tracer() {
  static Tracer* tracer = new Tracer;
  return *tracer;
}

void forget(Tracer& t) {
  t.begun = false;
  t.by_body.clear();
  t.by_storage.clear();
  t.by_record.clear();
  t.alive.clear();
  t.memory.clear();
  t.trace = {};
}

void begin(Tracer& t, double before_ms) {
  t.trace = {};
  t.trace.begin_ms = engine_time_ms() - before_ms;
  t.trace.begin_bytes = memory_count().live_bytes;
  t.begun = true;
}

void finish(Tracer& t) {
  Trace& trace = t.trace;
  trace.number = t.last.number + 1;
  trace.elapsed_ms = engine_time_ms() - trace.begin_ms;
  for (const TraceNode& node : trace.nodes) {
    // A gradient counts for the op that it is the gradient of, as learners know it.
    const TraceNode& owner = node.of >= 0 ? trace.nodes[static_cast<size_t>(node.of)] : node;
    TracedCost& cost = t.costs[{owner.name, node.pass}];
    cost.name = owner.name;
    cost.pass = node.pass;
    ++cost.calls;
    cost.elapsed_ms += node.elapsed_ms;
    cost.flops += node.flops;
  }
  ++t.steps;
  t.run_has_step = t.run_has_step || trace.is_step;
  t.last = std::move(trace);
  forget(t);
  t.armed = false;
  t.begun_again = false;
  watch_ops();
}

// The node or leaf that a tensor is.
int number_of(Tracer& t, const Tensor& tensor) {
  const auto known = [&](const std::unordered_map<const void*, Maker>& makers, const void* key) {
    const auto found = makers.find(key);
    return found != makers.end() && found->second.storage.lock() == tensor.storage() ? found->second.node : -1;
  };
  if (const int node = known(t.by_body, tensor.id()); node >= 0) return node;
  if (const int node = known(t.by_storage, tensor.storage().get()); node >= 0) return node;
  std::vector<TraceLeaf>& leaves = t.trace.leaves;
  for (size_t i = 0; i < leaves.size(); ++i)
    if (leaves[i].id == tensor.id() && leaves[i].storage.lock() == tensor.storage()) return -1 - static_cast<int>(i);
  leaves.push_back({tensor.id(), tensor.storage(), tensor.shape(), tensor.dtype(), tensor.element_count() * static_cast<int64_t>(info(tensor.dtype()).size),
                    tensor.requires_grad()});
  return -static_cast<int>(leaves.size());
}

void note_deaths(Tracer& t) {
  const int now = static_cast<int>(t.trace.nodes.size());
  std::erase_if(t.alive, [&](int node) {
    if (!t.memory[static_cast<size_t>(node)].expired()) return false;
    t.trace.nodes[static_cast<size_t>(node)].died = now;
    return true;
  });
}

}  // namespace

void arm_trace() {
  Tracer& t = tracer();
  if (t.armed) return;
  t.armed = true;
  watch_ops();
}

bool tracing() { return tracer().armed; }

void end_trace() {
  Tracer& t = tracer();
  if (!t.armed || !t.begun || t.trace.nodes.empty()) return;
  if (t.run_has_step)
    forget(t);
  else
    finish(t);
}

void begin_traced_run() {
  end_trace();
  tracer().run_has_step = false;
}

bool pause_trace(bool paused) { return std::exchange(tracer().paused, paused); }

void set_trace_place(int32_t place) { tracer().place = place; }
const Trace& last_trace() { return tracer().last; }
int64_t traced_steps() { return tracer().steps; }

std::vector<TracedCost> traced_costs() {
  std::vector<TracedCost> costs;
  for (const auto& [key, cost] : tracer().costs) costs.push_back(cost);
  return costs;
}

void clear_traced_costs() {
  tracer().costs.clear();
  tracer().steps = 0;
}

void trace_call(const Call& call, double milliseconds) {
  Tracer& t = tracer();
  if (!t.armed || t.paused) return;
  if (!t.begun) begin(t, milliseconds);
  TraceNode node;
  node.op = call.op;
  node.name = call.op->name;
  node.place = t.place;
  node.elapsed_ms = milliseconds;
  node.start_ms = std::max(0.0, engine_time_ms() - milliseconds - t.trace.begin_ms);
  node.flops = flops_of(call);
  node.shape = call.result.shape();
  node.dtype = call.result.dtype();
  node.live_bytes = memory_count().live_bytes;
  for (const Tensor& input : call.inputs)
    if (input.defined() && !input.is_number()) node.inputs.push_back(number_of(t, input));
  if (const Record* record = record_in_progress()) {
    node.pass = Pass::kBackward;
    const auto found = t.by_record.find(record->sequence);
    if (found != t.by_record.end()) node.of = found->second;
  } else {
    // Adding a gradient to one from before happens between the gradient rules.
    for (int input : node.inputs)
      if (input >= 0 && t.trace.nodes[static_cast<size_t>(input)].pass == Pass::kBackward) node.pass = Pass::kBackward;
  }
  const int number = static_cast<int>(t.trace.nodes.size());
  const std::shared_ptr<Storage>& storage = call.result.storage();
  const bool is_new = std::none_of(call.inputs.begin(), call.inputs.end(), [&](const Tensor& input) { return input.defined() && input.storage() == storage; });
  if (is_new) node.bytes = static_cast<int64_t>(block_capacity(storage->byte_count()));
  t.trace.nodes.push_back(std::move(node));
  t.memory.push_back(storage);
  note_deaths(t);
  if (is_new) {
    t.alive.push_back(number);
    t.by_storage[storage.get()] = {storage, number};
  }
  t.by_body[call.result.id()] = {storage, number};
  if (call.result.record()) t.by_record[call.result.record()->sequence] = number;
  if (t.trace.nodes.size() >= kMostNodes) {
    t.trace.is_cut = true;
    finish(t);
  }
}

void trace_step(std::string_view optimizer, double milliseconds, const std::vector<Tensor>& parameters) {
  Tracer& t = tracer();
  if (!t.armed || t.paused) return;
  const bool has_gradients = std::any_of(t.trace.nodes.begin(), t.trace.nodes.end(), [](const TraceNode& n) { return n.pass == Pass::kBackward; });
  if (!has_gradients && !t.begun_again) {
    // Armed in the middle of a step: the next one is whole.
    forget(t);
    t.begun_again = true;
    return;
  }
  if (!t.begun) begin(t, milliseconds);
  TraceNode node;
  node.name = optimizer;
  node.pass = Pass::kStep;
  node.place = t.place;
  node.elapsed_ms = milliseconds;
  node.start_ms = std::max(0.0, engine_time_ms() - milliseconds - t.trace.begin_ms);
  node.live_bytes = memory_count().live_bytes;
  for (const Tensor& parameter : parameters) node.inputs.push_back(number_of(t, parameter));
  t.trace.nodes.push_back(std::move(node));
  t.memory.emplace_back();
  note_deaths(t);
  t.trace.is_step = true;
  finish(t);
}

}  // namespace gradbook
