// Softmax and log-softmax over the rows of a contiguous matrix, and cross-entropy fused with it, forward and gradient.
// Gradients below 1e-30 are written as 0: wasm cannot flush subnormals, and they would slow every later step.
#pragma once

#include <cstdint>

#include "tensor/shape.h"

namespace gradbook::kernels {

/// out[r, :] = exp(x[r, :] - max) / sum. A row of -infinity only gives NaN, as in PyTorch. In place allowed in this file.
void softmax_rows(Index rows, Index columns, const float* x, float* out);
/// The same for one row, on this thread.
void softmax_row(Index columns, const float* x, float* out);
/// out[r, c] = x[r, c] - max - log(sum(exp(x[r, :] - max))).
void log_softmax_rows(Index rows, Index columns, const float* x, float* out);
/// d softmax: out = s * (g - sum(g * s)), s = the result of softmax_rows.
void softmax_rows_gradient(Index rows, Index columns, const float* softmax, const float* gradient, float* out);
/// d log-softmax: out = g - exp(l) * sum(g), l = the result of log_softmax_rows.
void log_softmax_rows_gradient(Index rows, Index columns, const float* log_softmax, const float* gradient, float* out);

/// losses[r] = log(sum(exp(x[r, :]))) - x[r, target[r]]. `log_sums`, when not null, takes log(sum(exp(x[r, :] - max))) for the gradient.
/// Requires 0 <= target[r] < columns (the op checks it).
void cross_entropy_rows(Index rows, Index columns, const float* logits, const int32_t* targets, float* losses, float* log_sums);
/// out[r, c] = upstream[r * upstream_stride] * (softmax(x[r, :])[c] - (c == target[r])). Stride 0: one upstream gradient
/// for all rows (reduction 'mean' or 'sum', already divided).
void cross_entropy_rows_gradient(Index rows, Index columns, const float* logits, const int32_t* targets, const float* log_sums,
                                 const float* upstream, Index upstream_stride, float* out);

}  // namespace gradbook::kernels
