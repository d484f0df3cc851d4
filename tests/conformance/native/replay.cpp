// engine_replay FILE: asks this build of the engine what the API asked of another (record.ts), and compares every answer:
// handles and counts exactly, values within the bound of their sample. Prints a line for each sample that differs, then
// "N samples, N values, N differ"; exits with 1 when one differs.
//
// The file: names of the functions in one line, then records, little-endian:
//   0 call    u8 function, u8 count, f64 arguments[count], f64 result, u32 size, the first bytes of the block
//   1 write   i32 handle, u32 size, bytes: the values of a new tensor
//   2 read    i32 handle, u8 dtype, u32 count, values
//   3 sample  u32 size, f64 bound of float32 values, name
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bind/exports.h"
#include "tensor/dtype.h"

namespace {

using gradbook::DType;

template <class Result, class... Parameters, size_t... I>
double call_with(Result (*function)(Parameters...), const double* arguments, std::index_sequence<I...>) {
  return static_cast<double>(function(static_cast<Parameters>(arguments[I])...));
}
template <class Result, class... Parameters>
double call(Result (*function)(Parameters...), const std::vector<double>& arguments) {
  if (arguments.size() != sizeof...(Parameters)) std::fprintf(stderr, "a recorded call has %zu arguments, not %zu\n", arguments.size(), sizeof...(Parameters)), std::exit(2);
  return call_with(function, arguments.data(), std::index_sequence_for<Parameters...>());
}

using Function = double (*)(const std::vector<double>&);
#define EXPORTED(name) \
  { #name, [](const std::vector<double>& arguments) { return call(&name, arguments); } }

const std::map<std::string_view, Function> kFunctions = {
    EXPORTED(gb_create), EXPORTED(gb_single), EXPORTED(gb_info), EXPORTED(gb_release), EXPORTED(gb_share), EXPORTED(gb_detach), EXPORTED(gb_copy_into),
    EXPORTED(gb_seed), EXPORTED(gb_random_state), EXPORTED(gb_batch), EXPORTED(gb_run), EXPORTED(gb_set_requires_grad), EXPORTED(gb_backward),
    EXPORTED(gb_gradients), EXPORTED(gb_grad), EXPORTED(gb_set_grad), EXPORTED(gb_grad_mode), EXPORTED(gb_retain_grad),
    EXPORTED(gb_clip_norm), EXPORTED(gb_clip_value), EXPORTED(gb_initialize), EXPORTED(gb_optimizer_create), EXPORTED(gb_optimizer_step),
    EXPORTED(gb_optimizer_zero_grad), EXPORTED(gb_optimizer_set), EXPORTED(gb_optimizer_get), EXPORTED(gb_optimizer_release),
    EXPORTED(gb_optimizer_steps),
};

class Reader {
 public:
  explicit Reader(std::string bytes) : bytes_(std::move(bytes)) {}
  bool at_end() const { return at_ >= bytes_.size(); }
  std::string line() {
    const size_t end = bytes_.find('\n', at_);
    std::string text = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }
  std::string_view bytes(size_t size) {
    if (size > bytes_.size() - at_) std::fprintf(stderr, "the record is cut off\n"), std::exit(2);
    const std::string_view part(bytes_.data() + at_, size);
    at_ += size;
    return part;
  }
  template <class T>
  T number() {
    T value;
    std::memcpy(&value, bytes(sizeof(T)).data(), sizeof(T));
    return value;
  }

 private:
  std::string bytes_;
  size_t at_ = 0;
};

class Replay {
 public:
  explicit Replay(std::string bytes) : reader_(std::move(bytes)) {}

  int run() {
    read_names();
    while (!reader_.at_end()) {
      switch (reader_.number<uint8_t>()) {
        case 0: replay_call(); break;
        case 1: write(); break;
        case 2: compare(); break;
        case 3: begin(); break;
        default: std::fprintf(stderr, "there is no such record\n"); return 2;
      }
      if (is_lost_) break;
    }
    std::printf("%d samples, %lld values, %d differ\n", samples_, values_, differing_);
    return differing_ ? 1 : 0;
  }

 private:
  void read_names() {
    const std::string line = reader_.line();
    for (size_t at = 0; at < line.size();) {
      const size_t end = std::min(line.find(' ', at), line.size());
      const auto found = kFunctions.find(std::string_view(line).substr(at, end - at));
      if (found == kFunctions.end()) std::fprintf(stderr, "%s is not replayed\n", line.substr(at, end - at).c_str()), std::exit(2);
      functions_.push_back(*found);
      at = end + 1;
    }
  }

  void begin() {
    const uint32_t size = reader_.number<uint32_t>();
    bound_ = reader_.number<double>();
    sample_ = reader_.bytes(size);
    is_reported_ = false;
    ++samples_;
  }

  void replay_call() {
    const auto [name, function] = functions_[reader_.number<uint8_t>()];
    std::vector<double> arguments(reader_.number<uint8_t>());
    for (double& argument : arguments) argument = reader_.number<double>();
    const double wanted = reader_.number<double>();
    const uint32_t size = reader_.number<uint32_t>();
    std::memcpy(gb_block(), reader_.bytes(size).data(), size);
    const double got = function(arguments);
    if (got == wanted || (std::isnan(got) && std::isnan(wanted))) return;
    // From here on no handle means what it meant.
    differ(std::string(name) + " gives " + std::to_string(got) + " instead of " + std::to_string(wanted) + " " + std::string(gb_error(), static_cast<size_t>(gb_error_size())));
    is_lost_ = true;
  }

  void write() {
    const int32_t handle = reader_.number<int32_t>();
    const uint32_t size = reader_.number<uint32_t>();
    std::memcpy(gb_data(handle), reader_.bytes(size).data(), size);
  }

  void compare() {
    const int32_t handle = reader_.number<int32_t>();
    const auto dtype = static_cast<DType>(reader_.number<uint8_t>());
    const uint32_t count = reader_.number<uint32_t>();
    const size_t size = count * static_cast<size_t>(gradbook::info(dtype).size);
    const std::string_view wanted = reader_.bytes(size);
    const char* got = gb_data(handle);
    values_ += count;
    if (dtype == DType::kFloat32) compare_values<float>(got, wanted, bound_);
    else if (dtype == DType::kFloat64) compare_values<double>(got, wanted, 1e-9);
    else if (std::memcmp(got, wanted.data(), size) != 0) differ("whole numbers differ");
  }

  template <class T>
  void compare_values(const char* got_bytes, std::string_view wanted_bytes, double bound) {
    const size_t count = wanted_bytes.size() / sizeof(T);
    std::vector<T> got(count), wanted(count);
    std::memcpy(got.data(), got_bytes, wanted_bytes.size());
    std::memcpy(wanted.data(), wanted_bytes.data(), wanted_bytes.size());
    // What counts as large, as where results are compared with PyTorch's.
    double largest = 1e-3;
    for (T value : wanted)
      if (std::isfinite(value)) largest = std::max(largest, std::abs(static_cast<double>(value)));
    for (size_t i = 0; i < count; ++i) {
      const double a = static_cast<double>(got[i]), b = static_cast<double>(wanted[i]);
      if (a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= bound * largest) continue;
      differ("value " + std::to_string(i) + " is " + std::to_string(a) + " instead of " + std::to_string(b));
      return;
    }
  }

  void differ(const std::string& how) {
    if (is_reported_) return;
    is_reported_ = true;
    ++differing_;
    std::printf("%s: %s\n", sample_.c_str(), how.c_str());
  }

  Reader reader_;
  std::vector<std::pair<std::string_view, Function>> functions_;
  std::string sample_ = "before the first sample";
  double bound_ = 1e-5;
  int samples_ = 0, differing_ = 0;
  long long values_ = 0;
  bool is_reported_ = false, is_lost_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  std::ifstream file(argc == 2 ? argv[1] : "", std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "engine_replay FILE: replays a record of calls into the engine\n");
    return 2;
  }
  return Replay(std::string(std::istreambuf_iterator<char>(file), {})).run();
}
