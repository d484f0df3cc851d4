// Tensors in files of the safetensors format: 8 bytes with the size of the header (little endian), a JSON header that says name,
// dtype, shape and place of each tensor, then the values one after another. Reading trusts nothing; numbers that we have no type
// for are converted: F16 and BF16 to float32, other integers to int32.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tensor/tensor.h"

namespace gradbook {

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

struct Safetensors {
  std::vector<NamedTensor> tensors;                             // in the order of the header
  std::vector<std::pair<std::string, std::string>> metadata;   // free texts by name
};

/// Throws Error(kValue) that begins with "safetensors:" for everything that is not a whole, valid file: a header that does not fit,
/// is no JSON or names a tensor twice; data that overlap, leave holes or do not match shape and dtype; numbers that do not fit int32.
Safetensors read_safetensors(std::span<const uint8_t> file);
/// The bytes of a file. Larger element types come first, so that values are aligned for readers that map the file. Throws for a
/// name that comes twice.
std::vector<uint8_t> write_safetensors(const Safetensors& content);

}  // namespace gradbook
