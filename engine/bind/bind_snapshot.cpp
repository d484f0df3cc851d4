// Exported functions of the inspector: the trace of a step, and snapshots; exports.h says what each does.
#include <charconv>
#include <unordered_map>

#include "bind/border.h"
#include "bind/exports.h"
#include "bind/held.h"
#include "inspect/collect.h"
#include "inspect/observe.h"
#include "inspect/trace.h"
#include "program/bind.h"

#ifdef __EMSCRIPTEN__
#include <emscripten/heap.h>
#endif

using namespace gradbook;
using namespace gradbook::border;

namespace {

std::vector<uint8_t>& last_snapshot() {
  static auto* bytes = new std::vector<uint8_t>;
  return *bytes;
}

double heap_size() {
#ifdef __EMSCRIPTEN__
  return static_cast<double>(emscripten_get_heap_size());
#else
  return static_cast<double>(memory_count().live_bytes + memory_count().cached_bytes);
#endif
}

// What TypeScript knows and the engine does not: lines of words between tabs.
struct Notes {
  std::string flavour;
  std::unordered_map<int32_t, std::string> owners;
  std::vector<TracePlace> places;
  struct Name {
    int32_t handle;
    std::string name;
  };
  std::vector<Name> names;
};

int32_t whole(std::string_view words) {
  int32_t value = 0;
  const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), value);
  check(error == std::errc() && end == words.data() + words.size(), ErrorCode::kValue, "snapshot: not a number: ", std::string(words));
  return value;
}

Notes read_notes(std::string_view text) {
  Notes notes;
  while (!text.empty()) {
    const size_t line_end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, line_end);
    text.remove_prefix(std::min(line_end + 1, text.size()));
    std::vector<std::string_view> words;
    while (true) {
      const size_t end = std::min(line.find('\t'), line.size());
      words.push_back(line.substr(0, end));
      if (end == line.size()) break;
      line.remove_prefix(end + 1);
    }
    const std::string_view what = words[0];
    if (what == "flavour" && words.size() == 2)
      notes.flavour = words[1];
    else if (what == "owner" && words.size() == 3)
      notes.owners[whole(words[1])] = words[2];
    else if (what == "place" && words.size() == 3)
      notes.places.push_back({std::string(words[1]), whole(words[2])});
    else if (what == "name" && words.size() == 3)
      notes.names.push_back({whole(words[1]), std::string(words[2])});
    else
      fail(ErrorCode::kValue, "snapshot: a note that is not understood: ", std::string(what));
  }
  return notes;
}

// The captured step that ran last, op by op. What was told of it stays when the step is collected: whether it still lies in
// memory is no business of readers.
void describe_program(SnapshotRequest& request) {
  struct Told {
    std::vector<ProgramRow> rows;
    double arena_bytes = 0, largest_live_bytes = 0;
  };
  static auto* told = new Told;
  const Program* program = last_program(request.program_runs);
  if (!program) {
    request.program = told->rows;
    request.arena_bytes = told->arena_bytes;
    request.largest_live_bytes = told->largest_live_bytes;
    return;
  }
  request.arena_bytes = static_cast<double>(program->plan().arena_bytes);
  request.largest_live_bytes = static_cast<double>(program->plan().largest_live_bytes);
  for (const Instruction& i : program->trace().instructions) {
    if (i.kind == Instruction::Kind::kSetGradient) continue;
    ProgramRow row;
    row.name = i.shown_name();
    row.fused = i.fused;
    row.backward = i.backward;
    if (i.result.defined()) {
      const TraceSlot& slot = program->trace().slots[static_cast<size_t>(i.result.slot)];
      row.dtype = i.result.dtype;
      row.shape = i.result.shape;
      row.bytes = static_cast<double>(i.result.count()) * static_cast<double>(info(row.dtype).size);
      if (slot.kind == SlotKind::kMade) row.offset = static_cast<double>(slot.offset);
    }
    row.flops = flops_of(i);
    request.program.push_back(std::move(row));
  }
  *told = {request.program, request.arena_bytes, request.largest_live_bytes};
}

}  // namespace

extern "C" {

int32_t gb_owner(int32_t owner) {
  return guarded([&] {
    set_owner(owner);
    return 0;
  });
}

int32_t gb_trace(int32_t wanted) {
  return guarded([&] {
    if (wanted == 1) arm_trace();
    if (wanted == 0) end_trace();
    if (wanted == 2) begin_traced_run();
    return tracing() ? 1 : 0;
  });
}

int32_t gb_trace_pause(int32_t paused) {
  return guarded([&] { return pause_trace(paused != 0) ? 1 : 0; });
}

int32_t gb_trace_place(int32_t place) {
  set_trace_place(place);
  return 0;
}

int32_t gb_trace_clear() {
  return guarded([&] {
    clear_traced_costs();
    return 0;
  });
}

int32_t gb_snapshot(int32_t notes_handle, double selected, double from, int32_t running, double allowance) {
  return guarded([&] {
    const Tensor text = tensor_at(notes_handle).contiguous();
    check(text.dtype() == DType::kUint8, ErrorCode::kType, "snapshot: notes must come as a uint8 tensor, got ", info(text.dtype()).name);
    const Notes notes = read_notes({reinterpret_cast<const char*>(text.data<uint8_t>()), static_cast<size_t>(text.element_count())});
    SnapshotRequest request;
    request.places = notes.places;
    request.flavour = notes.flavour;
    request.heap_bytes = heap_size();
    request.handles = handle_count() - 1;
    request.running = running != 0;
    request.selected = reinterpret_cast<const void*>(static_cast<uintptr_t>(std::max(selected, 0.0)));
    request.from = static_cast<int64_t>(std::max(from, 0.0));
    request.allowance = static_cast<int64_t>(allowance);
    std::unordered_map<int32_t, const Notes::Name*> names;
    for (const Notes::Name& name : notes.names) names.emplace(name.handle, &name);
    const auto owner_name = [&](int32_t owner) {
      const auto found = notes.owners.find(owner);
      return found == notes.owners.end() ? std::string() : found->second;
    };
    // Named ones first: of several handles of one tensor the one with a name counts.
    std::vector<HeldTensor> plain;
    std::unordered_map<const void*, HeldTensor> known;
    each_handle([&](int32_t handle, const Tensor& tensor, int32_t owner) {
      if (handle == notes_handle) return;
      const auto name = names.find(handle);
      if (name == names.end()) {
        plain.push_back({tensor, "tensor", "", owner_name(owner)});
      } else {
        const bool is_parameter = tensor.is_leaf() && tensor.requires_grad();
        request.tensors.push_back({tensor, is_parameter ? "parameter" : "variable", name->second->name, owner_name(owner)});
        known.emplace(tensor.id(), request.tensors.back());
      }
    });
    request.tensors.insert(request.tensors.end(), plain.begin(), plain.end());
    each_optimizer([&](const Optimizer& optimizer) {
      for (int i = 0; i < optimizer.parameter_count(); ++i) {
        const auto of = known.find(optimizer.parameters()[static_cast<size_t>(i)].id());
        int slot = 0;
        for (const Slot& row : optimizer.row().slots) {
          const Tensor& state = optimizer.state(i, slot++);
          if (!state.defined()) continue;
          const std::string whose = of == known.end() ? "parameter " + std::to_string(i) : of->second.name;
          request.tensors.push_back({state, "state", whose + "." + std::string(row.name), of == known.end() ? "" : of->second.cell});
        }
      }
    });
    describe_program(request);
    last_snapshot() = take_snapshot(request);
    return static_cast<int32_t>(last_snapshot().size());
  });
}

const char* gb_snapshot_data() { return reinterpret_cast<const char*>(last_snapshot().data()); }

}  // extern "C"
