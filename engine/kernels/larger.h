// The comparison that max pooling is made of, in whatever layout.
#pragma once

#include "kernels/simd.h"

namespace gradbook::kernels {

/// Takes over `right` and its place where it is larger, or NaN where `left` is not: the first of equal values stays.
GRADBOOK_INLINE void keep_larger(Float4& left, Int4& left_place, Float4 right, Int4 right_place) {
  const Int4 better = ~(right <= left) & (left == left);
  left = select(better, right, left);
  left_place = select(better, right_place, left_place);
}

}  // namespace gradbook::kernels
