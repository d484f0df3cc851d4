// The parts of the op table that nothing needs to run: what people read, and what tests try. Programs that call none of these
// functions are linked without them.
#pragma once

#include "autodiff/op.h"

namespace gradbook {

/// Requires: an op of the registry.
const OpWords& words_of(const Op& op);
/// Requires: an op of the registry.
const OpTrials& trials_of(const Op& op);

}  // namespace gradbook
