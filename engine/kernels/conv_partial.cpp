#include "kernels/conv_partial.h"

#include <algorithm>
#include <cstring>

#include "kernels/simd.h"
#include "kernels/threads.h"

namespace gradbook::kernels {

Index filter_gradient_blocks(const ConvShape& s) {
  constexpr Index kImages = 8, kMostFloats = Index{1} << 21;  // 8 MB of partial sums
  const Index by_images = (s.batch + kImages - 1) / kImages;
  return std::clamp<Index>(kMostFloats / std::max<Index>(1, filter_floats(s)), 1, std::max<Index>(1, by_images));
}

void add_partial_filters(const ConvShape& s, Index blocks, float* partial, float* filter_gradient) {
  const Index count = filter_floats(s);
  parallel_ranges(count, 8192, static_cast<double>(blocks) * static_cast<double>(count), [&](Index first, Index last) {
    for (Index gap = 1; gap < blocks; gap *= 2)
      for (Index block = 0; block + gap < blocks; block += 2 * gap) {
        float* to = partial + block * count;
        const float* from = to + gap * count;
        Index i = first;
        for (; i + 4 <= last; i += 4) store(to + i, load(to + i) + load(from + i));
        for (; i < last; ++i) to[i] += from[i];
      }
    std::memcpy(filter_gradient + first, partial + first, static_cast<size_t>(last - first) * sizeof(float));
  });
}

}  // namespace gradbook::kernels
