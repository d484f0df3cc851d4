// Comparing traces, and what can be said of one instruction alone.
#include "program/trace.h"

#include <cstring>

namespace gradbook {
namespace {

bool same(const Attribute& a, const Attribute& b) {
  const auto bits = [](double x, double y) { return std::memcmp(&x, &y, sizeof x) == 0; };
  if (a.present != b.present || a.list.size() != b.list.size() || !bits(a.number, b.number)) return false;
  for (size_t i = 0; i < a.list.size(); ++i)
    if (!bits(a.list[i], b.list[i])) return false;
  return true;
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  const Tensor x = a.contiguous(), y = b.contiguous();
  return std::memcmp(x.raw(), y.raw(), static_cast<size_t>(x.element_count()) * info(x.dtype()).size) == 0;
}

// Empty when equal.
std::string difference(const StepTrace& ta, const Place& a, const StepTrace& tb, const Place& b) {
  if (a.defined() != b.defined()) return "a tensor is there only once";
  if (!a.defined()) return {};
  const TraceSlot &x = ta.slots[static_cast<size_t>(a.slot)], &y = tb.slots[static_cast<size_t>(b.slot)];
  if (!(a.shape == b.shape)) return "shapes " + to_string(a.shape) + " and " + to_string(b.shape);
  if (a.dtype != b.dtype) return "dtypes differ";
  if (x.kind != y.kind) return "where its values come from";
  if (!(a.strides == b.strides) || (a.offset != b.offset && x.kind != SlotKind::kConstant)) return "another part of a tensor is used";
  if (x.kind == SlotKind::kOutside) return x.owner.storage() == y.owner.storage() ? "" : "another tensor from outside the step is used";
  if (x.kind == SlotKind::kConstant) {
    if (same_bytes(a.fixed, b.fixed)) return {};
    const std::string values = a.fixed.element_count() == 1 ? message_of({": ", a.fixed.item(), " and ", b.fixed.item()}) : "";
    return "a number or a tensor made inside the step changed" + values;
  }
  if (x.kind == SlotKind::kMade) return a.slot == b.slot ? "" : "its values come from another op";
  return x.index == y.index ? "" : "another argument is used";
}

}  // namespace

bool Place::is_contiguous() const {
  Index expected = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    if (shape[i] == 0) return true;
    if (shape[i] != 1 && strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

std::string Instruction::name() const {
  switch (kind) {
    case Kind::kOp: return std::string(op->name);
    case Kind::kCopy: return "copy";
    case Kind::kSetGradient: return inputs[0].defined() ? "set gradient" : "drop gradient";
    case Kind::kAction: return action->name;
  }
  return {};
}

std::string Instruction::shown_name() const {
  if (!op || !op->internal || !called || called->internal) return name();
  const std::string_view own = op->name;
  const auto says = [&](std::string_view word) { return own.find(word) != own.npos; };
  return called_name() + (says("FilterGradient") ? " (filter)" : says("InputGradient") ? " (input)" : "");
}

std::string Instruction::called_name() const {
  if (!called) return name();
  return (backward ? "gradient of " : "") + std::string(called->name);
}

std::string difference(const StepTrace& a, const StepTrace& b) {
  if (!b.refusal.empty()) return b.refusal;
  for (size_t i = 0; i < std::min(a.instructions.size(), b.instructions.size()); ++i) {
    const Instruction &x = a.instructions[i], &y = b.instructions[i];
    const auto where = [&](const std::string& what) { return "`" + (y.op && y.op->internal ? y.called_name() : y.name()) + "` (operation " + std::to_string(i + 1) + ") differs from step to step: " + what; };
    if (x.kind != y.kind || x.op != y.op || x.leaf != y.leaf || x.inputs.size() != y.inputs.size() || x.saved.size() != y.saved.size() || x.writes.size() != y.writes.size())
      return where("it was `" + (x.op && x.op->internal ? x.called_name() : x.name()) + "` before");
    for (size_t k = 0; k < x.attributes.size(); ++k)
      if (!same(x.attributes[k], y.attributes[k])) return where("an option changed");
    if (x.action && (x.action->name != y.action->name || x.action->identity != y.action->identity)) return where("its numbers changed");
    std::string what = difference(a, x.result, b, y.result);
    for (size_t k = 0; what.empty() && k < x.inputs.size(); ++k) what = difference(a, x.inputs[k], b, y.inputs[k]);
    for (size_t k = 0; what.empty() && k < x.saved.size(); ++k) what = difference(a, x.saved[k], b, y.saved[k]);
    for (size_t k = 0; what.empty() && k < x.writes.size(); ++k) what = difference(a, x.writes[k], b, y.writes[k]);
    if (!what.empty()) return where(what);
  }
  if (a.instructions.size() != b.instructions.size())
    return "the step ran " + std::to_string(a.instructions.size()) + " operations once and " + std::to_string(b.instructions.size()) + " another time";
  if (a.outputs.size() != b.outputs.size()) return "the step returned another number of tensors";
  for (size_t i = 0; i < a.outputs.size(); ++i)
    if (const std::string what = difference(a, a.outputs[i], b, b.outputs[i]); !what.empty()) return "what the step returns differs: " + what;
  if (a.leaves.size() != b.leaves.size()) return "other parameters got gradients";
  for (size_t i = 0; i < a.leaves.size(); ++i) {
    if (!a.leaves[i].tensor.is(b.leaves[i].tensor)) return "other parameters got gradients";
    if (a.leaves[i].is_read_first != b.leaves[i].is_read_first || a.leaves[i].had_gradient != b.leaves[i].had_gradient) return "a parameter had a gradient from before only once";
  }
  return {};
}

bool same_start(const StepTrace& a, const StepTrace& b) {
  const auto start = [](const StepTrace& trace) {
    std::vector<std::pair<const void*, bool>> list;
    for (const Leaf& leaf : trace.leaves)
      if (leaf.is_read_first) list.emplace_back(leaf.tensor.id(), leaf.had_gradient);
    return list;
  };
  return start(a) == start(b);
}

bool has_effect(const StepTrace& trace, const Instruction& i) {
  if (i.kind == Instruction::Kind::kSetGradient || i.kind == Instruction::Kind::kAction) return true;
  if (i.op && i.op->random) return true;
  return i.result.defined() && trace.slots[static_cast<size_t>(i.result.slot)].kind != SlotKind::kMade;
}

}  // namespace gradbook
