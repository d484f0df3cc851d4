#include "kernels/recurrent.h"

#include <algorithm>

#include "kernels/elementwise.h"
#include "kernels/panels.h"
#include "kernels/scratch.h"
#include "kernels/simd.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

constexpr float kSmallest = 1e-30f;  // smaller gradients become 0, or long sequences would end in slow subnormals

// Rows of a batch that one block takes through all steps: few enough for two threads to share a small batch.
long rows_of_block(Index batch) { return batch > 16 ? 16 : batch > 8 ? 8 : 4; }

// By all threads.
void pack_weight(const float* weight, long column_stride, long step_stride, long columns, long k, float* packed) {
  constexpr long kColumns = 8 * kTileColumns;
  parallel_ranges(columns, kColumns, 4.0 * static_cast<double>(columns * k), [&](Index first, Index last) {
    const long column = static_cast<long>(first);
    pack_columns(weight + column * column_stride, column_stride, step_stride, static_cast<long>(last) - column, k, packed + column * k);
  });
}

// Lanes beyond the last unit are read along (see gemm.h) and never written.
void put(float* p, Float4 v, long count) {
  if (count >= 4)
    store(p, v);
  else
    store_first(p, v, count);
}
Float4 without_subnormals(Float4 x) { return select(absolute(x) < constant<kSmallest>(), Float4{}, x); }

// What rows of one step have to do, unit by unit; gates lie `n` apart. Called by their addresses, so that nobody inlines them: V8
// compiles a function well that is small and called often.
struct ForwardRow {
  long n;
  const float *gates, *inner, *before;  // `before`: h (GRU) or c (LSTM) of the step before
  float *h, *c, *squashed;
  const float* x;
};

void add_rows(long n, const float* a, const float* b, float* out) {
  for (long j = 0; j < n; j += 4) put(out + j, load(a + j) + load(b + j), n - j);
}

void lstm_memory(const ForwardRow& r) {
  const long n = r.n;
  for (long j = 0; j < n; j += 4) put(r.c + j, madd(load(r.gates + n + j), load(r.before + j), load(r.gates + j) * load(r.gates + 2 * n + j)), n - j);
}
void lstm_row(const ForwardRow& r) {
  for (long j = 0; j < r.n; j += 4) put(r.h + j, load(r.gates + 3 * r.n + j) * load(r.squashed + j), r.n - j);
}
// The new state before its tanh.
void gru_inside(const ForwardRow& r) {
  for (long j = 0; j < r.n; j += 4) put(r.squashed + j, madd(load(r.gates + j), load(r.inner + j), load(r.x + j)), r.n - j);
}
void gru_row(const ForwardRow& r) {
  for (long j = 0; j < r.n; j += 4) {
    const Float4 fresh = load(r.gates + 2 * r.n + j);
    put(r.h + j, madd(load(r.gates + r.n + j), load(r.before + j) - fresh, fresh), r.n - j);
  }
}

// The same backward. `carry` is what the later step says about h, `memory` what it says about c: both are brought on.
struct BackwardRow {
  long n;
  const float *kept, *inner, *before, *grad_h, *grad_c;  // `before`: h (GRU) or c (LSTM) of the step before
  float *carry, *memory, *to;
};

void lstm_row_gradient(const BackwardRow& r) {
  const long n = r.n;
  const Float4 one = splat(1.0f);
  for (long j = 0; j < n; j += 4) {
    const long count = n - j;
    const Float4 in = load(r.kept + j), forget = load(r.kept + n + j), fresh = load(r.kept + 2 * n + j), out = load(r.kept + 3 * n + j);
    const Float4 squashed = load(r.inner + j), of_h = load(r.grad_h + j) + load(r.carry + j);
    const Float4 of_c = (load(r.grad_c + j) + load(r.memory + j)) + of_h * out * (one - squashed * squashed);
    put(r.to + j, without_subnormals(of_c * fresh * in * (one - in)), count);
    put(r.to + n + j, without_subnormals(of_c * load(r.before + j) * forget * (one - forget)), count);
    put(r.to + 2 * n + j, without_subnormals(of_c * in * (one - fresh * fresh)), count);
    put(r.to + 3 * n + j, without_subnormals(of_h * squashed * out * (one - out)), count);
    put(r.memory + j, without_subnormals(of_c * forget), count);
  }
}

void gru_row_gradient(const BackwardRow& r) {
  const long n = r.n;
  const Float4 one = splat(1.0f);
  for (long j = 0; j < n; j += 4) {
    const long count = n - j;
    const Float4 reset = load(r.kept + j), update = load(r.kept + n + j), fresh = load(r.kept + 2 * n + j);
    const Float4 of_h = load(r.grad_h + j) + load(r.carry + j);
    const Float4 of_fresh = without_subnormals(of_h * (one - update) * (one - fresh * fresh));
    put(r.to + j, of_fresh, count);
    put(r.to + n + j, without_subnormals(of_fresh * load(r.inner + j) * reset * (one - reset)), count);
    put(r.to + 2 * n + j, without_subnormals(of_h * (load(r.before + j) - fresh) * update * (one - update)), count);
    put(r.to + 3 * n + j, without_subnormals(of_fresh * reset), count);
    put(r.carry + j, without_subnormals(of_h * update), count);
  }
}

void tanh_row_gradient(const BackwardRow& r) {
  const Float4 one = splat(1.0f);
  for (long j = 0; j < r.n; j += 4) {
    const Float4 h = load(r.kept + j);
    put(r.to + j, without_subnormals((load(r.grad_h + j) + load(r.carry + j)) * (one - h * h)), r.n - j);
  }
}
void relu_row_gradient(const BackwardRow& r) {
  for (long j = 0; j < r.n; j += 4) put(r.to + j, keep_where(load(r.kept + j) > Float4{}, load(r.grad_h + j) + load(r.carry + j)), r.n - j);
}

double flops(const RecurrentShape& s) { return 2.0 * static_cast<double>(s.steps * s.batch) * static_cast<double>(s.gates() * s.hidden * s.hidden); }

}  // namespace

void recurrent_forward(const RecurrentShape& shape, const float* x, const float* weight, const float* bias, float* states, float* kept, float* inner) {
  const long n = static_cast<long>(shape.hidden), batch = static_cast<long>(shape.batch), steps = static_cast<long>(shape.steps), wide = static_cast<long>(shape.gates()) * n, width = panel_columns(wide);
  if (n == 0 || batch == 0 || steps == 0) return;
  const long time = batch * n;
  float* memories = states + (steps + 1) * time;
  const bool is_gru = shape.cell == Cell::kGru, is_lstm = shape.cell == Cell::kLstm;
  void (*const actions[])(const ForwardRow&) = {is_lstm ? lstm_memory : gru_inside, is_lstm ? lstm_row : gru_row};
  const Scratch packed_weight(width * n);
  pack_weight(weight, n, 1, wide, n, packed_weight.data());
  parallel_ranges(batch, rows_of_block(batch), flops(shape), [&, packed_weight = packed_weight.data()](Index first, Index last) {
    const long row = static_cast<long>(first), rows = static_cast<long>(last - first);
    const RowPanels cut = cut_panels(rows);
    const Scratch packed(cut.padded_rows() * n), sums(cut.padded_rows() * width);
    for (long t = 0; t < steps; ++t) {
      pack_rows(states + t * time + row * n, n, 1, rows, cut, n, packed.data());
      multiply_panels(cut, n, packed.data(), packed_weight, width, sums.data(), false);
      for (long i = 0; i < rows; ++i) {
        const long at = t * time + (row + i) * n;  // of a state of the step before; the step's own is one time later
        const long here = (t * batch + row + i) * wide;
        float *sum = sums.data() + i * width, *gates = kept ? kept + here : sum;
        if (bias) add_rows(wide, sum, bias, sum);
        ForwardRow r{n, gates, sum + 2 * n, states + at, states + at + time, nullptr, nullptr, nullptr};
        if (is_lstm) {
          r.before = memories + at;
          r.c = memories + at + time;
          r.squashed = inner ? inner + at : sum;
          add_rows(wide, sum, x + here, sum);
          unary(Unary::kSigmoid, 2 * n, sum, gates);
          unary(Unary::kTanh, n, sum + 2 * n, gates + 2 * n);
          unary(Unary::kSigmoid, n, sum + 3 * n, gates + 3 * n);
          actions[0](r);
          unary(Unary::kTanh, n, r.c, r.squashed);
          actions[1](r);
        } else if (is_gru) {
          add_rows(2 * n, sum, x + here, sum);
          unary(Unary::kSigmoid, 2 * n, sum, gates);
          if (inner) std::copy_n(r.inner, n, inner + at);
          r.squashed = gates + 2 * n;
          r.x = x + here + 2 * n;
          actions[0](r);
          unary(Unary::kTanh, n, r.squashed, r.squashed);
          actions[1](r);
        } else {
          add_rows(n, sum, x + here, sum);
          unary(shape.cell == Cell::kRelu ? Unary::kRelu : Unary::kTanh, n, sum, r.h);
          if (kept) std::copy_n(r.h, n, gates);
        }
      }
    }
  });
}

void recurrent_gradient(const RecurrentShape& shape, const float* kept, const float* weight, const float* inner, const float* states, const float* grad, float* to, float* start) {
  const long n = static_cast<long>(shape.hidden), batch = static_cast<long>(shape.batch), steps = static_cast<long>(shape.steps), wide = static_cast<long>(shape.gates()) * n, width = panel_columns(n);
  if (n == 0 || batch == 0) return;
  const bool is_gru = shape.cell == Cell::kGru, is_lstm = shape.cell == Cell::kLstm;
  void (*const action)(const BackwardRow&) = is_lstm ? lstm_row_gradient : is_gru ? gru_row_gradient : shape.cell == Cell::kTanh ? tanh_row_gradient : relu_row_gradient;
  const long time = batch * n, out = static_cast<long>(shape.gradients()) * n, memories = (steps + 1) * time;
  const Scratch packed_weight(width * wide);
  pack_weight(weight, 1, n, n, wide, packed_weight.data());
  parallel_ranges(batch, rows_of_block(batch), flops(shape), [&, packed_weight = packed_weight.data()](Index first, Index last) {
    const long row = static_cast<long>(first), rows = static_cast<long>(last - first);
    const RowPanels cut = cut_panels(rows);
    const Scratch packed(cut.padded_rows() * wide), carry(cut.padded_rows() * width), memory(is_lstm ? rows * n : 0);
    std::fill_n(carry.data(), cut.padded_rows() * width, 0.0f);
    if (is_lstm) std::fill_n(memory.data(), rows * n, 0.0f);
    for (long t = steps; t-- > 0;) {
      for (long i = 0; i < rows; ++i) {
        const long at = t * time + (row + i) * n;
        BackwardRow r{n, kept + (t * batch + row + i) * wide, is_lstm || is_gru ? inner + at : nullptr, states + at, grad + at + time, nullptr, carry.data() + i * width, nullptr, to + (t * batch + row + i) * out};
        if (is_lstm) {
          r.before = states + memories + at;
          r.grad_c = grad + memories + at + time;
          r.memory = memory.data() + i * n;
        }
        action(r);
      }
      pack_rows(to + (t * batch + row) * out + (is_gru ? n : 0), out, 1, rows, cut, wide, packed.data());
      multiply_panels(cut, wide, packed.data(), packed_weight, width, carry.data(), is_gru);
    }
    for (long i = 0; i < rows; ++i)
      for (long j = 0; j < n; ++j) {
        const long at = (row + i) * n + j;
        start[at] = carry.data()[i * width + j] + grad[at];
        if (is_lstm) start[time + at] = memory.data()[i * n + j] + grad[memories + at];
      }
  });
}

}  // namespace gradbook::kernels
