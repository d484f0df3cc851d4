// Evaluates the examples of the op table, which are TypeScript expressions: tensor([1, 2]).add(3), concat([a, b], 1),
// x.sum({ keepDims: true }). Arguments are matched to parameters as engine/api does it (engine/api/signature.ts).
#pragma once

#include <string>
#include <string_view>

#include "tensor/tensor.h"

namespace gradbook::test {

/// The value of the expression; throws Error with the place of what it does not understand.
Tensor evaluate(std::string_view expression);
/// As TypeScript prints it: "[[1, 2.5], [true, NaN]]" with five significant digits.
std::string print(const Tensor& tensor);

}  // namespace gradbook::test
