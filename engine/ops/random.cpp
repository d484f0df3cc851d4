// Random tensors. Each op reserves its range of the Philox stream first, so the numbers depend on the seed and on how many
// were drawn before, and on nothing else.
#include "base/random.h"

#include "ops/fast.h"
#include "ops/table.h"
#include "ops/vocabulary.h"

namespace gradbook {
namespace {

Shape shape_attribute(const Call& c) { return c.integers(0); }
DType type_attribute(const Call& c) {
  const DType type = c.dtype(1);
  if (!is_floating(type)) fail(ErrorCode::kType, "gives float32 or float64, not ", info(type).name, "; use randint for whole numbers");
  return type;
}

void forward_rand(Call& c) {
  dispatch_floating(c.result.dtype(), [&](auto zero) { fill_uniform(c.result.data<decltype(zero)>(), c.result.element_count(), default_generator()); });
}
void forward_randn(Call& c) {
  dispatch_floating(c.result.dtype(), [&](auto zero) { fill_normal(c.result.data<decltype(zero)>(), c.result.element_count(), default_generator()); });
}

uint64_t groups_for(Index count) { return (static_cast<uint64_t>(count) + 3) / 4; }
// Calls use(i, word) with one random word per element.
template <class Use>
void for_each_word(Index count, Use use) {
  Generator& generator = default_generator();
  const uint64_t first = generator.reserve(groups_for(count));
  for (Index i = 0; i < count; i += 4) {
    const std::array<uint32_t, 4> words = philox(generator.seed, first + static_cast<uint64_t>(i) / 4);
    for (Index k = 0; k < 4 && i + k < count; ++k) use(i + k, words[static_cast<size_t>(k)]);
  }
}

Shape shape_randint(const Call& c) {
  if (c.integer(0) >= c.integer(1)) fail(ErrorCode::kValue, "`low` must be less than `high`, got ", c.integer(0), " and ", c.integer(1));
  if (c.number(0) < -2147483648.0 || c.number(1) > 2147483648.0) fail(ErrorCode::kValue, "`low` and `high` must fit int32");
  return c.integers(2);
}
void forward_randint(Call& c) {
  const int64_t low = c.integer(0), span = c.integer(1) - low;
  int32_t* to = c.result.data<int32_t>();
  // The upper half of word * span: every value is equally likely up to 2^-32.
  for_each_word(c.result.element_count(), [&](Index i, uint32_t word) {
    to[i] = static_cast<int32_t>(low + static_cast<int64_t>(static_cast<uint64_t>(word) * static_cast<uint64_t>(span) >> 32));
  });
}

Shape shape_randperm(const Call& c) {
  if (c.integer(0) < 0) fail(ErrorCode::kValue, "`n` cannot be negative, got ", c.integer(0));
  return {c.integer(0)};
}
// Fisher and Yates: place i swaps with a random place not behind it.
void forward_randperm(Call& c) {
  int32_t* to = c.result.data<int32_t>();
  const Index n = c.result.element_count();
  for (Index i = 0; i < n; ++i) to[i] = static_cast<int32_t>(i);
  for_each_word(n, [&](Index k, uint32_t word) {
    const Index i = n - 1 - k;
    std::swap(to[i], to[static_cast<uint64_t>(word) * static_cast<uint64_t>(i + 1) >> 32]);
  });
}

void check_share(double p) {
  if (!(p >= 0 && p <= 1)) fail(ErrorCode::kValue, "`p` must lie between 0 and 1, got ", p);
}
Shape shape_dropout_mask(const Call& c) {
  check_share(c.number(1));
  return c.integers(0);
}
// 1 / (1 - p) with probability 1 - p, else 0.
void forward_dropout_mask(Call& c) {
  const double keep = 1 - c.number(1);
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* to = c.result.data<T>();
    const T kept = keep > 0 ? static_cast<T>(1 / keep) : T(0);
    for_each_word(c.result.element_count(), [&](Index i, uint32_t word) { to[i] = static_cast<double>(word) * 0x1p-32 < keep ? kept : T(0); });
  });
}

// A mask of `shape` broadcasts over x: one decision per element, or per channel.
Tensor dropped(const Call& c, const Shape& shape) {
  const Tensor& x = c.input(0);
  check_share(c.number(0));
  if (!c.boolean(1) || c.number(0) == 0) return op<"to">({x}, {static_cast<int>(x.dtype())});
  return x * op<"dropoutMask">({}, {shape, c.number(0), static_cast<int>(computing_type(x.dtype()))});
}

Tensor compose_dropout2d(const Call& c) {
  const Tensor& x = c.input(0);
  if (x.rank() < 2) fail(ErrorCode::kShape, "needs (batch, channels, ...), got shape ", x.shape());
  Shape shape = Shape::filled(x.rank(), 1);
  shape[0] = x.size(0);
  shape[1] = x.size(1);
  return dropped(c, shape);
}

void forward_bernoulli(Call& c) {
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* p = c.input(0).data<T>();
    T* to = c.result.data<T>();
    for (Index i = 0; i < c.result.element_count(); ++i) check_share(static_cast<double>(p[i]));
    for_each_word(c.result.element_count(), [&](Index i, uint32_t word) { to[i] = static_cast<double>(word) * 0x1p-32 < static_cast<double>(p[i]) ? T(1) : T(0); });
  });
}

constexpr OpRow kRandom[] = {
    {.name = "rand",
     .summary = "Random numbers, uniform in [0, 1).",
     .example = "rand([2, 3]).mul(0)", .gives = "[[0, 0, 0], [0, 0, 0]]",
     .params = {integers("shape"), dtype_param("dtype", DType::kFloat32)},
     .result_type = ResultType::kCustom,
     .type = type_attribute,
     .shape = shape_attribute,
     .forward = forward_rand,
     .fast = fast_rand,
     .random = true,
     .samples = {{"", "[2, 3]"}, {"", "[0]"}, {"", "[]"}},
     .misuses = {{"", "[-1]", "a size cannot be negative"}, {"", "[2] ; 'int32'", "use randint"}}},

    {.name = "randn",
     .summary = "Random numbers from the normal distribution with mean 0 and variance 1.",
     .example = "randn([2, 3]).mul(0).abs()", .gives = "[[0, 0, 0], [0, 0, 0]]",
     .params = {integers("shape"), dtype_param("dtype", DType::kFloat32)},
     .result_type = ResultType::kCustom,
     .type = type_attribute,
     .shape = shape_attribute,
     .forward = forward_randn,
     .fast = fast_randn,
     .random = true,
     .samples = {{"", "[2, 3]"}, {"", "[0]"}, {"", "[]"}},
     .misuses = {{"", "[-1]", "a size cannot be negative"}}},

    {.name = "randint",
     .summary = "Random whole numbers from `low` up to, not including, `high`, as int32.",
     .example = "randint(5, 6, [3])", .gives = "[5, 5, 5]",
     .params = {integer("low"), integer("high"), integers("shape")},
     .result_type = ResultType::kInt32,
     .shape = shape_randint,
     .forward = forward_randint,
     .random = true,
     .samples = {{"", "-2 ; 3 ; [2, 3]"}, {"", "0 ; 1 ; [0]"}},
     .misuses = {{"", "3 ; 3 ; [2]", "`low` must be less than `high`"}}},

    {.name = "randperm",
     .summary = "The whole numbers from 0 to n - 1 in random order.",
     .example = "randperm(4).sum()", .gives = "6",
     .params = {integer("n")},
     .result_type = ResultType::kInt32,
     .shape = shape_randperm,
     .forward = forward_randperm,
     .random = true,
     .samples = {{"", "5"}, {"", "0"}, {"", "1"}},
     .misuses = {{"", "-1", "cannot be negative"}}},

    {.name = "bernoulli",
     .summary = "1 with the probability given by each element, else 0.",
     .example = "tensor([0, 1]).bernoulli()", .gives = "[0, 1]",
     .params = {tensor("p")},
     .result_type = ResultType::kFloating,
     .shape = same_as_first,
     .forward = forward_bernoulli,
     .random = true,
     .samples = {{"2x3", "", 0.1, 0.9}, {"0", "", 0, 1}},
     .misuses = {{"2x3", "", "between 0 and 1"}}},

    {.name = "dropoutMask",
     .summary = "1 / (1 - p) with probability 1 - p, else 0.",
     .example = "dropoutMask([3], 0)", .gives = "[1, 1, 1]",
     .params = {integers("shape"), number("p"), dtype_param("dtype", DType::kFloat32)},
     .result_type = ResultType::kCustom,
     .type = [](const Call& c) { return c.dtype(2); },
     .shape = shape_dropout_mask,
     .forward = forward_dropout_mask,
     .fast = fast_dropout_mask,
     .internal = true,
     .random = true,
     .samples = {{"", "[2, 3] ; 0.5"}, {"", "[0] ; 0.5"}, {"", "[2] ; 1"}},
     .misuses = {{"", "[2] ; 1.5", "between 0 and 1"}}},

    {.name = "dropout",
     .summary = "While training, sets each element to zero with probability p and divides the others by 1 - p, so that the mean stays.",
     .example = "tensor([1, 2]).dropout(0.5, { training: false })", .gives = "[1, 2]",
     .params = {tensor("x"), number("p", 0.5), boolean("training", true)},
     .compose = [](const Call& c) { return dropped(c, c.input(0).shape()); },
     .random = true,
     .samples = {{"4x5"}, {"4x5", "0.2"}, {"2x3", "0.5 ; false"}, {"2x3", "1"}, {"0"}},
     .misuses = {{"2x3", "1.5", "between 0 and 1"}}},

    {.name = "dropout2d",
     .summary = "dropout of whole channels: all of (batch, channel) is kept or zeroed together.",
     .example = "tensor([[[1, 2]]]).dropout2d(0.5, { training: false })", .gives = "[[[1, 2]]]",
     .params = {tensor("x"), number("p", 0.5), boolean("training", true)},
     .compose = compose_dropout2d,
     .random = true,
     .samples = {{"2x3x2x2"}, {"2x3", "0.5 ; false"}},
     .misuses = {{"3", "", "needs (batch, channels, ...)"}}},
};

}  // namespace

GRADBOOK_FAMILY(random, kRandom)

}  // namespace gradbook
