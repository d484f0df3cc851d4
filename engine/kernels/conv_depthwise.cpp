// Convolution with one input and one output channel per group: no sum over channels, so rows are read in place and multiplied tap
// by tap, sixteen pixels of two rows at a time.
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

/// One strip of a plane, up to sixteen pixels wide. Pitches in floats.
struct Strip {
  const float* image;
  long row_step, stride;   // from one output row, one output pixel, to the next
  long tap_row, tap;       // from one filter row, filter column, to the next
  long filter_height, filter_width;
  const float* filter;
  float bias;
  bool relu;
  long rows, last;         // `last`: pixel at which the last four begin; they may overlap those before
  long real;               // pixels of the four that are stored; less than four only where the plane is that narrow
  float* out;
  long out_row;
};

// Two rows at a time: nine additions in a row to a single sum would wait for each other.
template <int kVectors, int kStep>
__attribute__((noinline)) void multiply_strip(const Strip& strip) {
  const Strip t = strip;
  const long stride = kStep ? kStep : t.stride, last = t.last * stride;
  for (long row = 0; row < t.rows; row += 2) {
    // The last row of an odd number is its own second: the same numbers twice.
    const long below = row + 1 < t.rows;
    const float *top = t.image + row * t.row_step, *bottom = top + below * t.row_step, *factor = t.filter;
    Float4 sum[2][kVectors];
    for (int v = 0; v < kVectors; ++v) sum[0][v] = sum[1][v] = splat(t.bias);
#pragma clang loop unroll_count(1)
    for (long y = 0; y < t.filter_height; ++y, top += t.tap_row, bottom += t.tap_row) {
      const float *p = top, *q = bottom;
#pragma clang loop unroll_count(1)
      for (long x = 0; x < t.filter_width; ++x, p += t.tap, q += t.tap) {
        const Float4 weight = load_splat(factor++);
        for (int v = 0; v < kVectors - 1; ++v) {
          sum[0][v] = madd(weight, load_pixels<kStep>(p + 4 * v * stride, stride), sum[0][v]);
          sum[1][v] = madd(weight, load_pixels<kStep>(q + 4 * v * stride, stride), sum[1][v]);
        }
        sum[0][kVectors - 1] = madd(weight, load_pixels<kStep>(p + last, stride), sum[0][kVectors - 1]);
        sum[1][kVectors - 1] = madd(weight, load_pixels<kStep>(q + last, stride), sum[1][kVectors - 1]);
      }
    }
    float* out = t.out + row * t.out_row;
    for (int i = 0; i < 2; ++i, out += below * t.out_row) {
      if (t.relu)
        for (Float4& each : sum[i]) each = raise_to(each, Float4{});
      for (int v = 0; v < kVectors - 1; ++v) store(out + 4 * v, sum[i][v]);
      if (t.real < 4) [[unlikely]] {
        store_first(out + t.last, sum[i][kVectors - 1], t.real);
      } else {
        store(out + t.last, sum[i][kVectors - 1]);
      }
    }
  }
}

template <int kStep>
void multiply_plane(const ConvPlan& plan, const ImageView& view, const float* filter, float bias, bool relu, float* out) {
  Strip t{};
  t.row_step = plan.stride_y * view.row, t.stride = kStep ? kStep : plan.stride_x, t.tap_row = plan.dilation_y * view.row, t.tap = plan.dilation_x;
  t.filter_height = plan.filter_height, t.filter_width = plan.filter_width, t.filter = filter, t.bias = bias, t.relu = relu;
  t.rows = plan.out_height, t.out_row = plan.out_width, t.real = std::min(4L, plan.out_width);
  const long fours = (plan.out_width + 3) / 4, strips = (fours + 3) / 4;
  for (long strip = 0; strip < strips; ++strip) {
    const long first = fours * strip / strips, count = fours * (strip + 1) / strips - first;
    t.image = view.data + 4 * first * t.stride, t.out = out + 4 * first;
    // Only the plane's last four may lack pixels of their own.
    t.last = std::max(0L, std::min(4 * (first + count - 1), plan.out_width - 4) - 4 * first);
    using Function = void (*)(const Strip&);
    static constexpr Function kStrips[] = {multiply_strip<1, kStep>, multiply_strip<2, kStep>, multiply_strip<3, kStep>, multiply_strip<4, kStep>};
    kStrips[count - 1](t);
  }
}

using PlaneFunction = void (*)(const ConvPlan&, const ImageView&, const float*, float, bool, float*);
PlaneFunction plane_function(const ConvPlan& plan) { return plan.stride_x == 1 ? multiply_plane<1> : plan.stride_x == 2 ? multiply_plane<2> : multiply_plane<0>; }

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
