// Convolution with one input and one output channel per group: no sum over channels, so rows are read in place and multiplied tap
// by tap, sixteen pixels at a time.
#include <algorithm>
#include <vector>

#include "kernels/conv_classes.h"
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

// kWidth: filter columns when they are known here (the loop over them is then unrolled), else 0.
template <int kVectors, int kStep, int kWidth>
GRADBOOK_INLINE void depthwise_tile(const ConvPlan& plan, const float* image, long row_pitch, const float* filter, float bias, bool relu, Float4* sum) {
  for (int v = 0; v < kVectors; ++v) sum[v] = splat(bias);
  const auto tap = [&](const float* p, const float* factor) {
    for (int v = 0; v < kVectors; ++v) sum[v] = madd(load_splat(factor), load_pixels<kStep>(p + 4 * v * plan.stride_x, plan.stride_x), sum[v]);
  };
#pragma clang loop unroll_count(1)
  for (long y = 0; y < plan.filter_height; ++y) {
    const float* p = image + y * plan.dilation_y * row_pitch;
    if constexpr (kWidth == 0) {
      for (long x = 0; x < plan.filter_width; ++x) tap(p + x * plan.dilation_x, filter + x);
    } else {
      for (int x = 0; x < kWidth; ++x) tap(p + x * plan.dilation_x, filter + x);
    }
    filter += plan.filter_width;
  }
  if (relu)
    for (int v = 0; v < kVectors; ++v) sum[v] = raise_to(sum[v], Float4{});
}

template <int kStep, int kWidth>
__attribute__((noinline)) void depthwise_plane(const ConvPlan& plan_given, const ImageView& view, const float* filter, float bias, bool relu, float* out) {
  const ConvPlan plan = plan_given;
  for (long row = 0; row < plan.out_height; ++row, out += plan.out_width) {
    const float* image = view.data + row * plan.stride_y * view.row;
    Float4 sum[4];
    long x = 0;
    for (; x + 16 <= plan.out_width; x += 16) {
      depthwise_tile<4, kStep, kWidth>(plan, image + x * plan.stride_x, view.row, filter, bias, relu, sum);
      for (int v = 0; v < 4; ++v) store(out + x + 4 * v, sum[v]);
    }
    for (; x + 4 <= plan.out_width; x += 4) {
      depthwise_tile<1, kStep, kWidth>(plan, image + x * plan.stride_x, view.row, filter, bias, relu, sum);
      store(out + x, sum[0]);
    }
    if (x < plan.out_width && plan.out_width >= 4) {
      // The last four pixels once more: the same numbers.
      x = plan.out_width - 4;
      depthwise_tile<1, kStep, kWidth>(plan, image + x * plan.stride_x, view.row, filter, bias, relu, sum);
      store(out + x, sum[0]);
    } else if (x < plan.out_width) {
      // The copy of the image has room behind it for the pixels that do not exist.
      depthwise_tile<1, kStep, kWidth>(plan, image + x * plan.stride_x, view.row, filter, bias, relu, sum);
      store_first(out + x, sum[0], plan.out_width - x);
    }
  }
}

using PlaneFunction = void (*)(const ConvPlan&, const ImageView&, const float*, float, bool, float*);
PlaneFunction plane_function(const ConvPlan& plan) {
  if (plan.stride_x == 1) return plan.filter_width == 3 ? depthwise_plane<1, 3> : plan.filter_width == 5 ? depthwise_plane<1, 5> : depthwise_plane<1, 0>;
  if (plan.stride_x == 2) return plan.filter_width == 3 ? depthwise_plane<2, 3> : plan.filter_width == 5 ? depthwise_plane<2, 5> : depthwise_plane<2, 0>;
  return depthwise_plane<0, 0>;
}

// target[i * stride] = source[i] for the columns of one class; stride 2 takes both classes of a row at once.
void spread_row(const float* const* classes, long stride, long width, float* target) {
  long x = 0;
  if (stride == 2)
    for (; 2 * x + 8 <= width; x += 4) {
      const Float4 even = load(classes[0] + x), odd = load(classes[1] + x);
      store(target + 2 * x, interleave_low(even, odd));
      store(target + 2 * x + 4, interleave_high(even, odd));
    }
  for (long i = x * stride; i < width; ++i) target[i] = classes[i % stride][i / stride];
}

}  // namespace

void input_gradient_depthwise(const ConvShape& s, const float* results_gradient, const float* filter, float* images_gradient) {
  const ConvPlan plan(s);
  const long area = plan.filter_height * plan.filter_width;
  const std::vector<ResidueClass> ys = residue_classes(plan.stride_y, plan.padding_y, plan.dilation_y, plan.filter_height);
  const std::vector<ResidueClass> xs = residue_classes(plan.stride_x, plan.padding_x, plan.dilation_x, plan.filter_width);
  const long class_width = (plan.in_width + plan.stride_x - 1) / plan.stride_x;
  parallel_for(s.batch * s.groups, s.flops(), [&](Index block) {
    const float* gradient = results_gradient + block * plan.pixels();
    const float* taps = filter + block % s.groups * area;
    float* target = images_gradient + block * plan.in_height * plan.in_width;
    const Scratch rows(plan.stride_x * class_width * ((plan.in_height + plan.stride_y - 1) / plan.stride_y));
    for (const ResidueClass& y : ys) {
      ConvShape c;
      c.in_height = plan.out_height, c.in_width = plan.out_width, c.out_height = (plan.in_height - y.residue + plan.stride_y - 1) / plan.stride_y;
      c.filter_height = static_cast<Index>(y.taps.size()), c.dilation_y = y.step, c.padding_y = -y.origin;
      if (c.out_height <= 0) continue;
      const float* row_of_class[16];
      const long class_floats = class_width * static_cast<long>(c.out_height);
      for (const ResidueClass& x : xs) {
        float* to = rows.data() + x.residue * class_floats;
        c.out_width = (plan.in_width - x.residue + plan.stride_x - 1) / plan.stride_x;
        c.filter_width = static_cast<Index>(x.taps.size()), c.dilation_x = x.step, c.padding_x = -x.origin;
        if (c.out_width <= 0) continue;
        if (y.taps.empty() || x.taps.empty()) {
          std::fill(to, to + c.out_width * c.out_height, 0.0f);
          continue;
        }
        const ConvPlan small(c);
        const Scratch chosen(c.filter_height * c.filter_width), padded(small.view_floats(small.out_height) + 4);
        float* tap = chosen.data();
        for (long tap_y : y.taps)
          for (long tap_x : x.taps) *tap++ = taps[tap_y * plan.filter_width + tap_x];
        plane_function(small)(small, small.view(gradient, 0, small.out_height, small.out_height, padded.data()), chosen.data(), 0, false, to);
      }
      for (long i = 0; i < c.out_height; ++i) {
        for (const ResidueClass& x : xs) row_of_class[x.residue] = rows.data() + x.residue * class_floats + i * ((plan.in_width - x.residue + plan.stride_x - 1) / plan.stride_x);
        spread_row(row_of_class, plan.stride_x, plan.in_width, target + (y.residue + i * plan.stride_y) * plan.in_width);
      }
    }
  });
}

void forward_depthwise(const ConvShape& s, const float* images, const float* filter, const float* bias, bool relu, float* results) {
  const ConvPlan plan(s);
  const long area = plan.filter_height * plan.filter_width;
  // A last group of four pixels with a wide step reads up to 3 steps behind the image.
  const bool far_reach = plan.stride_x > 2;
  const PlaneFunction plane = plane_function(plan);
  parallel_for(s.batch * s.groups, s.flops(), [&](Index block) {
    const Index group = block % s.groups;
    const long image_floats = plan.in_height * plan.in_width;
    const Scratch padded(plan.needs_padding || far_reach ? std::max(plan.view_floats(plan.out_height), image_floats) + 4 * plan.stride_x : 0);
    const float* source = images + block * image_floats;
    if (!plan.needs_padding && far_reach) source = std::copy(source, source + image_floats, padded.data()) - image_floats;
    const ImageView view = plan.view(source, 0, plan.out_height, plan.out_height, padded.data());
    plane(plan, view, filter + group * area, bias ? bias[group] : 0.0f, relu, results + block * plan.pixels());
  });
}

}  // namespace gradbook::kernels
