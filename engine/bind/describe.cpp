#include "bind/describe.h"

#include <cmath>

#include "base/number.h"
#include "ops/families.h"
#include "ops/registry.h"
#include "ops/words.h"
#include "train/initializers.h"
#include "train/optimizers.h"

#ifndef GRADBOOK_THREADS
#define GRADBOOK_THREADS 0
#endif

namespace gradbook {
namespace {

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::kTensor:
    case Kind::kTensors: return "tensor";
    case Kind::kInteger: return "integer";
    case Kind::kNumber: return "number";
    case Kind::kBoolean: return "boolean";
    case Kind::kIntegers: return "integers";
    case Kind::kNumbers: return "numbers";
    case Kind::kDType: return "dtype";
    case Kind::kText: return "text";
  }
  return "";
}

// Writes objects and lists; commas are put where they are needed.
class JsonWriter {
 public:
  JsonWriter& open(char bracket) {
    separate();
    text_ += bracket;
    fresh_ = true;
    return *this;
  }
  JsonWriter& close(char bracket) {
    text_ += bracket;
    fresh_ = false;
    return *this;
  }
  JsonWriter& key(std::string_view name) {
    string(name);
    text_ += ':';
    fresh_ = true;
    return *this;
  }
  void string(std::string_view value) {
    separate();
    text_ += '"';
    for (char c : value) {
      if (c == '"' || c == '\\')
        (text_ += '\\') += c;
      else if (c == '\n')
        text_ += "\\n";
      else
        text_ += c;
    }
    text_ += '"';
  }
  void number(double value) {
    separate();
    // JSON has no infinity; 1e999 reads as one in JavaScript.
    if (std::isinf(value)) {
      text_ += value < 0 ? "-1e999" : "1e999";
      return;
    }
    text_ += shortest_number(value);
  }
  void boolean(bool value) { raw(value ? "true" : "false"); }
  void raw(std::string_view json) {
    separate();
    text_ += json;
  }
  std::string take() { return std::move(text_); }

 private:
  void separate() {
    if (!fresh_) text_ += ',';
    fresh_ = false;
  }
  std::string text_;
  bool fresh_ = true;
};

void write_default(JsonWriter& json, const Param& p) {
  json.key("default");
  if (p.kind == Kind::kBoolean)
    json.boolean(p.value != 0);
  else if (p.kind == Kind::kDType)
    json.string(kDTypes[static_cast<int>(p.value)].name);
  else if (p.kind == Kind::kText)
    json.string(p.list_value.substr(1, p.list_value.size() - 2));
  else if (!p.list_value.empty())
    json.raw(p.list_value);
  else
    json.number(p.value);
}

void write_params(JsonWriter& json, const Params& params) {
  json.key("params").open('[');
  for (const Param& p : params) {
    json.open('{').key("name").string(p.name);
    json.key("kind").string(kind_name(p.kind));
    if (p.kind == Kind::kTensors) json.key("list").boolean(true);
    if (p.fallback != Fallback::kRequired) json.key("optional").boolean(true);
    if (p.fallback == Fallback::kValue) write_default(json, p);
    json.close('}');
  }
  json.close(']');
}

void write_op(JsonWriter& json, int number) {
  const Op& op = op_at(number);
  const CallForm form = call_form(op);
  json.open('{').key("name").string(op.name);
  json.key("family").string(family_of(number));
  json.key("kind").string(op.compose ? "composite" : op.view ? "view" : "primitive");
  json.key("differentiable").boolean(op.compose || op.gradient);
  if (op.internal) json.key("internal").boolean(true);
  if (op.random) json.key("random").boolean(true);
  json.key("method").boolean(form.method);
  json.key("spread").boolean(form.spread);
  write_params(json, op.params);
  json.close('}');
}

void write_setting(JsonWriter& json, const Setting& setting, int at) {
  json.open('{').key("name").string(setting.name);
  json.key("kind").string(kind_name(setting.kind));
  json.key("default");
  if (setting.kind == Kind::kBoolean) {
    json.boolean(setting.value[0] != 0);
  } else if (setting.kind == Kind::kNumbers) {
    json.open('[');
    for (int i = 0; i < setting.count; ++i) json.number(setting.value[static_cast<size_t>(i)]);
    json.close(']');
  } else {
    json.number(setting.value[0]);
  }
  json.key("at").number(at);
  json.close('}');
}

void write_optimizer(JsonWriter& json, const OptimizerRow& row) {
  json.open('{').key("name").string(row.name);
  json.key("summary").string(row.summary);
  json.key("params").open('[');
  int at = 0;
  for (const Setting& setting : row.settings) {
    write_setting(json, setting, at);
    at += setting.count;
  }
  json.close(']').key("slots").open('[');
  for (const Slot& slot : row.slots) json.string(slot.name);
  json.close(']').close('}');
}

}  // namespace

CallForm call_form(const Op& op) {
  CallForm form;
  if (op.params.count == 0) return form;
  const Param& first = *op.params.begin();
  form.method = first.kind == Kind::kTensor && first.fallback == Fallback::kRequired;
  int attributes = 0, lists = 0;
  for (const Param& p : op.params) {
    attributes += !p.is_tensor();
    lists += p.kind == Kind::kIntegers;
  }
  form.spread = attributes == 1 && lists == 1;
  return form;
}

const char* engine_simd() {
#if defined(__wasm_relaxed_simd__)
  return "relaxed";
#elif defined(__wasm_simd128__)
  return "simd";
#else
  return "native";
#endif
}

bool engine_has_threads() { return GRADBOOK_THREADS != 0; }

const char* engine_flavour() {
#if defined(__wasm_relaxed_simd__)
  return engine_has_threads() ? "relaxed-threads" : "relaxed";
#elif defined(__wasm_simd128__)
  return engine_has_threads() ? "simd-threads" : "simd";
#else
  return "native";
#endif
}

std::string describe_json() {
  JsonWriter json;
  json.open('{').key("version").number(1);
  json.key("dtypes").open('[');
  for (const DTypeInfo& dtype : kDTypes) json.string(dtype.name);
  json.close(']').key("ops").open('[');
  for (int i = 0; i < op_count(); ++i) write_op(json, i);
  json.close(']').key("optimizers").open('[');
  for (const OptimizerRow& row : optimizer_table()) write_optimizer(json, row);
  json.close(']').key("initializers").open('[');
  for (const InitializerRow& row : initializer_table()) {
    json.open('{').key("name").string(row.name);
    json.key("summary").string(row.summary);
    write_params(json, row.params);
    json.close('}');
  }
  json.close(']').key("flavour").string(engine_flavour());
  json.key("simd").string(engine_simd());
  json.key("threads").boolean(engine_has_threads());
  json.close('}');
  return json.take();
}

std::string describe_words() {
  JsonWriter json;
  json.open('{');
  for (int i = 0; i < op_count(); ++i) {
    const OpWords& words = words_of(op_at(i));
    json.key(op_at(i).name).open('{').key("summary").string(words.summary);
    json.key("example").string(words.example);
    json.key("gives").string(words.gives);
    if (!words.formula.empty()) json.key("formula").string(words.formula);
    json.close('}');
  }
  return json.close('}').take();
}

}  // namespace gradbook
