#include "base/message.h"

#include <cstdio>
#include <cstdlib>

namespace gradbook {

void Piece::append_to(std::string& text) const {
  if (size_ >= 0) {
    text.append(words_, static_cast<size_t>(size_));
  } else if (size_ == kWhole) {
    text += std::to_string(whole_);
  } else if (size_ == kObject) {
    object_.write(text, object_.of);
  } else if (size_ == kLetter) {
    text += static_cast<char>(whole_);
  } else {
    char digits[32];
    text.append(digits, static_cast<size_t>(std::snprintf(digits, sizeof digits, "%g", number_)));
  }
}

std::string shortest_number(double number) {
  char digits[32];
  for (int places = 15;; ++places) {
    std::snprintf(digits, sizeof digits, "%.*g", places, number);
    if (places == 17 || std::strtod(digits, nullptr) == number) return digits;
  }
}

std::string message_of(std::initializer_list<Piece> pieces) {
  std::string text;
  for (const Piece& piece : pieces) piece.append_to(text);
  return text;
}

}  // namespace gradbook
