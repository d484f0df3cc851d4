// Tensor: n-dimensional values = shape, strides and dtype over a counted storage, plus its place on the tape.
// A Tensor is a counted reference: copying it is cheap and both copies are the same tensor.
// Only the main thread makes, copies or drops tensors; worker threads of kernels see plain pointers.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/shape.h"
#include "tensor/storage.h"

namespace gradbook {

struct Record;  // autodiff/tape.h: one executed op

class Tensor {
 public:
  /// No tensor: an absent optional input, a gradient that does not exist.
  Tensor() = default;
  /// A row-major tensor with undefined contents.
  static Tensor empty(const Shape& shape, DType dtype = DType::kFloat32);
  static Tensor zeros(const Shape& shape, DType dtype = DType::kFloat32);
  /// All elements equal to `value`, converted to `dtype`.
  static Tensor full(const Shape& shape, double value, DType dtype = DType::kFloat32);
  /// Row-major values; requires values.size() == element_count(shape).
  static Tensor from(const Shape& shape, const std::vector<double>& values, DType dtype = DType::kFloat32);
  /// A scalar that stands for a number literal: it never raises the dtype of what it meets within a category (PyTorch's rule).
  static Tensor number(double value);

  bool defined() const { return body_ != nullptr; }
  const Shape& shape() const { return body_->shape; }
  const Shape& strides() const { return body_->strides; }
  Index size(int axis) const { return body_->shape[axis]; }
  int rank() const { return body_->shape.rank(); }
  DType dtype() const { return body_->dtype; }
  Index element_count() const { return body_->count; }
  bool is_number() const { return body_->is_number; }
  /// Row-major without gaps.
  bool is_contiguous() const { return body_->contiguous; }

  /// First element. Requires dtype_of<T>() == dtype(). Elements lie at strides(); row-major only when is_contiguous().
  template <class T>
  T* data() const {
    check(dtype_of<T>() == dtype(), ErrorCode::kType, "holds ", info(dtype()).name, ", not ", info(dtype_of<T>()).name);
    return static_cast<T*>(raw());
  }
  /// First element as untyped memory.
  void* raw() const { return static_cast<char*>(body_->storage->data()) + body_->offset * static_cast<Index>(info(dtype()).size); }
  /// The values in row-major order, each as a double. For tests, messages and small reads.
  std::vector<double> values() const;
  /// The one element of a tensor with one element, as a double; throws otherwise.
  double item() const;

  /// The same elements seen with another shape and strides; `offset` in elements from this tensor's first. Not on the tape.
  /// Requires: every element addressed lies inside the storage.
  Tensor view(const Shape& shape, const Shape& strides, Index offset = 0) const;
  /// A tensor that lies `byte_offset` bytes into `storage`; the offset must be a multiple of the element size.
  static Tensor in(std::shared_ptr<Storage> storage, size_t byte_offset, const Shape& shape, const Shape& strides, DType dtype);
  /// This tensor when it is contiguous, else a row-major copy. Not on the tape.
  Tensor contiguous() const;
  /// A row-major copy with its own storage. Not on the tape.
  Tensor clone() const;
  /// Values converted to `dtype` (this tensor itself when it has it already). Not on the tape. Floating to integer truncates
  /// towards zero and saturates; NaN becomes 0.
  Tensor converted(DType dtype) const;
  /// The same storage, off the tape, without gradient.
  Tensor detach() const;
  /// Overwrites all elements with those of `source` (shape must be equal, dtype is converted) and counts a change of the storage.
  void copy_from(const Tensor& source) const;

  const std::shared_ptr<Storage>& storage() const { return body_->storage; }
  Index offset() const { return body_->offset; }
  /// True when both are the same tensor, not merely equal.
  bool is(const Tensor& other) const { return body_ == other.body_; }
  /// Stable while the tensor lives: a key for maps.
  const void* id() const { return body_.get(); }

  // -- place on the tape ------------------------------------------------------------------------------------------
  /// Set by the user on a leaf; results need gradients through their record.
  bool requires_grad() const { return body_->requires_grad || body_->record; }
  bool is_leaf() const { return !body_->record; }
  /// Requires: a leaf of floating dtype.
  void set_requires_grad(bool value) const;
  /// Sum of the gradients that backward() brought to this leaf; undefined before.
  const Tensor& grad() const;
  void set_grad(const Tensor& gradient) const;
  const std::shared_ptr<Record>& record() const { return body_->record; }
  void set_record(std::shared_ptr<Record> record) const { body_->record = std::move(record); }

 private:
  struct Body {
    Shape shape, strides;
    Index offset = 0, count = 1;
    DType dtype = DType::kFloat32;
    bool contiguous = true, is_number = false, requires_grad = false;
    std::shared_ptr<Storage> storage;
    std::shared_ptr<Record> record;
    std::unique_ptr<Tensor> grad;
  };
  std::shared_ptr<Body> body_;
};

}  // namespace gradbook
