// Comparisons and logic: questions whose answers are bools.
#include "ops/fast.h"
#include "ops/table.h"
#include "ops/vocabulary.h"

namespace gradbook {
namespace {

template <class F>
constexpr Forward logical(F) {
  return comparison([](auto x, auto y) { return F{}(x != decltype(x)(0), y != decltype(y)(0)); });
}

constexpr Samples kPairs = {{"2x3,2x3"}, {"2x3,3"}, {",4"}, {"0x3,3"}};
constexpr Misuses kNoBroadcast = {{"2x3,4", "", "[2, 3] and [4] do not broadcast"}};

constexpr OpRow kComparison[] = {
    {.name = "eq",
     .summary = "True where both elements are equal; NaN equals nothing.",
     .example = "tensor([1, 2]).eq(tensor([1, 3]))", .gives = "[true, false]",
     .params = {tensor("x"), tensor("y")},
     .result_type = ResultType::kBool,
     .shape = broadcast_all,
     .forward = comparison([](auto x, auto y) { return x == y; }),
     .fast = fast_comparison<kernels::Comparison::kEqual>,
     .strided = true, .samples = kPairs, .misuses = kNoBroadcast},

    {.name = "ne",
     .summary = "True where the elements differ; NaN differs from everything.",
     .example = "tensor([1, 2]).ne(tensor([1, 3]))", .gives = "[false, true]",
     .params = {tensor("x"), tensor("y")},
     .result_type = ResultType::kBool,
     .shape = broadcast_all,
     .forward = comparison([](auto x, auto y) { return x != y; }),
     .fast = fast_comparison<kernels::Comparison::kNotEqual>,
     .strided = true, .samples = kPairs, .misuses = kNoBroadcast},

    {.name = "lt",
     .summary = "True where the first element is less than the second.",
     .example = "tensor([1, 3]).lt(2)", .gives = "[true, false]",
     .params = {tensor("x"), tensor("y")},
     .result_type = ResultType::kBool,
     .shape = broadcast_all,
     .forward = comparison([](auto x, auto y) { return x < y; }),
     .fast = fast_comparison<kernels::Comparison::kLess>,
     .strided = true, .samples = kPairs, .misuses = kNoBroadcast},

    {.name = "le",
     .summary = "True where the first element is less than or equal to the second.",
     .example = "tensor([1, 2, 3]).le(2)", .gives = "[true, true, false]",
     .params = {tensor("x"), tensor("y")},
     .result_type = ResultType::kBool,
     .shape = broadcast_all,
     .forward = comparison([](auto x, auto y) { return x <= y; }),
     .fast = fast_comparison<kernels::Comparison::kLessEqual>,
     .strided = true, .samples = kPairs, .misuses = kNoBroadcast},

    {.name = "gt",
     .summary = "True where the first element is greater than the second.",
     .example = "tensor([1, 3]).gt(2)", .gives = "[false, true]",
     .params = {tensor("x"), tensor("y")},
     .result_type = ResultType::kBool,
     .shape = broadcast_all,
     .forward = comparison([](auto x, auto y) { return x > y; }),
     .fast = fast_comparison<kernels::Comparison::kGreater>,
     .strided = true, .samples = kPairs, .misuses = kNoBroadcast},

    {.name = "ge",
     .summary = "True where the first element is greater than or equal to the second.",
     .example = "tensor([1, 2, 3]).ge(2)", .gives = "[false, true, true]",
     .params = {tensor("x"), tensor("y")},
     .result_type = ResultType::kBool,
     .shape = broadcast_all,
     .forward = comparison([](auto x, auto y) { return x >= y; }),
     .fast = fast_comparison<kernels::Comparison::kGreaterEqual>,
     .strided = true, .samples = kPairs, .misuses = kNoBroadcast},

    {.name = "logicalAnd",
     .summary = "True where both elements are not zero.",
     .example = "tensor([true, true]).logicalAnd(tensor([true, false]))", .gives = "[true, false]",
     .params = {tensor("x"), tensor("y")},
     .result_type = ResultType::kBool,
     .shape = broadcast_all,
     .forward = logical([](bool x, bool y) { return x && y; }),
     .strided = true, .samples = kPairs, .misuses = kNoBroadcast},

    {.name = "logicalOr",
     .summary = "True where at least one element is not zero.",
     .example = "tensor([false, true]).logicalOr(tensor([false, false]))", .gives = "[false, true]",
     .params = {tensor("x"), tensor("y")},
     .result_type = ResultType::kBool,
     .shape = broadcast_all,
     .forward = logical([](bool x, bool y) { return x || y; }),
     .strided = true, .samples = kPairs, .misuses = kNoBroadcast},

    {.name = "logicalXor",
     .summary = "True where exactly one element is not zero.",
     .example = "tensor([true, true]).logicalXor(tensor([true, false]))", .gives = "[false, true]",
     .params = {tensor("x"), tensor("y")},
     .result_type = ResultType::kBool,
     .shape = broadcast_all,
     .forward = logical([](bool x, bool y) { return x != y; }),
     .strided = true, .samples = kPairs, .misuses = kNoBroadcast},

    {.name = "logicalNot",
     .summary = "True where the element is zero.",
     .example = "tensor([true, false]).logicalNot()", .gives = "[false, true]",
     .params = {tensor("x")},
     .result_type = ResultType::kBool,
     .shape = same_as_first,
     .forward = predicate([](auto x) { return x == decltype(x)(0); }),
     .strided = true},

    {.name = "isnan",
     .summary = "True where the element is NaN (not a number).",
     .example = "tensor([1, NaN]).isnan()", .gives = "[false, true]",
     .params = {tensor("x")},
     .result_type = ResultType::kBool,
     .shape = same_as_first,
     .forward = predicate([](auto x) { return x != x; }),
     .strided = true},

    {.name = "isinf",
     .summary = "True where the element is Infinity or -Infinity.",
     .example = "tensor([1, -Infinity, NaN]).isinf()", .gives = "[false, true, false]",
     .params = {tensor("x")},
     .result_type = ResultType::kBool,
     .shape = same_as_first,
     .forward = predicate([](auto x) { return std::isinf(static_cast<double>(x)); }),
     .strided = true},

    {.name = "isfinite",
     .summary = "True where the element is neither NaN nor infinite.",
     .example = "tensor([1, Infinity, NaN]).isfinite()", .gives = "[true, false, false]",
     .params = {tensor("x")},
     .result_type = ResultType::kBool,
     .shape = same_as_first,
     .forward = predicate([](auto x) { return std::isfinite(static_cast<double>(x)); }),
     .strided = true},
};

}  // namespace

GRADBOOK_FAMILY(comparison, kComparison)

}  // namespace gradbook
