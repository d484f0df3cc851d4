// Reductions: many elements become one, over all axes or those named. Running totals and sorting are in order.cpp.
#include "ops/table.h"
#include "ops/vocabulary.h"

namespace gradbook {
namespace {

Shape reduced_shape(const Call& c) {
  const Shape& shape = c.input(0).shape();
  return without_axes(shape, axes_of(c, 0, shape.rank()), c.boolean(1));
}
// A result of a reduction (or its gradient) with the reduced axes put back at size 1, so that it broadcasts against the input.
Tensor with_axes(const Tensor& t, const Call& c) {
  const Shape& shape = c.input(0).shape();
  const Shape kept = without_axes(shape, axes_of(c, 0, shape.rank()), true);
  return t.shape() == kept ? t : reshape(t, kept);
}
Index reduced_count(const Call& c) {
  Index count = 1;
  for (Index axis : axes_of(c, 0, c.input(0).rank())) count *= c.input(0).rank() ? c.input(0).size(static_cast<int>(axis)) : 1;
  return count;
}

// result[i] = fold(first element, length) for every lane of the reduction.
template <class To, class From, class F>
void fold(Call& c, F f) {
  const Lanes l = lanes(c.input(0), axes_of(c, 0, c.input(0).rank()));
  const From* from = l.data.data<From>();
  To* to = c.result.data<To>();
  for (Index i = 0; i < l.rows; ++i) to[i] = f(from + i * l.length, l.length);
}

// Whole numbers and bools are added up as int32.
DType type_sum(const Call& c) { return is_floating(c.input(0).dtype()) ? c.input(0).dtype() : DType::kInt32; }

template <class T>
using SumOf = std::conditional_t<std::is_floating_point_v<T>, double, int64_t>;

void forward_sum(Call& c) {
  dispatch(c.input(0).dtype(), [&](auto zero) {
    using From = decltype(zero);
    using To = std::conditional_t<std::is_floating_point_v<From>, From, int32_t>;
    fold<To, From>(c, [](const From* x, Index n) { return static_cast<To>(pairwise_sum<SumOf<From>>(x, n, [](From v) { return v; })); });
  });
}

Gradients gradient_sum(const Call& c, const Tensor& grad) { return {expand(with_axes(grad, c), c.input(0).shape())}; }

// The axes over which a tensor of `shape` was repeated to become `wide`.
Shape repeated_axes(const Shape& wide, const Shape& shape) {
  Shape axes;
  const int added = wide.rank() - shape.rank();
  for (int axis = 0; axis < wide.rank(); ++axis)
    if (axis < added || shape[axis - added] != wide[axis]) axes.push_back(axis);
  return axes;
}

Shape shape_sum_to(const Call& c) {
  const Shape shape = c.integers(0);
  if (!broadcasts_to(shape, c.input(0).shape())) fail(ErrorCode::kShape, "shape ", to_string(shape), " does not broadcast to ", to_string(c.input(0).shape()));
  return shape;
}

void forward_sum_to(Call& c) {
  const Lanes l = lanes(c.input(0), repeated_axes(c.input(0).shape(), c.result.shape()));
  dispatch(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* to = c.result.data<T>();
    for (Index i = 0; i < l.rows; ++i) to[i] = static_cast<T>(pairwise_sum<SumOf<T>>(l.data.data<T>() + i * l.length, l.length, [](T v) { return v; }));
  });
}

Tensor compose_mean(const Call& c) {
  const Tensor& x = c.input(0);
  const Tensor total = op<"sum">({is_floating(x.dtype()) ? x : to(x, DType::kFloat32)}, c.attributes);
  return total / static_cast<double>(reduced_count(c));
}

constexpr Op kReduce[] = {
    {.name = "sum",
     .summary = "Adds up all elements, or those along `axes`; whole numbers and bools give int32.",
     .example = "tensor([[1, 2], [3, 4]]).sum(0)", .gives = "[4, 6]",
     .params = {tensor("x"), optional_integers("axes"), boolean("keepDims", false)},
     .formula = "\\sum_i x_i",
     .result_type = ResultType::kCustom,
     .type = type_sum,
     .shape = reduced_shape,
     .forward = forward_sum,
     .gradient = gradient_sum,
     .strided = true,
     .samples = {{"2x3"}, {"2x3x4", "[1]"}, {"2x3x4", "[0, 2] ; true"}, {"2x3", "[-1] ; true"}, {""}, {"0x3", "[0]"}, {"2x300", "[1]"}, {"300x3", "[0]"}},
     .misuses = {{"2x3", "[2]", "axis 2 does not exist"}, {"2x3", "[0, -2]", "axis 0 is named twice"}}},

    {.name = "sumTo",
     .summary = "Sums over the axes that broadcasting repeated, so that the result has the given shape.",
     .example = "tensor([[1, 2], [3, 4]]).sumTo([2])", .gives = "[4, 6]",
     .params = {tensor("x"), integers("shape")},
     .result_type = ResultType::kFirst,
     .shape = shape_sum_to,
     .forward = forward_sum_to,
     .gradient = [](const Call& c, const Tensor& grad) { return Gradients{expand(grad, c.input(0).shape())}; },
     .strided = true,
     .samples = {{"2x3", "[3]"}, {"2x3", "[2, 1]"}, {"2x3x4", "[3, 1]"}, {"2x3", "[]"}, {"0x3", "[3]"}, {"2x3", "[2, 3]"}},
     .misuses = {{"2x3", "[2]", "shape [2] does not broadcast to [2, 3]"}}},

    {.name = "mean",
     .summary = "Average of all elements, or of those along `axes`; whole numbers give float32. Of nothing it is NaN.",
     .example = "tensor([[1, 2], [3, 4]]).mean(1)", .gives = "[1.5, 3.5]",
     .params = {tensor("x"), optional_integers("axes"), boolean("keepDims", false)},
     .formula = "\\frac{1}{n} \\sum_i x_i",
     .compose = compose_mean,
     .samples = {{"2x3"}, {"2x3x4", "[1]"}, {"2x3x4", "[0, 2] ; true"}, {""}},
     .misuses = {{"2x3", "[2]", "axis 2 does not exist"}}},
};

}  // namespace

std::span<const Op> reduce_ops() { return checked<kReduce>(); }

}  // namespace gradbook
