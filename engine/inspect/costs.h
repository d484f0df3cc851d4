// What an op costs in arithmetic, and how fast this machine is at best: the two numbers behind every GFLOP/s.
#pragma once

#include "autodiff/op.h"

namespace gradbook {

/// Floating-point operations of one finished call (its result is set): 2 for each multiply-add of products and convolutions,
/// 1 for each element that any other op computes or reads, 0 for views and for ops that only move values.
double flops_of(const Call& call);

/// GFLOP/s of the engine's own best case, a 256 x 256 product in cache on the threads in use: the best of a few measurements,
/// since a busy machine makes it look slower. Takes 20 ms for each of the first calls, and 5 ms for the first of a number of
/// threads when it is `hurried`; then nothing.
double measured_ceiling(bool hurried);

}  // namespace gradbook
