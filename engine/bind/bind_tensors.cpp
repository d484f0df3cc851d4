// Exported functions on tensors and on the random stream; exports.h says what each does.
#include "base/random.h"
#include "bind/border.h"
#include "bind/exports.h"
#include "program/program.h"

using namespace gradbook;
using namespace gradbook::border;

namespace {

// The copy that gb_data made of the last view; it lives until the next call of gb_data.
Tensor& last_copy() {
  static Tensor* copy = new Tensor;
  return *copy;
}

}  // namespace

extern "C" {

int32_t gb_create(int32_t dtype, int32_t rank) {
  return guarded([&] {
    check(dtype >= 0 && dtype < kDTypeCount, ErrorCode::kType, "unknown dtype number ", dtype);
    check(rank >= 0, ErrorCode::kValue, "a tensor cannot have ", rank, " axes");
    Shape shape;
    for (int32_t i = 0; i < rank; ++i) shape.push_back(block_ints()[i]);
    return add_handle(Tensor::zeros(shape, static_cast<DType>(dtype)));
  });
}

int32_t gb_single(double value, int32_t rank) {
  return guarded([&] {
    check(rank >= 0 && rank <= kMaxRank, ErrorCode::kValue, "a tensor cannot have ", rank, " axes");
    return add_handle(Tensor::full(Shape::filled(rank, 1), value));
  });
}

char* gb_data(int32_t handle) {
  return guarded(
      [&]() -> char* {
        const Tensor& tensor = tensor_at(handle);
        last_copy() = {};
        if (tensor.is_contiguous()) return static_cast<char*>(tensor.raw());
        last_copy() = tensor.contiguous();
        return static_cast<char*>(last_copy().raw());
      },
      [](ErrorCode) -> char* { return nullptr; });
}

int32_t gb_info(int32_t handle) {
  return guarded([&] {
    const Tensor& tensor = tensor_at(handle);
    int32_t* out = block_ints();
    *out++ = static_cast<int32_t>(tensor.dtype());
    *out++ = tensor.rank();
    *out++ = tensor.requires_grad();
    *out++ = tensor.is_leaf();
    *out++ = static_cast<int32_t>(tensor.element_count());
    for (Index size : tensor.shape()) *out++ = static_cast<int32_t>(size);
    return 0;
  });
}

int32_t gb_release(int32_t handle) {
  return guarded([&] { return release_handle(handle) ? 0 : kMissing; });
}

int32_t gb_share(int32_t handle) {
  return guarded([&] { return add_handle(tensor_at(handle)); });
}

int32_t gb_detach(int32_t handle) {
  return guarded([&] { return add_handle(tensor_at(handle).detach()); });
}

int32_t gb_copy_into(int32_t target, int32_t source) {
  return guarded([&] {
    const Tensor& to = tensor_at(target);
    check(to.is_leaf(), ErrorCode::kState, "copy: only a tensor that no op made can be overwritten; use detach() first");
    to.copy_from(tensor_at(source));
    return 0;
  });
}

int32_t gb_seed(uint32_t low, uint32_t high) {
  return guarded([&] {
    if (Recording* recording = Recording::current()) recording->refuse("manualSeed() is called inside the step");
    default_generator() = {static_cast<uint64_t>(high) << 32 | low, 0};
    return 0;
  });
}

int32_t gb_random_state(int32_t set) {
  return guarded([&] {
    if (Recording* recording = Recording::current()) recording->refuse("the state of the random numbers is asked for or set inside the step");
    int32_t* words = block_ints();
    auto read = [&](int i) { return static_cast<uint64_t>(static_cast<uint32_t>(words[i + 1])) << 32 | static_cast<uint32_t>(words[i]); };
    auto write = [&](int i, uint64_t value) {
      words[i] = static_cast<int32_t>(static_cast<uint32_t>(value));
      words[i + 1] = static_cast<int32_t>(static_cast<uint32_t>(value >> 32));
    };
    Generator& generator = default_generator();
    if (set) {
      generator = {read(0), read(2)};
    } else {
      write(0, generator.seed);
      write(2, generator.position);
    }
    return 0;
  });
}

}  // extern "C"
