// Activation functions. sigmoid and tanh are in math.cpp, softmax in softmax.cpp.
#include "ops/fast.h"
#include "ops/table.h"
#include "ops/vocabulary.h"

namespace gradbook {
namespace {

// relu is a primitive: it is in every step of most models. Its gradient reads the result, so the input can go.
Gradients gradient_relu(const Call& c, const Tensor& grad) { return {op<"keepPositive">({grad, c.result})}; }

void forward_keep_positive(Call& c) {
  binary([](auto x, auto mask) { return mask > decltype(mask)(0) ? x : decltype(x)(0); })(c);
}

Tensor compose_leaky_relu(const Call& c) {
  const Tensor& x = c.input(0);
  return where(gt(x, literal(0)), x, x * c.number(0));
}

// alpha (exp(x) - 1) below zero. The branch not taken is cut to 0 first: exp of a large x would make its gradient NaN.
Tensor below_zero(const Tensor& x, double alpha) { return op<"expm1">({minimum(x, literal(0))}) * alpha; }

constexpr double kSeluScale = 1.0507009873554805, kSeluAlpha = 1.6732632423543772;
constexpr double kSqrtHalf = 0.70710678118654752440, kSqrtTwoOverPi = 0.79788456080286535588;

Tensor compose_gelu(const Call& c) {
  const Tensor& x = c.input(0);
  const std::string form = c.text(0);
  if (form == "none") return op<"geluExact">({x});
  if (form == "tanh") return x * 0.5 * (tanh((x + x * x * x * 0.044715) * kSqrtTwoOverPi) + 1);
  fail(ErrorCode::kValue, "`approximate` must be 'none' or 'tanh', got '", form, "'");
}

// x P(x), P the normal distribution function; its slope is P(x) + x p(x), p the density. At -Infinity the limit 0 is lost, as in PyTorch.
constexpr double kRootOfTwoPi = 2.5066282746310002;
double normal_share(double x) { return 0.5 * (1 + std::erf(x * kSqrtHalf)); }
Gradients gradient_gelu(const Call& c, const Tensor& grad) {
  const Tensor& x = c.input(0);
  if (!grad_mode()) return {op<"geluGradient">({grad, x})};
  return {grad * ((op<"erf">({x * kSqrtHalf}) + 1) * 0.5 + x * exp(square(x) * -0.5) / kRootOfTwoPi)};
}

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }
// x s(x), s the sigmoid; its slope is s + x s (1 - s).
Gradients gradient_silu(const Call& c, const Tensor& grad) {
  const Tensor& x = c.input(0);
  if (!grad_mode()) return {op<"siluGradient">({grad, x})};
  const Tensor s = sigmoid(x);
  return {grad * (s + x * s * (1 - s))};
}

// log(1 + exp(b x)) / b without overflow: max(b x, 0) + log1p(exp(-|b x|)). Linear above the threshold, as in PyTorch.
void forward_softplus(Call& c) {
  const double beta = c.number(0), threshold = c.number(1);
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    map<T, T>(c.result, c.input(0), [=](T x) {
      const double z = beta * static_cast<double>(x);
      if (z > threshold) return x;
      return static_cast<T>((std::max(z, 0.0) + std::log1p(std::exp(-std::fabs(z)))) / beta);
    });
  });
}

bool fast_softplus(Call& c) { return c.number(0) == 1 && c.number(1) >= 20 && fast_unary<kernels::Unary::kSoftplus>(c); }

Gradients gradient_softplus(const Call& c, const Tensor& grad) {
  const Tensor z = c.input(0) * c.number(0);
  return {where(gt(z, literal(c.number(1))), grad, grad * sigmoid(z))};
}

Tensor clamped(const Tensor& x, double low, double high) { return op<"clamp">({x}, {low, high}); }
/// min(max(x + 3, 0), 6) / 6
Tensor hard_sigmoid(const Tensor& x) { return clamped(x + 3, 0, 6) / 6; }

Tensor compose_prelu(const Call& c) {
  const Tensor &x = c.input(0), &slope = c.input(1);
  Tensor slopes = slope;
  if (slope.element_count() > 1) {
    const Index channels = x.rank() > 1 ? x.size(1) : 1;
    if (slope.rank() != 1 || slope.size(0) != channels)
      fail(ErrorCode::kShape, "`weight` must hold one slope, or one for each of the ", channels, " channels of ", x.shape(), "; got ", slope.shape());
    Shape along = Shape::filled(x.rank(), 1);
    along[1] = channels;
    slopes = reshape(slope, along);
  }
  return where(gt(x, literal(0)), x, x * slopes);
}

constexpr OpRow kActivation[] = {
    {.name = "relu",
     .summary = "Keeps positive elements and replaces the rest with zero; NaN stays NaN. The gradient at zero is zero.",
     .example = "tensor([-1, 2]).relu()", .gives = "[0, 2]",
     .params = {tensor("x")},
     .formula = "\\max(x, 0)",
     .shape = same_as_first,
     .forward = unary([](auto x) { return x <= decltype(x)(0) ? decltype(x)(0) : x; }),
     .fast = fast_unary<kernels::Unary::kRelu>,
     .gradient = gradient_relu,
     .strided = true,
     .samples = {{"2x3"}, {""}, {"0x3"}, {"3x17"}}},

    {.name = "keepPositive",
     .summary = "x where the mask is positive, else 0: the gradient of relu.",
     .example = "tensor([5, 6]).keepPositive(tensor([0, 1]))", .gives = "[0, 6]",
     .params = {tensor("x"), tensor("mask")},
     .shape = broadcast_all,
     .forward = forward_keep_positive,
     .fast = fast_binary<kernels::Binary::kReluGradient>,
     .gradient = [](const Call& c, const Tensor& grad) { return Gradients{op<"keepPositive">({grad, c.input(1)})}; },
     .strided = true,
     .internal = true,
     .samples = {{"2x3,2x3"}, {"0,0"}}},

    {.name = "step",
     .summary = "1 for positive elements, else 0; the gradient is zero.",
     .example = "tensor([-1, 0, 2]).step()", .gives = "[0, 0, 1]",
     .params = {tensor("x")},
     .shape = same_as_first,
     .forward = unary([](auto x) { return x > decltype(x)(0) ? 1 : 0; }),
     .fast = fast_unary<kernels::Unary::kStep>,
     .gradient = [](const Call& c, const Tensor&) { return Gradients{Tensor::zeros(c.input(0).shape(), c.input(0).dtype())}; },
     .strided = true},

    {.name = "leakyRelu",
     .summary = "As relu, but negative elements keep a small share, `negativeSlope`, of their value; the gradient at zero is the slope.",
     .example = "tensor([-10, 2]).leakyRelu(0.1)", .gives = "[-1, 2]",
     .params = {tensor("x"), number("negativeSlope", 0.01)},
     .compose = compose_leaky_relu,
     .samples = {{"2x3"}, {"2x3", "0.2"}, {"0"}}},

    {.name = "elu",
     .summary = "As relu, but negative elements become alpha * (exp(x) - 1).",
     .example = "tensor([-1, 2]).elu()", .gives = "[-0.63212, 2]",
     .params = {tensor("x"), number("alpha", 1)},
     .compose = [](const Call& c) { return where(gt(c.input(0), literal(0)), c.input(0), below_zero(c.input(0), c.number(0))); },
     .samples = {{"2x3"}, {"2x3", "0.5"}}},

    {.name = "selu",
     .summary = "elu with the scale and alpha that keep mean 0 and variance 1 from layer to layer.",
     .example = "tensor([-1, 2]).selu()", .gives = "[-1.1113, 2.1014]",
     .params = {tensor("x")},
     .compose = [](const Call& c) { return where(gt(c.input(0), literal(0)), c.input(0), below_zero(c.input(0), kSeluAlpha)) * kSeluScale; }},

    {.name = "celu",
     .summary = "max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).",
     .example = "tensor([-1, 2]).celu()", .gives = "[-0.63212, 2]",
     .params = {tensor("x"), number("alpha", 1)},
     .compose = [](const Call& c) { return where(gt(c.input(0), literal(0)), c.input(0), below_zero(c.input(0) / c.number(0), c.number(0))); },
     .samples = {{"2x3"}, {"2x3", "0.5"}}},

    {.name = "gelu",
     .summary = "x times the share of a normal distribution below x; approximate 'tanh' is the quicker form of GPT-2.",
     .example = "tensor([-1, 2]).gelu()", .gives = "[-0.15866, 1.9545]",
     .params = {tensor("x"), text("approximate", "'none'")},
     .formula = "x \\, \\Phi(x)",
     .compose = compose_gelu,
     .samples = {{"2x3"}, {"2x3", "'tanh'"}},
     .misuses = {{"2x3", "'fast'", "must be 'none' or 'tanh'"}}},

    {.name = "silu",
     .summary = "x * sigmoid(x), also called swish.",
     .example = "tensor([-1, 2]).silu()", .gives = "[-0.26894, 1.7616]",
     .params = {tensor("x")},
     .formula = "x \\, \\sigma(x)",
     .result_type = ResultType::kFloating,
     .shape = same_as_first,
     .forward = unary_floating([](double x) { return x * sigmoid_of(x); }),
     .fast = fast_unary<kernels::Unary::kSilu>,
     .gradient = gradient_silu,
     .strided = true},

    {.name = "siluGradient",
     .summary = "The upstream gradient times the slope of silu.",
     .example = "tensor([2]).siluGradient(tensor([0]))", .gives = "[1]",
     .params = {tensor("grad"), tensor("x")},
     .result_type = ResultType::kFloating,
     .shape = broadcast_all,
     .forward = binary_floating([](double grad, double x) { return grad * (sigmoid_of(x) + x * sigmoid_of(x) * (1 - sigmoid_of(x))); }),
     .fast = fast_binary<kernels::Binary::kSiluGradient>,
     .strided = true,
     .internal = true,
     .samples = {{"2x3,2x3"}, {"0,0"}}},

    {.name = "geluExact",
     .summary = "gelu with the error function.",
     .example = "tensor([-1, 2]).geluExact()", .gives = "[-0.15866, 1.9545]",
     .params = {tensor("x")},
     .result_type = ResultType::kFloating,
     .shape = same_as_first,
     .forward = unary_floating([](double x) { return x * normal_share(x); }),
     .fast = fast_unary<kernels::Unary::kGelu>,
     .gradient = gradient_gelu,
     .strided = true,
     .internal = true},

    {.name = "geluGradient",
     .summary = "The upstream gradient times the slope of gelu.",
     .example = "tensor([2]).geluGradient(tensor([0]))", .gives = "[1]",
     .params = {tensor("grad"), tensor("x")},
     .result_type = ResultType::kFloating,
     .shape = broadcast_all,
     .forward = binary_floating([](double grad, double x) { return grad * (normal_share(x) + x * std::exp(-x * x / 2) / kRootOfTwoPi); }),
     .fast = fast_binary<kernels::Binary::kGeluGradient>,
     .strided = true,
     .internal = true,
     .samples = {{"2x3,2x3"}, {"0,0"}}},

    {.name = "softplus",
     .summary = "A smooth relu: log(1 + exp(beta * x)) / beta; linear where beta * x is above `threshold`.",
     .example = "tensor([0, 2]).softplus()", .gives = "[0.69315, 2.1269]",
     .params = {tensor("x"), number("beta", 1), number("threshold", 20)},
     .formula = "\\frac{1}{\\beta} \\ln(1 + e^{\\beta x})",
     .result_type = ResultType::kFloating,
     .shape = same_as_first,
     .forward = forward_softplus,
     .fast = fast_softplus,
     .gradient = gradient_softplus,
     .strided = true,
     .samples = {{"2x3"}, {"2x3", "2 ; 1"}, {"0"}}},

    {.name = "mish",
     .summary = "x * tanh(softplus(x)).",
     .example = "tensor([-1, 2]).mish()", .gives = "[-0.3034, 1.944]",
     .params = {tensor("x")},
     .compose = [](const Call& c) { return c.input(0) * tanh(op<"softplus">({c.input(0)})); }},

    {.name = "logSigmoid",
     .summary = "log(sigmoid(x)) without overflow.",
     .example = "tensor([0, 2]).logSigmoid()", .gives = "[-0.69315, -0.12693]",
     .params = {tensor("x")},
     .compose = [](const Call& c) { return -op<"softplus">({-c.input(0)}); }},

    {.name = "softsign",
     .summary = "x / (1 + |x|).",
     .example = "tensor([-1, 3]).softsign()", .gives = "[-0.5, 0.75]",
     .params = {tensor("x")},
     .compose = [](const Call& c) { return c.input(0) / (abs(c.input(0)) + 1); }},

    {.name = "hardtanh",
     .summary = "Cuts elements to the range from `min` to `max`.",
     .example = "tensor([-3, 0.5, 3]).hardtanh()", .gives = "[-1, 0.5, 1]",
     .params = {tensor("x"), number("min", -1), number("max", 1)},
     .compose = [](const Call& c) { return clamped(c.input(0), c.number(0), c.number(1)); },
     .samples = {{"2x3"}, {"2x3", "-0.5 ; 1.5"}}},

    {.name = "relu6",
     .summary = "relu that stops at 6.",
     .example = "tensor([-1, 4, 9]).relu6()", .gives = "[0, 4, 6]",
     .params = {tensor("x")},
     .compose = [](const Call& c) { return clamped(c.input(0), 0, 6); },
     .samples = {{"2x3", "", -8, 8}}},

    {.name = "hardsigmoid",
     .summary = "A sigmoid of straight lines: 0 below -3, 1 above 3, x / 6 + 1/2 between.",
     .example = "tensor([-4, 0, 1.5]).hardsigmoid()", .gives = "[0, 0.5, 0.75]",
     .params = {tensor("x")},
     .compose = [](const Call& c) { return hard_sigmoid(c.input(0)); },
     .samples = {{"2x3", "", -4, 4}}},

    {.name = "hardswish",
     .summary = "x * hardsigmoid(x).",
     .example = "tensor([-1.5, 0, 3]).hardswish()", .gives = "[-0.375, 0, 3]",
     .params = {tensor("x")},
     .compose = [](const Call& c) { return c.input(0) * hard_sigmoid(c.input(0)); },
     .samples = {{"2x3", "", -4, 4}}},

    {.name = "prelu",
     .summary = "leakyRelu with a learned slope: one, or one per channel (axis 1).",
     .example = "tensor([-10, 2]).prelu(0.1)", .gives = "[-1, 2]",
     .params = {tensor("x"), tensor("weight")},
     .compose = compose_prelu,
     .samples = {{"2x3,1"}, {"2x3,3"}, {"2x3x2,3"}},
     .misuses = {{"2x3,4", "", "one for each of the 3 channels of [2, 3]; got [4]"}}},
};

}  // namespace

GRADBOOK_FAMILY(activation, kActivation)

}  // namespace gradbook
