// What all exported functions share: the handle table, the block, and how a failure becomes a number and a message.
#pragma once

#include <exception>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "autodiff/op.h"
#include "base/error.h"

namespace gradbook::border {

inline constexpr int32_t kNone = -1;      // in place of a handle, as an argument
inline constexpr int32_t kNumber = -2;    // in gb_run, and in results of a program: a number in place of a tensor
inline constexpr int32_t kMissing = -2;   // as a result: there is none
inline constexpr int32_t kFailed = -100;  // errors are below

// -- handles ---------------------------------------------------------------------------------------------------------

/// A new handle; throws std::bad_alloc when the table cannot grow, and Error(kMemory) when it is full.
int32_t add_handle(Tensor tensor);
/// Throws Error(kState) when the handle was released, or never was.
const Tensor& tensor_at(int32_t handle);
/// As tensor_at(), but undefined for kNone.
Tensor optional_tensor_at(int32_t handle);
/// The handle stands for another tensor from now on. Throws as tensor_at().
void replace_tensor(int32_t handle, Tensor tensor);
/// False when there is no such handle.
bool release_handle(int32_t handle);
int handle_count();

// -- the block -------------------------------------------------------------------------------------------------------

inline constexpr int32_t kBlockBytes = 65536;
char* block();
inline int32_t* block_ints() { return reinterpret_cast<int32_t*>(block()); }
/// The numbers that follow `int_count` ints.
inline double* block_numbers(int32_t int_count) { return reinterpret_cast<double*>(block() + (static_cast<size_t>(int_count) * 4 + 7) / 8 * 8); }
/// Throws Error(kValue) unless that many ints and then `number_bytes` of numbers lie inside the block.
void check_block(int32_t int_count, int32_t number_bytes);
/// The tensors of `count` handles at the start of the block. Checks that they lie inside it.
std::vector<Tensor> block_tensors(int32_t count);
/// Reads the attributes of `params`, and moves `from` behind them. Where `end` comes first, the rest stay out of the list.
Attributes read_attributes(const Params& params, const double*& from, const double* end);

/// What gb_text() gives.
std::string& last_text();

// -- failures --------------------------------------------------------------------------------------------------------

void clear_error() noexcept;
/// Keeps code and message; a message of more than a few thousand bytes is cut.
void set_error(ErrorCode code, const char* message) noexcept;
/// Describes the exception that is being handled. To be called in a catch block.
ErrorCode keep_current_exception() noexcept;
/// Hands the tape and the kernels what they need; the first call of any exported function does it.
void start();

/// Runs `body` and returns its result; a thrown exception becomes `failed(code)` and a kept message.
template <class Body, class Failed>
auto guarded(Body&& body, Failed&& failed) noexcept -> decltype(body()) {
  clear_error();
  try {
    start();
    return body();
  } catch (...) {
    return failed(keep_current_exception());
  }
}
/// For functions that return int32: errors are -(100 + code).
template <class Body>
int32_t guarded(Body&& body) noexcept {
  return guarded([&]() -> int32_t { return body(); }, [](ErrorCode code) -> int32_t { return kFailed - static_cast<int32_t>(code); });
}

}  // namespace gradbook::border
