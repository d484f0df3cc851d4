// Messages put together from pieces.
#include "base/message.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

#include "tensor/shape.h"

namespace gradbook {
namespace {

TEST(Message, JoinsWordsWholeNumbersFractionsLettersAndObjects) {
  const std::string name = "weights";
  EXPECT_EQ(message_of({"`", name, "` has ", 3, " axes, ", int64_t{-5000000000}, ' ', 0.25, " of ", Shape{2, 3}}), "`weights` has 3 axes, -5000000000 0.25 of [2, 3]");
}

int times_written = 0;
struct Counted {};
std::string to_string(const Counted&) {
  ++times_written;
  return "counted";
}

TEST(Message, PutsObjectsIntoWordsOnlyWhenACheckFails) {
  times_written = 0;
  check(true, ErrorCode::kValue, Counted());
  EXPECT_EQ(times_written, 0);
  EXPECT_THROW(check(false, ErrorCode::kValue, Counted()), Error);
  EXPECT_EQ(times_written, 1);
}

TEST(Message, WritesNumbersWithTheFewestDigitsThatReadAsTheSameNumber) {
  struct Case {
    double number;
    const char* text;
  };
  for (const Case& c : {Case{0.1, "0.1"}, {1, "1"}, {-2.5, "-2.5"}, {1e-5, "1e-05"}, {1.0 / 3, "0.3333333333333333"}, {0, "0"}, {123456789, "123456789"}}) EXPECT_EQ(shortest_number(c.number), c.text);
  for (double number : {0.1 + 0.2, 1.7976931348623157e308, std::numeric_limits<double>::denorm_min(), 2.0 / 3}) EXPECT_EQ(std::strtod(shortest_number(number).c_str(), nullptr), number);
}

}  // namespace
}  // namespace gradbook
