// The nearest orthogonal matrix by Newton-Schulz iteration; muon is its only user so far.
#pragma once

#include "tensor/tensor.h"

namespace gradbook {

/// A matrix with about the singular vectors of `matrix` [m, n] and singular values near 1 (between 0.7 and 1.2), by `steps` rounds
/// of the quintic iteration of Jordan et al. 2024 after division by the Frobenius norm (at least `eps`). Not on the tape.
Tensor nearest_orthogonal(const Tensor& matrix, int steps, double eps);

}  // namespace gradbook
