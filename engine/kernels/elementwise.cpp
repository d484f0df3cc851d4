// One input: contiguous loops over vectors, the rest through the same vector code so that every element gets the same bits.
#include "kernels/elementwise.h"

#include "kernels/math.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

constexpr Index kGrain = 16384;  // elements of one block of work: input and output stay in L2

// Requires: f works lane by lane.
template <class Function>
void map(Index n, const float* x, float* out, double cost, Function f) {
  parallel_ranges(n, kGrain, cost * static_cast<double>(n), [&](Index first, Index last) {
    const long count = static_cast<long>(last - first);
    const float* source = x + first;
    float* target = out + first;
    long i = 0;
    for (; i + 4 <= count; i += 4) store(target + i, f(load(source + i)));
    if (i < count) store_first(target + i, f(load_first(source + i, count - i)), count - i);
  });
}

// As map(), with a quick function for the vectors in which `inside` holds for all lanes. Requires: the quick one gives the same
// bits as `whole` there, so that an element's result does not depend on its neighbours.
template <class Inside, class Quick, class Whole>
void map_inside(Index n, const float* x, float* out, double cost, Inside inside, Quick quick, Whole whole) {
  parallel_ranges(n, kGrain, cost * static_cast<double>(n), [&](Index first, Index last) {
    const long count = static_cast<long>(last - first);
    const float* source = x + first;
    float* target = out + first;
    long i = 0;
    for (; i + 16 <= count; i += 16) {
      const Float4 a = load(source + i), b = load(source + i + 4), c = load(source + i + 8), d = load(source + i + 12);
      if (any_lane(~(inside(a) & inside(b) & inside(c) & inside(d)))) [[unlikely]] {
        for (long k = 0; k < 16; k += 4) store(target + i + k, whole(load(source + i + k)));
        continue;
      }
      store(target + i, quick(a));
      store(target + i + 4, quick(b));
      store(target + i + 8, quick(c));
      store(target + i + 12, quick(d));
    }
    for (; i + 4 <= count; i += 4) store(target + i, whole(load(source + i)));
    if (i < count) store_first(target + i, whole(load_first(source + i, count - i)), count - i);
  });
}

// As map(), with a function that takes one or four vectors and replaces them by its results.
template <class Function>
void map_groups(Index n, const float* x, float* out, double cost, Function f) {
  parallel_ranges(n, kGrain, cost * static_cast<double>(n), [&](Index first, Index last) {
    const long count = static_cast<long>(last - first);
    const float* source = x + first;
    float* target = out + first;
    long i = 0;
    for (; i + 16 <= count; i += 16) {
      Float4 group[4] = {load(source + i), load(source + i + 4), load(source + i + 8), load(source + i + 12)};
      f(group);
      for (int k = 0; k < 4; ++k) store(target + i + 4 * k, group[k]);
    }
    for (; i < count; i += 4) {
      const long size = std::min(4L, count - i);
      Float4 one[1] = {load_first(source + i, size)};
      f(one);
      store_first(target + i, one[0], size);
    }
  });
}

// x P(x), P the normal distribution.
template <int kCount>
GRADBOOK_INLINE void gelu(Float4 (&x)[kCount]) {
  Float4 share[kCount];
  for (int i = 0; i < kCount; ++i) share[i] = x[i] * constant<0.70710678f>();
  erf(share);
  for (int i = 0; i < kCount; ++i) x[i] = constant<0.5f>() * x[i] * (constant<1.0f>() + share[i]);
}

Float4 sign_of(Float4 x) {
  const Float4 one = splat(1.0f);
  return select(is_nan(x), x, keep_where(x > Float4{}, one) - keep_where(x < Float4{}, one));
}

constexpr double kCheap = 2, kDear = 20;

}  // namespace

void unary(Unary function, Index n, const float* x, float* out) {
  const Float4 one = splat(1.0f);
  const auto inside_sigmoid = [](Float4 v) { return v > constant<kSigmoidInside>(); };
  switch (function) {
    case Unary::kNegate: return map(n, x, out, kCheap, [](Float4 v) { return -v; });
    case Unary::kAbs: return map(n, x, out, kCheap, [](Float4 v) { return absolute(v); });
    case Unary::kRelu: return map(n, x, out, kCheap, [](Float4 v) { return raise_to(v, Float4{}); });
    case Unary::kStep: return map(n, x, out, kCheap, [=](Float4 v) { return keep_where(v > Float4{}, one); });
    case Unary::kSign: return map(n, x, out, kCheap, sign_of);
    case Unary::kSquare: return map(n, x, out, kCheap, [](Float4 v) { return v * v; });
    case Unary::kReciprocal: return map(n, x, out, kCheap, [=](Float4 v) { return one / v; });
    case Unary::kSqrt: return map(n, x, out, kCheap, [](Float4 v) { return square_root(v); });
    case Unary::kRsqrt: return map(n, x, out, kCheap, [=](Float4 v) { return one / square_root(v); });
    case Unary::kExp:
      return map_inside(n, x, out, kDear, [](Float4 v) { return absolute(v) <= constant<kExpInside>(); }, [](Float4 v) { return exp_inside(v); }, [](Float4 v) { return exp(v); });
    case Unary::kExpm1: return map(n, x, out, kDear, [](Float4 v) { return expm1(v); });
    case Unary::kLog: return map(n, x, out, kDear, [](Float4 v) { return log(v); });
    case Unary::kLog1p: return map(n, x, out, kDear, [](Float4 v) { return log1p(v); });
    case Unary::kSigmoid: return map_inside(n, x, out, kDear, inside_sigmoid, [](Float4 v) { return sigmoid_inside(v); }, [](Float4 v) { return sigmoid(v); });
    case Unary::kTanh: return map_groups(n, x, out, kDear, [](auto& v) { tanh(v); });
    case Unary::kErf: return map_groups(n, x, out, kDear, [](auto& v) { erf(v); });
    case Unary::kSoftplus: return map(n, x, out, kDear, [](Float4 v) { return softplus(v); });
    case Unary::kSilu: return map_inside(n, x, out, kDear, inside_sigmoid, [](Float4 v) { return v * sigmoid_inside(v); }, [](Float4 v) { return v * sigmoid(v); });
    case Unary::kGelu: return map_groups(n, x, out, kDear, [](auto& v) { gelu(v); });
    case Unary::kSin: return map(n, x, out, kDear, [](Float4 v) { return sin(v); });
    case Unary::kCos: return map(n, x, out, kDear, [](Float4 v) { return cos(v); });
    case Unary::kFloor: return map(n, x, out, kCheap, [](Float4 v) { return floor_lanes(v); });
    case Unary::kCeil: return map(n, x, out, kCheap, [](Float4 v) { return ceil_lanes(v); });
    case Unary::kRound: return map(n, x, out, kCheap, [](Float4 v) { return round_lanes(v); });
    case Unary::kTrunc: return map(n, x, out, kCheap, [](Float4 v) { return trunc_lanes(v); });
  }
}

void scale_shift(Index n, float a, const float* x, float b, float* out) {
  const Float4 scale = splat(a), shift = splat(b);
  map(n, x, out, kCheap, [=](Float4 v) { return v * scale + shift; });
}

void clamp(Index n, const float* x, float low, float high, float* out) {
  const Float4 lowest = splat(low), highest = splat(high);
  map(n, x, out, kCheap, [=](Float4 v) { return lower_to(raise_to(v, lowest), highest); });
}

void axpy(Index n, float a, const float* x, float* y) {
  const Float4 factor = splat(a);
  parallel_ranges(
      n, kGrain, kCheap * static_cast<double>(n),
      [&](Index first, Index last) {
        Index i = first;
        for (; i + 4 <= last; i += 4) store(y + i, madd(factor, load(x + i), load(y + i)));
        if (i < last) {
          const long rest = static_cast<long>(last - i);
          store_first(y + i, madd(factor, load_first(x + i, rest), load_first(y + i, rest)), rest);
        }
      },
      Stoppable::kNo);
}

void fill(Index n, float value, float* out) {
  const Float4 v = splat(value);
  parallel_ranges(n, 4 * kGrain, static_cast<double>(n), [&](Index first, Index last) {
    Index i = first;
    for (; i + 4 <= last; i += 4) store(out + i, v);
    store_first(out + i, v, static_cast<long>(last - i));
  });
}

}  // namespace gradbook::kernels
