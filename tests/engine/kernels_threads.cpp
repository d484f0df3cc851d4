// parallel_for: every block once, on any thread count; exceptions and interrupts come back to the caller.
#include "kernels/threads.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "kernels/scratch.h"
#include "kernels_numbers.h"

namespace gradbook::kernels {
namespace {

constexpr double kMuchWork = 1e9;

class Threads : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_thread_count(GetParam()); }
  void TearDown() override { set_thread_count(1); }
};

TEST_P(Threads, EveryBlockRunsOnce) {
  for (int round = 0; round < 2000; ++round) {
    std::vector<int> count(37, 0);
    parallel_for(37, kMuchWork, [&](Index block) { ++count[static_cast<size_t>(block)]; });
    ASSERT_EQ(count, std::vector<int>(37, 1)) << "round " << round;
  }
}

TEST_P(Threads, RangesCoverTheWholeCount) {
  for (Index count : {0, 1, 9, 10, 11, 100}) {
    std::vector<int> seen(static_cast<size_t>(count), 0);
    parallel_ranges(count, 10, kMuchWork, [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) ++seen[static_cast<size_t>(i)];
    });
    EXPECT_EQ(seen, std::vector<int>(static_cast<size_t>(count), 1));
  }
}

TEST_P(Threads, NestedWorkRunsInsideItsBlock) {
  std::atomic<int> total{0};
  parallel_for(8, kMuchWork, [&](Index) { parallel_for(8, kMuchWork, [&](Index) { ++total; }); });
  EXPECT_EQ(total, 64);
}

TEST_P(Threads, AnExceptionOfABlockReachesTheCaller) {
  for (int round = 0; round < 50; ++round) {
    try {
      parallel_for(64, kMuchWork, [&](Index block) {
        if (block == 13) fail(ErrorCode::kValue, "block thirteen");
      });
      FAIL() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "block thirteen");
    }
  }
}

TEST_P(Threads, TheInterruptFlagStopsStoppableWorkAndIsLowered) {
  volatile int32_t flag = 0;
  set_interrupt_flag(&flag);
  std::atomic<int> done{0};
  const auto body = [&](Index block) {
    ++done;
    if (block == 0) flag = 1;
  };
  EXPECT_THROW(parallel_for(100000, kMuchWork, body), Error);
  EXPECT_LT(done, 100000);
  EXPECT_EQ(flag, 0);
  done = 0;
  parallel_for(1000, kMuchWork, body, Stoppable::kNo);
  EXPECT_EQ(done, 1000);
  set_interrupt_flag(nullptr);
}

TEST_P(Threads, ScratchBlocksDoNotOverlap) {
  parallel_for(64, kMuchWork, [](Index block) {
    const Scratch first(1000), second(200000);
    const Scratch third(10);
    for (Index i = 0; i < 1000; ++i) first.data()[i] = static_cast<float>(block);
    for (Index i = 0; i < 200000; ++i) second.data()[i] = -1;
    for (Index i = 0; i < 10; ++i) third.data()[i] = -2;
    for (Index i = 0; i < 1000; ++i)
      if (first.data()[i] != static_cast<float>(block)) fail(ErrorCode::kState, "overwritten");
    if (reinterpret_cast<uintptr_t>(third.data()) % 64 != 0) fail(ErrorCode::kState, "not aligned");
  });
}

// Somebody else on the helper's core: the caller would wait for blocks that stand still.
TEST(ThreadsThatComeLate, AreLeftOutForAWhileAndThenTakePartAgain) {
  if (set_thread_count(2) < 2) return;  // a build without threads
  const std::thread::id caller = std::this_thread::get_id();
  const auto blocks_elsewhere = [caller](bool late) {
    std::atomic<int> elsewhere{0};
    parallel_for(8, 1e6, [&](Index) {
      if (std::this_thread::get_id() != caller) ++elsewhere;
      // Blocks that take a while, so that the helper finds some; its own stand still when it is late.
      std::this_thread::sleep_for(std::chrono::microseconds(late && std::this_thread::get_id() != caller ? 20000 : 200));
    });
    return elsewhere.load();
  };
  int alone = 0;
  for (int job = 0; job < 2000 && alone < 100; ++job) alone = blocks_elsewhere(true) == 0 ? alone + 1 : 0;
  EXPECT_EQ(alone, 100);
  bool took_part = false;
  for (int job = 0; job < 20000 && !took_part; ++job) took_part = blocks_elsewhere(false) > 0;
  EXPECT_TRUE(took_part);
  set_thread_count(1);
}

INSTANTIATE_TEST_SUITE_P(Counts, Threads, testing::Values(1, 2, 5));

}  // namespace
}  // namespace gradbook::kernels
