#include "kernels/optimizer.h"

#include <cmath>

#include "kernels/simd.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

constexpr Index kGrain = 8192;  // parameters of one block of work
constexpr float kSmallestGradient = 1e-17f, kSmallestState = 1e-33f;

template <float kLimit>
Float4 without_small(Float4 x) {
  return select(absolute(x) < constant<kLimit>(), Float4{}, x);
}

struct SgdFactors {
  Float4 lr, keep, take, momentum, decay, sign;
  bool nesterov;
};

Float4 sgd_gradient(const SgdFactors& f, Float4 p, Float4 g) { return madd(f.decay, p, without_small<kSmallestGradient>(f.sign * g)); }

void move_plain(const SgdFactors& f, long n, float* p, const float* g) {
  long i = 0;
  for (; i + 4 <= n; i += 4) store(p + i, negated_madd(f.lr, sgd_gradient(f, load(p + i), load(g + i)), load(p + i)));
  if (i < n) {
    const Float4 old = load_first(p + i, n - i);
    store_first(p + i, negated_madd(f.lr, sgd_gradient(f, old, load_first(g + i, n - i)), old), n - i);
  }
}

Float4 momentum_vector(const SgdFactors& f, Float4 p, Float4 g, Float4& buffer) {
  g = sgd_gradient(f, p, g);
  buffer = without_small<kSmallestState>(madd(f.keep, buffer, f.take * g));
  return negated_madd(f.lr, f.nesterov ? madd(f.momentum, buffer, g) : buffer, p);
}

void move_with_momentum(const SgdFactors& f, long n, float* p, const float* g, float* buffer) {
  long i = 0;
  for (; i + 4 <= n; i += 4) {
    Float4 b = load(buffer + i);
    store(p + i, momentum_vector(f, load(p + i), load(g + i), b));
    store(buffer + i, b);
  }
  if (i < n) {
    const long rest = n - i;
    Float4 b = load_first(buffer + i, rest);
    store_first(p + i, momentum_vector(f, load_first(p + i, rest), load_first(g + i, rest), b), rest);
    store_first(buffer + i, b, rest);
  }
}

struct AdamFactors {
  Float4 beta1, rest1, beta2, rest2, step, epsilon, decay, shrink, sign;
};

// kFlush: look for averages that are about to become subnormal. They shrink by a bounded factor per step, so it need not be
// done in every step.
template <bool kFlush, bool kDecay>
GRADBOOK_INLINE Float4 adam_vector(const AdamFactors& f, Float4 p, Float4 g, Float4& m, Float4& v) {
  g = without_small<kSmallestGradient>(f.sign * g);
  if constexpr (kDecay) {
    p = p * f.shrink;
    g = madd(f.decay, p, g);
  }
  m = madd(f.beta1, m, f.rest1 * g);
  v = madd(f.beta2, v, f.rest2 * (g * g));
  if constexpr (kFlush) {
    m = without_small<kSmallestState>(m);
    v = without_small<kSmallestState>(v);
  }
  return negated_madd(f.step, m / (square_root(v) + f.epsilon), p);
}

template <bool kFlush, bool kDecay>
__attribute__((noinline)) void adam_range(const AdamFactors& factors, long n, float* p, const float* g, float* m, float* v) {
  const AdamFactors f = factors;
  long i = 0;
  for (; i + 4 <= n; i += 4) {
    Float4 first = load(m + i), second = load(v + i);
    store(p + i, adam_vector<kFlush, kDecay>(f, load(p + i), load(g + i), first, second));
    store(m + i, first);
    store(v + i, second);
  }
  if (i < n) {
    const long rest = n - i;
    Float4 first = load_first(m + i, rest), second = load_first(v + i, rest);
    store_first(p + i, adam_vector<kFlush, kDecay>(f, load_first(p + i, rest), load_first(g + i, rest), first, second), rest);
    store_first(m + i, first, rest);
    store_first(v + i, second, rest);
  }
}

struct BiasCorrections {
  double first, second;
};

// Powers take longer than the update of a small parameter, and all parameters of a step have the same ones. Only the thread that
// runs the engine asks.
BiasCorrections bias_corrections(const AdamStep& step) {
  static AdamStep last{.step = 0};
  static BiasCorrections known{};
  if (last.step != step.step || last.beta1 != step.beta1 || last.beta2 != step.beta2) {
    last = step;
    known = {1 - std::pow(step.beta1, static_cast<double>(step.step)), 1 - std::pow(step.beta2, static_cast<double>(step.step))};
  }
  return known;
}

}  // namespace

void sgd_step(const SgdStep& step, Index n, float* parameters, const float* gradients, float* buffer) {
  const SgdFactors f{splat(step.lr),          splat(step.first ? 0 : step.momentum), splat(step.first ? 1 : 1 - step.dampening), splat(step.momentum),
                     splat(step.weight_decay), splat(step.maximize ? -1.0f : 1.0f),   step.nesterov};
  parallel_ranges(
      n, kGrain, 6.0 * static_cast<double>(n),
      [&](Index first, Index last) {
        const long count = static_cast<long>(last - first);
        if (step.momentum == 0) {
          move_plain(f, count, parameters + first, gradients + first);
        } else {
          move_with_momentum(f, count, parameters + first, gradients + first, buffer + first);
        }
      },
      Stoppable::kNo);
}

void adam_step(const AdamStep& step, Index n, float* parameters, const float* gradients, float* first, float* second) {
  const auto [correction1, correction2] = bias_corrections(step);
  // m / c1 / (sqrt(v / c2) + e) = sqrt(c2) / c1 * m / (sqrt(v) + e sqrt(c2)).
  const double root = std::sqrt(correction2);
  const auto all = [](double x) { return splat(static_cast<float>(x)); };
  const AdamFactors f{all(step.beta1), all(1 - step.beta1), all(step.beta2), all(1 - step.beta2), all(step.lr * root / correction1), all(step.epsilon * root),
                      all(step.decoupled ? 0 : step.weight_decay), all(step.decoupled ? 1 - step.lr * step.weight_decay : 1), all(step.maximize ? -1 : 1)};
  // 0.85^16 * 1e-33 is still far above the smallest normal number.
  const bool flush = step.step % 16 == 0 || step.beta1 < 0.85 || step.beta2 < 0.85;
  const auto range = step.weight_decay == 0 ? (flush ? adam_range<true, false> : adam_range<false, false>) : (flush ? adam_range<true, true> : adam_range<false, true>);
  parallel_ranges(
      n, kGrain, 16.0 * static_cast<double>(n),
      [&](Index begin, Index end) { range(f, static_cast<long>(end - begin), parameters + begin, gradients + begin, first + begin, second + begin); }, Stoppable::kNo);
}

}  // namespace gradbook::kernels
