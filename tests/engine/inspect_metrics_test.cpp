// The metrics ring: order, wrapping, names, and the first value that is not finite.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/error.h"
#include "inspect/metrics.h"

namespace gradbook {
namespace {

std::vector<double> drained_values(MetricRing& ring, size_t most = 100) {
  std::vector<MetricRecord> out(most);
  out.resize(ring.drain(out.data(), most));
  std::vector<double> values;
  for (const MetricRecord& r : out) values.push_back(r.value);
  return values;
}

TEST(Metrics, RecordsComeOutInTheOrderTheyWereLogged) {
  MetricRing ring(8);
  const int loss = ring.metric_id("loss"), accuracy = ring.metric_id("accuracy");
  EXPECT_EQ(ring.metric_id("loss"), loss);
  EXPECT_EQ(ring.metric_name(accuracy), "accuracy");
  ring.log(0, loss, 2.5);
  ring.log(0, accuracy, 0.5);
  ring.log(1, loss, 2.25);
  MetricRecord out[8];
  ASSERT_EQ(ring.drain(out, 8), 3u);
  EXPECT_EQ(out[1].step, 0);
  EXPECT_EQ(out[1].metric, accuracy);
  EXPECT_EQ(out[1].value, 0.5);
  EXPECT_EQ(out[2].step, 1);
  EXPECT_LE(out[0].time_ms, out[2].time_ms);
  EXPECT_EQ(ring.drain(out, 8), 0u);
}

TEST(Metrics, AFullRingDropsTheOldestAndCountsThem) {
  MetricRing ring(4);
  const int id = ring.metric_id("loss");
  for (int i = 0; i < 11; ++i) ring.log(i, id, i);
  EXPECT_EQ(ring.trouble().dropped, 7);
  EXPECT_EQ(drained_values(ring), (std::vector<double>{7, 8, 9, 10}));
}

TEST(Metrics, DrainingInBatchesWrapsAroundTheEndOfTheRing) {
  MetricRing ring(5);
  const int id = ring.metric_id("loss");
  double next = 0;
  std::vector<double> seen;
  for (int round = 0; round < 7; ++round) {
    for (int i = 0; i < 3; ++i) ring.log(0, id, next++);
    for (double v : drained_values(ring, 2)) seen.push_back(v);
    for (double v : drained_values(ring, 2)) seen.push_back(v);
  }
  ASSERT_EQ(seen.size(), 21u);
  for (size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], static_cast<double>(i));
  EXPECT_EQ(ring.trouble().dropped, 0);
}

TEST(Metrics, TheFirstValueThatIsNotFiniteIsRemembered) {
  MetricRing ring(4);
  const int loss = ring.metric_id("loss"), norm = ring.metric_id("norm");
  ring.log(1, loss, 1);
  EXPECT_FALSE(ring.trouble().found);
  ring.log(2, norm, std::numeric_limits<double>::infinity());
  ring.log(3, loss, std::nan(""));
  EXPECT_TRUE(ring.trouble().found);
  EXPECT_EQ(ring.trouble().first.step, 2);
  EXPECT_EQ(ring.trouble().first.metric, norm);
  ring.clear();
  EXPECT_FALSE(ring.trouble().found);
  EXPECT_EQ(ring.waiting(), 0u);
  EXPECT_EQ(ring.metric_id("norm"), norm);
}

TEST(Metrics, AnUnknownMetricIsAnError) {
  MetricRing ring(4);
  EXPECT_THROW(ring.log(0, 0, 1), Error);
  EXPECT_THROW(ring.metric_id(""), Error);
}

}  // namespace
}  // namespace gradbook
