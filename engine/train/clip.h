// Gradient clipping: over all gradients together, in place.
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace gradbook {

/// The norm of all gradients of `parameters` laid end to end (those without a gradient are skipped); when it is above `largest`,
/// every gradient is scaled by largest / (norm + 1e-6). Returns the norm before. `order`: 1, 2 or infinity. As
/// torch.nn.utils.clip_grad_norm_: a norm that is not finite spoils all gradients, so look at it. Summed in double precision.
double clip_gradient_norm(const std::vector<Tensor>& parameters, double largest, double order = 2);
/// Limits every element of every gradient to [-largest, largest].
void clip_gradient_value(const std::vector<Tensor>& parameters, double largest);

}  // namespace gradbook
