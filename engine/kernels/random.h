// Fills from Philox positions: element i comes from word i % 4 of group first_group + i / 4, as in base/random.h, so the numbers
// depend on nothing but seed and position: not on threads, not on SIMD flavour, not on the machine.
// Reserve random_groups(n) groups of the generator before a fill.
#pragma once

#include <cstdint>

#include "tensor/shape.h"

namespace gradbook::kernels {

/// Groups of four words that a fill of n elements uses.
constexpr uint64_t random_groups(Index n) { return (static_cast<uint64_t>(n) + 3) / 4; }

/// Where in which stream a fill begins.
struct RandomPosition {
  uint64_t seed = 0, first_group = 0;
};

/// out[i] = low + u * (high - low), u in [0, 1) with 24 bits; the same numbers as base's fill_uniform.
void fill_uniform(RandomPosition at, Index n, float low, float high, float* out);
/// Normal by Box-Muller on words 0, 1 and 2, 3, as base's fill_normal and within a few 1e-7 of it.
void fill_normal(RandomPosition at, Index n, float mean, float deviation, float* out);
/// `value` with the given probability (where word * 2^-32 < probability, exactly), else 0.
void fill_bernoulli(RandomPosition at, Index n, double probability, float value, float* out);
/// out[i] = bernoulli(keep)[i] ? x[i] * (1 / keep) : 0. The same call on the upstream gradient is the gradient: no mask is stored.
void dropout(RandomPosition at, Index n, double keep, const float* x, float* out);

}  // namespace gradbook::kernels
