// Binding a trace to memory, and running it. Each instruction is bound once: to a kernel with settled sizes where there is
// one (specialize.cpp), else to the op's own code on tensors that lie in the arena.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "autodiff/flops.h"
#include "base/clock.h"
#include "kernels/elementwise.h"
#include "program/bind.h"
#include "program/program.h"

namespace gradbook {
namespace {

double g_log_step = 0;

bool moves(const TraceSlot& slot) { return slot.kind == SlotKind::kInput || slot.kind == SlotKind::kGradient; }

}  // namespace

double Program::log_step() { return g_log_step; }
void Program::set_log_step(double step) { g_log_step = step; }

// One instruction, ready to run: `work`, or the parts that its kind needs.
struct Program::Step {
  Work work;
  const Instruction* instruction = nullptr;
  std::vector<Tensor> inputs, writes, saved;
  Tensor result;
  Call call;
  bool changes = false;  // something outside the arena
};

struct Program::Bound {
  struct Moving {
    Tensor* tensor;
    const Place* place;
  };
  std::vector<Step> steps;
  std::vector<char*> bases;       // one per slot, of those that move
  std::vector<Tensor> tensors;    // what moving slots were bound to last
  std::vector<Moving> moving;     // tensors of steps to be made anew when a slot has moved
  std::vector<size_t> moving_slots;
};

Program::Program(StepTrace trace) : trace_(std::move(trace)), bound_(std::make_unique<Bound>()) {
  drop_dead(trace_);
  fuse(trace_);
  drop_dead(trace_);
  plan_ = plan_memory(trace_);
  arena_ = Tensor::empty({static_cast<Index>(plan_.arena_bytes)}, DType::kUint8);
  arena_.storage()->is_arena = true;
  bind();
}

Program::~Program() = default;

void Program::bind() {
  Bound& b = *bound_;
  b.bases.resize(trace_.slots.size(), nullptr);
  b.tensors.resize(trace_.slots.size());
  b.steps.resize(trace_.instructions.size());
  for (size_t n = 0; n < trace_.slots.size(); ++n)
    if (moves(trace_.slots[n])) b.moving_slots.push_back(n);
  const AddressOf address = [&](const Place& place) -> Address {
    if (!place.defined()) return {};
    const TraceSlot& slot = trace_.slots[static_cast<size_t>(place.slot)];
    const size_t offset = static_cast<size_t>(place.offset) * info(place.dtype).size;
    if (moves(slot)) return Address(&b.bases[static_cast<size_t>(place.slot)], offset);
    if (slot.kind == SlotKind::kMade) return Address(static_cast<char*>(arena_.raw()) + slot.offset + offset);
    return Address(place.fixed.raw());
  };
  const auto tensor_of = [&](const Place& place) -> Tensor {
    if (!place.defined()) return {};
    const TraceSlot& slot = trace_.slots[static_cast<size_t>(place.slot)];
    if (slot.kind != SlotKind::kMade) return place.fixed;
    return Tensor::in(arena_.storage(), slot.offset + static_cast<size_t>(place.offset) * info(place.dtype).size, place.shape, place.strides, place.dtype);
  };
  const auto bind_all = [&](const std::vector<Place>& places, std::vector<Tensor>& tensors) {
    tensors.resize(places.size());
    for (size_t k = 0; k < places.size(); ++k) {
      tensors[k] = tensor_of(places[k]);
      if (places[k].defined() && moves(trace_.slots[static_cast<size_t>(places[k].slot)])) b.moving.push_back({&tensors[k], &places[k]});
    }
  };
  for (size_t n = 0; n < trace_.instructions.size(); ++n) {
    const Instruction& i = trace_.instructions[n];
    Step& step = b.steps[n];
    step.instruction = &i;
    for_each_write(i, [&](const Place& place) { step.changes = step.changes || trace_.slots[static_cast<size_t>(place.slot)].kind != SlotKind::kMade; });
    // Gradients that add to those from before would be added twice if the step were run again.
    step.changes = step.changes || i.kind == Instruction::Kind::kAction || (i.leaf >= 0 && trace_.leaves[static_cast<size_t>(i.leaf)].is_read_first);
    step.work = specialized(i, address);
    if (step.work) continue;
    bind_all(i.inputs, step.inputs);
    bind_all(i.saved, step.saved);
    bind_all(i.writes, step.writes);
    step.result = tensor_of(i.result);
    if (i.result.defined() && moves(trace_.slots[static_cast<size_t>(i.result.slot)])) b.moving.push_back({&step.result, &i.result});
    step.call.op = i.op;
    step.call.attributes = i.attributes;
    step.call.relu = i.relu;
  }
}

bool Program::applies() const {
  for (const Leaf& leaf : trace_.leaves)
    if (leaf.is_read_first && leaf.tensor.grad().defined() != leaf.had_gradient) return false;
  return true;
}

bool Program::accepts(const std::vector<Tensor>& inputs) const {
  if (inputs.size() != trace_.input_shapes.size()) return false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& t = inputs[i];
    if (t.dtype() != trace_.input_types[i] || !(t.shape() == trace_.input_shapes[i]) || !t.is_contiguous() || t.requires_grad()) return false;
  }
  return true;
}

void Program::bind_inputs(const std::vector<Tensor>& inputs) {
  Bound& b = *bound_;
  bool moved = false;
  for (const size_t n : b.moving_slots) {
    const TraceSlot& slot = trace_.slots[n];
    const Tensor& given = slot.kind == SlotKind::kInput ? inputs[static_cast<size_t>(slot.index)] : trace_.leaves[static_cast<size_t>(slot.index)].tensor.grad();
    if (b.tensors[n].is(given)) continue;
    check(given.is_contiguous(), ErrorCode::kState, "a gradient is a view that is not row-major");
    Tensor t = given;
    // This run writes into the arena while the old gradient is still needed.
    if (slot.kind == SlotKind::kGradient && t.storage() == arena_.storage()) t = t.clone();
    if (b.tensors[n].defined() && b.tensors[n].storage() == t.storage() && b.tensors[n].offset() == t.offset()) continue;
    b.tensors[n] = t;
    b.bases[n] = static_cast<char*>(t.raw());
    moved = true;
  }
  if (!moved) return;
  for (const Bound::Moving& each : b.moving) {
    const Place& place = *each.place;
    const Tensor& t = b.tensors[static_cast<size_t>(place.slot)];
    *each.tensor = Tensor::in(t.storage(), static_cast<size_t>(t.offset() + place.offset) * info(place.dtype).size, place.shape, place.strides, place.dtype);
  }
}

namespace {

void run_op(const Op& op, Call& call, const std::vector<Tensor>& inputs, const Tensor& result, const std::vector<Tensor>& saved) {
  // Ops may exchange their inputs and their result for converted ones.
  call.inputs = inputs;
  call.saved = saved;
  call.result = result;
  const Shape shape = op.shape(call);
  if (!(shape == result.shape())) fail(ErrorCode::kState, "its shape depends on values: ", result.shape(), " when the step was captured, now ", shape);
  if (!(op.fast && op.fast(call))) {
    op.forward(call);
    if (call.relu) kernels::unary(kernels::Unary::kRelu, result.element_count(), result.data<float>(), result.data<float>());
  }
  if (!call.result.is(result)) result.copy_from(call.result);
  for (size_t k = 0; k < saved.size(); ++k)
    if (!call.saved[k].is(saved[k])) saved[k].copy_from(call.saved[k]);
}

void copy(const Instruction& i, const Tensor& from, const Tensor& to) {
  if (i.checks_whole)
    for (double v : from.values())
      if (v != std::trunc(v) || std::isinf(v)) fail(ErrorCode::kType, "indices and class ids must be whole numbers, got ", v, " in a ", info(from.dtype()).name, " tensor");
  to.copy_from(from);
}

}  // namespace

void Program::set_timed(bool timed) {
  timed_ = timed;
  if (timed) micros_.assign(trace_.instructions.size(), std::numeric_limits<double>::infinity());
}

void Program::perform_step(Step& step) {
  if (step.work) return step.work();
  const Instruction& i = *step.instruction;
  switch (i.kind) {
    case Instruction::Kind::kOp: return run_op(*i.op, step.call, step.inputs, step.result, step.saved);
    case Instruction::Kind::kCopy: return copy(i, step.inputs[0], step.result);
    case Instruction::Kind::kSetGradient: {
      const Tensor& leaf = trace_.leaves[static_cast<size_t>(i.leaf)].tensor;
      const Tensor& now = leaf.grad();
      if (step.inputs[0].defined() ? !(now.defined() && now.is(step.inputs[0])) : now.defined()) leaf.set_grad(step.inputs[0]);
      return;
    }
    case Instruction::Kind::kAction: return i.action->run(step.inputs, step.writes);
  }
}

void Program::perform(const std::vector<Tensor>& inputs, double log_step) {
  const GradModeGuard off(false);
  changed_ = false;
  g_log_step = log_step;
  bind_inputs(inputs);
  const double flops_before = flops_done();
  // Before the first instruction: what the step logs counts the whole of it.
  count_flops(trace_.flops);
  const Step* running = nullptr;
  try {
    for (Step& step : bound_->steps) {
      check_interrupt();
      running = &step;
      if (timed_) [[unlikely]] {
        const double start = engine_time_ms();
        perform_step(step);
        const double micros = (engine_time_ms() - start) * 1e3;
        double& shortest = micros_[static_cast<size_t>(&step - bound_->steps.data())];
        shortest = std::min(shortest, micros);
      } else {
        perform_step(step);
      }
      changed_ = changed_ || step.changes;
    }
  } catch (const Error& error) {
    set_flops_done(flops_before);
    if (!running || error.code() == ErrorCode::kInterrupted) throw;
    throw Error(error.code(), running->instruction->called_name() + ": " + error.what());
  }
}

const float* Program::single(size_t output) const {
  const Place& place = trace_.outputs[output];
  const TraceSlot& slot = trace_.slots[static_cast<size_t>(place.slot)];
  if (place.dtype != DType::kFloat32 || place.count() != 1) return nullptr;
  if (moves(slot)) return reinterpret_cast<const float*>(bound_->bases[static_cast<size_t>(place.slot)]) + place.offset;
  if (slot.kind == SlotKind::kMade) return reinterpret_cast<const float*>(static_cast<char*>(arena_.raw()) + slot.offset) + place.offset;
  return static_cast<const float*>(place.fixed.raw());
}

Tensor Program::output(size_t output) const {
  const Place& place = trace_.outputs[output];
  const TraceSlot& slot = trace_.slots[static_cast<size_t>(place.slot)];
  const size_t offset = static_cast<size_t>(place.offset) * info(place.dtype).size;
  if (slot.kind == SlotKind::kMade && place.is_contiguous()) {
    Tensor copy = Tensor::empty(place.shape, place.dtype);
    std::memcpy(copy.raw(), static_cast<char*>(arena_.raw()) + slot.offset + offset, static_cast<size_t>(copy.element_count()) * info(place.dtype).size);
    return copy;
  }
  if (slot.kind == SlotKind::kMade) return Tensor::in(arena_.storage(), slot.offset + offset, place.shape, place.strides, place.dtype).clone();
  if (!moves(slot)) return place.fixed.clone();
  const Tensor& t = bound_->tensors[static_cast<size_t>(place.slot)];
  return Tensor::in(t.storage(), static_cast<size_t>(t.offset() + place.offset) * info(place.dtype).size, place.shape, place.strides, place.dtype).clone();
}

std::vector<Tensor> Program::run(const std::vector<Tensor>& inputs, double log_step) {
  perform(inputs, log_step);
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < output_count(); ++i) outputs.push_back(output(i));
  return outputs;
}

}  // namespace gradbook
