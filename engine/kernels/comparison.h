// Questions about float32 elements and choices by their answers, with broadcasting. Answers are bytes of 0 or 1, as bool tensors
// hold them. Inputs are read with their own strides over `shape` (0 along repeated axes); results are contiguous.
#pragma once

#include "tensor/shape.h"

namespace gradbook::kernels {

/// NaN is unequal to everything and neither less nor greater than anything.
enum class Comparison { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };
/// out = a (question) b.
void compare(Comparison question, const Shape& shape, const float* a, const Shape& a_strides, const float* b, const Shape& b_strides, bool* out);

/// out = condition ? a : b.
void choose(const Shape& shape, const bool* condition, const Shape& condition_strides, const float* a, const Shape& a_strides, const float* b, const Shape& b_strides, float* out);

}  // namespace gradbook::kernels
