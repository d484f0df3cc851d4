// Pooling: one number for each window of an image. The geometry is in windows.h.
#include <algorithm>

#include "kernels/pooling.h"
#include "ops/fast.h"
#include "ops/table.h"
#include "ops/vocabulary.h"
#include "ops/windows.h"

namespace gradbook {
namespace {

// Attributes of a pool begin at `first`: kernelSize, stride (absent: kernelSize), padding.
Windows windows_of(const Call& c, const Shape& images, int first) {
  if (images.rank() != 4) fail(ErrorCode::kShape, "needs images of shape (batch, channels, height, width), got ", images, images.rank() == 3 ? "; for a single image use unsqueeze(0)" : "");
  Windows w;
  const Shape window = per_axis(c, first, 2, 1), stride = c.has(first + 1) ? per_axis(c, first + 1, 2, 1) : window, padding = per_axis(c, first + 2, 2, 0);
  for (int i = 0; i < 2; ++i) {
    WindowAxis& a = w.axes[i + 1];
    a.in = images[i + 2];
    a.window = window[i];
    a.stride = stride[i];
    a.padding = padding[i];
    if (padding[i] * 2 > window[i]) fail(ErrorCode::kValue, "`padding` must be at most half of the window, got ", padding[i], " for a window of ", window[i]);
  }
  return w;
}

// Every window must hold at least one element: there is no largest of none, and no average.
void check_windows(const WindowAxis& a) {
  for (Index at = 0; at < a.out; ++at) {
    bool holds = false;
    for (Index k = 0; k < a.window && !holds; ++k) holds = a.inside(a.place(at, k));
    if (!holds) fail(ErrorCode::kShape, "window ", at, " of an axis of size ", a.in, " would hold nothing but padding; use less padding or dilation");
  }
}

Shape with_spatial(const Shape& images, Index height, Index width) { return {images[0], images[1], height, width}; }

// -- maximum: attributes kernelSize, stride, padding, dilation, ceilMode ------------------------------------------------------------

Windows max_windows(const Call& c) {
  Windows w = windows_of(c, c.input(0).shape(), 0);
  const Shape dilation = per_axis(c, 3, 2, 1);
  w.axes[1].dilation = dilation[0];
  w.axes[2].dilation = dilation[1];
  infer_out(w, 2, c.boolean(4));
  for (int i : {1, 2}) check_windows(w.axes[i]);
  return w;
}

Shape shape_max_pool(const Call& c) {
  const Windows w = max_windows(c);
  return with_spatial(c.input(0).shape(), w.axes[1].out, w.axes[2].out);
}

// Keeps the place of each maximum inside its plane in saved[0], for the gradient.
void forward_max_pool(Call& c) {
  const Windows w = max_windows(c);
  const Index planes = c.input(0).size(0) * c.input(0).size(1), in = w.in_count(), out = w.out_count();
  const Tensor places = saved_tensor(c, c.result.shape(), DType::kInt32);
  dispatch(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (Index plane = 0; plane < planes; ++plane) {
      const T* x = c.input(0).data<T>() + plane * in;
      T* y = c.result.data<T>() + plane * out;
      int32_t* place = places.data<int32_t>() + plane * out;
      std::fill(place, place + out, -1);
      for_each_window_element(w, [&](Index p, Index, Index i) {
        // The first element always, then only larger ones; NaN wins and stays.
        if (place[p] < 0 || x[i] > y[p] || (x[i] != x[i] && y[p] == y[p])) {
          y[p] = x[i];
          place[p] = static_cast<int32_t>(i);
        }
      });
    }
  });
}

Gradients gradient_max_pool(const Call& c, const Tensor& grad) {
  const Shape& images = c.input(0).shape();
  return {op<"maxPool2dGradient">({grad, c.saved[0]}, {Shape{images[2], images[3]}})};
}

Shape shape_max_pool_gradient(const Call& c) { return with_spatial(c.input(0).shape(), c.integers(0)[0], c.integers(0)[1]); }

void forward_max_pool_gradient(Call& c) {
  const Shape& small = c.input(0).shape();
  const Index out = small[2] * small[3], in = c.result.size(2) * c.result.size(3);
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* to = c.result.data<T>();
    std::fill(to, to + c.result.element_count(), T(0));
    for (Index plane = 0; plane < small[0] * small[1]; ++plane)
      for (Index p = 0; p < out; ++p) to[plane * in + c.input(1).data<int32_t>()[plane * out + p]] += c.input(0).data<T>()[plane * out + p];
  });
}

// The gradient picks the same places again.
Gradients gradient_max_pool_gradient(const Call& c, const Tensor& grad) {
  const Shape& small = c.input(0).shape();
  const Tensor planes = reshape(grad, {small[0], small[1], grad.size(2) * grad.size(3)});
  return {reshape(gather(planes, reshape(c.input(1), {small[0], small[1], small[2] * small[3]}), 2), small), Tensor()};
}

// -- average: attributes kernelSize, stride, padding, ceilMode, countIncludePad ---------------------------------------------------------

Windows average_windows(const Call& c, const Shape& images, int first) {
  Windows w = windows_of(c, images, first);
  infer_out(w, 2, c.boolean(first + 3));
  for (int i : {1, 2}) check_windows(w.axes[i]);
  return w;
}

// Elements that a window of one axis is divided by: padding counts when asked for, what lies behind the padding never does.
Index counted(const WindowAxis& a, Index at, bool padding) {
  const Index start = a.place(at, 0), end = start + a.window;
  return padding ? std::min(end, a.in + a.padding) - start : std::min(end, a.in) - std::max<Index>(start, 0);
}

Shape shape_average_pool(const Call& c) {
  const Windows w = average_windows(c, c.input(0).shape(), 0);
  return with_spatial(c.input(0).shape(), w.axes[1].out, w.axes[2].out);
}

void forward_average_pool(Call& c) {
  const Windows w = average_windows(c, c.input(0).shape(), 0);
  const Index planes = c.input(0).size(0) * c.input(0).size(1), in = w.in_count(), out = w.out_count();
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<double> sums(static_cast<size_t>(out));
    for (Index plane = 0; plane < planes; ++plane) {
      const T* x = c.input(0).data<T>() + plane * in;
      std::fill(sums.begin(), sums.end(), 0.0);
      for_each_window_element(w, [&](Index p, Index, Index i) { sums[static_cast<size_t>(p)] += static_cast<double>(x[i]); });
      T* y = c.result.data<T>() + plane * out;
      for (Index p = 0; p < out; ++p)
        y[p] = static_cast<T>(sums[static_cast<size_t>(p)] / static_cast<double>(counted(w.axes[1], p / w.axes[2].out, c.boolean(4)) * counted(w.axes[2], p % w.axes[2].out, c.boolean(4))));
    }
  });
}

Gradients gradient_average_pool(const Call& c, const Tensor& grad) {
  const Shape& images = c.input(0).shape();
  return {op<"avgPool2dGradient">({grad}, {Shape{images[2], images[3]}, c.attribute(0), c.attribute(1), c.attribute(2), c.attribute(3), c.attribute(4)})};
}

Windows average_gradient_windows(const Call& c) {
  const Shape &grad = c.input(0).shape(), size = c.integers(0);
  const Windows w = average_windows(c, {grad[0], grad[1], size[0], size[1]}, 1);
  check(w.axes[1].out == grad[2] && w.axes[2].out == grad[3], ErrorCode::kShape, "the gradient does not belong to this pool");
  return w;
}

Shape shape_average_pool_gradient(const Call& c) {
  average_gradient_windows(c);
  return with_spatial(c.input(0).shape(), c.integers(0)[0], c.integers(0)[1]);
}

void forward_average_pool_gradient(Call& c) {
  const Windows w = average_gradient_windows(c);
  const Index planes = c.result.size(0) * c.result.size(1), in = w.in_count(), out = w.out_count();
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* to = c.result.data<T>();
    std::fill(to, to + c.result.element_count(), T(0));
    for (Index plane = 0; plane < planes; ++plane)
      for_each_window_element(w, [&](Index p, Index, Index i) {
        const Index count = counted(w.axes[1], p / w.axes[2].out, c.boolean(5)) * counted(w.axes[2], p % w.axes[2].out, c.boolean(5));
        to[plane * in + i] += c.input(0).data<T>()[plane * out + p] / static_cast<T>(count);
      });
  });
}

// -- quick versions ----------------------------------------------------------------------------------------------------------------

kernels::PoolShape pool_shape(const Windows& w, Index planes) {
  const WindowAxis &y = w.axes[1], &x = w.axes[2];
  return {.planes = planes,
          .in_height = y.in, .in_width = x.in,
          .out_height = y.out, .out_width = x.out,
          .window_height = y.window, .window_width = x.window,
          .stride_y = y.stride, .stride_x = x.stride,
          .padding_y = y.padding, .padding_x = x.padding,
          .dilation_y = y.dilation, .dilation_x = x.dilation};
}
Index planes_of(const Tensor& images) { return images.size(0) * images.size(1); }

bool fast_max_pool(Call& c) {
  if (!all_float32(c)) return false;
  const Tensor places = saved_tensor(c, c.result.shape(), DType::kInt32);
  kernels::max_pool_forward(pool_shape(max_windows(c), planes_of(c.input(0))), floats(c.input(0)), floats(c.result), places.data<int32_t>());
  return true;
}
bool fast_max_pool_gradient(Call& c) {
  if (c.input(0).dtype() != DType::kFloat32 || c.input(1).dtype() != DType::kInt32) return false;
  // Windows do not matter here: the places say it all.
  const kernels::PoolShape shape = {.planes = planes_of(c.result), .in_height = c.result.size(2), .in_width = c.result.size(3), .out_height = c.input(0).size(2), .out_width = c.input(0).size(3)};
  kernels::max_pool_backward(shape, floats(c.input(0)), c.input(1).data<int32_t>(), floats(c.result));
  return true;
}
bool fast_average_pool(Call& c) {
  if (!all_float32(c)) return false;
  kernels::average_pool_forward(pool_shape(average_windows(c, c.input(0).shape(), 0), planes_of(c.input(0))), c.boolean(4), floats(c.input(0)), floats(c.result));
  return true;
}
bool fast_average_pool_gradient(Call& c) {
  if (!all_float32(c)) return false;
  kernels::average_pool_backward(pool_shape(average_gradient_windows(c), planes_of(c.result)), c.boolean(5), floats(c.input(0)), floats(c.result));
  return true;
}

// -- one spatial axis -----------------------------------------------------------------------------------------------------------------

Attribute in_front(Index value, const Attribute& of_width) {
  return of_width.present ? Attribute(std::vector<double>{static_cast<double>(value), of_width.list.empty() ? 0 : of_width.list[0]}) : of_width;
}
Tensor as_image(const Call& c) {
  if (c.input(0).rank() != 3) fail(ErrorCode::kShape, "needs a sequence of shape (batch, channels, length), got ", c.input(0).shape());
  return unsqueeze(c.input(0), 2);
}
Tensor compose_max_pool1d(const Call& c) {
  return squeeze(op<"maxPool2d">({as_image(c)}, {in_front(1, c.attribute(0)), in_front(1, c.attribute(1)), in_front(0, c.attribute(2)), in_front(1, c.attribute(3)), c.attribute(4)}), 2);
}
Tensor compose_average_pool1d(const Call& c) {
  return squeeze(op<"avgPool2d">({as_image(c)}, {in_front(1, c.attribute(0)), in_front(1, c.attribute(1)), in_front(0, c.attribute(2)), c.attribute(3), c.attribute(4)}), 2);
}

// -- adaptive: result i of n covers elements floor(i size / n) to ceil((i + 1) size / n) ------------------------------------------------

Index adaptive_start(Index i, Index size, Index n) { return i * size / n; }
Index adaptive_end(Index i, Index size, Index n) { return ((i + 1) * size + n - 1) / n; }

// (n, size): row i holds 1 / count where result i looks.
Tensor averaging_matrix(Index n, Index size, DType type) {
  std::vector<double> values(static_cast<size_t>(n * size), 0.0);
  for (Index i = 0; i < n; ++i)
    for (Index j = adaptive_start(i, size, n), end = adaptive_end(i, size, n); j < end; ++j)
      values[static_cast<size_t>(i * size + j)] = 1.0 / static_cast<double>(end - adaptive_start(i, size, n));
  return Tensor::from({n, size}, values, type);
}

Shape adaptive_size(const Call& c, int spatial) {
  const Tensor& x = c.input(0);
  if (x.rank() < spatial + 1) fail(ErrorCode::kShape, "needs channels and ", spatial, " spatial axes, got shape ", x.shape());
  return per_axis(c, 0, spatial, 1);
}

template <int kSpatial>
Tensor compose_adaptive_average(const Call& c) {
  const Shape size = adaptive_size(c, kSpatial);
  const DType type = computing_type(c.input(0).dtype());
  Tensor x = c.input(0);
  // One matrix per axis: averages of rows, then of columns.
  for (int i = 0; i < kSpatial; ++i) {
    const int axis = x.rank() - kSpatial + i;
    const Tensor weights = averaging_matrix(size[i], x.size(axis), type);
    x = axis == x.rank() - 1 ? matmul(x, transposed(weights)) : matmul(weights, x);
  }
  return x;
}

template <int kSpatial>
Tensor compose_adaptive_max(const Call& c) {
  const Shape size = adaptive_size(c, kSpatial);
  Tensor x = c.input(0);
  for (int i = 0; i < kSpatial; ++i) {
    const int axis = x.rank() - kSpatial + i;
    std::vector<Tensor> parts;
    for (Index k = 0; k < size[i]; ++k)
      parts.push_back(op<"max">({slice(x, adaptive_start(k, x.size(axis), size[i]), adaptive_end(k, x.size(axis), size[i]), axis)}, {Shape{axis}, true}));
    x = concat(parts, axis);
  }
  return x;
}

constexpr Params kMaxParams = {tensor("x"), integers("kernelSize"), optional_integers("stride"), integers("padding", "[0]"), integers("dilation", "[1]"), boolean("ceilMode", false)};
constexpr Params kAverageParams = {tensor("x"), integers("kernelSize"), optional_integers("stride"), integers("padding", "[0]"), boolean("ceilMode", false), boolean("countIncludePad", true)};

constexpr OpRow kPooling[] = {
    {.name = "maxPool2d",
     .summary = "The largest element of each window; `stride` is the window's size when left out. Where several are equal, the first gets the gradient; NaN wins.",
     .example = "tensor([[[[1, 2], [4, 3]]]]).maxPool2d(2)", .gives = "[[[[4]]]]",
     .params = kMaxParams,
     .shape = shape_max_pool,
     .forward = forward_max_pool,
     .fast = fast_max_pool,
     .gradient = gradient_max_pool,
     .samples = {{"2x2x4x6", "[2]"}, {"1x2x5x5", "[3, 2] ; [2, 1] ; [1, 0]"}, {"1x1x5x6", "[2] ; [2] ; [1] ; [1] ; true"}, {"1x2x6x6", "[2] ; [1] ; [0] ; [2, 3]"}, {"0x2x4x4", "[2]"}, {"1x3x28x28", "[2]"}},
     .misuses = {{"2x4x4", "[2]", "use unsqueeze(0)"}, {"1x1x2x2", "[2] ; [1] ; [1] ; [3]", "nothing but padding"}, {"1x1x4x4", "[2] ; [2] ; [2]", "at most half of the window"}, {"1x1x4x4", "[0]", "`kernelSize` must be at least 1"}}},

    {.name = "maxPool2dGradient",
     .summary = "Puts each gradient at the place of its maximum: the gradient of maxPool2d.",
     .example = "tensor([[[[5]]]]).maxPool2dGradient(tensor([[[[2]]]]).to('int32'), [2, 2])", .gives = "[[[[0, 0], [5, 0]]]]",
     .params = {tensor("grad"), tensor("places"), integers("inputSize")},
     .result_type = ResultType::kFirst,
     .shape = shape_max_pool_gradient,
     .forward = forward_max_pool_gradient,
     .fast = fast_max_pool_gradient,
     .gradient = gradient_max_pool_gradient,
     .internal = true,
     .samples = {{"2x2x2x3,2x2x2x3", "[4, 6]", -2, 2, "1:24"}, {"0x2x2x2,0x2x2x2", "[4, 4]", -2, 2, "1:16"}}},

    {.name = "avgPool2d",
     .summary = "The average of each window; padding counts as zeros unless `countIncludePad` is false.",
     .example = "tensor([[[[1, 2], [4, 3]]]]).avgPool2d(2)", .gives = "[[[[2.5]]]]",
     .params = kAverageParams,
     .result_type = ResultType::kFloating,
     .shape = shape_average_pool,
     .forward = forward_average_pool,
     .fast = fast_average_pool,
     .gradient = gradient_average_pool,
     .samples = {{"2x2x4x6", "[2]"}, {"1x2x5x5", "[3, 2] ; [2, 1] ; [1, 0]"}, {"1x1x5x6", "[2] ; [2] ; [1] ; true ; false"}, {"1x1x5x5", "[3] ; [2] ; [1] ; true"}, {"0x2x4x4", "[2]"}},
     .misuses = {{"1x1x2x2", "[3]", "does not fit images that are 2 high"}, {"4x4", "[2]", "(batch, channels, height, width)"}}},

    {.name = "avgPool2dGradient",
     .summary = "Shares each gradient among the elements of its window: the gradient of avgPool2d.",
     .example = "tensor([[[[4]]]]).avgPool2dGradient([2, 2], 2)", .gives = "[[[[1, 1], [1, 1]]]]",
     .params = {tensor("grad"), integers("inputSize"), integers("kernelSize"), optional_integers("stride"), integers("padding", "[0]"), boolean("ceilMode", false), boolean("countIncludePad", true)},
     .result_type = ResultType::kFloating,
     .shape = shape_average_pool_gradient,
     .forward = forward_average_pool_gradient,
     .fast = fast_average_pool_gradient,
     .gradient = [](const Call& c, const Tensor& grad) { return Gradients{op<"avgPool2d">({grad}, {c.attribute(1), c.attribute(2), c.attribute(3), c.attribute(4), c.attribute(5)})}; },
     .internal = true,
     .samples = {{"2x2x2x3", "[4, 6] ; [2]"}, {"1x2x3x4", "[5, 5] ; [3, 2] ; [2, 1] ; [1, 0]"}, {"1x1x3x4", "[5, 6] ; [2] ; [2] ; [1] ; true ; false"}}},

    {.name = "maxPool1d",
     .summary = "maxPool2d for sequences (batch, channels, length).",
     .example = "tensor([[[1, 3, 2, 5]]]).maxPool1d(2)", .gives = "[[[3, 5]]]",
     .params = kMaxParams,
     .compose = compose_max_pool1d,
     .samples = {{"2x2x6", "[2]"}, {"1x2x7", "[3] ; [2] ; [1]"}},
     .misuses = {{"2x6", "[2]", "(batch, channels, length)"}}},

    {.name = "avgPool1d",
     .summary = "avgPool2d for sequences (batch, channels, length).",
     .example = "tensor([[[1, 3, 2, 5]]]).avgPool1d(2)", .gives = "[[[2, 3.5]]]",
     .params = kAverageParams,
     .compose = compose_average_pool1d,
     .samples = {{"2x2x6", "[2]"}, {"1x2x7", "[3] ; [2] ; [1] ; false ; false"}},
     .misuses = {{"2x6", "[2]", "(batch, channels, length)"}}},

    {.name = "adaptiveAvgPool2d",
     .summary = "Averages over as many even parts of height and width as `outputSize` says, whatever the image's size.",
     .example = "tensor([[[[1, 2], [4, 3]]]]).adaptiveAvgPool2d(1)", .gives = "[[[[2.5]]]]",
     .params = {tensor("x"), integers("outputSize")},
     .compose = compose_adaptive_average<2>,
     .samples = {{"2x2x4x6", "[2, 3]"}, {"1x2x5x7", "[3, 2]"}, {"1x2x2x2", "[3]"}},
     .misuses = {{"4x4", "[2]", "needs channels and 2 spatial axes"}}},

    {.name = "adaptiveAvgPool1d",
     .summary = "adaptiveAvgPool2d for sequences (batch, channels, length).",
     .example = "tensor([[[1, 3, 2, 4]]]).adaptiveAvgPool1d(2)", .gives = "[[[2, 3]]]",
     .params = {tensor("x"), integers("outputSize")},
     .compose = compose_adaptive_average<1>,
     .samples = {{"2x2x6", "[3]"}, {"1x2x7", "[3]"}},
     .misuses = {{"4", "[2]", "needs channels and 1 spatial axes"}}},

    {.name = "adaptiveMaxPool2d",
     .summary = "The largest element of as many even parts of height and width as `outputSize` says. Equal elements share the gradient.",
     .example = "tensor([[[[1, 2], [4, 3]]]]).adaptiveMaxPool2d(1)", .gives = "[[[[4]]]]",
     .params = {tensor("x"), integers("outputSize")},
     .compose = compose_adaptive_max<2>,
     .samples = {{"2x2x4x6", "[2, 3]"}, {"1x2x5x7", "[3, 2]"}},
     .misuses = {{"4x4", "[2]", "needs channels and 2 spatial axes"}}},

    {.name = "adaptiveMaxPool1d",
     .summary = "adaptiveMaxPool2d for sequences (batch, channels, length).",
     .example = "tensor([[[1, 3, 2, 4]]]).adaptiveMaxPool1d(2)", .gives = "[[[3, 4]]]",
     .params = {tensor("x"), integers("outputSize")},
     .compose = compose_adaptive_max<1>,
     .samples = {{"2x2x6", "[3]"}, {"1x2x7", "[3]"}},
     .misuses = {{"4", "[2]", "needs channels and 1 spatial axes"}}},
};

}  // namespace

GRADBOOK_FAMILY(pooling, kPooling)

}  // namespace gradbook
