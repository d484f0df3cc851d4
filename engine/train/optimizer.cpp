// Optimizer: the machine around a row of the table: checks, state, one step. The formulas are in optimizers.cpp.
#include <algorithm>
#include <unordered_set>

#include "autodiff/run.h"
#include "train/optimizers.h"

namespace gradbook {
namespace {

void check_value(const OptimizerRow& row, const Setting& setting, double value) {
  if (value >= setting.lowest && value < setting.below) return;
  if (setting.below == std::numeric_limits<double>::infinity())
    fail(ErrorCode::kValue, row.name, ": `", setting.name, "` must be at least ", setting.lowest, " and finite, got ", value);
  fail(ErrorCode::kValue, row.name, ": `", setting.name, "` must be at least ", setting.lowest, " and below ", setting.below, ", got ", value);
}

void check_values(const OptimizerRow& row, std::span<const double> values) {
  size_t at = 0;
  for (const Setting& setting : row.settings)
    for (int i = 0; i < setting.count; ++i) check_value(row, setting, values[at++]);
  if (row.verify) row.verify(values);
}

}  // namespace

int setting_value_count(const OptimizerRow& row) {
  int count = 0;
  for (const Setting& setting : row.settings) count += setting.count;
  return count;
}

std::vector<double> default_settings(const OptimizerRow& row) {
  std::vector<double> values;
  for (const Setting& setting : row.settings) values.insert(values.end(), setting.value.begin(), setting.value.begin() + setting.count);
  return values;
}

Optimizer::Optimizer(const OptimizerRow& row, std::vector<Tensor> parameters, std::vector<double> values)
    : row_(&row), parameters_(std::move(parameters)), values_(std::move(values)), states_(parameters_.size()) {
  const int expected = setting_value_count(row);
  check(static_cast<int>(values_.size()) == expected, ErrorCode::kValue, row.name, ": takes ", expected, " settings, got ", values_.size());
  check_values(row, values_);
  check(!parameters_.empty(), ErrorCode::kValue, row.name, ": got no parameters; pass model.parameters()");
  std::unordered_set<const void*> seen;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& p = parameters_[i];
    check(p.defined() && p.is_leaf() && p.requires_grad(), ErrorCode::kState, row.name, ": parameter ", i,
          " is no leaf that requires a gradient; only tensors made with requiresGrad (not results of ops) can be trained");
    check(seen.insert(p.id()).second, ErrorCode::kValue, row.name, ": parameter ", i, " is in the list twice");
    states_[i].slots.resize(static_cast<size_t>(row.slots.count));
  }
  find_used();
}

void Optimizer::find_used() {
  used_.clear();
  for (const Slot& slot : row_->slots) used_.push_back(slot.only_with.empty() || value_of(slot.only_with) != 0);
}

void Optimizer::step() {
  GradModeGuard guard(false);
  check_interrupt();
  for (size_t i = 0; i < parameters_.size(); ++i)
    if (parameters_[i].grad().defined()) update(i);
}

void Optimizer::zero_grad() {
  for (const Tensor& p : parameters_) p.set_grad({});
}

void Optimizer::update(size_t index) {
  const Tensor& parameter = parameters_[index];
  State& state = states_[index];
  bool fresh = false;
  for (size_t i = 0; i < state.slots.size(); ++i) {
    const Slot& slot = row_->slots.items[i];
    if (state.slots[i].defined() || !used_[i]) continue;
    state.slots[i] = make_slot(slot, parameter);
    fresh = true;
  }
  const Update update{parameter.contiguous(), parameter.grad().contiguous(), state.slots, values_, state.steps + 1, fresh};
  if (!(fast_kernels() && row_->fast && row_->fast(update))) row_->update(update);
  ++state.steps;
  if (update.parameter.is(parameter))
    ++parameter.storage()->version;
  else
    parameter.copy_from(update.parameter);
}

Tensor Optimizer::make_slot(const Slot& slot, const Tensor& parameter) const {
  const double initial = slot.initial_from.empty() ? slot.initial : value_of(slot.initial_from);
  if (slot.scalar) return Tensor::full({}, initial, DType::kFloat64);
  return Tensor::full(parameter.shape(), initial, parameter.dtype());
}

double Optimizer::value_of(std::string_view name) const {
  size_t at = 0;
  for (const Setting& setting : row_->settings) {
    if (setting.name == name) return values_[at];
    at += static_cast<size_t>(setting.count);
  }
  fail(ErrorCode::kUnknown, row_->name, ": has no setting `", name, "`");
}

double Optimizer::value(int flat) const {
  check(flat >= 0 && flat < static_cast<int>(values_.size()), ErrorCode::kValue, row_->name, ": has no setting number ", flat);
  return values_[static_cast<size_t>(flat)];
}

void Optimizer::set_value(int flat, double value) {
  this->value(flat);
  std::vector<double> values = values_;
  values[static_cast<size_t>(flat)] = value;
  check_values(*row_, values);
  values_ = std::move(values);
  find_used();
}

const Optimizer::State& Optimizer::state_of(int index) const {
  check(index >= 0 && index < parameter_count(), ErrorCode::kValue, row_->name, ": has no parameter number ", index, "; there are ", parameter_count());
  return states_[static_cast<size_t>(index)];
}

int64_t Optimizer::steps(int index) const { return state_of(index).steps; }

void Optimizer::set_steps(int index, int64_t steps) {
  state_of(index);
  check(steps >= 0, ErrorCode::kValue, row_->name, ": the number of steps cannot be negative, got ", steps);
  states_[static_cast<size_t>(index)].steps = steps;
}

const Tensor& Optimizer::state(int index, int slot) const {
  const State& state = state_of(index);
  check(slot >= 0 && slot < row_->slots.count, ErrorCode::kValue, row_->name, ": has no state number ", slot);
  return state.slots[static_cast<size_t>(slot)];
}

void Optimizer::set_state(int index, int slot, const Tensor& saved) {
  state(index, slot);
  Tensor& target = states_[static_cast<size_t>(index)].slots[static_cast<size_t>(slot)];
  const Tensor made = make_slot(row_->slots.items[static_cast<size_t>(slot)], parameters_[static_cast<size_t>(index)]);
  check(saved.shape() == made.shape(), ErrorCode::kShape, row_->name, ": the saved `", row_->slots.items[static_cast<size_t>(slot)].name, "` of parameter ", index, " has shape ",
        saved.shape(), ", expected ", made.shape());
  made.copy_from(saved);
  target = made;
}

}  // namespace gradbook
