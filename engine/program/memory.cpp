// Which instructions matter, how long each value lives, and where it lies in the arena: the largest first, each at the lowest
// place that is free while it lives (Pisarchyk and Lee 2020, "greedy by size").
#include <algorithm>

#include "program/program.h"

namespace gradbook {
namespace {

constexpr size_t kAlignment = 64;
size_t rounded(size_t bytes) { return (std::max<size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment; }

// A gradient that is replaced before anybody could look at it.
std::vector<bool> superseded_gradients(const StepTrace& trace) {
  std::vector<bool> result(trace.instructions.size(), false);
  std::vector<int> pending(trace.leaves.size(), -1);
  for (size_t i = 0; i < trace.instructions.size(); ++i) {
    const Instruction& each = trace.instructions[i];
    if (each.kind == Instruction::Kind::kAction) std::fill(pending.begin(), pending.end(), -1);
    if (each.kind != Instruction::Kind::kSetGradient) continue;
    int& before = pending[static_cast<size_t>(each.leaf)];
    if (before >= 0) result[static_cast<size_t>(before)] = true;
    before = static_cast<int>(i);
  }
  return result;
}

}  // namespace

void drop_dead(StepTrace& trace) {
  std::vector<bool> needed(trace.slots.size(), false), lives(trace.instructions.size(), false);
  const std::vector<bool> superseded = superseded_gradients(trace);
  for (const Place& place : trace.outputs) needed[static_cast<size_t>(place.slot)] = true;
  for (size_t n = trace.instructions.size(); n-- > 0;) {
    const Instruction& i = trace.instructions[n];
    bool live = has_effect(trace, i) && !superseded[n];
    for_each_write(i, [&](const Place& place) { live = live || (needed[static_cast<size_t>(place.slot)] && i.kind != Instruction::Kind::kSetGradient); });
    lives[n] = live;
    if (live) for_each_read(i, [&](const Place& place) { needed[static_cast<size_t>(place.slot)] = true; });
  }
  size_t kept = 0;
  for (size_t n = 0; n < trace.instructions.size(); ++n)
    if (lives[n]) {
      if (kept != n) trace.instructions[kept] = std::move(trace.instructions[n]);
      ++kept;
    }
  trace.instructions.resize(kept);
}

MemoryPlan plan_memory(StepTrace& trace) {
  const int end = static_cast<int>(trace.instructions.size());
  for (TraceSlot& slot : trace.slots) slot.first = slot.last = -1;
  const auto use = [&](const Place& place, int at) {
    TraceSlot& slot = trace.slots[static_cast<size_t>(place.slot)];
    if (slot.first < 0) slot.first = at;
    slot.last = std::max(slot.last, at);
  };
  // The last gradient that a leaf is given stays its gradient after the run.
  std::vector<int> until(trace.leaves.size(), end);
  for (int n = end - 1; n >= 0; --n) {
    const Instruction& i = trace.instructions[static_cast<size_t>(n)];
    if (i.kind != Instruction::Kind::kSetGradient) continue;
    if (i.inputs[0].defined()) use(i.inputs[0], until[static_cast<size_t>(i.leaf)]);
    until[static_cast<size_t>(i.leaf)] = n;
  }
  for (TraceSlot& slot : trace.slots) slot.first = -1;
  for (int n = 0; n < end; ++n) {
    const Instruction& i = trace.instructions[static_cast<size_t>(n)];
    for_each_write(i, [&](const Place& place) { use(place, n); });
    for_each_read(i, [&](const Place& place) { use(place, n); });
  }
  for (const Place& place : trace.outputs) use(place, end);

  std::vector<TraceSlot*> order;
  std::vector<int64_t> change(static_cast<size_t>(end) + 2, 0);
  for (TraceSlot& slot : trace.slots) {
    slot.is_temporary = slot.kind == SlotKind::kMade && slot.first < 0;
    if (slot.kind != SlotKind::kMade || slot.first < 0) continue;
    // Large ones first, equal ones in their order.
    order.insert(std::upper_bound(order.begin(), order.end(), &slot, [](const TraceSlot* a, const TraceSlot* b) { return a->bytes > b->bytes; }), &slot);
    change[static_cast<size_t>(slot.first)] += static_cast<int64_t>(rounded(slot.bytes));
    change[static_cast<size_t>(slot.last) + 1] -= static_cast<int64_t>(rounded(slot.bytes));
  }
  MemoryPlan plan;
  int64_t live = 0;
  for (int64_t step : change) {
    live += step;
    plan.largest_live_bytes = std::max(plan.largest_live_bytes, static_cast<size_t>(live));
  }

  std::vector<TraceSlot*> placed;
  for (TraceSlot* slot : order) {
    // Placed slots are kept in order of their offsets, so the first gap is the lowest.
    size_t at = 0;
    for (const TraceSlot* other : placed) {
      if (other->last < slot->first || slot->last < other->first) continue;
      if (other->offset >= at + rounded(slot->bytes)) break;
      at = std::max(at, other->offset + rounded(other->bytes));
    }
    slot->offset = at;
    plan.arena_bytes = std::max(plan.arena_bytes, at + rounded(slot->bytes));
    placed.insert(std::upper_bound(placed.begin(), placed.end(), slot, [](const TraceSlot* a, const TraceSlot* b) { return a->offset < b->offset; }), slot);
  }
  return plan;
}

}  // namespace gradbook
