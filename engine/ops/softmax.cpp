// Softmax and its relatives along one axis. Primitives, because the plain formulas overflow: the largest element is taken
// out first. Cross-entropy, which is fused with them, is in loss.cpp.
#include "ops/softmax.h"

#include "kernels/softmax.h"
#include "ops/fast.h"
#include "ops/table.h"
#include "ops/vocabulary.h"

namespace gradbook {
namespace {

Shape shape_along(const Call& c) {
  if (c.input(0).rank() > 0) normalize_axis(c.integer(0), c.input(0).rank());
  return c.input(0).shape();
}

// The axis, 0 for a scalar.
int axis_of(const Call& c) { return c.input(0).rank() ? normalize_axis(c.integer(0), c.input(0).rank()) : 0; }
Shape along(const Call& c) { return c.input(0).rank() ? Shape{axis_of(c)} : Shape{}; }

template <class T>
double largest(const T* x, Index n) {
  double most = -HUGE_VAL;
  for (Index i = 0; i < n; ++i)
    if (x[i] != x[i] || static_cast<double>(x[i]) > most) most = static_cast<double>(x[i]);
  return most;
}
template <class T>
double sum_of_exp(const T* x, Index n, double most) {
  return pairwise_sum<double>(x, n, [most](T v) { return std::exp(static_cast<double>(v) - most); });
}

void forward_softmax(Call& c) {
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_row<T, T>(c.result, c.input(0), axis_of(c), [](const T* x, T* y, Index n) {
      const double most = largest(x, n), total = sum_of_exp(x, n, most);
      for (Index i = 0; i < n; ++i) y[i] = static_cast<T>(std::exp(static_cast<double>(x[i]) - most) / total);
    });
  });
}

void forward_log_softmax(Call& c) {
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_row<T, T>(c.result, c.input(0), axis_of(c), [](const T* x, T* y, Index n) {
      const double most = largest(x, n), log_total = std::log(sum_of_exp(x, n, most));
      for (Index i = 0; i < n; ++i) y[i] = static_cast<T>(static_cast<double>(x[i]) - most - log_total);
    });
  });
}

// log sum exp: attributes axes, keepDims. Infinities are kept: the log of nothing but zeros is -Infinity.
void forward_log_sum_exp(Call& c) {
  const Lanes l = lanes(c.input(0), axes_of(c, 0, c.input(0).rank()));
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (Index i = 0; i < l.rows; ++i) {
      const T* x = l.data.data<T>() + i * l.length;
      const double most = largest(x, l.length);
      c.result.data<T>()[i] = static_cast<T>(std::isinf(most) ? most : most + std::log(sum_of_exp(x, l.length, most)));
    }
  });
}

// True when the axis is the last one: the kernels work on rows.
bool is_last_axis(const Call& c) { return c.result.rank() > 0 && normalize_axis(c.integer(0), c.result.rank()) == c.result.rank() - 1; }

template <void (*kernel)(Index, Index, const float*, float*)>
bool fast_rows(Call& c) {
  if (!all_float32(c) || !is_last_axis(c) || c.result.element_count() == 0) return false;
  const Index columns = c.result.shape().back();
  kernel(c.result.element_count() / columns, columns, floats(packed(c.input(0))), floats(c.result));
  return true;
}

// The gradients in one pass, when no second derivative is asked for. Inputs: grad, result.
template <void (*kernel)(Index, Index, const float*, const float*, float*)>
bool fast_rows_gradient(Call& c) {
  if (!all_float32(c) || !is_last_axis(c) || c.result.element_count() == 0) return false;
  const Index columns = c.result.shape().back();
  kernel(c.result.element_count() / columns, columns, floats(packed(c.input(1))), floats(packed(c.input(0))), floats(c.result));
  return true;
}

// s (g - sum(g s)), or with logarithms g - exp(l) sum(g).
template <bool kLog>
void forward_gradient(Call& c) {
  const Lanes g = lanes(c.input(0), along(c)), r = lanes(c.input(1), along(c));
  const Tensor rows = Tensor::empty(g.data.shape(), c.result.dtype());
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (Index i = 0; i < g.rows; ++i) {
      const T *grad = g.data.data<T>() + i * g.length, *result = r.data.data<T>() + i * g.length;
      double total = 0;
      for (Index k = 0; k < g.length; ++k) total += static_cast<double>(grad[k]) * (kLog ? 1 : static_cast<double>(result[k]));
      for (Index k = 0; k < g.length; ++k) {
        const double s = static_cast<double>(result[k]), d = static_cast<double>(grad[k]);
        rows.data<T>()[i * g.length + k] = static_cast<T>(kLog ? d - std::exp(s) * total : s * (d - total));
      }
    }
    put_rows<T>(c.result, rows, axis_of(c));
  });
}

constexpr OpRow kSoftmax[] = {
    {.name = "softmax",
     .summary = "Turns numbers into shares that add up to 1 along an axis: exp(x) divided by its sum.",
     .example = "tensor([0, 0, 0, 0]).softmax()", .gives = "[0.25, 0.25, 0.25, 0.25]",
     .params = {tensor("x"), integer("axis", -1)},
     .formula = "s_i = \\frac{e^{x_i}}{\\sum_j e^{x_j}}",
     .result_type = ResultType::kFloating,
     .shape = shape_along,
     .forward = forward_softmax,
     .fast = fast_rows<kernels::softmax_rows>,
     .gradient = [](const Call& c, const Tensor& grad) { return Gradients{softmax_gradient(grad, c.result, c.integer(0))}; },
     .strided = true,
     .samples = {{"2x3"}, {"2x3x4", "1"}, {"3x5", "0"}, {"0x3"}, {"3x0"}, {"5x70"}, {""}},
     .misuses = {{"2x3", "2", "axis 2 does not exist"}}},

    {.name = "logSoftmax",
     .summary = "Logarithm of softmax, exact also where softmax itself would be 0.",
     .example = "tensor([0, 0]).logSoftmax()", .gives = "[-0.69315, -0.69315]",
     .params = {tensor("x"), integer("axis", -1)},
     .formula = "x_i - \\ln \\sum_j e^{x_j}",
     .result_type = ResultType::kFloating,
     .shape = shape_along,
     .forward = forward_log_softmax,
     // g - exp(l) sum(g)
     .fast = fast_rows<kernels::log_softmax_rows>,
     .gradient = [](const Call& c, const Tensor& grad) { return Gradients{grad_mode() ? grad - exp(c.result) * sum(grad, along(c), true) : op<"logSoftmaxGradient">({grad, c.result}, {c.attribute(0)})}; },
     .strided = true,
     .samples = {{"2x3"}, {"2x3x4", "1"}, {"3x5", "0"}, {"0x3"}, {"3x0"}, {"5x70"}, {""}},
     .misuses = {{"2x3", "2", "axis 2 does not exist"}}},

    {.name = "softmaxGradient",
     .summary = "s * (g - sum(g * s)): the gradient of softmax from its result.",
     .example = "tensor([1, 0]).softmaxGradient(tensor([0.5, 0.5]))", .gives = "[0.25, -0.25]",
     .params = {tensor("grad"), tensor("result"), integer("axis", -1)},
     .shape = same_as_first,
     .forward = forward_gradient<false>,
     .fast = fast_rows_gradient<kernels::softmax_rows_gradient>,
     .strided = true,
     .internal = true,
     .samples = {{"2x3,2x3"}, {"2x3x4,2x3x4", "1"}, {"0x3,0x3"}, {"5x70,5x70"}}},

    {.name = "logSoftmaxGradient",
     .summary = "g - exp(l) * sum(g): the gradient of logSoftmax from its result.",
     .example = "tensor([1, 0]).logSoftmaxGradient(tensor([-0.6931472, -0.6931472]))", .gives = "[0.5, -0.5]",
     .params = {tensor("grad"), tensor("result"), integer("axis", -1)},
     .shape = same_as_first,
     .forward = forward_gradient<true>,
     .fast = fast_rows_gradient<kernels::log_softmax_rows_gradient>,
     .strided = true,
     .internal = true,
     .samples = {{"2x3,2x3"}, {"2x3x4,2x3x4", "1"}, {"0x3,0x3"}, {"5x70,5x70"}}},

    {.name = "softmin",
     .summary = "softmax of the negative: small numbers get the large shares.",
     .example = "tensor([0, 0]).softmin()", .gives = "[0.5, 0.5]",
     .params = {tensor("x"), integer("axis", -1)},
     .compose = [](const Call& c) { return softmax(-c.input(0), c.integer(0)); },
     .samples = {{"2x3"}, {"2x3", "0"}},
     .misuses = {{"2x3", "2", "axis 2 does not exist"}}},

    {.name = "logSumExp",
     .summary = "log(sum(exp(x))) without overflow, over all elements or along `axes`.",
     .example = "tensor([1000, 1000]).logSumExp()", .gives = "1000.7",
     .params = {tensor("x"), optional_integers("axes"), boolean("keepDims", false)},
     .formula = "\\ln \\sum_i e^{x_i}",
     .result_type = ResultType::kFloating,
     .shape = [](const Call& c) { return without_axes(c.input(0).shape(), axes_of(c, 0, c.input(0).rank()), c.boolean(1)); },
     .forward = forward_log_sum_exp,
     // g softmax(x)
     .gradient = [](const Call& c, const Tensor& grad) {
       const Shape& shape = c.input(0).shape();
       const Shape kept = without_axes(shape, axes_of(c, 0, shape.rank()), true);
       return Gradients{reshape(grad, kept) * exp(c.input(0) - reshape(c.result, kept))};
     },
     .strided = true,
     .samples = {{"2x3"}, {"2x3x4", "[1]"}, {"2x3x4", "[0, 2] ; true"}, {"2x0", "[1]"}},
     .misuses = {{"2x3", "[2]", "axis 2 does not exist"}}},
};

}  // namespace

Tensor softmax_gradient(const Tensor& grad, const Tensor& softmax, Index axis) {
  if (!grad_mode()) return op<"softmaxGradient">({grad, softmax}, {axis});
  const Shape along = softmax.rank() ? Shape{normalize_axis(axis, softmax.rank())} : Shape{};
  return softmax * (grad - sum(grad * softmax, along, true));
}

GRADBOOK_FAMILY(softmax, kSoftmax)

}  // namespace gradbook
