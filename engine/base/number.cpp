#include "base/number.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace gradbook {
namespace {

/// 0.d1d2d3... * 10^point; the first digit and the last are not 0, and 0 has no digits.
struct Decimal {
  std::string digits;
  int point = 0;

  bool operator<(const Decimal& other) const { return point != other.point ? point < other.point : digits < other.digits; }
};

void strip(std::string& digits) { digits.erase(digits.find_last_not_of('0') + 1); }

// m * 2^e with all its digits: m * 5^-e is a whole number, and 2^e = 5^-e * 10^e.
Decimal decimal_of(uint64_t m, int e) {
  constexpr uint32_t kBase = 1'000'000'000;
  std::vector<uint32_t> words;  // nine digits each, the last ones first
  for (; m; m /= kBase) words.push_back(static_cast<uint32_t>(m % kBase));
  const uint32_t factor = e < 0 ? 5 : 2;
  for (int left = std::abs(e); left > 0;) {
    uint32_t power = 1;
    for (; left > 0 && power < (1u << 28) / 5; --left) power *= factor;
    uint64_t carry = 0;
    for (uint32_t& word : words) {
      carry += static_cast<uint64_t>(word) * power;
      word = static_cast<uint32_t>(carry % kBase);
      carry /= kBase;
    }
    if (carry) words.push_back(static_cast<uint32_t>(carry));
  }
  Decimal d;
  for (uint32_t word : words)
    for (int i = 0; i < 9; ++i, word /= 10) d.digits += static_cast<char>('0' + word % 10);
  strip(d.digits);
  std::reverse(d.digits.begin(), d.digits.end());
  d.point = static_cast<int>(d.digits.size()) + std::min(e, 0);
  strip(d.digits);
  return d;
}

// To so many digits, halves to even.
Decimal rounded(Decimal d, int keep) {
  const int size = static_cast<int>(d.digits.size());
  if (keep >= size) return d;
  if (keep < 0) return {};
  const auto end = static_cast<size_t>(keep);
  const int order = d.digits.compare(end, std::string::npos, "5");
  bool up = order > 0 || (order == 0 && keep > 0 && (d.digits[end - 1] - '0') % 2 == 1);
  d.digits.resize(end);
  for (size_t i = end; up && i > 0;) {
    up = d.digits[--i] == '9';
    d.digits[i] = up ? '0' : static_cast<char>(d.digits[i] + 1);
  }
  if (up) {
    d.digits.insert(0, 1, '1');
    ++d.point;
  }
  strip(d.digits);
  return d;
}

struct Binary {
  uint64_t m;
  int e;
};
// |number| = m * 2^e. Requires a finite number.
Binary binary_of(double number) {
  const uint64_t bits = std::bit_cast<uint64_t>(number), fraction = bits & ((uint64_t{1} << 52) - 1);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  return exponent ? Binary{fraction | uint64_t{1} << 52, exponent - 1075} : Binary{fraction, -1074};
}
Decimal decimal_of(double number) { return decimal_of(binary_of(number).m, binary_of(number).e); }

std::string sign_of(double number) { return std::signbit(number) ? "-" : ""; }
std::string word_for(double number) { return std::isnan(number) ? "nan" : sign_of(number) + "inf"; }

// Digits with a point behind the first `whole` of them.
std::string with_point(const Decimal& d, int whole, int decimals) {
  std::string text = d.digits;
  if (whole < 1) {
    text.insert(0, static_cast<size_t>(1 - whole), '0');
    whole = 1;
  }
  text.resize(static_cast<size_t>(whole + decimals), '0');
  if (decimals > 0) text.insert(static_cast<size_t>(whole), 1, '.');
  return text;
}

std::string general_text(double number, const Decimal& d, int digits) {
  const int power = d.digits.empty() ? 0 : d.point - 1, size = static_cast<int>(d.digits.size());
  if (power >= -4 && power < digits) return sign_of(number) + with_point(d, power + 1, std::max(0, size - power - 1));
  const std::string exponent = std::to_string(std::abs(power));
  return sign_of(number) + with_point(d, 1, size - 1) + (power < 0 ? "e-" : "e+") + (exponent.size() < 2 ? "0" : "") + exponent;
}

}  // namespace

std::string general_text(double number, int digits) {
  if (!std::isfinite(number)) return word_for(number);
  return general_text(number, rounded(decimal_of(number), digits), digits);
}

std::string fixed_text(double number, int decimals) {
  if (!std::isfinite(number)) return word_for(number);
  const Decimal exact = decimal_of(number), d = rounded(exact, exact.point + decimals);
  return sign_of(number) + with_point(d, d.digits.empty() ? 1 : d.point, decimals);
}

std::string shortest_number(double number) {
  if (!std::isfinite(number)) return word_for(number);
  const auto [m, e] = binary_of(number);
  const Decimal exact = decimal_of(m, e);
  // What lies between the middles to the neighbours reads as this number, and the middles themselves where m is even. The
  // neighbour below is nearer where the exponent changes.
  const Decimal above = decimal_of(2 * m + 1, e - 1), below = m == uint64_t{1} << 52 ? decimal_of(4 * m - 1, e - 2) : decimal_of(2 * m - 1, e - 1);
  for (int digits = 15;; ++digits) {
    const Decimal d = rounded(exact, digits);
    const bool is_read = m % 2 ? below < d && d < above : !(d < below) && !(above < d);
    if (digits == 17 || m == 0 || is_read) return general_text(number, d, digits);
  }
}

size_t read_number(std::string_view text, double& value) {
  size_t at = 0;
  const auto next = [&] { return at < text.size() ? text[at] : '\0'; };
  const auto is_digit = [&] { return next() >= '0' && next() <= '9'; };
  const auto sign = [&] {
    const bool negative = next() == '-';
    at += negative || next() == '+';
    return negative;
  };
  const bool negative = sign();
  double digits = 0;
  int power = 0;
  bool any = false;
  for (; is_digit(); ++at, any = true) digits = digits * 10 + (next() - '0');
  if (next() == '.')
    for (++at; is_digit(); ++at, any = true, --power) digits = digits * 10 + (next() - '0');
  if (!any) return 0;
  if (const size_t end = at; next() == 'e' || next() == 'E') {
    ++at;
    const bool small = sign(), has_digits = is_digit();
    int exponent = 0;
    for (; is_digit(); ++at) exponent = std::min(9999, exponent * 10 + (next() - '0'));
    if (has_digits)
      power += small ? -exponent : exponent;
    else
      at = end;
  }
  // Powers of ten up to 10^22 are numbers themselves, so that there is one rounding.
  double scale = 1;
  for (int i = 0; i < std::abs(power) && scale < 1e300; ++i) scale *= 10;
  value = power < 0 ? digits / scale : digits * scale;
  if (negative) value = -value;
  return at;
}

}  // namespace gradbook
