#include "tensor/convert.h"

#include <array>

namespace gradbook {
namespace {

template <class From, class To>
void convert_elements(const void* from, Index step, void* to, Index count) {
  const From* source = static_cast<const From*>(from);
  To* target = static_cast<To*>(to);
  for (Index i = 0; i < count; ++i, source += step) target[i] = convert<To>(*source);
}

template <class From>
constexpr std::array<ConvertLine, kDTypeCount> kFrom = {convert_elements<From, float>,   convert_elements<From, double>, convert_elements<From, int32_t>,
                                                        convert_elements<From, uint8_t>, convert_elements<From, bool>,   convert_elements<From, Half>};
// In the order of the dtypes' numbers.
constexpr std::array<std::array<ConvertLine, kDTypeCount>, kDTypeCount> kConvert = {kFrom<float>, kFrom<double>, kFrom<int32_t>, kFrom<uint8_t>, kFrom<bool>, kFrom<Half>};

template <class Bits>
void copy_elements(const void* from, Index from_step, void* to, Index to_step, Index count) {
  const Bits* source = static_cast<const Bits*>(from);
  Bits* target = static_cast<Bits*>(to);
  for (Index i = 0; i < count; ++i, source += from_step, target += to_step) *target = *source;
}

void check_known(DType dtype) {
  if (static_cast<int>(dtype) < 0 || static_cast<int>(dtype) >= kDTypeCount) fail_unknown_dtype(dtype);
}

}  // namespace

void fail_computing_half() { fail(ErrorCode::kType, "cannot compute with float16, which only holds values; convert with .to('float32')"); }
void fail_unknown_dtype(DType dtype) { fail(ErrorCode::kType, "unknown dtype number ", static_cast<int>(dtype)); }
void fail_not_floating(DType dtype) { fail(ErrorCode::kType, "needs float32 or float64, got ", info(dtype).name, "; convert with .to('float32')"); }

ConvertLine convert_line(DType from, DType to) {
  check_known(from);
  check_known(to);
  return kConvert[static_cast<size_t>(from)][static_cast<size_t>(to)];
}

CopyLine copy_line(DType dtype) {
  check_known(dtype);
  switch (info(dtype).size) {
    case 1: return copy_elements<uint8_t>;
    case 2: return copy_elements<uint16_t>;
    case 4: return copy_elements<uint32_t>;
    default: return copy_elements<uint64_t>;
  }
}

}  // namespace gradbook
