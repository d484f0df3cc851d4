// Gradients of a convolution in front of a pool: visiting the places of maxima gives what visiting all pixels gives.
#include "kernels/conv_pooled.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"
#include "kernels/threads.h"

namespace gradbook::kernels::test {
namespace {

struct Sizes {
  Index batch, in, out, height, width, filter, stride, padding;
};

// `one_per_cell`: the places lie in cells of 2 x 2, as behind a pool; else anywhere, some of them twice.
void compare_with_dense(const std::vector<Sizes>& cases, bool one_per_cell) {
  for (const Sizes& c : cases) {
    ConvShape s{.batch = c.batch, .in_channels = c.in, .in_height = c.height, .in_width = c.width, .out_channels = c.out, .filter_height = c.filter, .filter_width = c.filter,
                .stride_y = c.stride, .stride_x = c.stride, .padding_y = c.padding, .padding_x = c.padding};
    s.infer_out();
    const Index pixels = s.out_height * s.out_width, across = s.out_width / 2, count = one_per_cell ? across * (s.out_height / 2) : std::max<Index>(1, pixels / 4), planes = s.batch * s.out_channels;
    ASSERT_TRUE(serves_sparse(s, count));
    Generator random{7, 0};
    // Room behind the ends, as storages have it.
    std::vector<float> images(static_cast<size_t>(s.batch * s.in_channels * s.in_height * s.in_width) + 16), filter(static_cast<size_t>(s.out_channels * s.in_channels * c.filter * c.filter) + 16);
    std::vector<float> values(static_cast<size_t>(planes * count)), dense(static_cast<size_t>(planes * pixels) + 16, 0.0f);
    std::vector<int32_t> places(values.size());
    fill_uniform(images.data(), static_cast<Index>(images.size()), random, -1, 1);
    fill_uniform(filter.data(), static_cast<Index>(filter.size()), random, -1, 1);
    fill_uniform(values.data(), static_cast<Index>(values.size()), random, -1, 1);
    for (size_t i = 0; i < values.size(); ++i) {
      if (i % 3 == 1) values[i] = 0;
      const uint32_t drawn = philox(3, i)[0];
      const Index cell = static_cast<Index>(i) % count, y = cell / std::max<Index>(across, 1) * 2 + (drawn >> 1) % 2, x = cell % std::max<Index>(across, 1) * 2 + drawn % 2;
      places[i] = static_cast<int32_t>(one_per_cell ? y * s.out_width + x : drawn % static_cast<uint32_t>(pixels));
      dense[i / static_cast<size_t>(count) * static_cast<size_t>(pixels) + static_cast<size_t>(places[i])] += values[i];
    }
    const SparseGradient sparse{count, values.data(), places.data(), one_per_cell};
    const auto compare = [&](const std::vector<float>& expected, const std::vector<float>& got, const char* what) {
      float largest = 0, error = 0;
      for (size_t i = 0; i < expected.size(); ++i) largest = std::max(largest, std::abs(expected[i])), error = std::max(error, std::abs(expected[i] - got[i]));
      EXPECT_LE(error, 3e-6f * largest) << what << " of " << c.batch << "x" << c.in << "x" << c.height << "x" << c.width << ", filter " << c.out << "x" << c.filter;
    };
    std::vector<float> expected(static_cast<size_t>(s.out_channels * s.in_channels * c.filter * c.filter)), got(expected.size(), NAN);
    conv_filter_gradient(s, images.data(), dense.data(), expected.data());
    conv_filter_gradient_sparse(s, images.data(), sparse, got.data());
    compare(expected, got, "filter gradient");
    // The same bits on any number of threads.
    set_thread_count(4);
    std::vector<float> again(expected.size(), NAN);
    conv_filter_gradient_sparse(s, images.data(), sparse, again.data());
    EXPECT_EQ(got, again);
    set_thread_count(1);

    std::vector<float> expected_images(static_cast<size_t>(s.batch * s.in_channels * s.in_height * s.in_width)), got_images(expected_images.size(), NAN);
    conv_input_gradient(s, dense.data(), filter.data(), expected_images.data());
    conv_input_gradient_sparse(s, sparse, filter.data(), got_images.data());
    compare(expected_images, got_images, "input gradient");
    set_thread_count(4);
    std::vector<float> again_images(expected_images.size(), NAN);
    conv_input_gradient_sparse(s, sparse, filter.data(), again_images.data());
    EXPECT_EQ(got_images, again_images);
    set_thread_count(1);
  }
}

TEST(ConvPooled, GradientsEqualThoseOfTheDenseGradient) {
  compare_with_dense({{1, 1, 1, 5, 5, 3, 1, 0}, {9, 1, 6, 28, 28, 5, 1, 0}, {10, 6, 16, 12, 12, 5, 1, 0}, {3, 1, 8, 14, 14, 3, 1, 1}, {5, 8, 16, 14, 14, 3, 1, 1}, {2, 3, 4, 11, 13, 4, 2, 2}, {2, 40, 5, 9, 9, 3, 1, 1}, {2, 7, 3, 8, 8, 1, 1, 0}, {1, 2, 3, 20, 20, 7, 3, 3}}, false);
}

TEST(ConvPooled, GradientsBehindPoolsOfTwoByTwoEqualThoseOfTheDenseGradient) {
  // Runs in one piece and in several, channels that leave lanes over, odd sizes, rows of fewer than four pixels, and what is left to the way of the other test.
  compare_with_dense({{10, 6, 16, 12, 12, 5, 1, 0}, {5, 8, 16, 14, 14, 3, 1, 1}, {2, 3, 5, 11, 13, 3, 1, 1}, {2, 40, 5, 9, 9, 3, 1, 1}, {3, 13, 7, 10, 7, 4, 1, 2}, {2, 4, 3, 9, 9, 3, 2, 1}, {3, 1, 8, 14, 14, 3, 1, 1}, {2, 7, 3, 8, 8, 1, 1, 0}, {2, 5, 4, 10, 3, 3, 1, 1}, {3, 2, 3, 9, 11, 3, 1, 1}, {2, 3, 4, 3, 3, 3, 1, 1}}, true);
}

TEST(ConvPooled, InfinitiesAndNanReachTheirWindowsAndNothingElse) {
  for (const float special : {INFINITY, NAN})
    for (const Sizes& c : std::vector<Sizes>{{5, 6, 16, 12, 12, 5, 1, 0}, {2, 8, 5, 14, 14, 3, 1, 1}, {2, 1, 3, 9, 9, 3, 1, 0}}) {
      ConvShape s{.batch = c.batch, .in_channels = c.in, .in_height = c.height, .in_width = c.width, .out_channels = c.out, .filter_height = c.filter, .filter_width = c.filter,
                  .padding_y = c.padding, .padding_x = c.padding};
      s.infer_out();
      const Index across = s.out_width / 2, count = across * (s.out_height / 2), cell = across + 1, y = 2, x = 3;
      std::vector<float> values(static_cast<size_t>(s.batch * s.out_channels * count)), filter(static_cast<size_t>(s.out_channels * s.in_channels * c.filter * c.filter) + 16, 0.5f);
      std::vector<int32_t> places(values.size());
      for (size_t i = 0; i < values.size(); ++i) {
        const Index at = static_cast<Index>(i) % count;
        values[i] = i % 2 == 0 ? 0.25f : 0.0f;
        places[i] = static_cast<int32_t>(at / across * 2 * s.out_width + at % across * 2);
      }
      // In the last image and channel.
      values[values.size() - static_cast<size_t>(count - cell)] = special;
      places[values.size() - static_cast<size_t>(count - cell)] = static_cast<int32_t>(y * s.out_width + x);
      std::vector<float> got(static_cast<size_t>(s.batch * s.in_channels * s.in_height * s.in_width));
      conv_input_gradient_sparse(s, {count, values.data(), places.data(), true}, filter.data(), got.data());
      for (size_t i = 0; i < got.size(); ++i) {
        const Index pixel = static_cast<Index>(i), row = pixel / s.in_width % s.in_height - (y - c.padding), column = pixel % s.in_width - (x - c.padding);
        const bool inside = pixel / (s.in_channels * s.in_height * s.in_width) == s.batch - 1 && row >= 0 && row < c.filter && column >= 0 && column < c.filter;
        ASSERT_EQ(std::isfinite(got[i]), !inside) << "float " << i << " is " << got[i] << ", filter " << c.out << "x" << c.filter;
        if (inside) ASSERT_EQ(std::isnan(got[i]), std::isnan(special)) << i;
      }
    }
}

TEST(ConvPooled, AnyNumberOfChannelsInACellMayHaveEvents) {
  // None, all, and all in one row of the cell, in batches that leave images over.
  for (const int kind : {0, 1, 2, 3}) {
    ConvShape s{.batch = 6, .in_channels = 5, .in_height = 8, .in_width = 9, .out_channels = 7, .filter_height = 3, .filter_width = 4, .padding_y = 1, .padding_x = 2};
    s.infer_out();
    const Index across = s.out_width / 2, count = across * (s.out_height / 2), pixels = s.out_height * s.out_width, planes = s.batch * s.out_channels;
    Generator random{11, 0};
    std::vector<float> values(static_cast<size_t>(planes * count)), filter(7 * 5 * 12 + 16), dense(static_cast<size_t>(planes * pixels) + 16, 0.0f);
    std::vector<int32_t> places(values.size());
    fill_uniform(values.data(), static_cast<Index>(values.size()), random, 0.5f, 1);
    fill_uniform(filter.data(), static_cast<Index>(filter.size()), random, -1, 1);
    for (size_t i = 0; i < values.size(); ++i) {
      const Index cell = static_cast<Index>(i) % count, lower = kind == 3 ? 1 : kind == 2 ? 0 : static_cast<Index>(i % 2);
      if (kind == 0) values[i] = i % 2 ? -0.0f : 0.0f;
      places[i] = static_cast<int32_t>((cell / across * 2 + lower) * s.out_width + cell % across * 2 + static_cast<Index>(i % 3 == 0));
      dense[i / static_cast<size_t>(count) * static_cast<size_t>(pixels) + static_cast<size_t>(places[i])] = values[i];
    }
    std::vector<float> expected(static_cast<size_t>(s.batch * 5 * 72)), got(expected.size(), NAN);
    conv_input_gradient(s, dense.data(), filter.data(), expected.data());
    conv_input_gradient_sparse(s, {count, values.data(), places.data(), true}, filter.data(), got.data());
    for (size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(expected[i], got[i], 1e-4f) << i << ", kind " << kind;
  }
}

TEST(ConvPooled, LeavesOtherConvolutionsToTheDenseKernels) {
  ConvShape s{.batch = 2, .in_channels = 4, .in_height = 8, .in_width = 8, .out_channels = 4, .filter_height = 3, .filter_width = 3};
  s.infer_out();
  EXPECT_TRUE(serves_sparse(s, 9));
  EXPECT_FALSE(serves_sparse(s, 30)) << "more than half of the pixels";
  s.groups = 2;
  EXPECT_FALSE(serves_sparse(s, 9));
}

}  // namespace
}  // namespace gradbook::kernels::test
