#include "kernels/threads.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/clock.h"
#include "base/error.h"

#ifndef GRADBOOK_THREADS
#define GRADBOOK_THREADS 0
#endif

#if GRADBOOK_THREADS
#include <pthread.h>

#include <atomic>
#include <cstdint>
#endif

namespace gradbook::kernels {
namespace {

volatile int32_t* stop_flag = nullptr;

bool asked_to_stop(Stoppable stoppable) { return stoppable == Stoppable::kYes && stop_flag && *stop_flag == 1; }

[[noreturn]] void throw_stop() {
  *stop_flag = 0;
  fail(ErrorCode::kInterrupted, "stopped");
}

void run_here(Index blocks, detail::BlockFunction call, void* body, Stoppable stoppable) {
  for (Index block = 0; block < blocks; ++block) {
    if (asked_to_stop(stoppable)) [[unlikely]]
      throw_stop();
    call(body, block);
  }
}

}  // namespace

void set_interrupt_flag(volatile int32_t* flag) { stop_flag = flag; }

#if GRADBOOK_THREADS

namespace {

// Sleeping on a word of memory until it differs from `seen`. The wasm instructions are used directly because the library's
// atomic wait polls with a timer there.
#if defined(__wasm__)
void sleep_while(std::atomic<int32_t>& word, int32_t seen) { __builtin_wasm_memory_atomic_wait32(reinterpret_cast<int32_t*>(&word), seen, -1); }
void wake_all(std::atomic<int32_t>& word) { __builtin_wasm_memory_atomic_notify(reinterpret_cast<int32_t*>(&word), ~0u); }
#else
void sleep_while(std::atomic<int32_t>& word, int32_t seen) { word.wait(seen); }
void wake_all(std::atomic<int32_t>& word) { word.notify_all(); }
#endif

constexpr int kMostThreads = 64;

// One job at a time. Invariants:
// 1. The fields of the job change only while `open` is 0 and `inside` is 0 (or holds threads that will see `open` == 0 and leave).
// 2. A worker reads the fields only between ++inside and --inside, after it saw open == the generation it woke up for.
// 3. The caller takes blocks like any worker, and everybody goes on with the others' blocks when their own are done, so a thread
//    that starts late or sleeps is never waited for.
struct Pool {
  // Blocks of one thread, in its own line of the cache. From kernel to kernel a thread works on the same part of a batch, which
  // then lies in its cache already.
  struct alignas(64) Share {
    std::atomic<Index> next{0};
    Index end = 0;
  };
  Share shares[kMostThreads];

  std::atomic<int32_t> generation{0}, open{0}, inside{0}, sleepers{0}, caller_sleeps{0};
  std::atomic<int32_t> helpers{0};  // workers that may take part
  std::atomic<bool> cancelled{false};
  std::exception_ptr failure;
  std::atomic<bool> failed{false};

  int sharers = 0;
  detail::BlockFunction call = nullptr;
  void* body = nullptr;
  Stoppable stoppable = Stoppable::kYes;

  int started = 0;

  // Touched by the caller alone.
  double balance = 0;  // milliseconds that helpers have saved of late, less those that they were waited for; within bounds
  int alone = 0;       // jobs that the caller still does alone
  int next_alone = 0;
};

// Never destroyed: its threads may outlive static objects.
Pool& pool() {
  static Pool* pool = new Pool;
  return *pool;
}

thread_local bool inside_block = false;

// Waking a sleeping thread costs about as much as so many operations take; one that is awake has seen the work after half a
// microsecond.
constexpr double kWorthWaking = 1e5, kWorthSharing = 3e4;

// Waking a thread takes 50 microseconds and more, as long as a kernel of a small model: a helper stays awake for about 0.4
// milliseconds, longer than the pause between two kernels of a training step.
constexpr int kWorkerPolls = 400'000;
constexpr int kCallerPolls = 200'000;

// A helper whose core is taken by somebody else holds a block for milliseconds, and the caller waits for it. So the caller keeps
// accounts, and when helpers cost more than they save they are left out: for some training steps first, and for twice as many
// as before each time that it happens again before they have paid; once they have, half of that is forgotten.
constexpr int kFirstAlone = 256, kMostAlone = 8192;
constexpr double kMostLostMs = 4, kMostSavedMs = 4;
constexpr double kMsPerOperation = 2.5e-8;  // of one thread, when it is quick: what is saved is not overestimated
constexpr double kPolledMs = 0.2;           // that the caller polls before it sleeps
constexpr double kLossCounts = 1.5;         // helpers that poll take time from the caller as well when they share its core

// `work` was shared among `sharers` threads, and the caller slept for `slept_ms` at its end.
void settle(Pool& p, double work, double of_one_block, double slept_ms) {
  const double saved = work * (1 - 1.0 / p.sharers) * kMsPerOperation;
  // The last block of a helper may be one that it began right before the caller ended: nothing is wrong then.
  const double lost = slept_ms > 0 ? std::max(0.0, slept_ms + kPolledMs - 4 * of_one_block * kMsPerOperation) : 0;
  const double before = std::exchange(p.balance, std::min(p.balance + saved - kLossCounts * lost, kMostSavedMs));
  if (before < kMostSavedMs && p.balance == kMostSavedMs) p.next_alone /= 2;
  if (p.balance > -kMostLostMs) return;
  p.balance = -kMostLostMs / 2;
  p.next_alone = std::clamp(p.next_alone, kFirstAlone, kMostAlone);
  p.alone = p.next_alone;
  p.next_alone *= 2;
}

// False: the rest is not wanted.
bool take_share(Pool& p, Pool::Share& share) {
  for (;;) {
    if (share.next.load(std::memory_order_relaxed) >= share.end) return true;
    const Index block = share.next.fetch_add(1, std::memory_order_relaxed);
    if (block >= share.end) return true;
    if (asked_to_stop(p.stoppable)) [[unlikely]]
      p.cancelled.store(true);
    if (p.cancelled.load(std::memory_order_relaxed)) [[unlikely]]
      return false;
    try {
      p.call(p.body, block);
    } catch (...) {
      if (!p.failed.exchange(true)) p.failure = std::current_exception();
      p.cancelled.store(true);
    }
  }
}

void take_blocks(Pool& p, int me) {
  inside_block = true;
  for (int turn = 0; turn < p.sharers; ++turn)
    if (!take_share(p, p.shares[(me + turn) % p.sharers])) break;
  inside_block = false;
}

void worker(int number) {
  Pool& p = pool();
  int32_t seen = 0;
  for (;;) {
    int32_t now = p.generation.load();
    for (int poll = 0; now == seen && poll < kWorkerPolls; ++poll) now = p.generation.load(std::memory_order_acquire);
    if (now == seen) {
      p.sleepers.fetch_add(1);
      sleep_while(p.generation, seen);
      p.sleepers.fetch_sub(1);
      continue;
    }
    seen = now;
    if (number >= p.helpers.load()) continue;
    p.inside.fetch_add(1);
    if (p.open.load() == now) take_blocks(p, number + 1);
    if (p.inside.fetch_sub(1) == 1 && p.caller_sleeps.load()) wake_all(p.inside);
  }
}

}  // namespace

int thread_count() { return pool().helpers.load(std::memory_order_relaxed) + 1; }

int set_thread_count(int count) {
  Pool& p = pool();
  const int helpers = std::clamp(count, 1, kMostThreads) - 1;
  for (; p.started < helpers; ++p.started) {
    // Not std::thread: it throws std::system_error, whose words bring printf into the page.
    pthread_t thread;
    const auto start = [](void* number) -> void* {
      worker(static_cast<int>(reinterpret_cast<intptr_t>(number)));
      return nullptr;
    };
    if (pthread_create(&thread, nullptr, start, reinterpret_cast<void*>(static_cast<intptr_t>(p.started))) != 0)
      break;  // the system gives no more threads: work with those that are there
    pthread_detach(thread);
  }
  p.helpers.store(std::min(helpers, p.started));
  p.balance = p.alone = 0;
  return thread_count();
}

void detail::run_blocks(Index blocks, double work, BlockFunction call, void* body, Stoppable stoppable) {
  Pool& p = pool();
  if (blocks <= 1 || work < kWorthSharing || inside_block || p.helpers.load(std::memory_order_relaxed) == 0 ||
      (work < kWorthWaking && p.sleepers.load(std::memory_order_relaxed) > 0))
    return run_here(blocks, call, body, stoppable);
  if (p.alone > 0) {
    --p.alone;
    return run_here(blocks, call, body, stoppable);
  }

  p.sharers = p.helpers.load() + 1;
  for (int sharer = 0; sharer < p.sharers; ++sharer) {
    p.shares[sharer].next.store(blocks * sharer / p.sharers, std::memory_order_relaxed);
    p.shares[sharer].end = blocks * (sharer + 1) / p.sharers;
  }
  p.call = call;
  p.body = body;
  p.stoppable = stoppable;
  p.cancelled.store(false);
  p.failed.store(false);
  int32_t generation = p.generation.load() + 1;
  if (generation == 0) generation = 1;  // 0 means closed
  p.open.store(generation);
  p.generation.store(generation);
  if (p.sleepers.load() > 0) wake_all(p.generation);

  take_blocks(p, 0);

  p.open.store(0);
  for (int poll = 0; p.inside.load() != 0 && poll < kCallerPolls; ++poll) {
  }
  double slept = 0;
  if (p.inside.load() != 0) {
    const double start = engine_time_ms();
    p.caller_sleeps.store(1);
    for (int32_t busy = p.inside.load(); busy != 0; busy = p.inside.load()) sleep_while(p.inside, busy);
    p.caller_sleeps.store(0);
    slept = engine_time_ms() - start;
  }
  settle(p, work, work / static_cast<double>(blocks), slept);
  if (p.failed.load()) std::rethrow_exception(std::exchange(p.failure, nullptr));
  if (p.cancelled.load()) throw_stop();
}

#else  // no threads in this build

int thread_count() { return 1; }
int set_thread_count(int) { return 1; }
void detail::run_blocks(Index blocks, double, BlockFunction call, void* body, Stoppable stoppable) { run_here(blocks, call, body, stoppable); }

#endif

}  // namespace gradbook::kernels
