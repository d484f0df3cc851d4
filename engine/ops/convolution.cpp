// Convolutions (cross-correlations, as in PyTorch) over one to three spatial axes, their two gradients, and transposed
// convolutions, which are the gradient of the input under another name. Pooling is in pooling.cpp.
#include <algorithm>

#include "kernels/convolution.h"
#include "ops/fast.h"
#include "ops/table.h"
#include "ops/vocabulary.h"
#include "ops/windows.h"

namespace gradbook {
namespace {

// Tensors of every convolution row: images (batch, channels, spatial...), filter (out channels, channels / groups, spatial...).
struct Convolution {
  Index batch, in_channels, out_channels, groups;
  Windows windows;
  int spatial;
  Index group_in() const { return in_channels / groups; }
  Index group_out() const { return out_channels / groups; }
};

// Attributes first, first + 1, ... are stride, padding, dilation, groups.
void set_attributes(Convolution& v, const Call& c, int first) {
  const Shape stride = per_axis(c, first, v.spatial, 1), padding = per_axis(c, first + 1, v.spatial, 0), dilation = per_axis(c, first + 2, v.spatial, 1);
  v.groups = c.integer(first + 3);
  if (v.groups < 1) fail(ErrorCode::kValue, "`groups` must be at least 1, got ", v.groups);
  for (int i = 0; i < v.spatial; ++i) {
    WindowAxis& a = v.windows.axes[3 - v.spatial + i];
    a.stride = stride[i];
    a.padding = padding[i];
    a.dilation = dilation[i];
  }
}

Convolution convolution_of(const Call& c, const Shape& images, const Shape& filter, int first, int spatial) {
  static constexpr const char* kAxes[] = {"", "length", "height, width", "depth, height, width"};
  static constexpr const char* kThings[] = {"", "sequence", "image", "volume"};
  const std::string_view thing = kThings[spatial];
  if (images.rank() != spatial + 2) {
    const std::string hint = images.rank() == spatial + 1 ? message_of({"; for a single ", thing, " use unsqueeze(0)"}) : std::string();
    fail(ErrorCode::kShape, "needs ", thing, "s of shape (batch, channels, ", kAxes[spatial], "), got ", images, hint);
  }
  if (filter.rank() != spatial + 2) fail(ErrorCode::kShape, "needs a filter of shape (out channels, channels / groups, ", kAxes[spatial], "), got ", filter);
  Convolution v{};
  v.spatial = spatial;
  set_attributes(v, c, first);
  v.batch = images[0];
  v.in_channels = images[1];
  v.out_channels = filter[0];
  if (filter[1] * v.groups != images[1])
    fail(ErrorCode::kShape, thing, "s ", images, " have ", images[1], " channels on axis 1, the filter ", filter, " expects ", filter[1] * v.groups, channels_hint(images, filter[1] * v.groups));
  if (filter[0] % v.groups != 0) fail(ErrorCode::kShape, filter[0], " out channels do not divide into ", v.groups, " groups");
  for (int i = 0; i < spatial; ++i) {
    v.windows.axes[3 - spatial + i].in = images[i + 2];
    v.windows.axes[3 - spatial + i].window = filter[i + 2];
  }
  infer_out(v.windows, spatial);
  return v;
}

Shape result_shape(const Convolution& v) {
  Shape shape = {v.batch, v.out_channels};
  for (int i = 3 - v.spatial; i < 3; ++i) shape.push_back(v.windows.axes[i].out);
  return shape;
}

// -- images * filter + bias -------------------------------------------------------------------------------------------------

template <int kSpatial>
Shape shape_conv(const Call& c) {
  const Convolution v = convolution_of(c, c.input(0).shape(), c.input(1).shape(), 0, kSpatial);
  if (c.has_input(2) && !(c.input(2).shape() == Shape{v.out_channels}))
    fail(ErrorCode::kShape, "the bias must have one element for each of the ", v.out_channels, " out channels, got shape ", c.input(2).shape());
  return result_shape(v);
}

// y[n, o, p] = bias[o] + sum over c, k of x[n, c, p s - padding + k d] w[o, c, k]
void forward_conv(Call& c) {
  const Convolution v = convolution_of(c, c.input(0).shape(), c.input(1).shape(), 0, c.input(0).rank() - 2);
  const Index in = v.windows.in_count(), out = v.windows.out_count(), window = v.windows.window_count();
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<double> sums(static_cast<size_t>(out));
    for (Index n = 0; n < v.batch; ++n)
      for (Index o = 0; o < v.out_channels; ++o) {
        check_interrupt();
        const T bias = c.has_input(2) ? c.input(2).data<T>()[o] : T(0);
        std::fill(sums.begin(), sums.end(), static_cast<double>(bias));
        for (Index k = 0; k < v.group_in(); ++k) {
          const T* x = c.input(0).data<T>() + (n * v.in_channels + o / v.group_out() * v.group_in() + k) * in;
          const T* w = c.input(1).data<T>() + (o * v.group_in() + k) * window;
          for_each_window_element(v.windows, [&](Index p, Index tap, Index i) { sums[static_cast<size_t>(p)] += static_cast<double>(x[i]) * static_cast<double>(w[tap]); });
        }
        T* y = c.result.data<T>() + (n * v.out_channels + o) * out;
        for (Index p = 0; p < out; ++p) y[p] = static_cast<T>(sums[static_cast<size_t>(p)]);
      }
  });
}

// -- gradient of the images: attributes are the spatial sizes of the images, then those of the convolution ------------------------

Convolution input_gradient_of(const Call& c) {
  const Shape &grad = c.input(0).shape(), &filter = c.input(1).shape();
  const int spatial = grad.rank() - 2;
  if (spatial < 1 || spatial > 3 || filter.rank() != grad.rank()) fail(ErrorCode::kShape, "shapes ", grad, " and ", filter, " are no gradient and filter of one convolution");
  Shape images = {grad[0], filter[1] * std::max<Index>(c.integer(4), 1)};
  for (Index size : per_axis(c, 0, spatial, 0)) images.push_back(size);
  const Convolution v = convolution_of(c, images, filter, 1, spatial);
  if (!(result_shape(v) == grad)) fail(ErrorCode::kShape, "a convolution of images ", images, " with filter ", filter, " gives ", result_shape(v), ", not ", grad);
  return v;
}

Shape shape_input_gradient(const Call& c) {
  const Convolution v = input_gradient_of(c);
  Shape shape = {v.batch, v.in_channels};
  for (int i = 3 - v.spatial; i < 3; ++i) shape.push_back(v.windows.axes[i].in);
  return shape;
}

// dx[n, c, i] = sum over all o, p, k with i = p s - padding + k d of dy[n, o, p] w[o, c, k]
void forward_input_gradient(Call& c) {
  const Convolution v = input_gradient_of(c);
  const Index in = v.windows.in_count(), out = v.windows.out_count(), window = v.windows.window_count();
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<double> sums(static_cast<size_t>(in));
    for (Index n = 0; n < v.batch; ++n)
      for (Index channel = 0; channel < v.in_channels; ++channel) {
        check_interrupt();
        std::fill(sums.begin(), sums.end(), 0.0);
        const Index group = channel / v.group_in(), k = channel % v.group_in();
        for (Index o = group * v.group_out(); o < (group + 1) * v.group_out(); ++o) {
          const T* dy = c.input(0).data<T>() + (n * v.out_channels + o) * out;
          const T* w = c.input(1).data<T>() + (o * v.group_in() + k) * window;
          for_each_window_element(v.windows, [&](Index p, Index tap, Index i) { sums[static_cast<size_t>(i)] += static_cast<double>(dy[p]) * static_cast<double>(w[tap]); });
        }
        T* dx = c.result.data<T>() + (n * v.in_channels + channel) * in;
        for (Index i = 0; i < in; ++i) dx[i] = static_cast<T>(sums[static_cast<size_t>(i)]);
      }
  });
}

// -- gradient of the filter: attributes are its spatial sizes, then those of the convolution ---------------------------------------

Convolution filter_gradient_of(const Call& c) {
  const Shape &grad = c.input(0).shape(), &images = c.input(1).shape();
  const int spatial = grad.rank() - 2;
  if (spatial < 1 || spatial > 3 || images.rank() != grad.rank()) fail(ErrorCode::kShape, "shapes ", grad, " and ", images, " are no gradient and images of one convolution");
  const Index groups = std::max<Index>(c.integer(4), 1);
  if (images[1] % groups != 0) fail(ErrorCode::kShape, images[1], " channels do not divide into ", groups, " groups");
  Shape filter = {grad[1], images[1] / groups};
  for (Index size : per_axis(c, 0, spatial, 0)) filter.push_back(size);
  const Convolution v = convolution_of(c, images, filter, 1, spatial);
  if (!(result_shape(v) == grad)) fail(ErrorCode::kShape, "a convolution of images ", images, " with filter ", filter, " gives ", result_shape(v), ", not ", grad);
  return v;
}

Shape shape_filter_gradient(const Call& c) {
  const Convolution v = filter_gradient_of(c);
  Shape shape = {v.out_channels, v.group_in()};
  for (int i = 3 - v.spatial; i < 3; ++i) shape.push_back(v.windows.axes[i].window);
  return shape;
}

// dw[o, c, k] = sum over n, p of dy[n, o, p] x[n, c, p s - padding + k d]
void forward_filter_gradient(Call& c) {
  const Convolution v = filter_gradient_of(c);
  const Index in = v.windows.in_count(), out = v.windows.out_count(), window = v.windows.window_count();
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<double> sums(static_cast<size_t>(window));
    for (Index o = 0; o < v.out_channels; ++o)
      for (Index k = 0; k < v.group_in(); ++k) {
        check_interrupt();
        std::fill(sums.begin(), sums.end(), 0.0);
        for (Index n = 0; n < v.batch; ++n) {
          const T* dy = c.input(0).data<T>() + (n * v.out_channels + o) * out;
          const T* x = c.input(1).data<T>() + (n * v.in_channels + o / v.group_out() * v.group_in() + k) * in;
          for_each_window_element(v.windows, [&](Index p, Index tap, Index i) { sums[static_cast<size_t>(tap)] += static_cast<double>(dy[p]) * static_cast<double>(x[i]); });
        }
        T* dw = c.result.data<T>() + (o * v.group_in() + k) * window;
        for (Index tap = 0; tap < window; ++tap) dw[tap] = static_cast<T>(sums[static_cast<size_t>(tap)]);
      }
  });
}

// -- quick versions, for two spatial axes ---------------------------------------------------------------------------------------

kernels::ConvShape conv_shape(const Convolution& v) {
  const WindowAxis &y = v.windows.axes[1], &x = v.windows.axes[2];
  return {.batch = v.batch,
          .in_channels = v.in_channels, .in_height = y.in, .in_width = x.in,
          .out_channels = v.out_channels, .out_height = y.out, .out_width = x.out,
          .filter_height = y.window, .filter_width = x.window,
          .stride_y = y.stride, .stride_x = x.stride,
          .padding_y = y.padding, .padding_x = x.padding,
          .dilation_y = y.dilation, .dilation_x = x.dilation,
          .groups = v.groups};
}

bool fast_conv(Call& c) {
  if (!all_float32(c)) return false;
  const Convolution v = convolution_of(c, c.input(0).shape(), c.input(1).shape(), 0, 2);
  kernels::conv_forward(conv_shape(v), floats(c.input(0)), floats(c.input(1)), c.has_input(2) ? floats(c.input(2)) : nullptr, c.relu, floats(c.result));
  return true;
}
bool fast_input_gradient(Call& c) {
  if (!all_float32(c)) return false;
  kernels::conv_input_gradient(conv_shape(input_gradient_of(c)), floats(c.input(0)), floats(c.input(1)), floats(c.result));
  return true;
}
bool fast_filter_gradient(Call& c) {
  if (!all_float32(c)) return false;
  kernels::conv_filter_gradient(conv_shape(filter_gradient_of(c)), floats(c.input(1)), floats(c.input(0)), floats(c.result));
  return true;
}

// -- gradients: the three ops are the derivatives of one trilinear form, so each is the gradient of the others -------------------------

Shape spatial_sizes(const Tensor& t) {
  Shape sizes;
  for (int i = 2; i < t.rank(); ++i) sizes.push_back(t.size(i));
  return sizes;
}
// The sizes in front of the attributes stride, padding, dilation, groups, which begin at `first` of the call.
Attributes with_sizes(const Call& c, int first, const Shape& sizes) {
  return {sizes, c.attribute(first), c.attribute(first + 1), c.attribute(first + 2), c.attribute(first + 3)};
}
Attributes without_sizes(const Call& c) { return {c.attribute(1), c.attribute(2), c.attribute(3), c.attribute(4)}; }

struct Family {
  OpName conv, input_gradient, filter_gradient;
};
constexpr Family kTwo = {"conv2d", "conv2dInputGradient", "conv2dFilterGradient"};
constexpr Family kThree = {"conv3d", "conv3dInputGradient", "conv3dFilterGradient"};

template <Family family>
Gradients gradient_conv(const Call& c, const Tensor& grad) {
  const Tensor &x = c.input(0), &w = c.input(1);
  Gradients gradients(3);
  if (c.needs_gradient(0)) gradients[0] = op<family.input_gradient>({grad, w}, with_sizes(c, 0, spatial_sizes(x)));
  if (c.needs_gradient(1)) gradients[1] = op<family.filter_gradient>({grad, x}, with_sizes(c, 0, spatial_sizes(w)));
  if (c.has_input(2) && c.needs_gradient(2)) {
    Shape axes = {0};
    for (int axis = 2; axis < grad.rank(); ++axis) axes.push_back(axis);
    gradients[2] = sum(grad, axes, false);
  }
  return gradients;
}
template <Family family>
Gradients gradient_input_gradient(const Call& c, const Tensor& grad) {
  const Tensor &dy = c.input(0), &w = c.input(1);
  return {c.needs_gradient(0) ? op<family.conv>({grad, w}, without_sizes(c)) : Tensor(),
          c.needs_gradient(1) ? op<family.filter_gradient>({dy, grad}, with_sizes(c, 1, spatial_sizes(w))) : Tensor()};
}
template <Family family>
Gradients gradient_filter_gradient(const Call& c, const Tensor& grad) {
  const Tensor &dy = c.input(0), &x = c.input(1);
  return {c.needs_gradient(0) ? op<family.conv>({x, grad}, without_sizes(c)) : Tensor(),
          c.needs_gradient(1) ? op<family.input_gradient>({dy, grad}, with_sizes(c, 1, spatial_sizes(x))) : Tensor()};
}

// -- one spatial axis: two of which the first has size 1 ------------------------------------------------------------------------------

Attribute in_front(Index value, const Attribute& of_width) { return Attribute(std::vector<double>{static_cast<double>(value), of_width.list.empty() ? 0 : of_width.list[0]}); }

Tensor compose_conv1d(const Call& c) {
  // So that messages show the shapes that came.
  convolution_of(c, c.input(0).shape(), c.input(1).shape(), 0, 1);
  const Tensor y = op<"conv2d">({unsqueeze(c.input(0), 2), unsqueeze(c.input(1), 2), c.input(2)},
                                {in_front(1, c.attribute(0)), in_front(0, c.attribute(1)), in_front(1, c.attribute(2)), c.attribute(3)});
  return squeeze(y, 2);
}

// -- transposed: the image whose convolution would have x as its gradient ----------------------------------------------------------------

Tensor transposed_convolution(const Call& c, const Tensor& x, const Tensor& w, const Shape& stride, const Shape& padding, const Shape& extra, const Shape& dilation) {
  const int spatial = stride.rank();
  if (x.rank() != spatial + 2 || w.rank() != spatial + 2)
    fail(ErrorCode::kShape, spatial == 2 ? "needs images (batch, channels, height, width) and a filter (channels, out channels / groups, height, width), got "
                                         : "needs volumes (batch, channels, depth, height, width) and a filter (channels, out channels / groups, depth, height, width), got ",
         x.shape(), " and ", w.shape());
  if (x.size(1) != w.size(0)) fail(ErrorCode::kShape, spatial == 2 ? "images " : "volumes ", x.shape(), " have ", x.size(1), " channels on axis 1, the filter ", w.shape(), " expects ", w.size(0), channels_hint(x.shape(), w.size(0)));
  Shape sizes, bias = {-1};
  for (int i = 0; i < spatial; ++i) {
    if (extra[i] >= std::max(stride[i], dilation[i])) fail(ErrorCode::kValue, "`outputPadding` must be less than the stride or the dilation, got ", extra[i]);
    sizes.push_back((x.size(i + 2) - 1) * stride[i] - 2 * padding[i] + dilation[i] * (w.size(i + 2) - 1) + extra[i] + 1);
    bias.push_back(1);
  }
  std::vector<double> beyond(static_cast<size_t>(2 * spatial), 0.0);  // pairs, last axis first
  // An output padding of a stride or more is where further elements of x would spread to: zeros.
  for (int i = 0; i < spatial; ++i) beyond[static_cast<size_t>(2 * (spatial - i) - 1)] = static_cast<double>(extra[i] / stride[i]);
  const bool spreads = std::any_of(beyond.begin(), beyond.end(), [](double count) { return count > 0; });
  const Tensor wide = spreads ? op<"padConstant">({x}, {Attribute(beyond), 0.0}) : x;
  Attributes attributes = {sizes, stride, padding, dilation, c.attribute(4)};
  const Tensor y = spatial == 2 ? op<"conv2dInputGradient">({wide, w}, std::move(attributes)) : op<"conv3dInputGradient">({wide, w}, std::move(attributes));
  if (!c.has_input(2)) return y;
  bias[0] = c.input(2).element_count();
  return y + reshape(c.input(2), bias);
}

template <int kSpatial>
Tensor compose_conv_transpose(const Call& c) {
  return transposed_convolution(c, c.input(0), c.input(1), per_axis(c, 0, kSpatial, 1), per_axis(c, 1, kSpatial, 0), per_axis(c, 2, kSpatial, 0), per_axis(c, 3, kSpatial, 1));
}
Tensor compose_conv_transpose1d(const Call& c) {
  for (int i : {0, 1})
    if (c.input(i).rank() != 3) fail(ErrorCode::kShape, "needs a sequence (batch, channels, length) and a filter (channels, out channels / groups, length), got ", c.input(i).shape());
  if (c.input(0).size(1) != c.input(1).size(0))
    fail(ErrorCode::kShape, "sequences ", c.input(0).shape(), " have ", c.input(0).size(1), " channels on axis 1, the filter ", c.input(1).shape(), " expects ", c.input(1).size(0), channels_hint(c.input(0).shape(), c.input(1).size(0)));
  const Tensor y = transposed_convolution(c, unsqueeze(c.input(0), 2), unsqueeze(c.input(1), 2), {1, per_axis(c, 0, 1, 1)[0]}, {0, per_axis(c, 1, 1, 0)[0]}, {0, per_axis(c, 2, 1, 0)[0]}, {1, per_axis(c, 3, 1, 1)[0]});
  return squeeze(y, 2);
}

constexpr Params kConvParams = {tensor("x"), tensor("weight"), optional_tensor("bias"), integers("stride", "[1]"), integers("padding", "[0]"), integers("dilation", "[1]"), integer("groups", 1)};
constexpr Params kTransposedParams = {tensor("x"), tensor("weight"), optional_tensor("bias"), integers("stride", "[1]"), integers("padding", "[0]"), integers("outputPadding", "[0]"), integers("dilation", "[1]"), integer("groups", 1)};
constexpr Params kInputGradientParams = {tensor("grad"), tensor("weight"), integers("inputSize"), integers("stride", "[1]"), integers("padding", "[0]"), integers("dilation", "[1]"), integer("groups", 1)};
constexpr Params kFilterGradientParams = {tensor("grad"), tensor("x"), integers("kernelSize"), integers("stride", "[1]"), integers("padding", "[0]"), integers("dilation", "[1]"), integer("groups", 1)};

constexpr OpRow kConvolution[] = {
    {.name = "conv2d",
     .summary = "Slides filters (out channels, channels / groups, height, width) over images (batch, channels, height, width); bias adds one number per out channel.",
     .example = "tensor([[[[1, 2], [3, 4]]]]).conv2d(tensor([[[[1, 1]]]]))", .gives = "[[[[3], [7]]]]",
     .params = kConvParams,
     .formula = "y_{n,o,p} = b_o + \\sum_{c,k} x_{n,c,\\,p s - \\text{pad} + k d} \\; w_{o,c,k}",
     .result_type = ResultType::kFloating,
     .shape = shape_conv<2>,
     .forward = forward_conv,
     .fast = fast_conv,
     .gradient = gradient_conv<kTwo>,
     .arithmetic = Arithmetic::kFilter,
     .samples = {{"2x3x5x4,2x3x3x2,2"},
                 {"1x2x5x5,3x2x3x3,-", "[2, 1] ; [1]"},
                 {"2x2x6x5,4x1x2x3,4", "[1] ; [1, 0] ; [2, 1] ; 2"},
                 {"1x1x4x4,1x1x1x1,-", "[3]"},
                 {"2x3x4x4,3x1x3x3,3", "[1] ; [1] ; [1] ; 3"},
                 {"0x2x4x4,3x2x2x2,3"}},
     .misuses = {{"1x3x4x4,2x1x3x3,-", "", "have 3 channels on axis 1, the filter [2, 1, 3, 3] expects 1"},
                 {"1x4x4x3,2x3x3x3,-", "", "channels come second: permute(0, 3, 1, 2)"},
                 {"3x4x4,2x3x3x3,-", "", "use unsqueeze(0)"},
                 {"1x1x2x2,1x1x3x3,-", "", "does not fit images that are 2 high"}}},

    {.name = "conv2dInputGradient",
     .summary = "Gradient of conv2d by its images, which have the spatial size `inputSize`.",
     .example = "tensor([[[[1, 2]]]]).conv2dInputGradient(tensor([[[[1, 10]]]]), [1, 3])", .gives = "[[[[1, 12, 20]]]]",
     .params = kInputGradientParams,
     .result_type = ResultType::kFloating,
     .shape = shape_input_gradient,
     .forward = forward_input_gradient,
     .fast = fast_input_gradient,
     .gradient = gradient_input_gradient<kTwo>,
     .arithmetic = Arithmetic::kInputGradient,
     .internal = true,
     .samples = {{"2x2x3x3,2x3x3x2", "[5, 4]"}, {"1x3x3x5,3x2x3x3", "[5, 5] ; [2, 1] ; [1]"}, {"2x4x6x3,4x1x2x3", "[6, 5] ; [1] ; [1, 0] ; [2, 1] ; 2"}, {"0x3x3x3,3x2x2x2", "[4, 4]"}},
     .misuses = {{"1x1x2x2,1x1x2x2", "[4, 4]", "gives [1, 1, 3, 3], not [1, 1, 2, 2]"}}},

    {.name = "conv2dFilterGradient",
     .summary = "Gradient of conv2d by its filter, which has the spatial size `kernelSize`.",
     .example = "tensor([[[[1, 2]]]]).conv2dFilterGradient(tensor([[[[1, 1, 10]]]]), [1, 2])", .gives = "[[[[3, 21]]]]",
     .params = kFilterGradientParams,
     .result_type = ResultType::kFloating,
     .shape = shape_filter_gradient,
     .forward = forward_filter_gradient,
     .fast = fast_filter_gradient,
     .gradient = gradient_filter_gradient<kTwo>,
     .arithmetic = Arithmetic::kFilterGradient,
     .internal = true,
     .samples = {{"2x2x3x3,2x3x5x4", "[3, 2]"}, {"1x3x3x5,1x2x5x5", "[3, 3] ; [2, 1] ; [1]"}, {"2x4x6x3,2x2x6x5", "[2, 3] ; [1] ; [1, 0] ; [2, 1] ; 2"}, {"0x3x3x3,0x2x4x4", "[2, 2]"}},
     .misuses = {{"1x1x2x2,1x1x4x4", "[2, 2]", "gives [1, 1, 3, 3], not [1, 1, 2, 2]"}}},

    {.name = "conv1d",
     .summary = "Slides filters (out channels, channels / groups, length) over sequences (batch, channels, length).",
     .example = "tensor([[[1, 2, 3]]]).conv1d(tensor([[[1, 1]]]))", .gives = "[[[3, 5]]]",
     .params = kConvParams,
     .compose = compose_conv1d,
     .samples = {{"2x3x7,2x3x3,2"}, {"1x2x8,4x1x3,-", "[2] ; [1] ; [2] ; 2"}},
     .misuses = {{"2x3,2x3x3,-", "", "(batch, channels, length)"}, {"1x3x5,2x2x3,-", "", "sequences [1, 3, 5] have 3 channels on axis 1, the filter [2, 2, 3] expects 2"}, {"2x9x4,2x4x3,-", "", "channels come second: permute(0, 2, 1)"}, {"1x2x3,1x2x5,-", "", "a window 5 long does not fit sequences that are 3 long"}}},

    {.name = "conv3d",
     .summary = "Slides filters (out channels, channels / groups, depth, height, width) over volumes (batch, channels, depth, height, width).",
     .example = "tensor([[[[[1, 2]], [[3, 4]]]]]).conv3d(tensor([[[[[1]], [[1]]]]]))", .gives = "[[[[[4, 6]]]]]",
     .params = kConvParams,
     .result_type = ResultType::kFloating,
     .shape = shape_conv<3>,
     .forward = forward_conv,
     .gradient = gradient_conv<kThree>,
     .arithmetic = Arithmetic::kFilter,
     .samples = {{"1x2x3x4x3,2x2x2x3x2,2"}, {"1x2x4x3x4,2x1x2x2x2,-", "[2, 1, 1] ; [1] ; [1, 1, 2] ; 2"}},
     .misuses = {{"1x2x3x4,2x2x2x2x2,-", "", "use unsqueeze(0)"}}},

    {.name = "conv3dInputGradient",
     .summary = "Gradient of conv3d by its volumes, which have the spatial size `inputSize`.",
     .example = "tensor([[[[[2]]]]]).conv3dInputGradient(tensor([[[[[1, 3]]]]]), [1, 1, 2])", .gives = "[[[[[2, 6]]]]]",
     .params = kInputGradientParams,
     .result_type = ResultType::kFloating,
     .shape = shape_input_gradient,
     .forward = forward_input_gradient,
     .gradient = gradient_input_gradient<kThree>,
     .arithmetic = Arithmetic::kInputGradient,
     .internal = true,
     .samples = {{"1x2x2x2x2,2x2x2x3x2", "[3, 4, 3]"}}},

    {.name = "conv3dFilterGradient",
     .summary = "Gradient of conv3d by its filter, which has the spatial size `kernelSize`.",
     .example = "tensor([[[[[2]]]]]).conv3dFilterGradient(tensor([[[[[1, 3]]]]]), [1, 1, 2])", .gives = "[[[[[2, 6]]]]]",
     .params = kFilterGradientParams,
     .result_type = ResultType::kFloating,
     .shape = shape_filter_gradient,
     .forward = forward_filter_gradient,
     .gradient = gradient_filter_gradient<kThree>,
     .arithmetic = Arithmetic::kFilterGradient,
     .internal = true,
     .samples = {{"1x2x2x2x2,1x2x3x4x3", "[2, 3, 2]"}}},

    {.name = "convTranspose2d",
     .summary = "Turns small images into larger ones: what conv2d with this filter does to its gradient. The filter is (channels, out channels / groups, height, width).",
     .example = "tensor([[[[1, 2]]]]).convTranspose2d(tensor([[[[1, 10]]]]), { stride: 2 })", .gives = "[[[[1, 10, 2, 20]]]]",
     .params = kTransposedParams,
     .compose = compose_conv_transpose<2>,
     .samples = {{"2x3x3x2,3x2x2x3,2"}, {"1x4x3x3,4x1x3x3,2", "[2] ; [1] ; [1] ; [1] ; 2"}, {"1x2x3x3,2x1x2x2,-", "[2, 1] ; [0] ; [1, 0] ; [1, 2]"}, {"1x2x2x3,2x1x2x2,-", "[3, 1] ; [1] ; [2, 3] ; [4]"}},
     .misuses = {{"1x3x4x4,2x1x3x3,-", "", "have 3 channels on axis 1, the filter [2, 1, 3, 3] expects 2"}, {"1x1x2x2,1x1x2x2,-", "[1] ; [0] ; [1]", "`outputPadding` must be less"}}},

    {.name = "convTranspose1d",
     .summary = "convTranspose2d for sequences (batch, channels, length).",
     .example = "tensor([[[1, 2]]]).convTranspose1d(tensor([[[1, 10]]]), { stride: 2 })", .gives = "[[[1, 10, 2, 20]]]",
     .params = kTransposedParams,
     .compose = compose_conv_transpose1d,
     .samples = {{"2x3x4,3x2x3,2"}, {"1x2x3,2x1x3,-", "[2] ; [1] ; [1]"}},
     .misuses = {{"1x3,2x1x3,-", "", "(batch, channels, length)"}, {"1x5x2,2x1x3,-", "", "sequences [1, 5, 2] have 5 channels on axis 1, the filter [2, 1, 3] expects 2; channels come second: permute(0, 2, 1)"}}},

    {.name = "convTranspose3d",
     .summary = "convTranspose2d for volumes (batch, channels, depth, height, width).",
     .example = "tensor([[[[[1, 2]]]]]).convTranspose3d(tensor([[[[[1, 10]]]]]), { stride: 2 })", .gives = "[[[[[1, 10, 2, 20]]]]]",
     .params = kTransposedParams,
     .compose = compose_conv_transpose<3>,
     .samples = {{"1x2x2x3x2,2x1x2x1x2,1"}, {"1x2x2x2x2,2x1x1x2x2,2", "[2, 1, 2] ; [0, 1, 0] ; [1, 0, 0] ; [1] ; 2"}},
     .misuses = {{"1x3x4x4,3x1x3x3,-", "", "(batch, channels, depth, height, width)"}, {"1x3x2x2x2,2x1x1x1x1,-", "", "expects 2"}}},
};

}  // namespace

GRADBOOK_FAMILY(convolution, kConvolution)

}  // namespace gradbook
