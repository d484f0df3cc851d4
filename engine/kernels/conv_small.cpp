// Convolution with a filter of 3 x 3 and one output channel per group: every row of the image is read once, for the three rows of
// results that it takes part in, and its left and right neighbours are shifted out of it.
#include <algorithm>

#include "kernels/conv_taps.h"
#include "kernels/conv_techniques.h"
#include "kernels/simd.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

/// Some columns of a plane under a filter of 3 x 3, four pixels in each.
struct Columns {
  const float* image;      // the pixel under the middle of the filter at the first result, in the image's first row
  const float* filter;
  float bias;
  bool relu, at_left, at_right;  // nothing but zeros lies left (right) of these columns
  long in_rows, in_width, padding_y, out_rows, out_width;
  float* out;
};

// kAdds: to what the results hold, instead of to the bias.
template <int kColumns, bool kAdds>
__attribute__((noinline)) void multiply_columns(const Columns& columns) {
  const Columns t = columns;
  Float4 sums[3][kColumns];  // of the result rows one above, beside and one below the image row
  const auto begin = [&](long y) {
    for (Float4& each : sums[2]) each = splat(t.bias);
    if (!kAdds || y >= t.out_rows) return;
    for (int v = 0; v < kColumns; ++v) sums[2][v] = load(t.out + y * t.out_width + 4 * v);
  };
  const auto move_on = [&] {
    for (int v = 0; v < kColumns; ++v) sums[0][v] = sums[1][v], sums[1][v] = sums[2][v];
  };
  begin(0);
  move_on();
  move_on();
  float* out = t.out - (2 - t.padding_y) * t.out_width;
  const auto finish = [&] {
    for (int v = 0; v < kColumns; ++v) store(out + 4 * v, t.relu ? raise_to(sums[0][v], Float4{}) : sums[0][v]);
  };
  const float* row = t.image;
  for (long y = 0; y < t.in_rows; ++y, row += t.in_width, out += t.out_width) {
    begin(y + t.padding_y);
    Float4 middle[kColumns], shifted[kColumns];
    for (int v = 0; v < kColumns; ++v) middle[v] = load(row + 4 * v);
    const auto multiply = [&](const Float4(&pixels)[kColumns], const float* taps) {
      for (int i = 0; i < 3; ++i) {
        const Float4 weight = load_splat(taps + 3 * (2 - i));
        for (int v = 0; v < kColumns; ++v) sums[i][v] = madd(weight, pixels[v], sums[i][v]);
      }
    };
    const Float4 before = t.at_left ? Float4{} : load_splat(row - 1);
    for (int v = 0; v < kColumns; ++v) shifted[v] = __builtin_shufflevector(v == 0 ? before : middle[v - 1], middle[v], 3, 4, 5, 6);
    multiply(shifted, t.filter);
    multiply(middle, t.filter + 1);
    const Float4 after = t.at_right ? Float4{} : load_splat(row + 4 * kColumns);
    for (int v = 0; v < kColumns; ++v) shifted[v] = __builtin_shufflevector(middle[v], v == kColumns - 1 ? after : middle[v + 1], 1, 2, 3, 4);
    multiply(shifted, t.filter + 2);
    if (y >= 2 - t.padding_y) finish();
    move_on();
  }
  // Below the image lies the padding.
  if (t.padding_y == 1) finish();
}

void multiply_small(const ConvPlan& plan, const float* image, const float* filter, float bias, bool relu, float* out) {
  Columns t{};
  t.bias = bias, t.in_rows = plan.in_height, t.in_width = plan.in_width, t.padding_y = plan.padding_y, t.out_rows = plan.out_height, t.out_width = plan.out_width;
  const long fours = (plan.out_width + 3) / 4, most = std::min(3L, plan.out_width / 4), parts = (fours + most - 1) / most;
  for (long part = 0; part < parts; ++part) {
    const long begin = fours * part / parts, count = fours * (part + 1) / parts - begin;
    // The last columns overlap their neighbours when the width asks for it, and write the same numbers there again.
    const long first = std::min(4 * begin, plan.out_width - 4 * count), middle = first + 1 - plan.padding_x;
    t.out = out + first, t.at_left = middle == 0, t.at_right = middle + 4 * count == plan.in_width;
    for (long channel = 0; channel < plan.in_channels; ++channel) {
      t.image = image + channel * plan.in_height * plan.in_width + middle, t.filter = filter + 9 * channel;
      t.relu = relu && channel + 1 == plan.in_channels;
      using Function = void (*)(const Columns&);
      static constexpr Function kFirst[] = {multiply_columns<1, false>, multiply_columns<2, false>, multiply_columns<3, false>};
      static constexpr Function kNext[] = {multiply_columns<1, true>, multiply_columns<2, true>, multiply_columns<3, true>};
      (channel == 0 ? kFirst : kNext)[count - 1](t);
    }
  }
}

}  // namespace

bool serves_small(const ConvShape& s) {
  const auto fits = [](Index filter, Index stride, Index dilation, Index padding, Index in, Index out) {
    return filter == 3 && stride == 1 && dilation == 1 && (padding == 0 || padding == 1) && out == in + 2 * padding - 2;
  };
  return s.group_out() == 1 && s.out_width >= 4 && fits(s.filter_height, s.stride_y, s.dilation_y, s.padding_y, s.in_height, s.out_height) &&
         fits(s.filter_width, s.stride_x, s.dilation_x, s.padding_x, s.in_width, s.out_width);
}

void forward_small(const ConvShape& s, const float* images, const float* filter, const float* bias, bool relu, float* results) {
  const ConvPlan plan(s);
  parallel_for(s.batch * s.groups, s.flops(), [&](Index block) {
    const Index group = block % s.groups;
    multiply_small(plan, images + block * plan.in_channels * plan.in_height * plan.in_width, filter + group * plan.taps(), bias ? bias[group] : 0.0f, relu, results + block * plan.pixels());
  });
}

}  // namespace gradbook::kernels
