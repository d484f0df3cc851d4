// Random numbers and comparisons for the kernel tests. Seeds are fixed; a failure prints the sizes that failed.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tensor/shape.h"

namespace gradbook::tests {

/// A small generator of its own, so that a fault in the engine's cannot hide one here.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed * 2654435761u + 88172645463325252u) {}
  uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ >> 16;
  }
  /// In [low, high].
  Index between(Index low, Index high) { return low + static_cast<Index>(next() % static_cast<uint64_t>(high - low + 1)); }
  float uniform(float low = -1, float high = 1) { return low + (high - low) * static_cast<float>(next() % 16777216) / 16777216.0f; }

 private:
  uint64_t state_;
};

/// `count` floats followed by the 64 readable bytes that tensors have; the tail is NaN so that using it shows.
class Floats {
 public:
  explicit Floats(Index count, float value = 0) : count_(count), values_(static_cast<size_t>(count) + 16, std::nanf("")) {
    for (Index i = 0; i < count; ++i) values_[static_cast<size_t>(i)] = value;
  }
  Floats(Index count, Numbers& numbers, float low = -1, float high = 1) : Floats(count) {
    for (Index i = 0; i < count; ++i) values_[static_cast<size_t>(i)] = numbers.uniform(low, high);
  }
  float* data() { return values_.data(); }
  const float* data() const { return values_.data(); }
  float& operator[](Index i) { return values_[static_cast<size_t>(i)]; }
  float operator[](Index i) const { return values_[static_cast<size_t>(i)]; }
  Index size() const { return count_; }
  /// True when nothing was written behind the end.
  bool tail_untouched() const {
    for (size_t i = static_cast<size_t>(count_); i < values_.size(); ++i)
      if (!std::isnan(values_[i])) return false;
    return true;
  }
  bool same_bits(const Floats& other) const {
    return count_ == other.count_ && std::memcmp(data(), other.data(), static_cast<size_t>(count_) * sizeof(float)) == 0;
  }

 private:
  Index count_;
  std::vector<float> values_;
};

/// Largest difference, relative to the largest expected value (at least 1e-3). NaN in one only counts as infinite.
inline double difference(const std::vector<double>& expected, const Floats& got) {
  double worst = 0, largest = 1e-3;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double e = expected[i], g = got[static_cast<Index>(i)];
    if (std::isnan(e) != std::isnan(g)) return INFINITY;
    if (std::isnan(e) || e == g) continue;
    worst = std::max(worst, std::abs(e - g));
    largest = std::max(largest, std::abs(e));
  }
  return worst / largest;
}

/// Distance of `got` from the exact value in units in the last place of a float of that size.
inline double ulps(double exact, float got) {
  if (std::isnan(exact)) return std::isnan(got) ? 0 : INFINITY;
  const float rounded = static_cast<float>(exact);
  if (std::isinf(rounded)) return rounded == got ? 0 : (std::abs(got) >= 3.4028234e38f && std::signbit(got) == std::signbit(rounded) ? 1 : INFINITY);
  if (std::isnan(got) || std::isinf(got)) return INFINITY;
  int exponent = 0;
  std::frexp(exact, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent - 24, -149));
  return std::abs(exact - static_cast<double>(got)) / unit;
}

}  // namespace gradbook::tests
