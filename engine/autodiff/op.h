// Op: one row of the op table, and Call: one use of it. Data only; run() and the tape are the machine.
// Rows live in ops/*.cpp as constexpr tables; everything else (typings, argument checks, tests, docs) is read from them.
#pragma once

#include <array>
#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tensor/tensor.h"

namespace gradbook {

// -- parameters of an op ---------------------------------------------------------------------------------------------

/// kTensor: one tensor (a number is accepted and becomes a scalar). kTensors: any number of tensors, must be the last tensor parameter.
/// kText: a string; travels as character codes. kDType: a dtype by name.
enum class Kind { kTensor, kTensors, kInteger, kNumber, kBoolean, kIntegers, kNumbers, kDType, kText };

/// What stands when the caller leaves an attribute out.
enum class Fallback { kRequired, kValue, kAbsent };

struct Param {
  std::string_view name{};
  Kind kind = Kind::kTensor;
  Fallback fallback = Fallback::kRequired;
  double value = 0;              // of a kValue number, integer, boolean (0 or 1) or dtype (its code)
  std::string_view list_value{}; // of a kValue list or text, as written in TypeScript: "[1, 1]", "'constant'"
  constexpr bool is_tensor() const { return kind == Kind::kTensor || kind == Kind::kTensors; }
};
// The words of a parameter list: {tensor("x"), integer("axis", -1), boolean("keepDims", false)}
constexpr Param tensor(std::string_view name) { return {name, Kind::kTensor}; }
constexpr Param optional_tensor(std::string_view name) { return {name, Kind::kTensor, Fallback::kAbsent}; }
constexpr Param tensors(std::string_view name) { return {name, Kind::kTensors}; }
constexpr Param integer(std::string_view name) { return {name, Kind::kInteger}; }
constexpr Param integer(std::string_view name, double value) { return {name, Kind::kInteger, Fallback::kValue, value}; }
constexpr Param optional_integer(std::string_view name) { return {name, Kind::kInteger, Fallback::kAbsent}; }
constexpr Param number(std::string_view name) { return {name, Kind::kNumber}; }
constexpr Param number(std::string_view name, double value) { return {name, Kind::kNumber, Fallback::kValue, value}; }
constexpr Param optional_number(std::string_view name) { return {name, Kind::kNumber, Fallback::kAbsent}; }
constexpr Param boolean(std::string_view name, bool value) { return {name, Kind::kBoolean, Fallback::kValue, value ? 1.0 : 0.0}; }
/// A list of integers: a shape, axes, sizes. In TypeScript a single number is accepted for a list of one, and `one_for_all`
/// parameters of convolutions and pools repeat it (padding: 1 is [1, 1]) - the op's own code decides what a list of one means.
constexpr Param integers(std::string_view name) { return {name, Kind::kIntegers}; }
constexpr Param integers(std::string_view name, std::string_view value) { return {name, Kind::kIntegers, Fallback::kValue, 0, value}; }
constexpr Param optional_integers(std::string_view name) { return {name, Kind::kIntegers, Fallback::kAbsent}; }
constexpr Param numbers(std::string_view name) { return {name, Kind::kNumbers}; }
constexpr Param optional_numbers(std::string_view name) { return {name, Kind::kNumbers, Fallback::kAbsent}; }
constexpr Param dtype_param(std::string_view name) { return {name, Kind::kDType}; }
constexpr Param dtype_param(std::string_view name, DType value) { return {name, Kind::kDType, Fallback::kValue, static_cast<double>(value)}; }
constexpr Param text(std::string_view name, std::string_view value) { return {name, Kind::kText, Fallback::kValue, 0, value}; }

inline constexpr int kMaxParams = 12;
struct Params {
  std::array<Param, kMaxParams> items{};
  int count = 0;
  constexpr Params() = default;
  constexpr Params(std::initializer_list<Param> list) {
    for (const Param& p : list) items[static_cast<size_t>(count++)] = p;
  }
  constexpr const Param* begin() const { return items.data(); }
  constexpr const Param* end() const { return items.data() + count; }
};

// -- one use of an op ------------------------------------------------------------------------------------------------

/// A non-tensor argument: a number, or a list (also text, as character codes). Absent only where the row allows it.
struct Attribute {
  double number = 0;
  std::vector<double> list;
  bool present = true;
  Attribute() = default;
  Attribute(double value) : number(value) {}
  Attribute(int value) : number(value) {}
  Attribute(Index value) : number(static_cast<double>(value)) {}
  Attribute(bool value) : number(value ? 1 : 0) {}
  Attribute(const char*) = delete;
  Attribute(std::vector<double> values) : list(std::move(values)) {}
  Attribute(const Shape& sizes) : list(sizes.begin(), sizes.end()) {}
  static Attribute absent() {
    Attribute a;
    a.present = false;
    return a;
  }
  static Attribute text(std::string_view value) { return Attribute(std::vector<double>(value.begin(), value.end())); }
};
/// One per non-tensor parameter, in the order of the row.
using Attributes = std::vector<Attribute>;

struct Op;

/// The arguments of one use of an op, its result, and what its forward pass kept for its gradient.
struct Call {
  const Op* op = nullptr;
  std::vector<Tensor> inputs;  // one per tensor parameter (kTensors: all of them); undefined where an optional one is absent
  Attributes attributes;
  Tensor result;               // set by run() before forward; in a gradient: the finished result
  std::vector<Tensor> saved;   // forward may put tensors here (arg-max, normalised input) for gradient to read
  /// What was called: this op, the composite that it is part of, or, in a gradient, the op whose gradient it is. Messages name it.
  const Op* called = nullptr;
  bool relu = false;           // set by programs for linear and conv2d: fast applies max(0, .) to the result
  uint64_t needs = ~uint64_t{0};  // bit i: input i wants a gradient; rules may skip the others

  const Tensor& input(int i) const { return inputs[static_cast<size_t>(i)]; }
  bool has_input(int i) const { return i < static_cast<int>(inputs.size()) && inputs[static_cast<size_t>(i)].defined(); }
  bool needs_gradient(int i) const { return i >= 64 || (needs >> i & 1); }
  const Attribute& attribute(int i) const { return attributes[static_cast<size_t>(i)]; }
  bool has(int i) const { return attribute(i).present; }
  double number(int i) const { return attribute(i).number; }
  Index integer(int i) const { return static_cast<Index>(attribute(i).number); }
  bool boolean(int i) const { return attribute(i).number != 0; }
  DType dtype(int i) const { return static_cast<DType>(static_cast<int>(attribute(i).number)); }
  /// A list of at most kMaxRank integers.
  Shape integers(int i) const {
    Shape s;
    for (double v : attribute(i).list) s.push_back(static_cast<Index>(v));
    return s;
  }
  std::string text(int i) const { return std::string(attribute(i).list.begin(), attribute(i).list.end()); }
};

/// The one tensor that forward keeps for its gradient: the given one when a program has planned its place, else a new one.
inline Tensor saved_tensor(Call& call, const Shape& shape, DType dtype) {
  if (call.saved.empty()) call.saved.push_back(Tensor::empty(shape, dtype));
  return call.saved[0];
}

/// One gradient per input of the call; undefined where the input has none or does not need one. The tape sums each to the
/// shape of its input, so rules never undo broadcasting, and converts each to the dtype of its input.
using Gradients = std::vector<Tensor>;

// -- samples: what an op is tested with ------------------------------------------------------------------------------

/// One set of arguments for all op tests. Shapes per tensor parameter, written "2x3" ("" is a scalar, "-" an absent optional tensor);
/// attributes as TypeScript literals in the order of the row, separated by " ; " ("[1, 2] ; true"); missing ones take their defaults.
struct Sample {
  std::string_view shapes{};          // "2x3 , 3x4"
  std::string_view attributes{};      // "1 ; true"
  double lowest = -2, highest = 2;    // inputs are drawn from here, at least 0.05 away from 0 and from each other (kinks)
  std::string_view integer_inputs{};  // "1:10" = input 1 holds integers below 10 as int32 and gets no gradient
  double diagonal = 0;                // added to the diagonal of input 0 over its last two axes: matrices that can be inverted
};
/// A use that must fail: arguments as in Sample, and words that the message must contain.
struct Misuse {
  std::string_view shapes{};
  std::string_view attributes{};
  std::string_view message{};
  std::string_view integer_inputs{};
};

template <class T, int kCapacity>
struct ConstList {
  std::array<T, static_cast<size_t>(kCapacity)> items{};
  int count = 0;
  constexpr ConstList() = default;
  constexpr ConstList(std::initializer_list<T> list) {
    for (const T& item : list) items[static_cast<size_t>(count++)] = item;
  }
  constexpr const T* begin() const { return items.data(); }
  constexpr const T* end() const { return items.data() + count; }
};
using Samples = ConstList<Sample, 10>;
using Misuses = ConstList<Misuse, 8>;
/// Largest allowed difference, written as a number.
struct Tolerance {
  double value = 1e-5;
  constexpr Tolerance() = default;
  constexpr Tolerance(double given) : value(given) {}
};

// -- the row ---------------------------------------------------------------------------------------------------------

/// How the dtype of the result follows from the inputs.
enum class ResultType {
  kPromoted,   // the common type of all tensor inputs; they are converted to it before forward (elementwise, matmul)
  kFloating,   // as kPromoted, but integers and bools become float32 first (exp, mean, div)
  kFirst,      // the type of the first input; the others are left as they are (indexing, movement)
  kBool,       // bool; inputs are promoted to their common type (comparisons)
  kInt32,      // int32; inputs are left as they are (argmax)
  kCustom,     // `type` says
};

/// How many floating-point operations a call takes, from its shapes; flops_of() in flops.h counts them.
enum class Arithmetic {
  kElements,        // one for each element of the largest of result and inputs
  kNone,            // values are only moved
  kProduct,         // two for each element of the result and of the last axis of input 0
  kFilter,          // a convolution of input 0 with the filter input 1
  kInputGradient,   // of a convolution: input 0 is its gradient, input 1 the filter
  kFilterGradient,  // of a convolution: input 0 is its gradient, the result that of the filter
};

/// A part of a row that only readers or tests want: kept in the row as it is written, empty in the op that runs, so that what is
/// shipped does not carry it.
struct Nothing {
  constexpr Nothing() = default;
};
template <bool kWritten, class T>
using Written = std::conditional_t<kWritten, T, Nothing>;

template <bool kWritten>
struct OpFields {
  /// Public name, as in TypeScript. Required, unique.
  std::string_view name{};
  /// One sentence for a learner; states conventions (ties, epsilon, rounding). Required.
  [[no_unique_address]] Written<kWritten, std::string_view> summary{};
  /// A TypeScript expression and what it prints; run as a test. Required.
  [[no_unique_address]] Written<kWritten, std::string_view> example{}, gives{};
  /// Tensors first, then attributes.
  Params params{};
  /// Formula in LaTeX for the reference page; optional.
  [[no_unique_address]] Written<kWritten, std::string_view> formula{};

  ResultType result_type = ResultType::kPromoted;
  DType (*type)(const Call&) = nullptr;  // with ResultType::kCustom

  // A primitive has shape and forward; a movement without copying has view; a composite has compose. Exactly one of the three.
  /// Shape of the result from the inputs, or an Error.
  Shape (*shape)(const Call&) = nullptr;
  /// Plain loops, right for every input and dtype that the op has: the oracle. Fills call.result, which is row-major.
  void (*forward)(Call&) = nullptr;
  /// Optional quick version of forward. Returns false, having done nothing, when it does not serve this call.
  bool (*fast)(Call&) = nullptr;
  /// The result as another look at the storage of input 0.
  Tensor (*view)(const Call&) = nullptr;
  /// The op written with other ops.
  Tensor (*compose)(const Call&) = nullptr;

  /// Upstream gradient -> one gradient per input, written with vocabulary ops. Null: not differentiable (or composite).
  Gradients (*gradient)(const Call&, const Tensor& grad) = nullptr;

  Arithmetic arithmetic = Arithmetic::kElements;  // of primitives
  /// forward and fast accept inputs with any strides; without it run() hands them row-major ones.
  bool strided = false;
  /// Takes float16 as it is; other ops that are no views get it as float32.
  bool storage = false;
  /// Not a method on Tensor in TypeScript; only called by gradient rules and by our own API code.
  bool internal = false;
  /// The result depends on the random stream.
  bool random = false;
  /// What all op tests use; none: one sample with shape 2x3 for every tensor.
  [[no_unique_address]] Written<kWritten, Samples> samples{};
  [[no_unique_address]] Written<kWritten, Misuses> misuses{};
  /// Largest allowed difference between fast and forward, relative to the largest value, in float32.
  [[no_unique_address]] Written<kWritten, Tolerance> tolerance{};
};

/// The row as it is written.
using OpRow = OpFields<true>;
/// The row as it runs. words_of() and trials_of() in ops/words.h have the rest of it.
struct Op : OpFields<false> {};

constexpr Op op_of(const OpRow& row) {
  // All fields by name: one that is new does not compile until it is handed on, or left out, here.
  const auto& [name, summary, example, gives, params, formula, result_type, type, shape, forward, fast, view, compose, gradient, arithmetic, strided, storage, internal, random, samples, misuses, tolerance] = row;
  return {{name, {}, {}, {}, params, {}, result_type, type, shape, forward, fast, view, compose, gradient, arithmetic, strided, storage, internal, random, {}, {}, {}}};
}

/// What people read about an op.
struct OpWords {
  std::string_view summary, example, gives, formula;
};
/// What tests try an op with.
struct OpTrials {
  Samples samples;
  Misuses misuses;
  double tolerance;
};

}  // namespace gradbook
