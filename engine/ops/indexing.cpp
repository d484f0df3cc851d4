// Choice by index: gather and scatter along an axis, rows by number, one-hot. Indices may be int32, uint8 or floating
// tensors of whole numbers; negative ones count from the end.
#include <cstring>

#include "ops/fast.h"
#include "ops/table.h"
#include "ops/indices.h"
#include "ops/vocabulary.h"

namespace gradbook {
namespace {

void copy_first(Call& c) {
  dispatch(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    map<T, T>(c.result, c.input(0), [](T x) { return x; });
  });
}

// -- gather and scatter: one index per element ------------------------------------------------------------------------------

// Requires that the index has the rank of `of` and, but for `axis`, nowhere more elements.
void check_index_shape(const Tensor& index, const Shape& of, int axis) {
  bool fits = index.rank() == of.rank();
  for (int i = 0; fits && i < of.rank(); ++i) fits = i == axis || index.size(i) <= of[i];
  if (!fits)
    fail(ErrorCode::kShape, "the index has shape ", index.shape(), ", the tensor ", of, "; they need the same number of axes, and only axis ", axis, " of the index may be larger");
}

// Visits every element of the index: visit(place in `whole`, place in `part`), where `whole` is addressed through the index.
template <class Visit>
void for_each_index(const Tensor& index, const Tensor& whole, const Tensor& part, int axis, Visit visit) {
  Shape others = whole.strides();
  const Index stride = whole.rank() ? others[axis] : 0, size = whole.rank() ? whole.size(axis) : 1;
  if (whole.rank()) others[axis] = 0;
  Walk walk(index.shape(), {index.strides(), others, part.strides()});
  const int32_t* indices = index.data<int32_t>();
  for (bool more = walk.begin(); more; more = walk.next())
    for (Index i = 0; i < walk.count; ++i)
      visit(walk.at[1] + i * walk.step[1] + place_of(indices[walk.at[0] + i * walk.step[0]], size, axis) * stride, walk.at[2] + i * walk.step[2]);
}

Shape shape_gather(const Call& c) {
  const int axis = normalize_axis(c.integer(0), c.input(0).rank());
  check_index_shape(c.input(1), c.input(0).shape(), axis);
  return c.input(1).shape();
}

void forward_gather(Call& c) {
  const int axis = normalize_axis(c.integer(0), c.input(0).rank());
  dispatch(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = c.input(0).data<T>();
    T* to = c.result.data<T>();
    for_each_index(whole_numbers(c.input(1)), c.input(0), c.result, axis, [&](Index x, Index r) { to[r] = from[x]; });
  });
}

Shape shape_scatter(const Call& c) {
  const Shape& shape = c.input(0).shape();
  const int axis = normalize_axis(c.integer(0), shape.rank());
  check_index_shape(c.input(1), shape, axis);
  const Shape& source = c.input(2).shape();
  bool fits = source.rank() == c.input(1).rank();
  for (int i = 0; fits && i < source.rank(); ++i) fits = c.input(1).size(i) <= source[i];
  if (!fits) fail(ErrorCode::kShape, "the source has shape ", source, ", less than that of the index, ", c.input(1).shape());
  return shape;
}

template <bool kAdd>
void forward_scatter(Call& c) {
  const int axis = normalize_axis(c.integer(0), c.input(0).rank());
  copy_first(c);
  const Tensor source = c.input(2).converted(c.result.dtype());
  dispatch(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = source.data<T>();
    T* to = c.result.data<T>();
    for_each_index(whole_numbers(c.input(1)), c.result, source, axis, [&](Index x, Index s) { to[x] = kAdd ? static_cast<T>(to[x] + from[s]) : from[s]; });
  });
}

// The part of the source that the index covers, and back: PyTorch lets the source be larger than the index.
Tensor gathered_for_source(const Call& c, const Tensor& grad) {
  const Shape &index = c.input(1).shape(), &source = c.input(2).shape();
  const Tensor gathered = gather(grad, c.input(1), c.integer(0));
  Shape padding;
  for (int axis = source.rank() - 1; axis >= 0; --axis) {
    padding.push_back(0);
    padding.push_back(source[axis] - index[axis]);
  }
  return index == source ? gathered : op<"padConstant">({gathered}, {padding});
}

// -- rows by number: one index per place of an axis ---------------------------------------------------------------------------

Index count_of(const Tensor& index) {
  if (index.rank() > 1) fail(ErrorCode::kShape, "the index must have one axis, got shape ", index.shape());
  return index.element_count();
}

Shape shape_index_select(const Call& c) {
  Shape shape = c.input(0).shape();
  if (shape.rank() == 0) fail(ErrorCode::kShape, "a scalar has no axis to select from");
  shape[normalize_axis(c.integer(0), shape.rank())] = count_of(c.input(1));
  return shape;
}

// x without `axis`, at place `at` of it.
Tensor cut(const Tensor& x, int axis, Index at) {
  Shape shape = x.shape(), strides = x.strides();
  const Index offset = at * strides[axis];
  shape.erase(axis);
  strides.erase(axis);
  return x.view(shape, strides, offset);
}

void forward_index_select(Call& c) {
  if (c.result.element_count() == 0) return;
  const int axis = normalize_axis(c.integer(0), c.result.rank());
  const Tensor index = whole_numbers(c.input(1)).contiguous();
  dispatch(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (Index i = 0; i < index.element_count(); ++i) {
      const Index at = place_of(index.data<int32_t>()[i], c.input(0).size(axis), axis);
      map<T, T>(cut(c.result, axis, i), cut(c.input(0), axis, at), [](T x) { return x; });
    }
  });
}

Shape shape_index_add(const Call& c) {
  const Shape& shape = c.input(0).shape();
  if (shape.rank() == 0) fail(ErrorCode::kShape, "a scalar has no axis to add along");
  Shape expected = shape;
  expected[normalize_axis(c.integer(0), shape.rank())] = count_of(c.input(1));
  if (!(c.input(2).shape() == expected)) fail(ErrorCode::kShape, "the source must have shape ", expected, ", got ", c.input(2).shape());
  return shape;
}

void forward_index_add(Call& c) {
  copy_first(c);
  const Tensor source = c.input(2).converted(c.result.dtype());
  if (source.element_count() == 0) return;
  const int axis = normalize_axis(c.integer(0), c.result.rank());
  const Tensor index = whole_numbers(c.input(1)).contiguous();
  dispatch(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (Index i = 0; i < index.element_count(); ++i) {
      const Tensor row = cut(c.result, axis, place_of(index.data<int32_t>()[i], c.result.size(axis), axis));
      zip<T, T, T>(row, row, cut(source, axis, i), [](T a, T b) { return static_cast<T>(a + b); });
    }
  });
}

// x[index]: rows of axis 0, arranged as the index is.
Tensor rows_at(const Tensor& x, const Tensor& index) {
  if (x.rank() == 0) fail(ErrorCode::kShape, "a scalar has no axis to select from");
  Shape shape = index.shape();
  for (int axis = 1; axis < x.rank(); ++axis) shape.push_back(x.size(axis));
  return reshape(indexSelect(x, reshape(index, {index.element_count()}), 0), shape);
}

// An id is the name of a class or a word: one below 0 does not count from the end, as an index would.
Shape shape_class_ids(const Call& c) {
  const Tensor ids = c.input(0).contiguous();
  const int32_t* id = ids.data<int32_t>();
  const Index classes = c.integer(0);
  for (Index i = 0; i < ids.element_count(); ++i)
    if (id[i] != c.integer(1) && (id[i] < 0 || id[i] >= classes))
      fail(ErrorCode::kValue, "id ", id[i], " at place ", i, " lies outside 0 to ", classes - 1, id[i] == classes ? "; ids count from 0" : "");
  return ids.shape();
}
void forward_class_ids(Call& c) {
  const Index ignored = c.integer(1);
  map<int32_t, int32_t>(c.result, c.input(0), [ignored](int32_t id) { return id == ignored ? 0 : id; });
}

Tensor compose_embedding(const Call& c) {
  if (c.input(1).rank() != 2) fail(ErrorCode::kShape, "`weight` must be (words, features), got shape ", c.input(1).shape());
  return rows_at(c.input(1), class_ids(c.input(0), c.input(1).size(0)));
}

// Both expanded to a common shape, except along the axis.
Tensor compose_take_along(const Call& c) {
  const Tensor &x = c.input(0), &index = c.input(1);
  const int axis = normalize_axis(c.integer(0), x.rank());
  if (index.rank() != x.rank()) fail(ErrorCode::kShape, "needs as many axes as the tensor: ", x.shape(), ", got ", index.shape());
  Shape left = x.shape(), right = index.shape();
  left[axis] = right[axis] = 1;
  Shape common = broadcast(left, right), other = common;
  common[axis] = x.size(axis);
  other[axis] = index.size(axis);
  return gather(expand(x, common), expand(index, other), axis);
}

// -- one-hot, masks -----------------------------------------------------------------------------------------------------------

Index classes_of(const Call& c) {
  if (c.integer(0) >= 0) return c.integer(0);
  double most = -1;
  for (double v : c.input(0).values()) most = std::max(most, v);
  return static_cast<Index>(most) + 1;
}
Shape shape_one_hot(const Call& c) {
  Shape shape = c.input(0).shape();
  shape.push_back(classes_of(c));
  return shape;
}
void forward_one_hot(Call& c) {
  const Tensor ids = whole_numbers(c.input(0)).contiguous();
  const Index classes = c.result.shape().back();
  std::memset(c.result.raw(), 0, static_cast<size_t>(c.result.element_count()) * sizeof(int32_t));
  for (Index i = 0; i < ids.element_count(); ++i) {
    const int32_t id = ids.data<int32_t>()[i];
    if (id < 0 || id >= classes) fail(ErrorCode::kValue, "class id ", id, " lies outside 0 to ", classes - 1);
    c.result.data<int32_t>()[i * classes + id] = 1;
  }
}

// Places of the true elements, one row per element, in row-major order.
Shape shape_nonzero(const Call& c) {
  Index count = 0;
  for (double v : c.input(0).values()) count += v != 0;
  return {count, c.input(0).rank()};
}
void forward_nonzero(Call& c) {
  const Tensor& x = c.input(0);
  const Shape steps = contiguous_strides(x.shape());
  int32_t* to = c.result.data<int32_t>();
  const std::vector<double> values = x.values();
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    for (int axis = 0; axis < x.rank(); ++axis) *to++ = static_cast<int32_t>(static_cast<Index>(i) / steps[axis] % x.size(axis));
  }
}

Tensor compose_masked_select(const Call& c) {
  const Shape shape = broadcast(c.input(0).shape(), c.input(1).shape());
  const Tensor flat = reshape(expand(c.input(0), shape), {element_count(shape)}), mask = reshape(expand(c.input(1), shape), {element_count(shape)});
  return indexSelect(flat, reshape(op<"nonzero">({mask}), {-1}), 0);
}

constexpr OpRow kIndexing[] = {
    {.name = "gather",
     .summary = "Along an axis, takes for every element of the index the element of x with that number.",
     .example = "tensor([[1, 2], [3, 4]]).gather(tensor([[1], [0]]), 1)", .gives = "[[2], [3]]",
     .params = {tensor("x"), tensor("index"), integer("axis")},
     .result_type = ResultType::kFirst,
     .shape = shape_gather,
     .forward = forward_gather,
     .gradient = [](const Call& c, const Tensor& grad) {
       return Gradients{op<"scatterAdd">({Tensor::zeros(c.input(0).shape(), grad.dtype()), c.input(1), grad}, {c.integer(0)})};
     },
     .arithmetic = Arithmetic::kNone,
     .strided = true,
     .samples = {{"3x4,2x4", "0", -2, 2, "1:3"}, {"3x4,3x6", "1", -2, 2, "1:4"}, {"5,3", "-1", -2, 2, "1:5"}, {"3x2,0x2", "0", -2, 2, "1:3"}},
     .misuses = {{"3x4,4x4", "1", "only axis 1 of the index may be larger", "1:3"}, {"3,2", "0", "lies outside axis 0 of size 3", "1:1000000"}}},

    {.name = "scatterAdd",
     .summary = "A copy of x in which, along an axis, each element of the source is added to the place that the index names.",
     .example = "tensor([0, 0, 0]).scatterAdd(tensor([2, 0, 2]), tensor([1, 2, 3]), 0)", .gives = "[2, 0, 4]",
     .params = {tensor("x"), tensor("index"), tensor("source"), integer("axis")},
     .result_type = ResultType::kFirst,
     .shape = shape_scatter,
     .forward = forward_scatter<true>,
     .gradient = [](const Call& c, const Tensor& grad) { return Gradients{grad, Tensor(), c.needs_gradient(2) ? gathered_for_source(c, grad) : Tensor()}; },
     .strided = true,
     .samples = {{"3x4,2x4,2x4", "0", -2, 2, "1:3"}, {"3x4,3x6,3x6", "1", -2, 2, "1:4"}, {"3x4,2x3,4x5", "0", -2, 2, "1:3"}, {"3,0,0", "0", -2, 2, "1:3"}},
     .misuses = {{"3,2,1", "0", "less than that of the index", "1:3"}}},

    {.name = "scatter",
     .summary = "A copy of x in which, along an axis, each element of the source replaces the place that the index names; the last one wins.",
     .example = "tensor([0, 0, 0]).scatter(tensor([2, 0]), tensor([5, 6]), 0)", .gives = "[6, 0, 5]",
     .params = {tensor("x"), tensor("index"), tensor("source"), integer("axis")},
     .result_type = ResultType::kFirst,
     .shape = shape_scatter,
     .forward = forward_scatter<false>,
     .gradient = [](const Call& c, const Tensor& grad) {
       const Tensor none = Tensor::zeros(c.input(1).shape(), grad.dtype());
       return Gradients{op<"scatter">({grad, c.input(1), none}, {c.integer(0)}), Tensor(), c.needs_gradient(2) ? gathered_for_source(c, grad) : Tensor()};
     },
     .strided = true,
     // One place per index: with two sources for one place the gradient goes to both, as in PyTorch.
     .samples = {{"3x4,1x4,1x4", "0", -2, 2, "1:3"}, {"3,1,2", "0", -2, 2, "1:3"}},
     .misuses = {{"3,2,1", "0", "less than that of the index", "1:3"}, {"3,2,2", "0", "lies outside axis 0 of size 3", "1:1000000"}}},

    {.name = "indexSelect",
     .summary = "The places of an axis that the index names, in that order.",
     .example = "tensor([[1, 2], [3, 4]]).indexSelect(tensor([1, 1, 0]))", .gives = "[[3, 4], [3, 4], [1, 2]]",
     .params = {tensor("x"), tensor("index"), integer("axis", 0)},
     .result_type = ResultType::kFirst,
     .shape = shape_index_select,
     .forward = forward_index_select,
     .fast = fast_index_select,
     .gradient = [](const Call& c, const Tensor& grad) {
       return Gradients{op<"indexAdd">({Tensor::zeros(c.input(0).shape(), grad.dtype()), c.input(1), grad}, {c.integer(0)})};
     },
     .arithmetic = Arithmetic::kNone,
     .strided = true,
     .samples = {{"3x4,5", "0", -2, 2, "1:3"}, {"3x4,5", "1", -2, 2, "1:4"}, {"3x4x2,2", "-2", -2, 2, "1:4"}, {"3x4,0", "0", -2, 2, "1:3"}, {"4,3", "0", -2, 2, "1:4"}},
     .misuses = {{"3x4,2x2", "0", "the index must have one axis", "1:3"}, {"2,3", "0", "lies outside axis 0 of size 2", "1:1000000"}}},

    {.name = "indexAdd",
     .summary = "A copy of x in which each place of the source along an axis is added to the place that the index names.",
     .example = "tensor([0, 0, 0]).indexAdd(tensor([2, 2]), tensor([1, 5]))", .gives = "[0, 0, 6]",
     .params = {tensor("x"), tensor("index"), tensor("source"), integer("axis", 0)},
     .result_type = ResultType::kFirst,
     .shape = shape_index_add,
     .forward = forward_index_add,
     .fast = fast_index_add,
     .gradient = [](const Call& c, const Tensor& grad) { return Gradients{grad, Tensor(), c.needs_gradient(2) ? indexSelect(grad, c.input(1), c.integer(0)) : Tensor()}; },
     .strided = true,
     .samples = {{"3x4,5,5x4", "0", -2, 2, "1:3"}, {"3x4,2,3x2", "1", -2, 2, "1:4"}, {"3,0,0", "0", -2, 2, "1:3"}},
     .misuses = {{"3x4,2,3x4", "0", "the source must have shape [2, 4], got [3, 4]", "1:3"}}},

    {.name = "index",
     .summary = "Rows of axis 0 by number, arranged as the index is: x[index] in PyTorch.",
     .example = "tensor([[1, 2], [3, 4]]).index(tensor([1, 0]))", .gives = "[[3, 4], [1, 2]]",
     .params = {tensor("x"), tensor("index")},
     .compose = [](const Call& c) { return rows_at(c.input(0), c.input(1)); },
     .samples = {{"3x4,5", "", -2, 2, "1:3"}, {"4,2x3", "", -2, 2, "1:4"}, {"3x2,", "", -2, 2, "1:3"}},
     .misuses = {{",2", "", "a scalar has no axis", "1:1"}}},

    {.name = "embedding",
     .summary = "For every id the row of the weight with that number.",
     .example = "tensor([1, 0]).embedding(tensor([[1, 2], [3, 4]]))", .gives = "[[3, 4], [1, 2]]",
     .params = {tensor("ids"), tensor("weight")},
     .compose = compose_embedding,
     .samples = {{"2x3,5x4", "", -2, 2, "0:5"}, {"3,2x2", "", -2, 2, "0:2"}},
     .misuses = {{"3,4", "", "must be (words, features)", "0:2"}, {"3,2x4", "", "lies outside 0 to 1", "0:1000000"}}},

    {.name = "classIds",
     .summary = "Ids that have been looked at: each lies in 0 to classes - 1, and those equal to `ignoreIndex` have become 0.",
     .example = "tensor([1, -100]).to('int32').classIds(3)", .gives = "[1, 0]",
     .params = {tensor("ids"), integer("classes"), integer("ignoreIndex", -100)},
     .result_type = ResultType::kInt32,
     .shape = shape_class_ids,
     .forward = forward_class_ids,
     .arithmetic = Arithmetic::kNone,
     .strided = true,
     .internal = true,
     .samples = {{"4", "5", -2, 2, "0:5"}, {"2x3", "3 ; 2", -2, 2, "0:3"}, {"0", "3", -2, 2, "0:3"}}},

    {.name = "takeAlong",
     .summary = "As gather, with x and the index broadcast against each other on all axes but one.",
     .example = "tensor([[3, 1, 2]]).takeAlong(tensor([[0], [1]]), 1)", .gives = "[[3], [1]]",
     .params = {tensor("x"), tensor("index"), integer("axis")},
     .compose = compose_take_along,
     .samples = {{"3x4,1x2", "1", -2, 2, "1:4"}, {"1x4,3x2", "1", -2, 2, "1:4"}},
     .misuses = {{"3x4,2", "1", "needs as many axes", "1:3"}}},

    {.name = "maskedFill",
     .summary = "A copy in which `value` stands where the mask is true.",
     .example = "tensor([1, 2]).maskedFill(tensor([false, true]), 0)", .gives = "[1, 0]",
     .params = {tensor("x"), tensor("mask"), number("value")},
     .compose = [](const Call& c) { return where(c.input(1), literal(c.number(0)), c.input(0)); },
     .samples = {{"2x3,2x3", "7", -2, 2, "1:2"}, {"2x3,3", "-1", -2, 2, "1:2"}},
     .misuses = {{"2x3,2", "0", "do not broadcast"}}},

    {.name = "maskedSelect",
     .summary = "The elements where the mask is true, as a list.",
     .example = "tensor([1, 2, 3]).maskedSelect(tensor([true, false, true]))", .gives = "[1, 3]",
     .params = {tensor("x"), tensor("mask")},
     .compose = compose_masked_select,
     .samples = {{"2x3,2x3", "", -2, 2, "1:2"}, {"2x3,3", "", -2, 2, "1:2"}},
     .misuses = {{"2x3,2", "", "do not broadcast", "1:2"}}},

    {.name = "nonzero",
     .summary = "The places of the elements that are not zero: one row of indices each.",
     .example = "tensor([[0, 5], [6, 0]]).nonzero()", .gives = "[[0, 1], [1, 0]]",
     .params = {tensor("x")},
     .result_type = ResultType::kInt32,
     .shape = shape_nonzero,
     .forward = forward_nonzero,
     .strided = true,
     .samples = {{"2x3"}, {"0x3"}, {""}}},

    {.name = "oneHot",
     .summary = "Class ids as rows of zeros with a single 1; without `classes` there are as many as the largest id needs.",
     .example = "tensor([0, 2]).oneHot()", .gives = "[[1, 0, 0], [0, 0, 1]]",
     .params = {tensor("ids"), integer("classes", -1)},
     .result_type = ResultType::kInt32,
     .shape = shape_one_hot,
     .forward = forward_one_hot,
     .arithmetic = Arithmetic::kNone,
     .samples = {{"4", "5", -2, 2, "0:5"}, {"2x3", "-1", -2, 2, "0:5"}, {"0", "3", -2, 2, "0:3"}},
     .misuses = {{"4", "2", "lies outside 0 to 1", "0:1000000"}}},
};

}  // namespace

GRADBOOK_FAMILY(indexing, kIndexing)

}  // namespace gradbook
