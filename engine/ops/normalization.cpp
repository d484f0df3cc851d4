// Normalisation: values brought to mean 0 and variance 1 over some axes, then scaled by `weight` and shifted by `bias`.
#include <algorithm>

#include "kernels/standardize.h"
#include "ops/fast.h"
#include "ops/table.h"
#include "ops/vocabulary.h"

namespace gradbook {
namespace {

// -- standardize: (x - mean) / sqrt(var + eps) over axes, the variance divided by n; attributes axes, eps -----------------------------

// The axes that stay, and the number of groups that they index.
Shape kept_axes(const Shape& axes, int rank) {
  Shape kept;
  for (Index axis = 0; axis < rank; ++axis)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) kept.push_back(axis);
  return kept;
}
Index group_count(const Tensor& x, const Shape& axes) {
  Index count = 1;
  for (Index axis : kept_axes(axes, x.rank())) count *= x.size(static_cast<int>(axis));
  return count;
}
// Seen as (outer, groups, inner); false when the axes that stay are apart from each other, or there is nothing to do.
bool find_groups(const Tensor& x, const Shape& axes, kernels::GroupShape& groups) {
  AxisBlock block;
  if (x.element_count() == 0 || !find_axis_block(x.shape(), kept_axes(axes, x.rank()), block)) return false;
  groups = block.size == 1 ? kernels::GroupShape{1, 1, block.outer * block.inner} : kernels::GroupShape{block.outer, block.size, block.inner};
  return true;
}
// `rows`, one per group as lanes() makes them, back to their places in `to`.
template <class T>
void put_groups(const Tensor& to, const Shape& axes, const Tensor& rows) {
  Shape sizes, strides;
  for (const Shape& part : {kept_axes(axes, to.rank()), axes})
    for (Index axis : part) {
      sizes.push_back(to.size(static_cast<int>(axis)));
      strides.push_back(to.strides()[static_cast<int>(axis)]);
    }
  map<T, T>(to.view(sizes, strides), rows.view(sizes, contiguous_strides(sizes)), [](T v) { return v; });
}
// The attribute's axes in rising order.
Shape sorted_axes(const Call& c, int rank) { return kept_axes(kept_axes(axes_of(c, 0, rank), rank), rank); }

struct Moments {
  double mean = 0, variance = 0;
};
template <class T>
Moments moments_of(const T* x, Index n) {
  Moments m;
  const double count = static_cast<double>(n);
  m.mean = pairwise_sum<double>(x, n, [](T v) { return static_cast<double>(v); }) / count;
  m.variance = pairwise_sum<double>(x, n, [&](T v) { return (static_cast<double>(v) - m.mean) * (static_cast<double>(v) - m.mean); }) / count;
  return m;
}

Shape shape_standardize(const Call& c) {
  axes_of(c, 0, c.input(0).rank());
  return c.input(0).shape();
}

// Keeps 1 / sqrt(var + eps) of every group in saved[0], for the gradient.
void forward_standardize(Call& c) {
  const Tensor& x = c.input(0);
  const Shape axes = sorted_axes(c, x.rank());
  const double eps = c.number(1);
  const Tensor inverses = Tensor::empty({group_count(x, axes)}, c.result.dtype());
  c.saved = {inverses};
  if (x.element_count() == 0) return;
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const Lanes l = lanes(x, axes);
    const Tensor rows = Tensor::empty({l.rows * l.length}, c.result.dtype());
    for (Index r = 0; r < l.rows; ++r) {
      const T* from = l.data.data<T>() + r * l.length;
      const Moments m = moments_of(from, l.length);
      const double inverse = 1 / std::sqrt(m.variance + eps);
      inverses.data<T>()[r] = static_cast<T>(inverse);
      for (Index i = 0; i < l.length; ++i) rows.data<T>()[r * l.length + i] = static_cast<T>((static_cast<double>(from[i]) - m.mean) * inverse);
    }
    put_groups<T>(c.result, axes, rows);
  });
}
bool fast_standardize(Call& c) {
  const Tensor& x = c.input(0);
  const Shape axes = sorted_axes(c, x.rank());
  kernels::GroupShape groups;
  if (!all_float32(c) || !find_groups(x, axes, groups)) return false;
  const Tensor inverses = Tensor::empty({groups.groups});
  c.saved = {inverses};
  kernels::standardize(groups, c.number(1), floats(packed(x)), floats(c.result), floats(inverses));
  return true;
}
// With y the result and r = 1 / sqrt(var + eps): r (g - mean(g) - y mean(g y)).
Gradients gradient_standardize(const Call& c, const Tensor& grad) {
  if (!grad_mode()) return {op<"standardizeGradient">({grad, c.result, c.saved[0]}, {c.attribute(0)})};
  const Tensor& x = c.input(0);
  const Shape axes = sorted_axes(c, x.rank());
  const Tensor centred = x - mean(x, axes, true), inverse = op<"rsqrt">({mean(square(centred), axes, true) + c.number(1)}), y = centred * inverse;
  return {inverse * (grad - mean(grad, axes, true) - y * mean(grad * y, axes, true))};
}

Shape shape_standardize_gradient(const Call& c) {
  const Tensor &grad = c.input(0), &y = c.input(1), &inverses = c.input(2);
  const Index groups = group_count(grad, sorted_axes(c, grad.rank()));
  if (!(grad.shape() == y.shape()) || inverses.rank() != 1 || inverses.size(0) != groups)
    fail(ErrorCode::kShape, "needs two tensors of one shape and ", groups, " inverses, got ", grad.shape(), ", ", y.shape(), " and ", inverses.shape());
  return grad.shape();
}
void forward_standardize_gradient(Call& c) {
  if (c.result.element_count() == 0) return;
  const Shape axes = sorted_axes(c, c.result.rank());
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const Lanes g = lanes(c.input(0), axes), y = lanes(c.input(1), axes);
    const Tensor rows = Tensor::empty({g.rows * g.length}, c.result.dtype()), inverses = c.input(2).contiguous();
    for (Index r = 0; r < g.rows; ++r) {
      const T *up = g.data.data<T>() + r * g.length, *value = y.data.data<T>() + r * g.length;
      double sum = 0, product = 0;
      for (Index i = 0; i < g.length; ++i) {
        sum += static_cast<double>(up[i]);
        product += static_cast<double>(up[i]) * static_cast<double>(value[i]);
      }
      const double inverse = static_cast<double>(inverses.data<T>()[r]), count = static_cast<double>(g.length);
      for (Index i = 0; i < g.length; ++i)
        rows.data<T>()[r * g.length + i] = static_cast<T>(inverse * (static_cast<double>(up[i]) - sum / count - static_cast<double>(value[i]) * product / count));
    }
    put_groups<T>(c.result, axes, rows);
  });
}
bool fast_standardize_gradient(Call& c) {
  kernels::GroupShape groups;
  if (!all_float32(c) || !find_groups(c.input(0), sorted_axes(c, c.input(0).rank()), groups)) return false;
  kernels::standardize_gradient(groups, floats(packed(c.input(0))), floats(packed(c.input(1))), floats(packed(c.input(2))), floats(c.result));
  return true;
}

// Means in row 0, variances in row 1, one column per group.
void forward_moments(Call& c) {
  const Shape axes = sorted_axes(c, c.input(0).rank());
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const Lanes l = lanes(c.input(0), axes);
    for (Index r = 0; r < l.rows; ++r) {
      const Moments m = moments_of(l.data.data<T>() + r * l.length, l.length);
      c.result.data<T>()[r] = static_cast<T>(m.mean);
      c.result.data<T>()[l.rows + r] = static_cast<T>(m.variance);
    }
  });
}
bool fast_moments(Call& c) {
  kernels::GroupShape groups;
  if (!all_float32(c) || !find_groups(c.input(0), sorted_axes(c, c.input(0).rank()), groups)) return false;
  kernels::group_moments(groups, floats(packed(c.input(0))), floats(c.result), floats(c.result) + groups.groups);
  return true;
}

// -- the normalisations -------------------------------------------------------------------------------------------------------------

Tensor normalized(const Tensor& x, const Shape& axes, double eps) { return op<"standardize">({x}, {axes, eps}); }

// One number per channel (axis 1), to broadcast against x.
Tensor per_channel(const Tensor& t, const Tensor& x, const char* name) {
  const Index channels = x.size(1);
  if (!(t.shape() == Shape{channels})) fail(ErrorCode::kShape, "`", name, "` must have one element for each of the ", channels, " channels of ", x.shape(), ", got shape ", t.shape(), t.rank() == 1 ? channels_hint(x.shape(), t.size(0)) : "");
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
  if (x.rank() < 2) fail(ErrorCode::kShape, "needs (batch, channels, ...), got shape ", x.shape());
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
  if (count < 2) fail(ErrorCode::kShape, "needs more than one value per channel while training, got shape ", x.shape(), "; use a larger batch");
  Shape axes = {0};
  for (int axis = 2; axis < x.rank(); ++axis) axes.push_back(axis);
  if (has_running) {
    per_channel(c.input(1), x, "runningMean");
    per_channel(c.input(2), x, "runningVar");
    const Tensor moments = op<"moments">({x.detach()}, {axes});
    blend(c.input(1), slice(moments, 0, 1, 0), c.number(1));
    blend(c.input(2), slice(moments, 1, 2, 0) * (count / (count - 1)), c.number(1));
  }
  return scaled_per_channel(normalized(x, axes, eps), x, c.input(3), c.input(4));
}

// The last axes that `attribute` names by their sizes; left out: those of the weight, or the last one.
Shape normalized_axes(const Call& c, int attribute) {
  const Tensor& x = c.input(0);
  Shape sizes = c.has(attribute) ? c.integers(attribute) : c.has_input(1) ? c.input(1).shape() : x.rank() ? Shape{x.shape().back()} : Shape{};
  bool fits = sizes.rank() > 0 && sizes.rank() <= x.rank();
  for (int i = 0; fits && i < sizes.rank(); ++i) fits = sizes.back(i) == x.shape().back(i);
  if (!fits) fail(ErrorCode::kShape, "needs inputs of shape [..., ", to_string(sizes).substr(1), ", got ", x.shape());
  Shape axes;
  for (int i = x.rank() - sizes.rank(); i < x.rank(); ++i) axes.push_back(i);
  for (size_t i = 1; i < c.inputs.size(); ++i)
    if (c.inputs[i].defined() && !(c.inputs[i].shape() == sizes)) fail(ErrorCode::kShape, "weight and bias must have shape ", sizes, ", got ", c.inputs[i].shape());
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
  if (groups < 1 || x.size(1) % groups != 0) fail(ErrorCode::kShape, x.size(1), " channels of ", x.shape(), " do not divide into ", groups, " groups");
  const Index features = x.element_count() > 0 ? x.element_count() / (x.size(0) * groups) : 0;
  const Tensor y = reshape(normalized(reshape(x, {x.size(0), groups, features}), {2}, c.number(1)), x.shape());
  return scaled_per_channel(y, x, c.input(1), c.input(2));
}

Tensor compose_instance_norm(const Call& c) {
  const Tensor& x = c.input(0);
  if (x.rank() < 3) fail(ErrorCode::kShape, "needs (batch, channels, ...) with at least one more axis, got shape ", x.shape());
  Shape axes;
  for (int axis = 2; axis < x.rank(); ++axis) axes.push_back(axis);
  return scaled_per_channel(normalized(x, axes, c.number(0)), x, c.input(1), c.input(2));
}

// x / max(norm, eps)
Tensor compose_normalize(const Call& c) {
  const Tensor& x = c.input(0);
  return x / maximum(op<"norm">({x}, {c.number(0), Shape{normalize_axis(c.integer(1), x.rank())}, true}), literal(c.number(2)));
}

constexpr OpRow kNormalization[] = {
    {.name = "standardize",
     .summary = "Brings the elements over `axes` to mean 0 and variance 1: minus the mean, divided by the root of variance + eps.",
     .example = "tensor([1, 3]).standardize([0], 0)", .gives = "[-1, 1]",
     .params = {tensor("x"), integers("axes"), number("eps", 1e-5)},
     .formula = "\\frac{x - \\mu}{\\sqrt{\\sigma^2 + \\epsilon}}",
     .result_type = ResultType::kFloating,
     .shape = shape_standardize,
     .forward = forward_standardize,
     .fast = fast_standardize,
     .gradient = gradient_standardize,
     .strided = true,
     .internal = true,
     .samples = {{"2x3", "[1]"}, {"4x3", "[0]"}, {"2x3x4", "[0, 2]"}, {"2x3x4", "[2, 1]"}, {"2x3x2x2", "[1, 3] ; 0.1"}, {"2x3", "[0, 1]"}, {"0x3", "[0]"}},
     .misuses = {{"2x3", "[2]", "axis 2 does not exist"}}},

    {.name = "standardizeGradient",
     .summary = "Gradient of standardize, from its result and from 1 / sqrt(variance + eps) of every group.",
     .example = "tensor([1, 0]).standardizeGradient(tensor([-1, 1]), tensor([2]), [0])", .gives = "[0, 0]",
     .params = {tensor("grad"), tensor("y"), tensor("inverses"), integers("axes")},
     .result_type = ResultType::kFloating,
     .shape = shape_standardize_gradient,
     .forward = forward_standardize_gradient,
     .fast = fast_standardize_gradient,
     .strided = true,
     .internal = true,
     .samples = {{"2x3,2x3,2", "[1]"}, {"4x3,4x3,3", "[0]"}, {"2x3x4,2x3x4,3", "[0, 2]"}, {"2x3x5,2x3x5,2", "[2, 1]"}},
     .misuses = {{"2x3,2x3,3", "[1]", "needs two tensors of one shape and 2 inverses"}}},

    {.name = "moments",
     .summary = "Means (row 0) and variances (row 1, divided by the count) of the elements over `axes`, one column per group.",
     .example = "tensor([[1, 3], [2, 2]]).moments([1])", .gives = "[[2, 2], [1, 0]]",
     .params = {tensor("x"), integers("axes")},
     .result_type = ResultType::kFloating,
     .shape = [](const Call& c) { return Shape{2, group_count(c.input(0), sorted_axes(c, c.input(0).rank()))}; },
     .forward = forward_moments,
     .fast = fast_moments,
     .strided = true,
     .internal = true,
     .samples = {{"2x3", "[1]"}, {"4x3", "[0]"}, {"2x3x4", "[0, 2]"}}},

    {.name = "batchNorm",
     .summary = "Brings every channel to mean 0 and variance 1: over the batch while training (the running averages are then updated in place), else by the running averages.",
     .example = "tensor([[1], [3]]).batchNorm({ training: true, eps: 0 })", .gives = "[[-1], [1]]",
     .params = {tensor("x"), optional_tensor("runningMean"), optional_tensor("runningVar"), optional_tensor("weight"), optional_tensor("bias"), boolean("training", false), number("momentum", 0.1), number("eps", 1e-5)},
     .formula = "\\frac{x - \\mu}{\\sqrt{\\sigma^2 + \\epsilon}} \\, w + b",
     .compose = compose_batch_norm,
     .samples = {{"4x3,-,-,-,-", "true"}, {"4x3,-,-,3,3", "true"}, {"2x3x2x2,-,-,3,3", "true"}, {"4x3,3,3,3,3", "false", 0.1, 2}, {"2x3x2,3,3,-,-", "false", 0.1, 2}},
     .misuses = {{"4x3,-,-,-,-", "", "needs `runningMean` and `runningVar`"}, {"1x3,-,-,-,-", "true", "use a larger batch"}, {"4x3,-,-,4,-", "true", "one element for each of the 3 channels of [4, 3], got shape [4]"}, {"2x4x4x3,-,-,3,-", "true", "channels come second: permute(0, 3, 1, 2)"}}},

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

GRADBOOK_FAMILY(normalization, kNormalization)

}  // namespace gradbook
