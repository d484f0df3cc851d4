// The inner loop of a binary function by itself, for whoever has settled once that a pair of operands is one run of elements.
#pragma once

#include "kernels/elementwise.h"

namespace gradbook::kernels {

/// out[i] = f(a[i * a_stride], b[i * b_stride]) for i < n, on the calling thread: the loop that binary() runs, with its bits.
using BinaryLine = void (*)(long n, const float* a, long a_stride, const float* b, long b_stride, float* out);

/// The loop of a function; null for kPow, which looks at its exponent first.
BinaryLine binary_line(Binary function);

}  // namespace gradbook::kernels
