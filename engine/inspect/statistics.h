// What the numbers in a tensor are like: range, mean, spread, zeros, what is not finite. Found once and kept until the values
// change, because a snapshot asks again and again; how much may be read at a time is the caller's decision.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace gradbook {

/// kOlder: of values that were changed since. kSampled: of evenly spread elements, since there are very many.
enum class Known { kNothing, kAll, kSampled, kOlder };

struct Statistics {
  Known known = Known::kNothing;
  double min = 0, max = 0, mean = 0, deviation = 0;  // of finite elements; NaN when there is none
  int64_t zeros = 0, not_finite = 0;                 // among `count`
  int64_t count = 0;                                 // elements looked at
};

/// Statistics of all elements, or of about a million of more than four.
Statistics statistics_now(const Tensor& tensor);
/// What is known; looks again when the values changed and no more than `allowance` elements are to be read, which then shrinks.
Statistics statistics_of(const Tensor& tensor, int64_t& allowance);
/// Counts of finite elements in `bins` equal parts of min..max (all in the first when they are equal).
std::vector<int64_t> histogram_of(const Tensor& tensor, const Statistics& statistics, int bins);

}  // namespace gradbook
