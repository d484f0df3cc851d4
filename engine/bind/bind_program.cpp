// Exported functions of captured steps; exports.h says what each does.
#include <memory>

#include "base/random.h"
#include "bind/border.h"
#include "bind/exports.h"
#include "bind/held.h"
#include "program/program.h"

using namespace gradbook;
using namespace gradbook::border;

namespace {

// Ids are places in a list plus 1, and are not used again.
template <class Thing>
class Kept {
 public:
  int32_t add(std::unique_ptr<Thing> thing) {
    things_.push_back(std::move(thing));
    return static_cast<int32_t>(things_.size());
  }
  Thing& at(int32_t id, const char* what) {
    const bool known = id > 0 && static_cast<size_t>(id) <= things_.size() && things_[static_cast<size_t>(id - 1)];
    check(known, ErrorCode::kState, "a ", what, " was used after it was released (id ", id, ")");
    return *things_[static_cast<size_t>(id - 1)];
  }
  /// Null when it was released.
  const Thing* find(int32_t id) const { return id > 0 && static_cast<size_t>(id) <= things_.size() ? things_[static_cast<size_t>(id - 1)].get() : nullptr; }
  void release(int32_t id, const char* what) {
    at(id, what);
    things_[static_cast<size_t>(id - 1)].reset();
  }

 private:
  std::vector<std::unique_ptr<Thing>> things_;
};

struct Programs {
  std::unique_ptr<Recording> recording;
  Kept<StepTrace> traces;
  Kept<Program> programs;
  int32_t last_run = 0;
  std::vector<double> runs;  // by id - 1
  std::vector<Tensor> inputs;  // of the run that goes on; here so that no run makes a list
};
class Emptied {
 public:
  explicit Emptied(std::vector<Tensor>& list) : list_(list) {}
  ~Emptied() { list_.clear(); }
  Emptied(const Emptied&) = delete;
  Emptied& operator=(const Emptied&) = delete;

 private:
  std::vector<Tensor>& list_;
};

Programs& all() {
  static Programs* all = new Programs;
  return *all;
}

}  // namespace

const Program* border::last_program(double& runs) {
  const int32_t id = all().last_run;
  runs = id > 0 ? all().runs[static_cast<size_t>(id - 1)] : 0;
  return all().programs.find(id);
}

extern "C" {

int32_t gb_program_begin(int32_t count, double log_step) {
  return guarded([&] {
    std::vector<Tensor> inputs = block_tensors(count);
    // Two looks at one memory could not be told apart in the step; the caller's tensor becomes a copy.
    for (size_t i = 1; i < inputs.size(); ++i)
      for (size_t k = 0; k < i; ++k)
        if (inputs[k].storage() == inputs[i].storage() && !inputs[i].requires_grad()) {
          inputs[i] = inputs[i].clone();
          replace_tensor(block_ints()[i], inputs[i]);
        }
    all().recording = std::make_unique<Recording>(inputs);
    Program::set_log_step(log_step);
    return 0;
  });
}

int32_t gb_program_refuse(int32_t byte_count) {
  return guarded([&] {
    check(byte_count >= 0 && byte_count <= kBlockBytes, ErrorCode::kValue, "a reason cannot have ", byte_count, " bytes");
    if (all().recording) all().recording->refuse(std::string(block(), static_cast<size_t>(byte_count)));
    return 0;
  });
}

int32_t gb_program_end(int32_t count) {
  return guarded([&] {
    check(all().recording != nullptr, ErrorCode::kState, "no step is being recorded");
    const std::unique_ptr<Recording> recording = std::move(all().recording);
    return all().traces.add(std::make_unique<StepTrace>(recording->finish(block_tensors(count))));
  });
}

int32_t gb_program_abort() {
  return guarded([&] {
    all().recording.reset();
    return 0;
  });
}

int32_t gb_program_difference(int32_t before, int32_t now) {
  return guarded([&] {
    const StepTrace &a = all().traces.at(before, "trace"), &b = all().traces.at(now, "trace");
    last_text() = difference(a, b);
    return last_text().empty() ? 0 : same_start(a, b) ? 1 : 2;
  });
}

int32_t gb_program_release_trace(int32_t trace) {
  return guarded([&] {
    all().traces.release(trace, "trace");
    return 0;
  });
}

int32_t gb_program_compile(int32_t trace) {
  return guarded([&] { return all().programs.add(std::make_unique<Program>(all().traces.at(trace, "trace"))); });
}

int32_t gb_program_release(int32_t program) {
  return guarded([&] {
    all().programs.release(program, "program");
    return 0;
  });
}

int32_t gb_program_applies(int32_t program) {
  return guarded([&] { return all().programs.at(program, "program").applies() ? 1 : 0; });
}

int32_t gb_program_run(int32_t id, int32_t count, double log_step) {
  return guarded([&] {
    Program& program = all().programs.at(id, "program");
    check_block(count, 0);
    std::vector<Tensor>& inputs = all().inputs;
    const Emptied after(inputs);
    for (int32_t i = 0; i < count; ++i) inputs.push_back(tensor_at(block_ints()[i]));
    check(!all().recording, ErrorCode::kState, "a program cannot run while a step is recorded");
    if (!program.applies() || !program.accepts(inputs)) return kMissing;
    const Generator before = default_generator();
    const auto count_of_results = static_cast<int32_t>(program.output_count());
    check_block(count_of_results, count_of_results * 8);
    std::vector<Tensor> results;
    try {
      program.perform(inputs, log_step);
      // Most results are a loss that nobody looks at: no tensor is made of one number until somebody asks for it.
      for (int32_t i = 0; i < count_of_results; ++i) {
        const float* single = program.single(static_cast<size_t>(i));
        block_ints()[i] = kNumber;
        if (single)
          block_numbers(count_of_results)[i] = *single;
        else
          block_ints()[i] = static_cast<int32_t>(results.size()), results.push_back(program.output(static_cast<size_t>(i)));
      }
    } catch (...) {
      if (!program.changed_anything()) default_generator() = before;
      throw;
    }
    Programs& known = all();
    known.last_run = id;
    if (known.runs.size() < static_cast<size_t>(id)) known.runs.resize(static_cast<size_t>(id));
    ++known.runs[static_cast<size_t>(id - 1)];
    for (int32_t i = 0; i < count_of_results; ++i)
      if (int32_t& handle = block_ints()[i]; handle != kNumber) handle = add_handle(std::move(results[static_cast<size_t>(handle)]));
    return count_of_results;
  });
}

int32_t gb_program_changed(int32_t program) {
  return guarded([&] { return all().programs.at(program, "program").changed_anything() ? 1 : 0; });
}

int32_t gb_program_timed(int32_t program, int32_t timed) {
  return guarded([&] {
    all().programs.at(program, "program").set_timed(timed != 0);
    return 0;
  });
}

int32_t gb_program_explain(int32_t id) {
  return guarded([&] {
    const Program& program = all().programs.at(id, "program");
    last_text() = program.explain();
    block_numbers(0)[0] = static_cast<double>(program.plan().arena_bytes);
    block_numbers(0)[1] = static_cast<double>(program.plan().largest_live_bytes);
    return 0;
  });
}

}  // extern "C"
