#include "ops/fast.h"

#include <algorithm>

#include "base/random.h"
#include "kernels/random.h"
#include "kernels/rows.h"
#include "ops/indices.h"
#include "ops/table.h"

namespace gradbook {
namespace {

/// (outer, size, inner) of one axis; a scalar is one element.
AxisBlock block_of(const Shape& shape, int axis) {
  AxisBlock block;
  for (int i = 0; i < shape.rank(); ++i) (i < axis ? block.outer : i == axis ? block.size : block.inner) *= shape[i];
  return block;
}

// The index as row numbers that have been looked at: none lies outside.
Tensor row_numbers(const Tensor& index, Index size, int axis) {
  const Tensor rows = whole_numbers(index).clone();
  for (Index i = 0; i < rows.element_count(); ++i) rows.data<int32_t>()[i] = static_cast<int32_t>(place_of(rows.data<int32_t>()[i], size, axis));
  return rows;
}

// Takes the positions for the result out of the stream.
kernels::RandomPosition draw_for(const Tensor& result) {
  Generator& generator = default_generator();
  return {generator.seed, generator.reserve(kernels::random_groups(result.element_count()))};
}

}  // namespace

bool fast_where(Call& c) {
  if (c.result.dtype() != DType::kFloat32) return false;
  const Tensor condition = c.input(0).converted(DType::kBool), a = c.input(1).converted(DType::kFloat32), b = c.input(2).converted(DType::kFloat32);
  const Shape& shape = c.result.shape();
  kernels::choose(shape, condition.data<bool>(), strides_along(condition, shape), floats(a), strides_along(a, shape), floats(b), strides_along(b, shape), floats(c.result));
  return true;
}

bool fast_concat(Call& c) {
  if (!all_float32(c)) return false;
  const Index step = c.result.strides()[normalize_axis(c.integer(0), c.result.rank())];
  float* to = floats(c.result);
  for (const Tensor& part : c.inputs) {
    kernels::copy_between(part.shape(), floats(part), part.strides(), to, c.result.strides());
    to += part.size(normalize_axis(c.integer(0), part.rank())) * step;
  }
  return true;
}

bool fast_index_select(Call& c) {
  const Tensor& x = c.input(0);
  if (x.dtype() != DType::kFloat32) return false;
  if (c.result.element_count() == 0) return true;
  const int axis = normalize_axis(c.integer(0), x.rank());
  const AxisBlock block = block_of(x.shape(), axis);
  const Tensor rows = row_numbers(c.input(1), block.size, axis);
  kernels::select_rows(block.outer, block.size, block.inner, rows.element_count(), rows.data<int32_t>(), floats(packed(x)), floats(c.result));
  return true;
}

bool fast_index_add(Call& c) {
  const Tensor &x = c.input(0), &source = c.input(2);
  if (x.dtype() != DType::kFloat32 || source.dtype() != DType::kFloat32) return false;
  const int axis = normalize_axis(c.integer(0), x.rank());
  const AxisBlock block = block_of(x.shape(), axis);
  const bool any = source.element_count() > 0;
  const Tensor rows = any ? row_numbers(c.input(1), block.size, axis) : Tensor();
  kernels::copy_strided(x.shape(), floats(x), x.strides(), floats(c.result));
  if (any) kernels::add_rows(block.outer, block.size, block.inner, rows.element_count(), rows.data<int32_t>(), floats(packed(source)), floats(c.result));
  return true;
}

bool fast_cumsum(Call& c) {
  if (!all_float32(c)) return false;
  const Tensor& x = c.input(0);
  const AxisBlock block = x.rank() ? block_of(x.shape(), normalize_axis(c.integer(0), x.rank())) : AxisBlock{};
  kernels::running_sum(block.outer, block.size, block.inner, floats(packed(x)), floats(c.result));
  return true;
}

bool fast_flip(Call& c) {
  if (!all_float32(c)) return false;
  const Tensor& x = c.input(0);
  if (x.element_count() == 0) return true;
  Shape strides = x.strides();
  const float* first = floats(x);
  for (Index axis : axes_of(c, 0, x.rank())) {
    const int i = static_cast<int>(axis);
    first += (x.size(i) - 1) * strides[i];
    strides[i] = -strides[i];
  }
  kernels::copy_strided(x.shape(), first, strides, floats(c.result));
  return true;
}

bool fast_rand(Call& c) {
  if (c.result.dtype() != DType::kFloat32) return false;
  kernels::fill_uniform(draw_for(c.result), c.result.element_count(), 0, 1, floats(c.result));
  return true;
}

bool fast_randn(Call& c) {
  if (c.result.dtype() != DType::kFloat32) return false;
  kernels::fill_normal(draw_for(c.result), c.result.element_count(), 0, 1, floats(c.result));
  return true;
}

bool fast_dropout_mask(Call& c) {
  if (c.result.dtype() != DType::kFloat32) return false;
  const double keep = 1 - c.number(1);
  kernels::fill_bernoulli(draw_for(c.result), c.result.element_count(), keep, keep > 0 ? static_cast<float>(1 / keep) : 0.0f, floats(c.result));
  return true;
}

bool find_axis_block(const Shape& shape, const Shape& axes, AxisBlock& block) {
  block = {};
  // 0: before the reduced axes, 1: among them, 2: behind them.
  int place = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 1) continue;
    const bool reduced = std::find(axes.begin(), axes.end(), axis) != axes.end();
    if (reduced && place == 2) return false;
    if (reduced) place = 1;
    if (!reduced && place == 1) place = 2;
    (place == 0 ? block.outer : place == 1 ? block.size : block.inner) *= shape[axis];
  }
  return true;
}

}  // namespace gradbook
