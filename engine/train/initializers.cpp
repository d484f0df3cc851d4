#include "train/initializers.h"

#include <algorithm>
#include <cmath>

#include "autodiff/run.h"
#include "kernels/random.h"

namespace gradbook {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double number_at(const Attributes& a, size_t i) { return a[i].number; }
std::string text_at(const Attributes& a, size_t i) { return {a[i].list.begin(), a[i].list.end()}; }

void fill_value(const Tensor& target, double value) { target.copy_from(Tensor::full(target.shape(), value, target.dtype())); }

void uniform(const Tensor& target, Generator& generator, double low, double high) {
  dispatch_floating(target.dtype(), [&](auto zero) { fill_uniform(target.data<decltype(zero)>(), target.element_count(), generator, low, high); });
}

// float32 from the kernel, which takes a third of the time and uses the stream in the same way; its uniform numbers are no quicker.
void normal(const Tensor& target, Generator& generator, double mean, double deviation) {
  check(deviation >= 0 && deviation < kInfinity, ErrorCode::kValue, "`std` must be at least 0 and finite, got ", deviation);
  const Index count = target.element_count();
  if (target.dtype() != DType::kFloat32) return dispatch_floating(target.dtype(), [&](auto zero) { fill_normal(target.data<decltype(zero)>(), count, generator, mean, deviation); });
  const kernels::RandomPosition at{generator.seed, generator.reserve(kernels::random_groups(count))};
  kernels::fill_normal(at, count, static_cast<float>(mean), static_cast<float>(deviation), target.data<float>());
}

// -- fans and gains --------------------------------------------------------------------------------------------------

struct Fans {
  double in = 0, out = 0;
};
// Of a weight [out, in, ...]: how many inputs make one output, and how many outputs one input feeds; the axes after the second
// are the area of a filter.
Fans fans_of(const Tensor& target) {
  check(target.rank() >= 2, ErrorCode::kShape, "needs a weight with at least 2 axes, [out, in, ...], got shape ", target.shape(), "; fill a bias with zeros or uniform");
  double area = 1;
  for (int i = 2; i < target.rank(); ++i) area *= static_cast<double>(target.size(i));
  return {static_cast<double>(target.size(1)) * area, static_cast<double>(target.size(0)) * area};
}

// How much a nonlinearity shrinks a signal, as torch.nn.init.calculate_gain.
double gain_of(const std::string& nonlinearity, double slope) {
  if (nonlinearity == "linear" || nonlinearity == "sigmoid") return 1;
  if (nonlinearity == "tanh") return 5.0 / 3;
  if (nonlinearity == "relu") return std::sqrt(2.0);
  if (nonlinearity == "leakyRelu") return std::sqrt(2 / (1 + slope * slope));
  if (nonlinearity == "selu") return 0.75;
  fail(ErrorCode::kValue, "`nonlinearity` must be one of 'linear', 'sigmoid', 'tanh', 'relu', 'leakyRelu', 'selu', got '", nonlinearity, "'");
}

// gain / sqrt(fan): the standard deviation that keeps the size of signals (fanIn) or of gradients (fanOut).
double kaiming_deviation(const Tensor& target, const Attributes& a) {
  const Fans fans = fans_of(target);
  const std::string mode = text_at(a, 1);
  check(mode == "fanIn" || mode == "fanOut", ErrorCode::kValue, "`mode` must be 'fanIn' or 'fanOut', got '", mode, "'");
  const double fan = mode == "fanIn" ? fans.in : fans.out;
  return fan > 0 ? gain_of(text_at(a, 2), number_at(a, 0)) / std::sqrt(fan) : 0;
}

double xavier_deviation(const Tensor& target, const Attributes& a) {
  const Fans fans = fans_of(target);
  return fans.in + fans.out > 0 ? number_at(a, 0) * std::sqrt(2 / (fans.in + fans.out)) : 0;
}

void uniform_with_deviation(const Tensor& target, Generator& generator, double deviation) {
  const double bound = std::sqrt(3.0) * deviation;
  uniform(target, generator, -bound, bound);
}

// -- truncated normal ------------------------------------------------------------------------------------------------

// Giles 2012, "Approximating the erfinv function" (single precision), then one Newton step on erf.
double erf_inverse(double y) {
  double w = -std::log((1 - y) * (1 + y)), p = 0;
  if (w < 5) {
    w -= 2.5;
    for (double c : {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941}) p = c + p * w;
  } else {
    w = std::sqrt(w) - 3;
    for (double c : {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047, 1.00167406, 2.83297682}) p = c + p * w;
  }
  const double x = p * y;
  const double slope = 1.1283791670955126 * std::exp(-x * x);
  return slope > 1e-12 ? x - (std::erf(x) - y) / slope : x;
}

void truncated_normal(const Tensor& target, Generator& generator, double mean, double deviation, double low, double high) {
  check(deviation > 0 && deviation < kInfinity, ErrorCode::kValue, "`std` must be above 0 and finite, got ", deviation);
  check(low < high, ErrorCode::kValue, "`low` must be below `high`, got ", low, " and ", high);
  check(mean > low - 8 * deviation && mean < high + 8 * deviation, ErrorCode::kValue, "`mean` is more than 8 deviations outside [`low`, `high`]");
  // A uniform number between the two values of the distribution function, through its inverse.
  const double root = deviation * std::sqrt(2.0);
  const double from = std::erf((low - mean) / root), to = std::erf((high - mean) / root);
  uniform(target, generator, 0, 1);
  dispatch_floating(target.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* values = target.data<T>();
    for (Index i = 0; i < target.element_count(); ++i) {
      const double y = std::clamp(from + (to - from) * static_cast<double>(values[i]), -1 + 1e-15, 1 - 1e-15);
      values[i] = static_cast<T>(std::clamp(mean + root * erf_inverse(y), low, high));
    }
  });
}

// -- orthogonal ------------------------------------------------------------------------------------------------------

// Rows (or columns, when there are more rows) of length 1 and at right angles: Gram-Schmidt on a normal matrix, each vector
// twice, which keeps the angles right to rounding. The signs are those of a QR factorisation with a positive diagonal, so all
// orthogonal matrices are equally likely.
void orthogonal(const Tensor& target, Generator& generator, double gain) {
  check(target.rank() >= 2, ErrorCode::kShape, "needs at least 2 axes, got shape ", target.shape());
  if (target.element_count() == 0) return;
  const size_t rows = static_cast<size_t>(target.size(0)), columns = static_cast<size_t>(target.element_count()) / rows;
  const size_t count = std::min(rows, columns), length = std::max(rows, columns);
  std::vector<double> v(count * length);
  fill_normal(v.data(), static_cast<int64_t>(v.size()), generator);
  for (size_t i = 0; i < count; ++i) {
    double* x = &v[i * length];
    for (int round = 0; round < 2; ++round)
      for (size_t j = 0; j < i; ++j) {
        const double* y = &v[j * length];
        double along = 0;
        for (size_t k = 0; k < length; ++k) along += x[k] * y[k];
        for (size_t k = 0; k < length; ++k) x[k] -= along * y[k];
      }
    double squares = 0;
    for (size_t k = 0; k < length; ++k) squares += x[k] * x[k];
    for (size_t k = 0; k < length; ++k) x[k] /= std::sqrt(squares);
  }
  dispatch_floating(target.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* out = target.data<T>();
    for (size_t r = 0; r < rows; ++r)
      for (size_t c = 0; c < columns; ++c) out[r * columns + c] = static_cast<T>(gain * (rows < columns ? v[r * length + c] : v[c * length + r]));
  });
}

// -- the table -------------------------------------------------------------------------------------------------------

constexpr InitializerRow kInitializers[] = {
    {"zeros", "All elements 0.", {}, [](const Tensor& t, const Attributes&, Generator&) { fill_value(t, 0); }},
    {"ones", "All elements 1.", {}, [](const Tensor& t, const Attributes&, Generator&) { fill_value(t, 1); }},
    {"constant", "All elements equal to value.", {number("value")}, [](const Tensor& t, const Attributes& a, Generator&) { fill_value(t, number_at(a, 0)); }},
    {"uniform", "Uniformly random numbers from low up to, not including, high.", {number("low", 0), number("high", 1)},
     [](const Tensor& t, const Attributes& a, Generator& g) {
       check(number_at(a, 0) <= number_at(a, 1) && std::isfinite(number_at(a, 1) - number_at(a, 0)), ErrorCode::kValue, "`low` must not be above `high`, both finite, got ", number_at(a, 0), " and ", number_at(a, 1));
       uniform(t, g, number_at(a, 0), number_at(a, 1));
     }},
    {"normal", "Normally distributed numbers with this mean and standard deviation.", {number("mean", 0), number("std", 1)},
     [](const Tensor& t, const Attributes& a, Generator& g) { normal(t, g, number_at(a, 0), number_at(a, 1)); }},
    {"truncNormal", "Normally distributed numbers, of which only those between low and high occur.", {number("mean", 0), number("std", 1), number("low", -2), number("high", 2)},
     [](const Tensor& t, const Attributes& a, Generator& g) { truncated_normal(t, g, number_at(a, 0), number_at(a, 1), number_at(a, 2), number_at(a, 3)); }},
    {"xavierUniform", "Uniform numbers of standard deviation gain * sqrt(2 / (fanIn + fanOut)): Glorot's choice, for tanh and sigmoid.", {number("gain", 1)},
     [](const Tensor& t, const Attributes& a, Generator& g) { uniform_with_deviation(t, g, xavier_deviation(t, a)); }},
    {"xavierNormal", "Normal numbers of standard deviation gain * sqrt(2 / (fanIn + fanOut)).", {number("gain", 1)},
     [](const Tensor& t, const Attributes& a, Generator& g) { normal(t, g, 0, xavier_deviation(t, a)); }},
    {"kaimingUniform", "Uniform numbers of standard deviation gain / sqrt(fan): He's choice, for relu and its kin; a is the slope that leakyRelu has for negative numbers.",
     {number("a", 0), text("mode", "'fanIn'"), text("nonlinearity", "'leakyRelu'")},
     [](const Tensor& t, const Attributes& a, Generator& g) { uniform_with_deviation(t, g, kaiming_deviation(t, a)); }},
    {"kaimingNormal", "Normal numbers of standard deviation gain / sqrt(fan).", {number("a", 0), text("mode", "'fanIn'"), text("nonlinearity", "'leakyRelu'")},
     [](const Tensor& t, const Attributes& a, Generator& g) { normal(t, g, 0, kaiming_deviation(t, a)); }},
    {"orthogonal", "A random orthogonal matrix times gain; the axes after the first count as one.", {number("gain", 1)},
     [](const Tensor& t, const Attributes& a, Generator& g) { orthogonal(t, g, number_at(a, 0)); }},
};

}  // namespace

std::span<const InitializerRow> initializer_table() { return kInitializers; }

void initialize(const InitializerRow& row, const Tensor& target, Attributes attributes, Generator& generator) {
  try {
    check(target.is_leaf(), ErrorCode::kState, "fills a leaf in place, but this tensor is the result of an op; use detach() first");
    complete_attributes(row.params, attributes);
    const Tensor filled = Tensor::empty(target.shape(), target.dtype());
    row.fill(filled, attributes, generator);
    target.copy_from(filled);
  } catch (const Error& error) {
    throw Error(error.code(), std::string(row.name) + ": " + error.what());
  }
}

}  // namespace gradbook
