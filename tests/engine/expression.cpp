#include "expression.h"

#include <cctype>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "autodiff/run.h"
#include "ops/registry.h"

namespace gradbook::test {
namespace {

struct Value {
  enum class Kind { kAbsent, kNumber, kBoolean, kText, kList, kTensor, kOptions } kind = Kind::kAbsent;
  double number = 0;
  std::string text{};
  std::vector<Value> list{};
  std::vector<std::pair<std::string, Value>> options{};
  Tensor tensor{};
};

// -- from values to arguments of an op --------------------------------------------------------------------------------------

Tensor as_tensor(const Value& v, const Param& p) {
  if (v.kind == Value::Kind::kTensor) return v.tensor;
  if (v.kind == Value::Kind::kNumber || v.kind == Value::Kind::kBoolean) return Tensor::number(v.number);
  if (v.kind == Value::Kind::kAbsent) return {};
  fail(ErrorCode::kValue, "`", p.name, "` is no tensor");
}

Attribute as_attribute(const Value& v, const Param& p) {
  switch (v.kind) {
    case Value::Kind::kAbsent: return Attribute::absent();
    case Value::Kind::kBoolean: return Attribute(v.number != 0);
    case Value::Kind::kNumber:
      if (p.kind == Kind::kIntegers || p.kind == Kind::kNumbers) return Attribute(std::vector<double>{v.number});
      return Attribute(v.number);
    case Value::Kind::kText:
      if (p.kind != Kind::kDType) return Attribute::text(v.text);
      for (int code = 0; code < kDTypeCount; ++code)
        if (v.text == kDTypes[code].name) return Attribute(code);
      fail(ErrorCode::kValue, "no dtype ", v.text);
    case Value::Kind::kList: {
      std::vector<double> numbers;
      for (const Value& item : v.list) numbers.push_back(item.number);
      return Attribute(numbers);
    }
    default: fail(ErrorCode::kValue, "`", p.name, "` cannot be a tensor or options");
  }
}

Tensor call(const Op& op, std::vector<Value> arguments) {
  std::vector<Value> values(static_cast<size_t>(op.params.count));
  Value options;
  if (!arguments.empty() && arguments.back().kind == Value::Kind::kOptions) {
    options = arguments.back();
    arguments.pop_back();
  }
  check(arguments.size() <= values.size(), ErrorCode::kValue, op.name, " takes at most ", values.size(), " arguments");
  std::move(arguments.begin(), arguments.end(), values.begin());
  for (auto& [name, value] : options.options) {
    size_t at = 0;
    for (const Param& p : op.params) {
      if (p.name == name) break;
      ++at;
    }
    check(at < values.size(), ErrorCode::kValue, op.name, " has no option ", name);
    values[at] = value;
  }
  std::vector<Tensor> inputs;
  Attributes attributes;
  size_t at = 0;
  for (const Param& p : op.params) {
    const Value& v = values[at++];
    if (p.kind == Kind::kTensors)
      for (const Value& item : v.list) inputs.push_back(as_tensor(item, p));
    else if (p.is_tensor())
      inputs.push_back(as_tensor(v, p));
    else
      attributes.push_back(as_attribute(v, p));
  }
  return run(op, inputs, attributes);
}

void flatten(const Value& v, std::vector<double>& values, Shape& shape, int depth, bool& bools) {
  if (v.kind == Value::Kind::kList) {
    if (shape.rank() == depth) shape.push_back(static_cast<Index>(v.list.size()));
    check(shape[depth] == static_cast<Index>(v.list.size()), ErrorCode::kShape, "rows of different length");
    for (const Value& item : v.list) flatten(item, values, shape, depth + 1, bools);
    return;
  }
  bools = bools && v.kind == Value::Kind::kBoolean;
  values.push_back(v.number);
}

Value tensor_of(const Value& literal) {
  std::vector<double> values;
  Shape shape;
  bool bools = true;
  flatten(literal, values, shape, 0, bools);
  Value v;
  v.kind = Value::Kind::kTensor;
  v.tensor = Tensor::from(shape, values, bools && !values.empty() ? DType::kBool : DType::kFloat32);
  return v;
}

// -- the parser --------------------------------------------------------------------------------------------------------------

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Value expression() {
    Value v = primary();
    while (take('.')) {
      const std::string method = name();
      std::vector<Value> arguments = {v};
      expect('(');
      read_arguments(arguments);
      v = result(method, std::move(arguments));
    }
    return v;
  }
  void end() {
    if (skip() != '\0') broken("the end");
  }

 private:
  char skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (skip() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) broken(std::string("'") + c + "'");
  }
  [[noreturn]] void broken(const std::string& wanted) { fail(ErrorCode::kValue, "expected ", wanted, " at place ", at_, " of ", text_); }
  std::string name() {
    skip();
    const size_t first = at_;
    while (at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_]))) ++at_;
    if (first == at_) broken("a name");
    return std::string(text_.substr(first, at_ - first));
  }
  void read_arguments(std::vector<Value>& arguments) {
    if (take(')')) return;
    do arguments.push_back(expression());
    while (take(','));
    expect(')');
  }
  static Value result(const std::string& op, std::vector<Value> arguments) {
    Value v;
    v.kind = Value::Kind::kTensor;
    v.tensor = call(find_op(op), std::move(arguments));
    return v;
  }
  static Value number_value(double number, Value::Kind kind = Value::Kind::kNumber) {
    Value v;
    v.kind = kind;
    v.number = number;
    return v;
  }

  Value primary() {
    const char c = skip();
    if (c == '[') {
      ++at_;
      Value v;
      v.kind = Value::Kind::kList;
      if (take(']')) return v;
      do v.list.push_back(expression());
      while (take(','));
      expect(']');
      return v;
    }
    if (c == '{') {
      ++at_;
      Value v;
      v.kind = Value::Kind::kOptions;
      do {
        const std::string key = name();
        expect(':');
        v.options.emplace_back(key, expression());
      } while (take(','));
      expect('}');
      return v;
    }
    if (c == '\'') {
      const size_t first = ++at_;
      while (at_ < text_.size() && text_[at_] != '\'') ++at_;
      Value v;
      v.kind = Value::Kind::kText;
      v.text = std::string(text_.substr(first, at_ - first));
      expect('\'');
      return v;
    }
    const bool negative = take('-');
    if (std::isdigit(static_cast<unsigned char>(skip()))) {
      const std::string rest(text_.substr(at_));
      char* end = nullptr;
      const double value = std::strtod(rest.c_str(), &end);
      at_ += static_cast<size_t>(end - rest.c_str());
      return number_value(negative ? -value : value);
    }
    const std::string word = name();
    if (word == "Infinity") return number_value(negative ? -HUGE_VAL : HUGE_VAL);
    if (word == "NaN") return number_value(NAN);
    if (word == "true" || word == "false") return number_value(word == "true", Value::Kind::kBoolean);
    if (word == "undefined") return {};
    std::vector<Value> arguments;
    expect('(');
    read_arguments(arguments);
    if (word != "tensor") return result(word, std::move(arguments));
    check(arguments.size() == 1, ErrorCode::kValue, "tensor() takes one value");
    return tensor_of(arguments[0]);
  }

  std::string_view text_;
  size_t at_ = 0;
};

std::string print_number(double value, DType dtype) {
  if (dtype == DType::kBool) return value != 0 ? "true" : "false";
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  char text[32];
  std::snprintf(text, sizeof(text), value == std::trunc(value) ? "%.0f" : "%.5g", value);
  return text;
}

std::string print_part(const std::vector<double>& values, const Shape& shape, int axis, Index from, Index count, DType dtype) {
  if (axis == shape.rank()) return print_number(values[static_cast<size_t>(from)], dtype);
  std::string text = "[";
  const Index step = shape[axis] ? count / shape[axis] : 0;
  for (Index i = 0; i < shape[axis]; ++i) text += (i ? ", " : "") + print_part(values, shape, axis + 1, from + i * step, step, dtype);
  return text + "]";
}

}  // namespace

Tensor evaluate(std::string_view expression) {
  Parser parser(expression);
  const Value v = parser.expression();
  parser.end();
  check(v.kind == Value::Kind::kTensor, ErrorCode::kValue, "the example is no tensor: ", expression);
  return v.tensor;
}

std::string print(const Tensor& tensor) { return print_part(tensor.values(), tensor.shape(), 0, 0, tensor.element_count(), tensor.dtype()); }

}  // namespace gradbook::test
