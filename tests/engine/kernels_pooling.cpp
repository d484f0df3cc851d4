// Pooling against plain loops over random shapes, forward and backward.
#include "kernels/pooling.h"

#include <algorithm>

#include "kernels_numbers.h"

namespace gradbook::kernels {
namespace {

using tests::Floats;
using tests::Numbers;

PoolShape random_shape(Numbers& numbers, bool dilated) {
  for (;;) {
    PoolShape s;
    s.planes = numbers.between(0, 5);
    s.in_height = numbers.between(1, 13), s.in_width = numbers.between(1, 19);
    s.window_height = numbers.between(1, 4), s.window_width = numbers.between(1, 4);
    s.stride_y = numbers.between(1, 3), s.stride_x = numbers.between(1, 3);
    s.padding_y = numbers.between(0, s.window_height / 2), s.padding_x = numbers.between(0, s.window_width / 2);
    if (dilated) s.dilation_y = numbers.between(1, 2), s.dilation_x = numbers.between(1, 2);
    if (numbers.between(0, 2) == 0) s.window_height = s.window_width = s.stride_y = s.stride_x = 2, s.padding_y = s.padding_x = 0, s.dilation_y = s.dilation_x = 1;
    s.infer_out(numbers.between(0, 1));
    if (s.out_height > 0 && s.out_width > 0) return s;
  }
}

std::string describe(const PoolShape& s) {
  return testing::PrintToString(s.planes) + " planes of " + std::to_string(s.in_height) + "x" + std::to_string(s.in_width) + ", window " + std::to_string(s.window_height) + "x" +
         std::to_string(s.window_width) + ", stride " + std::to_string(s.stride_y) + "," + std::to_string(s.stride_x) + ", padding " + std::to_string(s.padding_y) + "," +
         std::to_string(s.padding_x) + ", dilation " + std::to_string(s.dilation_y) + "," + std::to_string(s.dilation_x);
}

// Calls use(plane, out index, in index or -1) for every tap of every window.
template <class Use>
void for_taps(const PoolShape& s, Use use) {
  for (Index p = 0; p < s.planes; ++p)
    for (Index r = 0; r < s.out_height; ++r)
      for (Index c = 0; c < s.out_width; ++c)
        for (Index i = 0; i < s.window_height; ++i)
          for (Index j = 0; j < s.window_width; ++j) {
            const Index y = r * s.stride_y - s.padding_y + i * s.dilation_y, x = c * s.stride_x - s.padding_x + j * s.dilation_x;
            const bool inside = y >= 0 && y < s.in_height && x >= 0 && x < s.in_width;
            const bool padded = y < s.in_height + s.padding_y && x < s.in_width + s.padding_x;
            use((p * s.out_height + r) * s.out_width + c, inside ? (p * s.in_height + y) * s.in_width + x : -1, padded);
          }
}

TEST(MaxPool, ForwardPlacesAndGradientAgreeWithPlainLoops) {
  Numbers numbers(1);
  for (int round = 0; round < 300; ++round) {
    const PoolShape s = random_shape(numbers, true);
    const Index in = s.planes * s.in_height * s.in_width, out = s.planes * s.out_height * s.out_width;
    Floats x(in, numbers);
    for (Index i = 0; i < in; ++i) x[i] = std::round(x[i] * 4);  // many equal values
    if (in > 50) x[in / 3] = NAN;
    const Floats g(out, numbers);
    Floats y(out), dx(in), alone(out);
    std::vector<int32_t> place(static_cast<size_t>(out));
    max_pool_forward(s, x.data(), y.data(), place.data());
    max_pool_forward(s, x.data(), alone.data(), nullptr);
    max_pool_backward(s, g.data(), place.data(), dx.data());

    std::vector<double> best(static_cast<size_t>(out), -INFINITY), gradient(static_cast<size_t>(in));
    std::vector<Index> where(static_cast<size_t>(out), -1);
    for_taps(s, [&](Index to, Index from, bool) {
      if (from < 0) return;
      const auto o = static_cast<size_t>(to);
      if (where[o] < 0 || x[from] > best[o] || (std::isnan(x[from]) && !std::isnan(best[o]))) best[o] = x[from], where[o] = from;
    });
    if (std::count(where.begin(), where.end(), -1)) continue;  // a window over padding only: not served
    for (Index o = 0; o < out; ++o) {
      const Index from = where[static_cast<size_t>(o)];
      ASSERT_EQ(place[static_cast<size_t>(o)], from % (s.in_height * s.in_width)) << describe(s) << " at " << o;
      gradient[static_cast<size_t>(from)] += g[o];
    }
    ASSERT_EQ(tests::difference(best, y), 0) << describe(s);
    ASSERT_EQ(tests::difference(best, alone), 0) << describe(s);
    ASSERT_LT(tests::difference(gradient, dx), 1e-6) << describe(s);
    ASSERT_TRUE(y.tail_untouched() && dx.tail_untouched());
  }
}

TEST(AveragePool, ForwardAndGradientAgreeWithPlainLoops) {
  Numbers numbers(2);
  for (int round = 0; round < 300; ++round) {
    const PoolShape s = random_shape(numbers, false);
    const Index in = s.planes * s.in_height * s.in_width, out = s.planes * s.out_height * s.out_width;
    const Floats x(in, numbers), g(out, numbers);
    for (bool count_padding : {false, true}) {
      std::vector<double> sum(static_cast<size_t>(out)), count(static_cast<size_t>(out)), gradient(static_cast<size_t>(in));
      for_taps(s, [&](Index to, Index from, bool padded) {
        if (from >= 0) sum[static_cast<size_t>(to)] += x[from];
        if (from >= 0 || (count_padding && padded)) count[static_cast<size_t>(to)] += 1;
      });
      for (size_t o = 0; o < sum.size(); ++o) sum[o] /= count[o];
      for_taps(s, [&](Index to, Index from, bool) {
        if (from >= 0) gradient[static_cast<size_t>(from)] += g[to] / count[static_cast<size_t>(to)];
      });
      Floats y(out), dx(in);
      average_pool_forward(s, count_padding, x.data(), y.data());
      average_pool_backward(s, count_padding, g.data(), dx.data());
      ASSERT_LT(tests::difference(sum, y), 1e-6) << describe(s);
      ASSERT_LT(tests::difference(gradient, dx), 1e-6) << describe(s);
    }
  }
}

}  // namespace
}  // namespace gradbook::kernels
