#include "autodiff/tape.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "autodiff/run.h"

namespace gradbook {
namespace {

uint64_t g_sequence = 0;
int64_t g_record_count = 0;
const Record* g_gradient_of = nullptr;
int32_t g_place = 0, g_failed_place = 0;
const Op* g_add = nullptr;
const Op* g_sum_to = nullptr;

// Says whose gradient is being computed, for a scope.
class GradientScope {
 public:
  explicit GradientScope(const Record* record) : before_(g_gradient_of) { g_gradient_of = record; }
  ~GradientScope() { g_gradient_of = before_; }
  GradientScope(const GradientScope&) = delete;
  GradientScope& operator=(const GradientScope&) = delete;

 private:
  const Record* before_;
};

uint32_t version_of(const Tensor& t) { return t.defined() ? t.storage()->version : 0; }

std::vector<uint32_t> versions_of(const Call& call) {
  std::vector<uint32_t> versions;
  versions.reserve(call.inputs.size() + 1);
  for (const Tensor& t : call.inputs) versions.push_back(version_of(t));
  versions.push_back(version_of(call.result));
  return versions;
}

void check_versions(const Record& record) {
  const Call& call = record.call;
  for (size_t i = 0; i <= call.inputs.size(); ++i) {
    const Tensor& t = i < call.inputs.size() ? call.inputs[i] : call.result;
    if (version_of(t) != record.versions[i])
      fail(ErrorCode::kState, "a tensor of shape ", t.shape(), " that the gradient of ", call.called->name,
           " needs was changed in place (by an optimizer step or a copy) after it was used; run the forward pass again before backward()");
  }
}

void release(Record& record) {
  record.released = true;
  record.call.inputs.clear();
  record.call.saved.clear();
  record.call.result = {};
}

// Brings a gradient to the shape and dtype of its input.
Tensor fit(const Tensor& gradient, const Tensor& input) {
  Tensor g = gradient;
  if (!(g.shape() == input.shape())) g = run(*g_sum_to, {g}, {Attribute(input.shape())});
  if (g.dtype() != input.dtype()) g = g.converted(input.dtype());
  return g;
}

class Sweep {
 public:
  Sweep(const Tensor& root, const Tensor& upstream, BackwardOptions options, const std::vector<Tensor>* targets) : options_(options), targets_(targets) {
    check(root.requires_grad(), ErrorCode::kState, "backward(): this tensor depends on nothing that requires a gradient; did you compute it under noGrad(), from data alone, or after detach()?");
    if (root.record()) check(!root.record()->released, ErrorCode::kState, "backward(): the records behind this tensor were already let go by an earlier backward(); compute it again, or pass retainGraph to the first call");
    Tensor seed = upstream;
    if (!seed.defined()) {
      check(root.element_count() == 1, ErrorCode::kShape, "backward(): needs a scalar such as a loss, got shape ", root.shape(), "; reduce it with mean() or sum(), or pass an upstream gradient");
      seed = Tensor::full(root.shape(), 1, root.dtype());
    }
    check(seed.shape() == root.shape(), ErrorCode::kShape, "backward(): the upstream gradient must have shape ", root.shape(), ", got ", seed.shape());
    if (seed.dtype() != root.dtype()) seed = seed.converted(root.dtype());
    collect(root);
    accumulate(root, seed);
  }

  void go() {
    GradModeGuard guard(options_.create_graph);
    for (const std::shared_ptr<Record>& record : order_) visit(record);
    if (!targets_)
      for (const Tensor& leaf : leaves_) deposit(leaf);
  }

  Tensor result_for(const Tensor& target) {
    auto found = finished_.find(key(target));
    if (found != finished_.end()) return found->second;
    found = sums_.find(key(target));
    return found == sums_.end() ? Tensor() : found->second;
  }

 private:
  // All records behind `root`, latest first. A loop, not recursion: a recurrent net makes chains of many thousand records.
  void collect(const Tensor& root) {
    std::vector<std::shared_ptr<Record>> open;
    std::unordered_map<const Record*, bool> seen;
    auto meet = [&](const Tensor& t) {
      if (!t.defined()) return;
      if (t.record()) {
        if (!seen.emplace(t.record().get(), true).second) return;
        check(!t.record()->released, ErrorCode::kState, "backward(): part of what this tensor was computed from was already let go by an earlier backward(); compute it again, or pass retainGraph to the first call");
        open.push_back(t.record());
      } else if (t.requires_grad() && seen_leaves_.emplace(t.id(), true).second) {
        leaves_.push_back(t);
      }
    };
    meet(root);
    while (!open.empty()) {
      std::shared_ptr<Record> record = std::move(open.back());
      open.pop_back();
      for (const Tensor& input : record->call.inputs) meet(input);
      order_.push_back(std::move(record));
    }
    // A heap: a quarter of std::sort's bytes in the page.
    const auto later = [](const auto& a, const auto& b) { return a->sequence > b->sequence; };
    std::make_heap(order_.begin(), order_.end(), later);
    std::sort_heap(order_.begin(), order_.end(), later);
  }

  // Gradients of results are kept by record (every copy of a result shares it), those of leaves and targets by tensor.
  static const void* key(const Tensor& t) { return t.record() ? static_cast<const void*>(t.record().get()) : t.id(); }

  void accumulate(const Tensor& input, const Tensor& gradient) {
    Tensor& sum = sums_[key(input)];
    sum = sum.defined() ? run(*g_add, {sum, gradient}) : gradient;
  }

  void visit(const std::shared_ptr<Record>& record) {
    check_interrupt();
    auto found = sums_.find(record.get());
    if (found == sums_.end() || !found->second.defined()) {
      if (!keeps()) release(*record);
      return;
    }
    const Tensor upstream = std::move(found->second);
    sums_.erase(found);
    if (targets_) finished_[record.get()] = upstream;
    // Off the tape, or the gradient of a gradient would hold the record that holds it.
    if (record->retains && !targets_) record->retained = record->retained.defined() ? run(*g_add, {record->retained, upstream.detach()}) : upstream.detach();
    check_versions(*record);
    const GradientScope scope(record.get());
    const CalledScope called(*record->call.called);
    Call call = record->call;
    if (options_.create_graph) {
      // The result as it stands on the tape, so that a rule written with it (exp: grad * result) has a second derivative.
      call.result = call.result.detach();
      call.result.set_record(record);
    }
    call.needs = 0;
    for (size_t i = 0; i < call.inputs.size() && i < 64; ++i)
      if (call.inputs[i].defined() && call.inputs[i].requires_grad()) call.needs |= uint64_t{1} << i;
    try {
      const Gradients gradients = call.op->gradient(call, upstream);
      for (size_t i = 0; i < gradients.size() && i < call.inputs.size(); ++i) {
        const Tensor& input = call.inputs[i];
        if (!gradients[i].defined() || !input.defined() || !input.requires_grad()) continue;
        accumulate(input, fit(gradients[i], input));
      }
    } catch (const Error& error) {
      g_failed_place = record->place;
      throw Error(error.code(), "gradient of " + std::string(call.called->name) + ": " + error.what());
    }
    if (!keeps()) release(*record);
  }

  void deposit(const Tensor& leaf) {
    auto found = sums_.find(leaf.id());
    if (found == sums_.end()) return;
    Tensor gradient = std::move(found->second);
    sums_.erase(found);
    if (leaf.grad().defined()) {
      try {
        const CalledScope called(*g_add);
        leaf.set_grad(run(*g_add, {leaf.grad(), gradient}));
      } catch (const Error& error) {
        throw Error(error.code(), std::string("backward(): ") + error.what());
      }
    } else {
      // Taken over without a copy when nobody else sees its values: a rule may return the same tensor for two inputs.
      const bool alone = gradient.is_contiguous() && gradient.storage().use_count() == 1;
      leaf.set_grad(options_.create_graph || alone ? gradient : gradient.clone());
    }
  }

  bool keeps() const { return options_.retain_graph || options_.create_graph; }

  BackwardOptions options_;
  const std::vector<Tensor>* targets_;
  std::vector<std::shared_ptr<Record>> order_;
  std::vector<Tensor> leaves_;
  std::unordered_map<const void*, bool> seen_leaves_;
  std::unordered_map<const void*, Tensor> sums_, finished_;
};

}  // namespace

Record::Record() { ++g_record_count; }

Record::~Record() {
  --g_record_count;
  // Dropping a long chain record by record from inside destructors would overflow the stack, so the outermost one loops.
  static std::vector<std::vector<Tensor>>* waiting = nullptr;
  if (waiting) {
    waiting->push_back(std::move(call.inputs));
    return;
  }
  std::vector<std::vector<Tensor>> queue;
  waiting = &queue;
  queue.push_back(std::move(call.inputs));
  while (!queue.empty()) {
    std::vector<Tensor> inputs = std::move(queue.back());
    queue.pop_back();
    inputs.clear();
  }
  waiting = nullptr;
}

bool any_requires_grad(const std::vector<Tensor>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [](const Tensor& t) { return t.defined() && t.requires_grad(); });
}

Tensor record_call(Call&& call, std::vector<Tensor>&& originals) {
  auto record = std::make_shared<Record>();
  Tensor result = call.result;
  record->call = std::move(call);
  record->call.inputs = std::move(originals);
  record->call.result = result.detach();
  record->versions = versions_of(record->call);
  record->sequence = ++g_sequence;
  record->place = g_place;
  result.set_record(std::move(record));
  return result;
}

void set_tape_ops(const Op& add, const Op& sum_to) {
  g_add = &add;
  g_sum_to = &sum_to;
}

void backward(const Tensor& root, const Tensor& upstream, BackwardOptions options) {
  g_failed_place = 0;
  Sweep(root, upstream, options, nullptr).go();
}

std::vector<Tensor> gradients(const Tensor& root, const std::vector<Tensor>& targets, const Tensor& upstream, BackwardOptions options) {
  g_failed_place = 0;
  Sweep sweep(root, upstream, options, &targets);
  sweep.go();
  std::vector<Tensor> result;
  for (const Tensor& target : targets) result.push_back(sweep.result_for(target));
  return result;
}

void retain_grad(const Tensor& tensor) {
  check(tensor.requires_grad(), ErrorCode::kState, "retainGrad(): this tensor depends on nothing that requires a gradient");
  if (tensor.record()) tensor.record()->retains = true;
}
Tensor grad_of(const Tensor& tensor) { return tensor.record() ? tensor.record()->retained : tensor.grad(); }

int32_t set_place(int32_t place) { return std::exchange(g_place, place); }
int32_t failed_place() { return g_failed_place; }

const Record* record_in_progress() { return g_gradient_of; }
const Op* gradient_in_progress() { return g_gradient_of ? g_gradient_of->call.op : nullptr; }
int64_t record_count() { return g_record_count; }

}  // namespace gradbook
