// Elements from one place to another: copied, or converted between dtypes. Lines of elements at a time, so that a pair of
// dtypes costs one short loop and not one for each way to walk through a tensor.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace gradbook {

/// The value as another type: truncated towards zero and kept in range where it becomes a whole number (NaN: 0).
template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<From, Half>) {
    return convert<To>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, Half>) {
    return Half(value);
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);  // NaN is true, as in PyTorch
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    // A plain cast of a value outside the range is undefined in C++ and differs between machines.
    if (std::isnan(value)) return To(0);
    const double v = std::trunc(static_cast<double>(value));
    if (v <= static_cast<double>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    if (v >= static_cast<double>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    return static_cast<To>(v);
  } else {
    return static_cast<To>(value);
  }
}

/// `count` elements, `step` apart, to `count` elements side by side.
using ConvertLine = void (*)(const void* from, Index step, void* to, Index count);
ConvertLine convert_line(DType from, DType to);

/// Steps count elements.
using CopyLine = void (*)(const void* from, Index from_step, void* to, Index to_step, Index count);
CopyLine copy_line(DType dtype);

}  // namespace gradbook
