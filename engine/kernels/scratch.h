// Short-lived working memory of kernels (packed panels, padded images): a stack per thread that keeps its memory, so that
// a training step asks the system for nothing. Tensors' memory is tensor/storage's.
#pragma once

#include <cstddef>

#include "tensor/shape.h"

namespace gradbook::kernels {

/// `count` floats, 64-byte aligned, with 64 readable and writable bytes after the last, undefined contents; given back when
/// it leaves scope. Blocks of one thread must be given back in the reverse order of their making (as locals are).
class Scratch {
 public:
  explicit Scratch(Index count);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  float* data() const { return data_; }

 private:
  float* data_;
  size_t bytes_;
};

}  // namespace gradbook::kernels
