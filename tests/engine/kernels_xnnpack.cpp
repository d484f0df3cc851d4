// A second oracle: our kernels against XNNPACK's on random shapes, size 1 and no elements at all included. What XNNPACK does not
// serve is counted, so that a wrapper that serves nothing fails here.
#include <sstream>

#include "kernels/xnnpack.h"

#include <algorithm>

#include "kernels/conv_partial.h"
#include "kernels/gemm.h"
#include "kernels/softmax.h"
#include "kernels_numbers.h"

namespace gradbook::kernels {
namespace {

using tests::Floats;
using tests::Numbers;

// The result of XNNPACK counts as exact. (Its gelu loses digits below 0, where 1 + erf(x) nearly vanishes.)
std::vector<double> exact_of(const Floats& x) { return {x.data(), x.data() + x.size()}; }

// `x` of `shape` with its axes in another order.
Floats turned(const Floats& x, const Shape& shape, const Shape& permutation) {
  Shape sizes, strides;
  const Shape all = contiguous_strides(shape);
  for (Index axis : permutation) {
    sizes.push_back(shape[static_cast<int>(axis)]);
    strides.push_back(all[static_cast<int>(axis)]);
  }
  Floats out(x.size());
  copy_strided(sizes, x.data(), strides, out.data());
  return out;
}
// (batch, channels, height, width) to (batch, height, width, channels) and back.
Floats channels_last(const Floats& x, Index batch, Index channels, Index height, Index width) { return turned(x, Shape{batch, channels, height, width}, Shape{0, 2, 3, 1}); }
Floats channels_first(const Floats& x, Index batch, Index channels, Index height, Index width) { return turned(x, Shape{batch, height, width, channels}, Shape{0, 3, 1, 2}); }

ConvShape random_layer(Numbers& numbers) {
  for (;;) {
    ConvShape s;
    s.batch = numbers.between(0, 5);
    s.groups = numbers.between(0, 3) == 0 ? numbers.between(2, 3) : 1;
    s.in_channels = s.groups * numbers.between(1, 6);
    s.out_channels = s.groups * numbers.between(1, 9);
    if (numbers.between(0, 4) == 0) s.groups = s.in_channels, s.out_channels = s.in_channels;
    s.in_height = numbers.between(1, 12), s.in_width = numbers.between(1, 20);
    s.filter_height = numbers.between(1, 5), s.filter_width = numbers.between(1, 5);
    if (numbers.between(0, 1)) s.stride_y = numbers.between(1, 3), s.stride_x = numbers.between(1, 3);
    if (numbers.between(0, 1)) s.padding_y = numbers.between(0, s.filter_height - 1), s.padding_x = numbers.between(0, s.filter_width - 1);
    if (numbers.between(0, 3) == 0) s.dilation_y = numbers.between(1, 3), s.dilation_x = numbers.between(1, 3);
    s.infer_out();
    if (s.out_height > 0 && s.out_width > 0) return s;
  }
}

std::string describe(const ConvShape& s) {
  std::ostringstream out;
  out << s.batch << " images of " << s.in_channels << "x" << s.in_height << "x" << s.in_width << " -> " << s.out_channels << ", filter " << s.filter_height << "x" << s.filter_width << ", stride "
      << s.stride_y << "," << s.stride_x << ", padding " << s.padding_y << "," << s.padding_x << ", dilation " << s.dilation_y << "," << s.dilation_x << ", groups " << s.groups;
  return out.str();
}

TEST(Xnnpack, AgreesOnConvolutionsAndTheirInputGradients) {
  Numbers numbers(1);
  int forward = 0, backward = 0;
  for (int round = 0; round < 300; ++round) {
    const ConvShape s = random_layer(numbers);
    SCOPED_TRACE(describe(s));
    const Floats x(s.batch * s.in_channels * s.in_height * s.in_width, numbers), w(filter_floats(s), numbers), b(s.out_channels, numbers),
        g(s.batch * s.out_channels * s.out_height * s.out_width, numbers);
    const bool relu = round % 3 == 0;
    const float* bias = round % 2 ? b.data() : nullptr;
    Floats ours(g.size()), theirs(g.size());
    conv_forward(s, x.data(), w.data(), bias, relu, ours.data());
    const Floats images = channels_last(x, s.batch, s.in_channels, s.in_height, s.in_width), filter = turned(w, Shape{s.out_channels, s.group_in(), s.filter_height, s.filter_width}, Shape{0, 2, 3, 1});
    if (xnnpack::conv_forward(s, images.data(), filter.data(), bias, relu, theirs.data())) {
      ++forward;
      EXPECT_TRUE(theirs.tail_untouched());
      EXPECT_LT(tests::difference(exact_of(channels_first(theirs, s.batch, s.out_channels, s.out_height, s.out_width)), ours), 3e-6) << "forward";
    }
    Floats our_gradient(x.size()), their_gradient(x.size());
    conv_input_gradient(s, g.data(), w.data(), our_gradient.data());
    const Floats gradient = channels_last(g, s.batch, s.out_channels, s.out_height, s.out_width);
    const Floats back = turned(w, Shape{s.groups, s.group_out(), s.group_in(), s.filter_height * s.filter_width}, Shape{0, 2, 3, 1});
    if (xnnpack::conv_input_gradient(s, gradient.data(), back.data(), their_gradient.data())) {
      ++backward;
      EXPECT_LT(tests::difference(exact_of(channels_first(their_gradient, s.batch, s.in_channels, s.in_height, s.in_width)), our_gradient), 3e-6) << "input gradient";
    }
  }
  EXPECT_GT(forward, 290);
  EXPECT_GT(backward, 200);
}

TEST(Xnnpack, AgreesOnPooling) {
  Numbers numbers(2);
  int largest = 0, average = 0;
  for (int round = 0; round < 300; ++round) {
    PoolShape s;
    s.planes = numbers.between(0, 20);
    s.in_height = numbers.between(1, 12), s.in_width = numbers.between(1, 17);
    s.window_height = numbers.between(1, 4), s.window_width = numbers.between(1, 4);
    s.stride_y = numbers.between(1, 3), s.stride_x = numbers.between(1, 3);
    if (round % 2) s.padding_y = numbers.between(0, s.window_height / 2), s.padding_x = numbers.between(0, s.window_width / 2);
    s.infer_out(round % 3 == 0);
    if (s.out_height <= 0 || s.out_width <= 0) continue;
    SCOPED_TRACE(testing::Message() << s.planes << " planes of " << s.in_height << "x" << s.in_width << ", window " << s.window_height << "x" << s.window_width << ", stride " << s.stride_y << ","
                                    << s.stride_x << ", padding " << s.padding_y << "," << s.padding_x);
    const Floats x(s.planes * s.in_height * s.in_width, numbers);
    const Floats images = channels_last(x, 1, s.planes, s.in_height, s.in_width);
    Floats ours(s.planes * s.out_height * s.out_width), theirs(ours.size());
    if (xnnpack::max_pool_forward(s, images.data(), theirs.data())) {
      ++largest;
      max_pool_forward(s, x.data(), ours.data(), nullptr);
      EXPECT_EQ(tests::difference(exact_of(channels_first(theirs, 1, s.planes, s.out_height, s.out_width)), ours), 0) << "max";
    }
    for (bool count_padding : {false, true})
      if (xnnpack::average_pool_forward(s, count_padding, images.data(), theirs.data())) {
        ++average;
        average_pool_forward(s, count_padding, x.data(), ours.data());
        EXPECT_LT(tests::difference(exact_of(channels_first(theirs, 1, s.planes, s.out_height, s.out_width)), ours), 1e-6) << "average";
      }
    EXPECT_TRUE(theirs.tail_untouched());
  }
  EXPECT_GT(largest, 120);  // no windows of one element, no strides larger than the window
  EXPECT_GT(average, 150);
}

TEST(Xnnpack, AgreesOnFunctionsOfOneInput) {
  struct Case {
    Unary function;
    const char* name;
    float low, high;
    double tolerance;  // relative to the largest value
  };
  const Case cases[] = {
      {Unary::kNegate, "negate", -3, 3, 0},      {Unary::kAbs, "abs", -3, 3, 0},          {Unary::kRelu, "relu", -3, 3, 0},     {Unary::kSquare, "square", -3, 3, 0},
      {Unary::kSqrt, "sqrt", 0, 9, 1e-7},        {Unary::kRsqrt, "rsqrt", 0.1f, 9, 3e-7}, {Unary::kExp, "exp", -8, 8, 3e-7},    {Unary::kLog, "log", 0.01f, 9, 3e-7},
      {Unary::kSigmoid, "sigmoid", -9, 9, 3e-7}, {Unary::kTanh, "tanh", -4, 4, 5e-7},     {Unary::kGelu, "gelu", -4, 4, 2e-5},  {Unary::kSin, "sin", -9, 9, 3e-7},
      {Unary::kCos, "cos", -9, 9, 3e-7},         {Unary::kFloor, "floor", -9, 9, 0},      {Unary::kCeil, "ceil", -9, 9, 0},     {Unary::kRound, "round", -9, 9, 0},
      {Unary::kSign, "sign", -1, 1, 0},
  };
  Numbers numbers(3);
  for (const Case& c : cases)
    for (Index n : {0, 1, 3, 4, 17, 1000}) {
      const Floats x(n, numbers, c.low, c.high);
      Floats ours(n), theirs(n);
      unary(c.function, n, x.data(), ours.data());
      ASSERT_TRUE(xnnpack::unary(c.function, n, x.data(), theirs.data())) << c.name;
      EXPECT_LE(tests::difference(exact_of(theirs), ours), c.tolerance) << c.name << " of " << n;
      EXPECT_TRUE(theirs.tail_untouched()) << c.name << " of " << n;
    }
  EXPECT_FALSE(xnnpack::unary(Unary::kErf, 1, nullptr, nullptr));
}

TEST(Xnnpack, AgreesOnBroadcastingFunctionsOfTwoInputs) {
  const std::pair<Binary, const char*> cases[] = {{Binary::kAdd, "add"},         {Binary::kSubtract, "subtract"}, {Binary::kMultiply, "multiply"}, {Binary::kDivide, "divide"},
                                                  {Binary::kMaximum, "maximum"}, {Binary::kMinimum, "minimum"},   {Binary::kPow, "pow"},           {Binary::kSquaredDifference, "squaredDifference"}};
  Numbers numbers(4);
  for (int round = 0; round < 300; ++round) {
    const auto [function, name] = cases[numbers.next() % std::size(cases)];
    Shape shape;
    for (Index axis = numbers.between(0, 4); axis > 0; --axis) shape.push_back(numbers.between(round % 7 == 0 ? 0 : 1, 9));
    Shape a_shape = shape, b_shape = shape;
    for (int axis = 0; axis < shape.rank(); ++axis)
      if (const Index which = numbers.between(0, 5); which < 2) (which ? a_shape : b_shape)[axis] = 1;
    SCOPED_TRACE(testing::Message() << name << " " << to_string(a_shape) << " and " << to_string(b_shape));
    const Floats a(element_count(a_shape), numbers, 0.5f, 3), b(element_count(b_shape), numbers, 0.5f, 3);
    Floats ours(element_count(shape)), theirs(element_count(shape));
    binary(function, shape, a.data(), broadcast_strides(a_shape, contiguous_strides(a_shape), shape), b.data(), broadcast_strides(b_shape, contiguous_strides(b_shape), shape), ours.data());
    ASSERT_TRUE(xnnpack::binary(function, a_shape, a.data(), b_shape, b.data(), theirs.data()));
    EXPECT_LT(tests::difference(exact_of(theirs), ours), 1e-6);
    EXPECT_TRUE(theirs.tail_untouched());
  }
}

TEST(Xnnpack, AgreesOnSoftmaxProductsAndTranspositions) {
  Numbers numbers(5);
  for (int round = 0; round < 200; ++round) {
    const Index rows = numbers.between(0, 9), columns = numbers.between(0, 40), in = numbers.between(0, 50);
    SCOPED_TRACE(testing::Message() << rows << " rows of " << columns << ", " << in);
    const Floats x(rows * columns, numbers, -9, 9);
    Floats ours(x.size()), theirs(x.size());
    softmax_rows(rows, columns, x.data(), ours.data());
    ASSERT_TRUE(xnnpack::softmax_rows(rows, columns, x.data(), theirs.data()));
    EXPECT_LT(tests::difference(exact_of(theirs), ours), 1e-6) << "softmax";

    const Floats a(rows * in, numbers), w(columns * in, numbers), b(columns, numbers);
    Epilogue epilogue;
    epilogue.column_bias = round % 2 ? b.data() : nullptr;
    gemm(rows, columns, in, {a.data(), in, 1}, {w.data(), 1, in}, {ours.data(), columns, 1}, epilogue);
    ASSERT_TRUE(xnnpack::linear(rows, in, columns, a.data(), w.data(), epilogue.column_bias, theirs.data()));
    EXPECT_LT(tests::difference(exact_of(theirs), ours), 3e-6) << "linear";
    EXPECT_TRUE(theirs.tail_untouched());

    Shape shape, permutation;
    for (Index axis = 0, rank = numbers.between(1, 5); axis < rank; ++axis) shape.push_back(numbers.between(round % 7 == 0 ? 0 : 1, 9)), permutation.push_back(axis);
    for (int axis = 0; axis < shape.rank(); ++axis) std::swap(permutation[axis], permutation[static_cast<int>(numbers.between(axis, shape.rank() - 1))]);
    const Floats values(element_count(shape), numbers);
    Floats moved(values.size());
    ASSERT_TRUE(xnnpack::transpose(shape, permutation, values.data(), moved.data()));
    EXPECT_TRUE(moved.same_bits(turned(values, shape, permutation))) << to_string(shape) << " by " << to_string(permutation);
  }
}

TEST(Xnnpack, OperatorsAreKeptAndTheirNumberIsBounded) {
  xnnpack::release_operators();
  EXPECT_EQ(xnnpack::kept_operators(), 0);
  const float x[20] = {1, 2, 3};
  float out[20];
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(xnnpack::unary(Unary::kExp, 3, x, out));
  EXPECT_EQ(xnnpack::kept_operators(), 1);
  ASSERT_TRUE(xnnpack::unary(Unary::kTanh, 2, x, out));
  EXPECT_EQ(xnnpack::kept_operators(), 2);
  // Pools of many sizes: each window is an operator of its own.
  const Floats image(400);
  Floats result(400);
  for (Index height = 1; height <= 20; ++height)
    for (Index width = 2; width <= 20; ++width) {
      PoolShape s;
      s.in_height = s.in_width = 20, s.window_height = height, s.window_width = width, s.stride_y = height, s.stride_x = width;
      s.infer_out();
      ASSERT_TRUE(xnnpack::max_pool_forward(s, image.data(), result.data()));
      ASSERT_LE(xnnpack::kept_operators(), 128);
    }
  xnnpack::release_operators();
  EXPECT_EQ(xnnpack::kept_operators(), 0);
}

}  // namespace
}  // namespace gradbook::kernels
