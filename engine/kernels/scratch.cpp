#include "kernels/scratch.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#include "base/error.h"

namespace gradbook::kernels {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kFirstChunk = size_t{256} << 10;

struct Chunk {
  char* memory = nullptr;
  size_t size = 0, used = 0;
};

// More than this is handed back: one huge layer should not hold its working memory for ever.
constexpr size_t kKeepLimit = size_t{64} << 20;

// Chunks are used like one long stack; `top` is the chunk that holds the newest block. When the stack is empty again and had
// needed several chunks, the next one made is as large as all, so that a steady load ends with one chunk.
struct Stack {
  std::vector<Chunk> chunks;
  size_t top = 0, next_size = kFirstChunk;

  ~Stack() {
    for (Chunk& chunk : chunks) std::free(chunk.memory);
  }

  void add_chunk(size_t bytes) {
    Chunk chunk;
    chunk.memory = static_cast<char*>(std::aligned_alloc(kAlignment, bytes));
    if (!chunk.memory) fail(ErrorCode::kMemory, "out of memory: ", bytes >> 10, " KB of working memory cannot be had");
    chunk.size = bytes;
    chunks.push_back(chunk);
  }

  char* take(size_t bytes) {
    while (top < chunks.size() && chunks[top].size - chunks[top].used < bytes) {
      if (top + 1 == chunks.size()) break;
      ++top;
    }
    if (chunks.empty() || chunks[top].size - chunks[top].used < bytes) {
      add_chunk(std::max(bytes, next_size));
      top = chunks.size() - 1;
    }
    char* block = chunks[top].memory + chunks[top].used;
    chunks[top].used += bytes;
    return block;
  }

  void give_back(size_t bytes) {
    while (top > 0 && chunks[top].used == 0) --top;
    chunks[top].used -= bytes;
    while (top > 0 && chunks[top].used == 0) --top;
    if (top == 0 && chunks[0].used == 0 && (chunks.size() > 1 || chunks[0].size > kKeepLimit)) release();
  }

  void release() {
    size_t total = 0;
    for (Chunk& chunk : chunks) {
      total += chunk.size;
      std::free(chunk.memory);
    }
    chunks.clear();
    next_size = total <= kKeepLimit ? total : kFirstChunk;
  }
};

thread_local Stack stack;

}  // namespace

Scratch::Scratch(Index count) {
  const size_t wanted = static_cast<size_t>(count) * sizeof(float) + kAlignment;
  bytes_ = (wanted + kAlignment - 1) / kAlignment * kAlignment;
  data_ = reinterpret_cast<float*>(stack.take(bytes_));
}

Scratch::~Scratch() { stack.give_back(bytes_); }

}  // namespace gradbook::kernels
