// Shapes: sizes per axis, strides, broadcasting, and how they are written in messages.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/error.h"

namespace gradbook {

using Index = int64_t;
inline constexpr int kMaxRank = 8;

/// Up to eight sizes (or strides, or axes), held in place: making one never allocates.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<Index> sizes) {
    for (Index size : sizes) push_back(size);
  }
  explicit Shape(const std::vector<Index>& sizes) {
    for (Index size : sizes) push_back(size);
  }
  /// `rank` axes of the same size.
  static Shape filled(int rank, Index size) {
    Shape s;
    for (int i = 0; i < rank; ++i) s.push_back(size);
    return s;
  }

  int rank() const { return rank_; }
  Index operator[](int axis) const { return sizes_[axis]; }
  Index& operator[](int axis) { return sizes_[axis]; }
  /// Size counted from the last axis: back(0) is the last. Requires i < rank().
  Index back(int i = 0) const { return sizes_[rank_ - 1 - i]; }
  const Index* begin() const { return sizes_; }
  const Index* end() const { return sizes_ + rank_; }
  void push_back(Index size) {
    check(rank_ < kMaxRank, ErrorCode::kShape, "a tensor has at most ", kMaxRank, " axes");
    sizes_[rank_++] = size;
  }
  void erase(int axis) {
    for (int i = axis; i + 1 < rank_; ++i) sizes_[i] = sizes_[i + 1];
    --rank_;
  }
  void insert(int axis, Index size) {
    push_back(0);
    for (int i = rank_ - 1; i > axis; --i) sizes_[i] = sizes_[i - 1];
    sizes_[axis] = size;
  }
  bool operator==(const Shape& other) const {
    if (rank_ != other.rank_) return false;
    for (int i = 0; i < rank_; ++i)
      if (sizes_[i] != other.sizes_[i]) return false;
    return true;
  }

 private:
  int rank_ = 0;
  Index sizes_[kMaxRank] = {};
};

/// Product of the sizes; 1 for a scalar. Throws when it does not fit (hostile sizes).
Index element_count(const Shape& shape);
/// Strides, in elements, of a row-major tensor.
Shape contiguous_strides(const Shape& shape);
/// "[2, 3]", as TypeScript prints it.
std::string to_string(const Shape& shape);
/// The common shape of two under PyTorch's broadcasting; throws a message with both shapes and the axis that differs.
Shape broadcast(const Shape& a, const Shape& b);
/// True when a tensor of shape `from` can be expanded to shape `to`.
bool broadcasts_to(const Shape& from, const Shape& to);
/// Strides that read a tensor of `shape` and `strides` as if it had shape `to` (0 along repeated axes). Requires broadcasts_to(shape, to).
Shape broadcast_strides(const Shape& shape, const Shape& strides, const Shape& to);
/// -1 is the last axis. Throws a message with the allowed range.
int normalize_axis(Index axis, int rank);

}  // namespace gradbook
