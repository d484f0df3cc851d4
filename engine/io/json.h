// A strict JSON reader for headers of files from strangers: walks over text, never recurses, never reads past the end.
// It makes no tree: the caller asks for what must come next. Numbers are whole and not negative, which is all that headers hold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gradbook {

class JsonCursor {
 public:
  /// `owner` begins every message: "safetensors header: ...".
  JsonCursor(std::string_view text, std::string_view owner) : text_(text), owner_(owner) {}

  /// The next character that is not white space; 0 at the end.
  char peek();
  /// Takes `c`, or throws Error(kValue) that says what came instead, and where.
  void expect(char c);
  /// Takes `c` when it is next.
  bool accept(char c);
  /// A string, decoded to UTF-8. Throws on bad escapes, lone surrogates, control characters and bytes that are no UTF-8.
  std::string string();
  /// A whole number from 0 to 2^64 - 1.
  uint64_t whole();
  /// Throws unless only white space follows.
  void expect_end();

 private:
  [[noreturn]] void stop(std::string_view what) const;
  uint32_t four_hex_digits();
  void append_escape(std::string& out);
  void append_utf8(std::string& out);

  std::string_view text_, owner_;
  size_t at_ = 0;
};

/// The text as a JSON string with its quotes. Requires UTF-8.
std::string json_quoted(std::string_view text);

}  // namespace gradbook
