// The trace of one step: every op that ran, forward and backward, with what it used, cost and left behind. Off until asked for;
// then one step is watched and the watching ends by itself. What is done with a trace is left to collect.h.
//
//   arm_trace() -> the next op begins it -> an optimizer step after a backward pass ends it (or 4000 ops, or end_trace())
//
// A trace holds no tensors: memory of a traced step behaves as it always does.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "autodiff/op.h"

namespace gradbook {

enum class Pass { kForward, kBackward, kStep };

/// One op that ran. Inputs are nodes (0 or more) or leaves (-1 - position); numbers among the arguments are left out.
struct TraceNode {
  const Op* op = nullptr;   // null for an optimizer's step
  std::string_view name;    // of the op, or of the optimizer
  Pass pass = Pass::kForward;
  int of = -1;              // backward: the node whose gradient this is a part of, when the trace has it
  int32_t place = -1;       // where it was called from: what set_trace_place() was given
  double start_ms = 0;      // since the trace began
  double elapsed_ms = 0;
  double flops = 0;
  Shape shape;              // of the result
  DType dtype = DType::kFloat32;
  int64_t bytes = 0;        // of memory that the result took; 0 for a view
  int64_t live_bytes = 0;   // of all tensors, after the op
  int died = -1;            // the memory was given back before this node ended; -1: not during the trace
  std::vector<int> inputs;
};

/// A tensor from before the trace.
struct TraceLeaf {
  const void* id = nullptr;  // Tensor::id(), which means something only while `storage` lives
  std::weak_ptr<Storage> storage;
  Shape shape;
  DType dtype = DType::kFloat32;
  int64_t bytes = 0;
  bool requires_grad = false;
};

struct Trace {
  uint64_t number = 0;  // 1 for the first of this engine
  std::vector<TraceNode> nodes;
  std::vector<TraceLeaf> leaves;
  double begin_ms = 0, elapsed_ms = 0;
  int64_t begin_bytes = 0;  // live when it began
  bool is_step = false;     // ended by an optimizer
  bool is_cut = false;      // ended because it was too long
};

/// What an op has cost in all traces since the first, or since clear_traced_costs().
struct TracedCost {
  std::string_view name;
  Pass pass = Pass::kForward;
  int64_t calls = 0;
  double elapsed_ms = 0, flops = 0;
};

/// Watches from the next op on. Does nothing while a trace is being made.
void arm_trace();
/// True from arm_trace() until the trace has ended.
bool tracing();
/// Ends a trace that has begun; one without ops stays armed. What comes after the steps of a run (a mean of its losses) is
/// forgotten: a run that trained shows one of its steps.
void end_trace();
/// A run begins: what was being traced belongs to the one before.
void begin_traced_run();
/// While true, ops are not looked at: they belong to whoever watches. Returns the former state.
bool pause_trace(bool paused);
/// A number that the nodes of the following calls carry.
void set_trace_place(int32_t place);
/// The last trace that ended; number 0 before the first.
const Trace& last_trace();

/// In no particular order.
std::vector<TracedCost> traced_costs();
int64_t traced_steps();
void clear_traced_costs();

// Called by the observer of ops and by the optimizers' door.
void trace_call(const Call& call, double milliseconds);
void trace_step(std::string_view optimizer, double milliseconds, const std::vector<Tensor>& parameters);

}  // namespace gradbook
