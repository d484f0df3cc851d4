// exp, log, tanh, sigmoid, erf, sin, cos ... of four floats at once. Each states its largest error over all floats, in units in
// the last place (ULP), as the tests measure it; infinities, NaN, zeros and subnormals give what they give in the C library.
// Polynomials are Remez fits on the ranges that the comments name. log, sin and cos never use madd(), so that numbers made
// with them (random normals) are the same bits in every flavour.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/simd.h"

namespace gradbook::kernels {

/// To the nearest whole number, halves to even. Requires |x| < 2^22.
constexpr float kNoFraction = 12582912.0f;  // 1.5 * 2^23: a sum with it has no bits left for a fraction
GRADBOOK_INLINE Float4 round_small(Float4 x) { return (x + constant<kNoFraction>()) - constant<kNoFraction>(); }
/// 2^n. Requires -126 <= n <= 127.
GRADBOOK_INLINE Float4 power_of_two(Int4 n) { return (Float4)((n + 127) << 23); }
/// A number >= 0 with the sign of another one.
GRADBOOK_INLINE Float4 with_sign(Float4 size, Float4 sign) { return (Float4)((Int4)size | ((Int4)sign & (Int4)constant<-0.0f>())); }

namespace detail {

// ln 2 in two parts: a whole number below 2^9 times the first is exact.
constexpr float kLn2High = 0x1.62e4p-1f, kLn2Low = 0x1.7f7d1cp-20f;

// x = n ln 2 + r + lost with |r| <= ln 2 / 2; `lost` is what rounding took from r.
GRADBOOK_INLINE Float4 reduce_exp(Float4 x, Float4& r, Float4& lost) {
  const Float4 n = round_small(x * constant<0x1.715476p+0f>());
  const Float4 exact = negated_madd(n, constant<kLn2High>(), x), low = n * constant<kLn2Low>();
  r = exact - low;
  lost = (exact - r) - low;
  return n;
}

// (exp(r) - 1 - r) / r^2 on |r| <= 0.35.
GRADBOOK_INLINE Float4 exp_tail(Float4 r) {
  Float4 q = madd(constant<0x1.6ad41ap-10f>(), r, constant<0x1.123158p-7f>());
  q = madd(q, r, constant<0x1.555788p-5f>());
  q = madd(q, r, constant<0x1.5554a4p-3f>());
  return madd(q, r, constant<0x1.fffffep-2f>());
}

// x with its exponent taken out: x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt(2)). Requires x positive and normal.
GRADBOOK_INLINE Float4 split_log(Float4 x, Float4& f) {
  // Unsigned, because for negative x, whose result is thrown away, the difference wraps around.
  const Int4 shifted = (Int4)((UInt4)x - 0x3f3504f3u);  // the bits of sqrt(1/2)
  const Int4 exponent = shifted >> 23;
  f = (Float4)((UInt4)x - ((UInt4)exponent << 23)) - constant<1.0f>();
  return to_float(exponent);
}

// log(1 + f) + k ln 2, from log(1 + f) = 2 s + s R(s^2), s = f / (2 + f); R fitted on s^2 <= 0.0295.
GRADBOOK_INLINE Float4 finish_log(Float4 f, Float4 k) {
  const Float4 s = f / (constant<2.0f>() + f), z = s * s, half_square = constant<0.5f>() * f * f;
  const Float4 rest = z * (constant<0x1.55557ap-1f>() + z * (constant<0x1.995ec2p-2f>() + z * constant<0x1.31e3fep-2f>()));
  return k * constant<kLn2High>() - ((half_square - (s * (half_square + rest) + k * constant<kLn2Low>())) - f);
}

// What log and log1p give at 0, below 0, at infinity and for NaN; `x` is the argument of the logarithm itself.
GRADBOOK_INLINE Float4 log_edges(Float4 x, Float4 result) {
  result = select(x == constant<INFINITY>(), x, result);
  result = select(x == Float4{}, constant<-INFINITY>(), result);
  return select((x < Float4{}) | is_nan(x), constant<NAN>(), result);
}

// A quick exponential: x = n ln 2 + r, exp(x) = 2^n (1 + r (1 + r (1/2 + ...))). `shifted` is n + kNoFraction: its last bits are n,
// so that a shift by 23 adds n to an exponent.
struct QuickExp {
  Float4 shifted, n, r;
};
template <float kPerUnit = 0x1.715476p+0f, float kHigh = kLn2High, float kLow = kLn2Low>
GRADBOOK_INLINE QuickExp split_exp(Float4 x) {
  const Float4 shifted = madd(x, constant<kPerUnit>(), constant<kNoFraction>()), n = shifted - constant<kNoFraction>();
  return {shifted, n, negated_madd(n, constant<kLow>(), negated_madd(n, constant<kHigh>(), x))};
}
// Unsigned, because for NaN the sum with another exponent may wrap around.
GRADBOOK_INLINE UInt4 exponent_of(Float4 shifted) { return (UInt4)shifted << 23; }
// exp(r) on |r| <= ln 2 / 2.
GRADBOOK_INLINE Float4 exp_small(Float4 r) {
  Float4 q = madd(constant<0x1.6a4cfap-10f>(), r, constant<0x1.12343p-7f>());
  q = madd(q, r, constant<0x1.55589p-5f>());
  q = madd(q, r, constant<0x1.555494p-3f>());
  q = madd(q, r, constant<0x1.fffffcp-2f>());
  q = madd(q, r, constant<1.0f>());
  return madd(q, r, constant<1.0f>());
}

}  // namespace detail

/// exp() where it is quick, with the same bits. Requires |x| <= kExpInside.
constexpr float kExpInside = 87.0f;
GRADBOOK_INLINE Float4 exp_inside(Float4 x) {
  const detail::QuickExp e = detail::split_exp(x);
  return (Float4)((UInt4)detail::exp_small(e.r) + detail::exponent_of(e.shifted));
}

/// <= 1.2 ULP. Overflow gives infinity, underflow subnormals and 0.
GRADBOOK_INLINE Float4 exp(Float4 x) {
  const detail::QuickExp e = detail::split_exp(lower_to(raise_to(x, constant<-105.0f>()), constant<90.0f>()));
  // In two factors, because 2^128 and 2^-150 are no floats of their own.
  const Int4 whole = to_int(e.n), half = whole >> 1;
  return detail::exp_small(e.r) * power_of_two(half) * power_of_two(whole - half);
}

/// exp for arguments <= 0, as softmax has them; results below 2^-126 become 0. <= 1.2 ULP.
GRADBOOK_INLINE Float4 exp_negative(Float4 x) {
  const detail::QuickExp e = detail::split_exp(raise_to(x, constant<-87.33654f>()));
  const Float4 size = (Float4)(detail::exponent_of(e.shifted) + (UInt4)constant<1.0f>());
  // A product, because adding to the exponent would make a number of NaN.
  return keep_where(~(x < constant<-87.33654f>()), detail::exp_small(e.r) * size);
}

/// <= 2 ULP, also near 0.
GRADBOOK_INLINE Float4 expm1(Float4 x) {
  Float4 r, lost;
  const Float4 inside = lower_to(raise_to(x, constant<-20.0f>()), constant<90.0f>());
  const Float4 n = detail::reduce_exp(inside, r, lost);
  const Float4 p = madd(r * r, detail::exp_tail(r), lost) + r;
  const Int4 whole = to_int(n), half = whole >> 1;
  const Float4 first = power_of_two(half), second = power_of_two(whole - half);
  // Above 2^24 the 1 no longer counts, and 2^128 must not be formed alone.
  const Float4 small = madd(p, first * second, first * second - constant<1.0f>());
  const Float4 large = (p + constant<1.0f>()) * first * second;
  const Float4 result = select(n > constant<30.0f>(), large, small);
  return select(n == Float4{}, select(r == Float4{}, x, p), result);
}

/// <= 1 ULP.
GRADBOOK_INLINE Float4 log(Float4 x) {
  const Int4 tiny = x < constant<0x1p-126f>();
  const Float4 normal = select(tiny, x * constant<0x1p24f>(), x);
  Float4 f;
  const Float4 k = detail::split_log(normal, f) - keep_where(tiny, constant<24.0f>());
  return detail::log_edges(x, detail::finish_log(f, k));
}

/// <= 2 ULP, also near 0.
GRADBOOK_INLINE Float4 log1p(Float4 x) {
  const Float4 u = constant<1.0f>() + x;
  Float4 f;
  const Float4 k = detail::split_log(u, f);
  // What rounding took from u, as a correction of the logarithm; for u near 1 the argument itself is f.
  const Float4 lost = select(x > constant<1.0f>(), constant<1.0f>() - (u - x), x - (u - constant<1.0f>()));
  const Float4 result = detail::finish_log(f, k) + lost / u;
  return detail::log_edges(u, select(absolute(x) < constant<0x1p-24f>(), x, result));
}

/// sigmoid() where it is quick, with the same bits. Requires x > kSigmoidInside.
/// 1 / (1 + 2^n + 2^n p) with exp(-x) = 2^n (1 + p): p keeps the digits that 1 + p would lose, and 1 + 2^n is exact up to 2^23.
constexpr float kSigmoidInside = -16.0f;
GRADBOOK_INLINE Float4 sigmoid_inside(Float4 x) {
  const Float4 high = lower_to(x, constant<80.0f>()), one = constant<1.0f>();
  const Float4 shifted = madd(high, constant<-0x1.715476p+0f>(), constant<kNoFraction>()), n = shifted - constant<kNoFraction>();
  const Float4 r = madd(n, constant<detail::kLn2Low>(), madd(n, constant<detail::kLn2High>(), high));
  // exp(-r) - 1
  Float4 q = madd(constant<0x1.6a4cfap-10f>(), r, constant<-0x1.12343p-7f>());
  q = madd(q, r, constant<0x1.55589p-5f>());
  q = madd(q, r, constant<-0x1.555494p-3f>());
  q = madd(q, r, constant<0x1.fffffcp-2f>());
  const Float4 p = madd(q * r, r, -r);
  const Float4 size = (Float4)(detail::exponent_of(shifted) + (UInt4)one);
  return one / madd(p, size, size + one);
}

/// <= 2 ULP.
GRADBOOK_INLINE Float4 sigmoid(Float4 x) {
  // Far below 0 it is e / (1 + e) = e - e^2 + ...
  const Float4 e = exp(lower_to(x, constant<kSigmoidInside>()));
  return select(x > constant<kSigmoidInside>(), sigmoid_inside(raise_to(x, constant<kSigmoidInside>())), negated_madd(e, e, e));
}

namespace detail {

// A function of numbers >= 0 as four polynomials, each on its piece of the axis: base + t (c1 + c2 t + ...), t = x - centre. The
// first piece has centre 0 and base x, so that the sum loses nothing near 0: there base says a number that no x of the piece
// reaches, elsewhere the value at the centre, which no x of the piece falls below. Centres are where that is all but a float.
// The pieces are unions of up to 16 cells of equal width.
// A lane gets the coefficients of its piece by picking bytes: one row holds byte 0 of the four pieces, then byte 1 and so on.
template <int kDegree>
struct Pieces {
  alignas(16) uint8_t piece_of_cell[16];
  alignas(16) uint8_t rows[kDegree + 2][16];  // centre, base, c1, c2 ...
  constexpr Pieces(const uint8_t (&cells)[16], const float (&pieces)[4][kDegree + 2]) : piece_of_cell(), rows() {
    for (int i = 0; i < 16; ++i) piece_of_cell[i] = cells[i];
    for (int row = 0; row < kDegree + 2; ++row)
      for (int i = 0; i < 16; ++i) rows[row][i] = static_cast<uint8_t>(std::bit_cast<uint32_t>(pieces[i % 4][row]) >> (i / 4 * 8));
  }
};
// Not const, or the compiler would make vector constants of them again (see constant()).
struct PieceBytes {
  alignas(16) uint8_t second_of_lane[16] = {1, 1, 1, 1, 5, 5, 5, 5, 9, 9, 9, 9, 13, 13, 13, 13};
  alignas(16) uint8_t start_of_byte[16] = {0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12};
};
inline constinit PieceBytes piece_bytes;
inline constinit Pieces<8> tanh_pieces{
    {0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3},
    {{0, 2, 0, -0x1.558954p-18f, -0x1.553064p-2f, -0x1.4d9e86p-10f, 0x1.1b3f44p-3f, -0x1.ff7ccep-8f, -0x1.caab06p-5f, 0x1.61eae4p-6f},
     {0x1.1d613p+0f, 0x1.9c89f4p-1f, 0x1.6733bep-2f, -0x1.216b5ap-2f, 0x1.c5c886p-4f, 0x1.3eac76p-8f, -0x1.0c2b82p-5f, 0x1.32e612p-6f, -0x1.1e763ap-8f, 0x1.1afcecp-13f},
     {0x1.9a2de8p+1f, 0x1.fe5112p-1f, 0x1.ae3a32p-8f, -0x1.acdaf2p-8f, 0x1.1bf7c6p-8f, -0x1.17d0b2p-9f, 0x1.b4ba7ap-11f, -0x1.18cc84p-12f, 0x1.18b696p-14f, -0x1.31ae1p-17f},
     {0x1.b03a68p+2f, 0x1.ffffa4p-1f, 0x1.5fb11cp-18f, -0x1.608554p-18f, 0x1.13c532p-18f, -0x1.12619ap-19f, 0x1.cb5ea8p-22f, -0x1.381e62p-23f, 0x1.210022p-23f, -0x1.1efdf6p-25f}}};
inline constinit Pieces<7> erf_pieces{
    {0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3},
    {{0, 2, 0x1.06ebb2p-3f, -0x1.6ca636p-17f, -0x1.80e4dep-2f, -0x1.1f08fep-9f, 0x1.f27062p-4f, -0x1.1fb90ap-6f, -0x1.8c12b2p-7f},
     {0x1.5b066p-1f, 0x1.530c74p-1f, 0x1.6cefp-1f, -0x1.eea484p-2f, -0x1.45aba6p-6f, 0x1.5d868cp-3f, -0x1.88a092p-5f, -0x1.9aae7ap-6f, 0x1.9faa52p-7f},
     {0x1.f446ep+0f, 0x1.fd12d6p-1f, 0x1.95d2fp-6f, -0x1.8c7a4ap-5f, 0x1.c0f87ep-5f, -0x1.338bc2p-5f, 0x1.a34f1ep-7f, 0x1.3ce98p-9f, -0x1.0017eep-8f},
     {0x1.9a607p+1f, 0x1.ffff4p-1f, 0x1.4427fap-15f, -0x1.0c77f6p-13f, 0x1.0b7f0ep-12f, -0x1.5963e4p-12f, 0x1.8af136p-12f, -0x1.b9385ep-12f, 0x1.e655c8p-13f}}};

GRADBOOK_INLINE Int4 load_bytes(const uint8_t* p) { return *reinterpret_cast<const Int4Anywhere*>(p); }

// A number in cells plus this and a start has 1/256 of a cell as its last place, so that its second byte is the number of the cell.
constexpr float kCells = 49152.0f;  // 1.5 * 2^15

// What is in `x` becomes the function's value with the sign of x. The powers are a loop, and each of its rounds serves all of x:
// so chains of instructions that wait for one another run side by side. The processor does not look far enough ahead to find
// that in the same code four times in a row, and unrolled loops Binaryen puts into that order again.
template <int kDegree, int kCount>
GRADBOOK_INLINE void piecewise(const Pieces<kDegree>& pieces, Float4 highest, Float4 cells_per_unit, Float4 cells_start, Float4 (&x)[kCount]) {
  Int4 places[kCount];
  Float4 t[kCount], base[kCount], q[kCount];
  const auto coefficient = [&](const uint8_t* row, int i) __attribute__((always_inline)) { return (Float4)pick_bytes(load_bytes(row), places[i]); };
  for (int i = 0; i < kCount; ++i) {
    const Float4 a = lower_to(absolute(x[i]), highest);
    const Int4 cell = pick_bytes((Int4)madd(a, cells_per_unit, cells_start), load_bytes(piece_bytes.second_of_lane));
    // No byte of the sum overflows into the next one.
    places[i] = pick_bytes(load_bytes(pieces.piece_of_cell), cell) + load_bytes(piece_bytes.start_of_byte);
    t[i] = a - coefficient(pieces.rows[0], i);
    base[i] = lower_to(a, coefficient(pieces.rows[1], i));
    q[i] = coefficient(pieces.rows[kDegree + 1], i);
  }
#pragma clang loop unroll(disable)
  for (int row = kDegree; row > 1; --row)
    for (int i = 0; i < kCount; ++i) q[i] = madd(q[i], t[i], coefficient(pieces.rows[row], i));
  for (int i = 0; i < kCount; ++i) x[i] = with_sign(madd(q[i], t[i], base[i]), x[i]);
}

}  // namespace detail

/// All of `x` at once, which is quicker than one by one, and gives the same bits. <= 1.7 ULP. Pieces end at 0.811, 2.007 and 4.400;
/// from 8.9 on the result is 1.
template <int kCount>
GRADBOOK_INLINE void tanh(Float4 (&x)[kCount]) {
  detail::piecewise(detail::tanh_pieces, constant<8.9f>(), constant<1.671875f>(), constant<detail::kCells + 165 / 256.0f>(), x);
}
GRADBOOK_INLINE Float4 tanh(Float4 x) {
  Float4 one[1] = {x};
  tanh(one);
  return one[0];
}

/// All of `x` at once, as above. <= 1.9 ULP. Pieces end at 0.668, 1.439 and 2.467; from 3.945 on the result is 1.
template <int kCount>
GRADBOOK_INLINE void erf(Float4 (&x)[kCount]) {
  detail::piecewise(detail::erf_pieces, constant<3.945f>(), constant<3.890625f>(), constant<detail::kCells + 103 / 256.0f>(), x);
}
GRADBOOK_INLINE Float4 erf(Float4 x) {
  Float4 one[1] = {x};
  erf(one);
  return one[0];
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
  const Float4 s = constant<-0x1.555556p-3f>() + z * (constant<0x1.111174p-7f>() + z * (constant<-0x1.a05954p-13f>() + z * constant<0x1.7c2c4ep-19f>()));
  const Float4 c = constant<0x1.555550p-5f>() + z * (constant<-0x1.6c0f34p-10f>() + z * constant<0x1.9aa83cp-16f>());
  sine = r + r * z * s;
  cosine = constant<1.0f>() - (constant<0.5f>() * z - z * z * c);
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

/// log(1 + exp(x)). <= 2 ULP. With what rounding took from r put back, since errors of exp and log1p add up.
GRADBOOK_INLINE Float4 softplus(Float4 x) {
  Float4 r, lost;
  const Float4 n = detail::reduce_exp(raise_to(-absolute(x), constant<-105.0f>()), r, lost);
  const Int4 whole = to_int(n), half = whole >> 1;
  const Float4 e = ((madd(r * r, detail::exp_tail(r), lost) + r) + constant<1.0f>()) * power_of_two(half) * power_of_two(whole - half);
  return raise_to(x, Float4{}) + log1p(e);
}

}  // namespace gradbook::kernels
