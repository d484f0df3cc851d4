// From places to addresses: where the values of an instruction lie while a program runs.
#pragma once

#include <functional>

#include "kernels/convolution.h"
#include "program/trace.h"

namespace gradbook {

/// Where a value begins: fixed (arena, parameters), or found anew at each run (arguments).
class Address {
 public:
  Address() = default;
  explicit Address(void* fixed) : fixed_(static_cast<char*>(fixed)) {}
  Address(char* const* base, size_t offset) : base_(base), offset_(offset) {}
  bool defined() const { return fixed_ || base_; }
  char* get() const { return base_ ? *base_ + offset_ : fixed_; }
  float* floats() const { return reinterpret_cast<float*>(get()); }
  int32_t* ints() const { return reinterpret_cast<int32_t*>(get()); }

 private:
  char* fixed_ = nullptr;
  char* const* base_ = nullptr;
  size_t offset_ = 0;
};

using AddressOf = std::function<Address(const Place&)>;
/// A call of a kernel with all sizes settled.
using Work = std::function<void()>;

/// The quick form of an instruction, or none: then the op's own code runs it. Gives the same bits as the op.
Work specialized(const Instruction& instruction, const AddressOf& address);

/// The pool of a maxPool2d with these attributes.
kernels::PoolShape pool_of(const Attributes& attributes, const Shape& images, const Shape& results);

/// The convolution and the pool of a conv2d that a max pool follows. Requires i.unpooled to have axes.
struct PooledConvolution {
  kernels::ConvShape convolution;
  kernels::PoolShape pool;
};
PooledConvolution pooled_convolution_of(const Instruction& instruction);

/// The convolution whose gradient a sparse instruction is. Requires i.sparse to have axes, or to be given in `gradient`.
kernels::ConvShape convolution_of(const Instruction& instruction, const Shape& gradient);

/// Multiplications and additions of an instruction, as far as they are known.
double flops_of(const Instruction& instruction);

}  // namespace gradbook
