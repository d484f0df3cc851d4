// Fusions: instructions that are quicker as one, or in another order.
//   linear, conv2d + relu     max(0, .) in the epilogue of the product, so the sum before it never reaches memory
//   maxPool2d, then relu,     the mask of relu is laid over the gradient before the pool spreads it, where there are fewer
//   backwards                 elements: at the place of a maximum, the maximum is what the mask asks about
//   conv2d before maxPool2d,  the two gradients of the convolution, and the sum for its bias, visit the places of maxima alone;
//   backwards                 the gradient with zeros in between is never made
//   conv2d, then maxPool2d    image by image, so that the pool finds the convolution's results in the cache, and they are
//                             never written to memory
// All but the last but one keep every bit of every result; that one adds the same numbers up in another order.
#include <algorithm>

#include "kernels/conv_pooled.h"
#include "program/bind.h"
#include "program/program.h"

namespace gradbook {
namespace {

struct Uses {
  std::vector<int> reads, writes;
  explicit Uses(const StepTrace& trace) : reads(trace.slots.size(), 0), writes(trace.slots.size(), 0) {
    for (const Instruction& i : trace.instructions) {
      for_each_read(i, [&](const Place& p) { ++reads[static_cast<size_t>(p.slot)]; });
      for_each_write(i, [&](const Place& p) { ++writes[static_cast<size_t>(p.slot)]; });
    }
    for (const Place& p : trace.outputs) ++reads[static_cast<size_t>(p.slot)];
  }
  bool used_once(const Place& p) const { return reads[static_cast<size_t>(p.slot)] == 1 && writes[static_cast<size_t>(p.slot)] == 1; }
  bool written_once(const Place& p) const { return writes[static_cast<size_t>(p.slot)] == 1; }
};

bool is_op(const Instruction& i, std::string_view name) { return i.kind == Instruction::Kind::kOp && i.op->name == name; }
bool is_made(const StepTrace& trace, const Place& p) { return p.defined() && trace.slots[static_cast<size_t>(p.slot)].kind == SlotKind::kMade; }

// The whole of a slot, row-major from its start, so that two such looks at one slot are the same tensor.
bool is_whole(const StepTrace& trace, const Place& p) {
  return is_made(trace, p) && p.offset == 0 && p.is_contiguous() && static_cast<size_t>(p.count()) * info(p.dtype).size == trace.slots[static_cast<size_t>(p.slot)].bytes;
}

// A copy of nothing, to nothing.
void make_dead(Instruction& i) {
  i.kind = Instruction::Kind::kCopy;
  i.op = nullptr;
  i.inputs.clear();
  i.saved.clear();
  i.result = {};
}

void fuse_relu(StepTrace& trace) {
  const Uses uses(trace);
  for (size_t n = 0; n < trace.instructions.size(); ++n) {
    Instruction& relu = trace.instructions[n];
    if (!is_op(relu, "relu") || relu.result.dtype != DType::kFloat32 || !is_whole(trace, relu.inputs[0]) || !uses.used_once(relu.inputs[0])) continue;
    for (size_t m = n; m-- > 0;) {
      Instruction& product = trace.instructions[m];
      if (!product.result.defined() || product.result.slot != relu.inputs[0].slot) continue;
      if ((is_op(product, "linear") || is_op(product, "conv2d")) && product.result.shape == relu.result.shape) {
        product.relu = true;
        product.fused = "relu";
        product.result = relu.result;
        make_dead(relu);
      }
      break;
    }
  }
}

// keepPositive(maxPool2dGradient(g, places), r) = maxPool2dGradient(keepPositive(g, p), places), where p = maxPool2d(r).
void mask_before_pool(StepTrace& trace) {
  const Uses uses(trace);
  for (size_t n = 0; n < trace.instructions.size(); ++n) {
    Instruction& mask = trace.instructions[n];
    if (!is_op(mask, "keepPositive") || mask.result.dtype != DType::kFloat32 || !is_whole(trace, mask.inputs[0]) || !uses.used_once(mask.inputs[0])) continue;
    size_t spread_at = n, pool_at = n;
    for (size_t m = n; m-- > 0;)
      if (is_op(trace.instructions[m], "maxPool2dGradient") && trace.instructions[m].result.slot == mask.inputs[0].slot) spread_at = m;
    if (spread_at == n) continue;
    Instruction& spread = trace.instructions[spread_at];
    for (size_t m = spread_at; m-- > 0;)
      if (is_op(trace.instructions[m], "maxPool2d") && trace.instructions[m].saved.size() == 1 && trace.instructions[m].saved[0].slot == spread.inputs[1].slot) pool_at = m;
    if (pool_at == n) continue;
    const Instruction& pool = trace.instructions[pool_at];
    const Place &gradient = spread.inputs[0], &largest = pool.result;
    if (pool.inputs[0].slot != mask.inputs[1].slot || !(pool.inputs[0].shape == mask.inputs[1].shape) || !is_whole(trace, mask.inputs[1])) continue;
    if (!is_whole(trace, largest) || !uses.written_once(largest) || !(largest.shape == gradient.shape) || !(mask.result.shape == spread.result.shape)) continue;
    TraceSlot slot;
    slot.bytes = static_cast<size_t>(gradient.count()) * sizeof(float);
    Place masked{static_cast<int>(trace.slots.size()), gradient.shape, contiguous_strides(gradient.shape), 0, DType::kFloat32, {}};
    trace.slots.push_back(std::move(slot));
    const Place places = spread.inputs[1];
    std::swap(spread.op, mask.op);
    std::swap(spread.attributes, mask.attributes);
    spread.inputs = {gradient, largest};
    spread.result = masked;
    spread.fused = "before the pool";
    mask.inputs = {masked, places};
  }
}

bool is_bias_sum(const Instruction& i) {
  return is_op(i, "sum") && i.attributes[0].present && i.attributes[0].list == std::vector<double>{0, 2, 3};
}

// Whether the places come from windows of 2 x 2, side by side.
bool is_one_per_cell(const StepTrace& trace, const Place& places, const Shape& results) {
  for (const Instruction& pool : trace.instructions)
    if (is_op(pool, "maxPool2d") && pool.saved.size() == 1 && pool.saved[0].slot == places.slot)
      return kernels::is_two_by_two(pool_of(pool.attributes, results, places.shape));
  return false;
}

void visit_maxima_only(StepTrace& trace) {
  const Uses uses(trace);
  for (const Instruction& spread : trace.instructions) {
    if (!is_op(spread, "maxPool2dGradient") || spread.result.dtype != DType::kFloat32 || !is_whole(trace, spread.result) || !uses.written_once(spread.result)) continue;
    const Place &values = spread.inputs[0], &places = spread.inputs[1];
    if (!values.is_contiguous() || !is_whole(trace, places)) continue;
    std::vector<Instruction*> users;
    bool serves = true;
    for (Instruction& user : trace.instructions) {
      int here = 0;
      for_each_read(user, [&](const Place& p) { here += p.slot == spread.result.slot; });
      if (!here) continue;
      users.push_back(&user);
      const bool is_gradient = is_op(user, "conv2dFilterGradient") || is_op(user, "conv2dInputGradient");
      const Place& first = user.inputs[0];
      serves = serves && here == 1 && first.slot == spread.result.slot && is_whole(trace, first) && first.shape == spread.result.shape && (is_gradient || is_bias_sum(user));
      if (serves && is_gradient)
        serves = user.inputs[1].is_contiguous() && user.inputs[1].dtype == DType::kFloat32 && kernels::serves_sparse(convolution_of(user, first.shape), values.shape[2] * values.shape[3]);
    }
    serves = serves && static_cast<int>(users.size()) == uses.reads[static_cast<size_t>(spread.result.slot)];
    if (!serves) continue;
    for (Instruction* user : users) {
      user->fused = "places of maxima";
      if (!is_bias_sum(*user)) {
        user->sparse = user->inputs[0].shape;
        user->one_per_cell = is_one_per_cell(trace, places, user->sparse);
        user->inputs.push_back(places);
      }
      user->inputs[0] = values;
    }
  }
}

// After visit_maxima_only, which leaves the pool alone with the convolution's results.
void pool_in_cache(StepTrace& trace) {
  const Uses uses(trace);
  for (Instruction& pool : trace.instructions) {
    if (!is_op(pool, "maxPool2d") || pool.result.dtype != DType::kFloat32 || pool.saved.size() != 1) continue;
    if (!is_whole(trace, pool.inputs[0]) || !uses.used_once(pool.inputs[0]) || !is_whole(trace, pool.result) || !uses.written_once(pool.result) || !is_whole(trace, pool.saved[0])) continue;
    for (Instruction& product : trace.instructions) {
      if (&product == &pool) break;
      if (!is_op(product, "conv2d") || product.result.slot != pool.inputs[0].slot || !(product.result.shape == pool.inputs[0].shape)) continue;
      const bool plain = std::all_of(product.inputs.begin(), product.inputs.end(), [](const Place& p) { return !p.defined() || (p.is_contiguous() && p.dtype == DType::kFloat32); });
      if (!plain) break;
      Instruction joined = product;
      joined.unpooled = product.result.shape;
      joined.pool = pool.attributes;
      joined.result = pool.result;
      joined.saved = pool.saved;
      joined.fused += joined.fused.empty() ? "maxPool2d" : ", maxPool2d";
      const PooledConvolution shapes = pooled_convolution_of(joined);
      if (!kernels::serves_max_pool(shapes.convolution, shapes.pool)) break;
      product = std::move(joined);
      make_dead(pool);
      break;
    }
  }
}

}  // namespace

void fuse(StepTrace& trace) {
  fuse_relu(trace);
  mask_before_pool(trace);
  visit_maxima_only(trace);
  pool_in_cache(trace);
}

}  // namespace gradbook
