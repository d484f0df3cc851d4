// Every operator goes through the same four steps: made (or found among the kept ones), given sizes, given addresses, run.
#include "kernels/xnnpack.h"

#include <xnnpack.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "base/error.h"
#include "kernels/scratch.h"

namespace gradbook::kernels::xnnpack {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr size_t kMostKept = 128;

struct Deleter {
  void operator()(xnn_operator* op) const { xnn_delete_operator(op); }
};
using Operator = std::unique_ptr<xnn_operator, Deleter>;

void done(xnn_status status, const char* step) {
  check(status == xnn_status_success, ErrorCode::kUnknown, "XNNPACK could not ", step, " an operator (status ", static_cast<int>(status), ")");
}

void initialize() {
  static const bool ready = [] {
    done(xnn_initialize(nullptr), "initialize");
    return true;
  }();
  (void)ready;
}

/// Makes an operator; null when XNNPACK says that it has none for these settings.
template <class Make>
Operator make(Make create) {
  initialize();
  xnn_operator_t op = nullptr;
  const xnn_status status = create(&op);
  Operator owned(op);
  if (status == xnn_status_unsupported_parameter || status == xnn_status_invalid_parameter || status == xnn_status_unsupported_hardware) return nullptr;
  done(status, "make");
  return owned;
}

// What an operator was made with: its kind, then its settings.
using Key = std::array<uint32_t, 16>;
enum class Made : uint32_t { kUnary, kBinary, kMaxPool, kAveragePool, kSoftmax, kTranspose, kLinear };

// One per thread, as operators hold the addresses of the call that they run.
std::map<Key, Operator>& kept() {
  thread_local std::map<Key, Operator> operators;
  return operators;
}

/// The operator of `settings`, made with create(op) when it is not there yet; null when XNNPACK has none.
template <class Make>
xnn_operator_t keep(Made kind, std::initializer_list<Index> settings, Make create) {
  Key key{static_cast<uint32_t>(kind)};
  std::transform(settings.begin(), settings.end(), key.begin() + 1, [](Index value) { return static_cast<uint32_t>(value); });
  auto& operators = kept();
  if (const auto found = operators.find(key); found != operators.end()) return found->second.get();
  Operator made = make(create);
  if (!made) return nullptr;
  if (operators.size() >= kMostKept) operators.clear();
  return operators.emplace(key, std::move(made)).first->second.get();
}

void run(xnn_operator_t op) { done(xnn_run_operator(op, nullptr), "run"); }

uint32_t u32(Index value) { return static_cast<uint32_t>(value); }
size_t size(Index value) { return static_cast<size_t>(value); }
// Working memory of `bytes`.
Index floats_of(size_t bytes) { return static_cast<Index>(bytes / sizeof(float) + 1); }

/// Rows of padding behind the image that windows of this size reach.
Index padding_behind(Index in, Index out, Index padding, Index stride, Index reach) { return std::max<Index>(0, (out - 1) * stride + reach - in - padding); }
Index reach_of(Index filter, Index dilation) { return (filter - 1) * dilation + 1; }

std::vector<size_t> sizes_of(const Shape& shape) {
  std::vector<size_t> sizes;
  for (Index s : shape) sizes.push_back(size(s));
  return sizes;
}

int unary_of(Unary function) {
  switch (function) {
    case Unary::kNegate: return xnn_unary_negate;
    case Unary::kAbs: return xnn_unary_abs;
    case Unary::kRelu: return xnn_unary_clamp;
    case Unary::kSquare: return xnn_unary_square;
    case Unary::kSqrt: return xnn_unary_square_root;
    case Unary::kRsqrt: return xnn_unary_reciprocal_square_root;
    case Unary::kExp: return xnn_unary_exp;
    case Unary::kLog: return xnn_unary_log;
    case Unary::kSigmoid: return xnn_unary_sigmoid;
    case Unary::kTanh: return xnn_unary_tanh;
    case Unary::kGelu: return xnn_unary_gelu;
    case Unary::kSin: return xnn_unary_sine;
    case Unary::kCos: return xnn_unary_cosine;
    case Unary::kFloor: return xnn_unary_floor;
    case Unary::kCeil: return xnn_unary_ceiling;
    case Unary::kRound: return xnn_unary_bankers_rounding;
    case Unary::kSign: return xnn_unary_sign;
    default: return xnn_unary_invalid;
  }
}

int binary_of(Binary function) {
  switch (function) {
    case Binary::kAdd: return xnn_binary_add;
    case Binary::kSubtract: return xnn_binary_subtract;
    case Binary::kMultiply: return xnn_binary_multiply;
    case Binary::kDivide: return xnn_binary_divide;
    case Binary::kMaximum: return xnn_binary_maximum;
    case Binary::kMinimum: return xnn_binary_minimum;
    case Binary::kPow: return xnn_binary_pow;
    case Binary::kSquaredDifference: return xnn_binary_squared_difference;
    default: return xnn_binary_invalid;
  }
}

}  // namespace

bool conv_forward(const ConvShape& s, const float* images, const float* filter, const float* bias, bool relu, float* results) {
  const Index pixels = s.batch * s.out_height * s.out_width;
  if (pixels <= 0 || s.out_channels <= 0) return true;
  if (s.group_in() * s.filter_height * s.filter_width == 0 || s.in_height == 0 || s.in_width == 0) {
    for (Index i = 0; i < pixels * s.out_channels; ++i) {
      const float value = bias ? bias[i % s.out_channels] : 0;
      results[i] = relu && value < 0 ? 0 : value;
    }
    return true;
  }
  const Index below = padding_behind(s.in_height, s.out_height, s.padding_y, s.stride_y, reach_of(s.filter_height, s.dilation_y));
  const Index right = padding_behind(s.in_width, s.out_width, s.padding_x, s.stride_x, reach_of(s.filter_width, s.dilation_x));
  const Operator op = make([&](xnn_operator_t* made) {
    return xnn_create_convolution2d_nhwc_f32(u32(s.padding_y), u32(right), u32(below), u32(s.padding_x), u32(s.filter_height), u32(s.filter_width), u32(s.stride_y), u32(s.stride_x),
                                             u32(s.dilation_y), u32(s.dilation_x), u32(s.groups), size(s.group_in()), size(s.group_out()), size(s.in_channels), size(s.out_channels), filter,
                                             bias, relu ? 0 : -kInfinity, kInfinity, 0, nullptr, nullptr, made);
  });
  if (!op) return false;
  size_t bytes = 0, alignment = 0, height = 0, width = 0;
  done(xnn_reshape_convolution2d_nhwc_f32(op.get(), size(s.batch), size(s.in_height), size(s.in_width), &bytes, &alignment, &height, &width, nullptr), "reshape");
  if (height != size(s.out_height) || width != size(s.out_width)) return false;
  const Scratch workspace(floats_of(bytes));
  done(xnn_setup_convolution2d_nhwc_f32(op.get(), workspace.data(), images, results), "set up");
  run(op.get());
  return true;
}

bool conv_input_gradient(const ConvShape& s, const float* results_gradient, const float* filter, float* images_gradient) {
  const Index count = s.batch * s.in_height * s.in_width * s.in_channels;
  if (count <= 0) return true;
  if (s.group_out() * s.filter_height * s.filter_width == 0 || s.out_height <= 0 || s.out_width <= 0) {
    std::fill_n(images_gradient, count, 0.0f);
    return true;
  }
  // The image that the results cover, beyond which rows stay untouched; XNNPACK cuts padding off before and behind it.
  const auto covered = [](Index out, Index stride, Index reach) { return (out - 1) * stride + reach; };
  const Index below = covered(s.out_height, s.stride_y, reach_of(s.filter_height, s.dilation_y)) - s.padding_y - s.in_height;
  const Index right = covered(s.out_width, s.stride_x, reach_of(s.filter_width, s.dilation_x)) - s.padding_x - s.in_width;
  const Index more_rows = std::max<Index>(0, -below), more_columns = std::max<Index>(0, -right);
  if (more_rows >= s.stride_y || more_columns >= s.stride_x) return false;
  // XNNPACK has one product per rest of a pixel's place by the stride, and writes outside the image for a rest that no pixel has.
  if (s.in_height < s.stride_y || s.in_width < s.stride_x) return false;
  const Operator op = make([&](xnn_operator_t* made) {
    return xnn_create_deconvolution2d_nhwc_f32(u32(s.padding_y), u32(std::max<Index>(0, right)), u32(std::max<Index>(0, below)), u32(s.padding_x), u32(s.filter_height), u32(s.filter_width),
                                               u32(s.stride_y), u32(s.stride_x), u32(s.dilation_y), u32(s.dilation_x), u32(s.groups), size(s.group_out()), size(s.group_in()),
                                               size(s.out_channels), size(s.in_channels), filter, nullptr, -kInfinity, kInfinity, 0, nullptr, nullptr, made);
  });
  if (!op) return false;
  size_t height = 0, width = 0;
  const xnn_status status = xnn_reshape_deconvolution2d_nhwc_f32(op.get(), size(s.batch), size(s.out_height), size(s.out_width), u32(more_rows), u32(more_columns), &height, &width, nullptr);
  if (status == xnn_status_unsupported_parameter || status == xnn_status_invalid_parameter) return false;
  done(status, "reshape");
  if (height != size(s.in_height) || width != size(s.in_width)) return false;
  done(xnn_setup_deconvolution2d_nhwc_f32(op.get(), results_gradient, images_gradient), "set up");
  run(op.get());
  return true;
}

bool max_pool_forward(const PoolShape& s, const float* images, float* results) {
  if (s.planes <= 0 || s.out_height <= 0 || s.out_width <= 0) return true;
  const Index below = padding_behind(s.in_height, s.out_height, s.padding_y, s.stride_y, reach_of(s.window_height, s.dilation_y));
  const Index right = padding_behind(s.in_width, s.out_width, s.padding_x, s.stride_x, reach_of(s.window_width, s.dilation_x));
  const xnn_operator_t op = keep(
      Made::kMaxPool, {s.padding_y, right, below, s.padding_x, s.window_height, s.window_width, s.stride_y, s.stride_x, s.dilation_y, s.dilation_x}, [&](xnn_operator_t* made) {
        return xnn_create_max_pooling2d_nhwc_f32(u32(s.padding_y), u32(right), u32(below), u32(s.padding_x), u32(s.window_height), u32(s.window_width), u32(s.stride_y), u32(s.stride_x),
                                                 u32(s.dilation_y), u32(s.dilation_x), -kInfinity, kInfinity, 0, made);
      });
  if (!op) return false;
  size_t height = 0, width = 0;
  done(xnn_reshape_max_pooling2d_nhwc_f32(op, 1, size(s.in_height), size(s.in_width), size(s.planes), size(s.planes), size(s.planes), &height, &width, nullptr), "reshape");
  if (height != size(s.out_height) || width != size(s.out_width)) return false;
  done(xnn_setup_max_pooling2d_nhwc_f32(op, images, results), "set up");
  run(op);
  return true;
}

bool average_pool_forward(const PoolShape& s, bool count_padding, const float* images, float* results) {
  if (s.planes <= 0 || s.out_height <= 0 || s.out_width <= 0) return true;
  const Index below = padding_behind(s.in_height, s.out_height, s.padding_y, s.stride_y, s.window_height);
  const Index right = padding_behind(s.in_width, s.out_width, s.padding_x, s.stride_x, s.window_width);
  const bool padded = s.padding_y || s.padding_x || below || right;
  // XNNPACK counts what lies inside the image.
  if ((padded && count_padding) || s.dilation_y != 1 || s.dilation_x != 1) return false;
  const xnn_operator_t op = keep(Made::kAveragePool, {s.padding_y, right, below, s.padding_x, s.window_height, s.window_width, s.stride_y, s.stride_x}, [&](xnn_operator_t* made) {
    return xnn_create_average_pooling2d_nhwc_f32(u32(s.padding_y), u32(right), u32(below), u32(s.padding_x), u32(s.window_height), u32(s.window_width), u32(s.stride_y), u32(s.stride_x),
                                                 -kInfinity, kInfinity, 0, made);
  });
  if (!op) return false;
  size_t bytes = 0, alignment = 0, height = 0, width = 0;
  done(xnn_reshape_average_pooling2d_nhwc_f32(op, 1, size(s.in_height), size(s.in_width), size(s.planes), size(s.planes), size(s.planes), &bytes, &alignment, &height, &width, nullptr),
       "reshape");
  if (height != size(s.out_height) || width != size(s.out_width)) return false;
  const Scratch workspace(floats_of(bytes));
  done(xnn_setup_average_pooling2d_nhwc_f32(op, workspace.data(), images, results), "set up");
  run(op);
  return true;
}

bool softmax_rows(Index rows, Index columns, const float* x, float* out) {
  if (rows <= 0 || columns <= 0) return true;
  const xnn_operator_t op = keep(Made::kSoftmax, {}, [](xnn_operator_t* made) { return xnn_create_softmax_nc_f32(0, made); });
  if (!op) return false;
  done(xnn_reshape_softmax_nc_f32(op, size(columns), size(columns), size(columns), size(rows), nullptr), "reshape");
  done(xnn_setup_softmax_nc_f32(op, x, out), "set up");
  run(op);
  return true;
}

bool unary(Unary function, Index n, const float* x, float* out) {
  const int type = unary_of(function);
  if (type == xnn_unary_invalid) return false;
  if (n <= 0) return true;
  xnn_unary_params params{};
  params.clamp.min = 0, params.clamp.max = kInfinity;
  const xnn_operator_t op = keep(Made::kUnary, {type}, [&](xnn_operator_t* made) {
    return xnn_create_unary_elementwise_nc(static_cast<xnn_unary_operator>(type), xnn_datatype_fp32, xnn_datatype_fp32, &params, nullptr, nullptr, 0, made);
  });
  if (!op) return false;
  done(xnn_reshape_unary_elementwise_nc(op, size(n), 1, 1, 1, nullptr), "reshape");
  done(xnn_setup_unary_elementwise_nc(op, x, out), "set up");
  run(op);
  return true;
}

bool binary(Binary function, const Shape& a_shape, const float* a, const Shape& b_shape, const float* b, float* out) {
  const int type = binary_of(function);
  if (type == xnn_binary_invalid || std::max(a_shape.rank(), b_shape.rank()) > XNN_MAX_TENSOR_DIMS) return false;
  if (element_count(a_shape) == 0 || element_count(b_shape) == 0) return true;
  const xnn_operator_t op = keep(Made::kBinary, {type}, [&](xnn_operator_t* made) {
    return xnn_create_binary_elementwise_nd(static_cast<xnn_binary_operator>(type), xnn_datatype_fp32, nullptr, nullptr, nullptr, 0, made);
  });
  if (!op) return false;
  const std::vector<size_t> a_sizes = sizes_of(a_shape), b_sizes = sizes_of(b_shape);
  done(xnn_reshape_binary_elementwise_nd(op, a_sizes.size(), a_sizes.data(), b_sizes.size(), b_sizes.data(), nullptr), "reshape");
  done(xnn_setup_binary_elementwise_nd(op, a, b, out), "set up");
  run(op);
  return true;
}

bool transpose(const Shape& shape, const Shape& permutation, const float* x, float* out) {
  if (shape.rank() == 0 || shape.rank() > XNN_MAX_TENSOR_DIMS) return false;
  if (element_count(shape) == 0) return true;
  const xnn_operator_t op = keep(Made::kTranspose, {}, [](xnn_operator_t* made) { return xnn_create_transpose_nd_x32(0, made); });
  if (!op) return false;
  const std::vector<size_t> sizes = sizes_of(shape), order = sizes_of(permutation);
  done(xnn_reshape_transpose_nd_x32(op, sizes.size(), sizes.data(), order.data(), nullptr), "reshape");
  done(xnn_setup_transpose_nd_x32(op, x, out), "set up");
  run(op);
  return true;
}

bool linear(Index batch, Index in, Index out, const float* x, const float* weight, const float* bias, float* results) {
  if (batch <= 0 || out <= 0) return true;
  if (in <= 0) {
    for (Index i = 0; i < batch * out; ++i) results[i] = bias ? bias[i % out] : 0;
    return true;
  }
  const xnn_operator_t op = keep(Made::kLinear, {}, [](xnn_operator_t* made) { return xnn_create_dynamic_fully_connected_nc_f32(-kInfinity, kInfinity, 0, made); });
  if (!op) return false;
  size_t bytes = 0, alignment = 0;
  done(xnn_reshape_dynamic_fully_connected_nc_f32(op, size(batch), size(in), size(out), size(in), size(out), &bytes, &alignment, nullptr), "reshape");
  const Scratch workspace(floats_of(bytes));
  done(xnn_setup_dynamic_fully_connected_nc_f32(op, workspace.data(), x, weight, bias, results), "set up");
  run(op);
  return true;
}

Index kept_operators() { return static_cast<Index>(kept().size()); }
void release_operators() { kept().clear(); }

}  // namespace gradbook::kernels::xnnpack
