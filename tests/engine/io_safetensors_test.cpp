// Safetensors: what was written is read back, element types of other programs are converted, and no hostile file gets through.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <string>

#include "io/safetensors.h"

namespace gradbook {
namespace {

std::vector<uint8_t> file_of(const std::string& header, const std::vector<uint8_t>& data = {}) {
  std::vector<uint8_t> file(8);
  const uint64_t size = header.size();
  std::memcpy(file.data(), &size, 8);
  file.insert(file.end(), header.begin(), header.end());
  file.insert(file.end(), data.begin(), data.end());
  return file;
}
std::vector<uint8_t> zeros(size_t count) { return std::vector<uint8_t>(count); }

template <class T>
std::vector<uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::string message_of(const std::vector<uint8_t>& file) {
  try {
    read_safetensors(file);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string entry(const std::string& name, const std::string& dtype, const std::string& shape, const std::string& place) {
  return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + place + "}";
}

TEST(Safetensors, WhatWasWrittenIsReadBackWithEveryTypeShapeAndText) {
  const double infinity = std::numeric_limits<double>::infinity();
  Safetensors content;
  content.tensors = {{"a.weight", Tensor::from({2, 3}, {1, -2, 3.5, 0, infinity, 1e-40})},
                     {"flags", Tensor::from({3}, {1, 0, 1}, DType::kBool)},
                     {"ids", Tensor::from({2}, {-2147483648.0, 2147483647.0}, DType::kInt32)},
                     {"precise", Tensor::from({}, {0.1}, DType::kFloat64)},
                     {"pixels", Tensor::from({1, 2, 2}, {0, 255, 7, 8}, DType::kUint8)},
                     {"none", Tensor::zeros({0, 4})},
                     {"q\"uote\\ \n \xC3\xA9 \xF0\x9F\x98\x80", Tensor::from({1}, {4})}};
  content.metadata = {{"format", "gradbook"}, {"note", "line\nbreak \"x\""}};
  const std::vector<uint8_t> file = write_safetensors(content);
  const Safetensors back = read_safetensors(file);
  ASSERT_EQ(back.tensors.size(), content.tensors.size());
  EXPECT_EQ(back.metadata, content.metadata);
  for (const NamedTensor& expected : content.tensors) {
    const auto found = std::find_if(back.tensors.begin(), back.tensors.end(), [&](const NamedTensor& t) { return t.name == expected.name; });
    ASSERT_NE(found, back.tensors.end()) << expected.name;
    EXPECT_EQ(found->tensor.dtype(), expected.tensor.dtype()) << expected.name;
    EXPECT_TRUE(found->tensor.shape() == expected.tensor.shape()) << expected.name;
    EXPECT_EQ(found->tensor.values(), expected.tensor.values()) << expected.name;
  }
}

TEST(Safetensors, AViewIsWrittenRowByRowAndValuesAreAlignedBySize) {
  const Tensor base = Tensor::from({2, 2}, {1, 2, 3, 4});
  Safetensors content;
  content.tensors = {{"byte", Tensor::from({1}, {9}, DType::kUint8)}, {"t", base.view({2, 2}, {1, 2})}, {"d", Tensor::from({1}, {5}, DType::kFloat64)}};
  const std::vector<uint8_t> file = write_safetensors(content);
  uint64_t header_size;
  std::memcpy(&header_size, file.data(), 8);
  EXPECT_EQ(header_size % 8, 0u);
  const Safetensors back = read_safetensors(file);
  EXPECT_EQ(back.tensors[0].name, "d");
  EXPECT_EQ(back.tensors[1].tensor.values(), (std::vector<double>{1, 3, 2, 4}));
  EXPECT_EQ(back.tensors[2].name, "byte");
}

TEST(Safetensors, AnEmptyFileOfTensorsIsAFile) {
  EXPECT_TRUE(read_safetensors(write_safetensors({})).tensors.empty());
  EXPECT_TRUE(read_safetensors(file_of("{}   ")).tensors.empty());
}

TEST(Safetensors, NamesThatCannotBeReadBackAreNotWritten) {
  const Tensor x = Tensor::zeros({1});
  EXPECT_THROW(write_safetensors({.tensors = {{"a", x}, {"a", x}}, .metadata = {}}), Error);
  EXPECT_THROW(write_safetensors({.tensors = {{"__metadata__", x}}, .metadata = {}}), Error);
}

TEST(Safetensors, ElementTypesOfOtherProgramsAreConverted) {
  auto values = [](const std::string& dtype, const std::vector<uint8_t>& data, size_t size) {
    const std::string count = std::to_string(data.size() / size);
    const Safetensors content = read_safetensors(file_of("{" + entry("x", dtype, "[" + count + "]", "[0," + std::to_string(data.size()) + "]") + "}", data));
    return content.tensors[0].tensor;
  };
  const std::vector<uint16_t> halves = {0x0000, 0x8000, 0x3C00, 0xC000, 0x7BFF, 0x0001, 0x03FF, 0x0400, 0x7C00, 0xFC00, 0x3555};
  const Tensor half = values("F16", bytes_of(halves), 2);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(half.values(), (std::vector<double>{0, -0.0, 1, -2, 65504, 0x1p-24, 1023 * 0x1p-24, 0x1p-14, infinity, -infinity, 0.333251953125}));
  EXPECT_TRUE(std::signbit(half.values()[1]));
  EXPECT_TRUE(std::isnan(values("F16", bytes_of<uint16_t>({0x7E00}), 2).values()[0]));
  EXPECT_EQ(values("BF16", bytes_of<uint16_t>({0x3F80, 0xC049, 0x7F80}), 2).values(), (std::vector<double>{1, -3.140625, infinity}));
  EXPECT_EQ(values("I64", bytes_of<int64_t>({-5, 2147483647}), 8).values(), (std::vector<double>{-5, 2147483647}));
  EXPECT_EQ(values("U32", bytes_of<uint32_t>({7}), 4).dtype(), DType::kInt32);
  EXPECT_EQ(values("I16", bytes_of<int16_t>({-300}), 2).values(), (std::vector<double>{-300}));
  EXPECT_EQ(values("U16", bytes_of<uint16_t>({65535}), 2).values(), (std::vector<double>{65535}));
  EXPECT_EQ(values("I8", bytes_of<int8_t>({-128}), 1).values(), (std::vector<double>{-128}));
  EXPECT_EQ(values("BOOL", {0, 1, 2, 255}, 1).values(), (std::vector<double>{0, 1, 1, 1}));
  EXPECT_NE(message_of(file_of("{" + entry("x", "I64", "[1]", "[0,8]") + "}", bytes_of<int64_t>({2147483648})) ).find("2147483648, which does not fit int32"), std::string::npos);
  EXPECT_NE(message_of(file_of("{" + entry("x", "F8_E4M3", "[1]", "[0,1]") + "}", zeros(1))).find("not supported"), std::string::npos);
}

TEST(Safetensors, EveryHostileFileIsRefusedWithTheReason) {
  const std::string f32 = entry("a", "F32", "[2]", "[0,8]");
  struct Case {
    std::vector<uint8_t> file;
    const char* words;
  };
  std::vector<uint8_t> huge = file_of("{}");
  std::memset(huge.data(), 0xFF, 8);
  std::vector<uint8_t> long_header = file_of("{}");
  long_header[0] = 200;
  std::string nested(10000, '[');
  std::string many_axes = "[1";
  for (int i = 0; i < 20; ++i) many_axes += ",1";
  const Case cases[] = {
      {{}, "too short"},
      {{1, 0, 0}, "too short"},
      {huge, "claims 18446744073709551615 bytes"},
      {long_header, "claims 200 bytes"},
      {file_of(""), "does not begin with {"},
      {file_of(" {}"), "does not begin with {"},
      {file_of("[]"), "does not begin with {"},
      {file_of("{"), "expected '\"', but the text ends"},
      {file_of("{}x"), "after the end"},
      {file_of("{" + f32 + ",}", zeros(8)), "expected '\"'"},
      {file_of("{" + f32 + "}"), "the file has 0 bytes of data"},
      {file_of("{" + f32 + "}", zeros(7)), "the file has 7 bytes of data"},
      {file_of("{" + f32 + "}", zeros(9)), "bytes 8 to 9 of the data belong to no tensor"},
      {file_of("{}", zeros(4)), "bytes 0 to 4 of the data belong to no tensor"},
      {file_of("{" + entry("a", "F32", "[2]", "[0,4]") + "}", zeros(4)), "has 4 bytes, but shape [2] of F32 needs 8"},
      {file_of("{" + entry("a", "F32", "[2]", "[8,0]") + "}", zeros(8)), "lies at bytes 8 to 0"},
      {file_of("{" + entry("a", "F32", "[1]", "[0,4]") + "," + entry("b", "F32", "[1]", "[0,4]") + "}", zeros(4)), "overlap at byte 0"},
      {file_of("{" + entry("a", "F32", "[1]", "[0,4]") + "," + entry("b", "F32", "[1]", "[2,6]") + "}", zeros(6)), "overlap at byte 2"},
      {file_of("{" + entry("a", "F32", "[1]", "[0,4]") + "," + entry("b", "F32", "[1]", "[5,9]") + "}", zeros(9)), "bytes 4 to 5 of the data belong to no tensor"},
      {file_of("{" + f32 + "," + f32 + "}", zeros(8)), "the name \"a\" comes twice"},
      {file_of("{" + f32 + "," + entry("\\u0061", "F32", "[0]", "[8,8]") + "}", zeros(8)), "comes twice"},
      {file_of(R"({"__metadata__":{"a":"1","a":"2"}})"), "metadata has \"a\" twice"},
      {file_of(R"({"__metadata__":{},"__metadata__":{}})"), "comes twice"},
      {file_of(R"({"__metadata__":{"a":1}})"), "expected '\"'"},
      {file_of(R"({"a":{"dtype":"F32","shape":[0]}})"), "lacks one of dtype, shape, data_offsets"},
      {file_of(R"({"a":{}})"), "lacks one of"},
      {file_of(R"({"a":{"dtype":"F32","dtype":"F32","shape":[0],"data_offsets":[0,0]}})"), "has the field \"dtype\" twice"},
      {file_of(R"({"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0],"more":1}})"), "has the field \"more\""},
      {file_of(R"({"a":[]})"), "expected '{'"},
      {file_of("{\"a\":" + nested), "expected '{'"},
      {file_of("{" + entry("a", "F32", "[-1]", "[0,4]") + "}", zeros(4)), "not negative"},
      {file_of("{" + entry("a", "F32", "[1.5]", "[0,4]") + "}", zeros(4)), "not whole"},
      {file_of("{" + entry("a", "F32", "[1e3]", "[0,4]") + "}", zeros(4)), "not whole"},
      {file_of("{" + entry("a", "F32", "[01]", "[0,4]") + "}", zeros(4)), "begins with 0"},
      {file_of("{" + entry("a", "F32", "[99999999999999999999]", "[0,4]") + "}", zeros(4)), "too large"},
      {file_of("{" + entry("a", "F32", "[18446744073709551615]", "[0,4]") + "}", zeros(4)), "too large"},
      {file_of("{" + entry("a", "F32", "[2147483647,2147483647]", "[0,4]") + "}", zeros(4)), "too many elements"},
      {file_of("{" + entry("a", "F32", "[65536,65536,65536,65536]", "[0,0]") + "}"), "too many elements"},
      {file_of("{" + entry("a", "F32", many_axes + "]", "[0,4]") + "}", zeros(4)), "at most 8 axes"},
      {file_of("{" + entry("a", "F32", "[1]", "[0,18446744073709551615]") + "}", zeros(4)), "lies at bytes 0 to 18446744073709551615"},
      {file_of("{" + entry("a\xFF", "F32", "[0]", "[0,0]") + "}"), "not UTF-8"},
      {file_of("{" + entry("a\xED\xA0\x80", "F32", "[0]", "[0,0]") + "}"), "not UTF-8"},
      {file_of("{" + entry("a\xC0\x80", "F32", "[0]", "[0,0]") + "}"), "not UTF-8"},
      {file_of("{" + entry("\\ud800", "F32", "[0]", "[0,0]") + "}"), "surrogate"},
      {file_of("{" + entry("\\ud800\\u0041", "F32", "[0]", "[0,0]") + "}"), "surrogate"},
      {file_of("{" + entry("\\q", "F32", "[0]", "[0,0]") + "}"), "unknown escape"},
      {file_of("{" + entry("\\u00g0", "F32", "[0]", "[0,0]") + "}"), "hexadecimal"},
      {file_of("{" + entry("a\nb", "F32", "[0]", "[0,0]") + "}"), "control character"},
      {file_of("{\"a"), "does not end"},
      {file_of("{\"a\\"), "does not end"},
      {file_of(std::string("{\0}", 3)), "expected '\"'"},
  };
  for (const Case& c : cases) {
    const std::string message = message_of(c.file);
    EXPECT_EQ(message.rfind("safetensors: ", 0), 0u) << message << " instead of: " << c.words;
    EXPECT_NE(message.find(c.words), std::string::npos) << message << "\n instead of: " << c.words;
  }
}

TEST(Safetensors, EmptyTensorsMayStandAnywhereButNotInsideAnother) {
  EXPECT_EQ(message_of(file_of("{" + entry("a", "F32", "[1]", "[0,4]") + "," + entry("b", "F32", "[0]", "[4,4]") + "," + entry("c", "F32", "[0,3]", "[0,0]") + "}", zeros(4))), "no error");
  EXPECT_NE(message_of(file_of("{" + entry("a", "F32", "[1]", "[0,4]") + "," + entry("b", "F32", "[0]", "[2,2]") + "}", zeros(4))), "no error");
}

TEST(Safetensors, ChangedBytesNeverCrashTheReader) {
  Safetensors content;
  content.tensors = {{"layer.0.weight", Tensor::from({2, 2}, {1, 2, 3, 4})}, {"\xC3\xA9", Tensor::from({3}, {1, 0, 1}, DType::kBool)}, {"ids", Tensor::from({2}, {5, 6}, DType::kInt32)}};
  content.metadata = {{"format", "pt"}};
  const std::vector<uint8_t> good = write_safetensors(content);
  std::mt19937 random(11);
  int accepted = 0;
  for (int round = 0; round < 4000; ++round) {
    std::vector<uint8_t> file = good;
    const int changes = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < changes && !file.empty(); ++i) {
      const size_t at = random() % file.size();
      switch (random() % 4) {
        case 0: file[at] = static_cast<uint8_t>(random()); break;
        case 1: file[at] = static_cast<uint8_t>("0123456789[]{},:\"\\u"[random() % 19]); break;
        case 2: file.erase(file.begin() + static_cast<long>(at)); break;
        default: file.insert(file.begin() + static_cast<long>(at), file[random() % file.size()]); break;
      }
    }
    try {
      read_safetensors(file);
      ++accepted;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(accepted, 0) << "changes of values alone are valid files";
  EXPECT_LT(accepted, 4000);
}

}  // namespace
}  // namespace gradbook
