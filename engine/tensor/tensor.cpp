#include "tensor/tensor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "tensor/watcher.h"

namespace gradbook {
namespace {

TensorWatcher* g_watcher = nullptr;

bool strides_are_contiguous(const Shape& shape, const Shape& strides) {
  Index expected = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    if (shape[i] == 0) return true;
    if (shape[i] != 1 && strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<From, Half>) {
    return convert<To>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, Half>) {
    return Half(value);
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);  // NaN is true, as in PyTorch
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    // A plain cast of a value outside the range is undefined in C++ and differs between machines.
    if (std::isnan(value)) return To(0);
    const double v = std::trunc(static_cast<double>(value));
    if (v <= static_cast<double>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    if (v >= static_cast<double>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    return static_cast<To>(v);
  } else {
    return static_cast<To>(value);
  }
}

// Visits every element of `shape` in row-major order with its place under `strides`.
template <class Visit>
void for_each_place(const Shape& shape, const Shape& strides, Visit visit) {
  const Index count = element_count(shape);
  if (count == 0) return;
  if (strides_are_contiguous(shape, strides)) {
    for (Index i = 0; i < count; ++i) visit(i, i);
    return;
  }
  // Along the last axis in one loop; the others count up behind it.
  const int last = shape.rank() - 1;
  const Index length = shape[last], step = strides[last];
  Index place = 0;
  Shape at = Shape::filled(shape.rank(), 0);
  for (Index i = 0; i < count; i += length) {
    for (Index k = 0; k < length; ++k) visit(i + k, place + k * step);
    for (int axis = last - 1; axis >= 0; --axis) {
      place += strides[axis];
      if (++at[axis] < shape[axis]) break;
      place -= strides[axis] * shape[axis];
      at[axis] = 0;
    }
  }
}

}  // namespace

TensorWatcher* tensor_watcher() { return g_watcher; }
TensorWatcher* set_tensor_watcher(TensorWatcher* watcher) { return std::exchange(g_watcher, watcher); }

Tensor Tensor::empty(const Shape& shape, DType dtype) {
  // Where addresses have 32 bits, so have sizes: more would wrap around to a small block. The rest is left for rounding up.
  constexpr uint64_t kMostBytes = std::numeric_limits<size_t>::max() - std::numeric_limits<size_t>::max() / 8;
  const uint64_t bytes = static_cast<uint64_t>(gradbook::element_count(shape)) * info(dtype).size;
  if (bytes > kMostBytes) fail(ErrorCode::kMemory, "out of memory: ", bytes >> 20, " MB asked for by shape ", to_string(shape), "; a tensor can have ", kMostBytes >> 20, " MB");
  Tensor t;
  t.body_ = std::make_shared<Body>();
  t.body_->shape = shape;
  t.body_->strides = contiguous_strides(shape);
  t.body_->count = gradbook::element_count(shape);
  t.body_->dtype = dtype;
  t.body_->storage = std::make_shared<Storage>(static_cast<size_t>(t.body_->count) * info(dtype).size);
  return t;
}

Tensor Tensor::zeros(const Shape& shape, DType dtype) {
  Tensor t = empty(shape, dtype);
  std::memset(t.raw(), 0, static_cast<size_t>(t.element_count()) * info(dtype).size);
  return t;
}

Tensor Tensor::full(const Shape& shape, double value, DType dtype) {
  Tensor t = empty(shape, dtype);
  dispatch_storage(dtype, [&](auto zero) {
    using T = decltype(zero);
    std::fill_n(t.data<T>(), t.element_count(), convert<T>(value));
  });
  return t;
}

Tensor Tensor::from(const Shape& shape, const std::vector<double>& values, DType dtype) {
  Tensor t = empty(shape, dtype);
  check(t.element_count() == static_cast<Index>(values.size()), ErrorCode::kShape, values.size(), " values do not fill shape ", to_string(shape));
  dispatch_storage(dtype, [&](auto zero) {
    using T = decltype(zero);
    std::transform(values.begin(), values.end(), t.data<T>(), [](double v) { return convert<T>(v); });
  });
  return t;
}

Tensor Tensor::number(double value) {
  Tensor t = full({}, value, DType::kFloat64);
  t.body_->is_number = true;
  return t;
}

std::vector<double> Tensor::values() const {
  std::vector<double> result(static_cast<size_t>(element_count()));
  dispatch_storage(dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = data<T>();
    for_each_place(shape(), strides(), [&](Index i, Index place) { result[static_cast<size_t>(i)] = static_cast<double>(from[place]); });
  });
  return result;
}

double Tensor::item() const {
  check(element_count() == 1, ErrorCode::kShape, "item() needs a tensor with one element, got shape ", to_string(shape()));
  return dispatch_storage(dtype(), [&](auto zero) { return static_cast<double>(*data<decltype(zero)>()); });
}

Tensor Tensor::view(const Shape& shape, const Shape& strides, Index offset) const {
  Tensor t;
  t.body_ = std::make_shared<Body>();
  t.body_->shape = shape;
  t.body_->strides = strides;
  t.body_->offset = body_->offset + offset;
  t.body_->count = gradbook::element_count(shape);
  t.body_->dtype = dtype();
  t.body_->contiguous = strides_are_contiguous(shape, strides);
  t.body_->storage = body_->storage;
  return t;
}

Tensor Tensor::in(std::shared_ptr<Storage> storage, size_t byte_offset, const Shape& shape, const Shape& strides, DType dtype) {
  Tensor t;
  t.body_ = std::make_shared<Body>();
  t.body_->shape = shape;
  t.body_->strides = strides;
  t.body_->offset = static_cast<Index>(byte_offset / info(dtype).size);
  t.body_->count = gradbook::element_count(shape);
  t.body_->dtype = dtype;
  t.body_->contiguous = strides_are_contiguous(shape, strides);
  t.body_->storage = std::move(storage);
  return t;
}

Tensor Tensor::contiguous() const { return is_contiguous() ? *this : clone(); }

Tensor Tensor::clone() const {
  Tensor t = empty(shape(), dtype());
  if (g_watcher) g_watcher->copied(*this, t);
  dispatch_storage(dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = data<T>();
    T* to = t.data<T>();
    if (is_contiguous())
      std::copy_n(from, element_count(), to);
    else
      for_each_place(shape(), strides(), [&](Index i, Index place) { to[i] = from[place]; });
  });
  return t;
}

Tensor Tensor::converted(DType target) const {
  if (target == dtype()) return *this;
  Tensor t = empty(shape(), target);
  if (g_watcher) g_watcher->copied(*this, t);
  dispatch_storage(dtype(), [&](auto from_zero) {
    using From = decltype(from_zero);
    dispatch_storage(target, [&](auto to_zero) {
      using To = decltype(to_zero);
      const From* from = data<From>();
      To* to = t.data<To>();
      for_each_place(shape(), strides(), [&](Index i, Index place) { to[i] = convert<To>(from[place]); });
    });
  });
  return t;
}

Tensor Tensor::detach() const { return view(shape(), strides()); }

void Tensor::copy_from(const Tensor& source) const {
  check(source.shape() == shape(), ErrorCode::kShape, "expected shape ", to_string(shape()), ", got ", to_string(source.shape()));
  const Tensor from = source.storage() == storage() ? source.clone().converted(dtype()) : source.converted(dtype()).contiguous();
  dispatch_storage(dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* to = data<T>();
    const T* values = from.data<T>();
    if (is_contiguous())
      std::copy_n(values, element_count(), to);
    else
      for_each_place(shape(), strides(), [&](Index i, Index place) { to[place] = values[i]; });
  });
  ++storage()->version;
  if (g_watcher) g_watcher->overwritten(*this, source);
}

void Tensor::set_requires_grad(bool value) const {
  check(is_leaf(), ErrorCode::kState, "requiresGrad can only be set on a tensor that no op made; use detach() first");
  check(!value || (is_floating(dtype()) && dtype() != DType::kFloat16), ErrorCode::kType, "only float32 and float64 tensors can require gradients, this one holds ", info(dtype()).name);
  body_->requires_grad = value;
}

const Tensor& Tensor::grad() const {
  static const Tensor none;
  if (g_watcher) g_watcher->gradient_read(*this);
  return body_->grad ? *body_->grad : none;
}

void Tensor::set_grad(const Tensor& gradient) const {
  if (g_watcher) g_watcher->gradient_set(*this, gradient);
  if (!gradient.defined()) {
    body_->grad.reset();
    return;
  }
  check(gradient.shape() == shape() && gradient.dtype() == dtype(), ErrorCode::kShape, "a gradient must have the shape and dtype of its tensor: ", to_string(shape()), " ",
        info(dtype()).name, ", got ", to_string(gradient.shape()), " ", info(gradient.dtype()).name);
  if (body_->grad)
    *body_->grad = gradient;
  else
    body_->grad = std::make_unique<Tensor>(gradient);
}

}  // namespace gradbook
