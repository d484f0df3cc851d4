// Products of matrices and vectors. Factorisations and solving are in decompose.cpp, einsum in einsum.cpp.
#include <algorithm>

#include "kernels/gemm.h"
#include "ops/fast.h"
#include "ops/table.h"
#include "ops/vocabulary.h"

namespace gradbook {
namespace {

// A product seen as batches of (m, k) times (k, n). A vector on the left is one row, on the right one column.
struct Product {
  Shape batch;        // common batch axes
  Index m, k, n;
  bool row, column;   // the left (right) side is a vector, so m (n) is no axis of the result
};

Product product_of(const Tensor& a, const Tensor& b) {
  if (a.rank() == 0 || b.rank() == 0) fail(ErrorCode::kShape, "a scalar cannot be a side of a matrix product (shapes ", a.shape(), " and ", b.shape(), "); use mul");
  Product p{};
  p.row = a.rank() == 1;
  p.column = b.rank() == 1;
  p.m = p.row ? 1 : a.shape().back(1);
  p.k = a.shape().back(0);
  p.n = p.column ? 1 : b.shape().back(0);
  const Index k = p.column ? b.size(0) : b.shape().back(1);
  if (p.k != k) {
    const bool turned = !p.column && b.rank() == 2 && b.shape().back(0) == p.k;
    fail(ErrorCode::kShape, "inner sizes differ: ", a.shape(), " and ", b.shape(), " (", p.k, " is not ", k, ")",
         turned ? "; did you mean to transpose the second?" : a.rank() > 2 && !p.column && b.rank() == 2 && a.element_count() / std::max<Index>(a.size(0), 1) == k ? "; did you forget flatten(1)?" : "");
  }
  auto batch_axes = [](const Tensor& t) {
    Shape axes;
    for (int i = 0; i + 2 < t.rank(); ++i) axes.push_back(t.size(i));
    return axes;
  };
  p.batch = broadcast(batch_axes(a), batch_axes(b));
  return p;
}

Shape shape_matmul(const Call& c) {
  const Product p = product_of(c.input(0), c.input(1));
  Shape shape = p.batch;
  if (!p.row) shape.push_back(p.m);
  if (!p.column) shape.push_back(p.n);
  return shape;
}

// The tensor as (batch..., rows, columns): vectors get their missing axis.
Tensor as_matrices(const Tensor& t, bool row, bool column) {
  Shape shape = t.shape(), strides = t.strides();
  if (row) {
    shape.insert(0, 1);
    strides.insert(0, 0);
  }
  if (column) {
    shape.push_back(1);
    strides.push_back(0);
  }
  return t.view(shape, strides);
}

// Strides of the batch axes of `t`, as (batch..., rows, columns), along the common batch.
Shape batch_strides(const Tensor& t, const Shape& batch) {
  Shape shape, strides;
  for (int i = 0; i + 2 < t.rank(); ++i) {
    shape.push_back(t.size(i));
    strides.push_back(t.strides()[i]);
  }
  return broadcast_strides(shape, strides, batch);
}

void forward_matmul(Call& c) {
  const Product p = product_of(c.input(0), c.input(1));
  const Tensor a = as_matrices(c.input(0), p.row, false), b = as_matrices(c.input(1), false, p.column);
  Shape of_result;
  {
    Index step = p.m * p.n;
    for (int i = p.batch.rank() - 1; i >= 0; --i, step *= p.batch[i + 1]) of_result.insert(0, step);
  }
  const Index a_row = a.strides().back(1), a_column = a.strides().back(0), b_row = b.strides().back(1), b_column = b.strides().back(0);
  dispatch(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using Sum = std::conditional_t<std::is_floating_point_v<T>, double, int64_t>;
    Walk walk(p.batch, {of_result, batch_strides(a, p.batch), batch_strides(b, p.batch)});
    for (bool more = walk.begin(); more; more = walk.next())
      for (Index i = 0; i < walk.count; ++i) {
        T* r = c.result.data<T>() + walk.at[0] + i * walk.step[0];
        const T* left = a.data<T>() + walk.at[1] + i * walk.step[1];
        const T* right = b.data<T>() + walk.at[2] + i * walk.step[2];
        for (Index row = 0; row < p.m; ++row) {
          check_interrupt();
          for (Index column = 0; column < p.n; ++column) {
            Sum sum = 0;
            for (Index j = 0; j < p.k; ++j) sum += static_cast<Sum>(left[row * a_row + j * a_column]) * static_cast<Sum>(right[j * b_row + column * b_column]);
            r[row * p.n + column] = static_cast<T>(sum);
          }
        }
      }
  });
}

// Transposed and sliced inputs go to the kernel with their strides; nothing is copied.
bool fast_matmul(Call& c) {
  if (!all_float32(c)) return false;
  const Product p = product_of(c.input(0), c.input(1));
  const Tensor a = as_matrices(c.input(0), p.row, false), b = as_matrices(c.input(1), false, p.column);
  const kernels::ConstMatrix left = {floats(a), a.strides().back(1), a.strides().back(0)}, right = {floats(b), b.strides().back(1), b.strides().back(0)};
  const kernels::Matrix to = {floats(c.result), p.n, 1};
  const Index batch = element_count(p.batch);
  if (batch == 1) {
    kernels::gemm(p.m, p.n, p.k, left, right, to);
    return true;
  }
  std::vector<Index> of_a, of_b, of_result;
  Walk walk(p.batch, {batch_strides(a, p.batch), batch_strides(b, p.batch)});
  for (bool more = walk.begin(); more; more = walk.next())
    for (Index i = 0; i < walk.count; ++i) {
      of_a.push_back(walk.at[0] + i * walk.step[0]);
      of_b.push_back(walk.at[1] + i * walk.step[1]);
      of_result.push_back(static_cast<Index>(of_result.size()) * p.m * p.n);
    }
  kernels::gemm_batched(batch, p.m, p.n, p.k, left, of_a.data(), right, of_b.data(), to, of_result.data());
  return true;
}

// All leading axes merged into one.
Tensor rows_of(const Tensor& t) { return t.rank() == 2 ? t : reshape(t, {t.element_count() / std::max<Index>(t.shape().back(0), 1), t.shape().back(0)}); }

// dA = G B^T, dB = A^T G, with vectors as matrices of one row or column.
Gradients gradient_matmul(const Call& c, const Tensor& grad) {
  const Tensor &a = c.input(0), &b = c.input(1);
  const bool row = a.rank() == 1, column = b.rank() == 1;
  Gradients gradients(2);
  Tensor g = grad;
  if (column) g = unsqueeze(g, -1);
  if (row) g = unsqueeze(g, -2);
  const Tensor left = row ? unsqueeze(a, 0) : a, right = column ? unsqueeze(b, 1) : b;
  if (c.needs_gradient(0)) {
    Tensor d = matmul(g, transposed(right));
    gradients[0] = row ? squeeze(d, -2) : d;
  }
  if (c.needs_gradient(1)) {
    // One product over all rows, instead of one per batch and a sum after it.
    const bool shared = right.rank() == 2 && left.rank() > 2 && left.element_count() > 0;
    Tensor d = shared ? matmul(transposed(rows_of(left)), rows_of(g)) : matmul(transposed(left), g);
    gradients[1] = column ? squeeze(d, -1) : d;
  }
  return gradients;
}

// -- linear: x weight^T + bias ------------------------------------------------------------------------------------------------

Shape shape_linear(const Call& c) {
  const Shape &x = c.input(0).shape(), &weight = c.input(1).shape();
  if (weight.rank() != 2) fail(ErrorCode::kShape, "`weight` must be (out features, in features), got shape ", weight);
  if (x.rank() == 0 || x.back() != weight[1]) {
    Index flat = 1;
    for (int axis = 1; axis < x.rank(); ++axis) flat *= x[axis];
    fail(ErrorCode::kShape, "the input ", x, " has ", x.rank() ? x.back() : 0, " features on its last axis, the weight ", weight, " expects ", weight[1], x.rank() > 2 && flat == weight[1] ? "; did you forget flatten(1)?" : "");
  }
  if (c.has_input(2) && !(c.input(2).shape() == Shape{weight[0]})) fail(ErrorCode::kShape, "`bias` must have ", weight[0], " elements, got shape ", c.input(2).shape());
  Shape shape = x;
  shape[x.rank() - 1] = weight[0];
  return shape;
}

void forward_linear(Call& c) {
  const Index in = c.input(1).size(1), out = c.input(1).size(0), rows = in ? c.input(0).element_count() / in : element_count(c.result.shape()) / std::max<Index>(out, 1);
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (Index row = 0; row < rows; ++row) {
      check_interrupt();
      for (Index o = 0; o < out; ++o) {
        double sum = c.has_input(2) ? static_cast<double>(c.input(2).data<T>()[o]) : 0;
        for (Index k = 0; k < in; ++k) sum += static_cast<double>(c.input(0).data<T>()[row * in + k]) * static_cast<double>(c.input(1).data<T>()[o * in + k]);
        c.result.data<T>()[row * out + o] = static_cast<T>(sum);
      }
    }
  });
}

bool fast_linear(Call& c) {
  if (!all_float32(c)) return false;
  const Index in = c.input(1).size(1), out = c.input(1).size(0), rows = out ? c.result.element_count() / out : 0;
  kernels::gemm(rows, out, in, {floats(c.input(0)), in, 1}, {floats(c.input(1)), 1, in}, {floats(c.result), out, 1},
                {.column_bias = c.has_input(2) ? floats(c.input(2)) : nullptr});
  return true;
}

// dx = g W, dW = g^T x over all rows, db = g (the tape sums it to the shape of the bias)
Gradients gradient_linear(const Call& c, const Tensor& grad) {
  Gradients gradients(3);
  if (c.needs_gradient(0)) gradients[0] = matmul(grad, c.input(1));
  if (c.needs_gradient(1)) {
    const Index in = c.input(1).size(1), out = c.input(1).size(0), rows = out ? grad.element_count() / out : 0;
    gradients[1] = matmul(transposed(reshape(grad, {rows, out})), reshape(c.input(0), {rows, in}));
  }
  if (c.has_input(2)) gradients[2] = grad;
  return gradients;
}

Tensor compose_bmm(const Call& c) {
  const Shape &a = c.input(0).shape(), &b = c.input(1).shape();
  if (a.rank() != 3 || b.rank() != 3 || a[0] != b[0]) fail(ErrorCode::kShape, "needs (batch, m, k) and (batch, k, n), got ", a, " and ", b, "; matmul broadcasts");
  return matmul(c.input(0), c.input(1));
}
Tensor compose_dot(const Call& c) {
  const Shape &a = c.input(0).shape(), &b = c.input(1).shape();
  if (a.rank() != 1 || !(a == b)) fail(ErrorCode::kShape, "needs two vectors of one length, got ", a, " and ", b);
  return matmul(c.input(0), c.input(1));
}
Tensor compose_outer(const Call& c) {
  const Shape &a = c.input(0).shape(), &b = c.input(1).shape();
  if (a.rank() != 1 || b.rank() != 1) fail(ErrorCode::kShape, "needs two vectors, got ", a, " and ", b);
  return unsqueeze(c.input(0), 1) * c.input(1);
}

constexpr OpRow kLinalg[] = {
    {.name = "matmul",
     .summary = "Matrix product over the last two axes; leading axes broadcast, and a vector is a row on the left, a column on the right.",
     .example = "tensor([[1, 2], [3, 4]]).matmul(tensor([[1], [10]]))", .gives = "[[21], [43]]",
     .params = {tensor("x"), tensor("y")},
     .formula = "C_{ij} = \\sum_k A_{ik} B_{kj}",
     .shape = shape_matmul,
     .forward = forward_matmul,
     .fast = fast_matmul,
     .gradient = gradient_matmul,
     .arithmetic = Arithmetic::kProduct,
     .strided = true,
     .samples = {{"2x3,3x4"}, {"3,3x2"}, {"2x3,3"}, {"3,3"}, {"2x1x2x3,4x3x2"}, {"2x2x3,3x2"}, {"1x0,0x3"}, {"0x2,2x3"}, {"3,2x3x2"}, {"17x9,9x5"}},
     .misuses = {{"2x3,2x3", "", "inner sizes differ: [2, 3] and [2, 3] (3 is not 2); did you mean to transpose the second?"},
                 {",3", "", "use mul"},
                 {"2x3x4,3x4x5", "", "do not broadcast"},
                 {"5x2x3,6x4", "", "flatten(1)"}}},

    {.name = "linear",
     .summary = "A fully connected layer: x times the transposed weight (out features, in features), plus the bias. Acts on the last axis.",
     .example = "tensor([1, 2]).linear(tensor([[1, 1], [0, 3]]), tensor([10, 20]))", .gives = "[13, 26]",
     .params = {tensor("x"), tensor("weight"), optional_tensor("bias")},
     .formula = "x W^\\top + b",
     .result_type = ResultType::kFloating,
     .shape = shape_linear,
     .forward = forward_linear,
     .fast = fast_linear,
     .gradient = gradient_linear,
     .arithmetic = Arithmetic::kProduct,
     .samples = {{"2x3,4x3,4"}, {"3,4x3,-"}, {"2x5x3,4x3,4"}, {"0x3,4x3,4"}, {"1x3,1x3,1"}, {"9x17,5x17,5"}},
     .misuses = {{"2x3,3x4,-", "", "has 3 features on its last axis, the weight [3, 4] expects 4"}, {"2x3x4,5x12,-", "", "did you forget flatten(1)?"}, {"2x3,4x3,3", "", "`bias` must have 4 elements"}}},

    {.name = "bmm",
     .summary = "matmul of two batches of matrices: (batch, m, k) times (batch, k, n).",
     .example = "tensor([[[1, 2]]]).bmm(tensor([[[3], [4]]]))", .gives = "[[[11]]]",
     .params = {tensor("x"), tensor("y")},
     .compose = compose_bmm,
     .samples = {{"2x3x4,2x4x5"}, {"0x3x4,0x4x5"}},
     .misuses = {{"2x3,3x4", "", "(batch, m, k)"}, {"2x3x4,3x4x5", "", "(batch, m, k)"}}},

    {.name = "dot",
     .summary = "Sum of the products of two vectors.",
     .example = "tensor([1, 2]).dot(tensor([3, 4]))", .gives = "11",
     .params = {tensor("x"), tensor("y")},
     .compose = compose_dot,
     .samples = {{"3,3"}, {"0,0"}},
     .misuses = {{"3,4", "", "two vectors of one length, got [3] and [4]"}, {"2x3,3", "", "two vectors"}}},

    {.name = "outer",
     .summary = "Table of the products of every element of one vector with every element of another.",
     .example = "tensor([1, 2]).outer(tensor([3, 4]))", .gives = "[[3, 4], [6, 8]]",
     .params = {tensor("x"), tensor("y")},
     .compose = compose_outer,
     .samples = {{"3,4"}, {"0,2"}},
     .misuses = {{"2x3,3", "", "two vectors"}}},
};

}  // namespace

GRADBOOK_FAMILY(linalg, kLinalg)

}  // namespace gradbook
