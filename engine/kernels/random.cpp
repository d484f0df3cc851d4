// Four positions of the stream are computed at once, one per lane; the words are then turned into their order.
#include "kernels/random.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/math.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

constexpr Index kAtOnce = 16;  // words of four groups
constexpr Index kGrain = 1024 * kAtOnce;

// Upper and lower halves of four 64-bit products.
GRADBOOK_INLINE void multiply_wide(UInt4 a, uint32_t b, UInt4& high, UInt4& low) {
#if defined(__wasm_simd128__)
  const v128_t factor = wasm_u32x4_splat(b);
  const v128_t first = wasm_u64x2_extmul_low_u32x4((v128_t)a, factor), second = wasm_u64x2_extmul_high_u32x4((v128_t)a, factor);
  low = (UInt4)wasm_i32x4_shuffle(first, second, 0, 2, 4, 6);
  high = (UInt4)wasm_i32x4_shuffle(first, second, 1, 3, 5, 7);
#else
  for (int i = 0; i < 4; ++i) {
    const uint64_t product = static_cast<uint64_t>(a[i]) * b;
    high[i] = static_cast<uint32_t>(product >> 32);
    low[i] = static_cast<uint32_t>(product);
  }
#endif
}

// word[w] holds word w of the groups at `position`, + 1, + 2, + 3: Philox4x32-10 as base/random.cpp has it.
GRADBOOK_INLINE void draw(uint64_t seed, uint64_t position, UInt4 word[4]) {
  UInt4 c0, c1, c2{}, c3{};
  for (uint32_t i = 0; i < 4; ++i) {
    c0[i] = static_cast<uint32_t>(position + i);
    c1[i] = static_cast<uint32_t>((position + i) >> 32);
  }
  uint32_t key0 = static_cast<uint32_t>(seed), key1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    UInt4 high0, low0, high1, low1;
    multiply_wide(c0, 0xD2511F53u, high0, low0);
    multiply_wide(c2, 0xCD9E8D57u, high1, low1);
    c0 = high1 ^ c1 ^ UInt4{key0, key0, key0, key0};
    c1 = low1;
    c2 = high0 ^ c3 ^ UInt4{key1, key1, key1, key1};
    c3 = low0;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  word[0] = c0, word[1] = c1, word[2] = c2, word[3] = c3;
}

// [0, 1) from the upper 24 bits.
GRADBOOK_INLINE Float4 to_uniform(UInt4 word) { return __builtin_convertvector((Int4)(word >> 8), Float4) * constant<0x1p-24f>(); }

// Calls make(words, values): four vectors of words become four of values, both one group per lane; values are written in order.
template <class Make>
void fill_groups(RandomPosition at, Index n, float* out, double cost, Make make) {
  parallel_ranges(n, kGrain, cost * static_cast<double>(n), [&](Index first, Index last) {
    for (Index i = first; i < last; i += kAtOnce) {
      UInt4 word[4];
      Float4 value[4];
      draw(at.seed, at.first_group + static_cast<uint64_t>(i / 4), word);
      make(word, value);
      transpose(value[0], value[1], value[2], value[3]);
      if (i + kAtOnce <= last) {
        for (int group = 0; group < 4; ++group) store(out + i + 4 * group, value[group]);
      } else {
        for (Index k = i; k < last; ++k) out[k] = value[(k - i) / 4][(k - i) % 4];
      }
    }
  });
}

template <class Map>
void fill_words(RandomPosition at, Index n, float* out, double cost, Map map) {
  fill_groups(at, n, out, cost, [=](const UInt4* word, Float4* value) {
    for (int w = 0; w < 4; ++w) value[w] = map(word[w]);
  });
}

// log of (word + 1) / 2^32. Above one half through what is missing to 1, which keeps its digits.
GRADBOOK_INLINE Float4 log_of_share(UInt4 word) {
  const Float4 share = (__builtin_convertvector(word, Float4) + constant<1.0f>()) * constant<0x1p-32f>();
  const Float4 missing = __builtin_convertvector(~word, Float4) * constant<0x1p-32f>();
  return select((Int4)word < 0, log1p(-missing), log(share));
}

// cos and sin of a full turn times word / 2^32, from a quadrant and an exact rest.
GRADBOOK_INLINE void turn_by(UInt4 word, Float4& cosine, Float4& sine) {
  const UInt4 quadrant = (word + 0x20000000u) >> 30;
  const Float4 r = to_float((Int4)(word - (quadrant << 30))) * constant<0x1.921fb6p-30f>();  // 2 pi / 2^32
  Float4 s, c;
  detail::small_sin_cos(r, s, c);
  sine = detail::pick_quadrant(s, c, (Int4)quadrant);
  cosine = detail::pick_quadrant(s, c, (Int4)quadrant + 1);
}

// As a word limit: word < limit with the given probability. 2^32 does not fit, so certainty is apart.
struct Chance {
  UInt4 limit;
  bool always;
};
Chance chance_of(double probability) {
  const double limit = std::clamp(probability, 0.0, 1.0) * 0x1p32;
  const bool always = limit >= 0x1p32;
  const uint32_t word = always ? 0 : static_cast<uint32_t>(std::ceil(limit));
  return {UInt4{word, word, word, word}, always};
}
GRADBOOK_INLINE Float4 when(const Chance& chance, UInt4 word, Float4 value) { return chance.always ? value : keep_where((Int4)(word < chance.limit), value); }

}  // namespace

void fill_uniform(RandomPosition at, Index n, float low, float high, float* out) {
  const Float4 start = splat(low), width = splat(high - low);
  // Rounding may lift the largest numbers to `high` itself, which the interval leaves out.
  const Float4 last = splat(high > low ? std::nextafter(high, low) : std::numeric_limits<float>::infinity());
  fill_words(at, n, out, 12, [=](UInt4 word) { return lower_to(start + to_uniform(word) * width, last); });
}

void fill_normal(RandomPosition at, Index n, float mean, float deviation, float* out) {
  const Float4 centre = splat(mean), scale = splat(deviation);
  fill_groups(at, n, out, 40, [=](const UInt4* word, Float4* value) {
    for (int pair = 0; pair < 4; pair += 2) {
      Float4 cosine, sine;
      turn_by(word[pair + 1], cosine, sine);
      const Float4 radius = square_root(constant<-2.0f>() * log_of_share(word[pair]));
      value[pair] = centre + scale * (radius * cosine);
      value[pair + 1] = centre + scale * (radius * sine);
    }
  });
}

void fill_bernoulli(RandomPosition at, Index n, double probability, float value, float* out) {
  const Chance chance = chance_of(probability);
  const Float4 all = splat(value);
  fill_words(at, n, out, 12, [=](UInt4 word) { return when(chance, word, all); });
}

void dropout(RandomPosition at, Index n, double keep, const float* x, float* out) {
  const Chance chance = chance_of(keep);
  const Float4 scale = splat(keep > 0 ? static_cast<float>(1 / keep) : 0.0f);
  parallel_ranges(n, kGrain, 14.0 * static_cast<double>(n), [&](Index first, Index last) {
    for (Index i = first; i < last; i += kAtOnce) {
      UInt4 word[4];
      Float4 value[4];
      draw(at.seed, at.first_group + static_cast<uint64_t>(i / 4), word);
      for (int w = 0; w < 4; ++w) value[w] = when(chance, word[w], constant<1.0f>());
      transpose(value[0], value[1], value[2], value[3]);
      for (int group = 0; group < 4; ++group) {
        const Index from = i + 4 * group;
        const long count = static_cast<long>(std::min<Index>(4, last - from));
        if (count <= 0) break;
        const Int4 kept = value[group] != Float4{};
        if (count == 4) {
          store(out + from, keep_where(kept, load(x + from) * scale));
        } else {
          store_first(out + from, keep_where(kept, load_first(x + from, count) * scale), count);
        }
      }
    }
  });
}

}  // namespace gradbook::kernels
