// Parts of matrices and factorisations of small ones, over the last two axes of batches. Products are in linalg.cpp.
#include <algorithm>
#include <vector>

#include "ops/table.h"
#include "ops/vocabulary.h"

namespace gradbook {
namespace {

void check_matrix(const Tensor& x) {
  if (x.rank() < 2) fail(ErrorCode::kShape, "needs matrices of shape (..., rows, columns), got ", x.shape());
}
void check_square(const Tensor& x) {
  if (x.rank() < 2 || x.shape().back(0) != x.shape().back(1)) fail(ErrorCode::kShape, "needs square matrices of shape (..., n, n), got ", x.shape());
}
Shape square_shape(const Call& c) {
  check_square(c.input(0));
  return c.input(0).shape();
}

// -- triangles and diagonals ------------------------------------------------------------------------------------------------

// x where column - row <= diagonal (lower) or >= diagonal (upper), else 0.
Tensor triangle(const Tensor& x, Index diagonal, bool lower) {
  check_matrix(x);
  const Index rows = x.shape().back(1), columns = x.shape().back(0);
  const Tensor mask = Tensor::empty({rows, columns}, DType::kBool);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) mask.data<bool>()[i * columns + j] = lower ? j - i <= diagonal : j - i >= diagonal;
  return where(mask, x, literal(0));
}

// The diagonal of a matrix (a view where possible), or a matrix with this diagonal.
Tensor compose_diag(const Call& c) {
  const Tensor& x = c.input(0);
  const Index k = c.integer(0), away = k < 0 ? -k : k;
  if (x.rank() == 1) {
    const Index n = x.size(0) + away, start = k >= 0 ? k : away * n;
    if (x.size(0) == 0) return Tensor::zeros({n, n}, x.dtype());
    return reshape(op<"unslice">({x}, {n * n, start, 0, n + 1}), {n, n});
  }
  if (x.rank() != 2) fail(ErrorCode::kShape, "needs a vector or a matrix, got shape ", x.shape());
  const Index rows = x.size(0), columns = x.size(1);
  const Index length = std::max<Index>(0, std::min(k >= 0 ? rows : rows - away, k >= 0 ? columns - away : columns));
  const Index start = k >= 0 ? k : away * columns;
  return slice(reshape(x, {rows * columns}), start, length ? start + (length - 1) * (columns + 1) + 1 : start, 0, columns + 1);
}

// -- factorisations: plain loops in double on one matrix at a time ------------------------------------------------------------

// Row-major n x m in double.
struct Matrix {
  Index rows, columns;
  std::vector<double> values;
  Matrix(Index n, Index m) : rows(n), columns(m), values(static_cast<size_t>(n * m), 0.0) {}
  double& at(Index i, Index j) { return values[static_cast<size_t>(i * columns + j)]; }
  double at(Index i, Index j) const { return values[static_cast<size_t>(i * columns + j)]; }
};

template <class T>
Matrix read(const Tensor& x, Index which) {
  Matrix m(x.shape().back(1), x.shape().back(0));
  const T* from = x.data<T>() + which * m.rows * m.columns;
  for (size_t i = 0; i < m.values.size(); ++i) m.values[i] = static_cast<double>(from[i]);
  return m;
}
template <class T>
void write(const Matrix& m, const Tensor& x, Index which) {
  T* to = x.data<T>() + which * m.rows * m.columns;
  for (size_t i = 0; i < m.values.size(); ++i) to[i] = static_cast<T>(m.values[i]);
}
Index batch_of(const Tensor& x) {
  const Index size = x.shape().back(0) * x.shape().back(1);
  return size ? x.element_count() / size : 0;
}

// Gaussian elimination with row exchanges: a becomes triangular, b is carried along. Returns the determinant.
double eliminate(Matrix& a, Matrix& b) {
  const Index n = a.rows;
  double determinant = 1;
  for (Index k = 0; k < n; ++k) {
    Index pivot = k;
    for (Index i = k + 1; i < n; ++i)
      if (std::fabs(a.at(i, k)) > std::fabs(a.at(pivot, k))) pivot = i;
    if (a.at(pivot, k) == 0) return 0;
    if (pivot != k) {
      for (Index j = 0; j < n; ++j) std::swap(a.at(k, j), a.at(pivot, j));
      for (Index j = 0; j < b.columns; ++j) std::swap(b.at(k, j), b.at(pivot, j));
      determinant = -determinant;
    }
    determinant *= a.at(k, k);
    for (Index i = k + 1; i < n; ++i) {
      const double factor = a.at(i, k) / a.at(k, k);
      if (factor == 0) continue;
      for (Index j = k; j < n; ++j) a.at(i, j) -= factor * a.at(k, j);
      for (Index j = 0; j < b.columns; ++j) b.at(i, j) -= factor * b.at(k, j);
    }
  }
  return determinant;
}

// x with a x = b. Throws for a singular a.
Matrix solved(Matrix a, Matrix b, Index which) {
  if (eliminate(a, b) == 0 && a.rows > 0) fail(ErrorCode::kValue, "matrix ", which, " of the batch is singular: its rows are not independent");
  for (Index i = a.rows - 1; i >= 0; --i)
    for (Index j = 0; j < b.columns; ++j) {
      double sum = b.at(i, j);
      for (Index k = i + 1; k < a.rows; ++k) sum -= a.at(i, k) * b.at(k, j);
      b.at(i, j) = sum / a.at(i, i);
    }
  return b;
}

// a (batch, n, n), b (batch, n, m)
void forward_solve(Call& c) {
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (Index i = 0; i < batch_of(c.result); ++i) {
      check_interrupt();
      write<T>(solved(read<T>(c.input(0), i), read<T>(c.input(1), i), i), c.result, i);
    }
  });
}
Shape shape_solve(const Call& c) {
  const Shape &a = c.input(0).shape(), &b = c.input(1).shape();
  check_square(c.input(0));
  if (a.rank() != 3 || b.rank() != 3 || a[0] != b[0] || a[1] != b[1]) fail(ErrorCode::kShape, "needs (batch, n, n) and (batch, n, m), got ", a, " and ", b);
  return b;
}
// X = A^-1 B: dB = A^-T G, dA = -dB X^T
Gradients gradient_solve(const Call& c, const Tensor& grad) {
  const Tensor of_b = op<"solveBatch">({transposed(c.input(0)), grad});
  return {c.needs_gradient(0) ? -matmul(of_b, transposed(c.result)) : Tensor(), of_b};
}

// a and b with the same batch axes, merged into one.
Tensor solve(const Tensor& a, const Tensor& b) {
  check_square(a);
  const Index n = a.shape().back();
  // As in PyTorch: a vector, or a batch of vectors when b has the shape of a without its last axis.
  Shape vectors = a.shape();
  vectors.erase(a.rank() - 1);
  const bool is_vector = b.rank() == 1 || (a.rank() > 2 && b.shape() == vectors);
  const Tensor right = is_vector ? unsqueeze(b, -1) : b;
  if (right.rank() < 2 || right.shape().back(1) != n) fail(ErrorCode::kShape, "matrices ", a.shape(), " need a right side with ", n, " rows, got ", b.shape());
  auto batch = [](const Tensor& t) {
    Shape s = t.shape();
    s.erase(t.rank() - 1);
    s.erase(t.rank() - 2);
    return s;
  };
  const Shape common = broadcast(batch(a), batch(right));
  auto merged = [&](const Tensor& t) {
    Shape wide = common;
    wide.push_back(t.shape().back(1));
    wide.push_back(t.shape().back(0));
    return reshape(expand(t, wide), {element_count(common), t.shape().back(1), t.shape().back(0)});
  };
  Shape shape = common;
  shape.push_back(n);
  if (!is_vector) shape.push_back(right.shape().back());
  return reshape(op<"solveBatch">({merged(a), merged(right)}), shape);
}

void forward_inverse(Call& c) {
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (Index i = 0; i < batch_of(c.result); ++i) {
      check_interrupt();
      const Matrix a = read<T>(c.input(0), i);
      Matrix one(a.rows, a.rows);
      for (Index k = 0; k < a.rows; ++k) one.at(k, k) = 1;
      write<T>(solved(a, one, i), c.result, i);
    }
  });
}

void forward_det(Call& c) {
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    // The determinant of nothing is 1.
    for (Index i = 0; i < c.result.element_count(); ++i) {
      Matrix a = read<T>(c.input(0), i), none(a.rows, 0);
      c.result.data<T>()[i] = static_cast<T>(eliminate(a, none));
    }
  });
}

// L with L L^T = (A + A^T) / 2
void forward_cholesky(Call& c) {
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (Index which = 0; which < batch_of(c.result); ++which) {
      check_interrupt();
      const Matrix a = read<T>(c.input(0), which);
      Matrix l(a.rows, a.rows);
      for (Index i = 0; i < a.rows; ++i)
        for (Index j = 0; j <= i; ++j) {
          double sum = (a.at(i, j) + a.at(j, i)) / 2;
          for (Index k = 0; k < j; ++k) sum -= l.at(i, k) * l.at(j, k);
          if (i == j && !(sum > 0)) fail(ErrorCode::kValue, "matrix ", which, " of the batch is not positive definite");
          l.at(i, j) = i == j ? std::sqrt(sum) : sum / l.at(j, j);
        }
      write<T>(l, c.result, which);
    }
  });
}
// S = L^-T phi(L^T G) L^-1 with phi = lower triangle, diagonal halved; dA = (S + S^T) / 2
Gradients gradient_cholesky(const Call& c, const Tensor& grad) {
  const Tensor &l = c.result, turned = transposed(l);
  const Tensor product = matmul(turned, grad);
  const Tensor phi = (triangle(product, 0, true) + triangle(product, -1, true)) * 0.5;
  const Tensor s = transposed(solve(turned, transposed(solve(turned, phi))));
  return {(s + transposed(s)) * 0.5};
}

// Householder reflections, with LAPACK's signs. q (n, k) and r (k, m), k = min(n, m).
void factor(const Matrix& a, Matrix& q, Matrix& r) {
  const Index n = a.rows, m = a.columns, k = std::min(n, m);
  Matrix work = a;
  std::vector<std::vector<double>> reflections;
  for (Index j = 0; j < k; ++j) {
    std::vector<double> v(static_cast<size_t>(n), 0.0);
    double below = 0, length = 0;
    for (Index i = j + 1; i < n; ++i) below += work.at(i, j) * work.at(i, j);
    length = std::sqrt(work.at(j, j) * work.at(j, j) + below);
    if (below > 0) {
      for (Index i = j; i < n; ++i) v[static_cast<size_t>(i)] = work.at(i, j);
      v[static_cast<size_t>(j)] += work.at(j, j) < 0 ? -length : length;
    }
    double square = 0;
    for (double x : v) square += x * x;
    auto reflect = [&](Matrix& of) {
      if (square == 0) return;
      for (Index column = 0; column < of.columns; ++column) {
        double dot = 0;
        for (Index i = j; i < n; ++i) dot += v[static_cast<size_t>(i)] * of.at(i, column);
        for (Index i = j; i < n; ++i) of.at(i, column) -= 2 * dot / square * v[static_cast<size_t>(i)];
      }
    };
    reflect(work);
    reflections.push_back(v);
  }
  for (Index i = 0; i < k; ++i)
    for (Index j = i; j < m; ++j) r.at(i, j) = work.at(i, j);
  for (Index i = 0; i < k; ++i) q.at(i, i) = 1;
  for (size_t at = reflections.size(); at-- > 0;) {
    const std::vector<double>& v = reflections[at];
    double square = 0;
    for (double x : v) square += x * x;
    if (square == 0) continue;
    for (Index column = 0; column < k; ++column) {
      double dot = 0;
      for (Index i = 0; i < n; ++i) dot += v[static_cast<size_t>(i)] * q.at(i, column);
      for (Index i = 0; i < n; ++i) q.at(i, column) -= 2 * dot / square * v[static_cast<size_t>(i)];
    }
  }
}

template <bool kQ>
Shape shape_qr(const Call& c) {
  check_matrix(c.input(0));
  Shape shape = c.input(0).shape();
  const int last = shape.rank() - 1;
  const Index k = std::min(shape[last], shape[last - 1]);
  shape[kQ ? last : last - 1] = k;
  return shape;
}
template <bool kQ>
void forward_qr(Call& c) {
  const Index n = c.input(0).shape().back(1), m = c.input(0).shape().back(0), k = std::min(n, m);
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (Index i = 0; i < batch_of(c.result); ++i) {
      check_interrupt();
      Matrix q(n, k), r(k, m);
      factor(read<T>(c.input(0), i), q, r);
      write<T>(kQ ? q : r, c.result, i);
    }
  });
}
// M = R dR^T - dQ^T Q; dA = (dQ + Q (tril(M) + tril(M, -1)^T)) R^-T, for A with at least as many rows as columns.
Tensor tall_qr_gradient(const Tensor& q, const Tensor& r, const Tensor& dq, const Tensor& dr) {
  Tensor m = dr.defined() ? matmul(r, transposed(dr)) : Tensor();
  if (dq.defined()) m = m.defined() ? m - matmul(transposed(dq), q) : -matmul(transposed(dq), q);
  const Tensor turned = matmul(q, triangle(m, 0, true) + transposed(triangle(m, -1, true)));
  return transposed(solve(r, transposed(dq.defined() ? dq + turned : turned)));
}
// A wide A = (X Y), R = (U V): Q and U come from the square X, and V = Q^T Y. So dY = Q dV, and dQ gains Y dV^T.
template <bool kQ>
Gradients gradient_qr(const Call& c, const Tensor& grad) {
  const Tensor& a = c.input(0);
  const Tensor q = kQ ? c.result : op<"qrQ">({a}), r = kQ ? op<"qrR">({a}) : c.result;
  const Index n = a.shape().back(1), m = a.shape().back(0);
  if (n >= m) return {tall_qr_gradient(q, r, kQ ? grad : Tensor(), kQ ? Tensor() : grad)};
  const Tensor u = slice(r, 0, n, -1), y = slice(a, n, m, -1);
  if (kQ) return {concat({tall_qr_gradient(q, u, grad, {}), y * 0.0}, -1)};
  const Tensor du = slice(grad, 0, n, -1), dv = slice(grad, n, m, -1);
  return {concat({tall_qr_gradient(q, u, matmul(y, transposed(dv)), du), matmul(q, dv)}, -1)};
}

constexpr OpRow kMatrix[] = {
    {.name = "tril",
     .summary = "The lower triangle of matrices: zero where the column is more than `diagonal` behind the row.",
     .example = "tensor([[1, 2], [3, 4]]).tril()", .gives = "[[1, 0], [3, 4]]",
     .params = {tensor("x"), integer("diagonal", 0)},
     .compose = [](const Call& c) { return triangle(c.input(0), c.integer(0), true); },
     .samples = {{"3x4"}, {"2x3x3", "-1"}, {"4x2", "1"}, {"0x3"}},
     .misuses = {{"3", "", "(..., rows, columns)"}}},

    {.name = "triu",
     .summary = "The upper triangle of matrices: zero where the column is less than `diagonal` behind the row.",
     .example = "tensor([[1, 2], [3, 4]]).triu()", .gives = "[[1, 2], [0, 4]]",
     .params = {tensor("x"), integer("diagonal", 0)},
     .compose = [](const Call& c) { return triangle(c.input(0), c.integer(0), false); },
     .samples = {{"3x4"}, {"2x3x3", "-1"}, {"4x2", "1"}, {"0x3"}},
     .misuses = {{"3", "", "(..., rows, columns)"}}},

    {.name = "diag",
     .summary = "The diagonal of a matrix, or the matrix with this diagonal and zeros elsewhere.",
     .example = "tensor([1, 2]).diag()", .gives = "[[1, 0], [0, 2]]",
     .params = {tensor("x"), integer("diagonal", 0)},
     .compose = compose_diag,
     .samples = {{"3"}, {"3", "1"}, {"2", "-2"}, {"3x4"}, {"3x4", "2"}, {"4x3", "-1"}, {"2x2", "5"}, {"0"}},
     .misuses = {{"2x3x4", "", "a vector or a matrix"}}},

    {.name = "trace",
     .summary = "Sum of the diagonal of a matrix.",
     .example = "tensor([[1, 2], [3, 4]]).trace()", .gives = "5",
     .params = {tensor("x")},
     .compose = [](const Call& c) {
       if (c.input(0).rank() != 2) fail(ErrorCode::kShape, "needs a matrix, got shape ", c.input(0).shape());
       return sum(op<"diag">({c.input(0)}));
     },
     .samples = {{"3x4"}, {"2x2"}},
     .misuses = {{"3", "", "needs a matrix"}}},

    {.name = "solveBatch",
     .summary = "solve for (batch, n, n) and (batch, n, m).",
     .example = "tensor([[[2]]]).solveBatch(tensor([[[6]]]))", .gives = "[[[3]]]",
     .params = {tensor("a"), tensor("b")},
     .result_type = ResultType::kFloating,
     .shape = shape_solve,
     .forward = forward_solve,
     .gradient = gradient_solve,
     .internal = true,
     .samples = {{.shapes = "2x3x3,2x3x2", .diagonal = 4}, {.shapes = "0x2x2,0x2x3"}}},

    {.name = "solve",
     .summary = "The x with a x = b, for square matrices a and a vector or matrix b; leading axes broadcast.",
     .example = "tensor([[2, 0], [0, 4]]).solve(tensor([2, 8]))", .gives = "[1, 2]",
     .params = {tensor("a"), tensor("b")},
     .compose = [](const Call& c) { return solve(c.input(0), c.input(1)); },
     .samples = {{.shapes = "3x3,3", .diagonal = 4}, {.shapes = "2x3x3,3x2", .diagonal = 4}, {.shapes = "2x3x3,2x3", .diagonal = 4}},
     .misuses = {{"2x3,2", "", "needs square matrices"}, {"3x3,2", "", "need a right side with 3 rows, got [2]"}}},

    {.name = "inverse",
     .summary = "The matrix that undoes this one.",
     .example = "tensor([[2, 0], [0, 4]]).inverse()", .gives = "[[0.5, 0], [0, 0.25]]",
     .params = {tensor("x")},
     .result_type = ResultType::kFloating,
     .shape = square_shape,
     .forward = forward_inverse,
     // d A^-1 = -A^-T G A^-T
     .gradient = [](const Call& c, const Tensor& grad) {
       const Tensor turned = transposed(c.result);
       return Gradients{-matmul(matmul(turned, grad), turned)};
     },
     .samples = {{.shapes = "3x3", .diagonal = 4}, {.shapes = "2x2x2", .diagonal = 4}, {.shapes = "0x0"}},
     .misuses = {{"2x3", "", "needs square matrices"}}},

    {.name = "det",
     .summary = "Determinant: by how much a matrix scales volumes.",
     .example = "tensor([[1, 2], [3, 4]]).det()", .gives = "-2",
     .params = {tensor("x")},
     .result_type = ResultType::kFloating,
     .shape = [](const Call& c) {
       Shape shape = square_shape(c);
       shape.erase(shape.rank() - 1);
       shape.erase(shape.rank() - 1);
       return shape;
     },
     .forward = forward_det,
     // det A A^-T
     .gradient = [](const Call& c, const Tensor& grad) { return Gradients{unsqueeze(unsqueeze(grad * c.result, -1), -1) * transposed(op<"inverse">({c.input(0)}))}; },
     .samples = {{.shapes = "3x3", .diagonal = 2}, {.shapes = "2x2x2", .diagonal = 4}, {.shapes = "1x1"}},
     .misuses = {{"2x3", "", "needs square matrices"}}},

    {.name = "cholesky",
     .summary = "The lower triangular L with L times its transpose equal to a symmetric positive definite matrix.",
     .example = "tensor([[4, 2], [2, 5]]).cholesky()", .gives = "[[2, 0], [1, 2]]",
     .params = {tensor("x")},
     .result_type = ResultType::kFloating,
     .shape = square_shape,
     .forward = forward_cholesky,
     .gradient = gradient_cholesky,
     .samples = {{.shapes = "3x3", .diagonal = 6}, {.shapes = "2x2x2", .diagonal = 5}},
     .misuses = {{"2x3", "", "needs square matrices"}}},

    {.name = "qrQ",
     .summary = "The Q of A = Q R: columns of length 1 at right angles.",
     .example = "tensor([[0, 2], [3, 0]]).qrQ().abs()", .gives = "[[0, 1], [1, 0]]",
     .params = {tensor("x")},
     .result_type = ResultType::kFloating,
     .shape = shape_qr<true>,
     .forward = forward_qr<true>,
     .gradient = gradient_qr<true>,
     .samples = {{.shapes = "3x3", .diagonal = 4}, {.shapes = "2x4x2", .diagonal = 4}, {.shapes = "2x2x4", .diagonal = 4}},
     .misuses = {{"3", "", "(..., rows, columns)"}}},

    {.name = "qrR",
     .summary = "The R of A = Q R: upper triangular.",
     .example = "tensor([[0, 2], [3, 0]]).qrR().abs()", .gives = "[[3, 0], [0, 2]]",
     .params = {tensor("x")},
     .result_type = ResultType::kFloating,
     .shape = shape_qr<false>,
     .forward = forward_qr<false>,
     .gradient = gradient_qr<false>,
     .samples = {{.shapes = "3x3", .diagonal = 4}, {.shapes = "2x4x2", .diagonal = 4}, {.shapes = "2x2x4", .diagonal = 4}},
     .misuses = {{"3", "", "(..., rows, columns)"}}},
};

}  // namespace

GRADBOOK_FAMILY(matrix, kMatrix)

}  // namespace gradbook
