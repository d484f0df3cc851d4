// Images at another size (interpolate), and windows of images as columns and back (unfold, fold).
#include <algorithm>

#include "ops/table.h"
#include "ops/vocabulary.h"
#include "ops/windows.h"

namespace gradbook {
namespace {

// -- interpolate: one axis at a time ------------------------------------------------------------------------------------------

// How result i of `out` places finds its sources among `in` places; `scale` is input places per result place.
struct AxisScale {
  Index in, out;
  double scale;
  bool align_corners;
  double source(Index i) const { return align_corners ? static_cast<double>(i) * scale : (static_cast<double>(i) + 0.5) * scale - 0.5; }
};

Tensor nearest(const Tensor& x, int axis, const AxisScale& s, bool exact) {
  std::vector<double> places;
  for (Index i = 0; i < s.out; ++i) {
    const double at = exact ? (static_cast<double>(i) + 0.5) * s.scale : static_cast<double>(i) * s.scale;
    places.push_back(static_cast<double>(std::clamp<Index>(static_cast<Index>(std::floor(at)), 0, s.in - 1)));
  }
  return indexSelect(x, Tensor::from({s.out}, places, DType::kInt32), axis);
}

// Weights of the sources of one result place are a row of a matrix (out, in): the axis becomes a product with it.
Tensor weighted(const Tensor& x, int axis, const AxisScale& s, bool cubic) {
  std::vector<double> weights(static_cast<size_t>(s.out * s.in), 0.0);
  auto add = [&](Index row, Index place, double weight) { weights[static_cast<size_t>(row * s.in + std::clamp<Index>(place, 0, s.in - 1))] += weight; };
  for (Index i = 0; i < s.out; ++i) {
    double at = s.source(i);
    if (!cubic) {
      at = std::max(at, 0.0);
      const Index first = static_cast<Index>(at);
      const double rest = std::min(at - static_cast<double>(first), 1.0);
      add(i, first, 1 - rest);
      add(i, first + 1, rest);
      continue;
    }
    // Keys (1981), "Cubic convolution interpolation for digital image processing", with a = -0.75 as PyTorch.
    constexpr double a = -0.75;
    const Index first = static_cast<Index>(std::floor(at));
    const double t = at - static_cast<double>(first);
    auto near = [](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
    auto far = [](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
    add(i, first - 1, far(t + 1));
    add(i, first, near(t));
    add(i, first + 1, near(1 - t));
    add(i, first + 2, far(2 - t));
  }
  const Tensor matrix = Tensor::from({s.out, s.in}, weights, x.dtype());
  if (axis == x.rank() - 1) return matmul(x, transposed(matrix));
  const Tensor turned = transpose(x, axis, -1);
  return transpose(matmul(turned, transposed(matrix)), axis, -1);
}

// Attributes: size, scaleFactor, mode, alignCorners.
Tensor compose_interpolate(const Call& c) {
  const std::string mode = c.text(2);
  const int spatial = c.input(0).rank() - 2;
  const int needed = mode == "linear" ? 1 : mode == "bilinear" || mode == "bicubic" ? 2 : mode == "trilinear" ? 3 : 0;
  if (needed == 0 && mode != "nearest" && mode != "nearest-exact" && mode != "area")
    fail(ErrorCode::kValue, "`mode` must be 'nearest', 'nearest-exact', 'linear', 'bilinear', 'bicubic', 'trilinear' or 'area', got '", mode, "'");
  if (spatial < 1 || spatial > 3 || (needed && spatial != needed))
    fail(ErrorCode::kShape, "mode '", mode, "' needs (batch, channels) and ", needed ? std::to_string(needed) : std::string("1 to 3"), " spatial axes, got shape ", c.input(0).shape());
  if (c.has(0) == c.has(1)) fail(ErrorCode::kValue, "needs either `size` or `scaleFactor`");
  const DType type = c.input(0).dtype();
  // Weights are made in the type of x, and float16 would round them.
  Tensor x = (needed && !is_floating(type)) || type == DType::kFloat16 ? to(c.input(0), DType::kFloat32) : c.input(0);
  std::vector<double> factors = c.has(1) ? c.attribute(1).list : std::vector<double>();
  if (factors.size() == 1) factors = std::vector<double>(static_cast<size_t>(spatial), factors[0]);
  if (c.has(1) && factors.size() != static_cast<size_t>(spatial)) fail(ErrorCode::kValue, "`scaleFactor` needs one number, or one for each of the ", spatial, " axes");
  const Shape sizes = c.has(0) ? per_axis(c, 0, spatial, 1) : Shape{};
  for (int i = 0; i < spatial; ++i) {
    const int axis = i + 2;
    AxisScale s{x.size(axis), 0, 1, c.boolean(3) && needed};
    if (s.in == 0) fail(ErrorCode::kShape, "has no elements to interpolate: ", x.shape());
    if (c.has(1) && !(factors[static_cast<size_t>(i)] > 0)) fail(ErrorCode::kValue, "`scaleFactor` must be positive, got ", factors[static_cast<size_t>(i)]);
    s.out = c.has(0) ? sizes[i] : static_cast<Index>(std::floor(static_cast<double>(s.in) * factors[static_cast<size_t>(i)]));
    if (s.out < 1) fail(ErrorCode::kValue, "the result would have no elements along axis ", axis);
    s.scale = s.align_corners ? (s.out > 1 ? static_cast<double>(s.in - 1) / static_cast<double>(s.out - 1) : 0)
              : c.has(1)      ? 1 / factors[static_cast<size_t>(i)]
                              : static_cast<double>(s.in) / static_cast<double>(s.out);
    if (mode == "area")
      x = transpose(op<"adaptiveAvgPool1d">({transpose(x, axis, -1)}, {Shape{s.out}}), axis, -1);
    else
      x = needed ? weighted(x, axis, s, mode == "bicubic") : nearest(x, axis, s, mode == "nearest-exact");
  }
  return x;
}

// -- unfold and fold: attributes (outputSize,) kernelSize, dilation, padding, stride -----------------------------------------------

Windows unfold_windows(const Call& c, Index height, Index width, int first) {
  Windows w;
  const Shape window = per_axis(c, first, 2, 1), dilation = per_axis(c, first + 1, 2, 1), padding = per_axis(c, first + 2, 2, 0), stride = per_axis(c, first + 3, 2, 1);
  for (int i = 0; i < 2; ++i) {
    WindowAxis& a = w.axes[i + 1];
    a.in = i == 0 ? height : width;
    a.window = window[i];
    a.dilation = dilation[i];
    a.padding = padding[i];
    a.stride = stride[i];
  }
  infer_out(w, 2);
  return w;
}

Windows unfold_windows_of(const Call& c) {
  const Shape& x = c.input(0).shape();
  if (x.rank() != 4) fail(ErrorCode::kShape, "needs images of shape (batch, channels, height, width), got ", x, x.rank() == 3 ? "; for a single image use unsqueeze(0)" : "");
  return unfold_windows(c, x[2], x[3], 0);
}
Shape shape_unfold(const Call& c) {
  const Windows w = unfold_windows_of(c);
  return {c.input(0).size(0), c.input(0).size(1) * w.window_count(), w.out_count()};
}
void forward_unfold(Call& c) {
  const Windows w = unfold_windows_of(c);
  const Index planes = c.input(0).size(0) * c.input(0).size(1), window = w.window_count(), out = w.out_count();
  dispatch(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* to = c.result.data<T>();
    std::fill(to, to + c.result.element_count(), T(0));
    for (Index plane = 0; plane < planes; ++plane) {
      const T* x = c.input(0).data<T>() + plane * w.in_count();
      for_each_window_element(w, [&](Index p, Index tap, Index i) { to[(plane * window + tap) * out + p] = x[i]; });
    }
  });
}
Gradients gradient_unfold(const Call& c, const Tensor& grad) {
  const Shape& x = c.input(0).shape();
  return {op<"fold">({grad}, {Shape{x[2], x[3]}, c.attribute(0), c.attribute(1), c.attribute(2), c.attribute(3)})};
}

Windows fold_windows_of(const Call& c) {
  const Shape size = per_axis(c, 0, 2, 1);
  return unfold_windows(c, size[0], size[1], 1);
}
Shape shape_fold(const Call& c) {
  const Shape& x = c.input(0).shape();
  const Windows w = fold_windows_of(c);
  if (x.rank() != 3 || x[1] % w.window_count() != 0 || x[2] != w.out_count())
    fail(ErrorCode::kShape, "needs (batch, channels * ", w.window_count(), ", ", w.out_count(), ") for these windows, got ", x);
  return {x[0], x[1] / w.window_count(), w.axes[1].in, w.axes[2].in};
}
void forward_fold(Call& c) {
  const Windows w = fold_windows_of(c);
  const Index planes = c.result.size(0) * c.result.size(1), window = w.window_count(), out = w.out_count();
  dispatch(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* to = c.result.data<T>();
    std::fill(to, to + c.result.element_count(), T(0));
    for (Index plane = 0; plane < planes; ++plane) {
      T* y = to + plane * w.in_count();
      for_each_window_element(w, [&](Index p, Index tap, Index i) { y[i] = static_cast<T>(y[i] + c.input(0).data<T>()[(plane * window + tap) * out + p]); });
    }
  });
}

constexpr OpRow kResample[] = {
    {.name = "interpolate",
     .summary = "Images, sequences or volumes at another size, by 'nearest', 'linear', 'bilinear', 'bicubic', 'trilinear' or 'area'; `alignCorners` keeps the outermost elements in place.",
     .example = "tensor([[[1, 3]]]).interpolate({ scaleFactor: 2, mode: 'linear' })", .gives = "[[[1, 1.5, 2.5, 3]]]",
     .params = {tensor("x"), optional_integers("size"), optional_numbers("scaleFactor"), text("mode", "'nearest'"), boolean("alignCorners", false)},
     .compose = compose_interpolate,
     .samples = {{"1x2x3x4", "undefined ; [2]"}, {"1x2x3x4", "[5, 3] ; undefined ; 'bilinear'"}, {"1x1x3x4", "[5, 7] ; undefined ; 'bilinear' ; true"}, {"1x2x5", "[3] ; undefined ; 'linear'"},
                 {"1x1x4x4", "[6, 7] ; undefined ; 'bicubic'"}, {"1x1x2x3x2", "undefined ; [1.5, 2, 2] ; 'trilinear'"}, {"1x1x4x6", "[2, 3] ; undefined ; 'area'"}, {"1x1x5", "[7] ; undefined ; 'nearest-exact'"}},
     .misuses = {{"1x1x2x2", "[3] ; [2]", "either `size` or `scaleFactor`"}, {"1x1x2", "[3] ; undefined ; 'bilinear'", "needs (batch, channels) and 2 spatial axes"}, {"1x1x2x2", "[3] ; undefined ; 'cubic'", "`mode` must be"}}},

    {.name = "unfold",
     .summary = "All windows of images as columns: (batch, channels * window, places). A convolution is a matrix product with them.",
     .example = "tensor([[[[1, 2, 3]]]]).unfold([1, 2])", .gives = "[[[1, 2], [2, 3]]]",
     .params = {tensor("x"), integers("kernelSize"), integers("dilation", "[1]"), integers("padding", "[0]"), integers("stride", "[1]")},
     .result_type = ResultType::kFirst,
     .shape = shape_unfold,
     .forward = forward_unfold,
     .gradient = gradient_unfold,
     .samples = {{"2x2x4x5", "[2, 3]"}, {"1x1x5x5", "[2] ; [2] ; [1] ; [2]"}, {"0x2x4x4", "[2]"}},
     .misuses = {{"2x4x5", "[2]", "use unsqueeze(0)"}, {"1x1x2x2", "[3]", "does not fit images"}}},

    {.name = "fold",
     .summary = "Puts columns of windows back into images of `outputSize`; where windows overlap, they add up.",
     .example = "tensor([[[1, 2], [2, 3]]]).fold([1, 3], [1, 2])", .gives = "[[[[1, 4, 3]]]]",
     .params = {tensor("x"), integers("outputSize"), integers("kernelSize"), integers("dilation", "[1]"), integers("padding", "[0]"), integers("stride", "[1]")},
     .result_type = ResultType::kFirst,
     .shape = shape_fold,
     .forward = forward_fold,
     .gradient = [](const Call& c, const Tensor& grad) { return Gradients{op<"unfold">({grad}, {c.attribute(1), c.attribute(2), c.attribute(3), c.attribute(4)})}; },
     .samples = {{"2x12x9", "[4, 5] ; [2, 3]"}, {"1x4x9", "[5, 5] ; [2] ; [2] ; [1] ; [2]"}},
     .misuses = {{"1x5x4", "[3, 3] ; [2]", "needs (batch, channels * 4, 4) for these windows, got [1, 5, 4]"}}},
};

}  // namespace

GRADBOOK_FAMILY(resample, kResample)

}  // namespace gradbook
