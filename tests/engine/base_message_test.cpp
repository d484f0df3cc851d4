// Messages put together from pieces.
#include "base/message.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace gradbook
