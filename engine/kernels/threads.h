// How work is spread over cores: parallel_for over fixed blocks, and the pool behind it.
// A kernel cuts its work into blocks by its sizes alone, so results never depend on the number of threads or on which
// thread takes which block. What a block computes is left to the kernels.
#pragma once

#include <cstdint>
#include <type_traits>

#include "tensor/shape.h"

namespace gradbook::kernels {

/// Threads that a parallel_for may use, the calling one included. At least 1.
int thread_count();
/// Asks for `count` threads; returns the number in use from now on: 1 in a build without threads, else 1..64. Threads are
/// created on first need, kept, and sleep while there is nothing to do. Call from the thread that runs the engine.
int set_thread_count(int count);

/// The flag that asks long kernels to stop (1: stop; lowered when the stop is thrown). Null: never asked. It must outlive all kernels.
void set_interrupt_flag(volatile int32_t* flag);

/// kYes: the blocks not yet begun are dropped when the flag is up, and Error(kInterrupted) is thrown; the result is then
/// half written. kNo: for work in place (an optimizer step) that must not be left half done.
enum class Stoppable { kYes, kNo };

namespace detail {
using BlockFunction = void (*)(void* body, Index block);
void run_blocks(Index blocks, double work, BlockFunction call, void* body, Stoppable stoppable);
}  // namespace detail

/// Calls body(block) once for every block in 0..blocks-1, in any order, on any threads; returns when all are done.
/// `work` is the cost of all blocks together in floating-point operations (count one for each float that is only moved):
/// below about 100,000 (30,000 while the other threads are awake) everything runs on the calling thread. Blocks must write to
/// different places and must not make, copy or drop tensors. A parallel_for inside a block runs on that block's thread. An exception of a block is rethrown here.
template <class Body>
void parallel_for(Index blocks, double work, Body&& body, Stoppable stoppable = Stoppable::kYes) {
  using Plain = std::remove_reference_t<Body>;
  detail::run_blocks(
      blocks, work, [](void* object, Index block) { (*static_cast<Plain*>(object))(block); },
      const_cast<void*>(static_cast<const void*>(&body)), stoppable);
}

/// Cuts 0..count-1 into ranges of `grain` (the last may be shorter) and calls body(first, last) for each.
template <class Body>
void parallel_ranges(Index count, Index grain, double work, Body&& body, Stoppable stoppable = Stoppable::kYes) {
  if (count <= 0) return;
  parallel_for(
      (count + grain - 1) / grain, work,
      [&](Index block) {
        const Index first = block * grain;
        body(first, first + grain < count ? first + grain : count);
      },
      stoppable);
}

}  // namespace gradbook::kernels
