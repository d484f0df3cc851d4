#include "base/message.h"

#include "base/number.h"

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
    text += general_text(number_, 6);
  }
}

std::string message_of(std::initializer_list<Piece> pieces) {
  std::string text;
  for (const Piece& piece : pieces) piece.append_to(text);
  return text;
}

}  // namespace gradbook
