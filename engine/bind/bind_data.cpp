// Exported functions for datasets; exports.h says what each does.
#include <algorithm>

#include "bind/border.h"
#include "bind/exports.h"
#include "kernels/batch.h"

using namespace gradbook;
using namespace gradbook::border;

namespace {

// Rows of `source` at these positions; as they are, or as float32(value) * scale + shift. A run of neighbours that needs no
// conversion is a view.
Tensor rows_of(const Tensor& source, const std::vector<int32_t>& positions, bool as_float, double scale, double shift) {
  check(source.rank() > 0, ErrorCode::kShape, "a batch needs tensors with one entry per example, got a tensor without axes");
  const Index examples = source.size(0), count = static_cast<Index>(positions.size());
  for (int32_t position : positions) check(position >= 0 && position < examples, ErrorCode::kValue, "there is no example ", position, " among ", examples);
  Shape shape = source.shape();
  shape[0] = count;
  const bool converts = as_float && (source.dtype() != DType::kFloat32 || scale != 1 || shift != 0);
  const bool is_run = std::adjacent_find(positions.begin(), positions.end(), [](int32_t a, int32_t b) { return b != a + 1; }) == positions.end();
  if (!converts && is_run) return source.view(shape, source.strides(), count == 0 ? 0 : positions[0] * source.strides()[0]);

  const Tensor rows = source.contiguous();
  Tensor batch = Tensor::empty(shape, as_float ? DType::kFloat32 : source.dtype());
  if (batch.element_count() == 0) return batch;
  const Index width = batch.element_count() / count;
  if (converts)
    kernels::gather_scaled(rows.dtype(), rows.raw(), positions.data(), count, width, static_cast<float>(scale), static_cast<float>(shift), batch.data<float>());
  else
    kernels::gather_bytes(rows.raw(), positions.data(), count, width * static_cast<Index>(info(rows.dtype()).size), batch.raw());
  return batch;
}

}  // namespace

extern "C" {

int32_t gb_batch(int32_t features, int32_t labels, int32_t count, double scale, double shift) {
  return guarded([&] {
    check_block(count, 0);
    const std::vector<int32_t> positions(block_ints(), block_ints() + count);
    Tensor x = rows_of(tensor_at(features), positions, true, scale, shift);
    Tensor y = rows_of(tensor_at(labels), positions, false, 1, 0);
    const int32_t handle = add_handle(std::move(x));
    try {
      block_ints()[0] = add_handle(std::move(y));
    } catch (...) {
      release_handle(handle);
      throw;
    }
    return handle;
  });
}

}  // extern "C"
