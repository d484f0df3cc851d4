// Initializers: a table of ways to fill a parameter, with PyTorch's names, formulas and defaults. Which one a layer uses, with
// which arguments, is decided in engine/api/nn.
#pragma once

#include <span>
#include <string_view>

#include "autodiff/op.h"
#include "base/random.h"

namespace gradbook {

/// One row of the table.
struct InitializerRow {
  std::string_view name, summary;
  Params params;  // attributes only
  /// Fills `target` (row-major); `attributes` are complete. Random rows take their positions out of `generator`.
  void (*fill)(const Tensor& target, const Attributes& attributes, Generator& generator) = nullptr;
};

std::span<const InitializerRow> initializer_table();

/// Overwrites a leaf in place and counts a change of its storage. Attributes left out at the end take their defaults. Throws
/// Error whose message begins with the row's name; then the target is unchanged.
void initialize(const InitializerRow& row, const Tensor& target, Attributes attributes = {}, Generator& generator = default_generator());

}  // namespace gradbook
