// Filter gradient of 3 x 3 of one output channel per group: the nine sums of a pair of channels stay in registers, and every row of the
// image and of the gradient is read once. Nothing is copied for the padding's sake.
#include <algorithm>

#include "kernels/conv_partial.h"
#include "kernels/conv_taps.h"
#include "kernels/conv_techniques.h"
#include "kernels/scratch.h"
#include "kernels/simd.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

/// One plane of the gradient and one of the image.
struct Planes {
  const float* gradient;
  const float* image;
  long in_rows, in_width, padding_y, padding_x, out_rows, out_width;
  float* sums;  // [filter row][filter column][4 lanes]
};

// Four columns at each multiple of four from `first` up to `end`, row by row of the image, with the three rows of the gradient that
// a row meets in registers. kEdge: at the edge of the image, or less than four columns.
template <bool kEdge>
__attribute__((noinline)) void sum_columns(const Planes& planes, long first, long end) {
  const Planes t = planes;
  Float4 sum[9];
  for (int i = 0; i < 9; ++i) sum[i] = load(t.sums + 4 * i);
  // Image rows from `begin_all` up to `end_all` meet all three rows of the filter.
  const long begin_all = 2 - t.padding_y, end_all = t.out_rows - t.padding_y;
  for (long x = first; x < end; x += 4) {
    const Int4 lanes = {0, 1, 2, 3};
    const Int4 real = lanes < static_cast<int32_t>(t.out_width - x), real_right = lanes < static_cast<int32_t>(t.in_width - x - 2 + t.padding_x);
    const bool at_left = t.padding_x && x == 0;
    const auto cut = [&](Float4 v) { return kEdge ? keep_where(real, v) : v; };
    const float *image = t.image + x - t.padding_x, *gradient = t.gradient + x;
    Float4 below = {}, beside = {}, above = {};  // rows of the gradient under the first, second and third row of the filter
    if (t.padding_y) {
      below = cut(load(gradient));
      gradient += t.out_width;
    }
    const auto meet = [&](bool is_first, bool is_second, bool is_third) {
      above = beside, beside = below;
      if (is_first) below = cut(load(gradient));
      const Float4 middle = load(image + 1);
      const Float4 left = cut(kEdge && at_left ? __builtin_shufflevector(Float4{}, middle, 3, 4, 5, 6) : load(image));
      Float4 right = load(image + 2);
      if constexpr (kEdge) right = keep_where(real_right, cut(right));
      const auto add = [&](int row, Float4 grad) {
        sum[row] = madd(grad, left, sum[row]);
        sum[row + 1] = madd(grad, cut(middle), sum[row + 1]);
        sum[row + 2] = madd(grad, right, sum[row + 2]);
      };
      if (is_first) add(0, below);
      if (is_second) add(3, beside);
      if (is_third) add(6, above);
      image += t.in_width, gradient += t.out_width;
    };
    long y = 0;
#pragma clang loop unroll(disable)
    for (const long until : {std::min(begin_all, t.in_rows), t.in_rows}) {
#pragma clang loop unroll(disable)
      for (; y < until; ++y) {
        const long row = y + t.padding_y;
        meet(row < t.out_rows, row >= 1 && row <= t.out_rows, row >= 2);
      }
#pragma clang loop unroll(disable)
      for (; y < end_all; ++y) meet(true, true, true);
    }
  }
  for (int i = 0; i < 9; ++i) store(t.sums + 4 * i, sum[i]);
}

void add_plane(const ConvPlan& plan, const float* image, const float* gradient, float* sums) {
  const Planes t{gradient, image, plan.in_height, plan.in_width, plan.padding_y, plan.padding_x, plan.out_height, plan.out_width, sums};
  const long last = (plan.out_width - 1) / 4 * 4;
  if (last > 0) sum_columns<true>(t, 0, 4);
  if (last > 4) sum_columns<false>(t, 4, last);
  sum_columns<true>(t, last, last + 4);
}

}  // namespace

void filter_gradient_small(const ConvShape& s, const float* images, const float* results_gradient, float* filter_gradient) {
  const ConvPlan plan(s);
  const Index blocks = filter_gradient_blocks(s), images_per_block = (s.batch + blocks - 1) / blocks;
  // Neighbouring groups together: their planes lie one after the other, which memory likes best.
  const Index parts = std::clamp<Index>(16 / blocks, 1, s.groups);
  const long floats = plan.taps(), image_floats = plan.in_channels * plan.in_height * plan.in_width;
  const Scratch partial(blocks * filter_floats(s));
  parallel_for(blocks * parts, s.flops(), [&](Index block) {
    const Index image_block = block / parts, part = block % parts, first = s.groups * part / parts, end = s.groups * (part + 1) / parts;
    const Scratch sums(4 * floats * (end - first));
    std::fill(sums.data(), sums.data() + 4 * floats * (end - first), 0.0f);
    for (Index image = image_block * images_per_block; image < std::min(s.batch, (image_block + 1) * images_per_block); ++image)
      for (Index group = first; group < end; ++group) {
        const Index plane = image * s.groups + group;
        for (long in = 0; in < plan.in_channels; ++in)
          add_plane(plan, images + plane * image_floats + in * plan.in_height * plan.in_width, results_gradient + plane * plan.pixels(), sums.data() + 4 * (floats * (group - first) + 9 * in));
      }
    float* target = partial.data() + image_block * filter_floats(s) + first * floats;
    for (long i = 0; i < floats * (end - first); ++i) target[i] = lane_sum(load(sums.data() + 4 * i));
  });
  add_partial_filters(s, blocks, partial.data(), filter_gradient);
}

}  // namespace gradbook::kernels
