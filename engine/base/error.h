// The one exception type of the engine, and check(). What went wrong is said in words that a learner reads;
// the name of the op is put in front by autodiff/run, the cell and line by the notebook.
#pragma once

#include <stdexcept>
#include <string>

#include "base/message.h"

namespace gradbook {

/// Kind of failure; `bind` hands the number to TypeScript, which picks the class of the JavaScript error.
enum class ErrorCode { kValue = 1, kShape = 2, kType = 3, kState = 4, kMemory = 5, kInterrupted = 6, kUnknown = 7 };

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

/// Throws an Error whose message is all pieces, one after another.
[[noreturn]] void fail_with(ErrorCode code, std::initializer_list<Piece> pieces);

/// Throws an Error whose message is all `parts` written one after another.
template <class... Parts>
[[noreturn]] void fail(ErrorCode code, const Parts&... parts) {
  fail_with(code, {Piece(parts)...});
}

/// Throws unless `holds`. The parts are only put together when the check fails, but they are evaluated always:
/// do not format in the argument list of a check on a hot path.
template <class... Parts>
void check(bool holds, ErrorCode code, const Parts&... parts) {
  if (!holds) [[unlikely]]
    fail_with(code, {Piece(parts)...});
}

}  // namespace gradbook
