// Indices and class ids as people pass them: int32, uint8, bool, or floating tensors of whole numbers.
#pragma once

#include "tensor/tensor.h"

namespace gradbook {

/// The tensor as int32. Throws when a floating element is no whole number, naming it.
Tensor whole_numbers(const Tensor& index);

/// An index into an axis of `size`, negative ones from the end. Throws when it lies outside.
inline Index place_of(Index index, Index size, int axis) {
  const Index place = index < 0 ? index + size : index;
  if (place < 0 || place >= size) [[unlikely]]
    fail(ErrorCode::kValue, "index ", index, " lies outside axis ", axis, " of size ", size);
  return place;
}

}  // namespace gradbook
