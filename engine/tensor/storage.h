// Counted blocks of memory, 64-byte aligned, with one running account of live and peak bytes.
// Freed blocks of a size are kept for the next tensor of that size: a training step asks for the same sizes again.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gradbook {

struct MemoryCount {
  int64_t live_bytes = 0;    // in blocks that tensors hold
  int64_t peak_bytes = 0;    // highest live_bytes since the start
  int64_t cached_bytes = 0;  // in freed blocks kept for reuse
  int64_t blocks = 0;        // blocks that tensors hold
};

/// The serial number that the next storage will get.
uint64_t next_storage_serial();

/// The running account of this engine instance.
const MemoryCount& memory_count();
/// Gives every kept block back to the allocator.
void release_cached_memory();
/// Live bytes above which make() throws ErrorCode::kMemory instead of asking the system. 0: no limit but the system's.
void set_memory_limit(int64_t bytes);

/// One block. Invariants: data is 64-byte aligned; at least 64 readable bytes follow the last element, so that
/// vector kernels may read (never write) past the end.
class Storage {
 public:
  /// Throws Error(kMemory) with the numbers when the block cannot be had. Contents are undefined.
  explicit Storage(size_t byte_count);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  void* data() const { return data_; }
  size_t byte_count() const { return byte_count_; }
  /// Counts changes in place; the tape compares it to notice a value that changed after it was used.
  uint32_t version = 0;
  /// Another number for every storage that ever was, in rising order.
  const uint64_t serial;
  /// Memory of a program, which its next run writes again: who hands a view of it out copies first.
  bool is_arena = false;

 private:
  void* data_;
  size_t byte_count_;
  size_t capacity_;
};

}  // namespace gradbook
