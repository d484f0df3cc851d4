// Convolution with one input and one output channel per group: no sum over channels, so rows are read in place and multiplied tap
// by tap, sixteen pixels at a time.
#include <algorithm>

#include "kernels/conv_taps.h"
#include "kernels/conv_techniques.h"
#include "kernels/scratch.h"
#include "kernels/simd.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

// Four pixels kStep floats apart (0: `step` apart).
template <int kStep>
GRADBOOK_INLINE Float4 load_pixels(const float* p, long step) {
  if constexpr (kStep == 1) return load(p);
  if constexpr (kStep == 2) return even_lanes(load(p), load(p + 4));
  return Float4{p[0], p[step], p[2 * step], p[3 * step]};
}

template <int kVectors, int kStep>
GRADBOOK_INLINE void depthwise_tile(const ConvPlan& plan, const float* image, long row_pitch, const float* filter, float bias, bool relu, Float4* sum) {
  for (int v = 0; v < kVectors; ++v) sum[v] = splat(bias);
  for (long y = 0; y < plan.filter_height; ++y) {
    const float* p = image + y * plan.dilation_y * row_pitch;
    for (long x = 0; x < plan.filter_width; ++x, p += plan.dilation_x, ++filter) {
      const Float4 factor = load_splat(filter);
      for (int v = 0; v < kVectors; ++v) sum[v] = madd(factor, load_pixels<kStep>(p + 4 * v * plan.stride_x, plan.stride_x), sum[v]);
    }
  }
  if (relu)
    for (int v = 0; v < kVectors; ++v) sum[v] = raise_to(sum[v], Float4{});
}

template <int kStep>
__attribute__((noinline)) void depthwise_plane(const ConvPlan& plan_given, const ImageView& view, const float* filter, float bias, bool relu, float* out) {
  const ConvPlan plan = plan_given;
  for (long row = 0; row < plan.out_height; ++row, out += plan.out_width) {
    const float* image = view.data + row * plan.stride_y * view.row;
    Float4 sum[4];
    long x = 0;
    for (; x + 16 <= plan.out_width; x += 16) {
      depthwise_tile<4, kStep>(plan, image + x * plan.stride_x, view.row, filter, bias, relu, sum);
      for (int v = 0; v < 4; ++v) store(out + x + 4 * v, sum[v]);
    }
    for (; x + 4 <= plan.out_width; x += 4) {
      depthwise_tile<1, kStep>(plan, image + x * plan.stride_x, view.row, filter, bias, relu, sum);
      store(out + x, sum[0]);
    }
    if (x < plan.out_width) {
      // The copy of the image has room behind it for the pixels that do not exist.
      depthwise_tile<1, kStep>(plan, image + x * plan.stride_x, view.row, filter, bias, relu, sum);
      store_first(out + x, sum[0], plan.out_width - x);
    }
  }
}

}  // namespace

void forward_depthwise(const ConvShape& s, const float* images, const float* filter, const float* bias, bool relu, float* results) {
  const ConvPlan plan(s);
  const long area = plan.filter_height * plan.filter_width;
  // A last group of four pixels with a wide step reads up to 3 steps behind the image.
  const bool far_reach = plan.stride_x > 2;
  parallel_for(s.batch * s.groups, s.flops(), [&](Index block) {
    const Index group = block % s.groups;
    const long image_floats = plan.in_height * plan.in_width;
    const Scratch padded(plan.needs_padding || far_reach ? std::max(plan.view_floats(plan.out_height), image_floats) + 4 * plan.stride_x : 0);
    const float* source = images + block * image_floats;
    if (!plan.needs_padding && far_reach) source = std::copy(source, source + image_floats, padded.data()) - image_floats;
    const ImageView view = plan.view(source, 0, plan.out_height, plan.out_height, padded.data());
    const auto plane = plan.stride_x == 1 ? depthwise_plane<1> : plan.stride_x == 2 ? depthwise_plane<2> : depthwise_plane<0>;
    plane(plan, view, filter + group * area, bias ? bias[group] : 0.0f, relu, results + block * plan.pixels());
  });
}

}  // namespace gradbook::kernels
