// Which table an op stands in: the headings of the reference.
#pragma once

#include <string_view>

namespace gradbook {

/// In words: "elementwise", "linear algebra". Requires: a number below op_count().
std::string_view family_of(int number);

}  // namespace gradbook
