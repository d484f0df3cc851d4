#include "bind/border.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <deque>
#include <string>

#include "autodiff/run.h"
#include "bind/describe.h"
#include "bind/exports.h"
#include "bind/held.h"
#include "kernels/threads.h"
#include "ops/registry.h"
#include "tensor/storage.h"

namespace gradbook::border {
namespace {

// A handle is a place in the table (22 bits) and a generation (9 bits, never 0) that changes when the place is used again.
constexpr int kPlaceBits = 22;
constexpr size_t kPlaces = size_t{1} << kPlaceBits;
constexpr uint32_t kGenerations = 512;

struct Entry {
  Tensor tensor;
  uint32_t generation = 1;
  int32_t owner = 0;
};

struct HandleTable {
  std::vector<Entry> entries;
  // First released, first used again: so it takes long until an old handle would mean another tensor.
  std::deque<uint32_t> free_places;
  int count = 0;
};
// Never destroyed: the tensors would outlive what they need.
HandleTable& table() {
  static HandleTable* table = new HandleTable;
  return *table;
}

int32_t g_owner = 0;

Entry* find(int32_t handle) {
  if (handle <= 0) return nullptr;
  const size_t place = static_cast<size_t>(handle) & (kPlaces - 1);
  if (place >= table().entries.size()) return nullptr;
  Entry& entry = table().entries[place];
  return entry.generation == static_cast<uint32_t>(handle) >> kPlaceBits && entry.tensor.defined() ? &entry : nullptr;
}

alignas(16) char g_block[kBlockBytes];
constexpr size_t kMessageBytes = 4096;
char g_message[kMessageBytes];
size_t g_message_size = 0;
int32_t g_error_code = 0;

bool is_left_out(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits == ~uint64_t{0};
}

}  // namespace

// -- handles ---------------------------------------------------------------------------------------------------------

int32_t add_handle(Tensor tensor) {
  HandleTable& t = table();
  uint32_t place;
  if (t.free_places.empty()) {
    check(t.entries.size() < kPlaces, ErrorCode::kMemory, "more than ", kPlaces, " tensors are held at once; are tensors kept in a list that grows for ever?");
    place = static_cast<uint32_t>(t.entries.size());
    t.entries.emplace_back();
  } else {
    place = t.free_places.front();
    t.free_places.pop_front();
  }
  Entry& entry = t.entries[place];
  entry.tensor = std::move(tensor);
  entry.owner = g_owner;
  ++t.count;
  return static_cast<int32_t>(entry.generation << kPlaceBits | place);
}

const Tensor& tensor_at(int32_t handle) {
  const Entry* entry = find(handle);
  if (!entry) fail(ErrorCode::kState, handle > 0 ? "a tensor was used after it was freed" : "a tensor is missing", " (handle ", handle, ")");
  return entry->tensor;
}

Tensor optional_tensor_at(int32_t handle) { return handle == kNone ? Tensor() : tensor_at(handle); }

void replace_tensor(int32_t handle, Tensor tensor) {
  tensor_at(handle);
  find(handle)->tensor = std::move(tensor);
}

bool release_handle(int32_t handle) {
  Entry* entry = find(handle);
  if (!entry) return false;
  // Taken out first: dropping a tensor can drop a long chain of others.
  const Tensor last = std::move(entry->tensor);
  entry->tensor = {};
  entry->generation = entry->generation + 1 == kGenerations ? 1 : entry->generation + 1;
  --table().count;
  table().free_places.push_back(static_cast<uint32_t>(entry - table().entries.data()));
  return true;
}

int handle_count() { return table().count; }

void set_owner(int32_t owner) { g_owner = owner; }

void each_handle(const std::function<void(int32_t handle, const Tensor& tensor, int32_t owner)>& meet) {
  const std::vector<Entry>& entries = table().entries;
  for (size_t place = 0; place < entries.size(); ++place)
    if (entries[place].tensor.defined()) meet(static_cast<int32_t>(entries[place].generation << kPlaceBits | place), entries[place].tensor, entries[place].owner);
}

// -- the block -------------------------------------------------------------------------------------------------------

char* block() { return g_block; }

void check_block(int32_t int_count, int32_t number_bytes) {
  const int64_t bytes = (static_cast<int64_t>(int_count) * 4 + 7) / 8 * 8 + number_bytes;
  check(int_count >= 0 && number_bytes >= 0 && bytes <= kBlockBytes, ErrorCode::kValue, "too many arguments for one call: ", bytes, " bytes, at most ", kBlockBytes, " fit");
}

std::vector<Tensor> block_tensors(int32_t count) {
  check_block(count, 0);
  std::vector<Tensor> tensors;
  tensors.reserve(static_cast<size_t>(count));
  for (int32_t i = 0; i < count; ++i) tensors.push_back(tensor_at(block_ints()[i]));
  return tensors;
}

Attributes read_attributes(const Params& params, const double*& from, const double* end) {
  Attributes attributes;
  for (const Param& p : params) {
    if (p.is_tensor()) continue;
    if (from == end) break;
    const double first = *from++;
    if (is_left_out(first)) {
      attributes.push_back(Attribute::absent());
    } else if (p.kind == Kind::kIntegers || p.kind == Kind::kNumbers || p.kind == Kind::kText) {
      check(first >= 0 && first <= static_cast<double>(end - from), ErrorCode::kValue, "`", p.name, "`: a list of ", first, " numbers does not fit into what was passed");
      const double* const stop = from + static_cast<size_t>(first);
      attributes.push_back(Attribute(std::vector<double>(from, stop)));
      from = stop;
    } else {
      attributes.push_back(Attribute(first));
    }
  }
  return attributes;
}

std::string& last_text() {
  static std::string* text = new std::string;
  return *text;
}

// -- failures --------------------------------------------------------------------------------------------------------

void clear_error() noexcept { g_error_code = 0; }

void set_error(ErrorCode code, const char* message) noexcept {
  g_error_code = static_cast<int32_t>(code);
  g_message_size = std::min(std::strlen(message), kMessageBytes);
  // Not in the middle of a UTF-8 character.
  if (g_message_size == kMessageBytes)
    while (g_message_size > 0 && (static_cast<unsigned char>(message[g_message_size]) & 0xC0) == 0x80) --g_message_size;
  std::memcpy(g_message, message, g_message_size);
}

ErrorCode keep_current_exception() noexcept {
  ErrorCode code = ErrorCode::kUnknown;
  try {
    throw;
  } catch (const Error& error) {
    code = error.code();
    set_error(code, error.what());
  } catch (const std::bad_alloc&) {
    code = ErrorCode::kMemory;
    // In place: there may be no memory for a string.
    char text[160] = "out of memory: ";
    const auto [end, error] = std::to_chars(text + std::strlen(text), text + 40, memory_count().live_bytes >> 20);
    std::strcpy(end, " MB of tensors are live; use a smaller batch or model");
    set_error(code, text);
  } catch (const std::exception& error) {
    set_error(code, error.what());
  } catch (...) {
    set_error(code, "the engine failed in a way it does not know");
  }
  return code;
}

void start() {
  static const bool started = (register_ops(), kernels::set_interrupt_flag(interrupt_flag()), true);
  (void)started;
}

}  // namespace gradbook::border

using namespace gradbook;
using namespace gradbook::border;

namespace {

const std::string& description() {
  static const std::string text = describe_json();
  return text;
}

}  // namespace

extern "C" {

char* gb_block() { return block(); }
int32_t gb_block_size() { return kBlockBytes; }
const char* gb_error() { return g_message; }
int32_t gb_error_size() { return static_cast<int32_t>(g_message_size); }
int32_t gb_error_code() { return g_error_code; }
const char* gb_text() { return last_text().data(); }
int32_t gb_text_size() { return static_cast<int32_t>(last_text().size()); }
const char* gb_describe() {
  return guarded([]() -> const char* { return description().data(); }, [](ErrorCode) -> const char* { return nullptr; });
}
int32_t gb_describe_size() {
  return guarded([] { return static_cast<int32_t>(description().size()); });
}

}  // extern "C"
