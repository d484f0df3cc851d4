// The description of the tables: JSON that parses and is complete, typings with every public op, the rule of a call.
#include <gtest/gtest.h>

#include <charconv>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "bind/describe.h"
#include "ops/registry.h"
#include "ops/words.h"
#include "train/initializers.h"
#include "train/optimizers.h"

namespace gradbook {
namespace {

// -- a strict reader of JSON -----------------------------------------------------------------------------------------

struct Json {
  char kind = '?';  // { [ " 0 t (true or false)
  std::map<std::string, Json> members;
  std::vector<Json> items;
  std::string text;
  double number = 0;
  bool truth = false;

  const Json& operator[](const std::string& key) const {
    static const Json none;
    const auto found = members.find(key);
    return found == members.end() ? none : found->second;
  }
  bool has(const std::string& key) const { return members.contains(key); }
};

class Reader {
 public:
  explicit Reader(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}
  Json read_all() {
    Json value = read();
    if (at_ != end_) stop("text after the end");
    return value;
  }

 private:
  [[noreturn]] void stop(const char* why) { throw std::runtime_error(std::string("JSON: ") + why + " before: " + std::string(at_, std::min<size_t>(40, static_cast<size_t>(end_ - at_)))); }
  char peek() { return at_ < end_ ? *at_ : '\0'; }
  void take(char c) {
    if (peek() != c) stop("unexpected character");
    ++at_;
  }
  bool maybe(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void word(std::string_view w) {
    for (char c : w) take(c);
  }
  std::string string() {
    std::string text;
    take('"');
    while (peek() != '"') {
      if (static_cast<unsigned char>(peek()) < 32) stop("bare control character");
      if (maybe('\\')) {
        const char c = peek();
        if (c != '"' && c != '\\' && c != 'n') stop("unknown escape");
        text += c == 'n' ? '\n' : c;
        ++at_;
      } else {
        text += *at_++;
      }
    }
    ++at_;
    return text;
  }
  Json read() {
    Json value;
    value.kind = peek();
    if (peek() == '{') {
      ++at_;
      if (maybe('}')) return value;
      do {
        std::string key = string();
        take(':');
        if (!value.members.emplace(key, read()).second) stop("key twice");
      } while (maybe(','));
      take('}');
    } else if (peek() == '[') {
      ++at_;
      if (maybe(']')) return value;
      do {
        // Lists from rows are written as in TypeScript, with a space after the comma.
        while (maybe(' ')) {
        }
        value.items.push_back(read());
      } while (maybe(','));
      take(']');
    } else if (peek() == '"') {
      value.text = string();
    } else if (peek() == 't' || peek() == 'f') {
      value.truth = peek() == 't';
      value.kind = 't';
      word(value.truth ? "true" : "false");
    } else {
      value.kind = '0';
      const auto [next, error] = std::from_chars(at_, end_, value.number);
      if (error == std::errc::invalid_argument) stop("no value");
      at_ = next;
    }
    return value;
  }
  const char *at_, *end_;
};

Json description() {
  register_ops();
  return Reader(describe_json()).read_all();
}

void expect_params(const Json& params, const Params& row, std::string_view owner) {
  ASSERT_EQ(static_cast<int>(params.items.size()), row.count) << owner;
  for (int i = 0; i < row.count; ++i) {
    const Param& p = row.items[static_cast<size_t>(i)];
    const Json& json = params.items[static_cast<size_t>(i)];
    EXPECT_EQ(json["name"].text, p.name) << owner;
    EXPECT_EQ(json["list"].truth, p.kind == Kind::kTensors) << owner;
    EXPECT_EQ(json["optional"].truth, p.fallback != Fallback::kRequired) << owner;
    EXPECT_EQ(json.has("default"), p.fallback == Fallback::kValue) << owner << " " << p.name;
    static const std::map<std::string, char> defaults = {{"integer", '0'}, {"number", '0'}, {"boolean", 't'}, {"integers", '['}, {"numbers", '['}, {"dtype", '"'}, {"text", '"'}, {"tensor", '?'}};
    ASSERT_TRUE(defaults.contains(json["kind"].text)) << owner << " " << json["kind"].text;
    if (json.has("default")) {
      EXPECT_EQ(json["default"].kind, defaults.at(json["kind"].text)) << owner << " " << p.name;
    }
  }
}

// -- tests -----------------------------------------------------------------------------------------------------------

TEST(Describe, JsonHasEveryOpAtItsNumber) {
  const Json json = description();
  const std::vector<Json>& ops = json["ops"].items;
  ASSERT_EQ(static_cast<int>(ops.size()), op_count());
  for (int i = 0; i < op_count(); ++i) {
    const Op& op = op_at(i);
    const Json& row = ops[static_cast<size_t>(i)];
    EXPECT_EQ(row["name"].text, op.name);
    EXPECT_EQ(row["internal"].truth, op.internal);
    EXPECT_EQ(row["random"].truth, op.random);
    EXPECT_EQ(row["kind"].text, op.compose ? "composite" : op.view ? "view" : "primitive");
    expect_params(row["params"], op.params, op.name);
  }
}

TEST(Describe, WordsAreThoseOfTheRows) {
  const Json json = Reader(describe_words()).read_all();
  for (int i = 0; i < op_count(); ++i) {
    const OpWords& words = words_of(op_at(i));
    const Json& row = json[std::string(op_at(i).name)];
    EXPECT_EQ(row["summary"].text, words.summary);
    EXPECT_EQ(row["example"].text, words.example);
    EXPECT_EQ(row["gives"].text, words.gives);
    EXPECT_EQ(row["formula"].text, words.formula);
  }
  EXPECT_EQ(words_of(find_op("relu")).example, "tensor([-1, 2]).relu()");
}

TEST(Describe, JsonHasEveryOptimizerWithTheFlatPlaceOfEachSetting) {
  const Json json = description();
  ASSERT_EQ(json["optimizers"].items.size(), optimizer_table().size());
  for (size_t i = 0; i < optimizer_table().size(); ++i) {
    const OptimizerRow& row = optimizer_table()[i];
    const Json& optimizer = json["optimizers"].items[i];
    EXPECT_EQ(optimizer["name"].text, row.name);
    EXPECT_FALSE(optimizer["summary"].text.empty());
    ASSERT_EQ(static_cast<int>(optimizer["slots"].items.size()), row.slots.count);
    const std::vector<double> defaults = default_settings(row);
    size_t places = 0;
    for (const Json& p : optimizer["params"].items) {
      EXPECT_EQ(static_cast<size_t>(p["at"].number), places) << row.name;
      std::vector<double> values;
      if (p["kind"].text == "numbers")
        for (const Json& item : p["default"].items) values.push_back(item.number);
      else
        values.push_back(p["kind"].text == "boolean" ? (p["default"].truth ? 1 : 0) : p["default"].number);
      for (double v : values) EXPECT_EQ(v, defaults.at(places++)) << row.name << " " << p["name"].text;
    }
    EXPECT_EQ(places, defaults.size());
  }
}

TEST(Describe, JsonHasEveryInitializerAndWhatTheBuildIs) {
  const Json json = description();
  ASSERT_EQ(json["initializers"].items.size(), initializer_table().size());
  std::set<std::string> names;
  for (size_t i = 0; i < initializer_table().size(); ++i) {
    const InitializerRow& row = initializer_table()[i];
    EXPECT_EQ(json["initializers"].items[i]["name"].text, row.name);
    EXPECT_TRUE(names.insert(std::string(row.name)).second) << "twice: " << row.name;
    expect_params(json["initializers"].items[i]["params"], row.params, row.name);
  }
  EXPECT_EQ(json["dtypes"].items.size(), static_cast<size_t>(kDTypeCount));
  EXPECT_FALSE(json["flavour"].text.empty());
  EXPECT_FALSE(json["simd"].text.empty());
  EXPECT_EQ(json["threads"].kind, 't');
}

TEST(Describe, TheFormOfACallFollowsFromItsParameters) {
  auto form = [](const Params& params) {
    const CallForm f = call_form(op_of({.name = "x", .params = params}));
    return std::string(f.method ? "method" : "function") + (f.spread ? " spread" : "");
  };
  EXPECT_EQ(form({tensor("x")}), "method");
  EXPECT_EQ(form({tensor("x"), integers("shape")}), "method spread");
  EXPECT_EQ(form({tensor("x"), optional_integers("axes")}), "method spread");
  EXPECT_EQ(form({tensor("x"), integers("axes"), boolean("keepDims", false)}), "method");
  EXPECT_EQ(form({tensor("x"), numbers("values")}), "method");
  EXPECT_EQ(form({tensors("tensors"), integer("axis", 0)}), "function");
  EXPECT_EQ(form({optional_tensor("x")}), "function");
  EXPECT_EQ(form({integers("shape")}), "function spread");
}

std::string between(const std::string& text, std::string_view from, std::string_view to) {
  const size_t first = text.find(from);
  return first == std::string::npos ? "" : text.substr(first, text.find(to, first) - first);
}

TEST(Describe, TypingsDeclareEveryPublicOpAndNoInternalOne) {
  register_ops();
  const Generator before = default_generator();
  const std::string text = describe_typings();
  EXPECT_EQ(default_generator().position, before.position) << "trying ops out must not move the random stream";
  const std::string methods = between(text, "interface TensorOps", "\n}"), functions = between(text, "interface Ops", "\n}");
  for (int i = 0; i < op_count(); ++i) {
    const Op& op = op_at(i);
    const std::string start = "\n  " + std::string(op.name) + "(";
    EXPECT_EQ(functions.find(start) != std::string::npos, !op.internal) << op.name;
    EXPECT_EQ(methods.find(start) != std::string::npos, !op.internal && call_form(op).method) << op.name;
  }
  for (const OptimizerRow& row : optimizer_table()) EXPECT_NE(text.find("\n  " + std::string(row.name) + "(trainable: Trainable, settings?: {"), std::string::npos) << row.name;
  for (const InitializerRow& row : initializer_table()) EXPECT_NE(text.find("\n  " + std::string(row.name) + ": "), std::string::npos) << row.name;
}

TEST(Describe, TypingsSayWhereANumberMayStandForATensor) {
  register_ops();
  const std::string text = describe_typings();
  EXPECT_NE(text.find("  add(y: Tensor | number): Tensor;"), std::string::npos);
  EXPECT_NE(text.find("  matmul(y: Tensor): Tensor;"), std::string::npos);
  EXPECT_NE(text.find("  exp(x: Tensor): Tensor;"), std::string::npos);
}

TEST(Describe, TypingsHaveOneOverloadPerFormOfACall) {
  register_ops();
  const std::string methods = between(describe_typings(), "interface TensorOps", "\n}");
  EXPECT_NE(methods.find("  sum(axes?: number | readonly number[], keepDims?: boolean): Tensor;"), std::string::npos);
  EXPECT_NE(methods.find("  sum(options: { axes?: number | readonly number[]; keepDims?: boolean }): Tensor;"), std::string::npos);
  EXPECT_NE(methods.find("  sum(axes: number | readonly number[], options: { keepDims?: boolean }): Tensor;"), std::string::npos);
  EXPECT_NE(methods.find("  reshape(...shape: number[]): Tensor;"), std::string::npos);
}

TEST(Describe, TheReferenceHasAHeadingPerPublicOp) {
  register_ops();
  const std::string text = describe_reference();
  for (int i = 0; i < op_count(); ++i) EXPECT_EQ(text.find("\n## " + std::string(op_at(i).name) + "\n") != std::string::npos, !op_at(i).internal) << op_at(i).name;
}

}  // namespace
}  // namespace gradbook
