// Ops that put elements together in new places: concat, pad, flip, repeat, windows. Views are in movement.cpp, choice by
// index in indexing.cpp.
#include <algorithm>
#include <cstring>

#include "kernels/rows.h"
#include "ops/fast.h"
#include "ops/table.h"
#include "ops/vocabulary.h"

namespace gradbook {
namespace {

// Copies `from` into a part of `to`, which begins at `offset` (in elements of `to`) and has the shape of `from`.
void copy_into(const Tensor& to, const Shape& strides, Index offset, const Tensor& from) {
  if (from.element_count() == 0) return;
  dispatch(to.dtype(), [&](auto zero) {
    using T = decltype(zero);
    map<T, T>(to.view(from.shape(), strides, offset), from, [](T x) { return x; });
  });
}

// -- concat, stack ------------------------------------------------------------------------------------------------------

Shape shape_concat(const Call& c) {
  Shape shape = c.input(0).shape();
  if (shape.rank() == 0) fail(ErrorCode::kShape, "scalars have no axis to join along; use stack");
  const int axis = normalize_axis(c.integer(0), shape.rank());
  for (size_t i = 1; i < c.inputs.size(); ++i) {
    const Shape& other = c.inputs[i].shape();
    bool fits = other.rank() == shape.rank();
    for (int k = 0; fits && k < shape.rank(); ++k) fits = k == axis || other[k] == shape[k];
    if (!fits)
      fail(ErrorCode::kShape, "tensor 0 has shape ", c.input(0).shape(), ", tensor ", i, " has ", other, "; only axis ", axis, " may differ");
    shape[axis] += other[axis];
  }
  return shape;
}

void forward_concat(Call& c) {
  const int axis = normalize_axis(c.integer(0), c.result.rank());
  Index at = 0;
  for (const Tensor& part : c.inputs) {
    copy_into(c.result, c.result.strides(), at * c.result.strides()[axis], part);
    at += part.size(axis);
  }
}

Gradients gradient_concat(const Call& c, const Tensor& grad) {
  const int axis = normalize_axis(c.integer(0), grad.rank());
  Gradients gradients;
  Index at = 0;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    const Index size = c.inputs[i].size(axis);
    gradients.push_back(c.needs_gradient(static_cast<int>(i)) ? slice(grad, at, at + size, axis) : Tensor());
    at += size;
  }
  return gradients;
}

Tensor compose_stack(const Call& c) {
  std::vector<Tensor> parts;
  const Shape& shape = c.input(0).shape();
  for (const Tensor& t : c.inputs) {
    if (!(t.shape() == shape)) fail(ErrorCode::kShape, "all tensors must have the same shape; got ", shape, " and ", t.shape());
    parts.push_back(unsqueeze(t, c.integer(0)));
  }
  return concat(parts, normalize_axis(c.integer(0), shape.rank() + 1));
}

// -- pad ------------------------------------------------------------------------------------------------------------------

// Elements before and after each axis, from PyTorch's list of pairs that begins with the last axis.
struct Padding {
  Shape before, after;
};
Padding padding_of(const Call& c) {
  const std::vector<double>& pairs = c.attribute(0).list;  // more numbers than a shape can have
  const int count = static_cast<int>(pairs.size()), rank = c.input(0).rank();
  if (count % 2 != 0 || count / 2 > rank)
    fail(ErrorCode::kShape, "`padding` holds two numbers (before, after) per axis, from the last axis on; got ", count, " numbers for shape ", c.input(0).shape());
  Padding p{Shape::filled(rank, 0), Shape::filled(rank, 0)};
  for (int i = 0; i < count / 2; ++i) {
    p.before[rank - 1 - i] = static_cast<Index>(pairs[static_cast<size_t>(2 * i)]);
    p.after[rank - 1 - i] = static_cast<Index>(pairs[static_cast<size_t>(2 * i + 1)]);
  }
  return p;
}

Shape shape_pad_constant(const Call& c) {
  const Padding p = padding_of(c);
  Shape shape = c.input(0).shape();
  for (int axis = 0; axis < shape.rank(); ++axis) {
    shape[axis] += p.before[axis] + p.after[axis];
    if (shape[axis] < 0) fail(ErrorCode::kShape, "negative padding cuts more off axis ", axis, " of ", c.input(0).shape(), " than there is");
  }
  return shape;
}

// The part of x that is left when negative padding has cut it, and where in the result it goes.
struct Kept {
  Tensor part;  // without elements: undefined
  Index to = 0;
};
Kept kept_part(const Call& c) {
  const Padding p = padding_of(c);
  const Tensor& x = c.input(0);
  Shape shape = x.shape();
  Index from = 0, to = 0;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const Index cut = std::max<Index>(-p.before[axis], 0), cut_after = std::max<Index>(-p.after[axis], 0);
    shape[axis] = std::max<Index>(shape[axis] - cut - cut_after, 0);
    from += cut * x.strides()[axis];
    to += std::max<Index>(p.before[axis], 0) * c.result.strides()[axis];
  }
  return {element_count(shape) > 0 ? x.view(shape, x.strides(), from) : Tensor(), to};
}

void forward_pad_constant(Call& c) {
  const Tensor filled = Tensor::full(c.result.shape(), c.number(1), c.result.dtype());
  std::memcpy(c.result.raw(), filled.raw(), static_cast<size_t>(filled.element_count()) * info(filled.dtype()).size);
  const Kept kept = kept_part(c);
  if (kept.part.defined()) copy_into(c.result, c.result.strides(), kept.to, kept.part);
}
bool fast_pad_constant(Call& c) {
  if (!all_float32(c)) return false;
  const Kept kept = kept_part(c);
  const bool covered = kept.part.defined() && kept.part.element_count() == c.result.element_count();
  if (!covered) kernels::fill(c.result.element_count(), static_cast<float>(c.number(1)), floats(c.result));
  if (kept.part.defined()) kernels::copy_between(kept.part.shape(), floats(kept.part), kept.part.strides(), floats(c.result) + kept.to, c.result.strides());
  return true;
}

// Padding with the opposite numbers cuts off what was added.
Gradients gradient_pad_constant(const Call& c, const Tensor& grad) {
  std::vector<double> back = c.attribute(0).list;
  for (double& size : back) size = -size;
  return {op<"padConstant">({grad}, {Attribute(back), 0.0})};
}

// Where place `at` of a padded axis reads from, in an axis of `size`.
Index source_of(Index at, Index size, const std::string& mode) {
  if (mode == "replicate") return std::clamp<Index>(at, 0, size - 1);
  if (mode == "circular") return (at % size + size) % size;
  // reflect: the border itself is not repeated
  return at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at;
}

Tensor compose_pad(const Call& c) {
  const std::string mode = c.text(1);
  if (mode == "constant") return op<"padConstant">({c.input(0)}, {c.attribute(0), c.attribute(2)});
  if (mode != "reflect" && mode != "replicate" && mode != "circular")
    fail(ErrorCode::kValue, "`mode` must be 'constant', 'reflect', 'replicate' or 'circular', got '", mode, "'");
  const Padding p = padding_of(c);
  Tensor x = c.input(0);
  for (int axis = 0; axis < x.rank(); ++axis) {
    // Negative numbers cut off first.
    const Index first = std::max<Index>(-p.before[axis], 0), end = x.size(axis) - std::max<Index>(-p.after[axis], 0);
    if (first > 0 || end < x.size(axis)) x = slice(x, first, std::max(first, end), axis);
    const Index before = std::max<Index>(p.before[axis], 0), after = std::max<Index>(p.after[axis], 0), size = x.size(axis);
    if (before == 0 && after == 0) continue;
    const Index most = mode == "reflect" ? size - 1 : mode == "circular" ? size : 2147483647;
    if (before > most || after > most || size == 0)
      fail(ErrorCode::kShape, "mode '", mode, "' can add 0 to ", std::max<Index>(most, 0), " elements to axis ", axis, " of ", c.input(0).shape(), ", got ", before, " and ", after);
    std::vector<double> places;
    for (Index at = -before; at < size + after; ++at) places.push_back(static_cast<double>(source_of(at, size, mode)));
    x = op<"indexSelect">({x, Tensor::from({static_cast<Index>(places.size())}, places, DType::kInt32)}, {axis});
  }
  return x;
}

// -- flip, roll, repeat -----------------------------------------------------------------------------------------------------

void forward_flip(Call& c) {
  const Tensor& x = c.input(0);
  if (x.element_count() == 0) return;
  Shape strides = x.strides();
  Index offset = 0;
  for (Index axis : axes_of(c, 0, x.rank())) {
    const int i = static_cast<int>(axis);
    offset += (x.size(i) - 1) * strides[i];
    strides[i] = -strides[i];
  }
  copy_into(c.result, c.result.strides(), 0, x.view(x.shape(), strides, offset));
}

Shape shape_flip(const Call& c) {
  axes_of(c, 0, c.input(0).rank());
  return c.input(0).shape();
}

Tensor roll_axis(const Tensor& x, Index shift, int axis) {
  const Index size = x.size(axis);
  if (size == 0) return x;
  const Index cut = ((-shift % size) + size) % size;
  return cut == 0 ? x : concat({slice(x, cut, size, axis), slice(x, 0, cut, axis)}, axis);
}

Tensor compose_roll(const Call& c) {
  const Shape shifts = c.integers(0);
  if (!c.has(1)) {
    if (shifts.rank() != 1) fail(ErrorCode::kValue, "without `axes` there is one shift, got ", shifts);
    const Tensor& x = c.input(0);
    return reshape(roll_axis(reshape(x, {x.element_count()}), shifts[0], 0), x.shape());
  }
  const Shape axes = c.integers(1);
  if (axes.rank() != shifts.rank()) fail(ErrorCode::kValue, "needs one shift per axis, got ", shifts, " for axes ", axes);
  Tensor x = c.input(0);
  for (int i = 0; i < axes.rank(); ++i) x = roll_axis(x, shifts[i], normalize_axis(axes[i], x.rank()));
  return op<"to">({x}, {static_cast<int>(x.dtype())});
}

// Every axis of size n with r repeats is seen as (r, n), expanded, and merged again.
Tensor repeated(const Tensor& x, Shape repeats) {
  Shape shape = x.shape();
  while (repeats.rank() < shape.rank()) repeats.insert(0, 1);
  while (shape.rank() < repeats.rank()) shape.insert(0, 1);
  Tensor result = reshape(x, shape);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (repeats[axis] < 0) fail(ErrorCode::kValue, "cannot repeat ", repeats[axis], " times");
    if (repeats[axis] == 1) continue;
    Shape wide = result.shape();
    wide.insert(axis, repeats[axis]);
    Shape merged = result.shape();
    merged[axis] *= repeats[axis];
    result = reshape(expand(unsqueeze(result, axis), wide), merged);
  }
  return result;
}

Tensor compose_repeat(const Call& c) {
  const Shape repeats = c.integers(0);
  if (repeats.rank() < c.input(0).rank())
    fail(ErrorCode::kShape, "needs one number per axis of ", c.input(0).shape(), ", got ", repeats, "; tile takes fewer");
  return repeated(c.input(0), repeats);
}

Tensor compose_repeat_interleave(const Call& c) {
  Tensor x = c.input(0);
  int axis = 0;
  if (c.has(1))
    axis = normalize_axis(c.integer(1), x.rank());
  else
    x = reshape(x, {x.element_count()});
  if (c.integer(0) < 0) fail(ErrorCode::kValue, "cannot repeat ", c.integer(0), " times");
  Shape wide = x.shape(), merged = x.shape();
  wide.insert(axis + 1, c.integer(0));
  merged[axis] *= c.integer(0);
  return reshape(expand(unsqueeze(x, axis + 1), wide), merged);
}

// -- images ---------------------------------------------------------------------------------------------------------------

// (..., C r^2, H, W) -> (..., C, H r, W r)
Tensor compose_pixel_shuffle(const Call& c) {
  const Tensor& x = c.input(0);
  const Index r = c.integer(0);
  if (x.rank() < 3 || r < 1 || x.shape().back(2) % (r * r) != 0)
    fail(ErrorCode::kShape, "needs (..., channels, height, width) with channels a multiple of ", r * r, ", got ", x.shape());
  const Index count = x.element_count() == 0 ? 0 : x.element_count() / (x.shape().back(2) * x.shape().back(1) * x.shape().back(0));
  const Index channels = x.shape().back(2) / (r * r), height = x.shape().back(1), width = x.shape().back(0);
  const Tensor split = reshape(x, {count, channels, r, r, height, width});
  Shape shape = x.shape();
  shape[x.rank() - 3] = channels;
  shape[x.rank() - 2] = height * r;
  shape[x.rank() - 1] = width * r;
  return reshape(permute(split, {0, 1, 4, 2, 5, 3}), shape);
}

Tensor compose_pixel_unshuffle(const Call& c) {
  const Tensor& x = c.input(0);
  const Index r = c.integer(0);
  if (x.rank() < 3 || r < 1 || x.shape().back(0) % r != 0 || x.shape().back(1) % r != 0)
    fail(ErrorCode::kShape, "needs (..., channels, height, width) with height and width multiples of ", r, ", got ", x.shape());
  const Index channels = x.shape().back(2), height = x.shape().back(1) / r, width = x.shape().back(0) / r;
  const Index count = x.element_count() == 0 ? 0 : x.element_count() / (channels * height * width * r * r);
  const Tensor split = reshape(x, {count, channels, height, r, width, r});
  Shape shape = x.shape();
  shape[x.rank() - 3] = channels * r * r;
  shape[x.rank() - 2] = height;
  shape[x.rank() - 1] = width;
  return reshape(permute(split, {0, 1, 3, 5, 2, 4}), shape);
}

constexpr OpRow kArrange[] = {
    {.name = "concat",
     .summary = "Joins tensors along an axis that exists; all other axes must agree.",
     .example = "concat([tensor([1, 2]), tensor([3])])", .gives = "[1, 2, 3]",
     .params = {tensors("tensors"), integer("axis", 0)},
     .shape = shape_concat,
     .forward = forward_concat,
     .fast = fast_concat,
     .gradient = gradient_concat,
     .arithmetic = Arithmetic::kNone,
     .strided = true,
     .samples = {{"2x3,1x3"}, {"2x3,2x1,2x2", "1"}, {"2x3"}, {"0x3,2x3"}, {"2x3x2,2x1x2", "-2"}},
     .misuses = {{"2x3,2x4", "", "tensor 0 has shape [2, 3], tensor 1 has [2, 4]; only axis 0 may differ"}, {",", "", "use stack"}}},

    {.name = "stack",
     .summary = "Joins tensors of one shape along a new axis.",
     .example = "stack([tensor([1, 2]), tensor([3, 4])])", .gives = "[[1, 2], [3, 4]]",
     .params = {tensors("tensors"), integer("axis", 0)},
     .compose = compose_stack,
     .samples = {{"2x3,2x3"}, {"2x3,2x3,2x3", "-1"}, {",", "0"}, {"0,0", "1"}},
     .misuses = {{"2,3", "", "must have the same shape; got [2] and [3]"}}},

    {.name = "padConstant",
     .summary = "pad with a number.",
     .example = "tensor([1, 2]).padConstant([1, 0], 7)", .gives = "[7, 1, 2]",
     .params = {tensor("x"), integers("padding"), number("value", 0)},
     .result_type = ResultType::kFirst,
     .shape = shape_pad_constant,
     .forward = forward_pad_constant,
     .fast = fast_pad_constant,
     .gradient = gradient_pad_constant,
     .arithmetic = Arithmetic::kNone,
     .strided = true,
     .internal = true,
     .samples = {{"2x3", "[1, 2]"}, {"2x3", "[-1, 1, 2, 0] ; 5"}, {"2x3x2", "[1, 0, -1, -1]"}, {"0x2", "[1, 1]"}, {"", "[]"}, {"2x3", "[-2, -1]"}}},

    {.name = "pad",
     .summary = "Adds elements before and after axes: pairs (before, after) from the last axis on, as in PyTorch; negative numbers cut off. "
                "Modes: 'constant' (value), 'reflect', 'replicate', 'circular'.",
     .example = "tensor([1, 2, 3]).pad([2, 1], 'reflect')", .gives = "[3, 2, 1, 2, 3, 2]",
     .params = {tensor("x"), integers("padding"), text("mode", "'constant'"), number("value", 0)},
     .compose = compose_pad,
     .samples = {{"2x3", "[1, 2]"}, {"2x3", "[1, 1, 0, 2] ; 'constant' ; 3"}, {"2x3", "[2, 1] ; 'reflect'"}, {"2x3", "[2, 1] ; 'replicate'"}, {"2x3", "[2, 1, 1, 0] ; 'circular'"}, {"3x4", "[-1, 1] ; 'reflect'"}, {"1x1x1x2x2", "[1, 1, 1, 0, 0, 0, 1, 0, 0, 0]"}},
     .misuses = {{"2x3", "[1]", "two numbers (before, after) per axis"}, {"2x3", "[3, 0] ; 'reflect'", "can add 0 to 2 elements to axis 1"}, {"2x3", "[1, 1] ; 'mirror'", "`mode` must be"}, {"2x3", "[-4, 0]", "than there is"}}},

    {.name = "flip",
     .summary = "Reverses the order along axes, or along all of them.",
     .example = "tensor([1, 2, 3]).flip()", .gives = "[3, 2, 1]",
     .params = {tensor("x"), optional_integers("axes")},
     .result_type = ResultType::kFirst,
     .shape = shape_flip,
     .forward = forward_flip,
     .fast = fast_flip,
     .gradient = [](const Call& c, const Tensor& grad) { return Gradients{op<"flip">({grad}, {c.attribute(0)})}; },
     .arithmetic = Arithmetic::kNone,
     .strided = true,
     .samples = {{"2x3"}, {"2x3", "[1]"}, {"2x3x2", "[0, -1]"}, {"0x3"}, {""}},
     .misuses = {{"2x3", "[2]", "axis 2 does not exist"}}},

    {.name = "roll",
     .summary = "Moves elements along axes; those pushed out come in on the other side. Without `axes` the flattened tensor is rolled.",
     .example = "tensor([1, 2, 3, 4]).roll(1)", .gives = "[4, 1, 2, 3]",
     .params = {tensor("x"), integers("shifts"), optional_integers("axes")},
     .compose = compose_roll,
     .samples = {{"2x3", "[1]"}, {"2x3", "[-1] ; [1]"}, {"2x3", "[1, 2] ; [0, 1]"}, {"2x3", "[3] ; [1]"}, {"0", "[1] ; [0]"}},
     .misuses = {{"2x3", "[1, 2] ; [0]", "one shift per axis"}}},

    {.name = "repeat",
     .summary = "Repeats the whole tensor along each axis, new axes first.",
     .example = "tensor([1, 2]).repeat([2, 2])", .gives = "[[1, 2, 1, 2], [1, 2, 1, 2]]",
     .params = {tensor("x"), integers("repeats")},
     .compose = [](const Call& c) { return compose_repeat(c); },
     .samples = {{"2x3", "[2, 1]"}, {"3", "[2, 2]"}, {"", "[3]"}, {"2", "[0]"}},
     .misuses = {{"2x3", "[2]", "tile takes fewer"}}},

    {.name = "tile",
     .summary = "As repeat, but with fewer numbers than axes the first axes stay as they are.",
     .example = "tensor([[1], [2]]).tile(2)", .gives = "[[1, 1], [2, 2]]",
     .params = {tensor("x"), integers("repeats")},
     .compose = [](const Call& c) { return repeated(c.input(0), c.integers(0)); },
     .samples = {{"2x3", "[2]"}, {"2x3", "[2, 1, 2]"}},
     .misuses = {{"2x3", "[-1]", "cannot repeat -1 times"}}},

    {.name = "repeatInterleave",
     .summary = "Repeats each element `repeats` times in a row along an axis; without `axis` of the flattened tensor.",
     .example = "tensor([1, 2]).repeatInterleave(2)", .gives = "[1, 1, 2, 2]",
     .params = {tensor("x"), integer("repeats"), optional_integer("axis")},
     .compose = compose_repeat_interleave,
     .samples = {{"2x3", "2"}, {"2x3", "3 ; 1"}, {"2x3", "0 ; 0"}},
     .misuses = {{"2x3", "2 ; 2", "axis 2 does not exist"}}},

    {.name = "pixelShuffle",
     .summary = "Trades channels for resolution: (C * r * r, H, W) becomes (C, H * r, W * r).",
     .example = "tensor([[[1]], [[2]], [[3]], [[4]]]).pixelShuffle(2)", .gives = "[[[1, 2], [3, 4]]]",
     .params = {tensor("x"), integer("upscaleFactor")},
     .compose = compose_pixel_shuffle,
     .samples = {{"2x8x2x3", "2"}, {"4x1x1", "2"}},
     .misuses = {{"3x2x2", "2", "channels a multiple of 4"}}},

    {.name = "pixelUnshuffle",
     .summary = "The reverse of pixelShuffle: (C, H * r, W * r) becomes (C * r * r, H, W).",
     .example = "tensor([[[1, 2], [3, 4]]]).pixelUnshuffle(2)", .gives = "[[[1]], [[2]], [[3]], [[4]]]",
     .params = {tensor("x"), integer("downscaleFactor")},
     .compose = compose_pixel_unshuffle,
     .samples = {{"2x2x4x6", "2"}, {"1x2x2", "2"}},
     .misuses = {{"1x3x2", "2", "multiples of 2"}}},
};

}  // namespace

GRADBOOK_FAMILY(arrange, kArrange)

}  // namespace gradbook
