// The families of ops: one table each, in the file of that name. A new family is one line here.
#pragma once

#include <string_view>

/// X(name, heading): the table is NAME_ops(), in ops/NAME.cpp; it stands under the heading in the reference.
#define GRADBOOK_FAMILIES(X) \
  X(elementwise, "elementwise") \
  X(math, "functions") \
  X(comparison, "comparison and logic") \
  X(activation, "activations") \
  X(reduce, "reductions") \
  X(order, "sorting and counting") \
  X(linalg, "products of matrices") \
  X(matrix, "matrices") \
  X(einsum, "products of matrices") \
  X(convolution, "convolution") \
  X(pooling, "pooling") \
  X(resample, "resampling") \
  X(softmax, "softmax") \
  X(loss, "losses") \
  X(sequence_loss, "losses") \
  X(normalization, "normalization") \
  X(attention, "attention and recurrence") \
  X(recurrent, "attention and recurrence") \
  X(movement, "shapes") \
  X(arrange, "arranging") \
  X(indexing, "indexing") \
  X(random, "random numbers")

namespace gradbook {

/// In words: "elementwise", "linear algebra". Requires: a number below op_count().
std::string_view family_of(int number);

}  // namespace gradbook
