// Messages put together from words and numbers. One call with a list of pieces instead of a stream per message: streams and
// their locales would make a fifth of the wasm module.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace gradbook {

/// Something that to_string() puts into words.
template <class Object>
concept Wordable = std::is_class_v<Object> && !std::convertible_to<Object, std::string_view> && requires(const Object& object) {
  { to_string(object) } -> std::convertible_to<std::string>;
};

/// A piece of a message: words, a whole number, a number with a fraction, or an object that is put into words only when the
/// message is needed. Holds nothing of its own: use it within the expression that makes it.
class Piece {
 public:
  Piece(std::string_view words) : words_(words.data()), size_(static_cast<int32_t>(words.size())) {}
  Piece(const char* words) : Piece(std::string_view(words)) {}
  Piece(const std::string& words) : Piece(std::string_view(words)) {}
  Piece(double number) : number_(number), size_(kNumber) {}
  Piece(std::integral auto number) : whole_(static_cast<int64_t>(number)), size_(kWhole) {}
  template <Wordable Object>
  Piece(const Object& object)
      : object_{&object, [](std::string& text, const void* of) { text += to_string(*static_cast<const Object*>(of)); }}, size_(kObject) {}
  Piece(char letter) : whole_(letter), size_(kLetter) {}

  /// Writes the piece behind `text`; fractions with six digits, as C++ streams do.
  void append_to(std::string& text) const;

 private:
  static constexpr int32_t kWhole = -1, kNumber = -2, kLetter = -3, kObject = -4;
  union {
    const char* words_;
    int64_t whole_;
    double number_;
    struct {
      const void* of;
      void (*write)(std::string& text, const void* of);
    } object_;
  };
  int32_t size_;  // of the words; below zero: what else it is
};

std::string message_of(std::initializer_list<Piece> pieces);

}  // namespace gradbook
