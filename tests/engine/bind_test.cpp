// The exported functions, driven as TypeScript drives them: through the block, handles and error codes only.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "bind/exports.h"
#include "ops/registry.h"
#include "train/initializers.h"
#include "train/optimizers.h"

namespace gradbook {
namespace {

constexpr int32_t kNone = -1, kNumber = -2, kMissing = -2;
int32_t failure(ErrorCode code) { return -100 - static_cast<int32_t>(code); }
std::string message() { return {gb_error(), static_cast<size_t>(gb_error_size())}; }
int32_t* ints() { return reinterpret_cast<int32_t*>(gb_block()); }
double* numbers(size_t after_ints = 0) { return reinterpret_cast<double*>(gb_block() + (after_ints * 4 + 7) / 8 * 8); }
double left_out() {
  double value;
  std::memset(&value, 0xFF, sizeof value);
  return value;
}

int number_of(std::string_view op) {
  for (int i = 0; i < op_count(); ++i)
    if (op_at(i).name == op) return i;
  ADD_FAILURE() << "no op " << op;
  return -1;
}
template <class Table>
int32_t row_of(const Table& table, std::string_view name) {
  for (size_t i = 0; i < table.size(); ++i)
    if (table[i].name == name) return static_cast<int32_t>(i);
  ADD_FAILURE() << "no row " << name;
  return -1;
}

int32_t create(const std::vector<int32_t>& sizes, const std::vector<float>& values, bool requires_grad = false) {
  std::copy(sizes.begin(), sizes.end(), ints());
  const int32_t handle = gb_create(0, static_cast<int32_t>(sizes.size()));
  EXPECT_GT(handle, 0) << message();
  std::memcpy(gb_data(handle), values.data(), values.size() * sizeof(float));
  if (requires_grad) {
    EXPECT_EQ(gb_set_requires_grad(handle, 1), 0);
  }
  return handle;
}

int32_t run_op(std::string_view op, const std::vector<int32_t>& handles, const std::vector<double>& values = {}) {
  std::copy(handles.begin(), handles.end(), ints());
  std::copy(values.begin(), values.end(), numbers(handles.size()));
  return gb_run(number_of(op), static_cast<int32_t>(handles.size()), static_cast<int32_t>(values.size() * 8));
}

std::vector<float> read(int32_t handle) {
  EXPECT_EQ(gb_info(handle), 0) << message();
  std::vector<float> values(static_cast<size_t>(ints()[4]));
  const char* data = gb_data(handle);
  std::memcpy(values.data(), data, values.size() * sizeof(float));
  return values;
}

struct Account {
  double bytes, blocks, handles, records;
  bool operator==(const Account&) const = default;
};
Account account() {
  gb_memory();
  return {numbers()[0], numbers()[2], numbers()[3], numbers()[4]};
}

TEST(Bind, ATensorIsCreatedReadSharedAndReleased) {
  const Account before = account();
  const int32_t a = create({2, 3}, {1, 2, 3, 4, 5, 6});
  ASSERT_EQ(gb_info(a), 0);
  EXPECT_EQ(std::vector<int32_t>(ints(), ints() + 7), (std::vector<int32_t>{0, 2, 0, 1, 6, 2, 3}));
  const int32_t b = gb_share(a);
  EXPECT_NE(a, b);
  EXPECT_EQ(gb_release(a), 0);
  EXPECT_EQ(read(b), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(gb_release(b), 0);
  EXPECT_EQ(account(), before);
}

TEST(Bind, ANewTensorIsZeroAndMayBeEmptyOrAScalar) {
  ints()[0] = 4;
  const int32_t row = gb_create(0, 1), scalar = gb_create(1, 0);
  EXPECT_EQ(read(row), (std::vector<float>{0, 0, 0, 0}));
  ASSERT_EQ(gb_info(scalar), 0);
  EXPECT_EQ(ints()[0], 1);
  EXPECT_EQ(ints()[4], 1);
  ints()[0] = 0;
  const int32_t empty = gb_create(2, 1);
  EXPECT_NE(gb_data(empty), nullptr);
  for (int32_t handle : {row, scalar, empty}) gb_release(handle);
}

TEST(Bind, AReleasedHandleIsRefusedEvenWhenItsPlaceIsUsedAgain) {
  const int32_t first = create({1}, {1});
  gb_release(first);
  EXPECT_EQ(gb_release(first), kMissing);
  EXPECT_EQ(gb_info(first), failure(ErrorCode::kState));
  EXPECT_NE(message().find("after it was freed"), std::string::npos) << message();
  std::vector<int32_t> many;
  for (int i = 0; i < 5000; ++i) many.push_back(create({1}, {2}));
  for (int32_t handle : many) EXPECT_NE(handle, first);
  EXPECT_EQ(gb_info(first), failure(ErrorCode::kState));
  for (int32_t handle : many) gb_release(handle);
  for (int32_t wrong : {0, -1, -2, -77, 123456789, 2147483647}) {
    EXPECT_EQ(gb_info(wrong), failure(ErrorCode::kState)) << wrong;
    EXPECT_EQ(gb_data(wrong), nullptr);
    EXPECT_EQ(gb_release(wrong), kMissing);
  }
}

TEST(Bind, AnOpRunsWithTensorsNumbersAndAttributes) {
  const int32_t a = create({2, 2}, {1, 2, 3, 4});
  const int32_t sum = run_op("add", {a, a}), more = run_op("add", {a, kNumber}, {10}), less = run_op("sub", {kNumber, a}, {10});
  EXPECT_EQ(read(sum), (std::vector<float>{2, 4, 6, 8}));
  EXPECT_EQ(read(more), (std::vector<float>{11, 12, 13, 14}));
  EXPECT_EQ(read(less), (std::vector<float>{9, 8, 7, 6}));
  const int32_t all = run_op("sum", {a}), rows = run_op("sum", {a}, {1, 1}), kept = run_op("sum", {a}, {left_out(), 1});
  EXPECT_EQ(read(all), (std::vector<float>{10}));
  EXPECT_EQ(read(rows), (std::vector<float>{3, 7}));
  ASSERT_EQ(gb_info(kept), 0);
  EXPECT_EQ(ints()[1], 2) << "keepDims";
  for (int32_t handle : {a, sum, more, less, all, rows, kept}) EXPECT_EQ(gb_release(handle), 0);
}

TEST(Bind, ANaNIsAValueAndNotAnAttributeLeftOut) {
  const int32_t a = create({1}, {1});
  const int32_t padded = run_op("pad", {a}, {2, 1, 0, left_out(), std::nan("")});
  ASSERT_GT(padded, 0) << message();
  EXPECT_TRUE(std::isnan(read(padded)[0]));
  const int32_t plain = run_op("pad", {a}, {2, 1, 0, left_out(), left_out()});
  EXPECT_EQ(read(plain), (std::vector<float>{0, 1}));
  for (int32_t handle : {a, padded, plain}) gb_release(handle);
}

TEST(Bind, AViewIsReadRowByRowAndDoesNotMoveTheOriginal) {
  const int32_t a = create({2, 3}, {1, 2, 3, 4, 5, 6}), t = run_op("transpose", {a}, {0, 1});
  ASSERT_GT(t, 0) << message();
  EXPECT_EQ(read(t), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(read(a), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  gb_release(a);
  gb_release(t);
}

TEST(Bind, BackwardBringsGradientsToLeaves) {
  const Account before = account();
  const int32_t x = create({3}, {1, 2, 3}, true), square = run_op("mul", {x, x}), loss = run_op("sum", {square});
  EXPECT_EQ(gb_grad(x), kMissing);
  ASSERT_EQ(gb_backward(loss, kNone, 0), 0) << message();
  const int32_t grad = gb_grad(x);
  EXPECT_EQ(read(grad), (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(gb_backward(loss, kNone, 0), failure(ErrorCode::kState)) << "its records were let go";
  EXPECT_EQ(gb_set_grad(x, kNone), 0);
  EXPECT_EQ(gb_grad(x), kMissing);
  const int32_t wrong = create({2}, {1, 1});
  EXPECT_EQ(gb_set_grad(x, wrong), failure(ErrorCode::kShape));
  for (int32_t handle : {x, square, loss, grad, wrong}) gb_release(handle);
  EXPECT_EQ(account(), before);
}

TEST(Bind, GradientsOfChosenTensorsCanBeDifferentiatedAgain) {
  const Account before = account();
  const int32_t x = create({2}, {2, 3}, true), other = create({1}, {1}, true), square = run_op("mul", {x, x}), cube = run_op("mul", {square, x}), y = run_op("sum", {cube});
  ints()[0] = x;
  ints()[1] = other;
  ASSERT_EQ(gb_gradients(y, 2, kNone, 3), 0) << message();
  const int32_t first = ints()[0];
  EXPECT_EQ(ints()[1], kMissing);
  EXPECT_EQ(read(first), (std::vector<float>{12, 27}));
  const int32_t total = run_op("sum", {first});
  ints()[0] = x;
  ASSERT_EQ(gb_gradients(total, 1, kNone, 0), 0) << message();
  const int32_t second = ints()[0];
  EXPECT_EQ(read(second), (std::vector<float>{12, 18}));
  EXPECT_EQ(gb_grad(x), kMissing) << "grad is left alone";
  for (int32_t handle : {x, other, square, cube, y, first, total, second}) gb_release(handle);
  EXPECT_EQ(account(), before);
}

TEST(Bind, NothingIsRecordedWhileGradientsAreOff) {
  const int32_t x = create({1}, {1}, true);
  EXPECT_EQ(gb_grad_mode(0), 1);
  const int32_t y = run_op("mul", {x, x});
  EXPECT_EQ(gb_grad_mode(1), 0);
  gb_info(y);
  EXPECT_EQ(ints()[2], 0);
  const int32_t z = run_op("mul", {x, x}), off = gb_detach(z);
  gb_info(z);
  EXPECT_EQ(ints()[3], 0) << "a result is no leaf";
  EXPECT_EQ(gb_copy_into(z, x), failure(ErrorCode::kState));
  gb_info(off);
  EXPECT_EQ(ints()[2], 0);
  for (int32_t handle : {x, y, z, off}) gb_release(handle);
}

TEST(Bind, CopyIntoChangesALeafAndStaleGraphsAreNoticed) {
  const int32_t x = create({2}, {1, 2}, true), y = run_op("mul", {x, x}), loss = run_op("sum", {y}), fresh = create({2}, {5, 6}), odd = create({3}, {0, 0, 0});
  EXPECT_EQ(gb_copy_into(x, fresh), 0);
  EXPECT_EQ(read(x), (std::vector<float>{5, 6}));
  EXPECT_EQ(gb_backward(loss, kNone, 0), failure(ErrorCode::kState));
  EXPECT_NE(message().find("changed in place"), std::string::npos) << message();
  EXPECT_EQ(gb_copy_into(x, odd), failure(ErrorCode::kShape));
  for (int32_t handle : {x, y, loss, fresh, odd}) gb_release(handle);
}

TEST(Bind, AFailedCallNamesTheOpAndKeepsNoMemory) {
  const int32_t a = create({2, 3}, {1, 2, 3, 4, 5, 6}), b = create({2, 3}, {1, 2, 3, 4, 5, 6});
  const Account before = account();
  EXPECT_EQ(run_op("matmul", {a, b}), failure(ErrorCode::kShape));
  EXPECT_EQ(message().rfind("matmul: ", 0), 0u) << message();
  EXPECT_NE(message().find("[2, 3] and [2, 3]"), std::string::npos) << message();
  EXPECT_EQ(gb_error_code(), static_cast<int32_t>(ErrorCode::kShape));
  EXPECT_EQ(run_op("add", {a}), failure(ErrorCode::kValue));
  EXPECT_EQ(run_op("add", {a, b, b}), failure(ErrorCode::kValue));
  EXPECT_EQ(run_op("add", {a, 99}), failure(ErrorCode::kState));
  EXPECT_EQ(message().rfind("add: ", 0), 0u) << message();
  EXPECT_EQ(run_op("add", {a, kNumber}), failure(ErrorCode::kValue)) << "the number is missing";
  EXPECT_EQ(run_op("add", {a, b}, {1}), failure(ErrorCode::kValue)) << "one number too many";
  EXPECT_EQ(run_op("sum", {a}, {7, 0}), failure(ErrorCode::kValue)) << "a list that is longer than what was passed";
  EXPECT_EQ(run_op("sum", {a}, {-3}), failure(ErrorCode::kValue));
  EXPECT_EQ(run_op("sum", {a}, {std::nan("")}), failure(ErrorCode::kValue));
  EXPECT_EQ(run_op("sum", {a}, {1, 1e300}), failure(ErrorCode::kValue));
  EXPECT_EQ(gb_run(-1, 0, 0), failure(ErrorCode::kUnknown));
  EXPECT_EQ(gb_run(op_count(), 0, 0), failure(ErrorCode::kUnknown));
  EXPECT_EQ(gb_run(number_of("add"), 20000, 0), failure(ErrorCode::kValue));
  EXPECT_EQ(gb_run(number_of("add"), -1, 0), failure(ErrorCode::kValue));
  EXPECT_EQ(gb_run(number_of("add"), 2147483647, 2147483647), failure(ErrorCode::kValue));
  EXPECT_EQ(account(), before);
  EXPECT_EQ(gb_info(a), 0);
  EXPECT_EQ(gb_error_code(), 0) << "a good call clears the code";
  gb_release(a);
  gb_release(b);
}

TEST(Bind, BadShapesAndTypesAreRefused) {
  ints()[0] = -3;
  EXPECT_EQ(gb_create(0, 1), failure(ErrorCode::kShape));
  ints()[0] = ints()[1] = 100000;
  EXPECT_EQ(gb_create(0, 2), failure(ErrorCode::kMemory));
  EXPECT_EQ(gb_create(0, 9), failure(ErrorCode::kShape));
  EXPECT_EQ(gb_create(0, -1), failure(ErrorCode::kValue));
  EXPECT_EQ(gb_create(17, 0), failure(ErrorCode::kType));
  const int32_t whole = gb_create(2, 0);
  EXPECT_EQ(gb_set_requires_grad(whole, 1), failure(ErrorCode::kType));
  gb_release(whole);
}

TEST(Bind, OutOfMemoryIsAnErrorWithNumbersAndTheEngineGoesOn) {
  const Account before = account();
  EXPECT_EQ(gb_memory_limit(before.bytes + (1 << 20)), 0);
  ints()[0] = 1 << 20;
  EXPECT_EQ(gb_create(0, 1), failure(ErrorCode::kMemory));
  EXPECT_NE(message().find("MB"), std::string::npos) << message();
  EXPECT_EQ(gb_memory_limit(0), 0);
  ints()[0] = 1 << 20;
  const int32_t fine = gb_create(0, 1);
  EXPECT_GT(fine, 0);
  gb_release(fine);
  EXPECT_EQ(account(), before);
  EXPECT_EQ(gb_memory_limit(-1), failure(ErrorCode::kValue));
}

TEST(Bind, AStopIsAnErrorOnceAndThenTheEngineGoesOn) {
  const int32_t x = create({1}, {1});
  *gb_interrupt_flag() = 1;
  EXPECT_EQ(run_op("add", {x, x}), failure(ErrorCode::kInterrupted));
  EXPECT_EQ(*gb_interrupt_flag(), 0);
  const int32_t y = run_op("add", {x, x});
  EXPECT_GT(y, 0);
  gb_release(x);
  gb_release(y);
}

TEST(Bind, TheRandomStreamCanBeSavedAndSetBack) {
  EXPECT_EQ(gb_seed(7, 1), 0);
  const int32_t w = create({4, 4}, std::vector<float>(16, 0));
  const int32_t normal = row_of(initializer_table(), "normal");
  auto fill = [&] {
    numbers()[0] = 0;
    numbers()[1] = left_out();
    EXPECT_EQ(gb_initialize(normal, w), 0) << message();
    return read(w);
  };
  ASSERT_EQ(gb_random_state(0), 0);
  const std::vector<int32_t> state(ints(), ints() + 4);
  EXPECT_EQ(state, (std::vector<int32_t>{7, 1, 0, 0}));
  const std::vector<float> first = fill(), second = fill();
  EXPECT_NE(first, second);
  std::copy(state.begin(), state.end(), ints());
  EXPECT_EQ(gb_random_state(1), 0);
  EXPECT_EQ(fill(), first);
  numbers()[0] = 0;
  numbers()[1] = -5;
  EXPECT_EQ(gb_initialize(normal, w), failure(ErrorCode::kValue));
  EXPECT_EQ(read(w), first);
  EXPECT_EQ(gb_initialize(99, w), failure(ErrorCode::kUnknown));
  gb_release(w);
}

int32_t create_optimizer(std::string_view name, const std::vector<int32_t>& parameters, std::vector<double> values = {}) {
  const int32_t row = row_of(optimizer_table(), name);
  if (values.empty()) values = default_settings(optimizer_table()[static_cast<size_t>(row)]);
  std::copy(parameters.begin(), parameters.end(), ints());
  std::copy(values.begin(), values.end(), numbers(parameters.size()));
  return gb_optimizer_create(row, static_cast<int32_t>(parameters.size()));
}

TEST(Bind, AnOptimizerTrainsTheParametersBehindTheHandles) {
  const Account before = account();
  const int32_t x = create({2}, {4, -4}, true), adam = create_optimizer("adam", {x});
  ASSERT_GT(adam, 0) << message();
  EXPECT_EQ(gb_optimizer_get(adam, 0), 1e-3);
  EXPECT_EQ(gb_optimizer_set(adam, 0, 0.1), 0);
  EXPECT_EQ(gb_optimizer_get(adam, 0), 0.1);
  EXPECT_EQ(gb_optimizer_set(adam, 0, -0.1), failure(ErrorCode::kValue));
  EXPECT_TRUE(std::isnan(gb_optimizer_get(adam, 50)));
  EXPECT_NE(gb_error_code(), 0);
  EXPECT_EQ(gb_optimizer_state(adam, 0, 0), kMissing);
  for (int step = 0; step < 200; ++step) {
    const int32_t y = run_op("mul", {x, x}), loss = run_op("sum", {y});
    ASSERT_EQ(gb_optimizer_zero_grad(adam), 0);
    ASSERT_EQ(gb_backward(loss, kNone, 0), 0) << message();
    ASSERT_EQ(gb_optimizer_step(adam), 0) << message();
    gb_release(y);
    gb_release(loss);
  }
  EXPECT_LT(std::abs(read(x)[0]), 0.1f);
  EXPECT_EQ(gb_optimizer_steps(adam, 0, -1), 200);
  EXPECT_EQ(gb_optimizer_steps(adam, 0, 3), 3);
  const int32_t state = gb_optimizer_state(adam, 0, 1), ones = create({2}, {1, 1});
  EXPECT_EQ(gb_optimizer_state_set(adam, 0, 1, ones), 0);
  const int32_t replaced = gb_optimizer_state(adam, 0, 1);
  EXPECT_EQ(read(replaced), (std::vector<float>{1, 1}));
  EXPECT_EQ(gb_optimizer_state(adam, 0, 9), failure(ErrorCode::kValue));
  EXPECT_EQ(gb_optimizer_release(adam), 0);
  EXPECT_EQ(gb_optimizer_release(adam), failure(ErrorCode::kState));
  EXPECT_EQ(gb_optimizer_step(adam), failure(ErrorCode::kState));
  EXPECT_EQ(gb_optimizer_step(0), failure(ErrorCode::kState));
  for (int32_t handle : {x, state, ones, replaced}) gb_release(handle);
  EXPECT_EQ(account(), before);
}

TEST(Bind, AnOptimizerThatCannotBeMadeLeavesNothing) {
  const int32_t x = create({2}, {1, 2});
  const Account before = account();
  EXPECT_EQ(create_optimizer("sgd", {x}), failure(ErrorCode::kState));
  EXPECT_EQ(message().rfind("sgd: ", 0), 0u) << message();
  EXPECT_EQ(create_optimizer("sgd", {x, 7777}), failure(ErrorCode::kState));
  EXPECT_EQ(gb_optimizer_create(77, 1), failure(ErrorCode::kUnknown));
  EXPECT_EQ(account(), before);
  gb_release(x);
}

TEST(Bind, GradientsAreClippedByNormAndValue) {
  const int32_t x = create({2}, {0, 0}, true), grad = create({2}, {3, 4});
  ASSERT_EQ(gb_set_grad(x, grad), 0);
  ints()[0] = x;
  const int32_t norm = gb_clip_norm(1, 1, 2);
  ASSERT_EQ(gb_info(norm), 0);
  EXPECT_EQ(*reinterpret_cast<double*>(gb_data(norm)), 5);
  const int32_t clipped = gb_grad(x);
  EXPECT_NEAR(read(clipped)[1], 0.8, 1e-6);
  ints()[0] = x;
  EXPECT_EQ(gb_clip_value(1, 0.5), 0);
  EXPECT_EQ(read(clipped)[1], 0.5f);
  ints()[0] = x;
  EXPECT_EQ(gb_clip_norm(1, 1, 7), failure(ErrorCode::kValue));
  for (int32_t handle : {x, grad, norm, clipped}) gb_release(handle);
}

int32_t metric(std::string_view name) {
  std::memcpy(gb_block(), name.data(), name.size());
  return gb_metrics_name(static_cast<int32_t>(name.size()));
}

int32_t log_pair(double step, const std::vector<int32_t>& metrics, const std::vector<int32_t>& handles, const std::vector<double>& values) {
  std::copy(metrics.begin(), metrics.end(), ints());
  std::copy(handles.begin(), handles.end(), ints() + metrics.size());
  std::copy(values.begin(), values.end(), numbers(metrics.size() * 2));
  return gb_metrics_log(step, static_cast<int32_t>(metrics.size()));
}

TEST(Bind, MetricsTakeNumbersAndTensorsAndComeOutInBatches) {
  gb_metrics_clear();
  const int32_t loss = metric("bind loss"), rate = metric("bind rate");
  EXPECT_EQ(metric("bind loss"), loss);
  const int32_t value = create({}, {0.25f}), pair = create({2}, {1, 2});
  ASSERT_EQ(log_pair(7, {loss, rate}, {value, kNone}, {0, 0.5}), 0) << message();
  EXPECT_EQ(log_pair(8, {loss, rate}, {pair, kNone}, {0, 0.5}), failure(ErrorCode::kShape));
  EXPECT_NE(message().find("`bind loss`"), std::string::npos) << message();
  EXPECT_EQ(log_pair(8, {rate, 9999}, {kNone, kNone}, {1, 1}), failure(ErrorCode::kValue));
  EXPECT_EQ(log_pair(8, {rate, loss}, {kNone, 9999}, {1, 1}), failure(ErrorCode::kState));
  ASSERT_EQ(gb_metrics_drain(1), 1);
  EXPECT_EQ(std::vector<double>(numbers(), numbers() + 3), (std::vector<double>{7, static_cast<double>(loss), 0.25}));
  ASSERT_EQ(gb_metrics_drain(1000000), 1) << "failed calls must log nothing";
  EXPECT_EQ(std::vector<double>(numbers(), numbers() + 3), (std::vector<double>{7, static_cast<double>(rate), 0.5}));
  EXPECT_EQ(gb_metrics_drain(10), 0);
  EXPECT_EQ(gb_metrics_drain(-5), 0);
  EXPECT_EQ(gb_metrics_trouble(), 0);
  ASSERT_EQ(log_pair(9, {loss}, {kNone}, {std::nan("")}), 1) << "something waits to be told";
  EXPECT_EQ(gb_metrics_trouble(), 1);
  EXPECT_EQ(numbers()[0], 9);
  EXPECT_TRUE(std::isnan(numbers()[2]));
  EXPECT_EQ(gb_metrics_trouble(), 0) << "it is told once";
  ASSERT_EQ(log_pair(10, {loss}, {kNone}, {std::nan("")}), 1);
  EXPECT_EQ(gb_metrics_clear(), 0);
  EXPECT_EQ(gb_metrics_trouble(), 0);
  EXPECT_EQ(gb_metrics_name(0), failure(ErrorCode::kValue));
  gb_release(value);
  gb_release(pair);
}

TEST(Bind, AFullBatchOfMetricsFillsTheBlockAndNoMore) {
  gb_metrics_clear();
  const int32_t id = metric("bind flood");
  for (int i = 0; i < 5000; ++i) log_pair(i, {id}, {kNone}, {1});
  const int32_t full = gb_block_size() / (5 * 8);  // records of five numbers
  EXPECT_EQ(gb_metrics_drain(100000), full);
  int32_t rest = 0;
  for (int32_t n; (n = gb_metrics_drain(100000)) > 0;) rest += n;
  EXPECT_EQ(rest, 5000 - full);
}

TEST(Bind, AProfileCountsOpsGradientsAndOptimizerSteps) {
  const int32_t x = create({2}, {1, 2}, true), sgd = create_optimizer("sgd", {x});
  EXPECT_EQ(gb_profile(1), 0);
  for (int i = 0; i < 2; ++i) {
    const int32_t y = run_op("sum", {x});
    EXPECT_EQ(gb_backward(y, kNone, 0), 0);
    EXPECT_EQ(gb_optimizer_step(sgd), 0);
    gb_release(y);
  }
  EXPECT_EQ(gb_profile(0), 1);
  double forward = 0, backward = 0, steps = 0;
  const int32_t count = gb_profile_rows();
  for (int32_t i = 0; i < count; ++i) {
    const double* row = numbers() + 4 * i;
    if (row[0] == number_of("sum")) (row[1] ? backward : forward) += row[2];
    if (row[0] == -1) steps += row[2];
  }
  EXPECT_EQ(forward, 2);
  EXPECT_GE(backward, 2);
  EXPECT_EQ(steps, 2);
  ASSERT_EQ(gb_memory(), 0);
  EXPECT_GE(numbers()[6], 0);
  gb_optimizer_release(sgd);
  gb_release(x);
}

TEST(Bind, AnAnomalyIsAnErrorOfTheOpThatMadeIt) {
  const int32_t x = create({2}, {0, 1});
  EXPECT_EQ(gb_detect_anomaly(1), 0);
  EXPECT_EQ(run_op("log", {x}), failure(ErrorCode::kValue));
  EXPECT_EQ(message().rfind("log: gave -Infinity at [0]", 0), 0u) << message();
  EXPECT_EQ(gb_detect_anomaly(0), 1);
  const int32_t y = run_op("log", {x});
  EXPECT_GT(y, 0);
  gb_release(x);
  gb_release(y);
}

int32_t create_bytes(std::string_view bytes) {
  ints()[0] = static_cast<int32_t>(bytes.size());
  const int32_t handle = gb_create(3, 1);
  std::memcpy(gb_data(handle), bytes.data(), bytes.size());
  return handle;
}

TEST(Bind, TensorsGoIntoAFileAndComeBack) {
  const Account before = account();
  const int32_t w = create({2}, {1.5f, -2}), text = create_bytes("{\"tensors\":[[\"a \\\"b\\\"\"," + std::to_string(w) + "]],\"metadata\":{\"step\":\"7\"}}");
  const int32_t file = gb_safetensors_write(text);
  ASSERT_GT(file, 0) << message();
  ASSERT_EQ(gb_safetensors_read(file), 1) << message();
  const std::string read_back(gb_text(), static_cast<size_t>(gb_text_size()));
  const std::string start = "{\"tensors\":[[\"a \\\"b\\\"\",";
  ASSERT_EQ(read_back.rfind(start, 0), 0u) << read_back;
  EXPECT_NE(read_back.find("]],\"metadata\":{\"step\":\"7\"}}"), std::string::npos) << read_back;
  const int32_t copy = std::stoi(read_back.substr(start.size()));
  EXPECT_EQ(read(copy), (std::vector<float>{1.5f, -2}));
  for (int32_t handle : {w, text, file, copy}) EXPECT_EQ(gb_release(handle), 0);
  EXPECT_EQ(account(), before);
}

TEST(Bind, ABadFileOrDescriptionKeepsNoMemory) {
  const int32_t w = create({1}, {1}), text = create_bytes("{\"tensors\":[[\"a\",99]]}"), nonsense = create_bytes("GIF89a, not tensors"), half = create_bytes("{\"tensors\":[");
  const Account before = account();
  EXPECT_EQ(gb_safetensors_read(nonsense), failure(ErrorCode::kValue));
  EXPECT_EQ(message().rfind("safetensors: ", 0), 0u) << message();
  EXPECT_EQ(gb_safetensors_read(w), failure(ErrorCode::kType));
  EXPECT_EQ(gb_safetensors_write(text), failure(ErrorCode::kState));
  EXPECT_EQ(gb_safetensors_write(half), failure(ErrorCode::kValue));
  EXPECT_EQ(gb_safetensors_write(-1), failure(ErrorCode::kState));
  EXPECT_EQ(account(), before);
  for (int32_t handle : {w, text, nonsense, half}) gb_release(handle);
}

TEST(Bind, ThreadsAreObeyedAndTheDescriptionIsThere) {
  const int32_t used = gb_threads(1);
  EXPECT_EQ(used, 1);
  EXPECT_GE(gb_threads(2), 1);
  gb_threads(1);
  ASSERT_NE(gb_describe(), nullptr);
  const std::string_view json(gb_describe(), static_cast<size_t>(gb_describe_size()));
  EXPECT_EQ(json.front(), '{');
  EXPECT_EQ(json.back(), '}');
  EXPECT_EQ(reinterpret_cast<uintptr_t>(gb_block()) % 16, 0u);
}

}  // namespace
}  // namespace gradbook
