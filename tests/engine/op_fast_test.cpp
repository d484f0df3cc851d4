// Every quick kernel behind the op table against the row's plain loops, in float32: on the row's samples with sizes changed
// at random (0, 1, odd, large), on views with odd strides, and with NaN and infinities among the values.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <span>

#include "autodiff/run.h"
#include "base/random.h"
#include "op_arguments.h"
#include "ops/registry.h"
#include "ops/words.h"

namespace gradbook::test {
namespace {

constexpr uint64_t kSeed = 7041776;

// How an input lies in memory.
enum class Placing { kRowMajor, kColumnMajor, kSpaced, kCount };

// The same values behind other strides.
Tensor placed(const Tensor& t, Placing placing) {
  if (!t.defined() || t.rank() == 0) return t;
  const int last = t.rank() - 1;
  if (placing == Placing::kColumnMajor && t.rank() > 1) {
    Shape turned = t.shape();
    std::swap(turned[last], turned[last - 1]);
    Shape strides = t.strides();
    std::swap(strides[last], strides[last - 1]);
    const Tensor copy = t.view(turned, strides).clone();
    Shape back = copy.strides();
    std::swap(back[last], back[last - 1]);
    return copy.view(t.shape(), back);
  }
  if (placing == Placing::kSpaced) {
    Shape wide = t.shape();
    wide[last] = wide[last] * 2 + 1;
    const Tensor room = Tensor::full(wide, 77, t.dtype());
    Shape strides = room.strides();
    strides[last] *= 2;
    const Tensor seen = room.view(t.shape(), strides, t.element_count() ? 1 : 0);
    seen.copy_from(t);
    return seen;
  }
  return t;
}

// The sample with every size replaced, equal sizes by equal ones.
std::string resized(std::string_view shapes, Draw& draw) {
  static constexpr Index kSizes[] = {0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 33};
  std::map<std::string, Index> sizes = {{"1", 1}};
  std::string result;
  const auto inputs = split(shapes, ',');
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (i) result += ",";
    if (inputs[i].empty() || inputs[i] == "-") {
      result += inputs[i];
      continue;
    }
    const auto axes = split(inputs[i], 'x');
    for (size_t k = 0; k < axes.size(); ++k) {
      const auto known = sizes.try_emplace(axes[k], kSizes[draw.whole(std::size(kSizes))]);
      result += (k ? "x" : "") + std::to_string(known.first->second);
    }
  }
  return result;
}

struct Comparison {
  double difference = 0;
  bool same_specials = true;
};
// `more_nan`: the zeros of padding may take part in a convolution, and 0 * Infinity is NaN; nothing may get lost either way.
Comparison compare(const std::vector<double>& got, const std::vector<double>& expected, bool more_nan) {
  Comparison c;
  double scale = 1;
  for (double v : expected)
    if (std::isfinite(v)) scale = std::max(scale, std::abs(v));
  for (size_t i = 0; i < got.size(); ++i) {
    if (more_nan && std::isnan(got[i])) continue;
    if (std::isnan(got[i]) || std::isnan(expected[i]))
      c.same_specials = c.same_specials && std::isnan(got[i]) && std::isnan(expected[i]);
    else if (std::isinf(got[i]) || std::isinf(expected[i]))
      c.same_specials = c.same_specials && got[i] == expected[i];
    else
      c.difference = std::max(c.difference, std::abs(got[i] - expected[i]) / scale);
  }
  return c;
}

// Runs with and without quick kernels and compares; false when the arguments are no use of the op.
bool check_sample(const Op& op, const Sample& sample, Placing placing, uint64_t seed, bool with_specials = false) {
  SCOPED_TRACE(describe(op, sample) + ", placing " + std::to_string(static_cast<int>(placing)) + ", seed " + std::to_string(seed) + (with_specials ? ", with NaN and infinities" : ""));
  Arguments a;
  Tensor results[2];
  try {
    a = arguments_of(op, sample, DType::kFloat32, seed);
    // Later inputs of gradient ops are values that forward saved; not every combination can occur.
    if (with_specials)
      for (const Tensor& t : std::span(a.inputs).first(std::min<size_t>(a.inputs.size(), 2)))
        if (t.defined() && t.dtype() == DType::kFloat32 && t.element_count() > 2) {
          t.data<float>()[0] = NAN;
          t.data<float>()[t.element_count() / 2] = INFINITY;
          t.data<float>()[t.element_count() - 1] = -INFINITY;
        }
    for (Tensor& t : a.inputs) t = placed(t, placing);
    for (int pass = 0; pass < 2; ++pass) {
      default_generator() = {seed, 0};
      const bool before = set_fast_kernels(pass == 0);
      try {
        results[pass] = run(op, a.inputs, a.attributes);
      } catch (...) {
        set_fast_kernels(before);
        throw;
      }
      set_fast_kernels(before);
    }
  } catch (const Error&) {
    return false;
  }
  EXPECT_EQ(results[0].shape(), results[1].shape());
  const Comparison c = compare(results[0].values(), results[1].values(), with_specials && op.name.starts_with("conv"));
  EXPECT_LT(c.difference, trials_of(op).tolerance);
  EXPECT_TRUE(c.same_specials) << "NaN or infinities at other places";
  return true;
}

TEST(FastKernels, AgreeWithThePlainLoopsOnSamplesRandomSizesAndViews) {
  for (int number = 0; number < op_count(); ++number) {
    const Op& op = op_at(number);
    if (!op.fast) continue;
    int used = 0;
    for (const Sample& sample : samples_of(op)) {
      for (int placing = 0; placing < static_cast<int>(Placing::kCount); ++placing)
        used += check_sample(op, sample, static_cast<Placing>(placing), kSeed);
      Draw draw(kSeed + static_cast<uint64_t>(number));
      for (int i = 0; i < 12; ++i) {
        const std::string shapes = resized(sample.shapes, draw);
        Sample other = sample;
        other.shapes = shapes;
        check_sample(op, other, static_cast<Placing>(draw.whole(static_cast<Index>(Placing::kCount))), kSeed + static_cast<uint64_t>(i));
      }
    }
    EXPECT_GT(used, 0) << op.name << " has no sample that its quick kernel was tested with";
  }
}

TEST(FastKernels, TreatNaNAndInfinitiesAsThePlainLoopsDo) {
  for (int number = 0; number < op_count(); ++number) {
    const Op& op = op_at(number);
    if (!op.fast) continue;
    for (const Sample& sample : samples_of(op)) check_sample(op, sample, Placing::kRowMajor, kSeed, true);
  }
}

}  // namespace
}  // namespace gradbook::test
