// Loops over strided data, generic in the element type: walk, map, zip, and lanes for reductions. The plain `forward`
// functions of the op table are built from these; speed is the business of kernels/, exactness of this file.
#pragma once

#include <array>

#include "tensor/tensor.h"

namespace gradbook {

/// Visits every element of a shape that up to four operands share, each with its own strides. Axes that all operands can
/// step through in one go are merged; the caller loops over runs of `count` elements, `step[k]` apart in operand k.
///   for (bool more = walk.begin(); more; more = walk.next()) for (Index i = 0; i < walk.count; ++i) ... at[k] + i * step[k]
class Walk {
 public:
  static constexpr int kOperands = 4;
  /// `strides` holds one entry per operand, each of the rank of `shape`.
  Walk(const Shape& shape, std::initializer_list<Shape> strides);
  /// False when there is nothing to visit.
  bool begin();
  bool next();

  Index count = 1;                         // elements of the innermost run
  std::array<Index, kOperands> step = {};  // between neighbours of the run
  std::array<Index, kOperands> at = {};    // first element of the current run

 private:
  bool empty_ = false;
  int outer_ = 0, operands_ = 0;
  std::array<Index, kMaxRank> sizes_ = {}, position_ = {};
  std::array<std::array<Index, kMaxRank>, kOperands> strides_ = {};
};

/// Strides with which `x` is read along `to` (0 on repeated axes). Requires: x broadcasts to `to`.
inline Shape strides_along(const Tensor& x, const Shape& to) { return broadcast_strides(x.shape(), x.strides(), to); }

/// to[i] = f(x[i]); x broadcasts to the shape of `to`.
template <class To, class From, class F>
void map(const Tensor& to, const Tensor& x, F f) {
  Walk walk(to.shape(), {to.strides(), strides_along(x, to.shape())});
  To* const result = to.data<To>();
  const From* const first = x.data<From>();
  for (bool more = walk.begin(); more; more = walk.next()) {
    To* r = result + walk.at[0];
    const From* a = first + walk.at[1];
    for (Index i = 0; i < walk.count; ++i, r += walk.step[0], a += walk.step[1]) *r = f(*a);
  }
}

/// to[i] = f(x[i], y[i]); x and y broadcast to the shape of `to`.
template <class To, class A, class B, class F>
void zip(const Tensor& to, const Tensor& x, const Tensor& y, F f) {
  Walk walk(to.shape(), {to.strides(), strides_along(x, to.shape()), strides_along(y, to.shape())});
  To* const result = to.data<To>();
  const A* const first = x.data<A>();
  const B* const second = y.data<B>();
  for (bool more = walk.begin(); more; more = walk.next()) {
    To* r = result + walk.at[0];
    const A* a = first + walk.at[1];
    const B* b = second + walk.at[2];
    for (Index i = 0; i < walk.count; ++i, r += walk.step[0], a += walk.step[1], b += walk.step[2]) *r = f(*a, *b);
  }
}

/// to[i] = f(x[i], y[i], z[i]); all broadcast to the shape of `to`.
template <class To, class A, class B, class C, class F>
void zip3(const Tensor& to, const Tensor& x, const Tensor& y, const Tensor& z, F f) {
  Walk walk(to.shape(), {to.strides(), strides_along(x, to.shape()), strides_along(y, to.shape()), strides_along(z, to.shape())});
  To* const result = to.data<To>();
  const A* const first = x.data<A>();
  const B* const second = y.data<B>();
  const C* const third = z.data<C>();
  for (bool more = walk.begin(); more; more = walk.next()) {
    To* r = result + walk.at[0];
    const A* a = first + walk.at[1];
    const B* b = second + walk.at[2];
    const C* c = third + walk.at[3];
    for (Index i = 0; i < walk.count; ++i, r += walk.step[0], a += walk.step[1], b += walk.step[2], c += walk.step[3]) *r = f(*a, *b, *c);
  }
}

/// x with `axes` moved behind the others and made row-major: `rows` runs of `length` elements, one run per element of a
/// reduction over `axes`, in the row-major order of the remaining axes. Requires: axes are distinct and in range.
struct Lanes {
  Tensor data;
  Index rows = 0, length = 0;
};
Lanes lanes(const Tensor& x, const Shape& axes);

/// The runs along an axis, which lie last in `rows` (as lanes() makes them), to their places in `to`.
template <class T>
void put_rows(const Tensor& to, const Tensor& rows, int axis) {
  Shape shape = to.shape(), strides = to.strides();
  if (shape.rank()) {
    const Index size = shape[axis], step = strides[axis];
    shape.erase(axis);
    strides.erase(axis);
    shape.push_back(size);
    strides.push_back(step);
  }
  map<T, T>(to.view(shape, strides), rows, [](T v) { return v; });
}
/// Calls row(x, y, length) for each run of `x` along an axis, both row-major, and puts the y's into the same places of `to`.
/// A scalar is one run of one element.
template <class To, class From, class Row>
void for_each_row(const Tensor& to, const Tensor& x, int axis, Row row) {
  const Lanes l = lanes(x, x.rank() ? Shape{axis} : Shape{});
  const Tensor rows = Tensor::empty(l.data.shape(), to.dtype());
  for (Index i = 0; i < l.rows; ++i) row(l.data.data<From>() + i * l.length, rows.data<To>() + i * l.length, l.length);
  put_rows<To>(to, rows, axis);
}

/// Sum of f(x[0]) ... f(x[n-1]): blocks of 128 added in order, their sums in a binary tree, so the rounding error grows with
/// log n and the order depends on n alone.
template <class Sum, class T, class F>
Sum pairwise_sum(const T* x, Index n, F f) {
  if (n <= 128) {
    Sum sum = 0;
    for (Index i = 0; i < n; ++i) sum += static_cast<Sum>(f(x[i]));
    return sum;
  }
  const Index half = (n / 2 + 127) / 128 * 128;
  return pairwise_sum<Sum>(x, half, f) + pairwise_sum<Sum>(x + half, n - half, f);
}

}  // namespace gradbook
