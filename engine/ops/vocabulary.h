// Typed C++ functions for the ops that gradient rules and composites call: each runs the row of the same name.
// Names are those of the table, so one search finds the row, its rules and its uses.
#pragma once

#include <string_view>

#include "autodiff/run.h"
#include "ops/indices.h"
#include "ops/registry.h"

namespace gradbook {

/// A name that can be a template argument.
struct OpName {
  char text[32] = {};
  template <size_t n>
  consteval OpName(const char (&name)[n]) {
    static_assert(n <= sizeof(text));
    for (size_t i = 0; i < n; ++i) text[i] = name[i];
  }
};
/// The row with this name, looked up once.
template <OpName name>
const Op& row() {
  static const Op& found = find_op(name.text);
  return found;
}
/// Runs the op with this name.
template <OpName name>
Tensor op(std::vector<Tensor> inputs, Attributes attributes = {}) {
  return run(row<name>(), std::move(inputs), std::move(attributes));
}

/// A number among tensors: it never raises the dtype of what it meets.
inline Tensor literal(double value) { return Tensor::number(value); }

// elementwise
inline Tensor add(const Tensor& a, const Tensor& b) { return op<"add">({a, b}); }
inline Tensor sub(const Tensor& a, const Tensor& b) { return op<"sub">({a, b}); }
inline Tensor mul(const Tensor& a, const Tensor& b) { return op<"mul">({a, b}); }
inline Tensor div(const Tensor& a, const Tensor& b) { return op<"div">({a, b}); }
inline Tensor pow(const Tensor& a, const Tensor& b) { return op<"pow">({a, b}); }
inline Tensor neg(const Tensor& x) { return op<"neg">({x}); }
inline Tensor abs(const Tensor& x) { return op<"abs">({x}); }
inline Tensor sign(const Tensor& x) { return op<"sign">({x}); }
inline Tensor square(const Tensor& x) { return op<"square">({x}); }
inline Tensor exp(const Tensor& x) { return op<"exp">({x}); }
inline Tensor log(const Tensor& x) { return op<"log">({x}); }
inline Tensor sqrt(const Tensor& x) { return op<"sqrt">({x}); }
inline Tensor sigmoid(const Tensor& x) { return op<"sigmoid">({x}); }
inline Tensor tanh(const Tensor& x) { return op<"tanh">({x}); }
inline Tensor relu(const Tensor& x) { return op<"relu">({x}); }
inline Tensor step(const Tensor& x) { return op<"step">({x}); }
inline Tensor maximum(const Tensor& a, const Tensor& b) { return op<"maximum">({a, b}); }
inline Tensor minimum(const Tensor& a, const Tensor& b) { return op<"minimum">({a, b}); }
inline Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) { return op<"where">({condition, a, b}); }
inline Tensor eq(const Tensor& a, const Tensor& b) { return op<"eq">({a, b}); }
inline Tensor gt(const Tensor& a, const Tensor& b) { return op<"gt">({a, b}); }
inline Tensor lt(const Tensor& a, const Tensor& b) { return op<"lt">({a, b}); }
inline Tensor ge(const Tensor& a, const Tensor& b) { return op<"ge">({a, b}); }
inline Tensor le(const Tensor& a, const Tensor& b) { return op<"le">({a, b}); }
inline Tensor to(const Tensor& x, DType dtype) { return op<"to">({x}, {static_cast<int>(dtype)}); }

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
inline Tensor operator-(const Tensor& a) { return neg(a); }
inline Tensor operator+(const Tensor& a, double b) { return add(a, literal(b)); }
inline Tensor operator-(const Tensor& a, double b) { return sub(a, literal(b)); }
inline Tensor operator*(const Tensor& a, double b) { return mul(a, literal(b)); }
inline Tensor operator/(const Tensor& a, double b) { return div(a, literal(b)); }
inline Tensor operator+(double a, const Tensor& b) { return add(literal(a), b); }
inline Tensor operator-(double a, const Tensor& b) { return sub(literal(a), b); }
inline Tensor operator*(double a, const Tensor& b) { return mul(literal(a), b); }
inline Tensor operator/(double a, const Tensor& b) { return div(literal(a), b); }

// reductions; without `axes` over all of them
inline Tensor sum(const Tensor& x) { return op<"sum">({x}); }
inline Tensor sum(const Tensor& x, const Shape& axes, bool keep_dims) { return op<"sum">({x}, {axes, keep_dims}); }
inline Tensor mean(const Tensor& x) { return op<"mean">({x}); }
inline Tensor mean(const Tensor& x, const Shape& axes, bool keep_dims) { return op<"mean">({x}, {axes, keep_dims}); }
inline Tensor sumTo(const Tensor& x, const Shape& shape) { return op<"sumTo">({x}, {shape}); }

inline Tensor softmax(const Tensor& x, Index axis) { return op<"softmax">({x}, {axis}); }
inline Tensor logSoftmax(const Tensor& x, Index axis) { return op<"logSoftmax">({x}, {axis}); }

// linear algebra
inline Tensor matmul(const Tensor& a, const Tensor& b) { return op<"matmul">({a, b}); }
/// The last two axes swapped.
inline Tensor transposed(const Tensor& x) { return op<"transpose">({x}, {-2, -1}); }

// movement
inline Tensor reshape(const Tensor& x, const Shape& shape) { return op<"reshape">({x}, {shape}); }
inline Tensor permute(const Tensor& x, const Shape& axes) { return op<"permute">({x}, {axes}); }
inline Tensor transpose(const Tensor& x, Index first, Index second) { return op<"transpose">({x}, {first, second}); }
inline Tensor expand(const Tensor& x, const Shape& shape) { return op<"expand">({x}, {shape}); }
inline Tensor unsqueeze(const Tensor& x, Index axis) { return op<"unsqueeze">({x}, {axis}); }
inline Tensor squeeze(const Tensor& x, Index axis) { return op<"squeeze">({x}, {Shape{axis}}); }
/// Elements start, start + step, ... below `end` of one axis.
inline Tensor slice(const Tensor& x, Index start, Index end, Index axis, Index step = 1) { return op<"slice">({x}, {start, end, axis, step}); }

inline Tensor concat(const std::vector<Tensor>& parts, Index axis) { return op<"concat">(parts, {axis}); }

// choice by index
inline Tensor gather(const Tensor& x, const Tensor& index, Index axis) { return op<"gather">({x, index}, {axis}); }
inline Tensor class_ids(const Tensor& ids, Index classes, double ignored = -100) { return op<"classIds">({whole_numbers(ids)}, {classes, ignored}); }
inline Tensor indexSelect(const Tensor& x, const Tensor& index, Index axis) { return op<"indexSelect">({x, index}, {axis}); }

}  // namespace gradbook
