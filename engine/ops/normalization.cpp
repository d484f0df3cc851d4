// Normalisation: values brought to mean 0 and variance 1 over some axes, then scaled by `weight` and shifted by `bias`.
#include <algorithm>

#include "ops/table.h"
#include "ops/vocabulary.h"

namespace gradbook {
namespace {

// (x - mean) / sqrt(var + eps) over `axes`; the variance is divided by n.
Tensor normalized(const Tensor& x, const Shape& axes, double eps) {
  const Tensor centred = x - mean(x, axes, true);
  return centred * op<"rsqrt">({mean(square(centred), axes, true) + eps});
}

// One number per channel (axis 1), to broadcast against x.
Tensor per_channel(const Tensor& t, const Tensor& x, const char* name) {
  const Index channels = x.size(1);
  if (!(t.shape() == Shape{channels})) fail(ErrorCode::kShape, "`", name, "` must have one element for each of the ", channels, " channels of ", to_string(x.shape()), ", got shape ", to_string(t.shape()));
  Shape shape = Shape::filled(x.rank(), 1);
  shape[1] = channels;
  return reshape(t, shape);
}
Tensor scaled_per_channel(Tensor y, const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (weight.defined()) y = y * per_channel(weight, x, "weight");
  if (bias.defined()) y = y + per_channel(bias, x, "bias");
  return y;
}
void check_channels(const Tensor& x) {
  if (x.rank() < 2) fail(ErrorCode::kShape, "needs (batch, channels, ...), got shape ", to_string(x.shape()));
}

// running = (1 - momentum) running + momentum now
void blend(const Tensor& running, const Tensor& now, double momentum) {
  GradModeGuard off(false);
  running.copy_from(running * (1 - momentum) + reshape(now, running.shape()) * momentum);
}

// Inputs x, runningMean, runningVar, weight, bias; attributes training, momentum, eps.
Tensor compose_batch_norm(const Call& c) {
  const Tensor& x = c.input(0);
  check_channels(x);
  const double eps = c.number(2);
  const bool has_running = c.has_input(1) && c.has_input(2);
  if (!c.boolean(0)) {
    if (!has_running) fail(ErrorCode::kValue, "needs `runningMean` and `runningVar` unless `training` is true");
    const Tensor y = (x - per_channel(c.input(1), x, "runningMean")) * op<"rsqrt">({per_channel(c.input(2), x, "runningVar") + eps});
    return scaled_per_channel(y, x, c.input(3), c.input(4));
  }
  const double count = x.size(1) ? static_cast<double>(x.element_count()) / static_cast<double>(x.size(1)) : 0;
  if (count < 2) fail(ErrorCode::kShape, "needs more than one value per channel while training, got shape ", to_string(x.shape()), "; use a larger batch");
  Shape axes = {0};
  for (int axis = 2; axis < x.rank(); ++axis) axes.push_back(axis);
  const Tensor average = mean(x, axes, true), centred = x - average, variance = mean(square(centred), axes, true);
  if (has_running) {
    per_channel(c.input(1), x, "runningMean");
    per_channel(c.input(2), x, "runningVar");
    blend(c.input(1), average.detach(), c.number(1));
    blend(c.input(2), variance.detach() * (count / (count - 1)), c.number(1));
  }
  return scaled_per_channel(centred * op<"rsqrt">({variance + eps}), x, c.input(3), c.input(4));
}

// The last axes that `attribute` names by their sizes; left out: those of the weight, or the last one.
Shape normalized_axes(const Call& c, int attribute) {
  const Tensor& x = c.input(0);
  Shape sizes = c.has(attribute) ? c.integers(attribute) : c.has_input(1) ? c.input(1).shape() : x.rank() ? Shape{x.shape().back()} : Shape{};
  bool fits = sizes.rank() > 0 && sizes.rank() <= x.rank();
  for (int i = 0; fits && i < sizes.rank(); ++i) fits = sizes.back(i) == x.shape().back(i);
  if (!fits) fail(ErrorCode::kShape, "needs inputs of shape [..., ", to_string(sizes).substr(1), ", got ", to_string(x.shape()));
  Shape axes;
  for (int i = x.rank() - sizes.rank(); i < x.rank(); ++i) axes.push_back(i);
  for (size_t i = 1; i < c.inputs.size(); ++i)
    if (c.inputs[i].defined() && !(c.inputs[i].shape() == sizes)) fail(ErrorCode::kShape, "weight and bias must have shape ", to_string(sizes), ", got ", to_string(c.inputs[i].shape()));
  return axes;
}

Tensor compose_layer_norm(const Call& c) {
  Tensor y = normalized(c.input(0), normalized_axes(c, 0), c.number(1));
  if (c.has_input(1)) y = y * c.input(1);
  return c.has_input(2) ? y + c.input(2) : y;
}

Tensor compose_rms_norm(const Call& c) {
  const Tensor& x = c.input(0);
  const Shape axes = normalized_axes(c, 0);
  const double eps = c.has(1) ? c.number(1) : x.dtype() == DType::kFloat64 ? 2.220446049250313e-16 : 1.1920928955078125e-07;
  const Tensor y = x * op<"rsqrt">({mean(square(x), axes, true) + eps});
  return c.has_input(1) ? y * c.input(1) : y;
}

Tensor compose_group_norm(const Call& c) {
  const Tensor& x = c.input(0);
  check_channels(x);
  const Index groups = c.integer(0);
  if (groups < 1 || x.size(1) % groups != 0) fail(ErrorCode::kShape, x.size(1), " channels of ", to_string(x.shape()), " do not divide into ", groups, " groups");
  const Index features = x.element_count() > 0 ? x.element_count() / (x.size(0) * groups) : 0;
  const Tensor y = reshape(normalized(reshape(x, {x.size(0), groups, features}), {2}, c.number(1)), x.shape());
  return scaled_per_channel(y, x, c.input(1), c.input(2));
}

Tensor compose_instance_norm(const Call& c) {
  const Tensor& x = c.input(0);
  if (x.rank() < 3) fail(ErrorCode::kShape, "needs (batch, channels, ...) with at least one more axis, got shape ", to_string(x.shape()));
  Shape axes;
  for (int axis = 2; axis < x.rank(); ++axis) axes.push_back(axis);
  return scaled_per_channel(normalized(x, axes, c.number(0)), x, c.input(1), c.input(2));
}

// x / max(norm, eps)
Tensor compose_normalize(const Call& c) {
  const Tensor& x = c.input(0);
  return x / maximum(op<"norm">({x}, {c.number(0), Shape{normalize_axis(c.integer(1), x.rank())}, true}), literal(c.number(2)));
}

constexpr Op kNormalization[] = {
    {.name = "batchNorm",
     .summary = "Brings every channel to mean 0 and variance 1: over the batch while training (the running averages are then updated in place), else by the running averages.",
     .example = "tensor([[1], [3]]).batchNorm({ training: true, eps: 0 })", .gives = "[[-1], [1]]",
     .params = {tensor("x"), optional_tensor("runningMean"), optional_tensor("runningVar"), optional_tensor("weight"), optional_tensor("bias"), boolean("training", false), number("momentum", 0.1), number("eps", 1e-5)},
     .formula = "\\frac{x - \\mu}{\\sqrt{\\sigma^2 + \\epsilon}} \\, w + b",
     .compose = compose_batch_norm,
     .samples = {{"4x3,-,-,-,-", "true"}, {"4x3,-,-,3,3", "true"}, {"2x3x2x2,-,-,3,3", "true"}, {"4x3,3,3,3,3", "false", 0.1, 2}, {"2x3x2,3,3,-,-", "false", 0.1, 2}},
     .misuses = {{"4x3,-,-,-,-", "", "needs `runningMean` and `runningVar`"}, {"1x3,-,-,-,-", "true", "use a larger batch"}, {"4x3,-,-,4,-", "true", "one element for each of the 3 channels of [4, 3], got shape [4]"}}},

    {.name = "layerNorm",
     .summary = "Brings the last axes of each example to mean 0 and variance 1, then scales and shifts them. Without `normalizedShape`: the axes of the weight, or the last one.",
     .example = "tensor([1, 3]).layerNorm({ eps: 0 })", .gives = "[-1, 1]",
     .params = {tensor("x"), optional_tensor("weight"), optional_tensor("bias"), optional_integers("normalizedShape"), number("eps", 1e-5)},
     .compose = compose_layer_norm,
     .samples = {{"2x3,3,3"}, {"2x3x4,-,-", "[3, 4]"}, {"2x3x4,3x4,3x4"}, {"2x5,-,-"}},
     .misuses = {{"2x3,-,-", "[4]", "needs inputs of shape [..., 4], got [2, 3]"}, {"2x3,3,2", "", "must have shape [3], got [2]"}}},

    {.name = "rmsNorm",
     .summary = "Divides the last axes of each example by the root of their mean square, then scales them by the weight.",
     .example = "tensor([3, 3]).rmsNorm()", .gives = "[1, 1]",
     .params = {tensor("x"), optional_tensor("weight"), optional_integers("normalizedShape"), optional_number("eps")},
     .compose = compose_rms_norm,
     .samples = {{"2x3,3"}, {"2x3x4,-", "[3, 4] ; 0.1"}},
     .misuses = {{"2x3,-", "[4]", "needs inputs of shape [..., 4]"}}},

    {.name = "groupNorm",
     .summary = "Brings groups of channels of each example to mean 0 and variance 1, then scales and shifts every channel.",
     .example = "tensor([[1, 3, 5, 5]]).groupNorm({ groups: 2, eps: 1 })", .gives = "[[-0.70711, 0.70711, 0, 0]]",
     .params = {tensor("x"), optional_tensor("weight"), optional_tensor("bias"), integer("groups"), number("eps", 1e-5)},
     .compose = compose_group_norm,
     .samples = {{"2x4x3,4,4", "2"}, {"2x4,-,-", "1"}, {"1x4x2x2,4,-", "4"}},
     .misuses = {{"2x4,-,-", "3", "do not divide into 3 groups"}}},

    {.name = "instanceNorm",
     .summary = "Brings each channel of each example to mean 0 and variance 1 over its pixels, then scales and shifts it.",
     .example = "tensor([[[1, 3]]]).instanceNorm({ eps: 0 })", .gives = "[[[-1, 1]]]",
     .params = {tensor("x"), optional_tensor("weight"), optional_tensor("bias"), number("eps", 1e-5)},
     .compose = compose_instance_norm,
     .samples = {{"2x3x4,3,3"}, {"2x2x2x3,-,-"}},
     .misuses = {{"2x3,-,-", "", "at least one more axis"}}},

    {.name = "normalize",
     .summary = "Divides vectors along an axis by their p-norm, or by eps when that is larger.",
     .example = "tensor([3, 4]).normalize({ axis: 0 })", .gives = "[0.6, 0.8]",
     .params = {tensor("x"), number("p", 2), integer("axis", 1), number("eps", 1e-12)},
     .compose = compose_normalize,
     .samples = {{"2x3"}, {"2x3", "1 ; 0"}},
     .misuses = {{"3", "", "axis 1 does not exist"}}},
};

}  // namespace

std::span<const Op> normalization_ops() { return checked<kNormalization>(); }

}  // namespace gradbook
