// Seeded random numbers that depend only on a seed and a position: Philox4x32-10 (Salmon et al. 2011,
// "Parallel random numbers: as easy as 1, 2, 3"). Whoever fills a tensor reserves a range of positions first, so
// the numbers are the same on any number of threads and on every machine.
#pragma once

#include <array>
#include <cstdint>

namespace gradbook {

/// Four random words at `position` of the stream chosen by `seed`. A pure function.
std::array<uint32_t, 4> philox(uint64_t seed, uint64_t position);

/// A float in [0, 1) from the upper 24 bits of a word; exact, so equal everywhere.
inline float uniform_float(uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24f; }
/// A double in [0, 1) from two words, 53 bits.
inline double uniform_double(uint32_t high, uint32_t low) {
  return static_cast<double>((static_cast<uint64_t>(high) << 32 | low) >> 11) * 0x1p-53;
}

/// Position in the random stream. Copying it is saving it.
struct Generator {
  uint64_t seed = 0;
  uint64_t position = 0;  // in groups of four words

  /// Takes `groups` positions out of the stream and returns the first.
  uint64_t reserve(uint64_t groups) {
    const uint64_t first = position;
    position += groups;
    return first;
  }
};

/// Fills with numbers in [low, high), and takes the positions out of the stream: element i comes from group i / 4, word i % 4
/// (for doubles: group i / 2). T is float or double.
template <class T>
void fill_uniform(T* out, int64_t count, Generator& generator, double low = 0, double high = 1);
/// Fills with normally distributed numbers (Box-Muller on pairs of words, in double precision), with the same use of the stream.
template <class T>
void fill_normal(T* out, int64_t count, Generator& generator, double mean = 0, double deviation = 1);

/// The generator behind initialisation, shuffling and dropout of this engine instance.
Generator& default_generator();

}  // namespace gradbook
