// Convolution and its gradients against plain loops in double: random shapes, every technique that serves them.
#include <functional>
#include <sstream>

#include "kernels/convolution.h"

#include "kernels/conv_partial.h"
#include "kernels/conv_techniques.h"
#include "kernels/threads.h"
#include "kernels_numbers.h"

namespace gradbook::kernels {
namespace {

using tests::Floats;
using tests::Numbers;

std::string describe(const ConvShape& s) {
  std::ostringstream out;
  out << s.batch << " images of " << s.in_channels << "x" << s.in_height << "x" << s.in_width << " -> " << s.out_channels << "x" << s.out_height << "x" << s.out_width << ", filter "
      << s.filter_height << "x" << s.filter_width << ", stride " << s.stride_y << "," << s.stride_x << ", padding " << s.padding_y << "," << s.padding_x << ", dilation "
      << s.dilation_y << "," << s.dilation_x << ", groups " << s.groups;
  return out.str();
}

Index images_size(const ConvShape& s) { return s.batch * s.in_channels * s.in_height * s.in_width; }
Index results_size(const ConvShape& s) { return s.batch * s.out_channels * s.out_height * s.out_width; }

// Calls use(image index, filter index, result index) for every product of the convolution.
template <class Use>
void for_products(const ConvShape& s, Use use) {
  for (Index b = 0; b < s.batch; ++b)
    for (Index o = 0; o < s.out_channels; ++o)
      for (Index y = 0; y < s.out_height; ++y)
        for (Index x = 0; x < s.out_width; ++x)
          for (Index i = 0; i < s.group_in(); ++i)
            for (Index fy = 0; fy < s.filter_height; ++fy)
              for (Index fx = 0; fx < s.filter_width; ++fx) {
                const Index iy = y * s.stride_y - s.padding_y + fy * s.dilation_y, ix = x * s.stride_x - s.padding_x + fx * s.dilation_x;
                if (iy < 0 || iy >= s.in_height || ix < 0 || ix >= s.in_width) continue;
                const Index channel = o / s.group_out() * s.group_in() + i;
                use(((b * s.in_channels + channel) * s.in_height + iy) * s.in_width + ix, ((o * s.group_in() + i) * s.filter_height + fy) * s.filter_width + fx,
                    ((b * s.out_channels + o) * s.out_height + y) * s.out_width + x);
              }
}

// The shape of an ordinary layer, small.
ConvShape random_shape(Numbers& numbers) {
  for (;;) {
    ConvShape s;
    s.batch = numbers.between(1, numbers.between(0, 4) == 0 ? 11 : 3);
    s.groups = numbers.between(0, 3) == 0 ? numbers.between(2, 3) : 1;
    s.in_channels = s.groups * numbers.between(1, 4);
    s.out_channels = s.groups * numbers.between(1, 9);
    if (numbers.between(0, 4) == 0) s.groups = s.in_channels, s.out_channels = s.in_channels * numbers.between(1, 2);  // depthwise
    s.in_height = numbers.between(1, 12), s.in_width = numbers.between(1, 22);
    s.filter_height = numbers.between(1, 5), s.filter_width = numbers.between(1, 7);
    if (numbers.between(0, 1)) s.stride_y = numbers.between(1, 3), s.stride_x = numbers.between(1, 3);
    if (numbers.between(0, 1)) s.padding_y = numbers.between(0, 4), s.padding_x = numbers.between(0, 4);
    if (numbers.between(0, 3) == 0) s.dilation_y = numbers.between(1, 3), s.dilation_x = numbers.between(1, 3);
    s.infer_out();
    if (s.out_height > 0 && s.out_width > 0) return s;
  }
}

struct Exact {
  std::vector<double> results, images_gradient, filter_gradient, bias_gradient;
  double filter_terms = 0;  // the largest sum of magnitudes that a filter gradient adds up
};

struct Data {
  Floats images, filter, bias, gradient;
  Data(const ConvShape& s, Numbers& numbers) : images(images_size(s), numbers), filter(filter_floats(s), numbers), bias(s.out_channels, numbers), gradient(results_size(s), numbers) {}
};

Exact exact_of(const ConvShape& s, const Data& d, bool with_bias, bool relu) {
  Exact e;
  const auto at = [](Index i) { return static_cast<size_t>(i); };
  e.results.resize(at(results_size(s))), e.images_gradient.resize(at(images_size(s))), e.filter_gradient.resize(at(filter_floats(s))), e.bias_gradient.resize(at(s.out_channels));
  std::vector<double> terms(at(filter_floats(s)));
  for_products(s, [&](Index image, Index filter, Index result) {
    terms[at(filter)] += std::abs(static_cast<double>(d.gradient[result]) * d.images[image]);
    e.results[at(result)] += static_cast<double>(d.images[image]) * d.filter[filter];
    e.images_gradient[at(image)] += static_cast<double>(d.gradient[result]) * d.filter[filter];
    e.filter_gradient[at(filter)] += static_cast<double>(d.gradient[result]) * d.images[image];
  });
  for (double sum : terms) e.filter_terms = std::max(e.filter_terms, sum);
  for (Index i = 0; i < results_size(s); ++i) {
    const Index channel = i / (s.out_height * s.out_width) % s.out_channels;
    e.bias_gradient[at(channel)] += d.gradient[i];
    if (with_bias) e.results[at(i)] += d.bias[channel];
    if (relu && e.results[at(i)] < 0) e.results[at(i)] = 0;
  }
  return e;
}

double largest_error(const std::vector<double>& expected, const Floats& got) {
  double worst = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double error = std::abs(expected[i] - got[static_cast<Index>(i)]);
    worst = std::isnan(error) ? INFINITY : std::max(worst, error);
  }
  return worst;
}

using Forward = std::function<void(const ConvShape&, const float*, const float*, const float*, bool, float*)>;
using Gradient = void (*)(const ConvShape&, const float*, const float*, float*);

void check_all(const ConvShape& s, uint64_t seed) {
  SCOPED_TRACE(describe(s));
  Numbers numbers(seed);
  const Data d(s, numbers);
  const bool with_bias = seed % 2, relu = seed % 3 == 0;
  const Exact e = exact_of(s, d, with_bias, relu);

  std::vector<std::pair<const char*, Forward>> forward = {{"chosen", conv_forward}, {"packed", forward_packed}};
  if (s.stride_x == 1 && s.out_width >= 4) forward.emplace_back("direct", forward_direct);
  if (s.out_width >= 4) forward.emplace_back("channels", forward_channels);
  if (s.group_in() == 1 && s.group_out() == 1) forward.emplace_back("depthwise", forward_depthwise);
  if (serves_small(s)) forward.emplace_back("small", forward_small);
  if (serves_five(s)) forward.emplace_back("five", forward_five);
  for (const auto& [name, function] : forward) {
    Floats results(results_size(s));
    function(s, d.images.data(), d.filter.data(), with_bias ? d.bias.data() : nullptr, relu, results.data());
    EXPECT_LT(tests::difference(e.results, results), 2e-6) << "forward, " << name;
    EXPECT_TRUE(results.tail_untouched()) << "forward, " << name;
  }
  std::vector<std::pair<const char*, Gradient>> input = {{"chosen", conv_input_gradient}, {"scattered", input_gradient_scattered}, {"lanes", input_gradient_lanes}};
  if (s.group_in() == 1 && s.group_out() == 1) input.emplace_back("depthwise", input_gradient_depthwise);
  for (const auto& [name, function] : input) {
    Floats gradient(images_size(s));
    function(s, d.gradient.data(), d.filter.data(), gradient.data());
    EXPECT_LT(tests::difference(e.images_gradient, gradient), 2e-6) << "input gradient, " << name;
    EXPECT_TRUE(gradient.tail_untouched()) << "input gradient, " << name;
  }
  std::vector<std::pair<const char*, Gradient>> filter = {{"chosen", conv_filter_gradient}, {"packed", filter_gradient_packed}, {"channels", filter_gradient_channels}};
  if (s.stride_x == 1 || (s.stride_x == 2 && s.group_out() == 1)) filter.emplace_back("direct", filter_gradient_direct);
  if (serves_small(s) && s.group_out() == 1) filter.emplace_back("small", filter_gradient_small);
  for (const auto& [name, function] : filter) {
    Floats gradient(filter_floats(s));
    function(s, d.images.data(), d.gradient.data(), gradient.data());
    // Each weight adds up every pixel of every image, and these sums nearly cancel: rounding is judged by what was added up.
    EXPECT_LE(largest_error(e.filter_gradient, gradient), 5e-7 * e.filter_terms) << "filter gradient, " << name;
    EXPECT_TRUE(gradient.tail_untouched()) << "filter gradient, " << name;
  }
  Floats bias(s.out_channels);
  conv_bias_gradient(s, d.gradient.data(), bias.data());
  // Sums of many signs may nearly vanish; rounding is relative to what was added.
  EXPECT_LT(tests::difference(e.bias_gradient, bias), 2e-5);
}

TEST(Convolution, RandomLayersAgreeWithPlainLoopsInEveryTechnique) {
  Numbers numbers(1);
  for (uint64_t round = 0; round < 400; ++round) check_all(random_shape(numbers), round);
}

// The pool finds every image's results in working memory. With eight images in the lanes sums are taken in another order: then a
// maximum may also lie where the results differ by rounding alone.
TEST(Convolution, AMaxPoolThatTakesResultsFromTheCacheGivesWhatItGivesFromMemory) {
  Numbers numbers(2);
  int served = 0, short_sums = 0;
  for (uint64_t round = 0; round < 600; ++round) {
    ConvShape s = random_shape(numbers);
    s.batch += 8;
    if (numbers.between(0, 1)) s.batch = 8 * numbers.between(1, 2);
    PoolShape pool;
    pool.planes = s.batch * s.out_channels, pool.in_height = s.out_height, pool.in_width = s.out_width;
    pool.window_height = numbers.between(1, 3), pool.window_width = numbers.between(1, 3), pool.stride_y = numbers.between(1, 4), pool.stride_x = numbers.between(1, 3);
    if (numbers.between(0, 1)) pool.window_height = pool.window_width = pool.stride_y = pool.stride_x = 2;
    if (numbers.between(0, 3) == 0) pool.padding_y = pool.window_height / 2, pool.padding_x = pool.window_width / 2;
    // Dilated windows in padding may miss the image altogether, which pools do not allow.
    if (numbers.between(0, 3) == 0) pool.dilation_y = numbers.between(1, 3), pool.dilation_x = numbers.between(1, 3), pool.padding_y = pool.padding_x = 0;
    pool.infer_out();
    if (pool.out_height <= 0 || pool.out_width <= 0 || !serves_max_pool(s, pool)) continue;
    ++served;
    SCOPED_TRACE(describe(s));
    Data d(s, numbers);
    const bool broken = round % 5 == 0, relu = round % 3 == 0;
    if (broken) d.images.data()[numbers.between(0, images_size(s) - 1)] = NAN;
    const float* bias = round % 2 ? d.bias.data() : nullptr;
    const Index count = pool.planes * pool.out_height * pool.out_width;
    Floats results(results_size(s)), expected(count), alone(count);
    std::vector<int32_t> expected_places(static_cast<size_t>(count));
    conv_forward(s, d.images.data(), d.filter.data(), bias, relu, results.data());
    max_pool_forward(pool, results.data(), expected.data(), expected_places.data());
    const auto check = [&](const char* how, bool same_bits, auto function) {
      Floats pooled(count);
      std::vector<int32_t> places(static_cast<size_t>(count), -1);
      function(pooled.data(), places.data());
      function(alone.data(), nullptr);
      EXPECT_EQ(std::memcmp(pooled.data(), alone.data(), static_cast<size_t>(count) * sizeof(float)), 0) << how << ", without places";
      EXPECT_TRUE(pooled.tail_untouched()) << how;
      if (same_bits) {
        EXPECT_EQ(std::memcmp(expected.data(), pooled.data(), static_cast<size_t>(count) * sizeof(float)), 0) << how;
        EXPECT_EQ(places, expected_places) << how;
        return;
      }
      for (Index i = 0; i < count; ++i) {
        const Index plane = i / (pool.out_height * pool.out_width);
        const int32_t place = places[static_cast<size_t>(i)];
        ASSERT_TRUE(place >= 0 && place < pool.in_height * pool.in_width) << how;
        const float there = results.data()[plane * pool.in_height * pool.in_width + place], most = expected.data()[i], got = pooled.data()[i];
        // A NaN in the image makes taps in the padding NaN or not, by technique.
        if (broken && (std::isnan(most) || std::isnan(got))) continue;
        EXPECT_NEAR(most, got, 2e-5) << how << " [" << i << "]";
        EXPECT_NEAR(most, there, 2e-5) << how << ", place of [" << i << "]";
      }
    };
    check("chosen", false, [&](float* to, int32_t* places) { conv_forward_max_pool(s, pool, d.images.data(), d.filter.data(), bias, relu, to, places); });
    check("lanes", false, [&](float* to, int32_t* places) { forward_lanes_max_pool(s, pool, d.images.data(), d.filter.data(), bias, relu, to, places); });
    if (s.out_width >= 4) check("channels", false, [&](float* to, int32_t* places) { forward_channels(s, d.images.data(), d.filter.data(), bias, relu, {pool, to, places}); });
    if (s.out_width >= 4 && s.stride_x == 1) check("direct", false, [&](float* to, int32_t* places) { forward_direct(s, d.images.data(), d.filter.data(), bias, relu, {pool, to, places}); });
    // Nine images: not in the lanes.
    short_sums += serves_short_sums(s, pool);
    if (s.batch % 8 != 0) check("chosen, image by image", true, [&](float* to, int32_t* places) { conv_forward_max_pool(s, pool, d.images.data(), d.filter.data(), bias, relu, to, places); });
  }
  EXPECT_GT(served, 100);
  EXPECT_GT(short_sums, 10) << "windows of which all sums stay in registers";
}

ConvShape layer(Index batch, Index in, Index size, Index out, Index filter, Index stride, Index padding, Index groups = 1) {
  ConvShape s;
  s.batch = batch, s.in_channels = in, s.in_height = s.in_width = size, s.out_channels = out, s.filter_height = s.filter_width = filter;
  s.stride_y = s.stride_x = stride, s.padding_y = s.padding_x = padding, s.groups = groups;
  s.infer_out();
  return s;
}

TEST(Convolution, UsualLayersAgreeWithPlainLoops) {
  check_all(layer(17, 1, 28, 6, 5, 1, 0), 1);     // LeNet
  check_all(layer(9, 6, 12, 16, 5, 1, 0), 2);
  check_all(layer(9, 1, 28, 8, 3, 1, 1), 3);      // CNN 8-16
  check_all(layer(9, 8, 14, 16, 3, 1, 1), 4);
  check_all(layer(2, 40, 14, 40, 3, 1, 1), 5);
  check_all(layer(2, 48, 15, 16, 3, 2, 1), 6);    // more than one block of taps
  check_all(layer(1, 3, 35, 8, 7, 2, 3), 7);
  check_all(layer(3, 12, 17, 12, 3, 1, 1, 12), 8);  // depthwise
  check_all(layer(3, 12, 17, 12, 3, 2, 1, 12), 9);
  check_all(layer(2, 16, 9, 24, 1, 1, 0), 10);    // pointwise
  check_all(layer(40, 3, 4, 5, 3, 1, 1), 11);     // many small images
  check_all(layer(2, 3, 5, 400, 3, 1, 1), 12);    // more than one block of output channels
}

TEST(Convolution, OneChannelUnderASmallFilterIsServedAtEveryWidthAndEdge) {
  Numbers numbers(5);
  for (Index width = 1; width <= 30; ++width)
    for (Index padding_y : {0, 1})
      for (Index padding_x : {0, 1}) {
        ConvShape s = layer(2, 2, 0, 2, 3, 1, 0, width % 3 ? 2 : 1);
        if (s.groups == 1) s.out_channels = 1;
        s.in_height = numbers.between(1, 6) + 2 - 2 * padding_y, s.in_width = width + 2 - 2 * padding_x;
        s.padding_y = padding_y, s.padding_x = padding_x;
        s.infer_out();
        ASSERT_EQ(s.out_width, width);
        if (s.in_height > 0 && s.in_width > 0 && s.out_height > 0) check_all(s, static_cast<uint64_t>(width));
      }
}

TEST(Convolution, RowsThatAreReadOnceServeEveryWidthPaddingAndNumberOfChannels) {
  struct Case {
    Index filter, padding, in, out, groups;
  };
  for (const Case& c : {Case{3, 0, 1, 5, 1}, Case{3, 1, 1, 5, 1}, Case{3, 1, 3, 1, 1}, Case{3, 1, 3, 3, 3}, Case{3, 1, 2, 4, 2}, Case{5, 0, 1, 1, 1}, Case{5, 1, 3, 1, 1}, Case{5, 2, 2, 2, 2},
                        Case{5, 3, 2, 1, 1}, Case{5, 4, 6, 1, 1}})
    for (Index width : {4, 5, 7, 8, 12, 13, 15, 28})
      for (Index height : {1, 2, 3, 6}) {
        ConvShape s = layer(2, c.in, 0, c.out, c.filter, 1, c.padding, c.groups);
        s.in_height = height + c.filter - 1 - 2 * c.padding, s.in_width = width + c.filter - 1 - 2 * c.padding;
        if (s.in_height <= 0 || s.in_width <= 0) continue;
        s.infer_out();
        ASSERT_EQ(s.out_width, width);
        EXPECT_EQ(serves_small(s), c.filter == 3) << describe(s);
        EXPECT_TRUE(c.filter == 3 || serves_five(s) || s.in_height < 4 - c.padding || s.in_width < 4 - c.padding) << describe(s);
        check_all(s, static_cast<uint64_t>(7 * width + height));
      }
}

// What is not finite reaches what it is multiplied by, and nothing else: neither columns beyond the edge nor rows in the padding.
TEST(Convolution, InfinityAndNaNStayWithinTheirOwnSums) {
  for (const ConvShape& s : {layer(2, 2, 9, 2, 3, 1, 1, 2), layer(2, 2, 12, 2, 3, 1, 1, 2), layer(2, 2, 11, 2, 3, 1, 0, 2), layer(2, 1, 14, 3, 3, 1, 1), layer(2, 3, 10, 1, 3, 1, 1),
                             layer(2, 2, 8, 1, 5, 1, 4), layer(2, 2, 11, 2, 5, 1, 2, 2)}) {
    SCOPED_TRACE(describe(s));
    for (const float broken : {INFINITY, NAN})
      for (const Index at : {Index{0}, s.in_width - 1, s.in_width, s.in_width * s.in_height - s.in_width, s.in_width * s.in_height - 1, s.in_width * (s.in_height / 2) + s.in_width / 2}) {
        Numbers numbers(static_cast<uint64_t>(at + 1));
        Data d(s, numbers);
        d.images.data()[at] = broken;
        const Exact e = exact_of(s, d, true, false);
        Floats results(results_size(s)), filter(filter_floats(s));
        conv_forward(s, d.images.data(), d.filter.data(), d.bias.data(), false, results.data());
        conv_filter_gradient(s, d.images.data(), d.gradient.data(), filter.data());
        for (Index i = 0; i < results_size(s); ++i) ASSERT_EQ(std::isfinite(results[i]), std::isfinite(e.results[static_cast<size_t>(i)])) << "result " << i << ", pixel " << at;
        if (!serves_small(s) || s.group_out() > 1) continue;  // others cut the image, too, but multiply what is beside it by zeros
        for (Index i = 0; i < filter_floats(s); ++i) ASSERT_EQ(std::isfinite(filter[i]), std::isfinite(e.filter_gradient[static_cast<size_t>(i)])) << "weight " << i << ", pixel " << at;
      }
  }
}

TEST(Convolution, OutputPaddingOfTransposedConvolutionIsServed) {
  // A transposed convolution gives the image size itself, with rows that no window touches.
  ConvShape s = layer(2, 3, 9, 4, 3, 2, 1);
  s.in_height = 10, s.in_width = 11;
  check_all(s, 1);
}

TEST(Convolution, EmptyBatchesAndChannelsGiveZeros) {
  for (ConvShape s : {layer(0, 2, 5, 3, 3, 1, 0), layer(2, 0, 5, 3, 3, 1, 0), layer(2, 2, 5, 0, 3, 1, 0), layer(2, 2, 2, 3, 3, 1, 0)}) {
    Numbers numbers(1);
    const Data d(s, numbers);
    const Exact e = exact_of(s, d, true, false);
    Floats results(results_size(s), 9), images(images_size(s), 9), filter(filter_floats(s), 9), bias(s.out_channels, 9);
    conv_forward(s, d.images.data(), d.filter.data(), d.bias.data(), false, results.data());
    conv_input_gradient(s, d.gradient.data(), d.filter.data(), images.data());
    conv_filter_gradient(s, d.images.data(), d.gradient.data(), filter.data());
    conv_bias_gradient(s, d.gradient.data(), bias.data());
    EXPECT_LT(tests::difference(e.results, results), 1e-6) << describe(s);
    EXPECT_LT(tests::difference(e.images_gradient, images), 1e-6) << describe(s);
    EXPECT_LT(tests::difference(e.filter_gradient, filter), 1e-6) << describe(s);
    EXPECT_LT(tests::difference(e.bias_gradient, bias), 1e-6) << describe(s);
  }
}

TEST(Convolution, GradientsAreTheSameBitsWithAnyThreadCount) {
  for (const ConvShape& s : {layer(37, 1, 28, 6, 5, 1, 0), layer(37, 8, 14, 16, 3, 1, 1), layer(3, 64, 14, 64, 3, 2, 1), layer(19, 12, 17, 12, 3, 1, 1, 12), layer(37, 1, 28, 8, 3, 1, 1)}) {
    Numbers numbers(2);
    const Data d(s, numbers);
    Floats results[2] = {Floats(results_size(s)), Floats(results_size(s))}, images[2] = {Floats(images_size(s)), Floats(images_size(s))};
    Floats filter[2] = {Floats(filter_floats(s)), Floats(filter_floats(s))};
    for (int i = 0; i < 2; ++i) {
      set_thread_count(i == 0 ? 1 : 3);
      conv_forward(s, d.images.data(), d.filter.data(), d.bias.data(), true, results[i].data());
      conv_input_gradient(s, d.gradient.data(), d.filter.data(), images[i].data());
      conv_filter_gradient(s, d.images.data(), d.gradient.data(), filter[i].data());
    }
    set_thread_count(1);
    EXPECT_TRUE(results[0].same_bits(results[1])) << describe(s);
    EXPECT_TRUE(images[0].same_bits(images[1])) << describe(s);
    EXPECT_TRUE(filter[0].same_bits(filter[1])) << describe(s);
  }
}

}  // namespace
}  // namespace gradbook::kernels
