#include "tensor/storage.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "tensor/capacity.h"

namespace gradbook {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kReadableTail = 64;
// When more than this would wait, all of it is handed back. Handing back only what is too much would leave blocks of sizes that
// nobody asks for any more between those that are free, where no larger one fits: the memory of a page never shrinks, and it grew
// without end while many sizes came and went.
constexpr int64_t kCacheLimit = int64_t{128} << 20;

struct Pool {
  MemoryCount count;
  int64_t limit = 0;
  std::unordered_map<size_t, std::vector<void*>> free_blocks;
};
// Never destroyed: tensors with static lifetime may be freed after it would be.
Pool& pool() {
  static Pool* pool = new Pool;
  return *pool;
}

// Sizes are rounded so that similar tensors share blocks: to 64 bytes below 4 KiB, then to an eighth of the size's power of two.
size_t round_up(size_t bytes) {
  size_t step = kAlignment;
  if (bytes > 4096) {
    size_t power = 4096;
    while (power * 2 <= bytes) power *= 2;
    step = power / 8;
  }
  return (bytes + step - 1) / step * step;
}

uint64_t g_next_serial = 1;

}  // namespace

size_t block_capacity(size_t byte_count) { return round_up(byte_count + kReadableTail); }
uint64_t next_storage_serial() { return g_next_serial; }
const MemoryCount& memory_count() { return pool().count; }
void set_memory_limit(int64_t bytes) { pool().limit = bytes; }

void release_cached_memory() {
  for (auto& [size, blocks] : pool().free_blocks)
    for (void* block : blocks) std::free(block);
  pool().free_blocks.clear();
  pool().count.cached_bytes = 0;
}

Storage::Storage(size_t byte_count) : serial(g_next_serial++), byte_count_(byte_count), capacity_(block_capacity(byte_count)) {
  Pool& p = pool();
  if (p.limit && p.count.live_bytes + static_cast<int64_t>(capacity_) > p.limit)
    fail(ErrorCode::kMemory, "out of memory: ", capacity_ >> 20, " MB more would pass the limit of ", p.limit >> 20, " MB (", p.count.live_bytes >> 20, " MB live)");
  auto found = p.free_blocks.find(capacity_);
  if (found != p.free_blocks.end() && !found->second.empty()) {
    data_ = found->second.back();
    found->second.pop_back();
    p.count.cached_bytes -= static_cast<int64_t>(capacity_);
  } else {
    data_ = std::aligned_alloc(kAlignment, capacity_);
    if (!data_) {
      release_cached_memory();
      data_ = std::aligned_alloc(kAlignment, capacity_);
    }
    if (!data_)
      fail(ErrorCode::kMemory, "out of memory: ", std::max<size_t>(capacity_ >> 20, 1), " MB asked for, ", p.count.live_bytes >> 20, " MB live; use a smaller batch or model");
  }
  p.count.live_bytes += static_cast<int64_t>(capacity_);
  p.count.peak_bytes = std::max(p.count.peak_bytes, p.count.live_bytes);
  ++p.count.blocks;
}

Storage::~Storage() {
  Pool& p = pool();
  p.count.live_bytes -= static_cast<int64_t>(capacity_);
  --p.count.blocks;
  if (p.count.cached_bytes + static_cast<int64_t>(capacity_) > kCacheLimit) {
    std::free(data_);
    release_cached_memory();
    return;
  }
  p.count.cached_bytes += static_cast<int64_t>(capacity_);
  p.free_blocks[capacity_].push_back(data_);
}

}  // namespace gradbook
