#include "ops/fast.h"

#include <algorithm>

namespace gradbook {

bool find_axis_block(const Shape& shape, const Shape& axes, AxisBlock& block) {
  block = {};
  // 0: before the reduced axes, 1: among them, 2: behind them.
  int place = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 1) continue;
    const bool reduced = std::find(axes.begin(), axes.end(), axis) != axes.end();
    if (reduced && place == 2) return false;
    if (reduced) place = 1;
    if (!reduced && place == 1) place = 2;
    (place == 0 ? block.outer : place == 1 ? block.size : block.inner) *= shape[axis];
  }
  return true;
}

}  // namespace gradbook
