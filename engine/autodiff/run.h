// run(): the one door through which every op is executed, checked, recorded.
#pragma once

#include <vector>

#include "autodiff/op.h"

namespace gradbook {

/// Executes `op`. Checks the arguments against the row, applies the shape rule, allocates, calls fast or forward (or view, or
/// compose), and records the call when an input needs a gradient. Attributes left out at the end take their defaults.
/// Throws Error whose message begins with the op's name; with that of the op that was called first, when this one runs inside another
/// or inside a gradient.
Tensor run(const Op& op, std::vector<Tensor> inputs, Attributes attributes = {});

/// Within the scope `op` is what was called: ops that run there put no name in front of their messages. For gradients; whoever makes
/// one catches what comes and says what it was doing.
class CalledScope {
 public:
  explicit CalledScope(const Op& op);
  ~CalledScope();
  CalledScope(const CalledScope&) = delete;
  CalledScope& operator=(const CalledScope&) = delete;

 private:
  const Op* before_;
};
/// What was called; null outside of run() and of gradients.
const Op* called_op();

/// The type in which these tensors meet under PyTorch's promotion: tensors with axes decide; scalars and number literals
/// count only when they are of a higher category. Undefined tensors are skipped; float32 when there are none.
DType common_type(const std::vector<Tensor>& inputs);

/// Checks attributes against a parameter list and fills in the defaults of those left out. Throws Error without the owner's name.
void complete_attributes(const Params& params, Attributes& attributes);

/// While false nothing is recorded. Returns the former value.
bool set_grad_mode(bool enabled);
bool grad_mode();
/// Sets the grad mode for a scope.
class GradModeGuard {
 public:
  explicit GradModeGuard(bool enabled) : before_(set_grad_mode(enabled)) {}
  ~GradModeGuard() { set_grad_mode(before_); }
  GradModeGuard(const GradModeGuard&) = delete;
  GradModeGuard& operator=(const GradModeGuard&) = delete;

 private:
  bool before_;
};

/// Who records a training step: told of each op but composites and views, after it has run. The call has the inputs as the kernel
/// got them, its result, and what it saved for its gradient. Between started() and ran() the op is inside its own code.
class RunWatcher {
 public:
  virtual void started() = 0;
  virtual void ran(const Call& call) = 0;

 protected:
  ~RunWatcher() = default;
};
/// Null: nobody. Returns the former one.
RunWatcher* set_run_watcher(RunWatcher* watcher);

/// With false run() skips `fast` and uses the plain loops: tests compare the two.
bool set_fast_kernels(bool enabled);
/// What set_fast_kernels() last set; for quick paths that are no ops.
bool fast_kernels();

/// Looked at before each op and by long kernels; 1 asks the engine to stop with Error(kInterrupted). Another thread may write it.
volatile int32_t* interrupt_flag();
/// Throws Error(kInterrupted) when the flag is up, and lowers it.
void check_interrupt();

/// Called after each op but composites when set: the profiler and the anomaly mode of `inspect` hook in here. The call has its
/// inputs and attributes as the caller gave them, and its result. An Error that it throws is an error of the op.
using RunObserver = void (*)(const Call& call, double milliseconds);
void set_run_observer(RunObserver observer);

}  // namespace gradbook
