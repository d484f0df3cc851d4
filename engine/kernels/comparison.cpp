// Plain loops over runs whose strides are known: the compiler makes vectors of them, of bytes and floats together.
#include "kernels/comparison.h"

#include <algorithm>

#include "kernels/strided.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

constexpr long kGrain = 16384;  // elements of one block of work

// Calls run(at, n, place of the result) for every run of the last axis, long runs in parts.
template <size_t kOperands, class Run>
void for_runs(const Axes<kOperands>& axes, Run run) {
  const long inner = axes.inner(), rows = axes.rows();
  const double work = 2.0 * static_cast<double>(rows) * static_cast<double>(inner);
  if (rows == 1) {
    parallel_ranges(inner, kGrain, work, [&](Index first, Index last) {
      std::array<long, kOperands> at{};
      for (size_t o = 0; o < kOperands; ++o) at[o] = static_cast<long>(first) * axes.inner_stride(o);
      run(at, static_cast<long>(last - first), static_cast<long>(first));
    });
  } else {
    parallel_ranges(rows, std::max(1L, kGrain / inner), work, [&](Index first, Index last) {
      for (long row = static_cast<long>(first); row < last; ++row) run(axes.start(row), inner, row * inner);
    });
  }
}

template <class Question>
void ask(const Axes<2>& axes, const float* a, const float* b, bool* out, Question question) {
  const long a_stride = axes.inner_stride(0), b_stride = axes.inner_stride(1);
  for_runs<2>(axes, [=](const std::array<long, 2>& at, long n, long place) {
    const float* __restrict x = a + at[0];
    const float* __restrict y = b + at[1];
    bool* __restrict answer = out + place;
    if (a_stride == 1 && b_stride == 1) {
      for (long i = 0; i < n; ++i) answer[i] = question(x[i], y[i]);
    } else if (a_stride == 1 && b_stride == 0) {
      const float right = *y;
      for (long i = 0; i < n; ++i) answer[i] = question(x[i], right);
    } else {
      for (long i = 0; i < n; ++i) answer[i] = question(x[i * a_stride], y[i * b_stride]);
    }
  });
}

}  // namespace

void compare(Comparison question, const Shape& shape, const float* a, const Shape& a_strides, const float* b, const Shape& b_strides, bool* out) {
  if (element_count(shape) == 0) return;
  const Axes<2> axes(shape, {&a_strides, &b_strides});
  switch (question) {
    case Comparison::kEqual: return ask(axes, a, b, out, [](float x, float y) { return x == y; });
    case Comparison::kNotEqual: return ask(axes, a, b, out, [](float x, float y) { return x != y; });
    case Comparison::kLess: return ask(axes, a, b, out, [](float x, float y) { return x < y; });
    case Comparison::kLessEqual: return ask(axes, a, b, out, [](float x, float y) { return x <= y; });
    case Comparison::kGreater: return ask(axes, a, b, out, [](float x, float y) { return x > y; });
    case Comparison::kGreaterEqual: return ask(axes, a, b, out, [](float x, float y) { return x >= y; });
  }
}

void choose(const Shape& shape, const bool* condition, const Shape& condition_strides, const float* a, const Shape& a_strides, const float* b, const Shape& b_strides, float* out) {
  if (element_count(shape) == 0) return;
  const Axes<3> axes(shape, {&condition_strides, &a_strides, &b_strides});
  const long c_stride = axes.inner_stride(0), a_stride = axes.inner_stride(1), b_stride = axes.inner_stride(2);
  for_runs<3>(axes, [=](const std::array<long, 3>& at, long n, long place) {
    const bool* __restrict yes = condition + at[0];
    const float* __restrict x = a + at[1];
    const float* __restrict y = b + at[2];
    float* __restrict to = out + place;
    // Both are loaded before one is taken, so that no branch is left in the loop.
    const auto loop = [=](auto left, auto right) {
      for (long i = 0; i < n; ++i) {
        const float u = left(i), v = right(i);
        to[i] = yes[i] ? u : v;
      }
    };
    const float first_x = *x, first_y = *y;
    if (c_stride == 1 && a_stride == 1 && b_stride == 1) {
      loop([=](long i) { return x[i]; }, [=](long i) { return y[i]; });
    } else if (c_stride == 1 && a_stride == 1 && b_stride == 0) {
      loop([=](long i) { return x[i]; }, [=](long) { return first_y; });
    } else if (c_stride == 1 && a_stride == 0 && b_stride == 1) {
      loop([=](long) { return first_x; }, [=](long i) { return y[i]; });
    } else {
      for (long i = 0; i < n; ++i) to[i] = yes[i * c_stride] ? x[i * a_stride] : y[i * b_stride];
    }
  });
}

}  // namespace gradbook::kernels
