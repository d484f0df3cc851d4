#include "io/json.h"

#include <limits>

#include "base/error.h"

namespace gradbook {
namespace {

void append_code_point(std::string& out, uint32_t code) {
  auto put = [&](uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

}  // namespace

void JsonCursor::stop(std::string_view what) const { fail(ErrorCode::kValue, owner_, ": ", what, " at byte ", at_); }

char JsonCursor::peek() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonCursor::accept(char c) {
  if (peek() != c || at_ == text_.size()) return false;
  ++at_;
  return true;
}

void JsonCursor::expect(char c) {
  if (!accept(c)) stop(std::string("expected '") + c + "'" + (at_ == text_.size() ? ", but the text ends" : ""));
}

void JsonCursor::expect_end() {
  peek();
  if (at_ != text_.size()) stop("unexpected text after the end");
}

std::string JsonCursor::string() {
  expect('"');
  std::string out;
  for (;;) {
    if (at_ == text_.size()) stop("a string does not end");
    const unsigned char c = static_cast<unsigned char>(text_[at_]);
    if (c == '"') break;
    if (c < 0x20) stop("a control character inside a string");
    if (c == '\\') {
      ++at_;
      append_escape(out);
    } else {
      append_utf8(out);
    }
  }
  ++at_;
  return out;
}

void JsonCursor::append_escape(std::string& out) {
  if (at_ == text_.size()) stop("a string does not end");
  const char c = text_[at_++];
  switch (c) {
    case '"':
    case '\\':
    case '/': out += c; return;
    case 'b': out += '\b'; return;
    case 'f': out += '\f'; return;
    case 'n': out += '\n'; return;
    case 'r': out += '\r'; return;
    case 't': out += '\t'; return;
    case 'u': break;
    default: stop("an unknown escape in a string");
  }
  uint32_t code = four_hex_digits();
  if (code >= 0xDC00 && code < 0xE000) stop("half of a surrogate pair");
  if (code >= 0xD800 && code < 0xDC00) {
    if (text_.substr(at_, 2) != "\\u") stop("half of a surrogate pair");
    at_ += 2;
    const uint32_t low = four_hex_digits();
    if (low < 0xDC00 || low >= 0xE000) stop("half of a surrogate pair");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  append_code_point(out, code);
}

uint32_t JsonCursor::four_hex_digits() {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (digit < 0) stop("expected four hexadecimal digits");
    value = value << 4 | static_cast<uint32_t>(digit);
    ++at_;
  }
  return value;
}

// One character of the text as it stands, once it is known to be UTF-8.
void JsonCursor::append_utf8(std::string& out) {
  const auto byte = [&](size_t i) -> uint32_t { return at_ + i < text_.size() ? static_cast<unsigned char>(text_[at_ + i]) : 0; };
  const uint32_t first = byte(0);
  const size_t length = first < 0x80 ? 1 : first >= 0xC2 && first < 0xE0 ? 2 : first >= 0xE0 && first < 0xF0 ? 3 : first >= 0xF0 && first < 0xF5 ? 4 : 0;
  bool good = length > 0;
  for (size_t i = 1; i < length; ++i) good = good && (byte(i) & 0xC0) == 0x80;
  // Not longer than needed, not a surrogate, not above the last code point.
  if (first == 0xE0) good = good && byte(1) >= 0xA0;
  if (first == 0xED) good = good && byte(1) < 0xA0;
  if (first == 0xF0) good = good && byte(1) >= 0x90;
  if (first == 0xF4) good = good && byte(1) < 0x90;
  if (!good) stop("bytes that are not UTF-8");
  out.append(text_.substr(at_, length));
  at_ += length;
}

uint64_t JsonCursor::whole() {
  const char first = peek();
  if (first < '0' || first > '9') stop("expected a whole number, not negative");
  uint64_t value = 0;
  const size_t start = at_;
  for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
    const uint64_t digit = static_cast<uint64_t>(text_[at_] - '0');
    if (value > (std::numeric_limits<uint64_t>::max() - digit) / 10) stop("a number that is too large");
    value = value * 10 + digit;
  }
  if (first == '0' && at_ - start > 1) stop("a number that begins with 0");
  if (at_ < text_.size() && (text_[at_] == '.' || text_[at_] == 'e' || text_[at_] == 'E')) stop("a number that is not whole");
  return value;
}

std::string json_quoted(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    const unsigned char code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (code < 0x20)
      ((out += "\\u00") += kHex[code >> 4]) += kHex[code & 15];
    else
      out += c;
  }
  return out + "\"";
}

}  // namespace gradbook
