// Elementwise float32 loops: one input, two inputs with broadcasting, and copies between strides. Accuracy of the functions is
// stated in math.h. In place (out equal to an input read with the same strides) is allowed everywhere in this file but in copy_strided.
#pragma once

#include "tensor/shape.h"

namespace gradbook::kernels {

/// relu, clamps and the like pass NaN on. step: 1 where x > 0, else 0 (NaN: 0). sign of NaN is NaN. round: half to even.
enum class Unary {
  kNegate, kAbs, kRelu, kStep, kSign, kSquare, kReciprocal, kSqrt, kRsqrt,
  kExp, kExpm1, kLog, kLog1p, kSigmoid, kTanh, kErf, kSoftplus, kSilu, kGelu, kSin, kCos,
  kFloor, kCeil, kRound, kTrunc,
};
/// out[i] = f(x[i]), i < n. Both contiguous.
void unary(Unary function, Index n, const float* x, float* out);

/// kMaximum, kMinimum: NaN when either is NaN. The gradients take (a, b) = (grad, saved value):
/// kReluGradient: b > 0 ? a : 0 (b: input or result); kSigmoidGradient: a * b * (1 - b) and kTanhGradient: a * (1 - b * b) (b: result);
/// kSiluGradient and kGeluGradient: a times the slope at b (b: input). kSquaredDifference: (a - b)^2. kPow is the C library's pow per element, with short cuts for exponents 2, 1, 0.5, -1.
enum class Binary {
  kAdd, kSubtract, kMultiply, kDivide, kMaximum, kMinimum, kPow, kSquaredDifference,
  kReluGradient, kSigmoidGradient, kTanhGradient, kSiluGradient, kGeluGradient,
};
/// out = f(a, b), contiguous, all of n elements.
void binary(Binary function, Index n, const float* a, const float* b, float* out);
/// out (contiguous, of `shape`) = f(a, b), each input read with its own strides over `shape` (0 along repeated axes, as
/// broadcast_strides() gives). Same shape, scalar, row vector and column cases run at full speed.
void binary(Binary function, const Shape& shape, const float* a, const Shape& a_strides, const float* b, const Shape& b_strides, float* out);

/// out = a * x + b.
void scale_shift(Index n, float a, const float* x, float b, float* out);
/// y += a * x.
void axpy(Index n, float a, const float* x, float* y);
/// out = limits of x to [low, high]; NaN passes.
void clamp(Index n, const float* x, float low, float high, float* out);
void fill(Index n, float value, float* out);

/// out (contiguous, of `shape`) = x read with `strides`: transposes, permutations, slices, expansions. `strides` may be negative.
void copy_strided(const Shape& shape, const float* x, const Shape& strides, float* out);

}  // namespace gradbook::kernels
