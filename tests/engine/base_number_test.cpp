// Numbers as decimal text and back, against printf and strtod.
#include "base/number.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

namespace gradbook {
namespace {

using Limits = std::numeric_limits<double>;

// Ends of ranges, ties, carries through nines, and random bits: of all magnitudes, and short decimals.
std::vector<double> numbers() {
  std::vector<double> list = {0,        -0.0,    1,      -2.5,   0.5,   1.5,     2.5,       0.125,        0.375,           1e-5,         1e-4,          0.00012345, 99999.95,        999999.5, 9999995, 1e15,
                              1e16,     1e17,    1e21,   1e22,   1e23,  1e-22,   1e100,     1e-300,       123456789,       1048576.0 * 3, 0.1,          0.1 + 0.2,  1.0 / 3,         2.0 / 3,  9.5,     0.05,
                              0.95,     0.049,   1e-7,   4096,   0.25,  Limits::max(), Limits::min(), Limits::denorm_min(), 2.2250738585072009e-308, INFINITY, -INFINITY, NAN,        9007199254740993.0};
  for (int power = -60; power < 60; ++power) list.push_back(std::ldexp(1.0, power));
  uint64_t state = 7;
  const auto next = [&] { return state = state * 6364136223846793005u + 1442695040888963407u; };
  for (int i = 0; i < 3000; ++i) {
    list.push_back(std::bit_cast<double>(next() ^ next() >> 29));
    list.push_back(static_cast<double>(static_cast<int64_t>(next() >> 40)) / std::pow(10, i % 12));
  }
  return list;
}

std::string printed(const char* format, int digits, double number) {
  char text[400];
  std::snprintf(text, sizeof text, format, digits, number);
  return text;
}

// The sign of NaN has no meaning, and C libraries write it or not.
bool is_nan_text(const std::string& text) { return text == "nan" || text == "-nan"; }

TEST(Number, IsWrittenAsPrintfWritesIt) {
  for (double number : numbers()) {
    if (std::isnan(number)) {
      EXPECT_TRUE(is_nan_text(general_text(number, 6)) && is_nan_text(fixed_text(number, 1)) && is_nan_text(shortest_number(number)));
      continue;
    }
    for (int digits : {1, 6, 15, 17}) ASSERT_EQ(general_text(number, digits), printed("%.*g", digits, number)) << digits << " digits";
    for (int decimals : {0, 1, 2, 8}) ASSERT_EQ(fixed_text(number, decimals), printed("%.*f", decimals, number)) << decimals << " decimals";
  }
}

TEST(Number, HasTheFewestDigitsThatReadAsTheSameNumber) {
  struct Case {
    double number;
    const char* text;
  };
  for (const Case& c : {Case{0.1, "0.1"}, {1, "1"}, {-2.5, "-2.5"}, {1e-5, "1e-05"}, {1.0 / 3, "0.3333333333333333"}, {0, "0"}, {123456789, "123456789"}}) EXPECT_EQ(shortest_number(c.number), c.text);
  for (double number : numbers()) {
    if (std::isnan(number)) continue;
    int digits = 15;
    while (digits < 17 && std::strtod(printed("%.*g", digits, number).c_str(), nullptr) != number) ++digits;
    ASSERT_EQ(shortest_number(number), printed("%.*g", digits, number));
  }
}

TEST(Number, IsReadAsStrtodReadsIt) {
  for (const char* text : {"0", "1", "-1", "+7", "0.5", ".5", "5.", "-0.1", "1e-5", "1E5", "2.5e+3", "123456789012345", "0.1234567", "9.99e22", "1e", "1e+", "3e-x", "1.5,2", "-", ".", "", "x", "e5", "1e-22", "-2.50"}) {
    char* end = nullptr;
    const double wanted = std::strtod(text, &end);
    double value = 0;
    EXPECT_EQ(read_number(text, value), static_cast<size_t>(end - text)) << text;
    EXPECT_EQ(value, wanted) << text;
  }
}

}  // namespace
}  // namespace gradbook
