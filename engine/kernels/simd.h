// Vectors of four floats, for wasm SIMD, SSE and whatever GCC and Clang make of vector types elsewhere.
// madd() is the one place where a flavour may round differently: one rounding with relaxed SIMD, two without.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#else
#include <cmath>
#endif

namespace gradbook::kernels {

#define GRADBOOK_INLINE inline __attribute__((always_inline))

typedef float Float4 __attribute__((vector_size(16)));
typedef int32_t Int4 __attribute__((vector_size(16)));
typedef uint32_t UInt4 __attribute__((vector_size(16)));
typedef float Float4Anywhere __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t Int4Anywhere __attribute__((vector_size(16), aligned(4), may_alias));

GRADBOOK_INLINE Float4 load(const float* p) { return *reinterpret_cast<const Float4Anywhere*>(p); }
GRADBOOK_INLINE Int4 load(const int32_t* p) { return *reinterpret_cast<const Int4Anywhere*>(p); }
GRADBOOK_INLINE void store(float* p, Float4 v) { *reinterpret_cast<Float4Anywhere*>(p) = v; }
GRADBOOK_INLINE void store(int32_t* p, Int4 v) { *reinterpret_cast<Int4Anywhere*>(p) = v; }
GRADBOOK_INLINE Float4 splat(float x) { return Float4{x, x, x, x}; }
GRADBOOK_INLINE Int4 splat(int32_t x) { return Int4{x, x, x, x}; }
/// One float from memory in all lanes.
GRADBOOK_INLINE Float4 load_splat(const float* p) {
#if defined(__wasm_simd128__)
  return (Float4)wasm_v128_load32_splat(p);
#else
  return splat(*p);
#endif
}

namespace detail {
template <float kValue>
struct Stored {
  static float value;  // not const, or the compiler would make a vector constant of it again
};
template <float kValue>
float Stored<kValue>::value = kValue;
}  // namespace detail

/// A number that is known beforehand, in all lanes. V8 puts a vector constant together anew wherever it is used, with three to four
/// instructions and also within loops; from memory it is one. exp() and its like take half the time with it.
template <float kValue>
GRADBOOK_INLINE Float4 constant() {
#if defined(__wasm_simd128__)
  return load_splat(&detail::Stored<kValue>::value);
#else
  return splat(kValue);
#endif
}

/// The first two lanes of `v` to memory.
GRADBOOK_INLINE void store_low(float* p, Float4 v) {
#if defined(__wasm_simd128__)
  wasm_v128_store64_lane(p, (v128_t)v, 0);
#else
  std::memcpy(p, &v, 8);
#endif
}
GRADBOOK_INLINE void store_high(float* p, Float4 v) {
#if defined(__wasm_simd128__)
  wasm_v128_store64_lane(p, (v128_t)v, 1);
#else
  std::memcpy(p, reinterpret_cast<const char*>(&v) + 8, 8);
#endif
}
/// Two floats from memory in the first two lanes, 0 in the others.
GRADBOOK_INLINE Float4 load_low(const float* p) {
#if defined(__wasm_simd128__)
  return (Float4)wasm_v128_load64_zero(p);
#else
  Float4 v{};
  std::memcpy(&v, p, 8);
  return v;
#endif
}
/// The first `count` (0..4) lanes to memory.
GRADBOOK_INLINE void store_first(float* p, Float4 v, long count) {
#if defined(__wasm_simd128__)
  // Lanes chosen by a variable would go through memory.
  if (count >= 4) return wasm_v128_store(p, (v128_t)v);
  if (count & 2) wasm_v128_store64_lane(p, (v128_t)v, 0);
  if (count == 1) wasm_v128_store32_lane(p, (v128_t)v, 0);
  if (count == 3) wasm_v128_store32_lane(p + 2, (v128_t)v, 2);
#else
  for (long i = 0; i < count; ++i) p[i] = v[i];
#endif
}
/// `count` (0..4) floats from memory, 0 in the other lanes.
GRADBOOK_INLINE Float4 load_first(const float* p, long count) {
#if defined(__wasm_simd128__)
  if (count >= 4) return (Float4)wasm_v128_load(p);
  if (count == 1) return (Float4)wasm_v128_load32_zero(p);
  if (count < 1) return Float4{};
  const v128_t two = wasm_v128_load64_zero(p);
  return (Float4)(count == 3 ? wasm_v128_load32_lane(p + 2, two, 2) : two);
#else
  Float4 v{};
  for (long i = 0; i < count; ++i) v[i] = p[i];
  return v;
#endif
}

/// a * b + c, rounded once where the hardware does so at full speed, else twice.
GRADBOOK_INLINE Float4 madd(Float4 a, Float4 b, Float4 c) {
#if defined(__wasm_relaxed_simd__)
  return (Float4)wasm_f32x4_relaxed_madd((v128_t)a, (v128_t)b, (v128_t)c);
#else
  return a * b + c;
#endif
}
/// c - a * b.
GRADBOOK_INLINE Float4 negated_madd(Float4 a, Float4 b, Float4 c) {
#if defined(__wasm_relaxed_simd__)
  return (Float4)wasm_f32x4_relaxed_nmadd((v128_t)a, (v128_t)b, (v128_t)c);
#else
  return c - a * b;
#endif
}

/// Lanes of `a` where the mask is all ones, of `b` where it is all zeros; other masks give what they like. One instruction on
/// most processors with relaxed SIMD, three without.
GRADBOOK_INLINE Int4 select(Int4 mask, Int4 a, Int4 b) {
#if defined(__wasm_relaxed_simd__)
  return (Int4)wasm_i32x4_relaxed_laneselect((v128_t)a, (v128_t)b, (v128_t)mask);
#else
  return (mask & a) | (~mask & b);
#endif
}
GRADBOOK_INLINE Float4 select(Int4 mask, Float4 a, Float4 b) { return (Float4)select(mask, (Int4)a, (Int4)b); }
/// Is any lane of the mask all ones?
GRADBOOK_INLINE bool any_lane(Int4 mask) {
#if defined(__wasm_simd128__)
  return wasm_v128_any_true((v128_t)mask);
#elif defined(__SSE2__)
  return _mm_movemask_epi8((__m128i)mask) != 0;
#else
  return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}
/// `a` where the mask is all ones, else +0.
GRADBOOK_INLINE Float4 keep_where(Int4 mask, Float4 a) { return (Float4)(mask & (Int4)a); }

GRADBOOK_INLINE Float4 absolute(Float4 a) {
#if defined(__wasm_simd128__)
  return (Float4)wasm_f32x4_abs((v128_t)a);
#else
  return (Float4)((Int4)a & 0x7fffffff);
#endif
}
GRADBOOK_INLINE Int4 is_nan(Float4 a) { return a != a; }
/// a < b ? b : a, so NaN in `a` passes and NaN in `b` does not. One instruction.
GRADBOOK_INLINE Float4 raise_to(Float4 a, Float4 b) {
#if defined(__wasm_simd128__)
  return (Float4)wasm_f32x4_pmax((v128_t)a, (v128_t)b);
#elif defined(__SSE2__)
  return (Float4)_mm_max_ps((__m128)b, (__m128)a);
#else
  return select(a < b, b, a);
#endif
}
/// b < a ? b : a, so NaN in `a` passes and NaN in `b` does not.
GRADBOOK_INLINE Float4 lower_to(Float4 a, Float4 b) {
#if defined(__wasm_simd128__)
  return (Float4)wasm_f32x4_pmin((v128_t)a, (v128_t)b);
#elif defined(__SSE2__)
  return (Float4)_mm_min_ps((__m128)b, (__m128)a);
#else
  return select(b < a, b, a);
#endif
}
/// NaN where either is NaN.
GRADBOOK_INLINE Float4 maximum(Float4 a, Float4 b) { return select(is_nan(b), b, raise_to(a, b)); }
GRADBOOK_INLINE Float4 minimum(Float4 a, Float4 b) { return select(is_nan(b), b, lower_to(a, b)); }

GRADBOOK_INLINE Float4 square_root(Float4 a) {
#if defined(__wasm_simd128__)
  return (Float4)wasm_f32x4_sqrt((v128_t)a);
#elif defined(__SSE2__)
  return (Float4)_mm_sqrt_ps((__m128)a);
#else
  return Float4{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
#endif
}

GRADBOOK_INLINE Float4 to_float(Int4 a) { return __builtin_convertvector(a, Float4); }
/// Towards zero. Requires |a| < 2^31.
GRADBOOK_INLINE Int4 to_int(Float4 a) {
#if defined(__wasm_relaxed_simd__)
  return (Int4)wasm_i32x4_relaxed_trunc_f32x4((v128_t)a);
#elif defined(__wasm_simd128__)
  return (Int4)wasm_i32x4_trunc_sat_f32x4((v128_t)a);
#else
  return __builtin_convertvector(a, Int4);
#endif
}

#if defined(__wasm_simd128__)
/// Whole numbers: below, above, nearest (halves to even), towards zero. NaN, infinities and the sign of zero pass.
GRADBOOK_INLINE Float4 floor_lanes(Float4 a) { return (Float4)wasm_f32x4_floor((v128_t)a); }
GRADBOOK_INLINE Float4 ceil_lanes(Float4 a) { return (Float4)wasm_f32x4_ceil((v128_t)a); }
GRADBOOK_INLINE Float4 round_lanes(Float4 a) { return (Float4)wasm_f32x4_nearest((v128_t)a); }
GRADBOOK_INLINE Float4 trunc_lanes(Float4 a) { return (Float4)wasm_f32x4_trunc((v128_t)a); }
#else
// Whole numbers from 2^23 on, infinities and NaN are their own rounding.
template <class Function>
GRADBOOK_INLINE Float4 round_with(Float4 a, Function f) {
  const Float4 whole = f(to_float(to_int(select(absolute(a) < splat(0x1p23f), a, Float4{}))));
  const Int4 sign = (Int4)a & static_cast<int32_t>(0x80000000);
  return select(absolute(a) < splat(0x1p23f), (Float4)(((Int4)whole & 0x7fffffff) | sign), a);
}
GRADBOOK_INLINE Float4 floor_lanes(Float4 a) {
  return round_with(a, [=](Float4 whole) { return whole - keep_where(whole > a, splat(1.0f)); });
}
GRADBOOK_INLINE Float4 ceil_lanes(Float4 a) {
  return round_with(a, [=](Float4 whole) { return whole + keep_where(whole < a, splat(1.0f)); });
}
GRADBOOK_INLINE Float4 trunc_lanes(Float4 a) {
  return round_with(a, [](Float4 whole) { return whole; });
}
GRADBOOK_INLINE Float4 round_lanes(Float4 a) {
  const Float4 shift = splat(0x1p23f), size = absolute(a);
  return select(size < shift, (Float4)((Int4)((size + shift) - shift) | ((Int4)a & static_cast<int32_t>(0x80000000))), a);
}
#endif

/// For each byte of `places` the byte of `table` at that place. Places beyond 15 give what they like.
GRADBOOK_INLINE Int4 pick_bytes(Int4 table, Int4 places) {
#if defined(__wasm_relaxed_simd__)
  return (Int4)wasm_i8x16_relaxed_swizzle((v128_t)table, (v128_t)places);
#elif defined(__wasm_simd128__)
  return (Int4)wasm_i8x16_swizzle((v128_t)table, (v128_t)places);
#else
  uint8_t from[16], at[16];
  std::memcpy(from, &table, 16);
  std::memcpy(at, &places, 16);
  for (uint8_t& byte : at) byte = from[byte & 15];
  std::memcpy(&table, at, 16);
  return table;
#endif
}

/// Bit i is set where lane i of the mask is all ones.
GRADBOOK_INLINE uint32_t lane_bits(Int4 mask) {
#if defined(__wasm_simd128__)
  return wasm_i32x4_bitmask((v128_t)mask);
#elif defined(__SSE2__)
  return static_cast<uint32_t>(_mm_movemask_ps((__m128)mask));
#else
  return static_cast<uint32_t>((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
#endif
}
#if defined(__wasm_simd128__)
namespace detail {
// For each set of bits the bytes of its lanes, moved to the front.
struct KeptLanes {
  uint8_t bytes[16][16];
  constexpr KeptLanes() : bytes() {
    for (int bits = 0; bits < 16; ++bits) {
      int at = 0;
      for (int lane = 0; lane < 4; ++lane)
        if (bits >> lane & 1)
          for (int byte = 0; byte < 4; ++byte) bytes[bits][at++] = static_cast<uint8_t>(4 * lane + byte);
    }
  }
};
inline constexpr KeptLanes kKeptLanes;
}  // namespace detail
#endif
/// The lanes whose bit is set, one after the other; the rest of the four places is overwritten too.
GRADBOOK_INLINE void store_kept(int32_t* p, Int4 v, uint32_t bits) {
#if defined(__wasm_simd128__)
  wasm_v128_store(p, (v128_t)pick_bytes(v, (Int4)wasm_v128_load(detail::kKeptLanes.bytes[bits])));
#else
  for (int lane = 0; lane < 4; ++lane) {
    *p = v[lane];
    p += bits >> lane & 1;
  }
#endif
}

/// ((0 + 2) + (1 + 3)).
GRADBOOK_INLINE float lane_sum(Float4 v) { return (v[0] + v[2]) + (v[1] + v[3]); }

GRADBOOK_INLINE Float4 interleave_low(Float4 a, Float4 b) { return __builtin_shufflevector(a, b, 0, 4, 1, 5); }
GRADBOOK_INLINE Float4 interleave_high(Float4 a, Float4 b) { return __builtin_shufflevector(a, b, 2, 6, 3, 7); }
/// Lanes 0, 1 of a, then of b.
GRADBOOK_INLINE Float4 join_low(Float4 a, Float4 b) { return __builtin_shufflevector(a, b, 0, 1, 4, 5); }
/// Lanes 2, 3 of a, then of b.
GRADBOOK_INLINE Float4 join_high(Float4 a, Float4 b) { return __builtin_shufflevector(a, b, 2, 3, 6, 7); }
/// Lanes 0, 2 of a, then of b.
GRADBOOK_INLINE Float4 even_lanes(Float4 a, Float4 b) { return __builtin_shufflevector(a, b, 0, 2, 4, 6); }
GRADBOOK_INLINE Float4 odd_lanes(Float4 a, Float4 b) { return __builtin_shufflevector(a, b, 1, 3, 5, 7); }

/// Lanes 3, 2, 1, 0.
GRADBOOK_INLINE Float4 reversed_lanes(Float4 a) { return __builtin_shufflevector(a, a, 3, 2, 1, 0); }

/// Four rows become four columns.
GRADBOOK_INLINE void transpose(Float4& a, Float4& b, Float4& c, Float4& d) {
  const Float4 low_ab = interleave_low(a, b), high_ab = interleave_high(a, b);
  const Float4 low_cd = interleave_low(c, d), high_cd = interleave_high(c, d);
  a = join_low(low_ab, low_cd);
  b = join_high(low_ab, low_cd);
  c = join_low(high_ab, high_cd);
  d = join_high(high_ab, high_cd);
}

}  // namespace gradbook::kernels
