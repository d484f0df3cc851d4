// Every gradient rule of the op table against central differences in double precision, under a random upstream gradient:
// first and second derivatives, and the float32 gradients of the quick kernels against the float64 ones of the plain loops.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "autodiff/run.h"
#include "autodiff/tape.h"
#include "base/random.h"
#include "op_arguments.h"
#include "ops/registry.h"
#include "ops/vocabulary.h"

namespace gradbook::test {
namespace {

constexpr uint64_t kSeed = 20240117;
constexpr double kStep = 1e-6;

class RegisterOps : public ::testing::Environment {
 public:
  void SetUp() override { register_ops(); }
};
[[maybe_unused]] const auto* const g_register = ::testing::AddGlobalTestEnvironment(new RegisterOps);

// Random ops draw the same numbers in every call of one check.
Tensor call(const Op& op, const std::vector<Tensor>& inputs, const Attributes& attributes) {
  default_generator() = {kSeed, 0};
  return run(op, inputs, attributes);
}

double dot(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = a.values(), y = b.values();
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

// d value() / d x, element by element; x is changed in place and restored.
std::vector<double> central_differences(const Tensor& x, const std::function<double()>& value) {
  std::vector<double> slopes;
  double* at = x.data<double>();
  for (Index i = 0; i < x.element_count(); ++i) {
    const double before = at[i], h = kStep * std::max(1.0, std::abs(before));
    at[i] = before + h;
    const double above = value();
    at[i] = before - h;
    const double below = value();
    at[i] = before;
    slopes.push_back((above - below) / (2 * h));
  }
  return slopes;
}

// Largest difference, relative to the larger of 1 and the largest expected value.
double difference(const std::vector<double>& got, const std::vector<double>& expected) {
  if (got.size() != expected.size()) return HUGE_VAL;
  double scale = 1, worst = 0;
  for (double v : expected) scale = std::max(scale, std::abs(v));
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(got[i]) || std::isnan(expected[i])) return HUGE_VAL;
    worst = std::max(worst, std::abs(got[i] - expected[i]));
  }
  return worst / scale;
}

std::string list(const std::vector<double>& values) {
  std::string text = "[";
  for (size_t i = 0; i < std::min<size_t>(values.size(), 12); ++i) text += (i ? ", " : "") + std::to_string(values[i]);
  return text + (values.size() > 12 ? ", ...]" : "]");
}

// The inputs that can have a gradient, made leaves of the tape.
std::vector<Tensor> leaves_of(const Arguments& arguments) {
  std::vector<Tensor> leaves;
  for (const Tensor& t : arguments.inputs)
    if (t.defined() && is_floating(t.dtype())) {
      t.set_requires_grad(true);
      leaves.push_back(t);
    }
  return leaves;
}

std::vector<double> values_or_zeros(const Tensor& gradient, const Tensor& of) {
  return gradient.defined() ? gradient.values() : std::vector<double>(static_cast<size_t>(of.element_count()), 0.0);
}

TEST(OpGradients, AgreeWithCentralDifferencesUnderARandomUpstreamGradient) {
  for (int number = 0; number < op_count(); ++number) {
    const Op& op = op_at(number);
    int checked = 0;
    for (const Sample& sample : samples_of(op)) {
      SCOPED_TRACE(describe(op, sample) + ", seed " + std::to_string(kSeed));
      try {
        const Arguments a = arguments_of(op, sample, DType::kFloat64, kSeed);
        const std::vector<Tensor> leaves = leaves_of(a);
        const Tensor result = call(op, a.inputs, a.attributes);
        if (!result.requires_grad()) continue;
        Draw draw(kSeed + 1);
        const Tensor upstream = random_tensor(result.shape(), draw);
        const std::vector<Tensor> got = gradients(result, leaves, upstream);
        GradModeGuard off(false);
        for (size_t i = 0; i < leaves.size(); ++i) {
          const auto expected = central_differences(leaves[i], [&] { return dot(call(op, a.inputs, a.attributes), upstream); });
          const auto gradient = values_or_zeros(got[i], leaves[i]);
          EXPECT_LT(difference(gradient, expected), 1e-6) << "input " << i << "\n  got      " << list(gradient) << "\n  expected " << list(expected);
          ++checked;
        }
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
      }
    }
    EXPECT_TRUE(!op.gradient || checked > 0) << op.name << " has a gradient rule that no sample reaches";
  }
}

// s(x, g) = sum of v * (gradient of op at x under upstream g); its derivatives by x and by g are second derivatives.
TEST(OpGradients, HaveSecondDerivativesThatAgreeWithCentralDifferences) {
  for (int number = 0; number < op_count(); ++number) {
    const Op& op = op_at(number);
    for (const Sample& sample : samples_of(op)) {
      SCOPED_TRACE(describe(op, sample) + ", seed " + std::to_string(kSeed));
      try {
        const Arguments a = arguments_of(op, sample, DType::kFloat64, kSeed);
        std::vector<Tensor> leaves = leaves_of(a);
        const size_t count = leaves.size();
        {
          const Tensor probe = call(op, a.inputs, a.attributes);
          if (!probe.requires_grad() || probe.element_count() == 0 || probe.element_count() > 64) continue;
          Draw draw(kSeed + 1);
          const Tensor upstream = random_tensor(probe.shape(), draw);
          upstream.set_requires_grad(true);
          leaves.push_back(upstream);
        }
        Draw draw(kSeed + 2);
        std::vector<Tensor> weights;
        for (size_t i = 0; i < count; ++i) weights.push_back(random_tensor(leaves[i].shape(), draw));
        auto weighted = [&](bool on_tape) {
          const Tensor result = call(op, a.inputs, a.attributes);
          const auto firsts = gradients(result, {leaves.begin(), leaves.begin() + static_cast<std::ptrdiff_t>(count)}, leaves[count], {.create_graph = on_tape});
          Tensor total = Tensor::zeros({}, DType::kFloat64);
          for (size_t i = 0; i < count; ++i)
            if (firsts[i].defined()) total = total + sum(firsts[i] * weights[i]);
          return total;
        };
        const Tensor total = weighted(true);
        std::vector<Tensor> got(leaves.size());
        if (total.requires_grad()) got = gradients(total, leaves);
        for (size_t i = 0; i < leaves.size(); ++i) {
          if (leaves[i].element_count() > 100) continue;
          const auto expected = central_differences(leaves[i], [&] { return weighted(false).item(); });
          const auto gradient = values_or_zeros(got[i], leaves[i]);
          EXPECT_LT(difference(gradient, expected), 1e-5)
              << (i < count ? "by input " + std::to_string(i) : std::string("by the upstream gradient")) << "\n  got      " << list(gradient) << "\n  expected " << list(expected);
        }
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
      }
    }
  }
}

TEST(OpGradients, InFloat32ThroughTheQuickKernelsAgreeWithFloat64) {
  for (int number = 0; number < op_count(); ++number) {
    const Op& op = op_at(number);
    if (op.random) continue;  // another dtype draws other numbers
    for (const Sample& sample : samples_of(op)) {
      SCOPED_TRACE(describe(op, sample) + ", seed " + std::to_string(kSeed));
      try {
        std::vector<std::vector<double>> of_type[2];
        std::vector<double> results[2];
        for (int pass = 0; pass < 2; ++pass) {
          const DType type = pass ? DType::kFloat32 : DType::kFloat64;
          const Arguments a = arguments_of(op, sample, type, kSeed);
          const std::vector<Tensor> leaves = leaves_of(a);
          const Tensor result = call(op, a.inputs, a.attributes);
          results[pass] = result.values();
          if (!result.requires_grad()) continue;
          Draw draw(kSeed + 1);
          const auto got = gradients(result, leaves, random_tensor(result.shape(), draw));
          for (size_t i = 0; i < leaves.size(); ++i) of_type[pass].push_back(values_or_zeros(got[i], leaves[i]));
        }
        ASSERT_EQ(of_type[0].size(), of_type[1].size());
        EXPECT_LT(difference(results[1], results[0]), 1e-5) << "\n  float32 " << list(results[1]) << "\n  float64 " << list(results[0]);
        for (size_t i = 0; i < of_type[0].size(); ++i)
          EXPECT_LT(difference(of_type[1][i], of_type[0][i]), 1e-4) << "input " << i << "\n  float32 " << list(of_type[1][i]) << "\n  float64 " << list(of_type[0][i]);
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace gradbook::test
