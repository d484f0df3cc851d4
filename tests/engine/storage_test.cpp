// Memory that tensors gave back waits for tensors of the same size, but never much of it, and none for ever.
#include "tensor/storage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace gradbook {
namespace {

constexpr int64_t kMegabyte = int64_t{1} << 20;

TEST(Storage, ABlockThatIsGivenBackServesTheNextTensorOfItsSize) {
  release_cached_memory();
  auto first = std::make_unique<Storage>(100'000);
  void* const place = first->data();
  first.reset();
  EXPECT_GT(memory_count().cached_bytes, 0);
  EXPECT_EQ(Storage(100'000).data(), place);
}

TEST(Storage, WhatWaitsStaysBoundedAndIsHandedBackAsAWholeWhenSizesChange) {
  release_cached_memory();
  int64_t most = 0;
  int emptied = 0;
  for (int round = 0; round < 40; ++round) {
    // Sizes that come once and never again.
    std::vector<std::unique_ptr<Storage>> blocks;
    for (int i = 0; i < 8; ++i) blocks.push_back(std::make_unique<Storage>(static_cast<size_t>(kMegabyte + 200'000 * (round % 7 + 9 * i))));
    for (auto& block : blocks) {
      const int64_t before = memory_count().cached_bytes;
      block.reset();
      most = std::max(most, memory_count().cached_bytes);
      if (before > 0 && memory_count().cached_bytes == 0) ++emptied;
    }
  }
  EXPECT_LE(most, 128 * kMegabyte);
  EXPECT_GT(emptied, 0) << "blocks of sizes that nobody asks for any more are held";
  release_cached_memory();
}

}  // namespace
}  // namespace gradbook
