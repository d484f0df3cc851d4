// The words that op tables are written with: shape rules, forward functions made from a formula, axis lists, and the laws
// that the compiler checks over every table. Leaves the loops to loops.h and the calls between ops to vocabulary.h.
#pragma once

#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "autodiff/op.h"
#include "ops/loops.h"

namespace gradbook {

// -- laws (design: checked by the compiler; names across tables are checked by a test) ----------------------------------

constexpr bool names_are_unique(std::span<const OpRow> table) {
  for (size_t i = 0; i < table.size(); ++i)
    for (size_t j = i + 1; j < table.size(); ++j)
      if (table[i].name == table[j].name) return false;
  return true;
}
constexpr bool rows_are_documented(std::span<const OpRow> table) {
  for (const OpRow& op : table)
    if (op.name.empty() || op.summary.empty() || op.example.empty() || op.gives.empty()) return false;
  return true;
}
/// Exactly one of: shape and forward, view, compose. The parts of a primitive come together or not at all.
constexpr bool rows_have_one_kind(std::span<const OpRow> table) {
  for (const OpRow& op : table) {
    const bool primitive = op.shape && op.forward;
    if ((op.shape != nullptr) != (op.forward != nullptr)) return false;
    if (int{primitive} + int{op.view != nullptr} + int{op.compose != nullptr} != 1) return false;
    if (op.fast && !primitive) return false;
    if ((op.result_type == ResultType::kCustom) != (op.type != nullptr)) return false;
  }
  return true;
}
constexpr bool composites_have_no_gradient(std::span<const OpRow> table) {
  for (const OpRow& op : table)
    if (op.compose && op.gradient) return false;
  return true;
}
/// A table taken apart, once it has passed the laws: what runs, what is read, what tests try. The linker leaves out what a program
/// does not ask for, and the rows as they are written are in none.
template <const auto& rows>
struct Table {
  static_assert(names_are_unique(rows), "two rows of this table share a name");
  static_assert(rows_are_documented(rows), "a row lacks name, summary, example or gives");
  static_assert(rows_have_one_kind(rows), "a row must have exactly one of: shape and forward, view, compose");
  static_assert(composites_have_no_gradient(rows), "a composite gets its gradient from the ops it is written with");

  template <class Part>
  static constexpr auto each(Part (*part_of)(const OpRow&)) {
    return [&]<size_t... i>(std::index_sequence<i...>) { return std::array<Part, sizeof...(i)>{part_of(rows[i])...}; }(std::make_index_sequence<std::size(rows)>());
  }
  static constexpr auto ops = each<Op>(op_of);
  static constexpr auto words = each<OpWords>([](const OpRow& row) -> OpWords { return {row.summary, row.example, row.gives, row.formula}; });
  static constexpr auto trials = each<OpTrials>([](const OpRow& row) -> OpTrials { return {row.samples, row.misuses, row.tolerance.value}; });
};

/// Makes rows known as a family of ops/families.h.
#define GRADBOOK_FAMILY(family, rows)                                      \
  std::span<const Op> family##_ops() { return Table<rows>::ops; }          \
  std::span<const OpWords> family##_words() { return Table<rows>::words; } \
  std::span<const OpTrials> family##_trials() { return Table<rows>::trials; }

// -- shape rules --------------------------------------------------------------------------------------------------------

inline Shape same_as_first(const Call& c) { return c.input(0).shape(); }
/// The common shape of all inputs under broadcasting.
inline Shape broadcast_all(const Call& c) {
  Shape shape = c.input(0).shape();
  for (size_t i = 1; i < c.inputs.size(); ++i)
    if (c.inputs[i].defined()) shape = broadcast(shape, c.inputs[i].shape());
  return shape;
}

// -- axes ---------------------------------------------------------------------------------------------------------------

/// Attribute `i` as distinct axes of a tensor of `rank`; all axes when the attribute is absent.
Shape axes_of(const Call& c, int i, int rank);
/// `shape` with `axes` left out, or of size 1 when `keep`.
Shape without_axes(const Shape& shape, const Shape& axes, bool keep);

/// For errors: "; channels come second: permute(0, 3, 1, 2)" when the last of more than two axes has the wanted number of
/// channels, else nothing.
std::string channels_hint(const Shape& x, Index channels);

// -- forward functions from a formula --------------------------------------------------------------------------------------

using Forward = void (*)(Call&);

/// f(x) for every element, in the type of the result; the op accepts all dtypes.
template <class F>
constexpr Forward unary(F) {
  return [](Call& c) {
    dispatch(c.result.dtype(), [&](auto zero) {
      using T = decltype(zero);
      map<T, T>(c.result, c.input(0), [](T x) { return static_cast<T>(F{}(x)); });
    });
  };
}
/// As unary(), for float32 and float64. f is computed in double and rounded once, so that the plain loops are an oracle.
template <class F>
constexpr Forward unary_floating(F) {
  return [](Call& c) {
    dispatch_floating(c.result.dtype(), [&](auto zero) {
      using T = decltype(zero);
      map<T, T>(c.result, c.input(0), [](T x) { return static_cast<T>(F{}(static_cast<double>(x))); });
    });
  };
}
/// f(x, y) for every pair of elements, in the type of the result.
template <class F>
constexpr Forward binary(F) {
  return [](Call& c) {
    dispatch(c.result.dtype(), [&](auto zero) {
      using T = decltype(zero);
      zip<T, T, T>(c.result, c.input(0), c.input(1), [](T x, T y) { return static_cast<T>(F{}(x, y)); });
    });
  };
}
/// As binary(), for float32 and float64, computed in double and rounded once.
template <class F>
constexpr Forward binary_floating(F) {
  return [](Call& c) {
    dispatch_floating(c.result.dtype(), [&](auto zero) {
      using T = decltype(zero);
      zip<T, T, T>(c.result, c.input(0), c.input(1), [](T x, T y) { return static_cast<T>(F{}(static_cast<double>(x), static_cast<double>(y))); });
    });
  };
}
/// f(x, y) -> bool for every pair of elements.
template <class F>
constexpr Forward comparison(F) {
  return [](Call& c) {
    dispatch(c.input(0).dtype(), [&](auto zero) {
      using T = decltype(zero);
      zip<bool, T, T>(c.result, c.input(0), c.input(1), F{});
    });
  };
}
/// f(x) -> bool for every element.
template <class F>
constexpr Forward predicate(F) {
  return [](Call& c) {
    dispatch(c.input(0).dtype(), [&](auto zero) {
      using T = decltype(zero);
      map<bool, T>(c.result, c.input(0), F{});
    });
  };
}

}  // namespace gradbook
