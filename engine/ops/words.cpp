#include "ops/words.h"

#include <functional>
#include <span>

#include "ops/families.h"

namespace gradbook {

#define DECLARE(name, heading)            \
  std::span<const Op> name##_ops();       \
  std::span<const OpWords> name##_words(); \
  std::span<const OpTrials> name##_trials();
GRADBOOK_FAMILIES(DECLARE)
#undef DECLARE

namespace {

// The part that stands where the op stands in its own table; null: it is in another one.
template <class Part>
const Part* beside(const Op& op, std::span<const Op> ops, std::span<const Part> parts) {
  const std::less<const Op*> before;
  if (before(&op, ops.data()) || !before(&op, ops.data() + ops.size())) return nullptr;
  return &parts[static_cast<size_t>(&op - ops.data())];
}

}  // namespace

const OpWords& words_of(const Op& op) {
#define LOOK(name, heading) \
  if (const OpWords* words = beside(op, name##_ops(), name##_words())) return *words;
  GRADBOOK_FAMILIES(LOOK)
#undef LOOK
  fail(ErrorCode::kUnknown, op.name, " is in no table");
}

const OpTrials& trials_of(const Op& op) {
#define LOOK(name, heading) \
  if (const OpTrials* trials = beside(op, name##_ops(), name##_trials())) return *trials;
  GRADBOOK_FAMILIES(LOOK)
#undef LOOK
  fail(ErrorCode::kUnknown, op.name, " is in no table");
}

}  // namespace gradbook
