// Sums and extremes along axes of contiguous float32. A tensor is seen as (outer, size, inner); the axis `size` goes away.
// Sums are pairwise over fixed blocks: the error grows with log(size), and the result never depends on threads.
#pragma once

#include <cstdint>

#include "tensor/shape.h"

namespace gradbook::kernels {

/// Sum of n elements.
float sum(Index n, const float* x);
/// Sum of the squares of n elements (norm clipping).
float sum_of_squares(Index n, const float* x);
/// Sum of a[i] * b[i].
float dot(Index n, const float* a, const float* b);

/// out[o, i] = sum over s of x[o, s, i].
void sum_axis(Index outer, Index size, Index inner, const float* x, float* out);
/// out[c] = sum over b and i of x[b, c, i]: gradients of biases and of normalisation.
void sum_channels(Index batch, Index channels, Index inner, const float* x, float* out);

/// out[o, i] = largest (smallest) over s of x[o, s, i]; NaN wins. Requires size >= 1.
void max_axis(Index outer, Index size, Index inner, const float* x, float* out);
void min_axis(Index outer, Index size, Index inner, const float* x, float* out);
/// The place of the first largest element; of the first NaN when there is one. Requires size >= 1.
void argmax_axis(Index outer, Index size, Index inner, const float* x, int32_t* out);

}  // namespace gradbook::kernels
