// What the bindings hold of the engine, for whoever looks in: tensors behind handles, and optimizers.
#pragma once

#include <functional>

#include "tensor/tensor.h"
#include "train/optimizers.h"

namespace gradbook::border {

/// Handles made from now on belong to this owner, a number that means something outside; 0 at the start.
void set_owner(int32_t owner);
void each_handle(const std::function<void(int32_t handle, const Tensor& tensor, int32_t owner)>& meet);
void each_optimizer(const std::function<void(const Optimizer& optimizer)>& meet);

}  // namespace gradbook::border
