// One step of sgd or adam over n contiguous float32 parameters, in place, PyTorch's formulas. Never stopped half way.
// State is kept out of the subnormal range (wasm cannot flush to zero; a step on subnormal state is many times slower):
// gradients below 1e-17 count as 0, averages below 1e-33 become 0. Which parameters exist, and the other optimizers, are train's.
#pragma once

#include "tensor/shape.h"

namespace gradbook::kernels {

struct SgdStep {
  float lr = 0.01f;
  float momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false;
  bool first = false;     // first step with momentum: the buffer becomes the gradient (no dampening), as in PyTorch
  bool maximize = false;  // gradients count negated
};
/// `buffer`: momentum state of n floats; may be null when momentum is 0.
void sgd_step(const SgdStep& step, Index n, float* parameters, const float* gradients, float* buffer);

struct AdamStep {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 0;
  bool decoupled = false;  // weight decay as AdamW: p -= lr * decay * p; else added to the gradient
  bool maximize = false;   // gradients count negated
  int64_t step = 1;        // number of this step, from 1 (bias correction)
};
/// `first`, `second`: running averages of the gradient and of its square.
void adam_step(const AdamStep& step, Index n, float* parameters, const float* gradients, float* first, float* second);

}  // namespace gradbook::kernels
