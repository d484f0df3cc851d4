#include "tensor/shape.h"

#include <algorithm>
#include <limits>

namespace gradbook {

Index element_count(const Shape& shape) {
  Index count = 1;
  for (Index size : shape) {
    check(size >= 0, ErrorCode::kShape, "a size cannot be negative: ", size);
    if (size != 0 && count > std::numeric_limits<int32_t>::max() / size)
      fail(ErrorCode::kMemory, "too many elements: ", shape, " holds more than 2,147,483,647");
    count *= size;
  }
  return count;
}

Shape contiguous_strides(const Shape& shape) {
  Shape strides = Shape::filled(shape.rank(), 1);
  for (int i = shape.rank() - 2; i >= 0; --i) strides[i] = strides[i + 1] * std::max<Index>(shape[i + 1], 1);
  return strides;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (int i = 0; i < shape.rank(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

Shape broadcast(const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  Shape result = Shape::filled(rank, 1);
  for (int i = 0; i < rank; ++i) {
    const Index x = i < a.rank() ? a.back(i) : 1, y = i < b.rank() ? b.back(i) : 1;
    if (x != y && x != 1 && y != 1)
      fail(ErrorCode::kShape, "shapes ", a, " and ", b, " do not broadcast: on axis ", -1 - i, " (counted from the end) the sizes are ", x, " and ", y,
           "; they must be equal, or one of them 1");
    result[rank - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

bool broadcasts_to(const Shape& from, const Shape& to) {
  if (from.rank() > to.rank()) return false;
  for (int i = 0; i < from.rank(); ++i)
    if (from.back(i) != to.back(i) && from.back(i) != 1) return false;
  return true;
}

Shape broadcast_strides(const Shape& shape, const Shape& strides, const Shape& to) {
  Shape result = Shape::filled(to.rank(), 0);
  for (int i = 0; i < shape.rank(); ++i)
    result[to.rank() - 1 - i] = shape.back(i) == 1 && to.back(i) != 1 ? 0 : strides.back(i);
  return result;
}

int normalize_axis(Index axis, int rank) {
  // A scalar has one implied axis, as in PyTorch: sum(0) and sum(-1) of a scalar are allowed.
  const int span = std::max(rank, 1);
  if (axis < -span || axis >= span)
    fail(ErrorCode::kShape, "axis ", axis, " does not exist; a tensor with ", rank, rank == 1 ? " axis" : " axes", " has axes ", -span, " to ", span - 1);
  return static_cast<int>(axis < 0 ? axis + span : axis);
}

}  // namespace gradbook
