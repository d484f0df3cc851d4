// Trace: what one training step did, as data. Ops that ran (forward, and backward, since gradient rules are ops), copies,
// gradients handed to leaves, and actions such as an optimizer's step. Values are named by slots, one per storage.
// How a trace is recorded is in capture.cpp; program.h makes a program of it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "autodiff/op.h"

namespace gradbook {

enum class SlotKind {
  kMade,      // written by an instruction: lies in the arena
  kInput,     // an argument of the step: another tensor at each run
  kOutside,   // existed before: parameters, running averages; read and written in place
  kConstant,  // made inside the step from nothing but constants: literals, shapes
  kGradient,  // the gradient that a leaf had when the step began
};

/// One storage. `first` and `last` are instructions; `offset` is the place in the arena.
struct TraceSlot {
  SlotKind kind = SlotKind::kMade;
  int index = -1;    // of the input, or of the leaf
  size_t bytes = 0;
  Tensor owner;      // kOutside, kConstant: keeps the storage
  int first = -1, last = -1;
  size_t offset = 0;
  bool is_temporary = false;  // no instruction uses it any more
};

/// A look at a slot. `offset` counts elements from the slot's start (for kInput and kGradient: from the tensor's first element).
struct Place {
  int slot = -1;  // -1: no tensor
  Shape shape, strides;
  Index offset = 0;
  DType dtype = DType::kFloat32;
  Tensor fixed;   // kOutside, kConstant: the tensor itself
  bool defined() const { return slot >= 0; }
  Index count() const { return element_count(shape); }
  bool is_contiguous() const;
};

/// Something that is not an op: an optimizer's step, clipping, logging. `identity` tells two actions apart.
struct Action {
  std::string name;
  std::vector<double> identity;
  /// `reads` and `writes` are the tensors that act() was given, where they lie now.
  std::function<void(const std::vector<Tensor>& reads, const std::vector<Tensor>& writes)> run;
};

struct Instruction {
  enum class Kind { kOp, kCopy, kSetGradient, kAction };
  Kind kind = Kind::kOp;
  const Op* op = nullptr;
  const Op* called = nullptr;   // what the step called: `op`, or what it is part of
  bool backward = false;        // ran inside backward()
  Attributes attributes;
  std::vector<Place> inputs;    // kCopy, kSetGradient: one; kSetGradient: undefined drops the gradient
  Place result;                 // kCopy: the target
  std::vector<Place> saved;
  std::vector<Place> writes;    // kAction: what it changes in place
  int leaf = -1;                // kSetGradient
  bool checks_whole = false;    // kCopy: class ids in a floating tensor must be whole numbers
  std::shared_ptr<const Action> action;
  std::string fused;            // names of the ops that this one does besides its own
  bool relu = false;            // linear, conv2d: max(0, .) follows
  /// conv2d: a max pool with the attributes `pool` follows, and takes results of this shape. `result` and `saved` are the pool's.
  /// No axes: none follows.
  Shape unpooled;
  Attributes pool;
  /// Gradients of conv2d: the shape of the gradient of its results, of which inputs[0] holds only the places in inputs[2].
  /// No axes: an ordinary gradient.
  Shape sparse;
  bool one_per_cell = false;    // those places are behind a max pool of 2 x 2 (kernels::SparseGradient)
  /// The op that runs, or what else it does.
  std::string name() const;
  /// The same in names that the reference knows; explain() and the inspector show it.
  std::string shown_name() const;
  /// What errors call it: the op that the step called.
  std::string called_name() const;
};

struct Leaf {
  Tensor tensor;
  bool is_read_first = false;  // its gradient at the start mattered, and then
  bool had_gradient = false;   // this is how it was
};

struct StepTrace {
  std::vector<TraceSlot> slots;
  std::vector<Instruction> instructions;
  std::vector<Leaf> leaves;
  std::vector<Place> outputs;
  std::vector<DType> input_types;
  std::vector<Shape> input_shapes;
  double flops = 0;     // of the recorded step; all runs of its program count as many
  std::string refusal;  // why this step cannot become a program; empty: it can
};

/// Empty when both did the same with the same values from outside; else what differs, in words.
std::string difference(const StepTrace& a, const StepTrace& b);

/// True when the same leaves had gradients when the two steps began, as far as it mattered to them.
bool same_start(const StepTrace& a, const StepTrace& b);

/// True when an instruction must run for what it leaves behind: a change of something outside, a use of the random stream.
bool has_effect(const StepTrace& trace, const Instruction& instruction);
/// Calls use(place) for all that the instruction reads, or define(place) for what it writes.
template <class Use>
void for_each_read(const Instruction& i, Use use) {
  for (const Place& place : i.inputs)
    if (place.defined()) use(place);
}
template <class Define>
void for_each_write(const Instruction& i, Define define) {
  if (i.result.defined()) define(i.result);
  for (const Place& place : i.saved) define(place);
  for (const Place& place : i.writes) define(place);
}

}  // namespace gradbook
