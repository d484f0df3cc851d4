// Residue classes of a strided input gradient: pixels of the image whose rows (columns) leave the same rest when divided by the
// stride see the same filter taps, and for them the gradient is an ordinary convolution with those taps.
#pragma once

#include <numeric>
#include <vector>

namespace gradbook::kernels {

/// One direction of a class. Taps are in falling order, so that the gradient rows they read rise: image row residue + i * stride
/// reads gradient row origin + i + t * step with filter row taps[t].
struct ResidueClass {
  long residue = 0, origin = 0, step = 1;
  std::vector<long> taps;
};

inline std::vector<ResidueClass> residue_classes(long stride, long padding, long dilation, long filter) {
  std::vector<ResidueClass> all(static_cast<size_t>(stride));
  for (long residue = 0; residue < stride; ++residue) {
    ResidueClass& c = all[static_cast<size_t>(residue)];
    c.residue = residue;
    c.step = dilation / std::gcd(dilation, stride);
    for (long tap = filter - 1; tap >= 0; --tap)
      if ((residue + padding - tap * dilation) % stride == 0) c.taps.push_back(tap);
    if (!c.taps.empty()) c.origin = (residue + padding - c.taps[0] * dilation) / stride;
  }
  return all;
}

}  // namespace gradbook::kernels
