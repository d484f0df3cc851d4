// Numbers as decimal text and back. Exact, and a tenth of what printf and strtod of the C library add to the compressed engine.
#pragma once

#include <string>
#include <string_view>

namespace gradbook {

/// At most so many significant digits, without zeros at the end: what %.*g of printf writes. Requires 1 <= digits.
std::string general_text(double number, int digits);

/// So many digits behind the point: what %.*f of printf writes.
std::string fixed_text(double number, int decimals);

/// The fewest digits (of 15 to 17) that read as the same number again. std::to_chars would find fewer still, with 100 KB of tables.
std::string shortest_number(double number);

/// Reads a number at the beginning of `text` into `value` and gives the characters that it takes, 0 when there is none. Exact for
/// numbers of up to 15 digits with powers of ten up to 22, which is what the tables of ops hold; else to a unit in the last place.
size_t read_number(std::string_view text, double& value);

}  // namespace gradbook
