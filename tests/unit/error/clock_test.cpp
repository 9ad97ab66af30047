#include <gtest/gtest.h>
#include <k8s/clock.hpp>
#include <k8s/testing/fake_clock.hpp>

#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>
#include <vector>

namespace k8s {
namespace {

using namespace std::chrono_literals;
using testing::FakeClock;

TEST(RealClockTest, SleepsUntilTheDeadline) {
  const auto clock = RealClock();
  const auto deadline = clock->Now() + 2ms;
  EXPECT_TRUE(clock->SleepUntil(deadline, {}));
  EXPECT_GE(clock->Now(), deadline);
}

TEST(RealClockTest, ADeadlineInThePastDoesNotWait) {
  EXPECT_TRUE(RealClock()->SleepUntil(RealClock()->Now() - 1h, {}));
}

TEST(RealClockTest, AStopEndsTheSleep) {
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_FALSE(RealClock()->SleepFor(24h, stop.get_token()));
}

TEST(FakeClockTest, StandsStillUntilStepped) {
  FakeClock clock;
  const auto start = clock.Now();
  EXPECT_EQ(clock.Now(), start);
  clock.Step(5s);
  EXPECT_EQ(clock.Now(), start + 5s);
}

TEST(FakeClockTest, StepWakesTheSleepersWhoseDeadlineHasCome) {
  FakeClock clock;
  std::atomic<int> awake{0};
  std::vector<std::jthread> threads;
  for (const auto wait : {1s, 2s, 3s}) {
    threads.emplace_back([&, wait] {
      EXPECT_TRUE(clock.SleepFor(wait, {}));
      ++awake;
    });
  }
  ASSERT_TRUE(clock.WaitForSleepers(3));
  clock.Step(2s);
  EXPECT_EQ(clock.Sleepers(), 1U);
  threads[0].join();
  threads[1].join();
  EXPECT_EQ(awake, 2);
  clock.Step(1s);
  threads[2].join();
  EXPECT_EQ(awake, 3);
}

TEST(FakeClockTest, ADeadlineInThePastDoesNotWait) {
  FakeClock clock;
  EXPECT_TRUE(clock.SleepFor(0s, {}));
  EXPECT_EQ(clock.Sleepers(), 0U);
}

TEST(FakeClockTest, AStopEndsTheSleep) {
  FakeClock clock;
  std::stop_source stop;
  std::jthread sleeper([&] { EXPECT_FALSE(clock.SleepFor(1h, stop.get_token())); });
  ASSERT_TRUE(clock.WaitForSleepers(1));
  stop.request_stop();
  sleeper.join();
  EXPECT_EQ(clock.Sleepers(), 0U);
}

TEST(FakeClockTest, WaitingForSleepersCanBeStopped) {
  FakeClock clock;
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_FALSE(clock.WaitForSleepers(1, stop.get_token()));
}

}  // namespace
}  // namespace k8s
