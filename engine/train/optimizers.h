// Optimizers: a table of rows, and Optimizer, which holds the parameters, the settings and the state of one of them.
// Schedules, parameter groups and stateDict names belong to engine/api.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "autodiff/op.h"

namespace gradbook {

/// One knob of an optimizer: a number, a boolean (0 or 1), or a short list of numbers. Names and defaults are PyTorch's.
struct Setting {
  std::string_view name{};
  Kind kind = Kind::kNumber;
  std::array<double, 3> value{};  // the default; the first `count` hold
  int count = 1;
  double lowest = 0;                                         // allowed: lowest <= value < below
  double below = std::numeric_limits<double>::infinity();
};

/// One tensor of state per parameter.
struct Slot {
  std::string_view name{};
  std::string_view only_with{};     // name of a setting: allocated only when it is not zero
  std::string_view initial_from{};  // name of the setting that the state starts from; none: from `initial`
  double initial = 0;
  bool scalar = false;              // one float64 number instead of the shape of the parameter
};

/// What the update function of a row gets: one parameter of floating dtype with its gradient, both row-major.
struct Update {
  Tensor parameter, gradient;
  std::span<Tensor> slots;         // in the order of the row; undefined where not allocated
  std::span<const double> values;  // all settings, lists laid flat
  int64_t step = 1;                // of this parameter, this one included
  bool fresh = false;              // slots were made for this update: a momentum starts from the gradient itself

  double value(int i) const { return values[static_cast<size_t>(i)]; }
  bool on(int i) const { return value(i) != 0; }
};

/// One row of the table.
struct OptimizerRow {
  std::string_view name, summary;
  ConstList<Setting, 10> settings{};
  ConstList<Slot, 4> slots{};
  /// Changes the parameter and the slots in place: plain loops, for float32 and float64.
  void (*update)(const Update&) = nullptr;
  /// Optional quick version of update. Returns false, having done nothing, when it does not serve this case.
  bool (*fast)(const Update&) = nullptr;
  /// Optional: throws when settings do not go together.
  void (*verify)(std::span<const double> values) = nullptr;
};

std::span<const OptimizerRow> optimizer_table();
/// Number of flat values that the settings of a row take.
int setting_value_count(const OptimizerRow& row);
/// The defaults of a row, lists laid flat in the order of its settings.
std::vector<double> default_settings(const OptimizerRow& row);

class Optimizer {
 public:
  /// `values` as default_settings() lays them out. Throws when a value is out of its range, or when a parameter is not a
  /// leaf, does not require a gradient, or comes twice.
  Optimizer(const OptimizerRow& row, std::vector<Tensor> parameters, std::vector<double> values);

  const OptimizerRow& row() const { return *row_; }
  const std::vector<Tensor>& parameters() const { return parameters_; }
  int parameter_count() const { return static_cast<int>(parameters_.size()); }

  /// One update of every parameter that has a gradient; the others are left alone, as in PyTorch. Changes values in place, so
  /// a backward() through an older use of a parameter is refused afterwards.
  void step();
  /// Drops the gradients of all parameters.
  void zero_grad();

  double value(int flat) const;
  /// Sets one flat value, checked as at the start.
  void set_value(int flat, double value);

  /// How many updates parameter `index` has had.
  int64_t steps(int index) const;
  void set_steps(int index, int64_t steps);
  /// The live tensor of a slot; undefined before the first step, or when the settings do not use it.
  const Tensor& state(int index, int slot) const;
  /// Copies a saved state in, making the slot when needed. Shape must be that of the slot.
  void set_state(int index, int slot, const Tensor& saved);

 private:
  struct State {
    int64_t steps = 0;
    std::vector<Tensor> slots;
  };
  const State& state_of(int index) const;
  /// The value of the setting `name` (its first, for a list).
  double value_of(std::string_view name) const;
  /// Says in `used_` which slots the settings ask for.
  void find_used();
  Tensor make_slot(const Slot& slot, const Tensor& parameter) const;
  void update(size_t index);

  const OptimizerRow* row_;
  std::vector<Tensor> parameters_;
  std::vector<double> values_;
  std::vector<State> states_;
  std::vector<bool> used_;  // by slot
};

}  // namespace gradbook
