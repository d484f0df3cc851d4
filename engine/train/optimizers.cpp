// The table of optimizers: settings with PyTorch's names and defaults, state, and the formula of one step.
// Formulas are those of PyTorch (torch.optim, 1.13); lion is Chen et al. 2023, muon is Jordan et al. 2024.
// All updates are elementwise in fixed order, so they give the same bits on any number of threads; only muon multiplies matrices.
#include "train/optimizers.h"

#include <algorithm>
#include <cmath>

#include "kernels/optimizer.h"
#include "kernels/threads.h"
#include "train/newton_schulz.h"

namespace gradbook {
namespace {

// -- the words of a row ----------------------------------------------------------------------------------------------

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Setting setting(std::string_view name, double value) { return {name, Kind::kNumber, {value}}; }
constexpr Setting fraction(std::string_view name, double value) { return {name, Kind::kNumber, {value}, 1, 0, 1}; }
constexpr Setting flag(std::string_view name, bool value) { return {name, Kind::kBoolean, {value ? 1.0 : 0.0}, 1, 0, 2}; }
constexpr Setting betas(double first, double second) { return {"betas", Kind::kNumbers, {first, second}, 2, 0, 1}; }

// -- elementwise updates ---------------------------------------------------------------------------------------------

// WebAssembly cannot flush subnormal numbers to zero and computes with them about five times slower. A model trained to zero
// loss would end there, so gradients whose square would be subnormal, and state below 1e-33, count as zero in float32.
inline float clean_gradient(float g) { return std::abs(g) < 1e-17f ? 0.0f : g; }
inline double clean_gradient(double g) { return g; }
inline float clean(float state) { return std::abs(state) < 1e-33f ? 0.0f : state; }
inline double clean(double state) { return state; }

template <class T, class Body, class... State>
void update_range(Index first, Index last, T sign, Body body, T* __restrict p, const T* __restrict g, State* __restrict... s) {
  for (Index i = first; i < last; ++i) body(p[i], clean_gradient(sign * g[i]), s[i]...);
}

// body(p, g, s...) for every element: p the parameter, g its cleaned gradient (negated with `maximize`), s one value per slot
// of `slots`; p and s are changed in place. `body` gets p, g and s as float or double.
template <class... SlotNumbers, class Body>
void for_each_element(const Update& u, bool maximize, Body body, SlotNumbers... slots) {
  constexpr Index kGrain = 16384;           // elements that one thread takes at a time
  constexpr double kWorkPerElement = 16;  // floating-point operations, roughly
  dispatch_floating(u.parameter.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const Index count = u.parameter.element_count();
    T* parameter = u.parameter.data<T>();
    const T* gradient = u.gradient.data<T>();
    const T sign = maximize ? T(-1) : T(1);
    auto run_over = [&](auto*... state) {
      kernels::parallel_ranges(
          count, kGrain, kWorkPerElement * static_cast<double>(count),
          [&](Index first, Index last) {
            update_range(first, last, sign, body, parameter, gradient, state...);
          },
          kernels::Stoppable::kNo);
    };
    run_over(u.slots[static_cast<size_t>(slots)].template data<T>()...);
  });
}

double bias_correction(double beta, int64_t step) { return 1 - std::pow(beta, static_cast<double>(step)); }

void sgd(const Update& u) {
  const double lr = u.value(0), momentum = u.value(1), dampening = u.value(2), decay = u.value(3);
  const bool nesterov = u.on(4), maximize = u.on(5);
  if (momentum == 0) {
    for_each_element(u, maximize, [=](auto& p, auto g) {
      using T = decltype(g);
      g += T(decay) * p;
      p -= T(lr) * g;
    });
    return;
  }
  // The first momentum is the gradient itself, without dampening.
  const double keep = u.fresh ? 0 : momentum, take = u.fresh ? 1 : 1 - dampening;
  for_each_element(u, maximize, [=](auto& p, auto g, auto& buffer) {
    using T = decltype(g);
    g += T(decay) * p;
    buffer = clean(T(keep) * buffer + T(take) * g);
    p -= T(lr) * (nesterov ? g + T(momentum) * buffer : buffer);
  }, 0);
}

bool fast_sgd(const Update& u) {
  if (u.parameter.dtype() != DType::kFloat32) return false;
  const auto setting = [&](int i) { return static_cast<float>(u.value(i)); };
  const bool momentum = u.value(1) != 0;
  kernels::sgd_step({.lr = setting(0), .momentum = setting(1), .dampening = setting(2), .weight_decay = setting(3), .nesterov = u.on(4), .first = u.fresh, .maximize = u.on(5)},
                    u.parameter.element_count(), u.parameter.data<float>(), u.gradient.data<float>(), momentum ? u.slots[0].data<float>() : nullptr);
  return true;
}

void verify_sgd(std::span<const double> values) {
  check(values[4] == 0 || (values[1] > 0 && values[2] == 0), ErrorCode::kValue, "sgd: `nesterov` needs a `momentum` above zero and no `dampening`");
}

// adam and adamw differ in how they decay weights: added to the gradient, or taken off the parameter.
void adam_step(const Update& u, bool decoupled) {
  const double lr = u.value(0), beta1 = u.value(1), beta2 = u.value(2), eps = u.value(3), decay = u.value(4);
  const bool amsgrad = u.on(5), maximize = u.on(6);
  const double step_size = lr / bias_correction(beta1, u.step), unbias = 1 / std::sqrt(bias_correction(beta2, u.step));
  const double in_gradient = decoupled ? 0 : decay, off_parameter = decoupled ? 1 - lr * decay : 1;
  auto moments = [=](auto& p, auto& g, auto& m, auto& v) {
    using T = std::decay_t<decltype(g)>;
    p *= T(off_parameter);
    g += T(in_gradient) * p;
    m = clean(T(beta1) * m + T(1 - beta1) * g);
    v = clean(T(beta2) * v + T(1 - beta2) * (g * g));
  };
  if (!amsgrad) {
    for_each_element(u, maximize, [=](auto& p, auto g, auto& m, auto& v) {
      using T = decltype(g);
      moments(p, g, m, v);
      p -= T(step_size) * (m / (std::sqrt(v) * T(unbias) + T(eps)));
    }, 0, 1);
    return;
  }
  for_each_element(u, maximize, [=](auto& p, auto g, auto& m, auto& v, auto& largest) {
    using T = decltype(g);
    moments(p, g, m, v);
    largest = largest < v || v != v ? v : largest;
    p -= T(step_size) * (m / (std::sqrt(largest) * T(unbias) + T(eps)));
  }, 0, 1, 2);
}

bool fast_adam_step(const Update& u, bool decoupled) {
  if (u.parameter.dtype() != DType::kFloat32 || u.on(5)) return false;
  kernels::adam_step({.lr = u.value(0), .beta1 = u.value(1), .beta2 = u.value(2), .epsilon = u.value(3), .weight_decay = u.value(4), .decoupled = decoupled, .maximize = u.on(6), .step = u.step},
                     u.parameter.element_count(), u.parameter.data<float>(), u.gradient.data<float>(), u.slots[0].data<float>(), u.slots[1].data<float>());
  return true;
}

void rmsprop(const Update& u) {
  const double lr = u.value(0), alpha = u.value(1), eps = u.value(2), decay = u.value(3), momentum = u.value(4);
  const bool centered = u.on(5), maximize = u.on(6);
  enum { kSquare, kBuffer, kMean };
  auto square = [=](auto& p, auto& g, auto& s) {
    using T = std::decay_t<decltype(g)>;
    g += T(decay) * p;
    s = clean(T(alpha) * s + T(1 - alpha) * (g * g));
  };
  auto spread = [=](auto g, auto s, auto& mean) {
    using T = decltype(g);
    mean = clean(T(alpha) * mean + T(1 - alpha) * g);
    return std::sqrt(s - mean * mean) + T(eps);
  };
  auto move = [=](auto& p, auto direction, auto& buffer) {
    using T = decltype(direction);
    buffer = clean(T(momentum) * buffer + direction);
    p -= T(lr) * buffer;
  };
  if (centered && momentum != 0)
    for_each_element(u, maximize, [=](auto& p, auto g, auto& s, auto& buffer, auto& mean) {
      square(p, g, s);
      move(p, g / spread(g, s, mean), buffer);
    }, kSquare, kBuffer, kMean);
  else if (centered)
    for_each_element(u, maximize, [=](auto& p, auto g, auto& s, auto& mean) {
      square(p, g, s);
      p -= decltype(g)(lr) * (g / spread(g, s, mean));
    }, kSquare, kMean);
  else if (momentum != 0)
    for_each_element(u, maximize, [=](auto& p, auto g, auto& s, auto& buffer) {
      square(p, g, s);
      move(p, g / (std::sqrt(s) + decltype(g)(eps)), buffer);
    }, kSquare, kBuffer);
  else
    for_each_element(u, maximize, [=](auto& p, auto g, auto& s) {
      square(p, g, s);
      p -= decltype(g)(lr) * (g / (std::sqrt(s) + decltype(g)(eps)));
    }, kSquare);
}

void adagrad(const Update& u) {
  const double lr = u.value(0), lr_decay = u.value(1), decay = u.value(2), eps = u.value(4);
  const bool maximize = u.on(5);
  const double step_size = lr / (1 + static_cast<double>(u.step - 1) * lr_decay);
  for_each_element(u, maximize, [=](auto& p, auto g, auto& sum) {
    using T = decltype(g);
    g += T(decay) * p;
    sum += g * g;
    p -= T(step_size) * (g / (std::sqrt(sum) + T(eps)));
  }, 0);
}

void adadelta(const Update& u) {
  const double lr = u.value(0), rho = u.value(1), eps = u.value(2), decay = u.value(3);
  const bool maximize = u.on(4);
  for_each_element(u, maximize, [=](auto& p, auto g, auto& square, auto& travelled) {
    using T = decltype(g);
    g += T(decay) * p;
    square = clean(T(rho) * square + T(1 - rho) * (g * g));
    const T delta = std::sqrt(travelled + T(eps)) / std::sqrt(square + T(eps)) * g;
    travelled = clean(T(rho) * travelled + T(1 - rho) * (delta * delta));
    p -= T(lr) * delta;
  }, 0, 1);
}

void nadam(const Update& u) {
  const double lr = u.value(0), beta1 = u.value(1), beta2 = u.value(2), eps = u.value(3), decay = u.value(4), momentum_decay = u.value(5);
  auto momentum_at = [=](int64_t step) { return beta1 * (1 - 0.5 * std::pow(0.96, static_cast<double>(step) * momentum_decay)); };
  const double mu = momentum_at(u.step), next = momentum_at(u.step + 1);
  double& product = *u.slots[2].data<double>();
  // The product of all momenta so far ends as a subnormal number, which is as good as zero and much slower.
  product = product * mu < 1e-300 ? 0 : product * mu;
  const double on_gradient = lr * (1 - mu) / (1 - product), on_momentum = lr * next / (1 - product * next);
  const double correction = bias_correction(beta2, u.step);
  for_each_element(u, false, [=](auto& p, auto g, auto& m, auto& v) {
    using T = decltype(g);
    g += T(decay) * p;
    m = clean(T(beta1) * m + T(1 - beta1) * g);
    v = clean(T(beta2) * v + T(1 - beta2) * (g * g));
    const T spread = std::sqrt(v / T(correction)) + T(eps);
    p -= T(on_gradient) * (g / spread);
    p -= T(on_momentum) * (m / spread);
  }, 0, 1);
}

void radam(const Update& u) {
  const double lr = u.value(0), beta1 = u.value(1), beta2 = u.value(2), eps = u.value(3), decay = u.value(4);
  const double step = static_cast<double>(u.step), power = std::pow(beta2, step), correction2 = 1 - power;
  const double longest = 2 / (1 - beta2) - 1, length = longest - 2 * step * power / correction2;
  const double step_size = lr / bias_correction(beta1, u.step);
  // With few steps behind it the variance is not trusted: plain momentum.
  const bool adaptive = length > 5;
  const double rectified = adaptive ? step_size * std::sqrt(correction2) * std::sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)) : 0;
  for_each_element(u, false, [=](auto& p, auto g, auto& m, auto& v) {
    using T = decltype(g);
    g += T(decay) * p;
    m = clean(T(beta1) * m + T(1 - beta1) * g);
    v = clean(T(beta2) * v + T(1 - beta2) * (g * g));
    p -= adaptive ? T(rectified) * (m / (std::sqrt(v) + T(eps))) : T(step_size) * m;
  }, 0, 1);
}

void adamax(const Update& u) {
  const double lr = u.value(0), beta1 = u.value(1), beta2 = u.value(2), eps = u.value(3), decay = u.value(4);
  const double step_size = lr / bias_correction(beta1, u.step);
  for_each_element(u, u.on(5), [=](auto& p, auto g, auto& m, auto& largest) {
    using T = decltype(g);
    g += T(decay) * p;
    m = clean(T(beta1) * m + T(1 - beta1) * g);
    const T size = std::abs(g) + T(eps), kept = T(beta2) * largest;
    largest = kept < size || size != size ? size : kept;
    p -= T(step_size) * (m / largest);
  }, 0, 1);
}

void asgd(const Update& u) {
  const double lr = u.value(0), lambd = u.value(1), alpha = u.value(2), t0 = u.value(3), decay = u.value(4);
  const double before = static_cast<double>(u.step - 1);
  const double eta = lr / std::pow(1 + lambd * lr * before, alpha), share = 1 / std::max(1.0, before - t0);
  for_each_element(u, u.on(5), [=](auto& p, auto g, auto& average) {
    using T = decltype(g);
    g += T(decay) * p;
    p = p * T(1 - lambd * eta) - T(eta) * g;
    average = share == 1 ? p : average + (p - average) * T(share);
  }, 0);
}

void rprop(const Update& u) {
  const double shrink = u.value(1), grow = u.value(2), smallest = u.value(3), largest = u.value(4);
  for_each_element(u, u.on(5), [=](auto& p, auto g, auto& before, auto& size) {
    using T = decltype(g);
    const T turn = g * before;
    if (turn != 0) size = std::clamp(size * T(turn > 0 ? grow : shrink), T(smallest), T(largest));
    // After a change of direction the parameter waits one step.
    if (turn < 0) g = T(0);
    p -= g != g ? g : T((g > 0) - (g < 0)) * size;
    before = g;
  }, 0, 1);
}

void lion(const Update& u) {
  const double lr = u.value(0), beta1 = u.value(1), beta2 = u.value(2), decay = u.value(3);
  for_each_element(u, false, [=](auto& p, auto g, auto& m) {
    using T = decltype(g);
    const T mixed = T(beta1) * m + T(1 - beta1) * g;
    const T sign = mixed != mixed ? mixed : T(mixed > 0) - T(mixed < 0);
    p = p * T(1 - lr * decay) - T(lr) * sign;
    m = clean(T(beta2) * m + T(1 - beta2) * g);
  }, 0);
}

void muon(const Update& u) {
  const double lr = u.value(0), decay = u.value(1), momentum = u.value(2), eps = u.value(4);
  const bool nesterov = u.on(3);
  check(u.parameter.rank() >= 2, ErrorCode::kShape, "muon: trains matrices, but a parameter has shape ", u.parameter.shape(),
        "; give biases and other vectors to another optimizer such as adamw");
  const Index rows = u.parameter.size(0), columns = rows ? u.parameter.element_count() / rows : 0;
  if (u.parameter.element_count() == 0) return;
  Tensor direction = Tensor::empty({rows, columns}, u.parameter.dtype());
  Update mixing = u;
  mixing.parameter = direction;
  for_each_element(mixing, false, [=](auto& d, auto g, auto& buffer) {
    using T = decltype(g);
    buffer = clean(T(momentum) * buffer + T(1 - momentum) * g);
    d = nesterov ? T(1 - momentum) * g + T(momentum) * buffer : buffer;
  }, 0);
  direction = nearest_orthogonal(direction, static_cast<int>(u.value(5)), eps);
  const double step_size = lr * std::sqrt(std::max(1.0, static_cast<double>(rows) / static_cast<double>(columns)));
  Update moving = u;
  moving.gradient = direction.contiguous();
  for_each_element(moving, false, [=](auto& p, auto d) {
    using T = decltype(d);
    p = p * T(1 - lr * decay) - T(step_size) * d;
  });
}

// -- the table -------------------------------------------------------------------------------------------------------

constexpr OptimizerRow kOptimizers[] = {
    {.name = "sgd",
     .summary = "Stochastic gradient descent: each parameter moves against its gradient, times the learning rate; momentum keeps part of the last moves.",
     .settings = {setting("lr", 1e-2), setting("momentum", 0), {"dampening", Kind::kNumber, {0}, 1, -kInfinity}, setting("weightDecay", 0), flag("nesterov", false), flag("maximize", false)},
     .slots = {{"momentumBuffer", "momentum"}},
     .update = sgd,
     .fast = fast_sgd,
     .verify = verify_sgd},
    {.name = "adam",
     .summary = "Adam: steps of about the learning rate in every direction, from running means of the gradient and of its square; weight decay is added to the gradient.",
     .settings = {setting("lr", 1e-3), betas(0.9, 0.999), setting("eps", 1e-8), setting("weightDecay", 0), flag("amsgrad", false), flag("maximize", false)},
     .slots = {{"expAvg"}, {"expAvgSq"}, {"maxExpAvgSq", "amsgrad"}},
     .update = [](const Update& u) { adam_step(u, false); },
     .fast = [](const Update& u) { return fast_adam_step(u, false); }},
    {.name = "adamw",
     .summary = "Adam with decoupled weight decay: weights shrink by the learning rate times weightDecay, apart from the gradient.",
     .settings = {setting("lr", 1e-3), betas(0.9, 0.999), setting("eps", 1e-8), setting("weightDecay", 1e-2), flag("amsgrad", false), flag("maximize", false)},
     .slots = {{"expAvg"}, {"expAvgSq"}, {"maxExpAvgSq", "amsgrad"}},
     .update = [](const Update& u) { adam_step(u, true); },
     .fast = [](const Update& u) { return fast_adam_step(u, true); }},
    {.name = "rmsprop",
     .summary = "RMSProp: the gradient divided by the root of a running mean of its square; centered subtracts the running mean of the gradient first.",
     .settings = {setting("lr", 1e-2), setting("alpha", 0.99), setting("eps", 1e-8), setting("weightDecay", 0), setting("momentum", 0), flag("centered", false), flag("maximize", false)},
     .slots = {{"squareAvg"}, {"momentumBuffer", "momentum"}, {"gradAvg", "centered"}},
     .update = rmsprop},
    {.name = "adagrad",
     .summary = "Adagrad: the gradient divided by the root of the sum of all its squares so far, so steps shrink as training goes on.",
     .settings = {setting("lr", 1e-2), setting("lrDecay", 0), setting("weightDecay", 0), setting("initialAccumulatorValue", 0), setting("eps", 1e-10), flag("maximize", false)},
     .slots = {{"sum", {}, "initialAccumulatorValue"}},
     .update = adagrad},
    {.name = "adadelta",
     .summary = "Adadelta: steps scaled by the ratio of how far the parameter has moved lately to how large its gradient has been.",
     .settings = {setting("lr", 1), {"rho", Kind::kNumber, {0.9}, 1, 0, 1.0000000000000002}, setting("eps", 1e-6), setting("weightDecay", 0), flag("maximize", false)},
     .slots = {{"squareAvg"}, {"accDelta"}},
     .update = adadelta},
    {.name = "nadam",
     .summary = "Adam with Nesterov momentum: looks one step ahead; momentumDecay sets how fast the momentum grows to its full size.",
     .settings = {setting("lr", 2e-3), betas(0.9, 0.999), setting("eps", 1e-8), setting("weightDecay", 0), setting("momentumDecay", 4e-3)},
     .slots = {{"expAvg"}, {"expAvgSq"}, {.name = "muProduct", .initial = 1, .scalar = true}},
     .update = nadam},
    {.name = "radam",
     .summary = "Rectified Adam: plain momentum in the first steps, until the running mean of the square can be trusted.",
     .settings = {setting("lr", 1e-3), betas(0.9, 0.999), setting("eps", 1e-8), setting("weightDecay", 0)},
     .slots = {{"expAvg"}, {"expAvgSq"}},
     .update = radam},
    {.name = "adamax",
     .summary = "Adam with the largest recent gradient in place of the root of its mean square.",
     .settings = {setting("lr", 2e-3), betas(0.9, 0.999), setting("eps", 1e-8), setting("weightDecay", 0), flag("maximize", false)},
     .slots = {{"expAvg"}, {"expInf"}},
     .update = adamax},
    {.name = "asgd",
     .summary = "Averaged stochastic gradient descent: plain steps that slowly shrink; the state `ax` is the average of the parameters from step t0 on.",
     .settings = {setting("lr", 1e-2), setting("lambd", 1e-4), setting("alpha", 0.75), setting("t0", 1e6), setting("weightDecay", 0), flag("maximize", false)},
     .slots = {{"ax"}},
     .update = asgd},
    {.name = "rprop",
     .summary = "Resilient propagation: only the sign of each gradient counts, and every parameter has its own step, which grows while the sign stays; for full batches.",
     .settings = {setting("lr", 1e-2), {"etas", Kind::kNumbers, {0.5, 1.2}, 2}, {"stepSizes", Kind::kNumbers, {1e-6, 50}, 2}, flag("maximize", false)},
     .slots = {{"prev"}, {.name = "stepSize", .initial_from = "lr"}},
     .update = rprop},
    {.name = "lion",
     .summary = "Lion: every parameter moves by exactly the learning rate, in the direction of the sign of its momentum; wants a smaller learning rate than Adam.",
     .settings = {setting("lr", 1e-4), betas(0.9, 0.99), setting("weightDecay", 0)},
     .slots = {{"expAvg"}},
     .update = lion},
    {.name = "muon",
     .summary = "Muon: the momentum of each weight matrix is replaced by the nearest orthogonal matrix; only for parameters of two or more axes (filters count as [out, rest]).",
     .settings = {setting("lr", 1e-3), setting("weightDecay", 0.1), fraction("momentum", 0.95), flag("nesterov", true), setting("eps", 1e-7), {"nsSteps", Kind::kNumber, {5}, 1, 1, 100}},
     .slots = {{"momentumBuffer"}},
     .update = muon},
};

constexpr bool names_are_unique() {
  for (const OptimizerRow& a : kOptimizers)
    for (const OptimizerRow& b : kOptimizers)
      if (&a != &b && a.name == b.name) return false;
  return true;
}
static_assert(names_are_unique());
static_assert(std::all_of(std::begin(kOptimizers), std::end(kOptimizers), [](const OptimizerRow& row) { return row.update && !row.summary.empty() && row.settings.count > 0; }));

}  // namespace

std::span<const OptimizerRow> optimizer_table() { return kOptimizers; }

}  // namespace gradbook
