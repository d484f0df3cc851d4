// Attention, PyTorch's formulas. The layers that own the weights are engine/api's; recurrence is in recurrent.cpp.
#include <algorithm>
#include <vector>

#include "kernels/attention.h"
#include "ops/fast.h"
#include "ops/table.h"
#include "ops/softmax.h"
#include "ops/vocabulary.h"

namespace gradbook {
namespace {

// -- weights: inputs query (batch..., queries, features), key (batch..., keys, features), mask; attribute scale --------------------------

Shape batch_of(const Tensor& t) {
  Shape axes;
  for (int i = 0; i + 2 < t.rank(); ++i) axes.push_back(t.size(i));
  return axes;
}
Shape batch_strides(const Tensor& t) {
  Shape strides;
  for (int i = 0; i + 2 < t.rank(); ++i) strides.push_back(t.strides()[i]);
  return strides;
}
// `batch` with two more axes.
Shape with_matrix(Shape batch, Index rows, Index columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

Shape shape_weights(const Call& c) {
  const Tensor &q = c.input(0), &k = c.input(1);
  if (q.rank() < 2 || q.rank() != k.rank() || !(batch_of(q) == batch_of(k)) || q.shape().back() != k.shape().back())
    fail(ErrorCode::kShape, "needs queries and keys of the same features and batch, got ", q.shape(), " and ", k.shape());
  const Shape shape = with_matrix(batch_of(q), q.shape().back(1), k.shape().back(1));
  if (c.has_input(2) && !(broadcast(shape, c.input(2).shape()) == shape)) fail(ErrorCode::kShape, "a mask for weights ", shape, " is needed, got ", c.input(2).shape());
  return shape;
}

// The mask repeated to the shape of the result.
Tensor wide_mask(const Call& c) { return c.has_input(2) ? c.input(2).view(c.result.shape(), strides_along(c.input(2), c.result.shape())) : Tensor(); }

// In double for all dtypes.
void forward_weights(Call& c) {
  if (c.result.element_count() == 0) return;
  const auto doubles = [](const Tensor& t) { return t.contiguous().converted(DType::kFloat64); };
  const Tensor q = doubles(c.input(0)), k = doubles(c.input(1)), wide = wide_mask(c), mask = wide.defined() ? doubles(wide) : wide, all = Tensor::empty(c.result.shape(), DType::kFloat64);
  const Index queries = q.shape().back(1), keys = k.shape().back(1), features = q.shape().back();
  for (Index row = 0; row < all.element_count() / keys; ++row) {
    check_interrupt();
    const double *left = q.data<double>() + row * features, *right = k.data<double>() + row / queries * keys * features;
    double *line = all.data<double>() + row * keys, most = -HUGE_VAL, total = 0;
    for (Index j = 0; j < keys; ++j) {
      double sum = 0;
      for (Index i = 0; i < features; ++i) sum += left[i] * right[j * features + i];
      sum = sum * c.number(0) + (mask.defined() ? mask.data<double>()[row * keys + j] : 0);
      line[j] = sum;
      if (sum != sum || sum > most) most = sum;
    }
    for (Index j = 0; j < keys; ++j) total += line[j] = std::exp(line[j] - most);
    for (Index j = 0; j < keys; ++j) line[j] /= total;
  }
  c.result.copy_from(all);
}

// Heads cut out of a projection are read where they lie.
bool fast_weights(Call& c) {
  if (!all_float32(c)) return false;
  if (c.result.element_count() == 0) return true;
  const Tensor &q = c.input(0), &k = c.input(1);
  Tensor mask = wide_mask(c);
  if (mask.defined() && mask.strides().back() != 1 && mask.shape().back() != 1) mask = packed(mask);
  const Shape batch = batch_of(q);
  std::vector<Index> of_q, of_k, of_mask;
  Walk walk(batch, {batch_strides(q), batch_strides(k), batch_strides(mask.defined() ? mask : q)});
  for (bool more = walk.begin(); more; more = walk.next())
    for (Index i = 0; i < walk.count; ++i) {
      of_q.push_back(walk.at[0] + i * walk.step[0]);
      of_k.push_back(walk.at[1] + i * walk.step[1]);
      of_mask.push_back(walk.at[2] + i * walk.step[2]);
    }
  const auto matrix = [](const Tensor& t) { return kernels::ConstMatrix{floats(t), t.strides().back(1), t.strides().back()}; };
  kernels::attention_weights({static_cast<Index>(of_q.size()), q.shape().back(1), k.shape().back(1), q.shape().back()}, matrix(q), of_q.data(), matrix(k), of_k.data(),
                             mask.defined() ? matrix(mask) : kernels::ConstMatrix{}, of_mask.data(), static_cast<float>(c.number(0)), floats(c.result));
  return true;
}

// With s the weights and d = s (g - sum(g s)): scale d k, scale d^T q, and d for the mask.
Gradients gradient_weights(const Call& c, const Tensor& grad) {
  const double scale = c.number(0);
  const Tensor d = softmax_gradient(grad, c.result);
  Gradients gradients(3);
  if (c.needs_gradient(0)) gradients[0] = matmul(d, c.input(1)) * scale;
  if (c.needs_gradient(1)) gradients[1] = matmul(transposed(d), c.input(0)) * scale;
  if (c.has_input(2)) gradients[2] = d;
  return gradients;
}

// -- scaled dot-product attention: inputs query, key, value, mask; attributes dropoutP, isCausal, scale -------------------------------

// `t` with these batch axes in front of its matrices.
Tensor with_batch(const Tensor& t, const Shape& batch) { return batch_of(t) == batch ? t : expand(t, with_matrix(batch, t.shape().back(1), t.shape().back())); }

Tensor compose_attention(const Call& c) {
  const Tensor &q = c.input(0), &k = c.input(1), &v = c.input(2);
  Tensor mask = c.input(3);
  for (int i = 0; i < 3; ++i)
    if (c.input(i).rank() < 2) fail(ErrorCode::kShape, "needs (..., length, features), got shape ", c.input(i).shape());
  if (q.shape().back() != k.shape().back() || k.shape().back(1) != v.shape().back(1))
    fail(ErrorCode::kShape, "query ", q.shape(), " and key ", k.shape(), " need the same features, key and value ", v.shape(), " the same length");
  const double scale = c.has(2) ? c.number(2) : 1 / std::sqrt(static_cast<double>(std::max<Index>(q.shape().back(), 1)));
  if (c.boolean(1)) {
    if (mask.defined()) fail(ErrorCode::kValue, "takes either `mask` or `isCausal`");
    const Index rows = q.shape().back(1), columns = k.shape().back(1);
    mask = Tensor::zeros({rows, columns});
    for (Index i = 0; i < rows; ++i)
      for (Index j = i + 1; j < columns; ++j) mask.data<float>()[i * columns + j] = -INFINITY;
  } else if (mask.defined() && !is_floating(mask.dtype())) {
    mask = where(mask, literal(0), literal(-HUGE_VAL));
  }
  Shape batch = broadcast(batch_of(q), batch_of(k));
  if (mask.defined()) batch = broadcast(batch, batch_of(mask));
  Tensor weights = op<"attentionWeights">({with_batch(q, batch), with_batch(k, batch), mask}, {scale});
  if (c.number(0) > 0) weights = op<"dropout">({weights}, {c.number(0)});
  return matmul(weights, v);
}

constexpr OpRow kAttention[] = {
    {.name = "attentionWeights",
     .summary = "For every query the share of each key: softmax over the keys of scale times query times key, plus the mask. What attention weights its values with.",
     .example = "tensor([[0]]).attentionWeights(tensor([[1], [2]]))", .gives = "[[0.5, 0.5]]",
     .params = {tensor("query"), tensor("key"), optional_tensor("mask"), number("scale", 1)},
     .result_type = ResultType::kFloating,
     .shape = shape_weights,
     .forward = forward_weights,
     .fast = fast_weights,
     .gradient = gradient_weights,
     .arithmetic = Arithmetic::kProduct,
     .strided = true,
     .internal = true,
     .samples = {{"2x3x4,2x5x4,-"}, {"3x4,2x4,3x2", "0.5"}, {"2x1x3x4,2x1x3x4,2x1x1x3", "-0.5"}, {"2x9x4,2x17x4,17"}, {"2x3x4,2x5x4,3x1"}, {"2x30x4,2x70x4,-"}},
     .misuses = {{"2x3x4,3x4,-", "", "the same features and batch"}, {"3x4,2x4,3x3", "", "do not broadcast"}, {"3x4,2x4,2x3x2", "", "a mask for weights [3, 2] is needed"}}},

    {.name = "scaledDotProductAttention",
     .summary = "For every query the average of the values, weighted by softmax of query times key. A bool mask says which keys may be seen, a floating one is added; isCausal hides later ones.",
     .example = "tensor([[0], [0]]).scaledDotProductAttention(tensor([[1], [2]]), tensor([[2], [4]]), { isCausal: true })", .gives = "[[2], [3]]",
     .params = {tensor("query"), tensor("key"), tensor("value"), optional_tensor("mask"), number("dropoutP", 0), boolean("isCausal", false), optional_number("scale")},
     .formula = "\\operatorname{softmax}\\!\\left(\\frac{Q K^\\top}{\\sqrt{d}}\\right) V",
     .compose = compose_attention,
     .samples = {{"2x3x4,2x5x4,2x5x2,-"}, {"3x2,3x2,3x2,-", "0 ; true"}, {"1x2x3x4,1x2x3x4,1x2x3x4,3x3"}, {"2x3,2x3,2x3,-", "0 ; false ; 0.5"}},
     .misuses = {{"3x4,3x2,3x4,-", "", "need the same features"}, {"3,3x2,3x2,-", "", "(..., length, features)"}, {"3x2,3x2,3x2,3x3", "0 ; true", "either `mask` or `isCausal`"}}},
};

}  // namespace

GRADBOOK_FAMILY(attention, kAttention)

}  // namespace gradbook
