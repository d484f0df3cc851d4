// Ops for which the order of elements matters: running totals, sorting, the largest k, counting of values.
#include <algorithm>
#include <numeric>

#include "ops/indices.h"
#include "ops/fast.h"
#include "ops/table.h"
#include "ops/vocabulary.h"

namespace gradbook {
namespace {

int axis_of(const Call& c, int attribute) { return c.input(0).rank() ? normalize_axis(c.integer(attribute), c.input(0).rank()) : 0; }

Shape shape_along(const Call& c) {
  axis_of(c, 0);
  return c.input(0).shape();
}

// -- running totals ---------------------------------------------------------------------------------------------------------

void forward_cumsum(Call& c) {
  dispatch(c.input(0).dtype(), [&](auto zero) {
    using From = decltype(zero);
    using To = std::conditional_t<std::is_floating_point_v<From>, From, int32_t>;
    using Sum = std::conditional_t<std::is_floating_point_v<From>, double, int64_t>;
    for_each_row<To, From>(c.result, c.input(0), axis_of(c, 0), [](const From* x, To* y, Index n) {
      Sum total = 0;
      for (Index i = 0; i < n; ++i) y[i] = static_cast<To>(total += static_cast<Sum>(x[i]));
    });
  });
}

// An element counts in all totals from its own place on, so its gradient is the total from the end.
Gradients gradient_cumsum(const Call& c, const Tensor& grad) {
  if (grad.rank() == 0) return {grad};
  auto flip = [&](const Tensor& t) { return op<"flip">({t}, {Shape{axis_of(c, 0)}}); };
  return {flip(op<"cumsum">({flip(grad)}, {c.attribute(0)}))};
}

// Doubling: after step d every element holds the product of the last 2d. Exact gradients also where elements are zero.
Tensor compose_cumprod(const Call& c) {
  Tensor x = c.input(0);
  if (x.dtype() == DType::kBool || x.dtype() == DType::kUint8) x = to(x, DType::kInt32);
  const int axis = axis_of(c, 0);
  if (x.rank() == 0) return x * 1.0;
  const Index n = x.size(axis);
  Tensor y = x * 1.0;
  for (Index d = 1; d < n; d *= 2) y = concat({slice(y, 0, d, axis), slice(y, d, n, axis) * slice(y, 0, n - d, axis)}, axis);
  return y;
}

// -- sorting ------------------------------------------------------------------------------------------------------------------

// NaN counts as larger than every number, as in PyTorch. Equal elements keep their order.
void forward_argsort(Call& c) {
  const bool descending = c.boolean(1);
  // float64 holds the values of all dtypes exactly, and one sort is a tenth of the bytes of ten.
  for_each_row<int32_t, double>(c.result, c.input(0).converted(DType::kFloat64), axis_of(c, 0), [descending](const double* x, int32_t* y, Index n) {
    const auto less = [x](int32_t a, int32_t b) { return x[a] < x[b] || (x[b] != x[b] && x[a] == x[a]); };
    std::iota(y, y + n, 0);
    std::stable_sort(y, y + n, [&](int32_t a, int32_t b) { return descending ? less(b, a) : less(a, b); });
  });
}

Tensor sorted_places(const Call& c, int axis_attribute, bool descending) { return op<"argsort">({c.input(0)}, {axis_of(c, axis_attribute) - std::max(c.input(0).rank(), 1), descending}); }

// The places of the k largest (smallest) elements along the axis, the first of them first.
Tensor top_places(const Call& c) {
  const Tensor& x = c.input(0);
  if (x.rank() == 0) fail(ErrorCode::kShape, "a scalar has no axis to choose from");
  const int axis = axis_of(c, 1);
  if (c.integer(0) < 0 || c.integer(0) > x.size(axis)) fail(ErrorCode::kValue, "`k` must lie between 0 and the size of axis ", axis, ", ", x.size(axis), "; got ", c.integer(0));
  return slice(sorted_places(c, 1, c.boolean(2)), 0, c.integer(0), axis);
}

// -- counting -----------------------------------------------------------------------------------------------------------------

// The different values in rising order, and how often each is there; NaN comes last, once for each NaN.
struct Unique {
  std::vector<double> values;
  std::vector<int32_t> counts;
};
Unique unique_of(const Tensor& x) {
  std::vector<double> all = x.values();
  std::sort(all.begin(), all.end(), [](double a, double b) { return a < b || (b != b && a == a); });
  Unique u;
  for (double v : all) {
    if (u.values.empty() || u.values.back() != v) {
      u.values.push_back(v);
      u.counts.push_back(0);
    }
    ++u.counts.back();
  }
  return u;
}
Shape shape_unique(const Call& c) { return {static_cast<Index>(unique_of(c.input(0)).values.size())}; }

Shape shape_bincount(const Call& c) {
  if (c.input(0).rank() != 1) fail(ErrorCode::kShape, "needs a list of whole numbers, got shape ", c.input(0).shape());
  if (c.integer(0) < 0) fail(ErrorCode::kValue, "`minLength` cannot be negative, got ", c.integer(0));
  Index length = c.integer(0);
  for (double v : whole_numbers(c.input(0)).values()) {
    if (v < 0) fail(ErrorCode::kValue, "counts numbers from 0 on, got ", v);
    length = std::max(length, static_cast<Index>(v) + 1);
  }
  return {length};
}
void forward_bincount(Call& c) {
  int32_t* to = c.result.data<int32_t>();
  std::fill(to, to + c.result.element_count(), 0);
  for (double v : whole_numbers(c.input(0)).values()) ++to[static_cast<Index>(v)];
}

constexpr OpRow kOrder[] = {
    {.name = "cumsum",
     .summary = "Running total along an axis; whole numbers and bools give int32.",
     .example = "tensor([1, 2, 3]).cumsum(0)", .gives = "[1, 3, 6]",
     .params = {tensor("x"), integer("axis")},
     .formula = "y_i = \\sum_{j \\le i} x_j",
     .result_type = ResultType::kCustom,
     .type = [](const Call& c) { return is_floating(c.input(0).dtype()) ? c.input(0).dtype() : DType::kInt32; },
     .shape = shape_along,
     .forward = forward_cumsum,
     .fast = fast_cumsum,
     .gradient = gradient_cumsum,
     .strided = true,
     .samples = {{"2x3", "0"}, {"2x3x4", "-2"}, {"5", "0"}, {"0x3", "0"}, {"", "0"}},
     .misuses = {{"2x3", "2", "axis 2 does not exist"}}},

    {.name = "cumprod",
     .summary = "Running product along an axis.",
     .example = "tensor([1, 2, 3]).cumprod(0)", .gives = "[1, 2, 6]",
     .params = {tensor("x"), integer("axis")},
     .formula = "y_i = \\prod_{j \\le i} x_j",
     .compose = compose_cumprod,
     .samples = {{"2x3", "0"}, {"2x3x4", "-2"}, {"5", "0"}, {"0x3", "0"}, {"", "0"}, {"1x7", "1"}},
     .misuses = {{"2x3", "2", "axis 2 does not exist"}}},

    {.name = "argsort",
     .summary = "The places of the elements in rising order along an axis; equal elements keep their order, NaN counts as largest.",
     .example = "tensor([3, 1, 2]).argsort()", .gives = "[1, 2, 0]",
     .params = {tensor("x"), integer("axis", -1), boolean("descending", false)},
     .result_type = ResultType::kInt32,
     .shape = shape_along,
     .forward = forward_argsort,
     .strided = true,
     .samples = {{"2x5"}, {"4x3", "0 ; true"}, {"0x3"}, {""}},
     .misuses = {{"2x3", "2", "axis 2 does not exist"}}},

    {.name = "sort",
     .summary = "The elements in rising order along an axis; NaN counts as largest. Their places: argsort.",
     .example = "tensor([3, 1, 2]).sort()", .gives = "[1, 2, 3]",
     .params = {tensor("x"), integer("axis", -1), boolean("descending", false)},
     .compose = [](const Call& c) { return gather(c.input(0), sorted_places(c, 0, c.boolean(1)), c.integer(0)); },
     .samples = {{"2x5"}, {"4x3", "0 ; true"}, {"0x3"}},
     .misuses = {{"2x3", "2", "axis 2 does not exist"}}},

    {.name = "topk",
     .summary = "The k largest elements along an axis, the largest first (or the smallest, with largest = false). Their places: topkIndices.",
     .example = "tensor([3, 1, 2]).topk(2)", .gives = "[3, 2]",
     .params = {tensor("x"), integer("k"), integer("axis", -1), boolean("largest", true)},
     .compose = [](const Call& c) { return gather(c.input(0), top_places(c), axis_of(c, 1)); },
     .samples = {{"2x5", "3"}, {"4x3", "2 ; 0 ; false"}, {"2x3", "0"}},
     .misuses = {{"2x3", "4", "between 0 and the size of axis 1, 3; got 4"}, {"", "1", "a scalar has no axis"}}},

    {.name = "topkIndices",
     .summary = "The places of the k largest (smallest) elements along an axis.",
     .example = "tensor([3, 1, 2]).topkIndices(2)", .gives = "[0, 2]",
     .params = {tensor("x"), integer("k"), integer("axis", -1), boolean("largest", true)},
     .compose = top_places,
     .samples = {{"2x5", "3"}, {"4x3", "2 ; 0 ; false"}},
     .misuses = {{"2x3", "4", "between 0 and the size"}}},

    {.name = "unique",
     .summary = "The different values of a tensor, in rising order.",
     .example = "tensor([3, 1, 3]).unique()", .gives = "[1, 3]",
     .params = {tensor("x")},
     .result_type = ResultType::kFirst,
     .shape = shape_unique,
     .forward = [](Call& c) { c.result = Tensor::from(c.result.shape(), unique_of(c.input(0)).values, c.result.dtype()); },
     .strided = true,
     .samples = {{"2x3"}, {"0"}, {""}}},

    {.name = "uniqueCounts",
     .summary = "How often each of the values of unique is there.",
     .example = "tensor([3, 1, 3]).uniqueCounts()", .gives = "[1, 2]",
     .params = {tensor("x")},
     .result_type = ResultType::kInt32,
     .shape = shape_unique,
     .forward = [](Call& c) {
       const Unique u = unique_of(c.input(0));
       std::copy(u.counts.begin(), u.counts.end(), c.result.data<int32_t>());
     },
     .strided = true,
     .samples = {{"2x3"}, {"0"}, {""}}},

    {.name = "bincount",
     .summary = "How often each whole number from 0 on is there; the result is at least `minLength` long.",
     .example = "tensor([0, 2, 2]).bincount()", .gives = "[1, 0, 2]",
     .params = {tensor("x"), integer("minLength", 0)},
     .result_type = ResultType::kInt32,
     .shape = shape_bincount,
     .forward = forward_bincount,
     .strided = true,
     .samples = {{"5", "0", -2, 2, "0:4"}, {"3", "6", -2, 2, "0:4"}, {"0", "0", -2, 2, "0:4"}},
     .misuses = {{"2x3", "", "needs a list of whole numbers", "0:4"}, {"3", "-1", "cannot be negative", "0:4"}}},
};

}  // namespace

GRADBOOK_FAMILY(order, kOrder)

}  // namespace gradbook
