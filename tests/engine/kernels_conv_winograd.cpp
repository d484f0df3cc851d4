// Convolution and max pool by Winograd's transforms, against plain loops in double and beside sums of taps.
#include <algorithm>

#include "kernels/conv_techniques.h"
#include "kernels/threads.h"
#include "kernels_numbers.h"

namespace gradbook::kernels {
namespace {

using tests::Floats;
using tests::Numbers;

struct Case {
  Index batch, in, out, height, width, padding_y, padding_x, groups, more;  // more: rows and columns of results that symmetric padding would not give
};

// A small layer as in most nets; odd sizes, of which the pool drops a row, a column or both; padding of none, of more than the
// filter is wide, of more than the image; batches that leave lanes empty; channels that leave panels empty; more channels than a
// group of tiles may have, and rows of several groups; images in several bands.
constexpr Case kCases[] = {
    {8, 8, 16, 14, 14, 1, 1, 1, 0}, {9, 4, 5, 13, 11, 1, 1, 1, 0}, {1, 1, 1, 4, 4, 0, 0, 1, 0},   {17, 3, 6, 7, 9, 0, 2, 1, 0}, {10, 6, 9, 5, 6, 3, 4, 1, 0},
    {3, 2, 3, 1, 2, 5, 1, 1, 0},    {4, 8, 6, 9, 8, 1, 1, 2, 0},   {2, 70, 4, 6, 6, 1, 1, 1, 0}, {2, 2, 7, 5, 150, 1, 0, 1, 0}, {5, 4, 4, 8, 8, 1, 1, 1, 1},
    {12, 5, 10, 8, 9, 1, 2, 5, 0},  {8, 4, 4, 2, 2, 1, 1, 1, 0},   {3, 64, 3, 21, 40, 2, 1, 1, 0},
};

struct Layer {
  ConvShape s;
  PoolShape pool;
  Floats images, filter, bias;

  explicit Layer(const Case& c)
      : s(shape_of(c)), pool(pool_of(s)), images(0), filter(0), bias(0) {
    Numbers numbers(static_cast<uint64_t>(c.batch * 100 + c.width));
    images = Floats(s.batch * s.in_channels * s.in_height * s.in_width, numbers);
    filter = Floats(s.out_channels * s.group_in() * 9, numbers);
    bias = Floats(s.out_channels, numbers);
  }

  static ConvShape shape_of(const Case& c) {
    ConvShape s{.batch = c.batch, .in_channels = c.in, .in_height = c.height, .in_width = c.width, .out_channels = c.out, .filter_height = 3, .filter_width = 3};
    s.padding_y = c.padding_y, s.padding_x = c.padding_x, s.groups = c.groups;
    s.infer_out();
    s.out_height += c.more, s.out_width += c.more;
    return s;
  }
  static PoolShape pool_of(const ConvShape& s) {
    PoolShape pool;
    pool.planes = s.batch * s.out_channels, pool.in_height = s.out_height, pool.in_width = s.out_width;
    pool.window_height = pool.window_width = pool.stride_y = pool.stride_x = 2;
    pool.infer_out();
    return pool;
  }
  Index cells() const { return pool.planes * pool.out_height * pool.out_width; }

  /// One result of the convolution without relu, in double; `terms` becomes the sum of the magnitudes of what is added up.
  double exact(Index plane, Index place, bool with_bias, double& terms) const {
    const Index image = plane / s.out_channels, out = plane % s.out_channels, y = place / s.out_width, x = place % s.out_width;
    double sum = with_bias ? static_cast<double>(bias[out]) : 0;
    terms = std::abs(sum);
    for (Index i = 0; i < s.group_in(); ++i)
      for (Index fy = 0; fy < 3; ++fy)
        for (Index fx = 0; fx < 3; ++fx) {
          const Index iy = y - s.padding_y + fy, ix = x - s.padding_x + fx, channel = out / s.group_out() * s.group_in() + i;
          if (iy < 0 || iy >= s.in_height || ix < 0 || ix >= s.in_width) continue;
          const double term = static_cast<double>(images[((image * s.in_channels + channel) * s.in_height + iy) * s.in_width + ix]) * static_cast<double>(filter[((out * s.group_in() + i) * 3 + fy) * 3 + fx]);
          sum += term, terms += std::abs(term);
        }
    return sum;
  }
};

struct Pooled {
  Floats values;
  std::vector<int32_t> places;
  explicit Pooled(Index cells) : values(cells), places(static_cast<size_t>(cells), -1) {}
};

using Technique = decltype(forward_winograd_max_pool);

Pooled run(Technique technique, const Layer& l, bool with_bias, bool relu) {
  Pooled p(l.cells());
  technique(l.s, l.pool, l.images.data(), l.filter.data(), with_bias ? l.bias.data() : nullptr, relu, p.values.data(), p.places.data());
  EXPECT_TRUE(p.values.tail_untouched());
  return p;
}

// Largest distance of values, and of what lies at their places, from the exact maximum, as a share of the magnitudes that were
// added up for a result of the cell.
double error_of(const Layer& l, const Pooled& p, bool with_bias, bool relu) {
  double worst = 0;
  for (Index i = 0; i < l.cells(); ++i) {
    const Index cells = l.pool.out_height * l.pool.out_width, plane = i / cells, y = i % cells / l.pool.out_width * 2, x = i % l.pool.out_width * 2;
    const int32_t place = p.places[static_cast<size_t>(i)];
    double best = -INFINITY, terms = 0, there = NAN;
    for (Index at : {y * l.s.out_width + x, y * l.s.out_width + x + 1, (y + 1) * l.s.out_width + x, (y + 1) * l.s.out_width + x + 1}) {
      double added = 0, value = l.exact(plane, at, with_bias, added);
      if (relu) value = std::max(value, 0.0);
      best = std::max(best, value), terms = std::max(terms, added);
      if (at == place) there = value;
    }
    const double error = std::max(std::abs(best - static_cast<double>(p.values[i])), std::abs(best - there));
    worst = std::isnan(error) ? INFINITY : std::max(worst, error / std::max(terms, 1e-30));
  }
  return worst;
}

TEST(ConvWinograd, AgreesWithPlainLoopsAsWellAsSumsOfTapsDo) {
  double worst = 0, worst_taps = 0;
  for (const Case& c : kCases)
    for (int kind = 0; kind < 4; ++kind) {
      SCOPED_TRACE(testing::Message() << "case " << &c - kCases << ", kind " << kind);
      const Layer l(c);
      const bool with_bias = kind % 2, relu = kind / 2;
      ASSERT_TRUE(serves_winograd(l.s, l.pool));
      const double error = error_of(l, run(forward_winograd_max_pool, l, with_bias, relu), with_bias, relu);
      worst = std::max(worst, error), worst_taps = std::max(worst_taps, error_of(l, run(forward_lanes_max_pool, l, with_bias, relu), with_bias, relu));
      EXPECT_LT(error, 4e-7);
    }
  // Of 8 -> 16 channels 9e-8, and 1.8e-7 with sums of taps, which are longer; of all, 2.6e-7 and 1.9e-7: the transforms weigh most
  // where one channel is all that a sum has.
  EXPECT_LT(worst, 2 * worst_taps);
}

TEST(ConvWinograd, BitsDependNeitherOnThreadsNorOnTheOtherImages) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(testing::Message() << "case " << &c - kCases);
    const Layer l(c);
    const Pooled all = run(forward_winograd_max_pool, l, true, true);
    set_thread_count(4);
    const Pooled again = run(forward_winograd_max_pool, l, true, true);
    set_thread_count(1);
    EXPECT_TRUE(all.values.same_bits(again.values));
    EXPECT_EQ(all.places, again.places);
    Floats alone(l.cells());
    forward_winograd_max_pool(l.s, l.pool, l.images.data(), l.filter.data(), l.bias.data(), true, alone.data(), nullptr);
    EXPECT_TRUE(all.values.same_bits(alone)) << "without places";
    ConvShape one = l.s;
    PoolShape pool = l.pool;
    one.batch = 1, pool.planes = one.out_channels;
    Floats single(l.cells() / l.s.batch);
    const Index image = l.s.batch - 1;
    forward_winograd_max_pool(one, pool, l.images.data() + image * l.images.size() / l.s.batch, l.filter.data(), l.bias.data(), true, single.data(), nullptr);
    EXPECT_EQ(std::memcmp(single.data(), all.values.data() + image * single.size(), static_cast<size_t>(single.size()) * sizeof(float)), 0) << "the last image alone";
  }
}

TEST(ConvWinograd, WhatIsNotFiniteReachesTheCellsAroundItAndNoOthers) {
  for (const float broken : {NAN, INFINITY, -INFINITY})
    for (Index at = 0; at < 81; ++at) {
      Layer l({2, 3, 5, 9, 9, 1, 1, 1, 0});
      const Pooled before = run(forward_winograd_max_pool, l, true, false);
      l.images[3 * 81 + 81 + at] = broken;  // of the second image, second channel
      const Pooled after = run(forward_winograd_max_pool, l, true, false);
      for (Index i = 0; i < l.cells(); ++i) {
        const Index cell = i % 16, y = cell / 4 * 2 - 1, x = cell % 4 * 2 - 1;  // the 4 x 4 pixels under a cell begin there
        const bool reached = i >= l.cells() / 2 && at / 9 >= y && at / 9 < y + 4 && at % 9 >= x && at % 9 < x + 4;
        SCOPED_TRACE(testing::Message() << broken << " at " << at << ", cell " << i);
        if (!reached) {
          EXPECT_EQ(std::memcmp(before.values.data() + i, after.values.data() + i, sizeof(float)), 0);
        } else if (std::isnan(broken)) {
          EXPECT_TRUE(std::isnan(after.values[i]));
        }
      }
    }
}

TEST(ConvWinograd, TheFirstOfEqualResultsIsTaken) {
  Layer l({8, 8, 16, 14, 14, 0, 0, 1, 0});
  for (Index i = 0; i < l.images.size(); ++i) l.images[i] = 0.3f;
  const Pooled p = run(forward_winograd_max_pool, l, true, true);
  for (Index i = 0; i < l.cells(); ++i) EXPECT_EQ(p.places[static_cast<size_t>(i)], i % 36 / 6 * 24 + i % 6 * 2);
}

TEST(ConvWinograd, LeavesOtherLayersToOtherTechniques) {
  const Layer l({8, 8, 16, 14, 14, 1, 1, 1, 0});
  const auto serves = [&](auto change) {
    ConvShape s = l.s;
    PoolShape pool = l.pool;
    change(s, pool);
    return serves_winograd(s, pool);
  };
  EXPECT_TRUE(serves([](ConvShape&, PoolShape&) {}));
  EXPECT_FALSE(serves([](ConvShape& s, PoolShape&) { s.filter_width = 5; }));
  EXPECT_FALSE(serves([](ConvShape& s, PoolShape&) { s.filter_height = 1; }));
  EXPECT_FALSE(serves([](ConvShape& s, PoolShape&) { s.stride_y = 2; }));
  EXPECT_FALSE(serves([](ConvShape& s, PoolShape&) { s.dilation_x = 2; }));
  EXPECT_FALSE(serves([](ConvShape&, PoolShape& pool) { pool.window_width = 3; }));
  EXPECT_FALSE(serves([](ConvShape&, PoolShape& pool) { pool.stride_x = 1; }));
}

TEST(ConvWinograd, IsChosenWhereItWasMeasuredToBeFaster) {
  const auto chosen = [](const Case& c) {
    const Layer l(c);
    const bool same = run(conv_forward_max_pool, l, true, true).values.same_bits(run(forward_winograd_max_pool, l, true, true).values);
    EXPECT_NE(same, run(conv_forward_max_pool, l, true, true).values.same_bits(run(forward_lanes_max_pool, l, true, true).values));
    return same;
  };
  EXPECT_TRUE(chosen({8, 8, 16, 14, 14, 1, 1, 1, 0}));
  EXPECT_TRUE(chosen({16, 4, 7, 9, 9, 1, 1, 1, 0}));
  EXPECT_TRUE(chosen({8, 8, 6, 9, 9, 1, 1, 1, 0}));
  EXPECT_TRUE(chosen({8, 16, 8, 28, 28, 1, 1, 2, 0})) << "groups";
  EXPECT_FALSE(chosen({8, 4, 6, 9, 9, 1, 1, 1, 0})) << "panels half empty";
  EXPECT_FALSE(chosen({8, 3, 16, 9, 9, 1, 1, 1, 0})) << "few input channels";
}

}  // namespace
}  // namespace gradbook::kernels
