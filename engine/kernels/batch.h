// Batches of a dataset: rows of stored values picked by position and turned into what a model sees.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace gradbook::kernels {

/// out[i] = float32(rows[positions[i]]) * scale + shift, for `count` rows of `width` values each; `rows` holds `dtype`,
/// row-major. Rounded after each of the three, as the ops `to`, `mul` and `add` do one after the other.
void gather_scaled(DType dtype, const void* rows, const int32_t* positions, int64_t count, int64_t width, float scale, float shift, float* out);

/// out[i] = rows[positions[i]], for rows of `bytes` bytes.
void gather_bytes(const void* rows, const int32_t* positions, int64_t count, int64_t bytes, void* out);

}  // namespace gradbook::kernels
