#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "reflector_fixture.hpp"

namespace k8s::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class ReflectorResyncTest : public ReflectorTest {
 protected:
  ReflectorResyncTest() {
    options.resyncPeriod = 10s;
    source->OnList({}, "10");
  }

  /// Lets time pass once the timer sleeps, and waits until it sleeps again.
  WatchStep Pass(Clock::Duration time) {
    return Do([this, time] {
      clock->WaitForSleepers(1);
      clock->Step(time);
      clock->WaitForSleepers(1);
    });
  }
  /// How many resyncs there have been so far.
  WatchStep Expect(std::ptrdiff_t resyncs) {
    return Do([this, resyncs] {
      const auto log = store.log();
      EXPECT_EQ(std::count(log.begin(), log.end(), "resync"), resyncs);
    });
  }
};

// client-go: TestReflectorResyncChan
TEST_F(ReflectorResyncTest, ResyncsAfterThePeriodAndNotBefore) {
  source->OnWatch(
      {Pass(9s), Expect(0), Pass(1s), Expect(1), Pass(9s), Expect(1), Pass(1s), Expect(2)});
  Run();
  EXPECT_THAT(errors, IsEmpty());
  const auto log = store.log();
  clock->Step(1h);
  EXPECT_EQ(store.log(), log) << "the timer ended with the run";
}

TEST_F(ReflectorResyncTest, ANewWatchDoesNotDelayTheNextResync) {
  source->OnWatch({Pass(6s), End()});
  source->OnWatch({Expect(0), Pass(4s), Expect(1)});
  Run();
}

TEST_F(ReflectorResyncTest, ResyncsOnlyWhenAskedTo) {
  bool due = false;
  options.shouldResync = [&] { return due; };
  source->OnWatch({Pass(10s), Expect(0), Do([&] { due = true; }), Pass(10s), Expect(1)});
  Run();
}

TEST_F(ReflectorResyncTest, APeriodOfZeroNeverResyncs) {
  options.resyncPeriod = 0s;
  source->OnWatch({Do([&] { clock->Step(24h); }), Expect(0)});
  Run();
}

// client-go: TestReflectorResync
TEST_F(ReflectorResyncTest, AResyncErrorEndsTheWatchAndListsAgain) {
  store.fail_resync = true;
  source->OnWatch({Do([&] {
                     clock->WaitForSleepers(1);
                     clock->Step(10s);
                   }),
                   Hang()});
  Run();
  EXPECT_THAT(Versions(source->list_calls), ElementsAre("0", "10"));
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_EQ(errors[0].message, "resync");
}

}  // namespace
}  // namespace k8s::test
