// Arithmetic on one, two or three tensors, element by element, with broadcasting. Functions of one real number (exp, sin ...)
// are in math.cpp, comparisons in comparison.cpp, activations in activation.cpp.
#include "ops/fast.h"
#include "ops/table.h"
#include "ops/vocabulary.h"

namespace gradbook {
namespace {

// Integers are computed in 64 bits and wrap around when stored, as in PyTorch: signed overflow is undefined in C++.
template <class T>
constexpr auto wide(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return x;
  else
    return static_cast<int64_t>(x);
}

DType no_bools(const Call& c, const char* hint) {
  const DType type = common_type(c.inputs);
  if (type == DType::kBool) fail(ErrorCode::kType, "does not take bools; ", hint);
  return type;
}
// For kCustom rows: forward sees the inputs in the type of the result.
void convert_inputs(Call& c, int first = 0) {
  for (size_t i = static_cast<size_t>(first); i < c.inputs.size(); ++i)
    if (c.inputs[i].defined()) c.inputs[i] = c.inputs[i].converted(c.result.dtype());
}

void forward_sub(Call& c) {
  convert_inputs(c);
  binary([](auto x, auto y) { return wide(x) - wide(y); })(c);
}

void forward_neg(Call& c) { unary([](auto x) { return -wide(x); })(c); }

template <class T>
T integer_power(T base, T exponent) {
  if (exponent < 0) fail(ErrorCode::kValue, "whole numbers cannot be raised to a negative power; convert with .to('float32')");
  uint64_t result = 1, factor = static_cast<uint64_t>(static_cast<int64_t>(base));
  for (uint64_t e = static_cast<uint64_t>(exponent); e; e >>= 1, factor *= factor)
    if (e & 1) result *= factor;
  return static_cast<T>(result);
}

void forward_pow(Call& c) {
  binary([](auto x, auto y) {
    using T = decltype(x);
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(std::pow(static_cast<double>(x), static_cast<double>(y)));
    else if constexpr (std::is_same_v<T, bool>)
      return x || !y;
    else
      return integer_power(x, y);
  })(c);
}

// Python's rule: the result has the sign of the divisor.
void forward_remainder(Call& c) {
  binary([](auto x, auto y) {
    using T = decltype(x);
    if constexpr (std::is_floating_point_v<T>) {
      const T rest = std::fmod(x, y);
      return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
    } else {
      if (y == 0) fail(ErrorCode::kValue, "a whole number was divided by zero");
      const int64_t rest = static_cast<int64_t>(x) % static_cast<int64_t>(y);
      return rest != 0 && (rest < 0) != (static_cast<int64_t>(y) < 0) ? rest + static_cast<int64_t>(y) : rest;
    }
  })(c);
}

void forward_clamp(Call& c) {
  const double low = c.has(0) ? c.number(0) : -HUGE_VAL, high = c.has(1) ? c.number(1) : HUGE_VAL;
  dispatch(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    map<T, T>(c.result, c.input(0), [=](T x) {
      const double v = static_cast<double>(x);
      // Comparisons with NaN are false, so NaN falls through to x.
      if (v > high || low > high) return static_cast<T>(high);
      return v < low ? static_cast<T>(low) : x;
    });
  });
}

bool fast_clamp(Call& c) {
  const float low = c.has(0) ? static_cast<float>(c.number(0)) : -HUGE_VALF, high = c.has(1) ? static_cast<float>(c.number(1)) : HUGE_VALF;
  if (!all_float32(c) || low > high) return false;
  const Tensor x = packed(c.input(0));
  kernels::clamp(x.element_count(), floats(x), low, high, floats(c.result));
  return true;
}

Shape shape_clamp(const Call& c) {
  if (!c.has(0) && !c.has(1)) fail(ErrorCode::kValue, "needs `min`, `max` or both");
  return c.input(0).shape();
}

// 1 inside the limits, both included, else 0.
Tensor inside(const Call& c) {
  const Tensor& x = c.input(0);
  const Tensor low = c.has(0) ? ge(x, Tensor::number(c.number(0))) : Tensor();
  const Tensor high = c.has(1) ? le(x, Tensor::number(c.number(1))) : Tensor();
  return low.defined() && high.defined() ? low * high : low.defined() ? low : high;
}

DType type_where(const Call& c) { return common_type({c.input(1), c.input(2)}); }

void forward_where(Call& c) {
  convert_inputs(c, 1);
  const Tensor condition = c.input(0).converted(DType::kBool);
  dispatch(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    zip3<T, bool, T, T>(c.result, condition, c.input(1), c.input(2), [](bool yes, T a, T b) { return yes ? a : b; });
  });
}

void forward_to(Call& c) {
  // Without a conversion the values are shared; the result still is a tensor of its own, with its own place on the tape.
  const Tensor converted = c.input(0).converted(c.result.dtype()).contiguous();
  c.result = converted.is(c.input(0)) ? converted.detach() : converted;
}

constexpr OpRow kElementwise[] = {
    {.name = "add",
     .summary = "Adds two tensors, element by element.",
     .example = "tensor([1, 2]).add(tensor([10, 20]))", .gives = "[11, 22]",
     .params = {tensor("x"), tensor("y")},
     .formula = "x + y",
     .shape = broadcast_all,
     .forward = binary([](auto x, auto y) { return wide(x) + wide(y); }),
     .fast = fast_binary<kernels::Binary::kAdd>,
     .gradient = [](const Call&, const Tensor& grad) { return Gradients{grad, grad}; },
     .strided = true,
     .samples = {{"2x3,2x3"}, {"2x3,3"}, {",4"}, {"3x1,1x5"}, {"0x3,3"}, {"1,1"}},
     .misuses = {{"2x3,4", "", "[2, 3] and [4] do not broadcast"}}},

    {.name = "sub",
     .summary = "Subtracts the second tensor from the first, element by element.",
     .example = "tensor([5, 7]).sub(2)", .gives = "[3, 5]",
     .params = {tensor("x"), tensor("y")},
     .formula = "x - y",
     .result_type = ResultType::kCustom,
     .type = [](const Call& c) { return no_bools(c, "use logicalXor, or convert with .to('int32')"); },
     .shape = broadcast_all,
     .forward = forward_sub,
     .fast = fast_binary<kernels::Binary::kSubtract>,
     .gradient = [](const Call& c, const Tensor& grad) { return Gradients{grad, c.needs_gradient(1) ? -grad : Tensor()}; },
     .strided = true,
     .samples = {{"2x3,2x3"}, {"2x3,3"}, {"3,2x3"}, {",4"}, {"0x3,3"}},
     .misuses = {{"2x3,2x4", "", "sizes are 3 and 4"}}},

    {.name = "mul",
     .summary = "Multiplies two tensors, element by element; for the matrix product see matmul.",
     .example = "tensor([1, 2, 3]).mul(tensor([2, 2, 0.5]))", .gives = "[2, 4, 1.5]",
     .params = {tensor("x"), tensor("y")},
     .formula = "x \\cdot y",
     .shape = broadcast_all,
     .forward = binary([](auto x, auto y) { return wide(x) * wide(y); }),
     .fast = fast_binary<kernels::Binary::kMultiply>,
     .gradient = [](const Call& c, const Tensor& grad) {
       return Gradients{c.needs_gradient(0) ? grad * c.input(1) : Tensor(), c.needs_gradient(1) ? grad * c.input(0) : Tensor()};
     },
     .strided = true,
     .samples = {{"2x3,2x3"}, {"2x3,3"}, {",4"}, {"3x1,1x5"}, {"0x3,3"}},
     .misuses = {{"2x3,3x2", "", "do not broadcast"}}},

    {.name = "div",
     .summary = "Divides the first tensor by the second, element by element; whole numbers give float32. Division by zero gives Infinity or NaN.",
     .example = "tensor([1, 2]).div(tensor([4, 4]))", .gives = "[0.25, 0.5]",
     .params = {tensor("x"), tensor("y")},
     .formula = "x / y",
     .result_type = ResultType::kFloating,
     .shape = broadcast_all,
     .forward = binary_floating([](double x, double y) { return x / y; }),
     // d(x/y)/dy = -(x/y)/y
     .fast = fast_binary<kernels::Binary::kDivide>,
     .gradient = [](const Call& c, const Tensor& grad) {
       return Gradients{c.needs_gradient(0) ? grad / c.input(1) : Tensor(), c.needs_gradient(1) ? -(grad * c.result) / c.input(1) : Tensor()};
     },
     .strided = true,
     .samples = {{"2x3,2x3", "", 0.3, 2}, {"2x3,3", "", 0.3, 2}, {",4", "", -3, -0.3}, {"0x3,3"}},
     .misuses = {{"2,3", "", "do not broadcast"}}},

    {.name = "neg",
     .summary = "Changes the sign of every element.",
     .example = "tensor([1, -2]).neg()", .gives = "[-1, 2]",
     .params = {tensor("x")},
     .formula = "-x",
     .result_type = ResultType::kCustom,
     .type = [](const Call& c) { return no_bools(c, "use logicalNot"); },
     .shape = same_as_first,
     .forward = forward_neg,
     .fast = fast_unary<kernels::Unary::kNegate>,
     .gradient = [](const Call&, const Tensor& grad) { return Gradients{-grad}; },
     .strided = true,
     .samples = {{"2x3"}, {""}, {"0"}}},

    {.name = "pow",
     .summary = "Raises the first tensor to the power of the second; a negative base with a broken exponent gives NaN.",
     .example = "tensor([1, 2, 3]).pow(2)", .gives = "[1, 4, 9]",
     .params = {tensor("x"), tensor("exponent")},
     .formula = "x^{y}",
     .shape = broadcast_all,
     .forward = forward_pow,
     // d/dx = y x^(y-1), 0 where y is 0; d/dy = x^y log x, 0 where the power is 0 at x = 0
     .fast = fast_binary<kernels::Binary::kPow>,
     .gradient = [](const Call& c, const Tensor& grad) {
       const Tensor &x = c.input(0), &y = c.input(1);
       Gradients gradients(2);
       if (c.needs_gradient(0)) gradients[0] = where(eq(y, literal(0)), literal(0), grad * y * pow(x, y - 1));
       if (c.needs_gradient(1)) {
         const Tensor at_zero = eq(x, literal(0)) * ge(y, literal(0));
         gradients[1] = where(at_zero, literal(0), grad * c.result * log(where(at_zero, literal(1), x)));
       }
       return gradients;
     },
     .strided = true,
     .samples = {{"2x3,2x3", "", 0.3, 2}, {"3,2x3", "", 0.3, 2}, {",4", "", 0.5, 1.5}, {"0x3,3"}},
     .misuses = {{"2,3", "", "do not broadcast"}}},

    {.name = "remainder",
     .summary = "Remainder of the division of the first tensor by the second, with the sign of the divisor, as % in Python.",
     .example = "tensor([5, -5]).remainder(3)", .gives = "[2, 1]",
     .params = {tensor("x"), tensor("y")},
     .shape = broadcast_all,
     .forward = forward_remainder,
     // x mod y = x - y floor(x / y)
     .gradient = [](const Call& c, const Tensor& grad) {
       return Gradients{grad, c.needs_gradient(1) ? -grad * op<"floor">({c.input(0) / c.input(1)}) : Tensor()};
     },
     .strided = true,
     .samples = {{"2x3,2x3", "", 0.3, 2}, {"2x3,3", "", 0.3, 2}, {"0x3,3"}},
     .misuses = {{"2x3,4", "", "do not broadcast"}}},

    {.name = "abs",
     .summary = "Absolute value; the gradient at zero is zero.",
     .example = "tensor([-1.5, 2]).abs()", .gives = "[1.5, 2]",
     .params = {tensor("x")},
     .formula = "|x|",
     .shape = same_as_first,
     .forward = unary([](auto x) {
       if constexpr (std::is_floating_point_v<decltype(x)>)
         return std::fabs(x);
       else
         return wide(x) < 0 ? -wide(x) : wide(x);
     }),
     .fast = fast_unary<kernels::Unary::kAbs>,
     .gradient = [](const Call& c, const Tensor& grad) { return Gradients{grad * sign(c.input(0))}; },
     .strided = true},

    {.name = "sign",
     .summary = "-1 for negative elements, 1 for positive ones, 0 for zero; NaN stays NaN. The gradient is zero.",
     .example = "tensor([-3, 0, 2]).sign()", .gives = "[-1, 0, 1]",
     .params = {tensor("x")},
     .shape = same_as_first,
     .forward = unary([](auto x) {
       using T = decltype(x);
       return x > T(0) ? T(1) : x < T(0) ? static_cast<T>(-1) : x;
     }),
     .fast = fast_unary<kernels::Unary::kSign>,
     .gradient = [](const Call& c, const Tensor&) { return Gradients{Tensor::zeros(c.input(0).shape(), c.input(0).dtype())}; },
     .strided = true},

    {.name = "square",
     .summary = "Each element times itself.",
     .example = "tensor([1, -3]).square()", .gives = "[1, 9]",
     .params = {tensor("x")},
     .formula = "x^2",
     .compose = [](const Call& c) { return c.input(0) * c.input(0); }},

    {.name = "reciprocal",
     .summary = "One divided by each element.",
     .example = "tensor([2, 4]).reciprocal()", .gives = "[0.5, 0.25]",
     .params = {tensor("x")},
     .formula = "1/x",
     .compose = [](const Call& c) { return literal(1) / c.input(0); },
     .samples = {{"2x3", "", 0.3, 2}, {"0x3"}}},

    {.name = "maximum",
     .summary = "The larger of two elements; NaN wins. Where both are equal, each gets half of the gradient.",
     .example = "tensor([1, 5]).maximum(tensor([3, 2]))", .gives = "[3, 5]",
     .params = {tensor("x"), tensor("y")},
     .shape = broadcast_all,
     .forward = binary([](auto x, auto y) { return x > y || x != x ? x : y; }),
     .fast = fast_binary<kernels::Binary::kMaximum>,
     .gradient = [](const Call& c, const Tensor& grad) {
       const Tensor &x = c.input(0), &y = c.input(1);
       const Tensor shared = (grad * 0.5) * eq(x, y);
       return Gradients{grad * gt(x, y) + shared, grad * lt(x, y) + shared};
     },
     .strided = true,
     .samples = {{"2x3,2x3"}, {"2x3,3"}, {",4"}, {"0x3,3"}},
     .misuses = {{"2,3", "", "do not broadcast"}}},

    {.name = "minimum",
     .summary = "The smaller of two elements; NaN wins. Where both are equal, each gets half of the gradient.",
     .example = "tensor([1, 5]).minimum(tensor([3, 2]))", .gives = "[1, 2]",
     .params = {tensor("x"), tensor("y")},
     .shape = broadcast_all,
     .forward = binary([](auto x, auto y) { return x < y || x != x ? x : y; }),
     .fast = fast_binary<kernels::Binary::kMinimum>,
     .gradient = [](const Call& c, const Tensor& grad) {
       const Tensor &x = c.input(0), &y = c.input(1);
       const Tensor shared = (grad * 0.5) * eq(x, y);
       return Gradients{grad * lt(x, y) + shared, grad * gt(x, y) + shared};
     },
     .strided = true,
     .samples = {{"2x3,2x3"}, {"2x3,3"}, {",4"}, {"0x3,3"}},
     .misuses = {{"2,3", "", "do not broadcast"}}},

    {.name = "clamp",
     .summary = "Moves elements below `min` to min and above `max` to max; NaN stays NaN. The gradient passes where min <= x <= max.",
     .example = "tensor([-2, 0.5, 9]).clamp(0, 1)", .gives = "[0, 0.5, 1]",
     .params = {tensor("x"), optional_number("min"), optional_number("max")},
     .shape = shape_clamp,
     .forward = forward_clamp,
     .fast = fast_clamp,
     .gradient = [](const Call& c, const Tensor& grad) { return Gradients{where(inside(c), grad, literal(0))}; },
     .strided = true,
     .samples = {{"2x3", "-1 ; 1"}, {"3x4", "0.01"}, {"3x4", "undefined ; 1"}, {"0x3", "-1 ; 1"}},
     .misuses = {{"2x3", "", "needs `min`, `max` or both"}}},

    {.name = "where",
     .summary = "Elements of `x` where the condition is true, of `y` where it is false.",
     .example = "tensor([true, false]).where(tensor([1, 2]), tensor([10, 20]))", .gives = "[1, 20]",
     .params = {tensor("condition"), tensor("x"), tensor("y")},
     .result_type = ResultType::kCustom,
     .type = type_where,
     .shape = broadcast_all,
     .forward = forward_where,
     .fast = fast_where,
     .gradient = [](const Call& c, const Tensor& grad) {
       const Tensor& condition = c.input(0);
       return Gradients{Tensor(), c.needs_gradient(1) ? where(condition, grad, literal(0)) : Tensor(), c.needs_gradient(2) ? where(condition, literal(0), grad) : Tensor()};
     },
     .strided = true,
     .samples = {{"2x3,2x3,2x3", "", -2, 2, "0:2"}, {"3,2x3,", "", -2, 2, "0:2"}, {"2x1,3,2x3", "", -2, 2, "0:2"}, {"0x3,3,1", "", -2, 2, "0:2"}},
     .misuses = {{"2,2,3", "", "do not broadcast"}}},

    {.name = "lerp",
     .summary = "Goes from `x` towards `end` by the share `weight`: 0 gives x, 1 gives end.",
     .example = "tensor([0, 10]).lerp(tensor([10, 20]), 0.3)", .gives = "[3, 13]",
     .params = {tensor("x"), tensor("end"), tensor("weight")},
     .formula = "x + w (y - x)",
     .compose = [](const Call& c) { return c.input(0) + c.input(2) * (c.input(1) - c.input(0)); },
     .samples = {{"2x3,2x3,"}, {"2x3,3,2x1"}},
     .misuses = {{"2x3,4,", "", "do not broadcast"}}},

    {.name = "to",
     .summary = "Converts to another dtype; broken numbers are cut towards zero for whole types, and NaN becomes 0.",
     .example = "tensor([1.7, -1.7]).to('int32')", .gives = "[1, -1]",
     .params = {tensor("x"), dtype_param("dtype")},
     .result_type = ResultType::kCustom,
     .type = [](const Call& c) { return c.dtype(0); },
     .shape = same_as_first,
     .forward = forward_to,
     .gradient = [](const Call&, const Tensor& grad) { return Gradients{grad}; },
     .arithmetic = Arithmetic::kNone,
     .strided = true,
     .storage = true,
     .samples = {{"2x3", "'float64'"}, {"0", "'float64'"}}},
};

}  // namespace

GRADBOOK_FAMILY(elementwise, kElementwise)

}  // namespace gradbook
