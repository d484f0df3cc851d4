#include "ops/indices.h"

#include <cmath>

namespace gradbook {

Tensor whole_numbers(const Tensor& index) {
  if (is_floating(index.dtype()))
    for (double v : index.values())
      if (v != std::trunc(v) || std::isinf(v)) fail(ErrorCode::kType, "indices and class ids must be whole numbers, got ", v, " in a ", info(index.dtype()).name, " tensor");
  return index.converted(DType::kInt32);
}

}  // namespace gradbook
