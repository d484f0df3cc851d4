#include "ops/loops.h"

namespace gradbook {

Walk::Walk(const Shape& shape, std::initializer_list<Shape> strides) : operands_(static_cast<int>(strides.size())) {
  empty_ = element_count(shape) == 0;
  // From the last axis to the first: an axis joins the one behind it when every operand steps over both evenly.
  // outer_ counts the axes kept so far; the innermost one is number 0.
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const Index size = shape[axis];
    if (size == 1) continue;
    bool joins = outer_ > 0;
    int k = 0;
    for (const Shape& s : strides) {
      if (joins) joins = s[axis] == strides_[static_cast<size_t>(k)][static_cast<size_t>(outer_ - 1)] * sizes_[static_cast<size_t>(outer_ - 1)];
      ++k;
    }
    if (joins) {
      sizes_[static_cast<size_t>(outer_ - 1)] *= size;
      continue;
    }
    sizes_[static_cast<size_t>(outer_)] = size;
    k = 0;
    for (const Shape& s : strides) strides_[static_cast<size_t>(k++)][static_cast<size_t>(outer_)] = s[axis];
    ++outer_;
  }
  if (outer_ > 0) {
    count = sizes_[0];
    for (size_t k = 0; k < kOperands; ++k) step[k] = strides_[k][0];
  }
}

bool Walk::begin() {
  at = {};
  position_ = {};
  return !empty_;
}

bool Walk::next() {
  for (size_t axis = 1; axis < static_cast<size_t>(outer_); ++axis) {
    for (size_t k = 0; k < static_cast<size_t>(operands_); ++k) at[k] += strides_[k][axis];
    if (++position_[axis] < sizes_[axis]) return true;
    position_[axis] = 0;
    for (size_t k = 0; k < static_cast<size_t>(operands_); ++k) at[k] -= strides_[k][axis] * sizes_[axis];
  }
  return false;
}

Lanes lanes(const Tensor& x, const Shape& axes) {
  Lanes result;
  result.rows = result.length = 1;
  Shape sizes, strides;
  auto reduced = [&](int axis) {
    for (Index a : axes)
      if (a == axis) return true;
    return false;
  };
  for (int axis = 0; axis < x.rank(); ++axis)
    if (!reduced(axis)) {
      sizes.push_back(x.size(axis));
      strides.push_back(x.strides()[axis]);
      result.rows *= x.size(axis);
    }
  for (int axis = 0; axis < x.rank(); ++axis)
    if (reduced(axis)) {
      sizes.push_back(x.size(axis));
      strides.push_back(x.strides()[axis]);
      result.length *= x.size(axis);
    }
  result.data = x.view(sizes, strides).contiguous();
  return result;
}

}  // namespace gradbook
