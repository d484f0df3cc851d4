#include "ops/table.h"

namespace gradbook {

Shape axes_of(const Call& c, int i, int rank) {
  Shape axes;
  if (!c.has(i)) {
    for (int axis = 0; axis < rank; ++axis) axes.push_back(axis);
    return axes;
  }
  for (double value : c.attribute(i).list) {
    const int axis = normalize_axis(static_cast<Index>(value), rank);
    for (Index before : axes)
      if (before == axis) fail(ErrorCode::kShape, "axis ", axis, " is named twice");
    if (rank > 0) axes.push_back(axis);
  }
  return axes;
}

Shape without_axes(const Shape& shape, const Shape& axes, bool keep) {
  Shape result;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    bool reduced = false;
    for (Index a : axes) reduced = reduced || a == axis;
    if (!reduced)
      result.push_back(shape[axis]);
    else if (keep)
      result.push_back(1);
  }
  return result;
}

std::string channels_hint(const Shape& x, Index channels) {
  if (x.rank() < 3 || x.back() != channels) return {};
  std::string order = message_of({"0, ", x.rank() - 1});
  for (int axis = 1; axis + 1 < x.rank(); ++axis) order += message_of({", ", axis});
  return "; channels come second: permute(" + order + ")";
}

}  // namespace gradbook
