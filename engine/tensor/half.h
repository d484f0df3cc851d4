// Half: a number of 16 bits (IEEE 754 binary16), as it lies in memory. It converts; it does not compute.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace gradbook {

struct Half {
  uint16_t bits = 0;

  Half() = default;
  /// The nearest half, of two equally near the even one; beyond 65504 + 16 infinity.
  explicit Half(double value) : bits(bits_of(value)) {}
  explicit Half(float value) : Half(static_cast<double>(value)) {}
  template <class Integer>
  explicit Half(Integer value) : Half(static_cast<double>(value)) {}
  explicit operator float() const { return value_of(bits); }
  explicit operator double() const { return static_cast<double>(value_of(bits)); }

 private:
  static float value_of(uint16_t bits) {
    const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 0x3FF;
    if (exponent == 0) {
      // Subnormal halves are ordinary floats: fraction times 2^-24.
      const float value = static_cast<float>(fraction) * 0x1p-24f;
      return sign ? -value : value;
    }
    return std::bit_cast<float>(sign | (exponent == 31 ? 0xFFu : exponent + 112) << 23 | fraction << 13);
  }
  static uint16_t bits_of(double value) {
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const double size = std::abs(value);
    if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7E00);
    if (size >= 65520) return static_cast<uint16_t>(sign | 0x7C00);
    // From 2^exponent on, halves are 2^(exponent - 10) apart; below 2^-14 they stay as far apart as there.
    int exponent = static_cast<int>(std::bit_cast<uint64_t>(size) >> 52) - 1023;
    if (exponent < -14) exponent = -14;
    const auto places = static_cast<int>(std::nearbyint(std::ldexp(size, 10 - exponent)));
    // A normal half counts from 1024 places; rounding up to 2048 is the next exponent, which adding carries into.
    return static_cast<uint16_t>(sign + ((exponent + 14) << 10) + places);
  }
};
static_assert(sizeof(Half) == 2);

}  // namespace gradbook
