// The groups of kernel timings, one function each.
#pragma once

#include <cstdint>
#include <vector>

namespace gradbook::bench {

/// `count` numbers in [-1, 1), always the same ones, with room for vector reads behind them.
inline std::vector<float> values(int64_t count) {
  std::vector<float> v(static_cast<size_t>(count) + 16);
  for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(static_cast<uint32_t>(i) * 2654435761u >> 8 & 1023) / 512.0f - 1.0f;
  return v;
}

void bench_matmul();
/// `only`: part of a layer's name, or null. `each`: every technique, not only the chosen one.
void bench_convolution(const char* only, bool each);
void bench_elementwise();
/// Ops through run() and the tape; `only`: part of a row's name, or null.
void bench_ops(const char* only);
/// XNNPACK beside us; only where it was built (GRADBOOK_PEER).
void bench_peer();

}  // namespace gradbook::bench
