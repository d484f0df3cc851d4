// The tape: records of executed ops, reached from their results, and backward() over them.
//
// Invariants
// 1. A record holds its inputs; a result holds its record. A record never holds its own result (only a view of its
//    storage), so dropping the last use of a result drops the chain behind it.
// 2. Sequence numbers rise: an input's record has a lower number than the record that uses it.
// 3. backward() lets go of inputs, result and saved tensors of every record it visits, unless asked to retain them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "autodiff/op.h"

namespace gradbook {

/// One executed op on the tape.
struct Record {
  Call call;  // inputs as they came; result is a view without a record
  uint64_t sequence = 0;
  std::vector<uint32_t> versions;  // of the storages of inputs and result when recorded
  std::weak_ptr<Record> self;
  bool released = false;  // backward() has been here
  int32_t place = 0;      // where it was made; see set_place()
  bool retains = false;   // backward() leaves the gradient of the result in `retained`
  Tensor retained;        // off the tape
  Record();
  ~Record();
};

bool any_requires_grad(const std::vector<Tensor>& inputs);
/// Puts the call on the tape and returns its result, which now knows its record.
Tensor record_call(Call&& call, std::vector<Tensor>&& originals);

/// The two ops that the tape itself needs: to add gradients up, and to undo broadcasting. The registry hands them in at start.
void set_tape_ops(const Op& add, const Op& sum_to);

struct BackwardOptions {
  bool retain_graph = false;  // keep the records for another backward()
  bool create_graph = false;  // record the gradients themselves, for second derivatives; implies retain_graph
};
/// Adds d root / d leaf, weighted by `upstream` (undefined: ones, and root must have one element), to grad() of every leaf
/// that requires it. Throws when root is on no tape, when its records were let go, or when a value was changed in place since.
void backward(const Tensor& root, const Tensor& upstream = {}, BackwardOptions options = {});
/// As backward(), but returns the gradients of `targets` (undefined where root does not depend on it) and leaves grad() alone.
std::vector<Tensor> gradients(const Tensor& root, const std::vector<Tensor>& targets, const Tensor& upstream = {}, BackwardOptions options = {});

/// The record whose gradient backward() is computing right now; null outside. For the profiler and the trace.
const Record* record_in_progress();
/// Its op; null outside.
const Op* gradient_in_progress();

/// Makes backward() leave the gradient of this tensor in grad_of(), also when an op made it. Requires: it depends on a leaf that
/// requires a gradient.
void retain_grad(const Tensor& tensor);
/// What backward() has left for a leaf, or for a result under retain_grad(); undefined when there is nothing.
Tensor grad_of(const Tensor& tensor);

/// Records made from now on carry this number, by which the caller finds again where they were made; 0: nowhere. Returns the former.
int32_t set_place(int32_t place);
/// The number of the record whose gradient made backward() fail last; 0: none.
int32_t failed_place();

/// Records alive, for the memory display.
int64_t record_count();

}  // namespace gradbook
