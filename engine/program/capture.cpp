// Recording: watches one eager step and writes it down. What is made of the trace is the business of the other files.
#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "autodiff/flops.h"
#include "autodiff/tape.h"
#include "program/program.h"

namespace gradbook {
namespace {

Recording* g_current = nullptr;

// Lets a piece of work go unwatched.
class Flag {
 public:
  explicit Flag(bool& flag) : flag_(flag), before_(flag) { flag = true; }
  ~Flag() { flag_ = before_; }
  Flag(const Flag&) = delete;
  Flag& operator=(const Flag&) = delete;

 private:
  bool& flag_;
  bool before_;
};

}  // namespace

struct Recording::Known {
  std::unordered_map<uint64_t, int> slots;             // by serial number of the storage
  std::unordered_map<int, Index> starts;               // kInput, kGradient: offset of the tensor in its storage
  std::unordered_map<const void*, int> leaves;
  std::vector<bool> leaf_is_settled;                   // read or set already
};

Recording* Recording::current() { return g_current; }

Recording::Recording(const std::vector<Tensor>& inputs) : known_(std::make_unique<Known>()), first_serial_(next_storage_serial()) {
  check(!g_current, ErrorCode::kState, "capture: a captured step cannot be called inside another one");
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& t = inputs[i];
    trace_.input_types.push_back(t.dtype());
    trace_.input_shapes.push_back(t.shape());
    if (t.requires_grad()) refuse("argument " + std::to_string(i + 1) + " requires a gradient");
    if (!t.is_contiguous()) refuse("argument " + std::to_string(i + 1) + " is a view that is not row-major");
    if (known_->slots.count(t.storage()->serial)) refuse("two arguments share their memory");
    TraceSlot slot;
    slot.kind = SlotKind::kInput;
    slot.index = static_cast<int>(i);
    known_->slots[t.storage()->serial] = static_cast<int>(trace_.slots.size());
    known_->starts[static_cast<int>(trace_.slots.size())] = t.offset();
    trace_.slots.push_back(std::move(slot));
  }
  trace_.flops = -flops_done();
  g_current = this;
  former_run_ = set_run_watcher(this);
  former_tensor_ = set_tensor_watcher(this);
}

Recording::~Recording() {
  if (g_current != this) return;
  g_current = nullptr;
  set_run_watcher(former_run_);
  set_tensor_watcher(former_tensor_);
}

void Recording::refuse(const std::string& reason) {
  if (trace_.refusal.empty()) trace_.refusal = reason;
}

int Recording::make(const Tensor& tensor, SlotKind kind) {
  TraceSlot slot;
  slot.kind = kind;
  slot.bytes = tensor.storage()->byte_count();
  if (kind != SlotKind::kMade) slot.owner = tensor.detach();
  known_->slots[tensor.storage()->serial] = static_cast<int>(trace_.slots.size());
  trace_.slots.push_back(std::move(slot));
  return static_cast<int>(trace_.slots.size()) - 1;
}

int Recording::slot_of(const Tensor& tensor) {
  const uint64_t serial = tensor.storage()->serial;
  const auto found = known_->slots.find(serial);
  if (found != known_->slots.end()) return found->second;
  return make(tensor, serial < first_serial_ ? SlotKind::kOutside : SlotKind::kConstant);
}

Place Recording::place_of(const Tensor& tensor) {
  if (!tensor.defined()) return {};
  Place place{slot_of(tensor), tensor.shape(), tensor.strides(), tensor.offset(), tensor.dtype(), {}};
  const TraceSlot& slot = trace_.slots[static_cast<size_t>(place.slot)];
  if (slot.kind == SlotKind::kOutside || slot.kind == SlotKind::kConstant) place.fixed = tensor.record() ? tensor.detach() : tensor;
  if (const auto start = known_->starts.find(place.slot); start != known_->starts.end()) place.offset -= start->second;
  return place;
}

bool Recording::is_constant(const Tensor& tensor) {
  return !tensor.defined() || trace_.slots[static_cast<size_t>(slot_of(tensor))].kind == SlotKind::kConstant;
}

void Recording::ran(const Call& call) {
  inside_op_ = false;
  if (paused_) return;
  // A conversion that changes nothing gives another look at what is known.
  if (known_->slots.count(call.result.storage()->serial)) return;
  const bool constant = !call.op->random && std::all_of(call.inputs.begin(), call.inputs.end(), [&](const Tensor& t) { return is_constant(t); });
  const SlotKind kind = constant ? SlotKind::kConstant : SlotKind::kMade;
  Instruction i;
  i.op = call.op;
  i.called = call.called;
  i.backward = gradient_in_progress() != nullptr;
  i.attributes = call.attributes;
  if (!constant)
    for (const Tensor& t : call.inputs) i.inputs.push_back(place_of(t));
  make(call.result, kind);
  for (const Tensor& t : call.saved) make(t, kind);
  if (constant) return;
  i.result = place_of(call.result);
  for (const Tensor& t : call.saved) i.saved.push_back(place_of(t));
  trace_.instructions.push_back(std::move(i));
}

void Recording::copied(const Tensor& from, const Tensor& to) {
  if (inside_op_ || paused_) return;
  if (is_constant(from)) {
    make(to, SlotKind::kConstant);
    return;
  }
  Instruction i;
  i.kind = Instruction::Kind::kCopy;
  i.inputs.push_back(place_of(from));
  make(to, SlotKind::kMade);
  i.result = place_of(to);
  i.called = called_op();
  i.checks_whole = is_floating(from.dtype()) && to.dtype() == DType::kInt32;
  trace_.instructions.push_back(std::move(i));
}

void Recording::overwritten(const Tensor& to, const Tensor& from) {
  if (inside_op_ || paused_) return;
  if (trace_.slots[static_cast<size_t>(slot_of(to))].kind == SlotKind::kConstant) refuse("a tensor that is made inside the step is overwritten in place");
  Instruction i;
  i.kind = Instruction::Kind::kCopy;
  i.inputs.push_back(place_of(from));
  i.result = place_of(to);
  trace_.instructions.push_back(std::move(i));
}

int Recording::leaf_of(const Tensor& leaf) {
  const auto [found, is_new] = known_->leaves.emplace(leaf.id(), static_cast<int>(trace_.leaves.size()));
  if (is_new) {
    trace_.leaves.push_back({leaf, false, false});
    known_->leaf_is_settled.push_back(false);
  }
  return found->second;
}

void Recording::values_read(const Tensor& tensor) {
  if (paused_ || is_constant(tensor)) return;
  const Op* op = called_op();
  refuse(std::string(op ? op->name : "an operation") + " looks at values to decide what is computed, and they may be others from call to call");
}

void Recording::gradient_read(const Tensor& leaf) {
  if (inside_op_ || paused_) return;
  // A leaf of the step's own is gone after it.
  if (trace_.slots[static_cast<size_t>(slot_of(leaf))].kind != SlotKind::kOutside) return;
  const int number = leaf_of(leaf);
  if (known_->leaf_is_settled[static_cast<size_t>(number)]) return;
  known_->leaf_is_settled[static_cast<size_t>(number)] = true;
  const Flag pause(paused_);
  const Tensor gradient = leaf.grad();
  Leaf& kept = trace_.leaves[static_cast<size_t>(number)];
  kept.is_read_first = true;
  kept.had_gradient = gradient.defined();
  if (!gradient.defined()) return;
  if (!gradient.is_contiguous() || known_->slots.count(gradient.storage()->serial)) return refuse("a gradient from before the step is a view of something else");
  TraceSlot slot;
  slot.kind = SlotKind::kGradient;
  slot.index = number;
  known_->slots[gradient.storage()->serial] = static_cast<int>(trace_.slots.size());
  known_->starts[static_cast<int>(trace_.slots.size())] = gradient.offset();
  trace_.slots.push_back(std::move(slot));
}

void Recording::gradient_set(const Tensor& leaf, const Tensor& gradient) {
  if (inside_op_ || paused_) return;
  if (trace_.slots[static_cast<size_t>(slot_of(leaf))].kind != SlotKind::kOutside) return;
  Instruction i;
  i.kind = Instruction::Kind::kSetGradient;
  i.leaf = leaf_of(leaf);
  known_->leaf_is_settled[static_cast<size_t>(i.leaf)] = true;
  i.inputs.push_back(place_of(gradient));
  trace_.instructions.push_back(std::move(i));
}

void Recording::act(Action action, const std::vector<Tensor>& reads, const std::vector<Tensor>& writes) {
  Instruction i;
  i.kind = Instruction::Kind::kAction;
  for (const Tensor& t : reads) i.inputs.push_back(place_of(t));
  for (const Tensor& t : writes) {
    // What the action fills for the first time is made by it.
    if (!known_->slots.count(t.storage()->serial) && t.storage()->serial >= first_serial_) make(t, SlotKind::kMade);
    if (is_constant(t)) refuse(action.name + " changes a gradient that does not depend on the batch");
    i.writes.push_back(place_of(t));
  }
  i.action = std::make_shared<const Action>(std::move(action));
  const Flag pause(paused_);
  i.action->run(reads, writes);
  trace_.instructions.push_back(std::move(i));
}

StepTrace Recording::finish(const std::vector<Tensor>& outputs) {
  for (const Tensor& t : outputs) trace_.outputs.push_back(place_of(t));
  trace_.flops += flops_done();
  g_current = nullptr;
  set_run_watcher(former_run_);
  set_tensor_watcher(former_tensor_);
  return std::move(trace_);
}

}  // namespace gradbook
