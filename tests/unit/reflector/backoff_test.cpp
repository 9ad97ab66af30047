#include <k8s/cache/backoff.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "reflector_fixture.hpp"

namespace k8s::test {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
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

TEST(BackoffTest, WithoutAConnectionItGrowsTo5SecondsOnly) {
  cache::Backoff backoff({}, [] { return 0.5; });
  std::vector<Clock::Duration> delays;
  for (int i = 0; i < 6; ++i) delays.push_back(backoff.NextUnreachable());
  EXPECT_THAT(delays, ElementsAre(1200ms, 2400ms, 4800ms, 7500ms, 7500ms, 7500ms));
  // What follows is as if the others had not been longer either.
  EXPECT_THAT(Take(backoff, 3), ElementsAre(7500ms, 15s, 30s));
  EXPECT_EQ(backoff.NextUnreachable(), 7500ms);
  EXPECT_EQ(backoff.Next(), 45s) << "nor shorter afterwards";
}

TEST(BackoffTest, WithoutAConnectionItStaysBetweenInitialAndMax) {
  struct Row {
    cache::BackoffOptions options;
    Clock::Duration wait;
  };
  for (const Row& row :
       {Row{{.initial = 1ms, .max = 1ms}, 1ms}, Row{{.initial = 1min, .max = 1h}, 1min},
        Row{{.initial = 1min, .maxUnreachable = 0s}, 30s},
        Row{{.initial = 2s, .maxUnreachable = 0s}, 2s},
        Row{{.initial = 30s, .maxUnreachable = 1h}, 30s}}) {
    cache::Backoff backoff(row.options, [] { return 0.0; });
    backoff.NextUnreachable();
    EXPECT_EQ(backoff.NextUnreachable(), row.wait);
  }
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
  for (int i = 0; i < 12; ++i) source->OnList(failure);
  Run();
  EXPECT_THAT(clock->Sleeps(), ElementsAre(800ms, 1600ms, 3200ms, 6400ms, 12800ms, 25600ms, 30s,
                                           30s, 30s, 30s, 30s, 30s));
}

// client-go's waits grow to a minute here too.
TEST_F(ReflectorBackoffTest, IsAtMost10SecondsWithoutAConnection) {
  double random = 0.0;
  options.random = [&] { return random; };
  source->OnList({}, "10");
  for (const auto kind : {ErrorKind::kConnect, ErrorKind::kDns}) {
    for (int i = 0; i < 4; ++i) source->OnWatch(Error{.kind = kind});
  }
  source->OnWatch([&](std::stop_token) {
    random = 0.75;
    return Error{.kind = ErrorKind::kConnect};
  });
  Run();
  EXPECT_THAT(clock->Sleeps(), ElementsAre(800ms, 1600ms, 3200ms, 5s, 5s, 5s, 5s, 5s, 8750ms));
  EXPECT_THAT(source->list_calls, SizeIs(1));
}

TEST_F(ReflectorBackoffTest, OtherFailuresAfterItWaitForLonger) {
  for (int i = 0; i < 6; ++i) source->OnList(Error{.kind = ErrorKind::kConnect});
  source->OnList(Error{.kind = ErrorKind::kConfig});
  source->OnList(failure);
  source->OnList(StatusError(429, "TooManyRequests"));
  source->OnList(Error{.kind = ErrorKind::kTimeout});
  Run();
  EXPECT_THAT(clock->Sleeps(), ElementsAre(800ms, 1600ms, 3200ms, 5s, 5s, 5s, 5s, 10s, 20s, 30s));
}

// A server that was killed answers 410 when it is back. client-go waits once more for as long as
// the outage has made it.
TEST_F(ReflectorBackoffTest, AnExpiredVersionIsTheAnswerOfALivingServer) {
  const auto gone = [] { return ErrorEvent(StatusError(410, "Expired")); };
  source->OnList({}, "10");
  for (int i = 0; i < 4; ++i) source->OnWatch(Error{.kind = ErrorKind::kTimeout});
  source->OnWatch({gone()});
  source->OnList({}, "12");
  source->OnWatch({gone()});
  source->OnList({}, "13");
  Run();
  EXPECT_THAT(clock->Sleeps(), ElementsAre(800ms, 1600ms, 3200ms, 6400ms, 800ms, 1600ms))
      << "a server that knows no version for long is not asked for all of it each second";
}

TEST_F(ReflectorBackoffTest, TheServersRetryAfterWinsWhateverFailed) {
  source->OnList(Error{.kind = ErrorKind::kConnect, .retryAfter = 17s});
  Run();
  EXPECT_THAT(clock->Sleeps(), ElementsAre(17s));
}

TEST_F(ReflectorBackoffTest, StartsOverAfterTenHealthySeconds) {
  source->OnList(failure);
  source->OnList(failure);
  source->OnList({}, "10");
  source->OnWatch({Do([&] { clock->Step(5s); }), End()});
  source->OnWatch({Do([&] { clock->Step(5s); }), ErrorEvent(failure)});
  Run();
  EXPECT_THAT(clock->Sleeps(), ElementsAre(800ms, 1600ms, 800ms));
}

TEST_F(ReflectorBackoffTest, DoesNotStartOverAfterAShortHealthyPeriod) {
  source->OnList(failure);
  source->OnList(failure);
  source->OnList({}, "10");
  source->OnWatch({Do([&] { clock->Step(9s); }), ErrorEvent(failure)});
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
