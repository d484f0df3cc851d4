// Programs: a training step that was recorded twice, laid out flat, and run by one call.
//
// Invariants
// 1. A program does what its step did: same ops on the same values in the same order of effects. Fusions say where sums may
//    be rounded otherwise (fuse.cpp).
// 2. Everything that a step makes lies in one arena; a run asks for no memory but that of its results.
// 3. Settings of optimizers, steps of parameters and the random stream belong to their owners, and move on as in eager steps.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "autodiff/run.h"
#include "program/trace.h"
#include "tensor/watcher.h"

namespace gradbook {

/// Records one step while it lives. One at a time.
class Recording final : private RunWatcher, private TensorWatcher {
 public:
  /// Arguments of the step; those that require a gradient, or are not row-major, refuse.
  explicit Recording(const std::vector<Tensor>& inputs);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// The one that is going on; null: none.
  static Recording* current();

  /// True for tensors that existed before the step.
  bool is_outside(const Tensor& tensor) const { return tensor.storage()->serial < first_serial_; }
  /// The step cannot become a program; the first reason counts.
  void refuse(const std::string& reason);
  /// Runs the action now and in every run of the program. `reads` are tensors it looks at, `writes` those that it changes or
  /// fills in place (results must be allocated by the caller).
  void act(Action action, const std::vector<Tensor>& reads, const std::vector<Tensor>& writes);
  /// Stops recording.
  StepTrace finish(const std::vector<Tensor>& outputs);

 private:
  void started() override { inside_op_ = true; }
  void ran(const Call& call) override;
  void copied(const Tensor& from, const Tensor& to) override;
  void overwritten(const Tensor& to, const Tensor& from) override;
  void values_read(const Tensor& tensor) override;
  void gradient_read(const Tensor& leaf) override;
  void gradient_set(const Tensor& leaf, const Tensor& gradient) override;

  struct Known;
  int slot_of(const Tensor& tensor);
  Place place_of(const Tensor& tensor);
  int make(const Tensor& tensor, SlotKind kind);
  int leaf_of(const Tensor& leaf);
  bool is_constant(const Tensor& tensor);

  StepTrace trace_;
  std::unique_ptr<Known> known_;
  uint64_t first_serial_;
  bool inside_op_ = false, paused_ = false;
  RunWatcher* former_run_;
  TensorWatcher* former_tensor_;
};

struct MemoryPlan {
  size_t arena_bytes = 0;
  size_t largest_live_bytes = 0;  // no plan can do with less
};

/// Places made slots in one arena: sets offset, first and last. Requires dead instructions to be gone.
MemoryPlan plan_memory(StepTrace& trace);
/// Drops what nobody looks at.
void drop_dead(StepTrace& trace);
/// Joins ops that are quicker together, and moves work to where there is less of it. Names what it did in Instruction::fused.
void fuse(StepTrace& trace);

class Program {
 public:
  explicit Program(StepTrace trace);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const StepTrace& trace() const { return trace_; }
  const MemoryPlan& plan() const { return plan_; }
  /// False when leaves have a gradient now where they had none when the step was recorded, or the other way round.
  bool applies() const;
  /// True for row-major inputs of the recorded shapes and dtypes.
  bool accepts(const std::vector<Tensor>& inputs) const;
  /// Runs the step. Requires: applies() and accepts(inputs). Throws what an op throws; `changed_anything` then tells whether
  /// something outside the arena (a parameter, an average) had been changed already.
  void perform(const std::vector<Tensor>& inputs, double log_step);
  size_t output_count() const { return trace_.outputs.size(); }
  /// Where the last run left a result that is one float32; null when it is anything else.
  const float* single(size_t output) const;
  /// A copy of a result of the last run.
  Tensor output(size_t output) const;
  /// perform(), and copies of all results.
  std::vector<Tensor> run(const std::vector<Tensor>& inputs, double log_step);
  bool changed_anything() const { return changed_; }
  /// Ops with shapes, bytes and FLOPs, fusions and the memory plan, as text; with times when runs were timed.
  std::string explain() const;
  /// From now on each run times its ops one by one, which costs two looks at the clock per op; or does so no more.
  void set_timed(bool timed);

  /// For actions that log: the number that was logged last before the step that runs now.
  static double log_step();
  static void set_log_step(double step);

 private:
  struct Step;
  struct Bound;
  void bind();
  void bind_inputs(const std::vector<Tensor>& inputs);
  void perform_step(Step& step);

  StepTrace trace_;
  MemoryPlan plan_;
  Tensor arena_;
  std::unique_ptr<Bound> bound_;
  bool changed_ = false;
  bool timed_ = false;
  std::vector<double> micros_;  // the shortest time of each instruction
};

}  // namespace gradbook
