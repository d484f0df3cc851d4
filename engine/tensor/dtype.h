// Element types, and the rule by which two of them meet (PyTorch's promotion, for the types that we have).
// float16 only holds values: run() hands them to kernels as float32, so no kernel knows it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "tensor/half.h"

namespace gradbook {

/// The numbers are part of the border to TypeScript and of files: never renumber.
enum class DType : int32_t { kFloat32 = 0, kFloat64 = 1, kInt32 = 2, kUint8 = 3, kBool = 4, kFloat16 = 5 };
inline constexpr int kDTypeCount = 6;

struct DTypeInfo {
  const char* name;
  size_t size;    // bytes of one element
  int category;   // 0 bool, 1 integer, 2 floating point: the higher category wins when types meet
  int precision;  // order inside a category
};
inline constexpr DTypeInfo kDTypes[kDTypeCount] = {
    {"float32", 4, 2, 1}, {"float64", 8, 2, 2}, {"int32", 4, 1, 2}, {"uint8", 1, 1, 1}, {"bool", 1, 0, 0}, {"float16", 2, 2, 0}};

constexpr const DTypeInfo& info(DType dtype) { return kDTypes[static_cast<int>(dtype)]; }
constexpr bool is_floating(DType dtype) { return info(dtype).category == 2; }

/// The type that numbers of `dtype` are computed in by ops for floating numbers: float16 and whole types as float32.
constexpr DType computing_type(DType dtype) { return dtype == DType::kFloat64 ? dtype : DType::kFloat32; }

/// The type that holds values of both: the higher category, within it the more precise.
constexpr DType promote(DType a, DType b) {
  const DTypeInfo &x = info(a), &y = info(b);
  if (x.category != y.category) return x.category > y.category ? a : b;
  return x.precision >= y.precision ? a : b;
}

template <class T>
constexpr DType dtype_of();
template <>
constexpr DType dtype_of<float>() { return DType::kFloat32; }
template <>
constexpr DType dtype_of<double>() { return DType::kFloat64; }
template <>
constexpr DType dtype_of<int32_t>() { return DType::kInt32; }
template <>
constexpr DType dtype_of<uint8_t>() { return DType::kUint8; }
template <>
constexpr DType dtype_of<bool>() { return DType::kBool; }
template <>
constexpr DType dtype_of<Half>() { return DType::kFloat16; }

// Out of line, since every dispatch may need them.
[[noreturn]] void fail_computing_half();
[[noreturn]] void fail_unknown_dtype(DType dtype);
[[noreturn]] void fail_not_floating(DType dtype);

/// Calls `body` with a value of the C++ type that stands for `dtype`: dispatch(t, [&](auto zero) { using T = decltype(zero); ... }).
/// float16 is no type to compute with, so it is an error.
template <class Body>
decltype(auto) dispatch(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::kFloat32: return body(float{});
    case DType::kFloat64: return body(double{});
    case DType::kInt32: return body(int32_t{});
    case DType::kUint8: return body(uint8_t{});
    case DType::kBool: return body(bool{});
    case DType::kFloat16: fail_computing_half();
  }
  fail_unknown_dtype(dtype);
}

/// As dispatch(), with float16 as well (Half): for what copies and converts.
template <class Body>
decltype(auto) dispatch_storage(DType dtype, Body&& body) {
  if (dtype == DType::kFloat16) return body(Half{});
  return dispatch(dtype, body);
}

/// As dispatch(), for float32 and float64 only; other types are an error that names what came.
template <class Body>
decltype(auto) dispatch_floating(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::kFloat32: return body(float{});
    case DType::kFloat64: return body(double{});
    default: fail_not_floating(dtype);
  }
}

}  // namespace gradbook
