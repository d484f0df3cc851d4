// Matrix products of float32: C = A B for matrices with any strides, so that transposing is a matter of strides.
// Packed panels, register tiles of 6x8 or 4x8, blocks for the caches, and threads. Shapes of tensors are the ops' matter.
#pragma once

#include "tensor/shape.h"

namespace gradbook::kernels {

/// Element (i, j) lies at data[i * row_stride + j * column_stride]. Strides may be 0 (a repeated row) or negative.
struct ConstMatrix {
  const float* data;
  Index row_stride, column_stride;
  ConstMatrix transposed() const { return {data, column_stride, row_stride}; }
};
struct Matrix {
  float* data;
  Index row_stride, column_stride;
};

/// What is done to the product before it is stored: C = relu(product + row_bias + column_bias), or C += product.
struct Epilogue {
  bool accumulate = false;             // add to what C holds; excludes the others
  const float* row_bias = nullptr;     // one per row of C
  const float* column_bias = nullptr;  // one per column of C
  bool relu = false;                   // NaN passes
};

/// C[m, n] = A[m, k] B[k, n] with `epilogue`. C must not overlap A or B. k = 0 gives zeros (plus the epilogue).
/// The order of additions depends on the sizes only. May read up to 64 bytes past the last element of A and B.
void gemm(Index m, Index n, Index k, ConstMatrix a, ConstMatrix b, Matrix c, const Epilogue& epilogue = {});

/// `batch` products of the same sizes; product i reads a.data + a_offsets[i] and b.data + b_offsets[i] and writes
/// c.data + c_offsets[i] (offsets in elements; a and b may repeat, which is how broadcasting over batch axes is said).
void gemm_batched(Index batch, Index m, Index n, Index k, ConstMatrix a, const Index* a_offsets, ConstMatrix b,
                  const Index* b_offsets, Matrix c, const Index* c_offsets, const Epilogue& epilogue = {});

/// The register tile of products: 6x8 is the faster where the compiler keeps 15 vectors in registers, 4x8 is good everywhere.
/// Results do not depend on it.
enum class Tile { k6x8, k4x8 };
void set_gemm_tile(Tile tile);
Tile gemm_tile();

}  // namespace gradbook::kernels
