// Counting arithmetic: what one op costs, and what all of them have cost so far. The count is kept for every op that runs, so it
// takes no more than a few additions; optimizers and what programs save by fusing are not in it: the same training counts the
// same, captured or not, on every machine.
#pragma once

#include "autodiff/op.h"

namespace gradbook {

/// Floating-point operations of one finished call (its result is set): 2 for each multiply-add of products and convolutions,
/// 1 for each element that any other op computes or reads, 0 for views and for ops that only move values.
double flops_of(const Call& call);

/// All operations counted since the start, or since somebody set it.
double flops_done();
void set_flops_done(double count);
void count_flops(double more);

}  // namespace gradbook
