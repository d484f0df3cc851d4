#include "train/newton_schulz.h"

#include <algorithm>
#include <cmath>

#include "autodiff/run.h"
#include "ops/registry.h"

namespace gradbook {
namespace {

Tensor transposed(const Tensor& m) { return m.view({m.size(1), m.size(0)}, {m.strides()[1], m.strides()[0]}); }
Tensor product(const Tensor& a, const Tensor& b) {
  static const Op& matmul = find_op("matmul");
  return run(matmul, {a, b});
}

// x * a + y * b, elementwise.
Tensor mix(const Tensor& x, double a, const Tensor& y, double b) {
  Tensor result = Tensor::empty(x.shape(), x.dtype());
  dispatch_floating(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T *px = x.data<T>(), *py = y.data<T>();
    T* to = result.data<T>();
    for (Index i = 0; i < result.element_count(); ++i) to[i] = T(a) * px[i] + T(b) * py[i];
  });
  return result;
}

Tensor scaled_by_norm(const Tensor& m, double eps) {
  return dispatch_floating(m.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* values = m.data<T>();
    double squares = 0;
    for (Index i = 0; i < m.element_count(); ++i) squares += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    return mix(m, 1 / std::max(std::sqrt(squares), eps), m, 0);
  });
}

}  // namespace

Tensor nearest_orthogonal(const Tensor& matrix, int steps, double eps) {
  constexpr double a = 3.4445, b = -4.7750, c = 2.0315;
  GradModeGuard guard(false);
  // The smaller of x x^T and x^T x.
  const bool tall = matrix.size(0) > matrix.size(1);
  Tensor x = scaled_by_norm((tall ? transposed(matrix) : matrix).contiguous(), eps);
  for (int i = 0; i < steps; ++i) {
    const Tensor gram = product(x, transposed(x));
    const Tensor polynomial = mix(gram, b, product(gram, gram), c);
    x = mix(x, a, product(polynomial, x), 1);
  }
  return (tall ? transposed(x) : x).contiguous();
}

}  // namespace gradbook
