// describe_typings() and describe_reference(): the tables as TypeScript declarations and as a page to read.
#include <functional>
#include <vector>

#include "autodiff/run.h"
#include "base/number.h"
#include "base/random.h"
#include "bind/describe.h"
#include "ops/registry.h"
#include "ops/words.h"
#include "train/initializers.h"
#include "train/optimizers.h"

namespace gradbook {
namespace {

std::string number_text(double value) { return shortest_number(value); }

// -- where a number may stand for a tensor ---------------------------------------------------------------------------

// True when the op takes a number as tensor parameter `probed` and tensors of shape [2, 3] as the others. Tried out, because no
// field of a row could say it without repeating what its shape rule knows.
bool takes_number(const Op& op, int probed) {
  std::vector<Tensor> inputs;
  int tensors = 0;
  for (const Param& p : op.params) {
    if (!p.is_tensor()) {
      if (p.fallback == Fallback::kRequired) return false;
      continue;
    }
    if (p.kind == Kind::kTensors) return false;
    const bool absent = p.fallback == Fallback::kAbsent && tensors != probed;
    inputs.push_back(absent ? Tensor() : tensors == probed ? Tensor::number(0.5) : Tensor::full({2, 3}, 0.25));
    ++tensors;
  }
  if (tensors < 2) return false;
  try {
    GradModeGuard guard(false);
    run(op, inputs);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// -- one parameter ---------------------------------------------------------------------------------------------------

std::string type_of(const Param& p, bool or_number) {
  switch (p.kind) {
    case Kind::kTensor: return or_number ? "Tensor | number" : "Tensor";
    case Kind::kTensors: return "readonly Tensor[]";
    case Kind::kInteger:
    case Kind::kNumber: return "number";
    case Kind::kBoolean: return "boolean";
    case Kind::kIntegers:
    case Kind::kNumbers: return "number | readonly number[]";
    case Kind::kDType: return "DType";
    case Kind::kText: return "string";
  }
  return "";
}

std::string default_text(const Param& p) {
  if (p.kind == Kind::kBoolean) return p.value ? "true" : "false";
  if (p.kind == Kind::kDType) return "'" + std::string(kDTypes[static_cast<int>(p.value)].name) + "'";
  return p.list_value.empty() ? number_text(p.value) : std::string(p.list_value);
}

// A parameter as the typings need it.
struct Argument {
  std::string name, type;
  bool required = true, tensor = false;
};

std::vector<Argument> arguments_of(const Op& op) {
  std::vector<Argument> list;
  int tensors = 0;
  for (const Param& p : op.params) {
    const bool or_number = p.kind == Kind::kTensor && takes_number(op, tensors);
    tensors += p.is_tensor();
    list.push_back({std::string(p.name), type_of(p, or_number), p.fallback == Fallback::kRequired, p.is_tensor()});
  }
  return list;
}

// -- the forms of a call ---------------------------------------------------------------------------------------------

std::string positional(const std::vector<Argument>& arguments, size_t count, bool all_given) {
  size_t last_required = 0;
  for (size_t i = 0; i < count; ++i)
    if (arguments[i].required) last_required = i + 1;
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    const Argument& a = arguments[i];
    text += (text.empty() ? "" : ", ") + a.name;
    if (a.required || (all_given && !a.tensor))
      text += ": " + a.type;
    else if (all_given || i < last_required)  // an optional parameter cannot stand before a required one: its absence is written out
      text += ": " + a.type + (a.tensor ? " | null | undefined" : " | undefined");
    else
      text += "?: " + a.type + (a.tensor ? " | null" : "");
  }
  return text;
}

std::string options(const std::vector<Argument>& arguments, size_t first) {
  std::string text = "options: { ";
  for (size_t i = first; i < arguments.size(); ++i) text += arguments[i].name + "?: " + arguments[i].type + (i + 1 < arguments.size() ? "; " : " }");
  return text;
}

std::string joined(const std::string& a, const std::string& b) { return a.empty() || b.empty() ? a + b : a + ", " + b; }

// The parameter lists of all overloads: by position; the optional ones as options; the first optional one by position and the
// rest as options; a list of integers without its brackets.
std::vector<std::string> forms(const std::vector<Argument>& arguments, bool spread) {
  size_t required = 0;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].required) required = i + 1;
  std::vector<std::string> list = {positional(arguments, arguments.size(), false)};
  if (required < arguments.size()) list.push_back(joined(positional(arguments, required, true), options(arguments, required)));
  if (required + 1 < arguments.size()) list.push_back(joined(positional(arguments, required + 1, true), options(arguments, required + 1)));
  if (spread) list.push_back(joined(positional(arguments, arguments.size() - 1, true), "..." + arguments.back().name + ": number[]"));
  return list;
}

// -- comments --------------------------------------------------------------------------------------------------------

std::string in_comment(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '/' && !result.empty() && result.back() == '*') result += ' ';
    result += c;
  }
  return result;
}

std::string defaults_text(const Op& op) {
  std::string text;
  for (const Param& p : op.params)
    if (p.fallback == Fallback::kValue) text += (text.empty() ? "" : ", ") + std::string(p.name) + " = " + default_text(p);
  return text;
}

void write_lines(std::string& out, std::string_view text, std::string_view before) {
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    out += std::string(before) + in_comment(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
}

std::string full_comment(const Op& op) {
  std::string out = "  /**\n";
  write_lines(out, words_of(op).summary, "   * ");
  if (!words_of(op).formula.empty()) out += "   *\n   * Formula: `" + in_comment(words_of(op).formula) + "`\n";
  const std::string defaults = defaults_text(op);
  if (!defaults.empty()) out += "   *\n   * Defaults: `" + in_comment(defaults) + "`\n";
  if (!op.compose && !op.gradient) out += "   *\n   * Has no gradient.\n";
  out += "   * @example\n   * ```ts\n";
  write_lines(out, words_of(op).example, "   * ");
  write_lines(out, words_of(op).gives, "   * // ");
  return out + "   * ```\n   */\n";
}

void write_declarations(std::string& out, const Op& op, bool method) {
  std::vector<Argument> arguments = arguments_of(op);
  if (method) arguments.erase(arguments.begin());
  std::string comment = method ? full_comment(op) : "  /** " + in_comment(words_of(op).summary) + " */\n";
  for (const std::string& form : forms(arguments, call_form(op).spread)) {
    out += comment + "  " + std::string(op.name) + "(" + form + "): Tensor;\n";
    comment = "  /** " + in_comment(words_of(op).summary) + " */\n";
  }
}

// -- optimizers and initializers -------------------------------------------------------------------------------------

void write_optimizer(std::string& out, const OptimizerRow& row) {
  std::string defaults, members;
  for (const Setting& s : row.settings) {
    std::string value, type = s.kind == Kind::kBoolean ? "boolean" : s.kind == Kind::kNumbers ? "readonly [" : "number";
    for (int i = 0; i < s.count; ++i) {
      const double v = s.value[static_cast<size_t>(i)];
      value += (i ? ", " : "") + (s.kind == Kind::kBoolean ? std::string(v ? "true" : "false") : number_text(v));
      if (s.kind == Kind::kNumbers) type += i ? ", number" : "number";
    }
    if (s.kind == Kind::kNumbers) value = "[" + value + "]", type += "]";
    defaults += (defaults.empty() ? "" : ", ") + std::string(s.name) + " = " + value;
    members += (members.empty() ? "" : "; ") + std::string(s.name) + "?: " + type;
  }
  out += "  /**\n   * " + in_comment(row.summary) + "\n   *\n   * Defaults: `" + defaults + "`\n   */\n";
  out += "  " + std::string(row.name) + "(trainable: Trainable, settings?: { " + members + " }): Optimizer;\n";
}

void write_initializer(std::string& out, const InitializerRow& row) {
  std::string members, defaults;
  for (const Param& p : row.params) {
    const bool required = p.fallback == Fallback::kRequired;
    members += (members.empty() ? " " : "; ") + std::string(p.name) + (required ? "" : "?") + ": " + type_of(p, false);
    if (!required) defaults += (defaults.empty() ? " Defaults: `" : ", ") + std::string(p.name) + " = " + default_text(p);
  }
  out += "  /** " + in_comment(row.summary) + defaults + (defaults.empty() ? "" : "`") + " */\n";
  out += "  " + std::string(row.name) + ": " + (members.empty() ? "Record<string, never>" : "{" + members + " }") + ";\n";
}

void for_each_public_op(const std::function<void(const Op&)>& visit) {
  for (int i = 0; i < op_count(); ++i)
    if (!op_at(i).internal) visit(op_at(i));
}

}  // namespace

std::string describe_typings() {
  // Trying ops out must not move the random stream of the session.
  const Generator before = default_generator();
  std::string out =
      "// Written by engine/bind/typings.cpp (describe --typings) from the tables of the engine. Do not edit.\n"
      "import type { Optimizer, Trainable } from './optim.ts';\n"
      "import type { DType, Tensor } from './tensor.ts';\n\n"
      "/** Ops whose first argument is a tensor, as its methods. */\nexport interface TensorOps {\n";
  for_each_public_op([&](const Op& op) {
    if (call_form(op).method) write_declarations(out, op, true);
  });
  out += "}\n\n/** All ops as functions. */\nexport interface Ops {\n";
  for_each_public_op([&](const Op& op) { write_declarations(out, op, false); });
  out += "}\n\n/** Optimizers and their settings. */\nexport interface Optimizers {\n";
  for (const OptimizerRow& row : optimizer_table()) write_optimizer(out, row);
  out += "}\n\n/** Names of initializers, and the attributes of each. */\nexport interface Initializers {\n";
  for (const InitializerRow& row : initializer_table()) write_initializer(out, row);
  default_generator() = before;
  return out + "}\n";
}

std::string describe_reference() {
  const Generator before = default_generator();
  std::string out =
      "<!-- Written by engine/bind/typings.cpp (describe --reference) from the tables of the engine. Do not edit. -->\n"
      "# Operations\n\nEvery operation is a method of its first tensor where it has one (`x.relu()`), and a function (`ops.relu(x)`). Arguments go by position, or by\n"
      "name in an object at the end: `x.sum(1, true)`, `x.sum(1, { keepDims: true })`.\n";
  for_each_public_op([&](const Op& op) {
    const bool method = call_form(op).method;
    std::vector<Argument> arguments = arguments_of(op);
    const std::string first = method ? arguments.front().name + "." : "";
    if (method) arguments.erase(arguments.begin());
    out += "\n## " + std::string(op.name) + "\n\n" + std::string(words_of(op).summary) + "\n\n```ts\n" + first + std::string(op.name) + "(" + positional(arguments, arguments.size(), false) + ")\n```\n";
    if (!words_of(op).formula.empty()) out += "\n$$" + std::string(words_of(op).formula) + "$$\n";
    const std::string defaults = defaults_text(op);
    if (!defaults.empty()) out += "\nDefaults: `" + defaults + "`.\n";
    if (!op.compose && !op.gradient) out += "\nHas no gradient.\n";
    out += "\n```ts\n" + std::string(words_of(op).example) + "\n// " + std::string(words_of(op).gives) + "\n```\n";
  });
  default_generator() = before;
  return out;
}

}  // namespace gradbook
