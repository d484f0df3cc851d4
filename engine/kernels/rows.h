// Whole rows of float32 moved by number (embeddings and their gradient), parts put into larger tensors, and running totals.
// All tensors are contiguous, seen as (outer, size, inner), unless strides are given.
#pragma once

#include <cstdint>

#include "tensor/shape.h"

namespace gradbook::kernels {

/// out[o, i, :] = x[o, rows[i], :], i < count. Requires 0 <= rows[i] < size.
void select_rows(Index outer, Index size, Index inner, Index count, const int32_t* rows, const float* x, float* out);
/// out[o, rows[i], :] += source[o, i, :], in the order of i, whatever the number of threads. Requires 0 <= rows[i] < size.
void add_rows(Index outer, Index size, Index inner, Index count, const int32_t* rows, const float* source, float* out);

/// out (of `shape`, written with `out_strides`) = x read with `strides`. The two must not overlap.
void copy_between(const Shape& shape, const float* x, const Shape& strides, float* out, const Shape& out_strides);

/// out[o, s, i] = x[o, 0, i] + ... + x[o, s, i], added up in double precision.
void running_sum(Index outer, Index size, Index inner, const float* x, float* out);

}  // namespace gradbook::kernels
