#include "base/error.h"

namespace gradbook {

void fail_with(ErrorCode code, std::initializer_list<Piece> pieces) { throw Error(code, message_of(pieces)); }

}  // namespace gradbook
