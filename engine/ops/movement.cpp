// Views: the same elements under another shape. Nothing is copied unless the memory order asks for it. Ops that put
// elements together in new places (pad, concat, flip ...) are in arrange.cpp, choice by index in indexing.cpp.
#include <algorithm>
#include <cstring>
#include <optional>

#include "ops/fast.h"
#include "ops/table.h"
#include "ops/vocabulary.h"

namespace gradbook {
namespace {

// The strides with which `x` can be seen as `shape` without copying, if there are any. Requires equal element counts.
std::optional<Shape> strides_for(const Tensor& x, const Shape& shape) {
  if (x.element_count() == 0) return contiguous_strides(shape);
  // Axes of x that lie evenly behind one another, merged: sizes and steps, the last run first. Axes of size 1 do not matter.
  Shape runs, steps;
  for (int axis = x.rank() - 1; axis >= 0; --axis) {
    if (x.size(axis) == 1) continue;
    const int last = runs.rank() - 1;
    if (last >= 0 && x.strides()[axis] == steps[last] * runs[last]) {
      runs[last] *= x.size(axis);
    } else {
      runs.push_back(x.size(axis));
      steps.push_back(x.strides()[axis]);
    }
  }
  // Every axis of the new shape must cut an even piece off one run.
  Shape strides = Shape::filled(shape.rank(), 1);
  int run = 0;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    if (shape[axis] == 1) continue;
    if (runs[run] % shape[axis] != 0) return std::nullopt;
    strides[axis] = steps[run];
    steps[run] *= shape[axis];
    runs[run] /= shape[axis];
    if (runs[run] == 1) ++run;
  }
  return strides;
}

// The shape asked for, with one -1 worked out from the element count.
Shape resolve_shape(const Call& c) {
  const Tensor& x = c.input(0);
  Shape shape = c.integers(0);
  int open = -1;
  Index known = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == -1) {
      if (open >= 0) fail(ErrorCode::kShape, "only one size can be -1 (worked out), got ", shape);
      open = axis;
    } else {
      if (shape[axis] < 0) fail(ErrorCode::kShape, "a size cannot be negative: ", shape);
      known *= shape[axis];
    }
  }
  if (open >= 0) {
    if (known == 0 || x.element_count() % known != 0)
      fail(ErrorCode::kShape, "shape ", x.shape(), " has ", x.element_count(), " elements, which do not divide into ", shape);
    shape[open] = x.element_count() / known;
  }
  if (element_count(shape) != x.element_count())
    fail(ErrorCode::kShape, "shape ", x.shape(), " has ", x.element_count(), " elements, ", shape, " has ", element_count(shape));
  return shape;
}

Tensor view_reshape(const Call& c) {
  const Tensor& x = c.input(0);
  const Shape shape = resolve_shape(c);
  if (const std::optional<Shape> strides = strides_for(x, shape)) return x.view(shape, *strides);
  return x.contiguous().view(shape, contiguous_strides(shape));
}

Tensor view_view(const Call& c) {
  const Tensor& x = c.input(0);
  const Shape shape = resolve_shape(c);
  const std::optional<Shape> strides = strides_for(x, shape);
  if (!strides)
    fail(ErrorCode::kShape, "a tensor of shape ", x.shape(), " and strides ", x.strides(), " cannot be seen as ", shape,
         " without copying; use reshape");
  return x.view(shape, *strides);
}

Gradients gradient_reshape(const Call& c, const Tensor& grad) { return {reshape(grad, c.input(0).shape())}; }

Tensor compose_flatten(const Call& c) {
  const Tensor& x = c.input(0);
  const int first = normalize_axis(c.integer(0), x.rank()), last = normalize_axis(c.integer(1), x.rank());
  if (first > last) fail(ErrorCode::kShape, "the first axis (", first, ") lies behind the last (", last, ")");
  if (x.rank() == 0) return reshape(x, {1});
  Shape shape;
  Index merged = 1;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (axis < first || axis > last) {
      shape.push_back(x.size(axis));
    } else {
      merged *= x.size(axis);
      if (axis == last) shape.push_back(merged);
    }
  }
  return reshape(x, shape);
}

// One axis of size n into several; one of them may be -1.
Tensor compose_unflatten(const Call& c) {
  const Tensor& x = c.input(0);
  const int axis = normalize_axis(c.integer(0), x.rank());
  Shape sizes = c.integers(1), shape;
  Index known = 1;
  for (Index s : sizes) known *= s == -1 ? 1 : s;
  for (Index& s : std::span<Index>(&sizes[0], static_cast<size_t>(sizes.rank())))
    if (s == -1 && known > 0) s = x.size(axis) / known;
  if (element_count(sizes) != x.size(axis)) fail(ErrorCode::kShape, "axis ", axis, " has size ", x.size(axis), ", which does not split into ", c.integers(1));
  for (int i = 0; i < x.rank(); ++i) {
    if (i != axis) shape.push_back(x.size(i));
    if (i == axis)
      for (Index s : sizes) shape.push_back(s);
  }
  return reshape(x, shape);
}

Tensor view_squeeze(const Call& c) {
  const Tensor& x = c.input(0);
  const Shape axes = axes_of(c, 0, x.rank());
  Shape shape, strides;
  for (int axis = 0; axis < x.rank(); ++axis) {
    bool named = false;
    for (Index a : axes) named = named || a == axis;
    if (named && x.size(axis) == 1) continue;
    shape.push_back(x.size(axis));
    strides.push_back(x.strides()[axis]);
  }
  return x.view(shape, strides);
}

Tensor view_unsqueeze(const Call& c) {
  const Tensor& x = c.input(0);
  const int axis = normalize_axis(c.integer(0), x.rank() + 1);
  Shape shape = x.shape(), strides = x.strides();
  shape.insert(axis, 1);
  strides.insert(axis, 1);
  return x.view(shape, strides);
}

Shape permutation(const Call& c) {
  const Tensor& x = c.input(0);
  const Shape axes = axes_of(c, 0, x.rank());
  if (axes.rank() != x.rank())
    fail(ErrorCode::kShape, "needs each of the ", x.rank(), " axes of shape ", x.shape(), " once, got ", c.integers(0));
  return axes;
}

Tensor view_permute(const Call& c) {
  const Tensor& x = c.input(0);
  Shape shape, strides;
  for (Index axis : permutation(c)) {
    shape.push_back(x.size(static_cast<int>(axis)));
    strides.push_back(x.strides()[static_cast<int>(axis)]);
  }
  return x.view(shape, strides);
}

Gradients gradient_permute(const Call& c, const Tensor& grad) {
  const Shape axes = permutation(c);
  Shape inverse = axes;
  for (int i = 0; i < axes.rank(); ++i) inverse[static_cast<int>(axes[i])] = i;
  return {permute(grad, inverse)};
}

Tensor view_transpose(const Call& c) {
  const Tensor& x = c.input(0);
  const int a = normalize_axis(c.integer(0), x.rank()), b = normalize_axis(c.integer(1), x.rank());
  Shape shape = x.shape(), strides = x.strides();
  if (x.rank() > 0) {
    std::swap(shape[a], shape[b]);
    std::swap(strides[a], strides[b]);
  }
  return x.view(shape, strides);
}

Tensor view_expand(const Call& c) {
  const Tensor& x = c.input(0);
  Shape shape = c.integers(0);
  const int added = shape.rank() - x.rank();
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (shape[axis] == -1 && axis >= added) shape[axis] = x.size(axis - added);
  element_count(shape);  // throws on sizes that make no sense
  if (!broadcasts_to(x.shape(), shape))
    fail(ErrorCode::kShape, "shape ", x.shape(), " cannot be expanded to ", shape, "; only axes of size 1 can grow, and new axes come first");
  return x.view(shape, strides_along(x, shape));
}

struct Range {
  int axis;
  Index start, step, count;
};
// The elements that a slice takes. Starts and ends count from the end when negative and are cut to the axis, as in Array.slice.
Range range_of(const Call& c) {
  const Tensor& x = c.input(0);
  Range r{};
  if (x.rank() == 0) fail(ErrorCode::kShape, "a scalar has no axis to slice");
  r.axis = normalize_axis(c.integer(2), x.rank());
  const Index size = x.size(r.axis);
  auto place = [size](Index at) { return std::clamp<Index>(at < 0 ? at + size : at, 0, size); };
  r.start = place(c.integer(0));
  const Index end = c.has(1) ? place(c.integer(1)) : size;
  r.step = c.integer(3);
  if (r.step < 1) fail(ErrorCode::kValue, "`step` must be at least 1, got ", r.step, "; use flip to reverse");
  r.count = std::max<Index>(0, (end - r.start + r.step - 1) / r.step);
  return r;
}

Tensor view_slice(const Call& c) {
  const Tensor& x = c.input(0);
  const Range r = range_of(c);
  Shape shape = x.shape(), strides = x.strides();
  shape[r.axis] = r.count;
  strides[r.axis] *= r.step;
  return x.view(shape, strides, r.count == 0 ? 0 : r.start * x.strides()[r.axis]);
}

Gradients gradient_slice(const Call& c, const Tensor& grad) {
  const Range r = range_of(c);
  return {op<"unslice">({grad}, {c.input(0).size(r.axis), r.start, r.axis, r.step})};
}

Shape shape_unslice(const Call& c) {
  Shape shape = c.input(0).shape();
  const int axis = normalize_axis(c.integer(2), shape.rank());
  check(c.integer(1) + (shape[axis] - 1) * c.integer(3) < c.integer(0), ErrorCode::kShape, "the slice does not fit an axis of size ", c.integer(0));
  shape[axis] = c.integer(0);
  return shape;
}

void forward_unslice(Call& c) {
  const int axis = normalize_axis(c.integer(2), c.input(0).rank());
  Shape strides = c.result.strides();
  std::memset(c.result.raw(), 0, static_cast<size_t>(c.result.element_count()) * info(c.result.dtype()).size);
  if (c.input(0).element_count() == 0) return;
  const Index offset = c.integer(1) * strides[axis];
  strides[axis] *= c.integer(3);
  const Tensor place = c.result.view(c.input(0).shape(), strides, offset);
  dispatch(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    map<T, T>(place, c.input(0), [](T x) { return x; });
  });
}

Tensor compose_select(const Call& c) {
  const Tensor& x = c.input(0);
  if (x.rank() == 0) fail(ErrorCode::kShape, "a scalar has no axis to select from");
  const int axis = normalize_axis(c.integer(0), x.rank());
  const Index size = x.size(axis), asked = c.integer(1), at = asked < 0 ? asked + size : asked;
  if (at < 0 || at >= size) fail(ErrorCode::kShape, "index ", asked, " lies outside axis ", axis, " of shape ", x.shape());
  return squeeze(slice(x, at, at + 1, axis), axis);
}

Tensor compose_narrow(const Call& c) {
  const Tensor& x = c.input(0);
  const int axis = normalize_axis(c.integer(0), x.rank());
  const Index size = x.rank() ? x.size(axis) : 1, start = c.integer(1) < 0 ? c.integer(1) + size : c.integer(1), length = c.integer(2);
  if (start < 0 || length < 0 || start + length > size)
    fail(ErrorCode::kShape, "elements ", start, " to ", start + length, " lie outside axis ", axis, " of shape ", x.shape());
  return slice(x, start, start + length, axis);
}

void forward_contiguous(Call& c) {
  dispatch(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    map<T, T>(c.result, c.input(0), [](T x) { return x; });
  });
}

bool fast_contiguous(Call& c) {
  if (!all_float32(c)) return false;
  kernels::copy_strided(c.result.shape(), floats(c.input(0)), c.input(0).strides(), floats(c.result));
  return true;
}

constexpr OpRow kMovement[] = {
    {.name = "reshape",
     .summary = "The same elements, row by row, in another shape; one size may be -1 and is worked out.",
     .example = "tensor([1, 2, 3, 4]).reshape([2, 2])", .gives = "[[1, 2], [3, 4]]",
     .params = {tensor("x"), integers("shape")},
     .view = view_reshape,
     .gradient = gradient_reshape,
     .samples = {{"2x6", "[3, 4]"}, {"2x6", "[3, -1]"}, {"", "[1, 1]"}, {"0x3", "[3, 0]"}, {"2x3x4", "[24]"}},
     .misuses = {{"2x3", "[4, 2]", "has 6 elements, [4, 2] has 8"}, {"2x3", "[-1, -1]", "only one size can be -1"}, {"2x3", "[4, -1]", "do not divide into"}}},

    {.name = "view",
     .summary = "As reshape, but never copies: an error when the memory order does not allow it.",
     .example = "tensor([1, 2, 3, 4]).view([2, 2])", .gives = "[[1, 2], [3, 4]]",
     .params = {tensor("x"), integers("shape")},
     .view = view_view,
     .gradient = gradient_reshape,
     .samples = {{"2x6", "[3, 4]"}, {"", "[1]"}, {"0x3", "[0]"}},
     .misuses = {{"2x3", "[4, 2]", "has 6 elements"}}},

    {.name = "flatten",
     .summary = "Merges the axes from `first` to `last` into one.",
     .example = "tensor([[1, 2], [3, 4]]).flatten()", .gives = "[1, 2, 3, 4]",
     .params = {tensor("x"), integer("first", 0), integer("last", -1)},
     .compose = compose_flatten,
     .samples = {{"2x3x4"}, {"2x3x4", "1"}, {"2x3x4", "0 ; 1"}, {""}, {"0x3", "0"}},
     .misuses = {{"2x3", "2", "axis 2 does not exist"}}},

    {.name = "unflatten",
     .summary = "Splits one axis into several; one of their sizes may be -1.",
     .example = "tensor([1, 2, 3, 4]).unflatten(0, [2, 2])", .gives = "[[1, 2], [3, 4]]",
     .params = {tensor("x"), integer("axis"), integers("sizes")},
     .compose = compose_unflatten,
     .samples = {{"2x6", "1 ; [2, 3]"}, {"6x2", "0 ; [3, -1]"}},
     .misuses = {{"2x6", "1 ; [4, 2]", "does not split into"}}},

    {.name = "squeeze",
     .summary = "Drops axes of size 1: all of them, or those named that have size 1.",
     .example = "tensor([[1, 2]]).squeeze()", .gives = "[1, 2]",
     .params = {tensor("x"), optional_integers("axes")},
     .view = view_squeeze,
     .gradient = gradient_reshape,
     .samples = {{"1x3x1"}, {"1x3x1", "[0]"}, {"2x3", "[0]"}, {""}, {"0x1"}},
     .misuses = {{"2x1", "[2]", "axis 2 does not exist"}}},

    {.name = "unsqueeze",
     .summary = "Puts in a new axis of size 1 at the given place.",
     .example = "tensor([1, 2]).unsqueeze(1)", .gives = "[[1], [2]]",
     .params = {tensor("x"), integer("axis")},
     .view = view_unsqueeze,
     .gradient = gradient_reshape,
     .samples = {{"2x3", "0"}, {"2x3", "-1"}, {"", "0"}, {"0", "1"}},
     .misuses = {{"2x3", "4", "axis 4 does not exist"}}},

    {.name = "permute",
     .summary = "Puts the axes in another order.",
     .example = "tensor([[1, 2], [3, 4]]).permute([1, 0])", .gives = "[[1, 3], [2, 4]]",
     .params = {tensor("x"), integers("axes")},
     .view = view_permute,
     .gradient = gradient_permute,
     .samples = {{"2x3x4", "[2, 0, 1]"}, {"2x3", "[-1, 0]"}, {"0x2", "[1, 0]"}},
     .misuses = {{"2x3", "[0]", "each of the 2 axes"}, {"2x3", "[1, 1]", "axis 1 is named twice"}}},

    {.name = "transpose",
     .summary = "Swaps two axes; without arguments the last two.",
     .example = "tensor([[1, 2, 3]]).transpose()", .gives = "[[1], [2], [3]]",
     .params = {tensor("x"), integer("first", -2), integer("second", -1)},
     .view = view_transpose,
     .gradient = [](const Call& c, const Tensor& grad) { return Gradients{transpose(grad, c.integer(0), c.integer(1))}; },
     .samples = {{"2x3"}, {"2x3x4", "0 ; 2"}, {"0x2"}},
     .misuses = {{"2x3", "0 ; 2", "axis 2 does not exist"}}},

    {.name = "expand",
     .summary = "Repeats axes of size 1 to the sizes given, without copying; -1 keeps a size, new axes come first.",
     .example = "tensor([[1], [2]]).expand([2, 3])", .gives = "[[1, 1, 1], [2, 2, 2]]",
     .params = {tensor("x"), integers("shape")},
     .view = view_expand,
     .gradient = [](const Call& c, const Tensor& grad) { return Gradients{sumTo(grad, c.input(0).shape())}; },
     .samples = {{"2x1", "[2, 3]"}, {"3", "[2, -1]"}, {"", "[2, 2]"}, {"1x3", "[0, 3]"}},
     .misuses = {{"2x3", "[4, 3]", "cannot be expanded"}}},

    {.name = "slice",
     .summary = "Elements from `start` up to, not including, `end` along one axis; negative numbers count from the end.",
     .example = "tensor([10, 11, 12, 13]).slice(1, 3)", .gives = "[11, 12]",
     .params = {tensor("x"), integer("start"), optional_integer("end"), integer("axis", 0), integer("step", 1)},
     .view = view_slice,
     .gradient = gradient_slice,
     .samples = {{"5x3", "1 ; 4"}, {"3x5", "-3 ; undefined ; 1"}, {"2x7", "1 ; 6 ; 1 ; 2"}, {"4", "2 ; 1"}, {"4", "1 ; 99"}, {"0x3", "0"}},
     .misuses = {{"", "0", "no axis to slice"}, {"3", "0 ; 3 ; 0 ; 0", "use flip"}}},

    {.name = "unslice",
     .summary = "Zeros along one axis of size `size`, with `x` at start, start + step, ...: the gradient of slice.",
     .example = "tensor([1, 2]).unslice(5, 1, 0, 2)", .gives = "[0, 1, 0, 2, 0]",
     .params = {tensor("x"), integer("size"), integer("start"), integer("axis"), integer("step")},
     .result_type = ResultType::kFirst,
     .shape = shape_unslice,
     .forward = forward_unslice,
     .gradient = [](const Call& c, const Tensor& grad) {
       const Index count = c.input(0).size(normalize_axis(c.integer(2), grad.rank())), start = c.integer(1), step = c.integer(3);
       return Gradients{slice(grad, start, count == 0 ? start : start + (count - 1) * step + 1, c.integer(2), step)};
     },
     .arithmetic = Arithmetic::kNone,
     .strided = true,
     .internal = true,
     .samples = {{"2x3", "7 ; 1 ; 1 ; 2"}, {"2x3", "2 ; 0 ; 0 ; 1"}, {"0x3", "4 ; 0 ; 0 ; 1"}}},

    {.name = "select",
     .summary = "One place of an axis, without that axis; negative indices count from the end.",
     .example = "tensor([[1, 2], [3, 4]]).select(0, 1)", .gives = "[3, 4]",
     .params = {tensor("x"), integer("axis"), integer("index")},
     .compose = compose_select,
     .samples = {{"2x3", "0 ; 1"}, {"2x3", "1 ; -1"}},
     .misuses = {{"2x3", "0 ; 2", "index 2 lies outside axis 0 of shape [2, 3]"}}},

    {.name = "narrow",
     .summary = "`length` elements of an axis from `start` on.",
     .example = "tensor([1, 2, 3, 4]).narrow(0, 1, 2)", .gives = "[2, 3]",
     .params = {tensor("x"), integer("axis"), integer("start"), integer("length")},
     .compose = compose_narrow,
     .samples = {{"5x3", "0 ; 1 ; 3"}, {"2x4", "1 ; -2 ; 2"}},
     .misuses = {{"2x3", "1 ; 2 ; 2", "lie outside axis 1 of shape [2, 3]"}}},

    {.name = "contiguous",
     .summary = "A copy with the elements row by row in memory.",
     .example = "tensor([[1, 2], [3, 4]]).transpose().contiguous()", .gives = "[[1, 3], [2, 4]]",
     .params = {tensor("x")},
     .result_type = ResultType::kFirst,
     .shape = same_as_first,
     .forward = forward_contiguous,
     .fast = fast_contiguous,
     .gradient = [](const Call&, const Tensor& grad) { return Gradients{grad}; },
     .arithmetic = Arithmetic::kNone,
     .strided = true},
};

}  // namespace

GRADBOOK_FAMILY(movement, kMovement)

}  // namespace gradbook
