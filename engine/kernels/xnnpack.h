// XNNPACK behind our kernels' words: operators are made once per setting, kept, and run on the calling thread. It is linked where
// it is asked for: a second oracle in tests and a peer in bench/kernels. The shipped module does without, by this measurement
// (`kernels_bench peer`, wasm with relaxed SIMD under Node 24, one thread of a busy machine; XNNPACK's time / ours; the layout
// with channels last, which the engine would have to convert to, is not counted):
//   convolution forward  LeNet 2.9 and 1.1, 8->16 3x3 0.9, 16->32 strided 1.0, 4 groups 0.8, depthwise 1.4, pointwise 0.8
//   input gradient       LeNet 2.8 and 2.6, 8->16 3x3 0.9, 16->32 strided 1.0, 4 groups 1.2, depthwise far more, pointwise 0.9
//   filter gradient      not in XNNPACK
//   products             32..128 x 784 -> 256: 1.0, 256^3: 1.0
//   elementwise          add, multiply, divide, sqrt, relu: 0.9..1.2; exp 2.0, log 0.8
//   pools 2x2            max 0.6..0.8, average 0.7..1.1; copies that transpose 0.6..0.8; softmax of 64 rows of 10: 0.5
// tanh (0.6) and floor (0.1) were behind for want of a shorter formula and of an instruction; ours have them since.
// Layouts are XNNPACK's own: channels are last. Float32, contiguous; inputs may be read up to 64 bytes past their end.
#pragma once

#include "kernels/convolution.h"
#include "kernels/elementwise.h"
#include "kernels/pooling.h"

// All functions return false, having done nothing, when XNNPACK does not serve the case; results without elements need no
// work and give true, products of length 0 give what is added to them (bias or 0). A failure inside XNNPACK throws Error(kUnknown).
namespace gradbook::kernels::xnnpack {

/// results (batch, out_height, out_width, out_channels) of images (batch, in_height, in_width, in_channels) and filter
/// (out_channels, filter_height, filter_width, in_channels / groups). `bias` may be null. The filter is packed anew in each call.
bool conv_forward(const ConvShape& shape, const float* images, const float* filter, const float* bias, bool relu, float* results);
/// Gradient of the images, as a transposed convolution. Layouts as conv_forward; the filter is
/// (groups, in_channels / groups, filter_height, filter_width, out_channels / groups).
bool conv_input_gradient(const ConvShape& shape, const float* results_gradient, const float* filter, float* images_gradient);

/// Pooling of one image whose channels are the planes: (in_height, in_width, planes) -> (out_height, out_width, planes).
bool max_pool_forward(const PoolShape& shape, const float* images, float* results);
bool average_pool_forward(const PoolShape& shape, bool count_padding, const float* images, float* results);

bool softmax_rows(Index rows, Index columns, const float* x, float* out);
bool unary(Unary function, Index n, const float* x, float* out);
/// Shapes broadcast to each other; `out` is contiguous, of the common shape.
bool binary(Binary function, const Shape& a_shape, const float* a, const Shape& b_shape, const float* b, float* out);
/// out = x (contiguous, of `shape`) with axes in the order of `permutation`, made contiguous.
bool transpose(const Shape& shape, const Shape& permutation, const float* x, float* out);
/// results[batch, out] = x[batch, in] weight[out, in]^T + bias. `bias` may be null.
bool linear(Index batch, Index in, Index out, const float* x, const float* weight, const float* bias, float* results);

/// Operators that are kept at this moment.
Index kept_operators();
/// Deletes the kept operators.
void release_operators();

}  // namespace gradbook::kernels::xnnpack
