// Attention and recurrent cells, PyTorch's formulas. The layers that own the weights are engine/api's.
#include <algorithm>

#include "ops/table.h"
#include "ops/vocabulary.h"

namespace gradbook {
namespace {

// -- scaled dot-product attention: inputs query, key, value, mask; attributes dropoutP, isCausal, scale -------------------------------

Tensor compose_attention(const Call& c) {
  const Tensor &q = c.input(0), &k = c.input(1), &v = c.input(2), &mask = c.input(3);
  for (int i = 0; i < 3; ++i)
    if (c.input(i).rank() < 2) fail(ErrorCode::kShape, "needs (..., length, features), got shape ", c.input(i).shape());
  if (q.shape().back() != k.shape().back() || k.shape().back(1) != v.shape().back(1))
    fail(ErrorCode::kShape, "query ", q.shape(), " and key ", k.shape(), " need the same features, key and value ", v.shape(), " the same length");
  const double scale = c.has(2) ? c.number(2) : 1 / std::sqrt(static_cast<double>(std::max<Index>(q.shape().back(), 1)));
  Tensor scores = matmul(q * scale, transposed(k));
  if (c.boolean(1)) {
    if (mask.defined()) fail(ErrorCode::kValue, "takes either `mask` or `isCausal`");
    const Index rows = q.shape().back(1), columns = k.shape().back(1);
    const Tensor allowed = Tensor::empty({rows, columns}, DType::kBool);
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < columns; ++j) allowed.data<bool>()[i * columns + j] = j <= i;
    scores = where(allowed, scores, literal(-HUGE_VAL));
  } else if (mask.defined()) {
    scores = is_floating(mask.dtype()) ? scores + mask : where(mask, scores, literal(-HUGE_VAL));
  }
  Tensor weights = softmax(scores, -1);
  if (c.number(0) > 0) weights = op<"dropout">({weights}, {c.number(0)});
  return matmul(weights, v);
}

// -- recurrent cells: x (batch, in), h (batch, hidden); weights (gates * hidden, in or hidden), biases (gates * hidden) -----------------

void check_cell(const Call& c, int weights, Index gates) {
  const Shape &x = c.input(0).shape(), &h = c.input(1).shape(), &ih = c.input(weights).shape(), &hh = c.input(weights + 1).shape();
  const bool fits = x.rank() == 2 && h.rank() == 2 && x[0] == h[0] && ih == Shape{gates * h[1], x[1]} && hh == Shape{gates * h[1], h[1]};
  if (!fits)
    fail(ErrorCode::kShape, "needs x (batch, in), h (batch, hidden) and weights (", gates > 1 ? std::to_string(gates) + " * " : "", "hidden, in) and (", gates > 1 ? std::to_string(gates) + " * " : "",
         "hidden, hidden); got ", x, ", ", h, ", ", ih, " and ", hh);
}
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) { return op<"linear">({x, weight, bias}); }
// Gate `i` of `n` equal parts of the last axis.
Tensor gate(const Tensor& t, Index i, Index n) {
  const Index size = t.shape().back() / n;
  return slice(t, i * size, (i + 1) * size, t.rank() - 1);
}

Tensor compose_rnn_cell(const Call& c) {
  check_cell(c, 2, 1);
  const std::string kind = c.text(0);
  if (kind != "tanh" && kind != "relu") fail(ErrorCode::kValue, "`nonlinearity` must be 'tanh' or 'relu', got '", kind, "'");
  const Tensor sum = linear(c.input(0), c.input(2), c.input(4)) + linear(c.input(1), c.input(3), c.input(5));
  return kind == "tanh" ? tanh(sum) : relu(sum);
}

// r = s(ir + hr), z = s(iz + hz), n = tanh(in + r hn), h' = (1 - z) n + z h; gates in the order r, z, n
Tensor compose_gru_cell(const Call& c) {
  check_cell(c, 2, 3);
  const Tensor of_x = linear(c.input(0), c.input(2), c.input(4)), of_h = linear(c.input(1), c.input(3), c.input(5));
  const Tensor r = sigmoid(gate(of_x, 0, 3) + gate(of_h, 0, 3)), z = sigmoid(gate(of_x, 1, 3) + gate(of_h, 1, 3));
  const Tensor n = tanh(gate(of_x, 2, 3) + r * gate(of_h, 2, 3));
  return n + z * (c.input(1) - n);
}

// i, f, g, o; c' = f c + i g, h' = o tanh(c'); gates in this order. Result (2, batch, hidden): h' and c'.
Tensor compose_lstm_cell(const Call& c) {
  check_cell(c, 3, 4);
  if (!(c.input(2).shape() == c.input(1).shape())) fail(ErrorCode::kShape, "h and c must have one shape, got ", c.input(1).shape(), " and ", c.input(2).shape());
  const Tensor gates = linear(c.input(0), c.input(3), c.input(5)) + linear(c.input(1), c.input(4), c.input(6));
  const Tensor memory = sigmoid(gate(gates, 1, 4)) * c.input(2) + sigmoid(gate(gates, 0, 4)) * tanh(gate(gates, 2, 4));
  return op<"stack">({sigmoid(gate(gates, 3, 4)) * tanh(memory), memory});
}

constexpr OpRow kAttention[] = {
    {.name = "scaledDotProductAttention",
     .summary = "For every query the average of the values, weighted by softmax of query times key. A bool mask says which keys may be seen, a floating one is added; isCausal hides later ones.",
     .example = "tensor([[0], [0]]).scaledDotProductAttention(tensor([[1], [2]]), tensor([[2], [4]]), { isCausal: true })", .gives = "[[2], [3]]",
     .params = {tensor("query"), tensor("key"), tensor("value"), optional_tensor("mask"), number("dropoutP", 0), boolean("isCausal", false), optional_number("scale")},
     .formula = "\\operatorname{softmax}\\!\\left(\\frac{Q K^\\top}{\\sqrt{d}}\\right) V",
     .compose = compose_attention,
     .samples = {{"2x3x4,2x5x4,2x5x2,-"}, {"3x2,3x2,3x2,-", "0 ; true"}, {"1x2x3x4,1x2x3x4,1x2x3x4,3x3"}, {"2x3,2x3,2x3,-", "0 ; false ; 0.5"}},
     .misuses = {{"3x4,3x2,3x4,-", "", "need the same features"}, {"3,3x2,3x2,-", "", "(..., length, features)"}, {"3x2,3x2,3x2,3x3", "0 ; true", "either `mask` or `isCausal`"}}},

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

GRADBOOK_FAMILY(attention, kAttention)

}  // namespace gradbook
