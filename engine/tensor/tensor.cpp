#include "tensor/tensor.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "tensor/convert.h"
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

// Calls visit(first, place, step, length) for lines of elements that together are all of `shape` in row-major order: their
// number, and where they lie under `strides`.
template <class Visit>
void for_each_line(const Shape& shape, const Shape& strides, Visit visit) {
  const Index count = element_count(shape);
  if (count == 0) return;
  if (strides_are_contiguous(shape, strides)) return visit(Index{0}, Index{0}, Index{1}, count);
  const int last = shape.rank() - 1;
  const Index length = shape[last], step = strides[last];
  Index place = 0;
  Shape at = Shape::filled(shape.rank(), 0);
  for (Index i = 0; i < count; i += length) {
    visit(i, place, step, length);
    for (int axis = last - 1; axis >= 0; --axis) {
      place += strides[axis];
      if (++at[axis] < shape[axis]) break;
      place -= strides[axis] * shape[axis];
      at[axis] = 0;
    }
  }
}

char* at(void* start, Index element, size_t size) { return static_cast<char*>(start) + element * static_cast<Index>(size); }

}  // namespace

TensorWatcher* tensor_watcher() { return g_watcher; }
TensorWatcher* set_tensor_watcher(TensorWatcher* watcher) { return std::exchange(g_watcher, watcher); }

Tensor Tensor::empty(const Shape& shape, DType dtype) {
  // Where addresses have 32 bits, so have sizes: more would wrap around to a small block. The rest is left for rounding up.
  constexpr uint64_t kMostBytes = std::numeric_limits<size_t>::max() - std::numeric_limits<size_t>::max() / 8;
  const uint64_t bytes = static_cast<uint64_t>(gradbook::element_count(shape)) * info(dtype).size;
  if (bytes > kMostBytes) fail(ErrorCode::kMemory, "out of memory: ", bytes >> 20, " MB asked for by shape ", shape, "; a tensor can have ", kMostBytes >> 20, " MB");
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
  check(t.element_count() == static_cast<Index>(values.size()), ErrorCode::kShape, values.size(), " values do not fill shape ", shape);
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
  const ConvertLine convert = convert_line(dtype(), DType::kFloat64);
  for_each_line(shape(), strides(), [&](Index i, Index place, Index step, Index length) { convert(at(raw(), place, info(dtype()).size), step, result.data() + i, length); });
  return result;
}

double Tensor::item() const {
  check(element_count() == 1, ErrorCode::kShape, "item() needs a tensor with one element, got shape ", shape());
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
  const size_t size = info(dtype()).size;
  if (is_contiguous()) {
    std::memcpy(t.raw(), raw(), static_cast<size_t>(element_count()) * size);
  } else {
    const CopyLine copy = copy_line(dtype());
    for_each_line(shape(), strides(), [&](Index i, Index place, Index step, Index length) { copy(at(raw(), place, size), step, at(t.raw(), i, size), 1, length); });
  }
  return t;
}

Tensor Tensor::converted(DType target) const {
  if (target == dtype()) return *this;
  Tensor t = empty(shape(), target);
  if (g_watcher) g_watcher->copied(*this, t);
  const ConvertLine convert = convert_line(dtype(), target);
  for_each_line(shape(), strides(), [&](Index i, Index place, Index step, Index length) {
    convert(at(raw(), place, info(dtype()).size), step, at(t.raw(), i, info(target).size), length);
  });
  return t;
}

Tensor Tensor::detach() const { return view(shape(), strides()); }

void Tensor::copy_from(const Tensor& source) const {
  check(source.shape() == shape(), ErrorCode::kShape, "expected shape ", shape(), ", got ", source.shape());
  const Tensor from = source.storage() == storage() ? source.clone().converted(dtype()) : source.converted(dtype()).contiguous();
  const size_t size = info(dtype()).size;
  if (is_contiguous()) {
    std::memcpy(raw(), from.raw(), static_cast<size_t>(element_count()) * size);
  } else {
    const CopyLine copy = copy_line(dtype());
    for_each_line(shape(), strides(), [&](Index i, Index place, Index step, Index length) { copy(at(from.raw(), i, size), 1, at(raw(), place, size), step, length); });
  }
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
  check(gradient.shape() == shape() && gradient.dtype() == dtype(), ErrorCode::kShape, "a gradient must have the shape and dtype of its tensor: ", shape(), " ",
        info(dtype()).name, ", got ", gradient.shape(), " ", info(gradient.dtype()).name);
  if (body_->grad)
    *body_->grad = gradient;
  else
    body_->grad = std::make_unique<Tensor>(gradient);
}

}  // namespace gradbook
