// Convolution with a filter of 3 x 3 from one channel, or to one, and of 5 x 5 to one: four columns of an output channel at a time,
// with taps in registers. Every row of the image is read once for all the rows of results that it takes part in; for 3 x 3 nothing is
// copied for the padding's sake.
#include <algorithm>

#include "kernels/conv_taps.h"
#include "kernels/conv_techniques.h"
#include "kernels/scratch.h"
#include "kernels/simd.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

/// One plane of results from one plane of the image.
struct Plane {
  const float* image;
  const float* filter;
  long filter_width;
  float bias;
  bool relu;
  long in_rows, in_width, padding_y, padding_x, out_rows, out_width;  // padding_x: what is not in the image as it lies in memory
  float* out;
};

// kTaps columns of a filter of kRows rows. Four columns of results at each multiple of four from `first` up to `end`, row by row of the
// image: each finishes a row of results and takes part in the next ones, which wait in registers. kEdge: three taps, and the columns
// may lie at the edge of the image. kAdds: to what the results hold, instead of to the bias.
template <int kRows, int kTaps, bool kEdge, bool kAdds>
__attribute__((noinline)) void multiply_columns(const Plane& plane, long first, long end) {
  const Plane t = plane;
  Float4 weight[kRows][kTaps];
  for (int i = 0; i < kRows; ++i)
    for (int k = 0; k < kTaps; ++k) weight[i][k] = load_splat(t.filter + i * t.filter_width + k);
  for (long x = first; x < end; x += 4) {
    const bool at_left = t.padding_x && x == 0, at_right = t.padding_x && x + 4 == t.out_width;
    const float* image = t.image + x - t.padding_x;
    float* out = t.out + x;
    long begun = 0;
    const auto begin = [&] {
      if constexpr (!kAdds) return splat(t.bias);
      return load(t.out + x + std::min(begun++, t.out_rows - 1) * t.out_width);
    };
    // The next row of results that ends, and those after it. The first ones lack the rows of the image that are padding.
    Float4 waiting[kRows - 1];
    for (int i = 0; i < kRows - 1; ++i) waiting[i] = i < kRows - 1 - t.padding_y ? Float4{} : begin();
    const auto finish = [&](Float4 sum) {
      store(out, t.relu ? raise_to(sum, Float4{}) : sum);
      out += t.out_width;
    };
    const auto multiply = [&](bool ends) {
      Float4 pixels[kTaps];
      for (int k = 0; k < kTaps; ++k)
        if (!kEdge || k == 1) pixels[k] = load(image + k);
      if constexpr (kEdge) {
        pixels[0] = at_left ? __builtin_shufflevector(Float4{}, pixels[1], 3, 4, 5, 6) : load(image);
        pixels[2] = at_right ? __builtin_shufflevector(pixels[1], Float4{}, 1, 2, 3, 4) : load(image + 2);
      }
      const auto add = [&](int row, Float4 sum) {
        for (int k = 0; k < kTaps; ++k) sum = madd(weight[row][k], pixels[k], sum);
        return sum;
      };
      if (ends) finish(add(kRows - 1, waiting[0]));
      for (int i = 0; i < kRows - 2; ++i) waiting[i] = add(kRows - 2 - i, waiting[i + 1]);
      waiting[kRows - 2] = add(0, begin());
      image += t.in_width;
    };
    const long open = kRows - 1 - t.padding_y;
    for (long y = 0; y < std::min(open, t.in_rows); ++y) multiply(false);
    for (long y = open; y < t.in_rows; ++y) multiply(true);
    // Below the image lies the padding.
    for (int i = 0; i < kRows - 1; ++i)
      if (i < t.padding_y) finish(waiting[i]);
  }
}

using Function = void (*)(const Plane&, long, long);

Plane plane_of(const ConvPlan& plan, float bias, float* out) {
  return {nullptr, nullptr, plan.filter_width, bias, false, plan.in_height, plan.in_width, plan.padding_y, plan.padding_x, plan.out_height, plan.out_width, out};
}

void multiply_three(const ConvPlan& plan, const float* image, const float* filter, float bias, bool relu, float* out) {
  Plane t = plane_of(plan, bias, out);
  const long last = plan.out_width - 4;
  // All channels of a part before the next one: where parts overlap, the later one begins anew.
  const auto run = [&](Function first_channel, Function next_channel, long first, long end) {
    for (long channel = 0; channel < plan.in_channels; ++channel) {
      t.image = image + channel * plan.in_height * plan.in_width, t.filter = filter + 9 * channel;
      t.relu = relu && channel + 1 == plan.in_channels;
      (channel == 0 ? first_channel : next_channel)(t, first, end);
    }
  };
  if (last > 0) run(multiply_columns<3, 3, true, false>, multiply_columns<3, 3, true, true>, 0, 1);
  if (last > 4) run(multiply_columns<3, 3, false, false>, multiply_columns<3, 3, false, true>, 4, last);
  run(multiply_columns<3, 3, true, false>, multiply_columns<3, 3, true, true>, last, last + 1);
}

// `view` has zeros left and right of each row, but none above and below. Two columns of the filter at a time: more do not fit into
// the registers.
void multiply_five(const ConvPlan& plan, const ImageView& view, const float* filter, float bias, bool relu, float* out) {
  Plane t = plane_of(plan, bias, out);
  t.padding_x = 0, t.in_width = view.row;
  const long last = plan.out_width - 4;
  for (const bool at_end : {false, true}) {
    // All taps of a part before the next one: where parts overlap, the later one begins anew.
    for (long y = 0; y < plan.out_height; ++y)
      for (long x = at_end ? last : 0; x < (at_end ? last + 1 : last); x += 4) store(out + y * plan.out_width + x, splat(bias));
    for (long channel = 0; channel < plan.in_channels; ++channel)
      for (long x = 0; x < 5; x += 2) {
        t.image = view.data + channel * view.plane + x, t.filter = filter + 25 * channel + x;
        t.relu = relu && x == 4 && channel + 1 == plan.in_channels;
        (x == 4 ? multiply_columns<5, 1, false, true> : multiply_columns<5, 2, false, true>)(t, at_end ? last : 0, at_end ? last + 1 : last);
      }
  }
}

bool moves_by_pixels(Index filter, Index most_padding, Index stride, Index dilation, Index padding, Index in, Index out) {
  return stride == 1 && dilation == 1 && padding >= 0 && padding <= most_padding && in > 0 && in >= filter - 1 - padding && out == in + 2 * padding - filter + 1;
}
bool moves_by_pixels(const ConvShape& s, Index filter, Index most_padding) {
  return s.filter_height == filter && s.filter_width == filter && s.out_width >= 4 && s.out_height > 0 &&
         moves_by_pixels(filter, most_padding, s.stride_y, s.dilation_y, s.padding_y, s.in_height, s.out_height) &&
         moves_by_pixels(filter, most_padding, s.stride_x, s.dilation_x, s.padding_x, s.in_width, s.out_width);
}

}  // namespace

bool serves_small(const ConvShape& s) { return (s.group_in() == 1 || s.group_out() == 1) && moves_by_pixels(s, 3, 1); }
bool serves_five(const ConvShape& s) { return s.group_out() == 1 && moves_by_pixels(s, 5, 4); }

void forward_small(const ConvShape& s, const float* images, const float* filter, const float* bias, bool relu, float* results) {
  const ConvPlan plan(s);
  parallel_for(s.batch * s.out_channels, s.flops(), [&](Index block) {
    const Index channel = block % s.out_channels, group = block / plan.out_channels;
    multiply_three(plan, images + group * plan.in_channels * plan.in_height * plan.in_width, filter + channel * plan.taps(), bias ? bias[channel] : 0.0f, relu,
                   results + block * plan.pixels());
  });
}

void forward_five(const ConvShape& s, const float* images, const float* filter, const float* bias, bool relu, float* results) {
  const ConvPlan plan(s);
  ConvShape lines = s;
  lines.filter_height = 1, lines.padding_y = 0, lines.out_height = s.in_height;
  const ConvPlan lines_plan(lines);
  parallel_for(s.batch * s.groups, s.flops(), [&](Index block) {
    const Index channel = block % s.groups;
    const Scratch padded(lines_plan.view_floats(plan.in_height));
    const ImageView view = lines_plan.view(images + block * plan.in_channels * plan.in_height * plan.in_width, 0, plan.in_height, plan.in_height, padded.data());
    multiply_five(plan, view, filter + channel * plan.taps(), bias ? bias[channel] : 0.0f, relu, results + block * plan.pixels());
  });
}

}  // namespace gradbook::kernels
