#include "op_arguments.h"

#include <algorithm>
#include <numeric>

#include "ops/words.h"

namespace gradbook::test {

uint64_t Draw::bits() {
  // SplitMix64 (Steele, Lea, Flood 2014).
  uint64_t z = state_ += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

namespace {

std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" ");
  return first == std::string_view::npos ? std::string() : std::string(text.substr(first, text.find_last_not_of(" ") - first + 1));
}

std::vector<double> parse_numbers(const std::string& text) {
  std::vector<double> list;
  for (const char* at = text.c_str(); *at;) {
    char* end = nullptr;
    const double value = std::strtod(at, &end);
    if (end == at) {
      ++at;
    } else {
      list.push_back(value);
      at = end;
    }
  }
  return list;
}

Attribute parse_attribute(const Param& p, const std::string& text) {
  if (text == "undefined" || text.empty()) return Attribute::absent();
  if (text == "true" || text == "false") return Attribute(text == "true");
  if (text.front() == '\'') {
    const std::string word = text.substr(1, text.size() - 2);
    if (p.kind != Kind::kDType) return Attribute::text(word);
    for (int code = 0; code < kDTypeCount; ++code)
      if (word == kDTypes[code].name) return Attribute(code);
    fail(ErrorCode::kValue, "no dtype ", word);
  }
  if (p.kind == Kind::kIntegers || p.kind == Kind::kNumbers) return Attribute(parse_numbers(text));
  return Attribute(std::strtod(text.c_str(), nullptr));
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t at = 0;;) {
    const size_t end = text.find(separator, at);
    parts.push_back(trimmed(text.substr(at, end == std::string_view::npos ? end : end - at)));
    if (end == std::string_view::npos) return parts;
    at = end + 1;
  }
}

Shape parse_shape(std::string_view text) {
  Shape shape;
  if (trimmed(text).empty()) return shape;
  for (const std::string& size : split(text, 'x')) shape.push_back(std::stoll(size));
  return shape;
}

Attributes parse_attributes(const Op& op, std::string_view text) {
  Attributes attributes;
  if (trimmed(text).empty()) return attributes;
  std::vector<Param> params;
  for (const Param& p : op.params)
    if (!p.is_tensor()) params.push_back(p);
  for (const std::string& part : split(text, ';')) attributes.push_back(parse_attribute(params.at(attributes.size()), part));
  return attributes;
}

std::vector<Sample> samples_of(const Op& op) {
  const Samples& written = trials_of(op).samples;
  std::vector<Sample> samples(written.begin(), written.end());
  if (!samples.empty()) return samples;
  int tensors = 0;
  for (const Param& p : op.params) tensors += p.is_tensor() && p.fallback == Fallback::kRequired;
  static const std::string_view shapes[] = {"", "2x3", "2x3,2x3", "2x3,2x3,2x3"};
  return {Sample{shapes[tensors]}};
}

Arguments arguments_of(const Op& op, const Sample& sample, DType dtype, uint64_t seed) {
  Arguments arguments;
  Draw draw(seed);
  std::vector<Shape> shapes;
  std::vector<bool> present;
  bool takes_tensors = false;
  for (const Param& p : op.params) takes_tensors = takes_tensors || p.is_tensor();
  if (takes_tensors)
    for (const std::string& text : split(sample.shapes, ',')) {
      present.push_back(text != "-");
      shapes.push_back(text == "-" ? Shape{} : parse_shape(text));
    }
  std::vector<Index> whole(shapes.size(), 0);  // exclusive limit of whole-number inputs
  for (const std::string& entry : split(sample.integer_inputs, ' '))
    if (!entry.empty()) whole.at(std::stoul(entry)) = std::stoll(entry.substr(entry.find(':') + 1));

  // All floating values of the call are places on one grid, in random order, each moved a little inside its cell.
  Index total = 0;
  for (size_t i = 0; i < shapes.size(); ++i) total += present[i] && !whole[i] ? element_count(shapes[i]) : 0;
  std::vector<Index> place(static_cast<size_t>(total));
  std::iota(place.begin(), place.end(), 0);
  for (size_t i = place.size(); i > 1; --i) std::swap(place[i - 1], place[static_cast<size_t>(draw.whole(static_cast<Index>(i)))]);
  size_t next = 0;
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!present[i]) {
      arguments.inputs.emplace_back();
      continue;
    }
    std::vector<double> values(static_cast<size_t>(element_count(shapes[i])));
    for (double& v : values) {
      if (whole[i]) {
        v = static_cast<double>(draw.whole(whole[i]));
        continue;
      }
      const double cell = (static_cast<double>(place[next++]) + draw.uniform(0.2, 0.8)) / static_cast<double>(total);
      v = sample.lowest + cell * (sample.highest - sample.lowest);
      if (sample.lowest < 0 && sample.highest > 0) v += v < 0 ? -0.05 : 0.05;
    }
    if (i == 0 && sample.diagonal != 0) {
      const Index n = shapes[i].back();
      for (size_t k = 0; k < values.size(); ++k)
        if (static_cast<Index>(k) % n == static_cast<Index>(k) / n % n) values[k] += sample.diagonal;
    }
    arguments.inputs.push_back(Tensor::from(shapes[i], values, whole[i] ? DType::kInt32 : dtype));
  }
  arguments.attributes = parse_attributes(op, sample.attributes);
  return arguments;
}

Tensor random_tensor(const Shape& shape, Draw& draw, DType dtype, double low, double high) {
  std::vector<double> values(static_cast<size_t>(element_count(shape)));
  for (double& v : values) v = draw.uniform(low, high);
  return Tensor::from(shape, values, dtype);
}

std::string describe(const Op& op, const Sample& sample) {
  std::string text(op.name);
  return text + "(" + std::string(sample.shapes) + (sample.attributes.empty() ? "" : "; ") + std::string(sample.attributes) + ")";
}

}  // namespace gradbook::test
