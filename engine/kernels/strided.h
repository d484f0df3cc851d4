// How loops over strided tensors are simplified: axes of size 1 go, neighbours that lie in order become one axis.
#pragma once

#include <array>

#include "tensor/shape.h"

namespace gradbook::kernels {

/// The same elements in the same order with as few axes as can be; at least one axis. kOperands sets of strides are kept in step.
template <int kOperands>
struct Axes {
  int rank = 0;
  std::array<long, kMaxRank> size{};
  std::array<std::array<long, kMaxRank>, kOperands> stride{};

  Axes(const Shape& shape, const std::array<const Shape*, kOperands>& strides) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const long count = static_cast<long>(shape[axis]);
      if (count == 1) continue;
      bool joins = rank > 0;
      for (size_t o = 0; o < kOperands; ++o) joins = joins && stride[o][last()] == static_cast<long>((*strides[o])[axis]) * count;
      if (!joins) ++rank;
      size[last()] = joins ? size[last()] * count : count;
      for (size_t o = 0; o < kOperands; ++o) stride[o][last()] = static_cast<long>((*strides[o])[axis]);
    }
    if (rank == 0) rank = 1, size[0] = 1;
  }

  long inner() const { return size[last()]; }
  long inner_stride(size_t operand) const { return stride[operand][last()]; }
  /// Number of runs along the last axis.
  long rows() const {
    long count = 1;
    for (size_t axis = 0; axis < last(); ++axis) count *= size[axis];
    return count;
  }
  /// Where run `row` begins in each operand.
  std::array<long, kOperands> start(long row) const {
    std::array<long, kOperands> at{};
    for (size_t axis = last(); axis-- > 0;) {
      const long index = row % size[axis];
      row /= size[axis];
      for (size_t o = 0; o < kOperands; ++o) at[o] += index * stride[o][axis];
    }
    return at;
  }

 private:
  size_t last() const { return static_cast<size_t>(rank > 0 ? rank - 1 : 0); }
};

}  // namespace gradbook::kernels
