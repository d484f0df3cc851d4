// exp, log, tanh, sigmoid, erf, sin, cos ... of four floats at once. Each states its largest error over all floats, in units in
// the last place (ULP), as the tests measure it; infinities, NaN, zeros and subnormals give what they give in the C library.
// Polynomials are Remez fits on the ranges that the comments name. log, sin and cos never use madd(), so that numbers made
// with them (random normals) are the same bits in every flavour.
#pragma once

#include <cmath>

#include "kernels/simd.h"

namespace gradbook::kernels {

/// To the nearest whole number, halves to even. Requires |x| < 2^22.
GRADBOOK_INLINE Float4 round_small(Float4 x) {
  const Float4 shift = splat(12582912.0f);  // 1.5 * 2^23: the sum has no bits left for a fraction
  return (x + shift) - shift;
}
/// 2^n. Requires -126 <= n <= 127.
GRADBOOK_INLINE Float4 power_of_two(Int4 n) { return (Float4)((n + 127) << 23); }
GRADBOOK_INLINE Float4 copy_sign(Float4 size, Float4 sign) { return (Float4)(((Int4)size & 0x7fffffff) | ((Int4)sign & static_cast<int32_t>(0x80000000))); }

namespace detail {

// ln 2 in two parts: a whole number below 2^9 times the first is exact.
constexpr float kLn2High = 0x1.62e4p-1f, kLn2Low = 0x1.7f7d1cp-20f;

// x = n ln 2 + r + lost with |r| <= ln 2 / 2; `lost` is what rounding took from r.
GRADBOOK_INLINE Float4 reduce_exp(Float4 x, Float4& r, Float4& lost) {
  const Float4 n = round_small(x * splat(0x1.715476p+0f));
  const Float4 exact = negated_madd(n, splat(kLn2High), x), low = n * splat(kLn2Low);
  r = exact - low;
  lost = (exact - r) - low;
  return n;
}

// (exp(r) - 1 - r) / r^2 on |r| <= 0.35.
GRADBOOK_INLINE Float4 exp_tail(Float4 r) {
  Float4 q = madd(splat(0x1.6ad41ap-10f), r, splat(0x1.123158p-7f));
  q = madd(q, r, splat(0x1.555788p-5f));
  q = madd(q, r, splat(0x1.5554a4p-3f));
  return madd(q, r, splat(0x1.fffffep-2f));
}

// x with its exponent taken out: x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt(2)). Requires x positive and normal.
GRADBOOK_INLINE Float4 split_log(Float4 x, Float4& f) {
  // Unsigned, because for negative x, whose result is thrown away, the difference wraps around.
  const Int4 shifted = (Int4)((UInt4)x - 0x3f3504f3u);  // the bits of sqrt(1/2)
  const Int4 exponent = shifted >> 23;
  f = (Float4)((UInt4)x - ((UInt4)exponent << 23)) - splat(1.0f);
  return to_float(exponent);
}

// log(1 + f) + k ln 2, from log(1 + f) = 2 s + s R(s^2), s = f / (2 + f); R fitted on s^2 <= 0.0295.
GRADBOOK_INLINE Float4 finish_log(Float4 f, Float4 k) {
  const Float4 s = f / (splat(2.0f) + f), z = s * s, half_square = splat(0.5f) * f * f;
  const Float4 rest = z * (splat(0x1.55557ap-1f) + z * (splat(0x1.995ec2p-2f) + z * splat(0x1.31e3fep-2f)));
  return k * splat(kLn2High) - ((half_square - (s * (half_square + rest) + k * splat(kLn2Low))) - f);
}

// What log and log1p give at 0, below 0, at infinity and for NaN; `x` is the argument of the logarithm itself.
GRADBOOK_INLINE Float4 log_edges(Float4 x, Float4 result) {
  result = select(x == splat(INFINITY), x, result);
  result = select(x == Float4{}, splat(-INFINITY), result);
  return select((x < Float4{}) | is_nan(x), splat(NAN), result);
}

}  // namespace detail

/// <= 1 ULP. Overflow gives infinity, underflow subnormals and 0.
GRADBOOK_INLINE Float4 exp(Float4 x) {
  Float4 r, lost;
  const Float4 inside = lower_to(raise_to(x, splat(-105.0f)), splat(90.0f));
  const Float4 n = detail::reduce_exp(inside, r, lost);
  const Float4 y = (madd(r * r, detail::exp_tail(r), lost) + r) + splat(1.0f);
  // In two factors, because 2^128 and 2^-150 are no floats of their own.
  const Int4 whole = to_int(n), half = whole >> 1;
  return y * power_of_two(half) * power_of_two(whole - half);
}

/// exp for arguments <= 0, as softmax has them; results below 2^-126 become 0. <= 1 ULP.
GRADBOOK_INLINE Float4 exp_negative(Float4 x) {
  Float4 r, lost;
  const Float4 n = detail::reduce_exp(raise_to(x, splat(-88.0f)), r, lost);
  const Float4 y = (madd(r * r, detail::exp_tail(r), lost) + r) + splat(1.0f);
  const Float4 result = y * power_of_two(to_int(n));
  return select(x < splat(-87.33654f), Float4{}, result);
}

/// <= 2 ULP, also near 0.
GRADBOOK_INLINE Float4 expm1(Float4 x) {
  Float4 r, lost;
  const Float4 inside = lower_to(raise_to(x, splat(-20.0f)), splat(90.0f));
  const Float4 n = detail::reduce_exp(inside, r, lost);
  const Float4 p = madd(r * r, detail::exp_tail(r), lost) + r;
  const Int4 whole = to_int(n), half = whole >> 1;
  const Float4 first = power_of_two(half), second = power_of_two(whole - half);
  // Above 2^24 the 1 no longer counts, and 2^128 must not be formed alone.
  const Float4 small = madd(p, first * second, first * second - splat(1.0f));
  const Float4 large = (p + splat(1.0f)) * first * second;
  const Float4 result = select(n > splat(30.0f), large, small);
  return select(n == Float4{}, select(r == Float4{}, x, p), result);
}

/// <= 1 ULP.
GRADBOOK_INLINE Float4 log(Float4 x) {
  const Int4 tiny = x < splat(0x1p-126f);
  const Float4 normal = select(tiny, x * splat(0x1p24f), x);
  Float4 f;
  const Float4 k = detail::split_log(normal, f) - keep_where(tiny, splat(24.0f));
  return detail::log_edges(x, detail::finish_log(f, k));
}

/// <= 2 ULP, also near 0.
GRADBOOK_INLINE Float4 log1p(Float4 x) {
  const Float4 u = splat(1.0f) + x;
  Float4 f;
  const Float4 k = detail::split_log(u, f);
  // What rounding took from u, as a correction of the logarithm; for u near 1 the argument itself is f.
  const Float4 lost = select(x > splat(1.0f), splat(1.0f) - (u - x), x - (u - splat(1.0f)));
  const Float4 result = detail::finish_log(f, k) + lost / u;
  return detail::log_edges(u, select(absolute(x) < splat(0x1p-24f), x, result));
}

/// <= 2 ULP. With e = exp(-|x|): e / (1 + e) below 0, else 1 / (1 + e). Below 0 what rounding took from e and 1 + e is put back,
/// because it counts double where the result is just below a power of two.
GRADBOOK_INLINE Float4 sigmoid(Float4 x) {
  const Float4 one = splat(1.0f);
  Float4 r, lost;
  const Float4 n = detail::reduce_exp(raise_to(-absolute(x), splat(-105.0f)), r, lost);
  const Float4 p = madd(r * r, detail::exp_tail(r), lost) + r, y = p + one;
  const Int4 whole = to_int(n), half = whole >> 1;
  const Float4 e = y * power_of_two(half) * power_of_two(whole - half);
  const Int4 below = x < Float4{};
  const Float4 sum = one + e, quotient = select(below, e, one) / sum;
  // Relative to y in [0.7, 1.42]; 2 - y stands for 1 / y, 1 - q is 1 / (1 + e).
  const Float4 missing = (p - (y - one)) * (splat(2.0f) - y) - (e - (sum - one));
  return madd(quotient, keep_where(below, missing * (one - quotient)), quotient);
}

/// <= 2 ULP.
GRADBOOK_INLINE Float4 tanh(Float4 x) {
  const Float4 a = absolute(x), z = x * x, one = splat(1.0f);
  // (tanh(x) / x - 1) / x^2 on |x| <= 0.625.
  Float4 p = madd(splat(-0x1.79d972p-8f), z, splat(0x1.532a82p-6f));
  p = madd(p, z, splat(-0x1.b86b5ep-5f));
  p = madd(p, z, splat(0x1.1108e6p-3f));
  p = madd(p, z, splat(-0x1.55553ep-2f));
  const Float4 near = madd(x * z, p, x);
  // 1 - 2 / (exp(2 |x|) + 1), where errors of exp hardly count.
  const Float4 t = lower_to(a + a, splat(20.0f)), n = round_small(t * splat(0x1.715476p+0f));
  const Float4 r = negated_madd(n, splat(detail::kLn2High), t) - n * splat(detail::kLn2Low);
  const Float4 e = (madd(r * r, detail::exp_tail(r), r) + one) * power_of_two(to_int(n));
  const Float4 far = one - splat(2.0f) / (e + one);
  return copy_sign(select(a < splat(0.625f), near, far), x);
}

/// <= 2 ULP.
GRADBOOK_INLINE Float4 erf(Float4 x) {
  const Float4 a = lower_to(absolute(x), splat(4.0f)), z = a * a;
  // erf(x) / x - 1 on |x| <= 0.9375.
  Float4 p = madd(splat(0x1.4f8e58p-14f), z, splat(-0x1.a6126ep-11f));
  p = madd(p, z, splat(0x1.544aa8p-8f));
  p = madd(p, z, splat(-0x1.b80120p-6f));
  p = madd(p, z, splat(0x1.ce2d64p-4f));
  p = madd(p, z, splat(-0x1.812740p-2f));
  p = madd(p, z, splat(0x1.06eba8p-3f));
  const Float4 near = madd(x, p, x);
  // -log(1 - erf(x)) on 0.9 <= x <= 4.
  Float4 q = madd(splat(-0x1.952efcp-20f), a, splat(0x1.6e00a8p-15f));
  q = madd(q, a, splat(-0x1.2ea794p-11f));
  q = madd(q, a, splat(0x1.3239e0p-8f));
  q = madd(q, a, splat(-0x1.ad0e66p-6f));
  q = madd(q, a, splat(0x1.c14d0cp-4f));
  q = madd(q, a, splat(0x1.43b174p-1f));
  q = madd(q, a, splat(0x1.214902p+0f));
  q = madd(q, a, splat(-0x1.1bb9d0p-12f));
  const Float4 far = splat(1.0f) - exp(-q);
  const Float4 result = copy_sign(select(a < splat(0.9375f), near, far), x);
  return select(is_nan(x), x, result);
}

namespace detail {

typedef double Double2 __attribute__((vector_size(16)));
typedef float Float2 __attribute__((vector_size(8)));

// x - n pi/2 in double precision, n = the nearest whole number; `n_bits` holds n modulo 2^32 in its even lanes.
GRADBOOK_INLINE Double2 reduce_quadrant(Double2 x, Int4& n_bits) {
  const Double2 shift = {0x1.8p52, 0x1.8p52}, per_quadrant = {0x1.45f306dc9c883p-1, 0x1.45f306dc9c883p-1};
  const Double2 high = {0x1.921fb544p+0, 0x1.921fb544p+0}, low = {0x1.0b4611a626331p-34, 0x1.0b4611a626331p-34};
  const Double2 shifted = x * per_quadrant + shift, n = shifted - shift;
  n_bits = (Int4)shifted;
  return (x - n * high) - n * low;
}

// Polynomials of sin and cos on |r| <= pi/4: (sin(r) / r - 1) / r^2 and (cos(r) - 1 + r^2 / 2) / r^4 are fitted.
GRADBOOK_INLINE void small_sin_cos(Float4 r, Float4& sine, Float4& cosine) {
  const Float4 z = r * r;
  const Float4 s = splat(-0x1.555556p-3f) + z * (splat(0x1.111174p-7f) + z * (splat(-0x1.a05954p-13f) + z * splat(0x1.7c2c4ep-19f)));
  const Float4 c = splat(0x1.555550p-5f) + z * (splat(-0x1.6c0f34p-10f) + z * splat(0x1.9aa83cp-16f));
  sine = r + r * z * s;
  cosine = splat(1.0f) - (splat(0.5f) * z - z * z * c);
}

// sin and cos of x - n pi/2, and n. Requires |x| < 2^19.
GRADBOOK_INLINE void quadrant_sin_cos(Float4 x, Float4& sine, Float4& cosine, Int4& quadrant) {
  Int4 low_bits, high_bits;
  const Double2 low = reduce_quadrant(__builtin_convertvector(__builtin_shufflevector(x, x, 0, 1), Double2), low_bits);
  const Double2 high = reduce_quadrant(__builtin_convertvector(__builtin_shufflevector(x, x, 2, 3), Double2), high_bits);
  const Float4 r = __builtin_shufflevector(__builtin_convertvector(low, Float2), __builtin_convertvector(high, Float2), 0, 1, 2, 3);
  quadrant = __builtin_shufflevector(low_bits, high_bits, 0, 2, 4, 6);
  small_sin_cos(r, sine, cosine);
}

GRADBOOK_INLINE Float4 pick_quadrant(Float4 sine, Float4 cosine, Int4 quadrant) {
  const Float4 value = select((quadrant & 1) != 0, cosine, sine);
  return (Float4)((Int4)value ^ ((quadrant & 2) << 30));
}

// Lanes too large for the quick reduction go to the C library one by one.
template <class Function>
GRADBOOK_INLINE Float4 repair_large(Float4 x, Float4 result, Function function) {
  for (int i = 0; i < 4; ++i)
    if (!(x[i] > -0x1p19f && x[i] < 0x1p19f)) [[unlikely]]
      result[i] = static_cast<float>(function(static_cast<double>(x[i])));
  return result;
}

}  // namespace detail

/// <= 1.5 ULP.
GRADBOOK_INLINE Float4 sin(Float4 x) {
  Float4 sine, cosine;
  Int4 quadrant;
  detail::quadrant_sin_cos(x, sine, cosine, quadrant);
  const Float4 result = select(x == Float4{}, x, detail::pick_quadrant(sine, cosine, quadrant));
  return detail::repair_large(x, result, [](double v) { return std::sin(v); });
}

/// <= 1.5 ULP.
GRADBOOK_INLINE Float4 cos(Float4 x) {
  Float4 sine, cosine;
  Int4 quadrant;
  detail::quadrant_sin_cos(x, sine, cosine, quadrant);
  const Float4 result = detail::pick_quadrant(sine, cosine, quadrant + 1);
  return detail::repair_large(x, result, [](double v) { return std::cos(v); });
}

/// log(1 + exp(x)). <= 2 ULP.
GRADBOOK_INLINE Float4 softplus(Float4 x) { return raise_to(x, Float4{}) + log1p(exp(-absolute(x))); }

}  // namespace gradbook::kernels
