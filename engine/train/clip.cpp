#include "train/clip.h"

#include <algorithm>
#include <cmath>

namespace gradbook {
namespace {

// Eight sums side by side, so that the compiler can use vectors without changing the order.
template <class T>
double sum_of_powers(const T* values, Index count, bool squared) {
  double sums[8] = {};
  for (Index i = 0; i < count; ++i) {
    const double v = static_cast<double>(values[i]);
    sums[i & 7] += squared ? v * v : std::abs(v);
  }
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

template <class T>
double largest_of(const T* values, Index count) {
  double largest = 0;
  for (Index i = 0; i < count; ++i) {
    const double v = std::abs(static_cast<double>(values[i]));
    if (v > largest || std::isnan(v)) largest = v;
    if (std::isnan(v)) break;
  }
  return largest;
}

// body(values, count) for every gradient, row-major; changes count when `writes`.
template <class Body>
void for_each_gradient(const std::vector<Tensor>& parameters, bool writes, Body body) {
  for (const Tensor& parameter : parameters) {
    const Tensor& gradient = parameter.grad();
    if (!gradient.defined()) continue;
    const Tensor values = gradient.contiguous();
    dispatch_floating(values.dtype(), [&](auto zero) { body(values.data<decltype(zero)>(), values.element_count()); });
    if (!writes) continue;
    if (values.is(gradient))
      ++gradient.storage()->version;
    else
      gradient.copy_from(values);
  }
}

}  // namespace

double clip_gradient_norm(const std::vector<Tensor>& parameters, double largest, double order) {
  const bool infinite = std::isinf(order) && order > 0;
  check(order == 1 || order == 2 || infinite, ErrorCode::kValue, "clipGradNorm: `normType` must be 1, 2 or Infinity, got ", order);
  check(largest >= 0, ErrorCode::kValue, "clipGradNorm: `maxNorm` must be at least 0, got ", largest);
  double norm = 0;
  for_each_gradient(parameters, false, [&](const auto* values, Index count) {
    if (infinite) {
      const double here = largest_of(values, count);
      if (here > norm || std::isnan(here)) norm = here;
    } else {
      norm += sum_of_powers(values, count, order == 2);
    }
  });
  if (order == 2) norm = std::sqrt(norm);
  const double scale = largest / (norm + 1e-6);
  if (!(scale >= 1))
    for_each_gradient(parameters, true, [&](auto* values, Index count) {
      using T = std::remove_pointer_t<decltype(values)>;
      for (Index i = 0; i < count; ++i) values[i] *= static_cast<T>(scale);
    });
  return norm;
}

void clip_gradient_value(const std::vector<Tensor>& parameters, double largest) {
  check(largest >= 0, ErrorCode::kValue, "clipGradValue: `clipValue` must be at least 0, got ", largest);
  for_each_gradient(parameters, true, [&](auto* values, Index count) {
    using T = std::remove_pointer_t<decltype(values)>;
    const T bound = static_cast<T>(largest);
    for (Index i = 0; i < count; ++i) values[i] = values[i] > bound ? bound : values[i] < -bound ? -bound : values[i];
  });
}

}  // namespace gradbook
