// Recurrent layers over whole sequences, and their cells, which are sequences of one step; PyTorch's formulas. The layers that own
// the weights are engine/api's.
#include "kernels/recurrent.h"

#include <algorithm>
#include <vector>

#include "ops/fast.h"
#include "ops/table.h"
#include "ops/vocabulary.h"

namespace gradbook {
namespace {

using kernels::Cell;
using kernels::RecurrentShape;

// -- recurrence: inputs x (steps, batch, gates * hidden), weight (gates * hidden, hidden), start (states, batch, hidden), bias (gates *
// hidden); attribute cell. Result (states, steps + 1, batch, hidden), from the start on. Keeps gates and what else kernels/recurrent.h
// says for the gradient.

Cell cell_of(const Call& c) {
  static constexpr std::string_view kNames[] = {"tanh", "relu", "gru", "lstm"};
  const std::string name = c.text(0);
  for (int i = 0; i < 4; ++i)
    if (name == kNames[i]) return static_cast<Cell>(i);
  fail(ErrorCode::kValue, "`cell` must be 'tanh', 'relu', 'gru' or 'lstm', got '", name, "'");
}

// `x`: anything of (steps, batch, ...).
RecurrentShape recurrent_shape(const Call& c, const Tensor& x, const Tensor& weight) { return {cell_of(c), x.size(0), x.size(1), weight.size(1)}; }

Shape shape_recurrence(const Call& c) {
  const Shape &x = c.input(0).shape(), &weight = c.input(1).shape(), &start = c.input(2).shape();
  if (x.rank() == 3 && weight.rank() == 2) {
    const RecurrentShape s = recurrent_shape(c, c.input(0), c.input(1));
    const Index wide = s.gates() * s.hidden;
    if (x[2] == wide && weight[0] == wide && start == Shape{s.states(), s.batch, s.hidden} && (!c.has_input(3) || c.input(3).shape() == Shape{wide}))
      return {s.states(), s.steps + 1, s.batch, s.hidden};
  }
  fail(ErrorCode::kShape, "needs gates (steps, batch, gates * hidden), weights (gates * hidden, hidden) and a start (states, batch, hidden); got ", x, ", ", weight, " and ", start);
}

// Nothing is kept when nobody will ask for a gradient.
bool keeps(const Call& c) { return grad_mode() || !c.saved.empty(); }
void make_kept(Call& c, const RecurrentShape& s) {
  if (!keeps(c) || !c.saved.empty()) return;
  const bool has_inner = s.cell == Cell::kGru || s.cell == Cell::kLstm;
  c.saved = {Tensor::empty(c.input(0).shape(), c.result.dtype()), has_inner ? Tensor::empty({s.steps, s.batch, s.hidden}, c.result.dtype()) : Tensor::zeros({1}, c.result.dtype())};
}

template <class T>
void copy_start(const RecurrentShape& s, const T* start, T* states) {
  const Index time = s.batch * s.hidden;
  for (Index state = 0; state < s.states(); ++state) std::copy_n(start + state * time, time, states + state * (s.steps + 1) * time);
}

// Plain loops in double for all dtypes: converted before and after.
double* doubles(const Tensor& t) { return t.data<double>(); }
Tensor as_doubles(const Tensor& t) { return t.converted(DType::kFloat64); }

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

void forward_recurrence(Call& c) {
  const RecurrentShape s = recurrent_shape(c, c.input(0), c.input(1));
  make_kept(c, s);
  const Tensor xs = as_doubles(c.input(0)), weights = as_doubles(c.input(1)), biases = c.has_input(3) ? as_doubles(c.input(3)) : Tensor(), states = Tensor::empty(c.result.shape(), DType::kFloat64);
  copy_start(s, doubles(as_doubles(c.input(2))), doubles(states));
  Tensor of_kept, of_inner;
  const Index n = s.hidden, time = s.batch * n, wide = s.gates() * n;
  const bool kept = keeps(c);
  if (kept) of_kept = Tensor::empty(c.saved[0].shape(), DType::kFloat64), of_inner = Tensor::zeros(c.saved[1].shape(), DType::kFloat64);
  std::vector<double> p(static_cast<size_t>(wide));
  for (Index at = 0; at < s.steps * s.batch; ++at) {
    check_interrupt();
    double* h = doubles(states) + at * n;
    const double* x = doubles(xs) + at * wide;
    for (Index i = 0; i < wide; ++i) {
      double sum = biases.defined() ? doubles(biases)[i] : 0;
      for (Index k = 0; k < n; ++k) sum += doubles(weights)[i * n + k] * h[k];
      p[static_cast<size_t>(i)] = sum;
    }
    for (Index j = 0; j < n; ++j) {
      const auto from_x = [&](Index gate) { return x[gate * n + j]; };
      const auto from_h = [&](Index gate) { return p[static_cast<size_t>(gate * n + j)]; };
      const double sum = from_x(0) + from_h(0);
      double gates[4] = {}, inner = 0, next = 0;
      if (s.cell == Cell::kLstm) {
        double* memory = h + (s.steps + 1) * time;
        gates[0] = sigmoid_of(sum);
        gates[1] = sigmoid_of(from_x(1) + from_h(1));
        gates[2] = std::tanh(from_x(2) + from_h(2));
        gates[3] = sigmoid_of(from_x(3) + from_h(3));
        const double fresh = gates[1] * memory[j] + gates[0] * gates[2];
        memory[time + j] = fresh;
        inner = std::tanh(fresh);
        next = gates[3] * inner;
      } else if (s.cell == Cell::kGru) {
        gates[0] = sigmoid_of(sum);
        gates[1] = sigmoid_of(from_x(1) + from_h(1));
        inner = from_h(2);
        gates[2] = std::tanh(from_x(2) + gates[0] * inner);
        next = gates[2] + gates[1] * (h[j] - gates[2]);
      } else {
        next = gates[0] = s.cell == Cell::kTanh ? std::tanh(sum) : sum < 0 ? 0 : sum;
      }
      h[time + j] = next;
      if (!kept) continue;
      for (Index gate = 0; gate < s.gates(); ++gate) doubles(of_kept)[at * wide + gate * n + j] = gates[gate];
      if (s.gates() > 1) doubles(of_inner)[at * n + j] = inner;
    }
  }
  c.result.copy_from(states);
  if (kept) c.saved[0].copy_from(of_kept), c.saved[1].copy_from(of_inner);
}

bool fast_recurrence(Call& c) {
  if (!all_float32(c)) return false;
  const RecurrentShape s = recurrent_shape(c, c.input(0), c.input(1));
  make_kept(c, s);
  copy_start(s, floats(c.input(2)), floats(c.result));
  const bool kept = keeps(c);
  kernels::recurrent_forward(s, floats(c.input(0)), floats(c.input(1)), c.has_input(3) ? floats(c.input(3)) : nullptr, floats(c.result), kept ? floats(c.saved[0]) : nullptr,
                             kept && s.gates() > 1 ? floats(c.saved[1]) : nullptr);
  return true;
}

// Gradients by steps: of the inputs' part and of the state's part, both (steps * batch, gates * hidden), and of the start.
struct StepGradients {
  Tensor of_x, of_h, of_start;
};

StepGradients quick_gradients(const Call& c, const Tensor& grad, const RecurrentShape& s) {
  const Index n = s.hidden, rows = s.steps * s.batch, wide = s.gradients() * n;
  const Tensor all = op<"recurrenceGradient">({c.saved[0], c.input(1), c.saved[1], c.result, grad}, {c.attribute(0)});
  const Tensor steps = reshape(slice(all, 0, rows * wide, 0), {rows, wide});
  StepGradients g{steps, steps, reshape(slice(all, rows * wide, all.element_count(), 0), {s.states(), s.batch, n})};
  if (s.cell == Cell::kGru) {
    g.of_x = concat({slice(steps, n, 3 * n, 1), slice(steps, 0, n, 1)}, 1);
    g.of_h = slice(steps, n, 4 * n, 1);
  }
  return g;
}

// The same with ops, for second derivatives: gates of all steps at once from the states, then step by step backwards.
StepGradients taped_gradients(const Call& c, const Tensor& grad, const RecurrentShape& s) {
  const Index n = s.hidden, rows = s.steps * s.batch;
  const auto state = [&](const Tensor& t, Index which, Index from, Index to) { return reshape(slice(slice(t, which, which + 1, 0), from, to, 1), {to - from, s.batch, n}); };
  const Tensor before = state(c.result, 0, 0, s.steps), from_h = op<"linear">({before, c.input(1), c.input(3)});
  const auto gate = [&](const Tensor& t, Index i) { return slice(t, i * n, (i + 1) * n, 2); };
  const auto sum = [&](Index i) { return gate(c.input(0), i) + gate(from_h, i); };
  const auto at = [&](const Tensor& t, Index step) { return slice(t, step, step + 1, 0); };
  const Tensor grad_h = state(grad, 0, 0, s.steps + 1), grad_c = s.states() > 1 ? state(grad, 1, 0, s.steps + 1) : Tensor();
  std::vector<Tensor> of_x, of_h;
  Tensor carry, memory;
  const auto plus = [](const Tensor& a, const Tensor& b) { return b.defined() ? a + b : a; };
  const bool is_gru = s.cell == Cell::kGru;
  Tensor gates[4], slopes[4], inner;
  for (Index i = 0; i < s.gates(); ++i) {
    const bool is_fresh = (is_gru || s.cell == Cell::kLstm) ? i == 2 : true;
    if (s.cell == Cell::kRelu) {
      gates[i] = relu(sum(i));
      slopes[i] = step(gates[i]);
    } else if (is_fresh) {
      gates[i] = tanh(is_gru ? gate(c.input(0), i) + gates[0] * gate(from_h, i) : sum(i));
      slopes[i] = 1 - square(gates[i]);
    } else {
      gates[i] = sigmoid(sum(i));
      slopes[i] = gates[i] * (1 - gates[i]);
    }
  }
  if (grad_c.defined()) inner = tanh(state(c.result, 1, 1, s.steps + 1));
  for (Index t = s.steps; t-- > 0;) {
    const Tensor d = plus(at(grad_h, t + 1), carry);
    std::vector<Tensor> parts;
    Tensor direct, of_fresh;
    if (grad_c.defined()) {
      const Tensor squashed = at(inner, t), of_c = plus(at(grad_c, t + 1), memory) + d * at(gates[3], t) * (1 - square(squashed));
      parts = {of_c * at(gates[2], t), of_c * state(c.result, 1, t, t + 1), of_c * at(gates[0], t), d * squashed};
      memory = of_c * at(gates[1], t);
    } else if (is_gru) {
      of_fresh = d * (1 - at(gates[1], t)) * at(slopes[2], t);
      parts = {of_fresh * at(gate(from_h, 2), t), d * (at(before, t) - at(gates[2], t))};
      direct = d * at(gates[1], t);
    } else {
      parts = {d};
    }
    for (size_t i = 0; i < parts.size(); ++i) parts[i] = parts[i] * at(slopes[i], t);
    if (is_gru) parts.push_back(of_fresh);
    of_x.insert(of_x.begin(), concat(parts, 2));
    if (is_gru) parts[2] = of_fresh * at(gates[0], t);
    of_h.insert(of_h.begin(), concat(parts, 2));
    carry = plus(matmul(of_h.front(), c.input(1)), direct);
  }
  std::vector<Tensor> starts = {plus(at(grad_h, 0), carry)};
  if (grad_c.defined()) starts.push_back(plus(at(grad_c, 0), memory));
  const Shape wide = {rows, s.gates() * n};
  const Tensor none = Tensor::zeros(wide, grad.dtype());
  return {rows ? reshape(concat(of_x, 0), wide) : none, rows ? reshape(concat(of_h, 0), wide) : none, concat(starts, 0)};
}

Gradients gradient_recurrence(const Call& c, const Tensor& grad) {
  const RecurrentShape s = recurrent_shape(c, c.input(0), c.input(1));
  const StepGradients g = grad_mode() ? taped_gradients(c, grad, s) : quick_gradients(c, grad, s);
  Gradients gradients = {reshape(g.of_x, c.input(0).shape()), {}, g.of_start, {}};
  // One product, and one sum, over all steps.
  if (c.needs_gradient(1)) gradients[1] = matmul(transposed(g.of_h), reshape(slice(slice(c.result, 0, 1, 0), 0, s.steps, 1), {s.steps * s.batch, s.hidden}));
  if (c.has_input(3) && c.needs_gradient(3)) gradients[3] = sum(g.of_h, {0}, false);
  return gradients;
}

// -- recurrenceGradient: inputs kept, weight, inner, states, grad. Result: gradients of the gates, then of the start, one after the other.

Shape shape_recurrence_gradient(const Call& c) {
  const Tensor &kept = c.input(0), &weight = c.input(1), &states = c.input(3), &grad = c.input(4);
  if (kept.rank() != 3 || weight.rank() != 2 || !(states.shape() == grad.shape())) fail(ErrorCode::kShape, "needs gates, weights, and states with their gradient, got ", kept.shape(), ", ", weight.shape(), ", ", states.shape(), " and ", grad.shape());
  const RecurrentShape s = recurrent_shape(c, kept, weight);
  if (!(states.shape() == Shape{s.states(), s.steps + 1, s.batch, s.hidden})) fail(ErrorCode::kShape, "gates ", kept.shape(), " do not belong to states ", states.shape());
  return {s.batch * s.hidden * (s.steps * s.gradients() + s.states())};
}

void forward_recurrence_gradient(Call& c) {
  const RecurrentShape s = recurrent_shape(c, c.input(0), c.input(1));
  const Tensor of_kept = as_doubles(c.input(0)), weights = as_doubles(c.input(1)), of_inner = as_doubles(c.input(2)), of_states = as_doubles(c.input(3)), of_grad = as_doubles(c.input(4)),
               all = Tensor::empty(c.result.shape(), DType::kFloat64);
  const Index n = s.hidden, time = s.batch * n, wide = s.gates() * n, out = s.gradients() * n, second = (s.steps + 1) * time;
  std::vector<double> carry(static_cast<size_t>(time)), memory(static_cast<size_t>(time)), d(static_cast<size_t>(out));
  const double *kept = doubles(of_kept), *inner = doubles(of_inner), *states = doubles(of_states), *grad = doubles(of_grad);
  double* const result = doubles(all);
  for (Index at = s.steps * s.batch; at-- > 0;) {
    check_interrupt();
    const Index row = at % s.batch * n;
    for (Index j = 0; j < n; ++j) {
      const auto gate = [&](Index i) { return kept[at * wide + i * n + j]; };
      const auto set = [&](Index i, double value) { d[static_cast<size_t>(i * n + j)] = value; };
      double &carried = carry[static_cast<size_t>(row + j)], &remembered = memory[static_cast<size_t>(row + j)];
      const double of_h = grad[time + at * n + j] + carried;
      carried = 0;
      if (s.cell == Cell::kLstm) {
        const double squashed = inner[at * n + j];
        const double of_c = grad[second + time + at * n + j] + remembered + of_h * gate(3) * (1 - squashed * squashed);
        set(0, of_c * gate(2) * gate(0) * (1 - gate(0)));
        set(1, of_c * states[second + at * n + j] * gate(1) * (1 - gate(1)));
        set(2, of_c * gate(0) * (1 - gate(2) * gate(2)));
        set(3, of_h * squashed * gate(3) * (1 - gate(3)));
        remembered = of_c * gate(1);
      } else if (s.cell == Cell::kGru) {
        const double of_fresh = of_h * (1 - gate(1)) * (1 - gate(2) * gate(2));
        set(0, of_fresh);
        set(1, of_fresh * inner[at * n + j] * gate(0) * (1 - gate(0)));
        set(2, of_h * (states[at * n + j] - gate(2)) * gate(1) * (1 - gate(1)));
        set(3, of_fresh * gate(0));
        carried = of_h * gate(1);
      } else {
        set(0, s.cell == Cell::kTanh ? of_h * (1 - gate(0) * gate(0)) : gate(0) > 0 ? of_h : 0);
      }
    }
    for (Index i = 0; i < out; ++i) result[at * out + i] = d[static_cast<size_t>(i)];
    for (Index i = 0; i < wide; ++i)
      for (Index k = 0; k < n; ++k) carry[static_cast<size_t>(row + k)] += d[static_cast<size_t>(out - wide + i)] * doubles(weights)[i * n + k];
  }
  double* start = result + s.steps * s.batch * out;
  for (Index i = 0; i < time; ++i) {
    start[i] = grad[i] + carry[static_cast<size_t>(i)];
    if (s.states() > 1) start[time + i] = grad[second + i] + memory[static_cast<size_t>(i)];
  }
  c.result.copy_from(all);
}

bool fast_recurrence_gradient(Call& c) {
  if (!all_float32(c)) return false;
  const RecurrentShape s = recurrent_shape(c, c.input(0), c.input(1));
  kernels::recurrent_gradient(s, floats(c.input(0)), floats(c.input(1)), floats(c.input(2)), floats(c.input(3)), floats(c.input(4)), floats(c.result),
                              floats(c.result) + s.steps * s.batch * s.gradients() * s.hidden);
  return true;
}

// -- cells: x (batch, in), h (batch, hidden); weights (gates * hidden, in or hidden), biases (gates * hidden) ---------------------------

void check_cell(const Call& c, int weights, Index gates) {
  const Shape &x = c.input(0).shape(), &h = c.input(1).shape(), &ih = c.input(weights).shape(), &hh = c.input(weights + 1).shape();
  const bool fits = x.rank() == 2 && h.rank() == 2 && x[0] == h[0] && ih == Shape{gates * h[1], x[1]} && hh == Shape{gates * h[1], h[1]};
  if (!fits)
    fail(ErrorCode::kShape, "needs x (batch, in), h (batch, hidden) and weights (", gates > 1 ? std::to_string(gates) + " * " : "", "hidden, in) and (", gates > 1 ? std::to_string(gates) + " * " : "",
         "hidden, hidden); got ", x, ", ", h, ", ", ih, " and ", hh);
}

// One step: the states (states, batch, hidden) behind it. The weights are inputs `weights` to `weights` + 3.
Tensor one_step(const Call& c, int weights, const Tensor& start, std::string_view cell) {
  const Tensor gates = op<"linear">({c.input(0), c.input(weights), c.input(weights + 2)});
  const Tensor states = op<"recurrence">({unsqueeze(gates, 0), c.input(weights + 1), start, c.input(weights + 3)}, {Attribute::text(cell)});
  return reshape(slice(states, 1, 2, 1), start.shape());
}

Tensor compose_rnn_cell(const Call& c) {
  check_cell(c, 2, 1);
  const std::string kind = c.text(0);
  if (kind != "tanh" && kind != "relu") fail(ErrorCode::kValue, "`nonlinearity` must be 'tanh' or 'relu', got '", kind, "'");
  return squeeze(one_step(c, 2, unsqueeze(c.input(1), 0), kind), 0);
}

Tensor compose_gru_cell(const Call& c) {
  check_cell(c, 2, 3);
  return squeeze(one_step(c, 2, unsqueeze(c.input(1), 0), "gru"), 0);
}

Tensor compose_lstm_cell(const Call& c) {
  check_cell(c, 3, 4);
  if (!(c.input(2).shape() == c.input(1).shape())) fail(ErrorCode::kShape, "h and c must have one shape, got ", c.input(1).shape(), " and ", c.input(2).shape());
  return one_step(c, 3, op<"stack">({c.input(1), c.input(2)}), "lstm");
}

constexpr OpRow kRecurrent[] = {
    {.name = "recurrence",
     .summary = "All states of a recurrent layer over a sequence, (states, steps + 1, batch, hidden), from where it starts: `x` is what the inputs add to the gates of each step. What layers and cells are made of.",
     .example = "tensor([[[1]], [[1]]]).recurrence(tensor([[1]]), tensor([[[0]]]), { cell: 'relu' })", .gives = "[[[[0]], [[1]], [[2]]]]",
     .params = {tensor("x"), tensor("weight"), tensor("start"), optional_tensor("bias"), text("cell", "'lstm'")},
     .result_type = ResultType::kFloating,
     .shape = shape_recurrence,
     .forward = forward_recurrence,
     .fast = fast_recurrence,
     .gradient = gradient_recurrence,
     .arithmetic = Arithmetic::kInputGradient,  // twice the elements of x times those of a row of the weight
     .internal = true,
     .samples = {{"3x2x8,8x2,2x2x2,8"}, {"2x1x12,12x3,2x1x3,-"}, {"3x2x6,6x2,1x2x2,6", "'gru'"}, {"2x1x9,9x3,1x1x3,-", "'gru'"}, {"3x2x3,3x3,1x2x3,3", "'tanh'", -0.3, 0.3}, {"3x2x3,3x3,1x2x3,-", "'relu'"}, {"0x2x8,8x2,2x2x2,8"}},
     .misuses = {{"3x2x6,8x2,2x2x2,-", "", "needs gates (steps, batch, gates * hidden)"}, {"3x2x8,8x2,2x2x2,-", "'elu'", "must be 'tanh', 'relu', 'gru' or 'lstm'"}}},

    {.name = "recurrenceGradient",
     .summary = "Gradients of the gates of all steps (for 'gru' that of the inputs' part of the new state, then those of the state's part), then those of the start, in one row.",
     .example = "tensor([[[1]]]).recurrenceGradient(tensor([[2]]), tensor([0]), tensor([[[[0]], [[1]]]]), tensor([[[[0]], [[3]]]]), { cell: 'relu' })", .gives = "[3, 6]",
     .params = {tensor("kept"), tensor("weight"), tensor("inner"), tensor("states"), tensor("grad"), text("cell", "'lstm'")},
     .shape = shape_recurrence_gradient,
     .forward = forward_recurrence_gradient,
     .fast = fast_recurrence_gradient,
     .arithmetic = Arithmetic::kInputGradient,
     .internal = true,
     .samples = {{"3x2x8,8x2,3x2x2,2x4x2x2,2x4x2x2"}, {"3x2x6,6x2,3x2x2,1x4x2x2,1x4x2x2", "'gru'"}, {"3x2x3,3x3,1,1x4x2x3,1x4x2x3", "'tanh'"}, {"3x2x3,3x3,1,1x4x2x3,1x4x2x3", "'relu'"}}},

    {.name = "rnnCell",
     .summary = "One step of a plain recurrent layer: the new hidden state, tanh(W x + U h + b).",
     .example = "tensor([[1]]).rnnCell(tensor([[0]]), tensor([[2]]), tensor([[1]]), { nonlinearity: 'relu' })", .gives = "[[2]]",
     .params = {tensor("x"), tensor("h"), tensor("weightIh"), tensor("weightHh"), optional_tensor("biasIh"), optional_tensor("biasHh"), text("nonlinearity", "'tanh'")},
     .compose = compose_rnn_cell,
     .samples = {{"2x3,2x4,4x3,4x4,4,4"}, {"2x3,2x4,4x3,4x4,-,-", "'relu'"}},
     .misuses = {{"2x3,2x4,4x4,4x4,-,-", "", "weights (hidden, in)"}, {"2x3,2x4,4x3,4x4,-,-", "'elu'", "must be 'tanh' or 'relu'"}}},

    {.name = "gruCell",
     .summary = "One step of a gated recurrent unit: the new hidden state. Gates in PyTorch's order: reset, update, new.",
     .example = "tensor([[0]]).gruCell(tensor([[4]]), tensor([[0], [0], [0]]), tensor([[0], [0], [0]]))", .gives = "[[2]]",
     .params = {tensor("x"), tensor("h"), tensor("weightIh"), tensor("weightHh"), optional_tensor("biasIh"), optional_tensor("biasHh")},
     .compose = compose_gru_cell,
     .samples = {{"2x3,2x2,6x3,6x2,6,6"}, {"2x3,2x2,6x3,6x2,-,-"}},
     .misuses = {{"2x3,2x2,4x3,6x2,-,-", "", "weights (3 * hidden, in)"}}},

    {.name = "lstmCell",
     .summary = "One step of a long short-term memory: (2, batch, hidden), the new hidden state and the new memory. Gates in PyTorch's order: input, forget, new, output.",
     .example = "tensor([[0]]).lstmCell(tensor([[0]]), tensor([[4]]), tensor([[0], [0], [0], [0]]), tensor([[0], [0], [0], [0]])).select(0, 1)", .gives = "[[2]]",
     .params = {tensor("x"), tensor("h"), tensor("c"), tensor("weightIh"), tensor("weightHh"), optional_tensor("biasIh"), optional_tensor("biasHh")},
     .compose = compose_lstm_cell,
     .samples = {{"2x3,2x2,2x2,8x3,8x2,8,8"}, {"2x3,2x2,2x2,8x3,8x2,-,-"}},
     .misuses = {{"2x3,2x2,2x2,6x3,8x2,-,-", "", "weights (4 * hidden, in)"}, {"2x3,2x2,1x2,8x3,8x2,-,-", "", "h and c must have one shape"}}},
};

}  // namespace

GRADBOOK_FAMILY(recurrent, kRecurrent)

}  // namespace gradbook
