// Recurrent layers over a whole sequence: the steps' products with weights that are packed once, and what the gates do between
// them, forward and backward. What the inputs add to the gates, and the weights' gradients, are products of all steps at once
// and the caller's matter. Rows of a batch do not meet, so blocks of rows go through all steps on their own.
#pragma once

#include "tensor/shape.h"

namespace gradbook::kernels {

/// With x_t the inputs' part of the gates, p_t = W h_(t-1) + b and s the sigmoid:
///   kTanh, kRelu  h = f(x + p)
///   kGru          r = s(x0 + p0), z = s(x1 + p1), n = tanh(x2 + r p2), h = n + z (h_(t-1) - n)
///   kLstm         i, f, g, o = s, s, tanh, s of x + p; c = f c_(t-1) + i g, h = o tanh(c)
enum class Cell { kTanh, kRelu, kGru, kLstm };

struct RecurrentShape {
  Cell cell;
  Index steps, batch, hidden;
  /// Gates of a step, each `hidden` wide.
  Index gates() const { return cell == Cell::kLstm ? 4 : cell == Cell::kGru ? 3 : 1; }
  /// States that go from step to step: h, with kLstm also c.
  Index states() const { return cell == Cell::kLstm ? 2 : 1; }
  /// Gradients of a step: of its gates, with kGru of x2 in front, since that of p2 is another one.
  Index gradients() const { return cell == Cell::kGru ? 4 : gates(); }
};

/// `x` (steps, batch, gates * hidden), `weight` (gates * hidden, hidden), `bias` (gates * hidden) or null. `states` (states,
/// steps + 1, batch, hidden) holds at time 0 where the sequence begins and gets the rest. Unless they are null, `kept` (as x)
/// gets the gates as they came out, and `inner` (steps, batch, hidden) tanh(c) (kLstm) or p2 (kGru).
void recurrent_forward(const RecurrentShape& shape, const float* x, const float* weight, const float* bias, float* states, float* kept, float* inner);

/// From `grad`, the gradient of all states: `to` (steps, batch, gradients * hidden), those of x + p, and `start` (states, batch,
/// hidden), those of the states at time 0. `kept`, `inner` and `states` as the forward pass left them. Gradients below 1e-30 are 0.
void recurrent_gradient(const RecurrentShape& shape, const float* kept, const float* weight, const float* inner, const float* states, const float* grad, float* to, float* start);

}  // namespace gradbook::kernels
