// Exported functions that run ops and find gradients; exports.h says what each does.
#include "autodiff/run.h"
#include "autodiff/tape.h"
#include "bind/border.h"
#include "bind/exports.h"
#include "ops/registry.h"
#include "program/program.h"

using namespace gradbook;
using namespace gradbook::border;

namespace {

BackwardOptions backward_options(int32_t flags) { return {.retain_graph = (flags & 1) != 0, .create_graph = (flags & 2) != 0}; }

}  // namespace

extern "C" {

int32_t gb_run(int32_t op, int32_t input_count, int32_t number_bytes) {
  return guarded([&] {
    check(op >= 0 && op < op_count(), ErrorCode::kUnknown, "there is no op number ", op);
    const Op& row = op_at(op);
    check_block(input_count, number_bytes);
    const int32_t* handles = block_ints();
    const double* numbers = block_numbers(input_count);
    const double* const end = numbers + number_bytes / 8;
    std::vector<Tensor> inputs;
    inputs.reserve(static_cast<size_t>(input_count));
    try {
      for (int32_t i = 0; i < input_count; ++i) {
        if (handles[i] == kNumber) {
          check(numbers < end, ErrorCode::kValue, "a number among the tensors has no value");
          inputs.push_back(Tensor::number(*numbers++));
        } else {
          inputs.push_back(optional_tensor_at(handles[i]));
        }
      }
      Attributes attributes = read_attributes(row.params, numbers, end);
      check(numbers == end, ErrorCode::kValue, "got more attributes than it takes");
      return add_handle(run(row, std::move(inputs), std::move(attributes)));
    } catch (const Error& error) {
      // run() has put the op's name in front of its own errors already.
      const std::string message = error.what();
      const std::string prefix = std::string(row.name) + ": ";
      if (message.starts_with(prefix) || error.code() == ErrorCode::kInterrupted) throw;
      throw Error(error.code(), prefix + message);
    }
  });
}

int32_t gb_set_requires_grad(int32_t handle, int32_t value) {
  return guarded([&] {
    const Tensor& tensor = tensor_at(handle);
    if (Recording* recording = Recording::current(); recording && recording->is_outside(tensor)) recording->refuse("requiresGrad of a tensor from outside is set inside the step");
    tensor.set_requires_grad(value != 0);
    return 0;
  });
}

int32_t gb_backward(int32_t handle, int32_t upstream, int32_t flags) {
  return guarded([&] {
    backward(tensor_at(handle), optional_tensor_at(upstream), backward_options(flags));
    return 0;
  });
}

int32_t gb_gradients(int32_t root, int32_t count, int32_t upstream, int32_t flags) {
  return guarded([&] {
    const std::vector<Tensor> targets = block_tensors(count);
    const std::vector<Tensor> results = gradients(tensor_at(root), targets, optional_tensor_at(upstream), backward_options(flags));
    std::vector<int32_t> handles;
    handles.reserve(results.size());
    try {
      for (const Tensor& result : results) handles.push_back(result.defined() ? add_handle(result) : kMissing);
    } catch (...) {
      for (int32_t handle : handles) release_handle(handle);
      throw;
    }
    std::copy(handles.begin(), handles.end(), block_ints());
    return 0;
  });
}

int32_t gb_grad(int32_t handle) {
  return guarded([&] {
    const Tensor gradient = grad_of(tensor_at(handle));
    if (!gradient.defined()) return kMissing;
    // The next run of a program writes its arena again; whoever looks keeps what is there now.
    return add_handle(gradient.storage()->is_arena && !Recording::current() ? gradient.clone() : gradient);
  });
}

int32_t gb_retain_grad(int32_t handle) {
  return guarded([&] {
    retain_grad(tensor_at(handle));
    return 0;
  });
}

int32_t gb_set_grad(int32_t handle, int32_t gradient) {
  return guarded([&] {
    tensor_at(handle).set_grad(optional_tensor_at(gradient));
    return 0;
  });
}

int32_t gb_grad_mode(int32_t enabled) {
  return guarded([&] { return set_grad_mode(enabled != 0) ? 1 : 0; });
}

}  // extern "C"
