// The glue between rows and kernels/: which calls a kernel serves, and how tensors become its plain pointers.
#pragma once

#include "autodiff/op.h"
#include "kernels/comparison.h"
#include "kernels/elementwise.h"
#include "ops/loops.h"

namespace gradbook {

using Fast = bool (*)(Call&);

/// True when the result and all inputs are float32: what the kernels compute with.
inline bool all_float32(const Call& c) {
  if (c.result.dtype() != DType::kFloat32) return false;
  for (const Tensor& t : c.inputs)
    if (t.defined() && t.dtype() != DType::kFloat32) return false;
  return true;
}
inline float* floats(const Tensor& t) { return t.data<float>(); }

/// The tensor itself when it is row-major, else a row-major copy. Requires float32.
inline Tensor packed(const Tensor& x) {
  if (x.is_contiguous()) return x;
  const Tensor copy = Tensor::empty(x.shape());
  kernels::copy_strided(x.shape(), floats(x), x.strides(), floats(copy));
  return copy;
}

/// fast of an elementwise op with one input.
template <kernels::Unary function>
bool fast_unary(Call& c) {
  if (!all_float32(c)) return false;
  const Tensor& x = c.input(0);
  if (x.is_contiguous()) {
    kernels::unary(function, x.element_count(), floats(x), floats(c.result));
  } else {
    kernels::copy_strided(x.shape(), floats(x), x.strides(), floats(c.result));
    kernels::unary(function, x.element_count(), floats(c.result), floats(c.result));
  }
  return true;
}

/// fast of an elementwise op with two inputs that broadcast.
template <kernels::Binary function>
bool fast_binary(Call& c) {
  if (!all_float32(c)) return false;
  const Tensor &a = c.input(0), &b = c.input(1);
  const Shape& shape = c.result.shape();
  if (a.is_contiguous() && b.is_contiguous() && a.shape() == shape && b.shape() == shape)
    kernels::binary(function, c.result.element_count(), floats(a), floats(b), floats(c.result));
  else
    kernels::binary(function, shape, floats(a), strides_along(a, shape), floats(b), strides_along(b, shape), floats(c.result));
  return true;
}

/// fast of a comparison.
template <kernels::Comparison question>
bool fast_comparison(Call& c) {
  const Tensor &a = c.input(0), &b = c.input(1);
  if (a.dtype() != DType::kFloat32 || b.dtype() != DType::kFloat32) return false;
  const Shape& shape = c.result.shape();
  kernels::compare(question, shape, floats(a), strides_along(a, shape), floats(b), strides_along(b, shape), c.result.data<bool>());
  return true;
}
// Quick versions of the rows of the same names; defined in fast.cpp.
bool fast_where(Call& c);
bool fast_concat(Call& c);
bool fast_index_select(Call& c);
bool fast_index_add(Call& c);
bool fast_cumsum(Call& c);
bool fast_flip(Call& c);
bool fast_rand(Call& c);
bool fast_randn(Call& c);
bool fast_dropout_mask(Call& c);

/// A reduction of a row-major tensor, seen as (outer, size, inner) of which `size` goes away.
struct AxisBlock {
  Index outer = 1, size = 1, inner = 1;
};
/// Finds it when the axes that go away lie next to one another (axes of size 1 do not count); false otherwise.
bool find_axis_block(const Shape& shape, const Shape& axes, AxisBlock& block);

}  // namespace gradbook
