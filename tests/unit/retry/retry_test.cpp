#include <gtest/gtest.h>
#include <k8s/retry/retry.hpp>

#include <chrono>
#include <memory>
#include <stop_token>
#include <vector>

namespace k8s::test {
namespace {

using std::chrono::milliseconds;

const Error kConflict{.kind = ErrorKind::kStatus, .code = 409, .reason = "Conflict"};
const Error kNotFound{.kind = ErrorKind::kStatus, .code = 404, .reason = "NotFound"};

/// Keeps the waits and passes them at once; a limit of waits stands for a stop.
class WaitClock final : public Clock {
 public:
  [[nodiscard]] TimePoint Now() const override { return {}; }
  bool SleepUntil(TimePoint deadline, std::stop_token) override {
    waits.push_back(deadline.time_since_epoch());
    return waits.size() <= limit;
  }
  std::vector<Duration> waits;
  std::size_t limit = 100;
};

class RetryTest : public ::testing::Test {
 protected:
  retry::Backoff Without(retry::Backoff backoff) {
    backoff.jitter = 0;
    backoff.clock = clock_;
    return backoff;
  }
  std::shared_ptr<WaitClock> clock_ = std::make_shared<WaitClock>();
  int calls_ = 0;
};

// client-go: TestRetryOnConflict
TEST_F(RetryTest, RepeatsConflictsUntilSuccess) {
  const auto result = retry::RetryOnConflict(Without(retry::DefaultRetry), [&]() -> Result<int> {
    if (++calls_ < 3) return kConflict;
    return 7;
  });
  EXPECT_EQ(result.value(), 7);
  EXPECT_EQ(clock_->waits, (std::vector<Clock::Duration>{milliseconds(10), milliseconds(10)}));
}

TEST_F(RetryTest, GivesUpAfterItsStepsWithTheLastError) {
  const auto result = retry::RetryOnConflict(Without(retry::DefaultBackoff), [&]() -> Result<void> {
    ++calls_;
    return kConflict;
  });
  EXPECT_TRUE(IsConflict(result.error()));
  EXPECT_EQ(calls_, 4);
  EXPECT_EQ(clock_->waits,
            (std::vector<Clock::Duration>{milliseconds(10), milliseconds(50), milliseconds(250)}));
}

TEST_F(RetryTest, RepeatsNothingElse) {
  const auto result = retry::RetryOnConflict(Without(retry::DefaultRetry), [&]() -> Result<void> {
    ++calls_;
    return kNotFound;
  });
  EXPECT_TRUE(IsNotFound(result.error()));
  EXPECT_EQ(calls_, 1);
}

TEST_F(RetryTest, RepeatsWhatTheCallerSays) {
  const auto result = retry::OnError(Without({.steps = 2}), IsNotFound, [&]() -> Result<void> {
    ++calls_;
    return kNotFound;
  });
  EXPECT_TRUE(IsNotFound(result.error()));
  EXPECT_EQ(calls_, 2);
}

TEST_F(RetryTest, AStopKeepsTheLastErrorAndIsOneWithoutAny) {
  clock_->limit = 0;
  const auto attempt = [&]() -> Result<void> {
    ++calls_;
    return kConflict;
  };
  EXPECT_TRUE(IsConflict(retry::RetryOnConflict(Without({}), attempt).error()));
  EXPECT_EQ(calls_, 1);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(retry::RetryOnConflict(Without({}), attempt, stop.get_token()).error().kind,
            ErrorKind::kCancelled);
  EXPECT_EQ(calls_, 1);
}

}  // namespace
}  // namespace k8s::test
