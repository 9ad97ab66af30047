#include <k8s/cache/backoff.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "reflector_fixture.hpp"

namespace k8s::test {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;

std::vector<Clock::Duration> Take(cache::Backoff& backoff, int count) {
  std::vector<Clock::Duration> delays;
  for (int i = 0; i < count; ++i) delays.push_back(backoff.Next());
  return delays;
}

TEST(BackoffTest, DoublesFrom800MillisecondsTo30Seconds) {
  cache::Backoff backoff({}, [] { return 0.0; });
  EXPECT_THAT(Take(backoff, 8),
              ElementsAre(800ms, 1600ms, 3200ms, 6400ms, 12800ms, 25600ms, 30s, 30s));
}

TEST(BackoffTest, JitterAddsUpToTheDelayItself) {
  cache::Backoff backoff({}, [] { return 0.5; });
  EXPECT_THAT(Take(backoff, 2), ElementsAre(1200ms, 2400ms));
}

TEST(BackoffTest, DefaultRandomStaysWithinTheJitter) {
  cache::Backoff backoff({.initial = 1s, .max = 1s});
  for (const auto delay : Take(backoff, 100)) {
    EXPECT_GE(delay, 1s);
    EXPECT_LT(delay, 2s);
  }
}

TEST(BackoffTest, ResetStartsOver) {
  cache::Backoff backoff({}, [] { return 0.0; });
  Take(backoff, 5);
  backoff.Reset();
  EXPECT_EQ(backoff.Next(), 800ms);
}

class ReflectorBackoffTest : public ReflectorTest {
 protected:
  const Error failure = StatusError(500, "InternalError");
};

// client-go: TestNewReflectorWithCustomBackoff
TEST_F(ReflectorBackoffTest, HonoursACustomBackoffInOrderAndCapped) {
  options.backoff = {.initial = 10ms, .max = 100ms, .factor = 2, .jitter = 0};
  for (int i = 0; i < 6; ++i) source->OnList(failure);
  Run();
  EXPECT_THAT(clock->Sleeps(), ElementsAre(10ms, 20ms, 40ms, 80ms, 100ms, 100ms));
}

// client-go: TestListAndWatchInitConnBackoff. Differs: an outage of any length never makes the
// waits short again, only a healthy period does.
TEST_F(ReflectorBackoffTest, GrowsThroughALongOutage) {
  for (int i = 0; i < 12; ++i) source->OnList(Error{.kind = ErrorKind::kConnect});
  Run();
  EXPECT_THAT(clock->Sleeps(), ElementsAre(800ms, 1600ms, 3200ms, 6400ms, 12800ms, 25600ms, 30s,
                                           30s, 30s, 30s, 30s, 30s));
}

TEST_F(ReflectorBackoffTest, StartsOverAfterTwoHealthyMinutes) {
  source->OnList(failure);
  source->OnList(failure);
  source->OnList({}, "10");
  source->OnWatch({Do([&] { clock->Step(1min); }), End()});
  source->OnWatch({Do([&] { clock->Step(1min); }), ErrorEvent(failure)});
  Run();
  EXPECT_THAT(clock->Sleeps(), ElementsAre(800ms, 1600ms, 800ms));
}

TEST_F(ReflectorBackoffTest, DoesNotStartOverAfterAShortHealthyPeriod) {
  source->OnList(failure);
  source->OnList(failure);
  source->OnList({}, "10");
  source->OnWatch({Do([&] { clock->Step(119s); }), ErrorEvent(failure)});
  Run();
  EXPECT_THAT(clock->Sleeps(), ElementsAre(800ms, 1600ms, 3200ms));
}

// client-go's waits grow from one failure to the next even if the watch between them works: after
// some short failures each following one costs up to a minute, in which all changes are missed.
TEST_F(ReflectorBackoffTest, StartsOverAfterAnEventOfAnOpenWatch) {
  source->OnList(failure);
  source->OnList(failure);
  source->OnList({}, "10");
  source->OnWatch({Added("a", "11"), ErrorEvent(failure)});
  source->OnList(failure);
  source->OnList({}, "12");
  source->OnWatch({Bookmark("13"), ErrorEvent(StatusError(429, "TooManyRequests"))});
  Run();
  EXPECT_THAT(clock->Sleeps(), ElementsAre(800ms, 1600ms, 800ms, 1600ms, 800ms));
}

// A server that breaks off while it sends the initial state, again and again, must not be asked for
// all of it each second.
TEST_F(ReflectorBackoffTest, InitialEventsDoNotStartItOver) {
  options.useWatchList = true;
  for (int i = 0; i < 4; ++i) {
    source->OnWatch({Added("a", "11"), ErrorEvent(StatusError(429, "TooManyRequests"))});
  }
  Run();
  EXPECT_THAT(clock->Sleeps(), ElementsAre(800ms, 1600ms, 3200ms, 6400ms));
}

TEST_F(ReflectorBackoffTest, AStopEndsTheWait) {
  source->OnList(failure);
  options.watchErrorHandler = [&](const Error&) { stop.request_stop(); };
  Run();
  EXPECT_THAT(clock->Sleeps(), ElementsAre());
  EXPECT_EQ(source->list_calls.size(), 1u);
}

}  // namespace
}  // namespace k8s::test
