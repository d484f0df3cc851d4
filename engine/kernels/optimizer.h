// One step of an optimizer over n contiguous parameters, in place, PyTorch's formulas. Never stopped half way.
// State is kept out of the subnormal range (wasm cannot flush to zero; a step on subnormal state is many times slower):
// gradients below 1e-17 count as 0 in Adam's averages, averages below 1e-33 become 0. Which parameters exist is train's matter.
#pragma once

#include "tensor/shape.h"

namespace gradbook::kernels {

struct SgdStep {
  float lr = 0.01f;
  float momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false;
  bool first = false;  // first step with momentum: the buffer becomes the gradient (no dampening), as in PyTorch
};
/// `buffer`: momentum state of n floats; may be null when momentum is 0.
void sgd_step(const SgdStep& step, Index n, float* parameters, const float* gradients, float* buffer);

struct AdamStep {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 0;
  bool decoupled = false;  // weight decay as AdamW: p -= lr * decay * p; else added to the gradient
  int64_t step = 1;        // number of this step, from 1 (bias correction)
};
/// `first`, `second`: running averages of the gradient and of its square.
void adam_step(const AdamStep& step, Index n, float* parameters, const float* gradients, float* first, float* second);

struct RmspropStep {
  float lr = 1e-2f, alpha = 0.99f, epsilon = 1e-8f, weight_decay = 0, momentum = 0;
};
/// `buffer`: momentum state; may be null when momentum is 0.
void rmsprop_step(const RmspropStep& step, Index n, float* parameters, const float* gradients, float* square_average, float* buffer);

}  // namespace gradbook::kernels
