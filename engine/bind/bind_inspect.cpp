// Exported functions that look into the engine: metrics, memory, threads, the stop flag; exports.h says what each does.
#include <algorithm>

#include "autodiff/flops.h"
#include "autodiff/run.h"
#include "autodiff/tape.h"
#include "bind/border.h"
#include "bind/exports.h"
#include "inspect/metrics.h"
#include "inspect/observe.h"
#include "kernels/threads.h"
#include "ops/registry.h"
#include "program/program.h"
#include "tensor/storage.h"

#ifdef __EMSCRIPTEN__
#include <emscripten/heap.h>
#endif

using namespace gradbook;
using namespace gradbook::border;

namespace {

double heap_bytes() {
#ifdef __EMSCRIPTEN__
  return static_cast<double>(emscripten_get_heap_size());
#else
  return static_cast<double>(memory_count().live_bytes + memory_count().cached_bytes);
#endif
}

// Position in the list of ops; -1 for null.
int number_of(const Op* op) {
  for (int i = 0; op && i < op_count(); ++i)
    if (&op_at(i) == op) return i;
  return -1;
}

}  // namespace

extern "C" {

int32_t gb_metrics_name(int32_t byte_count) {
  return guarded([&] {
    check(byte_count >= 0 && byte_count <= kBlockBytes, ErrorCode::kValue, "log: a metric's name cannot have ", byte_count, " bytes");
    return metric_ring().metric_id({block(), static_cast<size_t>(byte_count)});
  });
}

int32_t gb_metrics_log(double step, int32_t count) {
  return guarded([&] {
    check(count >= 0 && count <= kBlockBytes, ErrorCode::kValue, "log: cannot log ", count, " metrics at once");
    check_block(count * 2, count * 8);
    const int32_t* metrics = block_ints();
    const int32_t* handles = metrics + count;
    const double* const numbers = block_numbers(count * 2);
    // All are looked at before the first is logged, so that a mistake logs nothing.
    for (int32_t i = 0; i < count; ++i) {
      const std::string& name = metric_ring().metric_name(metrics[i]);
      if (handles[i] == kNone) continue;
      const Tensor& tensor = tensor_at(handles[i]);
      if (tensor.element_count() != 1)
        fail(ErrorCode::kShape, "log: `", name, "` must be a number or a tensor with one element, got shape ", to_string(tensor.shape()), "; take its mean() or sum()");
    }
    Recording* const recording = Recording::current();
    if (!recording) {
      for (int32_t i = 0; i < count; ++i) metric_ring().log(step, metrics[i], handles[i] == kNone ? numbers[i] : tensor_at(handles[i]).item());
      return metric_ring().trouble().found ? 1 : 0;
    }
    std::vector<int> names;
    std::vector<Tensor> tensors;
    std::vector<double> values;
    for (int32_t i = 0; i < count; ++i) {
      names.push_back(metrics[i]);
      values.push_back(numbers[i]);
      tensors.push_back(optional_tensor_at(handles[i]));
    }
    const auto write = [names, values](double at, const std::vector<Tensor>& read) {
      for (size_t i = 0; i < names.size(); ++i) metric_ring().log(at, names[i], read[i].defined() ? read[i].item() : values[i]);
    };
    const double later = step - Program::log_step();
    std::vector<double> identity = {later};
    identity.insert(identity.end(), names.begin(), names.end());
    identity.insert(identity.end(), values.begin(), values.end());
    recording->act({"log", identity, [write, later](const std::vector<Tensor>& read, const auto&) { write(Program::log_step() + later, read); }}, tensors, {});
    return metric_ring().trouble().found ? 1 : 0;
  });
}

int32_t gb_metrics_drain(int32_t most) {
  static_assert(sizeof(MetricRecord) == 5 * sizeof(double));
  return guarded([&] {
    const size_t room = kBlockBytes / sizeof(MetricRecord);
    return static_cast<int32_t>(metric_ring().drain(reinterpret_cast<MetricRecord*>(block()), std::min(room, static_cast<size_t>(std::max(most, 0)))));
  });
}

int32_t gb_metrics_trouble() {
  return guarded([&] {
    const MetricTrouble& trouble = metric_ring().trouble();
    double* out = block_numbers(0);
    *out++ = trouble.first.step;
    *out++ = trouble.first.metric;
    *out++ = trouble.first.value;
    *out++ = static_cast<double>(trouble.dropped);
    const bool found = trouble.found;
    metric_ring().forget_trouble();
    return found ? 1 : 0;
  });
}

int32_t gb_metrics_clear() {
  return guarded([&] {
    metric_ring().clear();
    return 0;
  });
}

double gb_flops(double count) {
  const double before = flops_done();
  if (count >= 0) set_flops_done(count);
  return before;
}

int32_t gb_memory() {
  return guarded([&] {
    const MemoryCount& memory = memory_count();
    const double values[] = {static_cast<double>(memory.live_bytes), static_cast<double>(memory.peak_bytes), static_cast<double>(memory.blocks),
                             static_cast<double>(handle_count()),    static_cast<double>(record_count()),    heap_bytes(),
                             last_step_ms()};
    std::copy(std::begin(values), std::end(values), block_numbers(0));
    return 0;
  });
}

int32_t gb_memory_limit(double bytes) {
  return guarded([&] {
    check(bytes >= 0 && bytes <= 9007199254740991.0, ErrorCode::kValue, "a memory limit must be a number of bytes, got ", bytes);
    set_memory_limit(static_cast<int64_t>(bytes));
    return 0;
  });
}

int32_t gb_profile(int32_t enabled) {
  return guarded([&] { return set_profiling(enabled != 0) ? 1 : 0; });
}

int32_t gb_profile_rows() {
  return guarded([&] {
    const std::vector<ProfileRow> rows = profile_rows();
    check_block(0, static_cast<int32_t>(rows.size() * 32));
    double* out = block_numbers(0);
    for (const ProfileRow& row : rows) {
      *out++ = number_of(row.op);
      *out++ = row.backward;
      *out++ = static_cast<double>(row.calls);
      *out++ = row.milliseconds;
    }
    return static_cast<int32_t>(rows.size());
  });
}

int32_t gb_detect_anomaly(int32_t enabled) {
  return guarded([&] { return set_anomaly_detection(enabled != 0) ? 1 : 0; });
}

int32_t gb_place(int32_t place) { return set_place(place); }
int32_t gb_failed_place() { return failed_place(); }

int32_t gb_threads(int32_t count) {
  return guarded([&] { return kernels::set_thread_count(count); });
}

volatile int32_t* gb_interrupt_flag() { return interrupt_flag(); }

}  // extern "C"
