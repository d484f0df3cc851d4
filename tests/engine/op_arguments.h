// Turns the samples of the op table into arguments: shapes "2x3", attributes as TypeScript literals, inputs drawn from a seed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "autodiff/op.h"

namespace gradbook::test {

/// Numbers that depend on nothing but the seed; std's distributions differ between libraries.
class Draw {
 public:
  explicit Draw(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  uint64_t bits();
  /// In [low, high).
  double uniform(double low = 0, double high = 1) { return low + static_cast<double>(bits() >> 11) * 0x1p-53 * (high - low); }
  /// In [0, below).
  Index whole(Index below) { return static_cast<Index>(bits() % static_cast<uint64_t>(below)); }

 private:
  uint64_t state_;
};

struct Arguments {
  std::vector<Tensor> inputs;
  Attributes attributes;
};

/// "2x3" -> [2, 3]; "" -> [].
Shape parse_shape(std::string_view text);
/// "2x3,4" -> {"2x3", "4"}, spaces dropped; the text itself when there is no comma, also when it is empty.
std::vector<std::string> split(std::string_view text, char separator);
/// "[1, 2] ; true ; 'mean'" -> attributes in the order of the row; "undefined" is an absent one.
Attributes parse_attributes(const Op& op, std::string_view text);

/// Arguments for one sample. Floating inputs get `dtype`; values lie apart from each other and from 0, so that finite
/// differences do not step over a kink.
Arguments arguments_of(const Op& op, const Sample& sample, DType dtype, uint64_t seed);
/// The samples of the row, or the default one: shape 2x3 for every tensor.
std::vector<Sample> samples_of(const Op& op);

/// Values in [low, high), for upstream gradients.
Tensor random_tensor(const Shape& shape, Draw& draw, DType dtype = DType::kFloat64, double low = -1, double high = 1);
/// "conv2d(2x3x4x4, 1x3x2x2; [1, 1])", for messages.
std::string describe(const Op& op, const Sample& sample);

}  // namespace gradbook::test
