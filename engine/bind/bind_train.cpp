// Exported functions of training: initializers, optimizers, clipping; exports.h says what each does.
#include <memory>

#include "base/clock.h"
#include "bind/border.h"
#include "bind/exports.h"
#include "bind/held.h"
#include "inspect/metrics.h"
#include "inspect/observe.h"
#include "inspect/trace.h"
#include "program/program.h"
#include "train/clip.h"
#include "train/initializers.h"
#include "train/optimizers.h"

using namespace gradbook;
using namespace gradbook::border;

namespace {

// An id is a place in this list plus 1. Places are not used again: a released optimizer costs one pointer.
std::vector<std::unique_ptr<Optimizer>>& optimizers() {
  static auto* list = new std::vector<std::unique_ptr<Optimizer>>;
  return *list;
}

Optimizer& optimizer_at(int32_t id) {
  const bool known = id > 0 && static_cast<size_t>(id) <= optimizers().size() && optimizers()[static_cast<size_t>(id - 1)];
  check(known, ErrorCode::kState, "an optimizer was used after it was released (id ", id, ")");
  return *optimizers()[static_cast<size_t>(id - 1)];
}

void step_optimizer(Optimizer& optimizer) {
  // A look at the clock leaves the module: a tenth of the time of the smallest steps.
  if (!profiling() && !tracing()) {
    optimizer.step();
  } else {
    const double start = engine_time_ms();
    optimizer.step();
    const double elapsed = engine_time_ms() - start;
    profile_step(elapsed);
    trace_step(optimizer.row().name, elapsed, optimizer.parameters());
  }
  note_step();
}

// A program takes the step by asking the optimizer, so settings and counts are always those of now.
void record_step(Recording& recording, int32_t id) {
  std::vector<Tensor> gradients, parameters;
  for (const Tensor& parameter : optimizer_at(id).parameters()) {
    const Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    gradients.push_back(gradient);
    parameters.push_back(parameter);
  }
  recording.act({"optimizer step", {static_cast<double>(id)}, [id](const auto&, const auto&) { step_optimizer(optimizer_at(id)); }}, gradients, parameters);
}

std::vector<Tensor> gradients_of(const std::vector<Tensor>& parameters) {
  std::vector<Tensor> gradients;
  for (const Tensor& parameter : parameters)
    if (const Tensor gradient = parameter.grad(); gradient.defined()) gradients.push_back(gradient);
  return gradients;
}

template <class Row>
const Row& row_at(std::span<const Row> table, int32_t number, const char* what) {
  check(number >= 0 && static_cast<size_t>(number) < table.size(), ErrorCode::kUnknown, "there is no ", what, " number ", number);
  return table[static_cast<size_t>(number)];
}

}  // namespace

void gradbook::border::each_optimizer(const std::function<void(const Optimizer& optimizer)>& meet) {
  for (const auto& optimizer : optimizers())
    if (optimizer) meet(*optimizer);
}

extern "C" {

int32_t gb_initialize(int32_t initializer, int32_t handle) {
  return guarded([&] {
    const InitializerRow& row = row_at(initializer_table(), initializer, "initializer");
    const double* numbers = block_numbers(0);
    initialize(row, tensor_at(handle), read_attributes(row.params, numbers, numbers + kBlockBytes / 8));
    return 0;
  });
}

int32_t gb_optimizer_create(int32_t row_number, int32_t count) {
  return guarded([&] {
    const OptimizerRow& row = row_at(optimizer_table(), row_number, "optimizer");
    const int32_t values = setting_value_count(row);
    check_block(count, values * 8);
    const double* numbers = block_numbers(count);
    auto optimizer = std::make_unique<Optimizer>(row, block_tensors(count), std::vector<double>(numbers, numbers + values));
    optimizers().push_back(std::move(optimizer));
    return static_cast<int32_t>(optimizers().size());
  });
}

int32_t gb_optimizer_step(int32_t id) {
  return guarded([&] {
    if (Recording* recording = Recording::current())
      record_step(*recording, id);
    else
      step_optimizer(optimizer_at(id));
    return 0;
  });
}

int32_t gb_optimizer_zero_grad(int32_t id) {
  return guarded([&] {
    optimizer_at(id).zero_grad();
    return 0;
  });
}

int32_t gb_optimizer_set(int32_t id, int32_t setting, double value) {
  return guarded([&] {
    optimizer_at(id).set_value(setting, value);
    return 0;
  });
}

double gb_optimizer_get(int32_t id, int32_t setting) {
  return guarded([&] { return optimizer_at(id).value(setting); }, [](ErrorCode) { return std::numeric_limits<double>::quiet_NaN(); });
}

int32_t gb_optimizer_state(int32_t id, int32_t parameter, int32_t slot) {
  return guarded([&] {
    const Tensor& state = optimizer_at(id).state(parameter, slot);
    return state.defined() ? add_handle(state) : kMissing;
  });
}

int32_t gb_optimizer_state_set(int32_t id, int32_t parameter, int32_t slot, int32_t handle) {
  return guarded([&] {
    optimizer_at(id).set_state(parameter, slot, tensor_at(handle));
    return 0;
  });
}

int32_t gb_optimizer_steps(int32_t id, int32_t parameter, int32_t value) {
  return guarded([&] {
    if (value >= 0) optimizer_at(id).set_steps(parameter, value);
    return static_cast<int32_t>(optimizer_at(id).steps(parameter));
  });
}

int32_t gb_optimizer_release(int32_t id) {
  return guarded([&] {
    optimizer_at(id);
    optimizers()[static_cast<size_t>(id - 1)].reset();
    return 0;
  });
}

int32_t gb_clip_norm(int32_t count, double largest, double order) {
  return guarded([&] {
    const std::vector<Tensor> parameters = block_tensors(count);
    const Tensor norm = Tensor::empty({}, DType::kFloat64);
    const auto clip = [=](const auto&, const std::vector<Tensor>& writes) { *writes.back().data<double>() = clip_gradient_norm(parameters, largest, order); };
    if (Recording* recording = Recording::current()) {
      std::vector<Tensor> changed = gradients_of(parameters);
      const std::vector<Tensor> gradients = changed;
      changed.push_back(norm);
      recording->act({"clipGradNorm", {largest, order}, clip}, gradients, changed);
    } else {
      clip(std::vector<Tensor>(), {norm});
    }
    return add_handle(norm);
  });
}

int32_t gb_clip_value(int32_t count, double largest) {
  return guarded([&] {
    const std::vector<Tensor> parameters = block_tensors(count);
    const auto clip = [=](const auto&, const auto&) { clip_gradient_value(parameters, largest); };
    if (Recording* recording = Recording::current()) {
      const std::vector<Tensor> gradients = gradients_of(parameters);
      recording->act({"clipGradValue", {largest}, clip}, gradients, gradients);
    } else {
      clip(std::vector<Tensor>(), 0);
    }
    return 0;
  });
}

}  // extern "C"
