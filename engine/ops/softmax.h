// Gradients of softmax, for the ops that are made of it.
#pragma once

#include "tensor/tensor.h"

namespace gradbook {

/// s (g - sum(g s)) along an axis, s the softmax: in one pass, and in ops when it is recorded itself.
Tensor softmax_gradient(const Tensor& grad, const Tensor& softmax, Index axis = -1);

}  // namespace gradbook
