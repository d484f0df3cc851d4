// The weights of attention: softmax of all products of queries and keys, a few rows at a time, so that the products are still in the
// first cache when their exponentials are taken. What is weighted, and the gradients, are ordinary products.
#pragma once

#include "kernels/gemm.h"

namespace gradbook::kernels {

struct AttentionShape {
  Index batch, queries, keys, features;
};

/// out (batch, queries, keys) = softmax over the keys of scale * query key^T + mask. Matrix i of the queries (queries, features) begins at
/// query.data + query_offsets[i], so do keys (keys, features) and masks (queries, keys; a mask's column stride must be 1, `data` may be null).
void attention_weights(const AttentionShape& shape, ConstMatrix query, const Index* query_offsets, ConstMatrix key, const Index* key_offsets, ConstMatrix mask,
                       const Index* mask_offsets, float scale, float* out);

}  // namespace gradbook::kernels
