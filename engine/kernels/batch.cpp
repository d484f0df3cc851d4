#include "kernels/batch.h"

#include <cstring>

#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

// One row; its own function, called once per example, so that V8 compiles it well.
template <class T>
__attribute__((noinline)) void convert_row(const T* from, int64_t width, float scale, float shift, float* out) {
  if (shift == 0) {
    for (int64_t i = 0; i < width; ++i) out[i] = static_cast<float>(from[i]) * scale;
  } else {
    for (int64_t i = 0; i < width; ++i) out[i] = static_cast<float>(from[i]) * scale + shift;
  }
}

}  // namespace

void gather_scaled(DType dtype, const void* rows, const int32_t* positions, int64_t count, int64_t width, float scale, float shift, float* out) {
  dispatch(dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* from = static_cast<const T*>(rows);
    // Rows lie all over a memory larger than any cache: each value costs several operations.
    parallel_ranges(count, 8, static_cast<double>(count * width) * 4, [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) convert_row(from + positions[i] * width, width, scale, shift, out + i * width);
    });
  });
}

void gather_bytes(const void* rows, const int32_t* positions, int64_t count, int64_t bytes, void* out) {
  const char* from = static_cast<const char*>(rows);
  char* to = static_cast<char*>(out);
  parallel_ranges(count, 8, static_cast<double>(count * bytes / 4), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) std::memcpy(to + i * bytes, from + positions[i] * bytes, static_cast<size_t>(bytes));
  });
}

}  // namespace gradbook::kernels
