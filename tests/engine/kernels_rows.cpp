// Rows by number, parts of larger tensors, running totals, comparisons and choices against plain loops, with 0 and 1 among the sizes.
#include "kernels/rows.h"

#include <algorithm>
#include <array>
#include <memory>

#include "kernels/comparison.h"
#include "kernels/threads.h"
#include "kernels_numbers.h"

namespace gradbook::kernels {
namespace {

using tests::Floats;
using tests::Numbers;

TEST(Rows, AreSelectedAndAddedAsPlainLoopsDo) {
  Numbers numbers(1);
  for (int round = 0; round < 200; ++round) {
    const Index outer = numbers.between(0, 4), size = numbers.between(1, 9), inner = numbers.between(0, round % 5 ? 9 : 300), count = numbers.between(0, 20);
    const Floats x(outer * size * inner, numbers), source(outer * count * inner, numbers);
    std::vector<int32_t> rows;
    for (Index i = 0; i < count; ++i) rows.push_back(static_cast<int32_t>(numbers.between(0, size - 1)));
    Floats taken(outer * count * inner), sum = x;
    set_thread_count(round % 2 ? 3 : 1);
    select_rows(outer, size, inner, count, rows.data(), x.data(), taken.data());
    add_rows(outer, size, inner, count, rows.data(), source.data(), sum.data());
    Floats expected = x;
    for (Index o = 0; o < outer; ++o)
      for (Index i = 0; i < count; ++i)
        for (Index k = 0; k < inner; ++k) {
          const Index row = (o * size + rows[static_cast<size_t>(i)]) * inner + k, at = (o * count + i) * inner + k;
          ASSERT_EQ(taken[at], x[row]);
          expected[row] += source[at];
        }
    EXPECT_TRUE(sum.same_bits(expected)) << "the order of additions is the order of the index";
    EXPECT_TRUE(taken.tail_untouched() && sum.tail_untouched());
  }
  set_thread_count(1);
}

TEST(Rows, RunningSumsAgreeWithSumsInDouble) {
  Numbers numbers(2);
  for (int round = 0; round < 150; ++round) {
    const Index outer = numbers.between(0, 9), size = numbers.between(0, 50), inner = round % 2 ? 1 : numbers.between(0, 150);
    const Floats x(outer * size * inner, numbers);
    Floats y(x.size());
    running_sum(outer, size, inner, x.data(), y.data());
    for (Index o = 0; o < outer; ++o)
      for (Index i = 0; i < inner; ++i) {
        double total = 0;
        for (Index s = 0; s < size; ++s) {
          const Index at = (o * size + s) * inner + i;
          total += x[at];
          ASSERT_EQ(y[at], static_cast<float>(total)) << outer << " " << size << " " << inner;
        }
      }
    EXPECT_TRUE(y.tail_untouched());
  }
}

TEST(Rows, PartsAreCopiedBetweenAnyStrides) {
  Numbers numbers(3);
  for (int round = 0; round < 150; ++round) {
    Shape whole, part;
    for (Index axis = numbers.between(1, 4); axis > 0; --axis) {
      whole.push_back(numbers.between(1, 9));
      part.push_back(numbers.between(round % 7 == 0 ? 0 : 1, whole.back()));
    }
    const Floats x(element_count(part), numbers);
    Floats out(element_count(whole), 7);
    const Shape steps = contiguous_strides(whole), own = contiguous_strides(part);
    copy_between(part, x.data(), own, out.data(), steps);
    for (Index i = 0; i < out.size(); ++i) {
      Index from = 0;
      bool inside = true;
      for (int axis = 0; axis < whole.rank(); ++axis) {
        const Index at = i / steps[axis] % whole[axis];
        inside = inside && at < part[axis];
        from += at * own[axis];
      }
      ASSERT_EQ(out[i], inside ? x[from] : 7) << to_string(part) << " in " << to_string(whole);
    }
    EXPECT_TRUE(out.tail_untouched());
  }
}

TEST(Comparisons, AnswerAndChooseAsPlainLoopsDoWithBroadcastingAndNan) {
  Numbers numbers(4);
  const std::pair<Comparison, bool (*)(float, float)> questions[] = {
      {Comparison::kEqual, [](float a, float b) { return a == b; }}, {Comparison::kNotEqual, [](float a, float b) { return a != b; }},
      {Comparison::kLess, [](float a, float b) { return a < b; }},   {Comparison::kLessEqual, [](float a, float b) { return a <= b; }},
      {Comparison::kGreater, [](float a, float b) { return a > b; }}, {Comparison::kGreaterEqual, [](float a, float b) { return a >= b; }}};
  for (int round = 0; round < 300; ++round) {
    Shape shape;
    for (Index axis = numbers.between(0, 4); axis > 0; --axis) shape.push_back(numbers.between(round % 7 == 0 ? 0 : 1, round % 5 ? 9 : 40));
    // Each operand repeats along some axes, at times along all.
    std::array<Shape, 3> sizes = {shape, shape, shape}, strides;
    for (size_t k = 0; k < 3; ++k) {
      for (int axis = 0; axis < shape.rank(); ++axis)
        if (numbers.between(0, 5) == 0 || round % 4 == static_cast<int>(k)) sizes[k][axis] = std::min<Index>(1, shape[axis]);
      strides[k] = broadcast_strides(sizes[k], contiguous_strides(sizes[k]), shape);
    }
    Floats a(element_count(sizes[0]), numbers), b(element_count(sizes[1]), numbers), chosen(element_count(shape));
    for (Floats* x : {&a, &b})
      for (Index i = 0; i < x->size(); ++i) (*x)[i] = numbers.between(0, 9) == 0 ? NAN : std::round((*x)[i] * 2);
    const size_t n = static_cast<size_t>(element_count(sizes[2]));
    const std::unique_ptr<bool[]> condition(new bool[n + 1]), answer(new bool[static_cast<size_t>(chosen.size()) + 1]);
    for (size_t i = 0; i < n; ++i) condition[i] = numbers.between(0, 1) == 1;
    const auto place = [&](size_t k, Index flat) {
      Index at = 0;
      for (int axis = shape.rank() - 1; axis >= 0; --axis) at += flat % shape[axis] * strides[k][axis], flat /= shape[axis];
      return at;
    };
    const auto& [question, holds] = questions[static_cast<size_t>(round) % std::size(questions)];
    compare(question, shape, a.data(), strides[0], b.data(), strides[1], answer.get());
    choose(shape, condition.get(), strides[2], a.data(), strides[0], b.data(), strides[1], chosen.data());
    for (Index i = 0; i < chosen.size(); ++i) {
      const float x = a[place(0, i)], y = b[place(1, i)], expected = condition[static_cast<size_t>(place(2, i))] ? x : y;
      ASSERT_EQ(answer[static_cast<size_t>(i)], holds(x, y)) << to_string(shape);
      ASSERT_TRUE(chosen[i] == expected || (std::isnan(chosen[i]) && std::isnan(expected))) << to_string(shape);
    }
    EXPECT_TRUE(chosen.tail_untouched());
  }
}

}  // namespace
}  // namespace gradbook::kernels
