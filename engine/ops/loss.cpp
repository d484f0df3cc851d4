// Losses: how far predictions are from targets, as one number or one per element (`reduction`: 'mean', 'sum', 'none').
#include <algorithm>

#include "kernels/reduce.h"
#include "kernels/softmax.h"
#include "ops/fast.h"
#include "ops/indices.h"
#include "ops/table.h"
#include "ops/vocabulary.h"

namespace gradbook {
namespace {

enum class Reduction { kNone, kSum, kMean };
Reduction reduction_of(const Call& c, int attribute) {
  const std::string name = c.text(attribute);
  if (name == "mean") return Reduction::kMean;
  if (name == "sum") return Reduction::kSum;
  if (name == "none") return Reduction::kNone;
  fail(ErrorCode::kValue, "`reduction` must be 'mean', 'sum' or 'none', got '", name, "'");
}
Tensor reduced(const Tensor& losses, Reduction reduction) { return reduction == Reduction::kMean ? mean(losses) : reduction == Reduction::kSum ? sum(losses) : losses; }

// Predictions and targets that broadcast by accident give a wrong loss without an error, so they must have one shape.
void check_same_shape(const Call& c) {
  const Tensor &x = c.input(0), &target = c.input(1);
  if (x.shape() == target.shape() || x.is_number() || target.is_number()) return;
  Shape rows = x.shape(), targets = target.shape();
  const Index last = rows.rank() ? rows.back() : 1, last_target = targets.rank() ? targets.back() : 1;
  if (rows.rank()) rows.erase(rows.rank() - 1);
  if (targets.rank()) targets.erase(targets.rank() - 1);
  std::string hint;
  if (rows == target.shape() && x.rank() > 0)
    hint = last == 1 ? " (squeeze(-1) the prediction or unsqueeze(-1) the target)" : message_of({" (are the targets class ids? oneHot(", last, ") makes rows of them; crossEntropy takes them as they are)"});
  else if (targets == x.shape() && last_target == 1)
    hint = " (squeeze(-1) the target)";
  else if (x.element_count() == target.element_count())
    hint = " (they have equally many elements: did you forget flatten(1), or a reshape?)";
  fail(ErrorCode::kShape, "the prediction has shape ", x.shape(), ", the target ", target.shape(), "; they must be equal", hint);
}

// -- cross-entropy with class ids: the fused primitive on rows ------------------------------------------------------------------

// The largest element of a row, and log(sum(exp(x - largest))): kept apart, so that large logits lose no digits.
struct RowSum {
  double largest, log_sum;
};
template <class T>
RowSum row_sum(const T* x, Index n) {
  double most = -HUGE_VAL, total = 0;
  for (Index i = 0; i < n; ++i)
    if (x[i] != x[i] || static_cast<double>(x[i]) > most) most = static_cast<double>(x[i]);
  for (Index i = 0; i < n; ++i) total += std::exp(static_cast<double>(x[i]) - most);
  return {most, std::log(total)};
}

// Attributes reduction, ignoreIndex. Logits (rows, classes), ids int32 (rows).
Shape shape_ids_loss(const Call& c) {
  const Index rows = c.input(0).size(0), classes = c.input(0).size(1);
  const int32_t* ids = c.input(1).data<int32_t>();
  for (Index r = 0; r < rows; ++r)
    if (ids[r] != c.integer(1) && (ids[r] < 0 || ids[r] >= classes)) fail(ErrorCode::kValue, "class id ", ids[r], " at place ", r, " lies outside 0 to ", classes - 1, " (the logits have ", classes, " classes)", ids[r] == classes ? "; ids count from 0" : "");
  return reduction_of(c, 0) == Reduction::kNone ? Shape{rows} : Shape{};
}

Index counted_rows(const Call& c) {
  const int32_t* ids = c.input(1).data<int32_t>();
  return std::count_if(ids, ids + c.input(1).element_count(), [&](int32_t id) { return id != c.integer(1); });
}

// Keeps log(sum(exp(x - largest))) of every row in saved[0], for the gradient.
void forward_ids_loss(Call& c) {
  const Index rows = c.input(0).size(0), classes = c.input(0).size(1);
  const int32_t* ids = c.input(1).data<int32_t>();
  const Tensor log_sums = saved_tensor(c, {rows}, c.result.dtype());
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<double> losses(static_cast<size_t>(rows), 0.0);
    for (Index r = 0; r < rows; ++r) {
      const T* x = c.input(0).data<T>() + r * classes;
      const RowSum sum = row_sum(x, classes);
      log_sums.data<T>()[r] = static_cast<T>(sum.log_sum);
      if (ids[r] != c.integer(1)) losses[static_cast<size_t>(r)] = sum.log_sum - (static_cast<double>(x[ids[r]]) - sum.largest);
    }
    const Reduction reduction = reduction_of(c, 0);
    T* to = c.result.data<T>();
    if (reduction == Reduction::kNone) {
      for (Index r = 0; r < rows; ++r) to[r] = static_cast<T>(losses[static_cast<size_t>(r)]);
    } else {
      const double total = pairwise_sum<double>(losses.data(), rows, [](double v) { return v; });
      *to = static_cast<T>(reduction == Reduction::kMean ? total / static_cast<double>(counted_rows(c)) : total);
    }
  });
}

// One weight per row: 1, or 1 / n for the mean; 0 where the row is ignored.
Tensor row_weights(const Call& c, DType type) {
  const Tensor kept = to(op<"ne">({c.input(1), literal(c.number(1))}), type);
  return reduction_of(c, 0) == Reduction::kMean ? kept / static_cast<double>(counted_rows(c)) : kept;
}

// d = (softmax(x) - one-hot) * weight * g
Gradients gradient_ids_loss(const Call& c, const Tensor& grad) {
  if (!grad_mode()) return {op<"crossEntropyIdsGradient">({grad, c.input(0), c.input(1), c.saved[0]}, {c.attribute(0), c.attribute(1)}), Tensor()};
  const Tensor& x = c.input(0);
  const Tensor ids = where(op<"ne">({c.input(1), literal(c.number(1))}), c.input(1), literal(0));
  const Tensor g = unsqueeze(grad * row_weights(c, grad.dtype()), -1);
  return {(softmax(x, 1) - op<"oneHot">({ids}, {x.size(1)})) * g, Tensor()};
}

// Inputs: grad, logits, ids, log sums of forward.
void forward_ids_loss_gradient(Call& c) {
  const Index rows = c.input(1).size(0), classes = c.input(1).size(1);
  const int32_t* ids = c.input(2).data<int32_t>();
  const Index counted = std::count_if(ids, ids + rows, [&](int32_t id) { return id != c.integer(1); });
  const Reduction reduction = reduction_of(c, 0);
  dispatch_floating(c.result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (Index r = 0; r < rows; ++r) {
      const T* x = c.input(1).data<T>() + r * classes;
      T* d = c.result.data<T>() + r * classes;
      const double log_sum = static_cast<double>(c.input(3).data<T>()[r]), largest = row_sum(x, classes).largest;
      double g = static_cast<double>(c.input(0).data<T>()[reduction == Reduction::kNone ? r : 0]);
      if (reduction == Reduction::kMean) g /= static_cast<double>(counted);
      for (Index k = 0; k < classes; ++k) d[k] = ids[r] == c.integer(1) ? T(0) : static_cast<T>((std::exp(static_cast<double>(x[k]) - largest - log_sum) - (k == ids[r] ? 1 : 0)) * g);
    }
  });
}

// Serves calls in which no row is ignored.
bool fast_ids_loss(Call& c) {
  const Index rows = c.input(0).size(0), classes = c.input(0).size(1);
  if (c.result.dtype() != DType::kFloat32 || rows == 0 || counted_rows(c) != rows) return false;
  const Tensor log_sums = saved_tensor(c, {rows}, DType::kFloat32);
  const Reduction reduction = reduction_of(c, 0);
  const Tensor losses = reduction == Reduction::kNone ? c.result : Tensor::empty({rows});
  kernels::cross_entropy_rows(rows, classes, floats(c.input(0)), c.input(1).data<int32_t>(), floats(losses), floats(log_sums));
  if (reduction != Reduction::kNone) {
    const float total = kernels::sum(rows, floats(losses));
    *floats(c.result) = reduction == Reduction::kMean ? total / static_cast<float>(rows) : total;
  }
  return true;
}

bool fast_ids_loss_gradient(Call& c) {
  const Index rows = c.input(1).size(0), classes = c.input(1).size(1);
  const int32_t* ids = c.input(2).data<int32_t>();
  // The kernel writes where the ids point, so an ignored row, or an id that forward never let through, is left to the plain loops.
  const auto plain = [&](int32_t id) { return id == c.integer(1) || id < 0 || id >= classes; };
  if (c.result.dtype() != DType::kFloat32 || rows == 0 || std::any_of(ids, ids + rows, plain)) return false;
  const Reduction reduction = reduction_of(c, 0);
  const float shared = *floats(c.input(0)) / (reduction == Reduction::kMean ? static_cast<float>(rows) : 1.0f);
  const float* upstream = reduction == Reduction::kNone ? floats(c.input(0)) : &shared;
  kernels::cross_entropy_rows_gradient(rows, classes, floats(c.input(1)), ids, floats(c.input(3)), upstream, reduction == Reduction::kNone ? 1 : 0, floats(c.result));
  return true;
}

// -- cross-entropy as people call it -----------------------------------------------------------------------------------------------

// The class axis of logits: 1 in a batch, 0 for a single example.
int class_axis(const Tensor& x) {
  if (x.rank() == 0) fail(ErrorCode::kShape, "needs logits of shape (batch, classes, ...), got a scalar");
  return x.rank() == 1 ? 0 : 1;
}

// What is probably wrong with targets whose shape is not that of the logits without their class axis; empty when nothing comes to mind.
std::string target_hint(const Tensor& x, const Tensor& target, const Shape& expected, bool takes_probabilities) {
  const int axis = class_axis(x);
  Shape with_one = expected, one_hot = x.shape();
  with_one.push_back(1);
  if (target.shape() == with_one) return "; use squeeze(-1) on the ids";
  if (target.shape() == x.shape())
    return message_of({"; are they one-hot rows? argmax(", axis, ") makes class ids of them", takes_probabilities ? ", to('float32') probabilities" : ""});
  if (target.rank() != x.rank()) {
    // Logits (batch, ..., classes): the classes are their channels.
    Shape last = x.shape();
    last.erase(x.rank() - 1);
    return target.shape() == last ? channels_hint(x.shape(), x.shape().back()) : std::string();
  }
  one_hot[axis] = target.size(axis);
  return one_hot == target.shape() ? message_of({"; are they one-hot rows? They have ", target.size(axis), " classes, the logits ", x.size(axis)}) : std::string();
}

// Checks that ids have the shape of the logits without their class axis.
void check_ids(const Tensor& x, const Tensor& ids, bool takes_probabilities = false) {
  Shape expected = x.shape();
  expected.erase(class_axis(x));
  if (ids.shape() == expected) return;
  const std::string probabilities = takes_probabilities ? " or probabilities of shape " + to_string(x.shape()) : std::string();
  fail(ErrorCode::kShape, "logits ", x.shape(), " need class ids of shape ", expected, probabilities, "; got ", info(ids.dtype()).name, " of shape ", ids.shape(), target_hint(x, ids, expected, takes_probabilities));
}

// Class ids against log-probabilities, with weights per class. Returns the loss of every example, and its weight.
struct WeightedLosses {
  Tensor losses, weights;
};
WeightedLosses ids_losses(const Tensor& log_probabilities, const Tensor& ids, const Tensor& weight, double ignored) {
  const int axis = class_axis(log_probabilities);
  const Tensor counts = op<"ne">({ids, literal(ignored)});
  const Tensor safe = class_ids(ids, log_probabilities.size(axis), ignored);
  const Tensor picked = squeeze(gather(log_probabilities, unsqueeze(safe, axis), axis), axis);
  Tensor weights = to(counts, log_probabilities.dtype());
  if (weight.defined()) weights = weights * reshape(indexSelect(weight, reshape(safe, {safe.element_count()}), 0), ids.shape());
  // An ignored example may have -Infinity here; 0 * Infinity would be NaN.
  return {where(counts, -picked * weights, literal(0)), weights};
}

Tensor weighted(const WeightedLosses& l, Reduction reduction) {
  return reduction == Reduction::kMean ? sum(l.losses) / sum(l.weights) : reduction == Reduction::kSum ? sum(l.losses) : l.losses;
}

void check_weight(const Tensor& x, const Tensor& weight) {
  if (weight.defined() && !(weight.shape() == Shape{x.size(class_axis(x))}))
    fail(ErrorCode::kShape, "`weight` must have one element for each of the ", x.size(class_axis(x)), " classes, got shape ", weight.shape());
}

// Attributes of both: reduction, ignoreIndex (, labelSmoothing).
Tensor compose_nll(const Call& c) {
  const Tensor& x = c.input(0);
  check_ids(x, c.input(1));
  check_weight(x, c.input(2));
  return weighted(ids_losses(x, whole_numbers(c.input(1)), c.input(2), c.number(1)), reduction_of(c, 0));
}

Tensor compose_cross_entropy(const Call& c) {
  const Tensor &x = c.input(0), &target = c.input(1), &weight = c.input(2);
  const Reduction reduction = reduction_of(c, 0);
  const double smoothing = c.number(2);
  const int axis = class_axis(x);
  const Index classes = x.size(axis);
  if (!(smoothing >= 0 && smoothing <= 1)) fail(ErrorCode::kValue, "`labelSmoothing` must lie between 0 and 1, got ", smoothing);
  check_weight(x, weight);

  if (target.shape() == x.shape() && is_floating(target.dtype())) {
    // Probabilities: -sum over classes of w p log q, averaged over examples.
    const Tensor smooth = smoothing > 0 ? target * (1 - smoothing) + smoothing / static_cast<double>(classes) : target;
    Tensor terms = smooth * logSoftmax(x, axis);
    if (weight.defined()) {
      Shape along = Shape::filled(x.rank(), 1);
      along[axis] = classes;
      terms = terms * reshape(weight, along);
    }
    const Tensor losses = -sum(terms, {axis}, false);
    return reduction == Reduction::kMean ? sum(losses) / static_cast<double>(losses.element_count()) : reduced(losses, reduction);
  }

  check_ids(x, target, true);
  const Tensor ids = whole_numbers(target);
  if (!weight.defined() && smoothing == 0 && is_floating(x.dtype())) {
    // (batch, classes, ...) as rows of classes
    Tensor rows = x;
    if (x.rank() > 2) {
      Shape order = {0};
      for (int i = 2; i < x.rank(); ++i) order.push_back(i);
      order.push_back(1);
      rows = permute(x, order);
    }
    if (x.rank() != 2) rows = reshape(rows, {ids.element_count(), classes});
    const Tensor loss = op<"crossEntropyIds">({rows, reshape(ids, {ids.element_count()})}, {c.attribute(0), c.attribute(1)});
    return reduction == Reduction::kNone && ids.rank() != 1 ? reshape(loss, ids.shape()) : loss;
  }

  const Tensor log_probabilities = logSoftmax(x, axis);
  const WeightedLosses hard = ids_losses(log_probabilities, ids, weight, c.number(1));
  if (smoothing == 0) return weighted(hard, reduction);
  // Smoothing moves a share of the target to all classes alike; the mean is still over the weights of the target classes.
  Tensor all = log_probabilities;
  if (weight.defined()) {
    Shape along = Shape::filled(x.rank(), 1);
    along[axis] = classes;
    all = all * reshape(weight, along);
  }
  const Tensor spread = where(op<"ne">({ids, literal(c.number(1))}), -sum(all, {axis}, false), literal(0));
  const Tensor losses = hard.losses * (1 - smoothing) + spread * (smoothing / static_cast<double>(classes));
  return weighted({losses, hard.weights}, reduction);
}

// -- element against element ----------------------------------------------------------------------------------------------------

Tensor difference(const Call& c) {
  check_same_shape(c);
  return c.input(0) - c.input(1);
}

// 0.5 d^2 below `limit`, a straight line above: limit (|d| - limit / 2).
Tensor huber(const Tensor& d, double limit) {
  const Tensor size = abs(d);
  return where(lt(size, literal(limit)), d * d * 0.5, (size - limit * 0.5) * limit);
}

Tensor compose_smooth_l1(const Call& c) {
  const double beta = c.number(1);
  if (beta < 0) fail(ErrorCode::kValue, "`beta` cannot be negative, got ", beta);
  const Tensor d = difference(c);
  return reduced(beta == 0 ? abs(d) : huber(d, beta) / beta, reduction_of(c, 0));
}
Tensor compose_huber(const Call& c) {
  if (!(c.number(1) > 0)) fail(ErrorCode::kValue, "`delta` must be positive, got ", c.number(1));
  return reduced(huber(difference(c), c.number(1)), reduction_of(c, 0));
}

// Logarithms are cut at -100, as in PyTorch, so that a prediction of exactly 0 or 1 gives a finite loss.
Tensor compose_bce(const Call& c) {
  check_same_shape(c);
  const Tensor &p = c.input(0), &y = c.input(1);
  auto cut_log = [](const Tensor& v) { return op<"clamp">({log(v)}, {-100.0}); };
  Tensor losses = -(y * cut_log(p) + (1 - y) * cut_log(1 - p));
  if (c.has_input(2)) losses = losses * c.input(2);
  return reduced(losses, reduction_of(c, 0));
}

// softplus(x) - x y, with the positive part weighted: (1 - y) x + (1 + (w - 1) y) softplus(-x)
Tensor compose_bce_logits(const Call& c) {
  check_same_shape(c);
  const Tensor &x = c.input(0), &y = c.input(1);
  const Tensor positive = op<"softplus">({-x}, {1.0, HUGE_VAL});
  Tensor losses = c.has_input(3) ? (1 - y) * x + ((c.input(3) - 1) * y + 1) * positive : (1 - y) * x + positive;
  if (c.has_input(2)) losses = losses * c.input(2);
  return reduced(losses, reduction_of(c, 0));
}

Tensor compose_kl_div(const Call& c) {
  check_same_shape(c);
  const Tensor &x = c.input(0), &target = c.input(1);
  const bool is_log = c.boolean(1);
  // 0 log 0 is 0
  const Tensor losses = is_log ? exp(target) * (target - x) : where(gt(target, literal(0)), target * (log(where(gt(target, literal(0)), target, literal(1))) - x), literal(0));
  if (c.text(0) == "batchmean") return sum(losses) / static_cast<double>(std::max<Index>(x.rank() ? x.size(0) : 1, 1));
  return reduced(losses, reduction_of(c, 0));
}

Tensor compose_hinge_embedding(const Call& c) {
  check_same_shape(c);
  const Tensor &x = c.input(0), &y = c.input(1);
  return reduced(where(gt(y, literal(0)), x, relu(c.number(1) - x)), reduction_of(c, 0));
}

// Sum over the other classes of max(0, margin - x[y] + x[i])^p, over the number of classes.
Tensor compose_multi_margin(const Call& c) {
  const Tensor& x = c.input(0);
  check_ids(x, c.input(1));
  if (x.rank() > 2) fail(ErrorCode::kShape, "needs scores (batch, classes), got ", x.shape());
  check_weight(x, c.input(2));
  const double p = c.number(2);
  if (p != 1 && p != 2) fail(ErrorCode::kValue, "`p` must be 1 or 2, got ", p);
  const int axis = class_axis(x);
  const Tensor ids = class_ids(c.input(1), x.size(axis));
  const Tensor own = op<"oneHot">({ids}, {x.size(axis)});
  Tensor over = relu(x - gather(x, unsqueeze(ids, axis), axis) + c.number(1));
  if (p == 2) over = square(over);
  if (c.has_input(2)) over = over * unsqueeze(reshape(indexSelect(c.input(2), reshape(ids, {ids.element_count()}), 0), ids.shape()), axis);
  return reduced(mean(where(own, literal(0), over), {axis}, false), reduction_of(c, 0));
}

Tensor compose_margin_ranking(const Call& c) { return reduced(relu(c.number(1) - c.input(2) * (c.input(0) - c.input(1))), reduction_of(c, 0)); }

Tensor compose_cosine_similarity(const Call& c) {
  // Lengths are taken after broadcasting, which may repeat elements along the axis itself.
  const Shape shape = broadcast(c.input(0).shape(), c.input(1).shape());
  const Tensor x = expand(c.input(0), shape), y = expand(c.input(1), shape);
  const int axis = normalize_axis(c.integer(0), shape.rank());
  const double eps = c.number(1);
  auto length = [&](const Tensor& v) { return maximum(op<"norm">({v}, {2.0, Shape{axis}}), literal(eps)); };
  return sum(x * y, {axis}, false) / (length(x) * length(y));
}

Tensor compose_cosine_embedding(const Call& c) {
  const Tensor cosine = op<"cosineSimilarity">({c.input(0), c.input(1)}, {-1});
  return reduced(where(gt(c.input(2), literal(0)), 1 - cosine, relu(cosine - c.number(1))), reduction_of(c, 0));
}

Tensor compose_triplet_margin(const Call& c) {
  for (int i : {1, 2})
    if (!(c.input(i).shape() == c.input(0).shape())) fail(ErrorCode::kShape, "anchor, positive and negative must have one shape, got ", c.input(0).shape(), " and ", c.input(i).shape());
  // A small number keeps the gradient finite where two examples are equal.
  auto distance = [&](int i) { return op<"norm">({c.input(0) - c.input(i) + 1e-6}, {c.number(2), Shape{-1}}); };
  return reduced(relu(distance(1) - distance(2) + c.number(1)), reduction_of(c, 0));
}

Tensor compose_poisson_nll(const Call& c) {
  check_same_shape(c);
  const Tensor &x = c.input(0), &y = c.input(1);
  return reduced(c.boolean(1) ? exp(x) - y * x : x - y * log(x + 1e-8), reduction_of(c, 0));
}

constexpr Param kReduction = text("reduction", "'mean'");
constexpr Misuses kSameShape = {{"4x1,4", "", "squeeze(-1) the prediction"}, {"4x3,4", "", "are the targets class ids? oneHot(3) makes rows of them"}, {"2x3,2x3", "'average'", "must be 'mean', 'sum' or 'none'"}};

constexpr OpRow kLoss[] = {
    {.name = "crossEntropy",
     .summary = "How surprised a classifier is by the truth. Logits (batch, classes, ...) against class ids (batch, ...) or probabilities of the logits' shape; "
                "softmax is part of the loss. Ids equal to `ignoreIndex` do not count.",
     .example = "tensor([[2, 0], [0, 2]]).crossEntropy(tensor([0, 1]))", .gives = "0.12693",
     .params = {tensor("logits"), tensor("target"), optional_tensor("weight"), kReduction, integer("ignoreIndex", -100), number("labelSmoothing", 0)},
     .formula = "-\\ln \\frac{e^{x_y}}{\\sum_j e^{x_j}}",
     .compose = compose_cross_entropy,
     .samples = {{"4x3,4,-", "", -2, 2, "1:3"},
                 {"4x3,4,-", "'none'", -2, 2, "1:3"},
                 {"2x3x2,2x2,-", "'sum'", -2, 2, "1:3"},
                 {"4x3,4,3", "'mean' ; 1", 0.1, 2, "1:3"},
                 {"4x3,4,-", "'mean' ; 1 ; 0.2", -2, 2, "1:3"},
                 {"4x3,4x3,3", "'mean' ; -100 ; 0.1", 0.1, 2},
                 {"3,,-", "", -2, 2, "1:3"},
                 {"4x3,4,-", "'mean' ; 0", -2, 2, "1:2"},
                 {"2x3x2,2x2,-", "'none'", -2, 2, "1:3"}},
     .misuses = {{"4x3,4x1,-", "", "use squeeze(-1) on the ids", "1:3"},
                 {"4x3,3,-", "", "need class ids of shape [4] or probabilities of shape [4, 3]; got int32 of shape [3]", "1:3"},
                 {"4x3,4x3,-", "", "are they one-hot rows? argmax(1) makes class ids of them, to('float32') probabilities", "1:2"},
                 {"4x3,4x5,-", "", "are they one-hot rows? They have 5 classes, the logits 3"},
                 {"2x4x4x3,2x4x4,-", "", "channels come second: permute(0, 3, 1, 2)", "1:3"},
                 {"4x3,4,-", "'mean'", "lies outside 0 to 2", "1:1000000"},
                 {"4x3,4,3", "'mean'", "lies outside 0 to 2", "1:1000000"},
                 {"4x3,4,2", "", "one element for each of the 3 classes", "1:3"}}},

    {.name = "crossEntropyIds",
     .summary = "Cross-entropy of rows of logits with class ids, without weights or smoothing.",
     .example = "tensor([[2, 0]]).crossEntropyIds(tensor([0]).to('int32'))", .gives = "0.12693",
     .params = {tensor("logits"), tensor("ids"), kReduction, integer("ignoreIndex", -100)},
     .result_type = ResultType::kFirst,
     .shape = shape_ids_loss,
     .forward = forward_ids_loss,
     .fast = fast_ids_loss,
     .gradient = gradient_ids_loss,
     .internal = true,
     .samples = {{"4x3,4", "", -2, 2, "1:3"}, {"4x3,4", "'none'", -2, 2, "1:3"}, {"5x3,5", "'mean' ; 1", -2, 2, "1:3"}, {"4x3,4", "'sum'", -2, 2, "1:3"}, {"0x3,0", "'sum'", -2, 2, "1:3"}, {"9x17,9", "", -2, 2, "1:17"}}},

    {.name = "crossEntropyIdsGradient",
     .summary = "(softmax - one-hot) times the upstream gradient: the gradient of crossEntropyIds, from its log sums.",
     .example = "tensor(1).crossEntropyIdsGradient(tensor([[0, 0]]), tensor([1]).to('int32'), tensor([0.6931472]))", .gives = "[[0.5, -0.5]]",
     .params = {tensor("grad"), tensor("logits"), tensor("ids"), tensor("logSums"), kReduction, integer("ignoreIndex", -100)},
     .result_type = ResultType::kCustom,
     .type = [](const Call& c) { return c.input(1).dtype(); },
     .shape = [](const Call& c) { return c.input(1).shape(); },
     .forward = forward_ids_loss_gradient,
     .fast = fast_ids_loss_gradient,
     .internal = true,
     .samples = {{",4x3,4,4", "", 0.5, 2, "2:3"}, {"4,4x3,4,4", "'none'", 0.5, 2, "2:3"}, {",5x3,5,5", "'mean' ; 1", 0.5, 2, "2:3"}, {",0x3,0,0", "'sum'", 0.5, 2, "2:3"}, {",9x17,9,9", "", 0.5, 2, "2:17"}}},

    {.name = "nll",
     .summary = "crossEntropy for log-probabilities, the result of logSoftmax.",
     .example = "tensor([[-0.5, -2]]).nll(tensor([1]))", .gives = "2",
     .params = {tensor("logProbabilities"), tensor("target"), optional_tensor("weight"), kReduction, integer("ignoreIndex", -100)},
     .compose = compose_nll,
     .samples = {{"4x3,4,-", "", -2, 2, "1:3"}, {"4x3,4,3", "'none' ; 1", 0.1, 2, "1:3"}, {"2x3x2,2x2,3", "'mean'", 0.1, 2, "1:3"}},
     .misuses = {{"4x3,3,-", "", "need class ids of shape [4]", "1:3"}, {"4x3,4x3,-", "", "argmax(1) makes class ids of them"}, {"4x3,4,-", "", "lies outside 0 to 2", "1:1000000"}}},

    {.name = "mse",
     .summary = "Mean squared error: the average of the squared differences.",
     .example = "tensor([1, 2]).mse(tensor([1, 4]))", .gives = "2",
     .params = {tensor("prediction"), tensor("target"), kReduction},
     .formula = "\\frac{1}{n} \\sum_i (x_i - y_i)^2",
     .compose = [](const Call& c) { return reduced(square(difference(c)), reduction_of(c, 0)); },
     .samples = {{"2x3,2x3"}, {"2x3,2x3", "'sum'"}, {"2x3,2x3", "'none'"}},
     .misuses = kSameShape},

    {.name = "l1",
     .summary = "Mean absolute error: the average of the differences without their signs.",
     .example = "tensor([1, 2]).l1(tensor([1, 4]))", .gives = "1",
     .params = {tensor("prediction"), tensor("target"), kReduction},
     .formula = "\\frac{1}{n} \\sum_i |x_i - y_i|",
     .compose = [](const Call& c) { return reduced(abs(difference(c)), reduction_of(c, 0)); },
     .samples = {{"2x3,2x3"}, {"2x3,2x3", "'sum'"}},
     .misuses = kSameShape},

    {.name = "smoothL1",
     .summary = "l1 with a rounded bottom: squared below `beta`, straight above.",
     .example = "tensor([0, 0]).smoothL1(tensor([0.5, 3]))", .gives = "1.3125",
     .params = {tensor("prediction"), tensor("target"), kReduction, number("beta", 1)},
     .compose = compose_smooth_l1,
     .samples = {{"2x3,2x3"}, {"2x3,2x3", "'sum' ; 0.5"}, {"2x3,2x3", "'none' ; 0"}},
     .misuses = kSameShape},

    {.name = "huber",
     .summary = "Half the squared difference below `delta`, a straight line above it.",
     .example = "tensor([0, 0]).huber(tensor([0.5, 3]))", .gives = "1.3125",
     .params = {tensor("prediction"), tensor("target"), kReduction, number("delta", 1)},
     .compose = compose_huber,
     .samples = {{"2x3,2x3"}, {"2x3,2x3", "'sum' ; 0.5"}},
     .misuses = kSameShape},

    {.name = "bce",
     .summary = "Binary cross-entropy of probabilities against targets from 0 to 1; logarithms are cut at -100.",
     .example = "tensor([0.5, 0.9]).bce(tensor([0, 1]))", .gives = "0.39925",
     .params = {tensor("probabilities"), tensor("target"), optional_tensor("weight"), kReduction},
     .compose = compose_bce,
     .samples = {{"2x3,2x3,-", "", 0.1, 0.9}, {"2x3,2x3,3", "'sum'", 0.1, 0.9}},
     .misuses = {{"4x1,4,-", "", "squeeze(-1) the prediction"}}},

    {.name = "bceWithLogits",
     .summary = "bce of sigmoid(logits), exact also for large logits; `posWeight` weighs the positive targets.",
     .example = "tensor([0, 2]).bceWithLogits(tensor([0, 1]))", .gives = "0.41004",
     .params = {tensor("logits"), tensor("target"), optional_tensor("weight"), optional_tensor("posWeight"), kReduction},
     .compose = compose_bce_logits,
     .samples = {{"2x3,2x3,-,-"}, {"2x3,2x3,3,3", "'sum'", 0.1, 0.9}, {"2x3,2x3,-,3", "'none'", 0.1, 0.9}},
     .misuses = {{"4x1,4,-,-", "", "squeeze(-1) the prediction"}}},

    {.name = "klDiv",
     .summary = "Kullback-Leibler divergence of target probabilities from log-probabilities; reduction 'batchmean' divides by the batch size.",
     .example = "tensor([-1, -1]).klDiv(tensor([0.5, 0.5]), { reduction: 'sum' })", .gives = "0.30685",
     .params = {tensor("logProbabilities"), tensor("target"), kReduction, boolean("logTarget", false)},
     .compose = compose_kl_div,
     .samples = {{"2x3,2x3", "", 0.1, 0.9}, {"2x3,2x3", "'batchmean' ; true"}, {"2x3,2x3", "'sum'", 0.1, 0.9}},
     .misuses = kSameShape},

    {.name = "hingeEmbedding",
     .summary = "x where the target is 1, max(0, margin - x) where it is -1.",
     .example = "tensor([0.5, 0.5]).hingeEmbedding(tensor([1, -1]))", .gives = "0.5",
     .params = {tensor("x"), tensor("target"), kReduction, number("margin", 1)},
     .compose = compose_hinge_embedding,
     .samples = {{"2x3,2x3"}, {"2x3,2x3", "'sum' ; 0.5"}},
     .misuses = kSameShape},

    {.name = "multiMargin",
     .summary = "The hinge loss of a classifier: how far the scores of other classes come within `margin` of the score of the target class, averaged over classes.",
     .example = "tensor([[2, 1.5, 0]]).multiMargin(tensor([0]))", .gives = "0.16667",
     .params = {tensor("scores"), tensor("target"), optional_tensor("weight"), kReduction, number("margin", 1), number("p", 1)},
     .formula = "\\frac{1}{n} \\sum_{i \\neq y} \\max(0, m - x_y + x_i)^p",
     .compose = compose_multi_margin,
     .samples = {{"4x3,4,-", "", -2, 2, "1:3"}, {"4x3,4,3", "'none' ; 0.5 ; 2", 0.1, 2, "1:3"}, {"3,,-", "'sum'", -2, 2, "1:3"}},
     .misuses = {{"4x3,3,-", "", "need class ids of shape [4]", "1:3"}, {"4x3,4,-", "'mean' ; 1 ; 3", "`p` must be 1 or 2", "1:3"}}},

    {.name = "marginRanking",
     .summary = "max(0, margin - target * (x - y)): target 1 wants x above y, -1 wants it below.",
     .example = "tensor([1, 2]).marginRanking(tensor([0, 3]), tensor([1, 1]))", .gives = "0.5",
     .params = {tensor("x"), tensor("y"), tensor("target"), kReduction, number("margin", 0)},
     .compose = compose_margin_ranking,
     .samples = {{"2x3,2x3,2x3"}, {"4,4,4", "'sum' ; 0.5"}},
     .misuses = {{"2,3,2", "", "do not broadcast"}}},

    {.name = "cosineSimilarity",
     .summary = "Cosine of the angle between two vectors along an axis.",
     .example = "tensor([1, 0]).cosineSimilarity(tensor([1, 1]), 0)", .gives = "0.70711",
     .params = {tensor("x"), tensor("y"), integer("axis", 1), number("eps", 1e-8)},
     .compose = compose_cosine_similarity,
     .samples = {{"2x3,2x3"}, {"2x3,3", "-1"}, {"3,3", "0"}, {"1x2x3,2x1x3", "-2"}},
     .misuses = {{"2x3,2x4", "", "do not broadcast"}}},

    {.name = "cosineEmbedding",
     .summary = "1 - cosine where the target is 1, max(0, cosine - margin) where it is -1.",
     .example = "tensor([[1, 0]]).cosineEmbedding(tensor([[0, 1]]), tensor([1]))", .gives = "1",
     .params = {tensor("x"), tensor("y"), tensor("target"), kReduction, number("margin", 0)},
     .compose = compose_cosine_embedding,
     .samples = {{"4x3,4x3,4"}, {"4x3,4x3,4", "'sum' ; 0.2"}},
     .misuses = {{"4x3,4x2,4", "", "do not broadcast"}, {"4x3,4x3,4", "'average'", "must be 'mean', 'sum' or 'none'"}}},

    {.name = "tripletMargin",
     .summary = "max(0, distance to the positive - distance to the negative + margin).",
     .example = "tensor([[0, 0]]).tripletMargin(tensor([[0, 1]]), tensor([[0, 3]]))", .gives = "0",
     .params = {tensor("anchor"), tensor("positive"), tensor("negative"), kReduction, number("margin", 1), number("p", 2)},
     .compose = compose_triplet_margin,
     .samples = {{"4x3,4x3,4x3"}, {"4x3,4x3,4x3", "'sum' ; 2 ; 2"}},
     .misuses = {{"4x3,4x3,4x2", "", "must have one shape"}}},

    {.name = "poissonNll",
     .summary = "Loss for counts: the prediction is the logarithm of the expected count, or the count itself when `logInput` is false.",
     .example = "tensor([0, 1]).poissonNll(tensor([1, 2]))", .gives = "0.85914",
     .params = {tensor("prediction"), tensor("target"), kReduction, boolean("logInput", true)},
     .compose = compose_poisson_nll,
     .samples = {{"2x3,2x3"}, {"2x3,2x3", "'sum' ; false", 0.1, 2}},
     .misuses = kSameShape},
};

}  // namespace

GRADBOOK_FAMILY(loss, kLoss)

}  // namespace gradbook
