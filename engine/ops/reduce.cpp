// Reductions: many elements become one, over all axes or those named. Running totals and sorting are in order.cpp.
#include <algorithm>

#include "kernels/reduce.h"
#include "ops/fast.h"
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

// Sums a row-major tensor over axes that lie together, or around one that stays: (batch, channels, pixels) to channels.
bool sum_over(const Tensor& input, const Shape& axes, const Tensor& result) {
  if (input.element_count() == 0) return false;
  const Shape& shape = input.shape();
  AxisBlock block;
  if (find_axis_block(shape, axes, block)) {
    const Tensor x = packed(input);
    if (block.outer == 1 && block.inner == 1)
      *floats(result) = kernels::sum(block.size, floats(x));
    else
      kernels::sum_axis(block.outer, block.size, block.inner, floats(x), floats(result));
    return true;
  }
  // The kept axes as one block, the others before and behind it.
  Shape kept;
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) kept.push_back(axis);
  if (!find_axis_block(shape, kept, block)) return false;
  kernels::sum_channels(block.outer, block.size, block.inner, floats(packed(input)), floats(result));
  return true;
}

bool fast_sum(Call& c) { return all_float32(c) && sum_over(c.input(0), axes_of(c, 0, c.input(0).rank()), c.result); }

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
  if (!broadcasts_to(shape, c.input(0).shape())) fail(ErrorCode::kShape, "shape ", shape, " does not broadcast to ", c.input(0).shape());
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

bool fast_sum_to(Call& c) { return all_float32(c) && sum_over(c.input(0), repeated_axes(c.input(0).shape(), c.result.shape()), c.result); }

// -- largest and smallest ---------------------------------------------------------------------------------------------------

Shape shape_extreme(const Call& c) {
  const Shape shape = reduced_shape(c);
  if (reduced_count(c) == 0) fail(ErrorCode::kShape, "there is no largest or smallest of no elements: shape ", c.input(0).shape());
  return shape;
}

// `better` is only asked about numbers; NaN wins over all of them.
template <class Better>
constexpr Forward extreme(Better) {
  return [](Call& c) {
    dispatch(c.result.dtype(), [&](auto zero) {
      using T = decltype(zero);
      fold<T, T>(c, [](const T* x, Index n) {
        T best = x[0];
        for (Index i = 1; i < n && best == best; ++i)
          if (x[i] != x[i] || Better{}(x[i], best)) best = x[i];
        return best;
      });
    });
  };
}

template <void (*kernel)(Index, Index, Index, const float*, float*)>
bool fast_extreme(Call& c) {
  AxisBlock block;
  if (!all_float32(c) || c.result.element_count() == 0 || !find_axis_block(c.input(0).shape(), axes_of(c, 0, c.input(0).rank()), block)) return false;
  kernel(block.outer, block.size, block.inner, floats(packed(c.input(0))), floats(c.result));
  return true;
}

// Equal elements share the gradient.
Gradients gradient_extreme(const Call& c, const Tensor& grad) {
  const Tensor mask = to(eq(c.input(0), with_axes(c.result, c)), grad.dtype());
  const Tensor count = sum(mask, axes_of(c, 0, c.input(0).rank()), true);
  return {mask * (with_axes(grad, c) / count)};
}

// Attributes of argmax: axis (absent: all), keepDims.
Shape arg_axes(const Call& c) {
  Shape axes;
  const int rank = c.input(0).rank();
  if (c.has(0))
    axes.push_back(normalize_axis(c.integer(0), rank));
  else
    for (int axis = 0; axis < rank; ++axis) axes.push_back(axis);
  return axes;
}
Shape shape_arg(const Call& c) {
  const Shape& shape = c.input(0).shape();
  const Shape axes = arg_axes(c);
  for (Index axis : axes)
    if (shape.rank() && shape[static_cast<int>(axis)] == 0) fail(ErrorCode::kShape, "there is no largest or smallest of no elements: shape ", shape);
  return shape.rank() ? without_axes(shape, axes, c.boolean(1)) : shape;
}
template <class Better>
constexpr Forward arg_extreme(Better) {
  return [](Call& c) {
    dispatch(c.input(0).dtype(), [&](auto zero) {
      using T = decltype(zero);
      const Lanes l = lanes(c.input(0), c.input(0).rank() ? arg_axes(c) : Shape{});
      for (Index row = 0; row < l.rows; ++row) {
        const T* x = l.data.data<T>() + row * l.length;
        Index best = 0;
        for (Index i = 1; i < l.length && x[best] == x[best]; ++i)
          if (x[i] != x[i] || Better{}(x[i], x[best])) best = i;
        c.result.data<int32_t>()[row] = static_cast<int32_t>(best);
      }
    });
  };
}

bool fast_argmax(Call& c) {
  AxisBlock block;
  if (c.input(0).dtype() != DType::kFloat32 || c.input(0).element_count() == 0 || !find_axis_block(c.input(0).shape(), arg_axes(c), block)) return false;
  kernels::argmax_axis(block.outer, block.size, block.inner, floats(packed(c.input(0))), c.result.data<int32_t>());
  return true;
}

// -- composites of sums and products --------------------------------------------------------------------------------------------

Tensor compose_mean(const Call& c) {
  const Tensor& x = c.input(0);
  const Tensor total = op<"sum">({is_floating(x.dtype()) ? x : to(x, DType::kFloat32)}, c.attributes);
  return total / static_cast<double>(reduced_count(c));
}

// Attributes axes, keepDims, correction: the squared distance from the mean, divided by n - correction.
Tensor variance(const Call& c) {
  const Tensor& x = c.input(0);
  const Tensor centred = x - op<"mean">({x}, {c.attribute(0), true});
  const double divisor = std::max(0.0, static_cast<double>(reduced_count(c)) - c.number(2));
  return op<"sum">({square(centred)}, {c.attribute(0), c.attribute(1)}) / divisor;
}

// Halves multiplied together until one element is left: the gradient is exact also where elements are zero.
Tensor compose_prod(const Call& c) {
  Tensor x = c.input(0);
  if (x.dtype() == DType::kBool || x.dtype() == DType::kUint8) x = to(x, DType::kInt32);
  const Shape axes = axes_of(c, 0, x.rank()), shape = without_axes(x.shape(), axes, c.boolean(1));
  Shape order;
  for (int axis = 0; axis < x.rank(); ++axis)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) order.push_back(axis);
  for (Index axis : axes) order.push_back(axis);
  if (x.rank() > 0) x = permute(x, order);
  Index n = reduced_count(c);
  if (n == 0) return Tensor::full(shape, 1, x.dtype());
  x = reshape(x, {element_count(shape), n});
  while (n > 1) {
    const Index half = n / 2;
    const Tensor pairs = slice(x, 0, half, 1) * slice(x, half, 2 * half, 1);
    x = n % 2 ? concat({pairs, slice(x, n - 1, n, 1)}, 1) : pairs;
    n = half + n % 2;
  }
  return reshape(x, shape);
}

// -- norm: attributes p, axes, keepDims ---------------------------------------------------------------------------------------------

Shape norm_axes(const Call& c) { return axes_of(c, 1, c.input(0).rank()); }

void forward_norm(Call& c) {
  const double p = c.number(0);
  const Lanes l = lanes(c.input(0), norm_axes(c));
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (Index row = 0; row < l.rows; ++row) {
      const T* x = l.data.data<T>() + row * l.length;
      double norm = 0;
      if (std::isinf(p)) {
        norm = p > 0 || l.length == 0 ? 0 : HUGE_VAL;
        for (Index i = 0; i < l.length; ++i) {
          const double v = std::fabs(static_cast<double>(x[i]));
          if (v != v || (p > 0 ? v > norm : v < norm)) norm = v;
        }
      } else if (p == 0) {
        for (Index i = 0; i < l.length; ++i) norm += x[i] != T(0);
      } else {
        norm = std::pow(pairwise_sum<double>(x, l.length, [p](T v) { return p == 2 ? static_cast<double>(v) * static_cast<double>(v) : std::pow(std::fabs(static_cast<double>(v)), p); }), 1 / p);
      }
      c.result.data<T>()[row] = static_cast<T>(norm);
    }
  });
}

// d|x|_p / dx = sign(x) (|x| / |x|_p)^(p-1), and 0 where the norm is 0.
Gradients gradient_norm(const Call& c, const Tensor& grad) {
  const Tensor& x = c.input(0);
  const double p = c.number(0);
  const Shape kept = without_axes(x.shape(), norm_axes(c), true);
  const Tensor norm = reshape(c.result, kept), g = reshape(grad, kept);
  if (p == 0) return {Tensor::zeros(x.shape(), x.dtype())};
  if (std::isinf(p)) {
    const Tensor mask = to(eq(abs(x), norm), grad.dtype());
    return {sign(x) * mask * (g / sum(mask, norm_axes(c), true))};
  }
  if (p == 1) return {g * sign(x)};
  const Tensor zero = eq(norm, literal(0)), safe = where(zero, literal(1), norm);
  if (p == 2) return {where(zero, literal(0), g / safe) * x};
  return {where(zero, literal(0), g) * sign(x) * pow(abs(x) / safe, literal(p - 1))};
}

constexpr OpRow kReduce[] = {
    {.name = "sum",
     .summary = "Adds up all elements, or those along `axes`; whole numbers and bools give int32.",
     .example = "tensor([[1, 2], [3, 4]]).sum(0)", .gives = "[4, 6]",
     .params = {tensor("x"), optional_integers("axes"), boolean("keepDims", false)},
     .formula = "\\sum_i x_i",
     .result_type = ResultType::kCustom,
     .type = type_sum,
     .shape = reduced_shape,
     .forward = forward_sum,
     .fast = fast_sum,
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
     .fast = fast_sum_to,
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

    {.name = "max",
     .summary = "The largest element, over all or along `axes`; NaN wins. Equal elements share the gradient.",
     .example = "tensor([[1, 5], [7, 2]]).max(1)", .gives = "[5, 7]",
     .params = {tensor("x"), optional_integers("axes"), boolean("keepDims", false)},
     .shape = shape_extreme,
     .forward = extreme([](auto a, auto b) { return a > b; }),
     .fast = fast_extreme<kernels::max_axis>,
     .gradient = gradient_extreme,
     .strided = true,
     .samples = {{"2x3"}, {"2x3x4", "[1]"}, {"2x3x4", "[0, 2] ; true"}, {"2x0", "[0]"}, {"5x70", "[1]"}},
     .misuses = {{"0x3", "[0]", "no elements"}, {"2x3", "[3]", "axis 3 does not exist"}}},

    {.name = "min",
     .summary = "The smallest element, over all or along `axes`; NaN wins. Equal elements share the gradient.",
     .example = "tensor([[1, 5], [7, 2]]).min(1)", .gives = "[1, 2]",
     .params = {tensor("x"), optional_integers("axes"), boolean("keepDims", false)},
     .shape = shape_extreme,
     .forward = extreme([](auto a, auto b) { return a < b; }),
     .fast = fast_extreme<kernels::min_axis>,
     .gradient = gradient_extreme,
     .strided = true,
     .samples = {{"2x3"}, {"2x3x4", "[1]"}, {"2x3x4", "[0, 2] ; true"}, {"2x0", "[0]"}},
     .misuses = {{"0x3", "[0]", "no elements"}}},

    {.name = "argmax",
     .summary = "The place of the largest element along an axis, or in the flattened tensor; the first where several are equal; NaN wins.",
     .example = "tensor([[1, 5], [7, 2]]).argmax(1)", .gives = "[1, 0]",
     .params = {tensor("x"), optional_integer("axis"), boolean("keepDims", false)},
     .result_type = ResultType::kInt32,
     .shape = shape_arg,
     .forward = arg_extreme([](auto a, auto b) { return a > b; }),
     .fast = fast_argmax,
     .strided = true,
     .samples = {{"2x3"}, {"2x3x4", "1"}, {"2x3", "-1 ; true"}, {"0x3", "1"}, {""}, {"5x70", "1"}},
     .misuses = {{"0x3", "0", "no elements"}, {"2x3", "2", "axis 2 does not exist"}}},

    {.name = "argmin",
     .summary = "The place of the smallest element along an axis, or in the flattened tensor; the first where several are equal; NaN wins.",
     .example = "tensor([[1, 5], [7, 2]]).argmin(1)", .gives = "[0, 1]",
     .params = {tensor("x"), optional_integer("axis"), boolean("keepDims", false)},
     .result_type = ResultType::kInt32,
     .shape = shape_arg,
     .forward = arg_extreme([](auto a, auto b) { return a < b; }),
     .strided = true,
     .samples = {{"2x3"}, {"2x3x4", "1"}, {"2x3", "-1 ; true"}},
     .misuses = {{"0x3", "0", "no elements"}}},

    {.name = "var",
     .summary = "Average squared distance from the mean, divided by n - correction; correction 1 estimates the variance of the source of a sample.",
     .example = "tensor([1, 2, 3, 4]).var()", .gives = "1.6667",
     .params = {tensor("x"), optional_integers("axes"), boolean("keepDims", false), number("correction", 1)},
     .formula = "\\frac{1}{n - 1} \\sum_i (x_i - \\bar x)^2",
     .compose = variance,
     .samples = {{"2x3"}, {"2x3x4", "[1] ; true"}, {"2x3", "[1] ; false ; 0"}},
     .misuses = {{"2x3", "[2]", "axis 2 does not exist"}}},

    {.name = "std",
     .summary = "Square root of var: the typical distance from the mean.",
     .example = "tensor([1, 2, 3, 4]).std()", .gives = "1.291",
     .params = {tensor("x"), optional_integers("axes"), boolean("keepDims", false), number("correction", 1)},
     .compose = [](const Call& c) { return sqrt(variance(c)); },
     .samples = {{"2x3"}, {"2x3x4", "[1] ; true"}, {"2x3", "[1] ; false ; 0"}},
     .misuses = {{"2x3", "[2]", "axis 2 does not exist"}}},

    {.name = "prod",
     .summary = "Product of all elements, or of those along `axes`; of nothing it is 1.",
     .example = "tensor([[1, 2], [3, 4]]).prod(1)", .gives = "[2, 12]",
     .params = {tensor("x"), optional_integers("axes"), boolean("keepDims", false)},
     .compose = compose_prod,
     .samples = {{"2x3"}, {"2x3x4", "[1]"}, {"2x5x2", "[0, 1] ; true"}, {"2x0", "[1]"}, {""}, {"0x3", "[1]"}},
     .misuses = {{"2x3", "[2]", "axis 2 does not exist"}}},

    {.name = "norm",
     .summary = "Length of a vector: the p-norm over all elements or along `axes`. The gradient is zero where the norm is zero.",
     .example = "tensor([3, 4]).norm()", .gives = "5",
     .params = {tensor("x"), number("p", 2), optional_integers("axes"), boolean("keepDims", false)},
     .formula = "\\left( \\sum_i |x_i|^p \\right)^{1/p}",
     .result_type = ResultType::kFloating,
     .shape = [](const Call& c) { return without_axes(c.input(0).shape(), norm_axes(c), c.boolean(2)); },
     .forward = forward_norm,
     .gradient = gradient_norm,
     .strided = true,
     .samples = {{"2x3"}, {"2x3", "1 ; [1]"}, {"2x3", "3 ; [0] ; true"}, {"2x3", "Infinity ; [1]"}, {"2x3", "2 ; [1] ; true"}, {"0x3", "2 ; [0]"}, {"2x3", "-Infinity ; [1]"}},
     .misuses = {{"2x3", "2 ; [2]", "axis 2 does not exist"}}},

    {.name = "any",
     .summary = "True where at least one element is not zero, over all or along `axes`.",
     .example = "tensor([[0, 1], [0, 0]]).any(1)", .gives = "[true, false]",
     .params = {tensor("x"), optional_integers("axes"), boolean("keepDims", false)},
     .result_type = ResultType::kBool,
     .shape = reduced_shape,
     .forward = [](Call& c) {
       dispatch(c.input(0).dtype(), [&](auto zero) {
         using T = decltype(zero);
         fold<bool, T>(c, [](const T* x, Index n) { return std::any_of(x, x + n, [](T v) { return v != T(0); }); });
       });
     },
     .strided = true,
     .samples = {{"2x3"}, {"2x3", "[1] ; true"}, {"0x3", "[0]"}},
     .misuses = {{"2x3", "[2]", "axis 2 does not exist"}}},

    {.name = "all",
     .summary = "True where no element is zero, over all or along `axes`.",
     .example = "tensor([[1, 1], [1, 0]]).all(1)", .gives = "[true, false]",
     .params = {tensor("x"), optional_integers("axes"), boolean("keepDims", false)},
     .result_type = ResultType::kBool,
     .shape = reduced_shape,
     .forward = [](Call& c) {
       dispatch(c.input(0).dtype(), [&](auto zero) {
         using T = decltype(zero);
         fold<bool, T>(c, [](const T* x, Index n) { return std::all_of(x, x + n, [](T v) { return v != T(0); }); });
       });
     },
     .strided = true,
     .samples = {{"2x3"}, {"2x3", "[1] ; true"}, {"0x3", "[0]"}},
     .misuses = {{"2x3", "[2]", "axis 2 does not exist"}}},
};

}  // namespace

GRADBOOK_FAMILY(reduce, kReduce)

}  // namespace gradbook
