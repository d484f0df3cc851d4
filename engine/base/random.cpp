#include "base/random.h"

#include <cmath>

namespace gradbook {
namespace {

// Elements that one group of four words serves: a double takes two words.
template <class T>
constexpr int64_t kPerGroup = sizeof(T) == 4 ? 4 : 2;

// Calls write(i, words): the four words from which the elements from i on are made.
template <class T, class Write>
void for_each_draw(int64_t count, Generator& generator, Write write) {
  const uint64_t first = generator.reserve(static_cast<uint64_t>((count + kPerGroup<T> - 1) / kPerGroup<T>));
  for (int64_t i = 0; i < count; i += kPerGroup<T>) {
    const std::array<uint32_t, 4> words = philox(generator.seed, first + static_cast<uint64_t>(i / kPerGroup<T>));
    write(i, words);
  }
}

}  // namespace

std::array<uint32_t, 4> philox(uint64_t seed, uint64_t position) {
  constexpr uint32_t kMultiply0 = 0xD2511F53u, kMultiply1 = 0xCD9E8D57u;
  constexpr uint32_t kWeyl0 = 0x9E3779B9u, kWeyl1 = 0xBB67AE85u;
  uint32_t key0 = static_cast<uint32_t>(seed), key1 = static_cast<uint32_t>(seed >> 32);
  std::array<uint32_t, 4> c = {static_cast<uint32_t>(position), static_cast<uint32_t>(position >> 32), 0, 0};
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = static_cast<uint64_t>(kMultiply0) * c[0];
    const uint64_t p1 = static_cast<uint64_t>(kMultiply1) * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ key0, static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ key1, static_cast<uint32_t>(p0)};
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  return c;
}

template <class T>
void fill_uniform(T* out, int64_t count, Generator& generator, double low, double high) {
  for_each_draw<T>(count, generator, [&](int64_t i, const std::array<uint32_t, 4>& words) {
    for (int64_t k = 0; k < kPerGroup<T> && i + k < count; ++k) {
      const size_t w = static_cast<size_t>(k);
      const double u = sizeof(T) == 4 ? uniform_float(words[w]) : uniform_double(words[2 * w % 4], words[(2 * w + 1) % 4]);
      T value = static_cast<T>(low + (high - low) * u);
      // Rounding may lift the largest numbers to `high` itself, which the interval leaves out.
      if (value >= static_cast<T>(high) && high > low) value = std::nextafter(static_cast<T>(high), static_cast<T>(low));
      out[i + k] = value;
    }
  });
}

template <class T>
void fill_normal(T* out, int64_t count, Generator& generator, double mean, double deviation) {
  constexpr double kTwoPi = 6.283185307179586476925286766559;
  for_each_draw<T>(count, generator, [&](int64_t i, const std::array<uint32_t, 4>& words) {
    constexpr int kPairs = sizeof(T) == 4 ? 2 : 1;
    for (int pair = 0; pair < kPairs; ++pair) {
      const size_t w = static_cast<size_t>(2 * pair);
      // 32 bits for the radius, not 24: the tail reaches 6.7 deviations instead of 5.8. In (0, 1], so the logarithm is finite.
      const double u = kPairs == 1 ? 1.0 - uniform_double(words[0], words[1]) : (words[w] + 1.0) * 0x1p-32;
      const double v = kPairs == 1 ? uniform_double(words[2], words[3]) : words[w + 1] * 0x1p-32;
      const double radius = std::sqrt(-2.0 * std::log(u));
      const int64_t at = i + 2 * pair;
      if (at < count) out[at] = static_cast<T>(mean + deviation * radius * std::cos(kTwoPi * v));
      if (at + 1 < count) out[at + 1] = static_cast<T>(mean + deviation * radius * std::sin(kTwoPi * v));
    }
  });
}

template void fill_uniform(float*, int64_t, Generator&, double, double);
template void fill_uniform(double*, int64_t, Generator&, double, double);
template void fill_normal(float*, int64_t, Generator&, double, double);
template void fill_normal(double*, int64_t, Generator&, double, double);

Generator& default_generator() {
  static Generator generator;
  return generator;
}

}  // namespace gradbook
