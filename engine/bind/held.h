// What the bindings hold of the engine, for whoever looks in: tensors behind handles, optimizers, and captured steps.
#pragma once

#include <functional>

#include "program/program.h"
#include "tensor/tensor.h"
#include "train/optimizers.h"

namespace gradbook::border {

/// Handles made from now on belong to this owner, a number that means something outside; 0 at the start.
void set_owner(int32_t owner);
void each_handle(const std::function<void(int32_t handle, const Tensor& tensor, int32_t owner)>& meet);
void each_optimizer(const std::function<void(const Optimizer& optimizer)>& meet);
/// The program that ran last and how often it did; null when it is gone, or none ran.
const Program* last_program(double& runs);

}  // namespace gradbook::border
