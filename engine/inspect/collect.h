// Puts a snapshot together from the live engine. Who holds which tensor, and what people call it, is known outside and handed in.
//
// Tables of a snapshot, one row each unless said otherwise ("*" counts rows of `numbers` from a place on):
//   engine     taken (ms since the start), flavour, threads, live, peak, cached, heap (bytes), blocks, handles, records,
//              stepMs, steps (traced), ceiling (GFLOP/s), trace (number), running (1 while a cell runs)
//   tensors    per tensor: key, name, cell, kind (variable, parameter, tensor, gradient, state), dtype, shape*, rank, elements,
//              bytes, memory (of its storage), storage (equal for views of one), isView, requiresGrad, op (that made it),
//              known (0 nothing, 1 all, 2 sampled, 3 older), min, max, mean, deviation, zeros, notFinite, looked (elements)
//   cells      per owner: cell, tensors, bytes; '' holds what no variable or handle reaches, and the engine's own
//   trace      number, elapsedMs, beginBytes, isStep, isCut, flops
//   nodes      per op: name, pass (0 forward, 1 backward, 2 step), of, cell, line, startMs, elapsedMs, flops, bytes, live, died,
//              dtype, shape*, rank, inputs*, inputCount
//   leaves     per tensor from before: name, key, dtype, shape*, rank, bytes, requiresGrad
//   profile    per op and pass: name, pass, calls, elapsedMs, flops
//   program    per operation of the captured step that ran last: name, backward (1 or 0), fused (names of the ops that it does
//              besides), dtype, shape*, rank, bytes (of its result), offset (of it in the arena; -1 outside of it), flops
//   programs   of this step: runs, arena, largest (live set; bytes)
//   metrics    per metric: name, count, step, last, min, max, history (row of `history`), historyCount
//   history    step, value
//   selected   the tensor that was asked for: key, from, count (of `values`), bins
//   values     elements of it, row-major, from `from` on
//   bins       counts of its histogram over min..max
//   numbers    value
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/tensor.h"

namespace gradbook {

/// A tensor that somebody holds. The first that names a tensor counts.
struct HeldTensor {
  Tensor tensor;
  std::string_view kind;  // outlives the snapshot
  std::string name, cell;
};
struct TracePlace {
  std::string cell;
  int line = 0;
};

/// One operation of a captured step.
struct ProgramRow {
  std::string name, fused;
  bool backward = false;
  DType dtype = DType::kFloat32;
  Shape shape;
  double bytes = 0, offset = -1, flops = 0;
};

struct SnapshotRequest {
  std::vector<HeldTensor> tensors;
  std::vector<TracePlace> places;  // what the numbers given to set_trace_place() mean
  std::string flavour;
  double heap_bytes = 0;
  int64_t handles = 0;
  bool running = false;
  const void* selected = nullptr;  // Tensor::id() of the tensor whose values are wanted; null: none
  int64_t from = 0;                // first element wanted
  int64_t most_values = 16384;
  int64_t allowance = 0;           // elements that may be read for statistics
  std::vector<ProgramRow> program;  // the captured step that ran last; empty: none
  double program_runs = 0, arena_bytes = 0, largest_live_bytes = 0;
};

/// Gradients of held tensors are added by themselves. Nothing of the engine changes.
std::vector<uint8_t> take_snapshot(const SnapshotRequest& request);

}  // namespace gradbook
