#include "autodiff/run.h"

#include <cstdlib>
#include <utility>

#include "autodiff/flops.h"
#include "autodiff/tape.h"
#include "base/clock.h"
#include "base/number.h"

namespace gradbook {
namespace {

bool g_grad_mode = true;
bool g_fast_kernels = true;
volatile int32_t g_interrupt = 0;
RunObserver g_observer = nullptr;
RunWatcher* g_run_watcher = nullptr;
const Op* g_called = nullptr;

// "[1, 2]" or "'constant'" from the row -> the list that stands for it.
std::vector<double> parse_list(std::string_view text) {
  std::vector<double> list;
  if (!text.empty() && text.front() == '\'') {
    for (char c : text.substr(1, text.size() - 2)) list.push_back(c);
    return list;
  }
  while (!text.empty()) {
    double value = 0;
    const size_t length = read_number(text, value);
    if (length > 0) list.push_back(value);
    text.remove_prefix(std::max<size_t>(1, length));
  }
  return list;
}

// NaN, infinities and what a double cannot count exactly are not whole: casting them to an integer would be undefined.
bool is_whole(double v) { return std::abs(v) <= 9007199254740991.0 && v == std::trunc(v); }

void check_inputs(const Op& op, std::vector<Tensor>& inputs) {
  size_t i = 0;
  for (const Param& p : op.params) {
    if (p.kind == Kind::kTensors) {
      check(inputs.size() > i, ErrorCode::kValue, "`", p.name, "` needs at least one tensor");
      for (; i < inputs.size(); ++i) check(inputs[i].defined(), ErrorCode::kValue, "`", p.name, "` holds something that is no tensor");
    } else if (p.kind == Kind::kTensor) {
      if (i == inputs.size()) inputs.emplace_back();
      check(inputs[i].defined() || p.fallback == Fallback::kAbsent, ErrorCode::kValue, "needs a tensor for `", p.name, "`");
      ++i;
    }
  }
  check(inputs.size() == i, ErrorCode::kValue, "takes ", i, " tensors, got ", inputs.size());
}

// Chooses the dtype of the result and brings the inputs to the type that the kernels get.
// A conversion goes through the tape-aware `to` only when the input needs a gradient; gradients are converted back by the tape.
DType settle_types(const Op& op, Call& call) {
  switch (op.result_type) {
    case ResultType::kFirst: return call.inputs.empty() ? DType::kFloat32 : call.inputs[0].dtype();
    case ResultType::kInt32: return DType::kInt32;
    case ResultType::kCustom: return op.type(call);
    case ResultType::kPromoted:
    case ResultType::kFloating:
    case ResultType::kBool: break;
  }
  DType type = common_type(call.inputs);
  if (op.result_type == ResultType::kFloating && !is_floating(type)) type = DType::kFloat32;
  for (Tensor& t : call.inputs)
    if (t.defined() && t.dtype() != type) t = t.converted(type);
  return op.result_type == ResultType::kBool ? DType::kBool : type;
}

Tensor execute(const Op& op, std::vector<Tensor>&& inputs, Attributes&& attributes) {
  check_inputs(op, inputs);
  complete_attributes(op.params, attributes);
  Call call{&op, std::move(inputs), std::move(attributes), {}, {}, g_called};
  if (op.compose) return op.compose(call);

  const bool record = g_grad_mode && op.gradient && any_requires_grad(call.inputs);
  // The record keeps the tensors as they came: they carry the place on the tape and the original dtype.
  std::vector<Tensor> originals;
  if (record) originals = call.inputs;

  if (op.view) {
    call.result = op.view(call);
    // The result gets a place of its own on the tape, so it must not be the input itself.
    if (call.result.is(call.input(0))) call.result = call.result.detach();
  } else {
    if (!op.storage)
      for (Tensor& t : call.inputs)
        if (t.defined() && t.dtype() == DType::kFloat16) t = t.converted(DType::kFloat32);
    const DType type = settle_types(op, call);
    if (!op.strided)
      for (Tensor& t : call.inputs)
        if (t.defined()) t = t.contiguous();
    call.result = Tensor::empty(op.shape(call), type);
    if (g_run_watcher) g_run_watcher->started();
    if (!(g_fast_kernels && op.fast && op.fast(call))) op.forward(call);
    count_flops(flops_of(call));
    if (g_run_watcher) g_run_watcher->ran(call);
  }
  if (!record) return call.result;
  return record_call(std::move(call), std::move(originals));
}

Tensor observed(const Op& op, std::vector<Tensor>&& inputs, Attributes&& attributes) {
  if (!g_observer || op.compose) return execute(op, std::move(inputs), std::move(attributes));
  Call seen{&op, inputs, attributes, {}, {}, g_called};
  const double start = engine_time_ms();
  seen.result = execute(op, std::move(inputs), std::move(attributes));
  g_observer(seen, engine_time_ms() - start);
  return seen.result;
}

}  // namespace

CalledScope::CalledScope(const Op& op) : before_(std::exchange(g_called, &op)) {}
CalledScope::~CalledScope() { g_called = before_; }
const Op* called_op() { return g_called; }

DType common_type(const std::vector<Tensor>& inputs) {
  bool any = false;
  DType result = DType::kFloat32;
  for (int pass = 0; pass < 3; ++pass) {
    for (const Tensor& t : inputs) {
      if (!t.defined()) continue;
      const int priority = t.is_number() ? 2 : t.rank() == 0 ? 1 : 0;
      if (priority != pass) continue;
      DType type = t.dtype();
      if (t.is_number()) {
        const double v = t.item();
        type = v == std::trunc(v) && std::abs(v) < 2147483648.0 ? DType::kInt32 : DType::kFloat32;
      }
      if (!any)
        result = type;
      else if (pass == 0)
        result = promote(result, type);
      else if (info(type).category > info(result).category)
        result = type;
      any = true;
    }
  }
  return result;
}

void complete_attributes(const Params& params, Attributes& attributes) {
  size_t i = 0;
  for (const Param& p : params) {
    if (p.is_tensor()) continue;
    if (i == attributes.size() || !attributes[i].present) {
      Attribute value = Attribute::absent();
      if (p.fallback == Fallback::kRequired) fail(ErrorCode::kValue, "needs `", p.name, "`");
      if (p.fallback == Fallback::kValue) value = p.list_value.empty() ? Attribute(p.value) : Attribute(parse_list(p.list_value));
      if (i == attributes.size())
        attributes.push_back(std::move(value));
      else
        attributes[i] = std::move(value);
    }
    const Attribute& a = attributes[i];
    if (a.present && p.kind == Kind::kInteger && !is_whole(a.number)) fail(ErrorCode::kValue, "`", p.name, "` must be a whole number, got ", a.number);
    if (a.present && p.kind == Kind::kIntegers)
      for (double v : a.list)
        if (!is_whole(v)) fail(ErrorCode::kValue, "`", p.name, "` must hold whole numbers, got ", v);
    if (a.present && p.kind == Kind::kDType && !(is_whole(a.number) && a.number >= 0 && a.number < kDTypeCount))
      fail(ErrorCode::kType, "`", p.name, "` is no dtype: ", a.number);
    ++i;
  }
  check(attributes.size() == i, ErrorCode::kValue, "takes ", i, " attributes, got ", attributes.size());
}

Tensor run(const Op& op, std::vector<Tensor> inputs, Attributes attributes) {
  if (g_interrupt) check_interrupt();
  if (g_called) return observed(op, std::move(inputs), std::move(attributes));
  const CalledScope scope(op);
  try {
    return observed(op, std::move(inputs), std::move(attributes));
  } catch (const Error& error) {
    throw Error(error.code(), error.code() == ErrorCode::kInterrupted ? std::string(error.what()) : std::string(op.name) + ": " + error.what());
  }
}

bool set_grad_mode(bool enabled) { return std::exchange(g_grad_mode, enabled); }
bool grad_mode() { return g_grad_mode; }
bool set_fast_kernels(bool enabled) { return std::exchange(g_fast_kernels, enabled); }
bool fast_kernels() { return g_fast_kernels; }
volatile int32_t* interrupt_flag() { return &g_interrupt; }
RunWatcher* set_run_watcher(RunWatcher* watcher) { return std::exchange(g_run_watcher, watcher); }
void set_run_observer(RunObserver observer) { g_observer = observer; }

void check_interrupt() {
  if (g_interrupt != 1) return;
  g_interrupt = 0;
  throw Error(ErrorCode::kInterrupted, "stopped");
}

}  // namespace gradbook
