// Products of matrices and vectors. Factorisations and solving are in decompose.cpp, einsum in einsum.cpp.
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
  if (a.rank() == 0 || b.rank() == 0) fail(ErrorCode::kShape, "a scalar cannot be a side of a matrix product (shapes ", to_string(a.shape()), " and ", to_string(b.shape()), "); use mul");
  Product p{};
  p.row = a.rank() == 1;
  p.column = b.rank() == 1;
  p.m = p.row ? 1 : a.shape().back(1);
  p.k = a.shape().back(0);
  p.n = p.column ? 1 : b.shape().back(0);
  const Index k = p.column ? b.size(0) : b.shape().back(1);
  if (p.k != k) {
    const bool turned = !p.column && b.rank() == 2 && b.shape().back(0) == p.k;
    fail(ErrorCode::kShape, "inner sizes differ: ", to_string(a.shape()), " and ", to_string(b.shape()), " (", p.k, " is not ", k, ")",
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

constexpr Op kLinalg[] = {
    {.name = "matmul",
     .summary = "Matrix product over the last two axes; leading axes broadcast, and a vector is a row on the left, a column on the right.",
     .example = "tensor([[1, 2], [3, 4]]).matmul(tensor([[1], [10]]))", .gives = "[[21], [43]]",
     .params = {tensor("x"), tensor("y")},
     .formula = "C_{ij} = \\sum_k A_{ik} B_{kj}",
     .shape = shape_matmul,
     .forward = forward_matmul,
     .gradient = gradient_matmul,
     .strided = true,
     .samples = {{"2x3,3x4"}, {"3,3x2"}, {"2x3,3"}, {"3,3"}, {"2x1x2x3,4x3x2"}, {"2x2x3,3x2"}, {"1x0,0x3"}, {"0x2,2x3"}, {"3,2x3x2"}, {"17x9,9x5"}},
     .misuses = {{"2x3,2x3", "", "inner sizes differ: [2, 3] and [2, 3] (3 is not 2); did you mean to transpose the second?"},
                 {",3", "", "use mul"},
                 {"2x3x4,3x4x5", "", "do not broadcast"},
                 {"5x2x3,6x4", "", "flatten(1)"}}},
};

}  // namespace

std::span<const Op> linalg_ops() { return checked<kLinalg>(); }

}  // namespace gradbook
