#include <k8s/cache/shared_informer.hpp>
#include <k8s/testing/fake_clock.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "informer_fixture.hpp"

namespace k8s::cache {
namespace {

using namespace std::chrono_literals;
using test::Item;
using test::Recorder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// An informer on a clock that only the test moves.
class ResyncTest : public test::InformerFixture {
 protected:
  explicit ResyncTest(Clock::Duration period = 1s)
      : ResyncTest(std::make_shared<FakeClock>(), period) {}

  // Moves the time on; returns when the resync timer has seen it and waits again.
  void Step(Clock::Duration duration) {
    ASSERT_TRUE(clock_->WaitForSleepers(1));
    clock_->Step(duration);
    ASSERT_TRUE(clock_->WaitForSleepers(1));
  }

  using FakeClock = k8s::testing::FakeClock;
  const std::shared_ptr<FakeClock> clock_;

 private:
  ResyncTest(std::shared_ptr<FakeClock> clock, Clock::Duration period)
      : InformerFixture({.resyncPeriod = period, .reflector = {.clock = clock}}), clock_(clock) {}
};

// client-go: TestListenerResyncPeriods
TEST_F(ResyncTest, EachHandlerIsResyncedAtItsOwnPeriod) {
  source_->Add({.name = "a"});
  source_->Add({.name = "b"});
  Recorder none;
  Recorder two;
  Recorder three;
  Recorder by_default;
  Register(none, {.resyncPeriod = 0s});
  Register(two, {.resyncPeriod = 2s});
  Register(three, {.resyncPeriod = 3s});
  Register(by_default);
  StartAndSync();
  for (Recorder* recorder : {&none, &two, &three, &by_default}) {
    recorder->WaitFor("initial a=");
    recorder->WaitFor("initial b=");
    recorder->Take();
  }

  for (int second = 1; second <= 6; ++second) {
    SCOPED_TRACE(second);
    Step(1s);
    Settle({&none, &two, &three, &by_default});
    const auto syncs = [&](bool due) { return due ? 2u : 0u; };
    EXPECT_THAT(Take(none), IsEmpty());
    EXPECT_EQ(Take(two).size(), syncs(second % 2 == 0));
    EXPECT_EQ(Take(three).size(), syncs(second % 3 == 0));
    EXPECT_THAT(Take(by_default), UnorderedElementsAre("sync a=", "sync b="));
  }
}

TEST_F(ResyncTest, APeriodBelowASecondCountsAsOne) {
  source_->Add({.name = "a"});
  Recorder recorder;
  Register(recorder, {.resyncPeriod = 1ms});
  StartAndSync();
  Step(999ms - 1ns);
  Settle({&recorder});
  EXPECT_THAT(Take(recorder), ElementsAre("initial a="));
  Step(1ms + 1ns);
  Settle({&recorder});
  EXPECT_THAT(Take(recorder), ElementsAre("sync a="));
}

TEST_F(ResyncTest, AHandlerThatComesLateIsResyncedAPeriodAfterItsArrival) {
  source_->Add({.name = "a"});
  Recorder first;
  Register(first);
  StartAndSync();
  Step(500ms);
  Recorder late;
  Register(late);
  Step(500ms);
  Settle({&first, &late});
  EXPECT_THAT(Take(first), ElementsAre("initial a=", "sync a="));
  EXPECT_THAT(Take(late), ElementsAre("initial a="));
  Step(1s);
  Settle({&late});
  EXPECT_THAT(Take(late), ElementsAre("sync a="));
}

// client-go: TestTransformingInformerRace
TEST_F(ResyncTest, ResyncsBesideReadersTransformNothingAgain) {
  std::atomic<int> transformed = 0;
  ASSERT_TRUE(informer_
                  .SetTransform([&](ObjectPtr<Item> item) -> Result<ObjectPtr<Item>> {
                    ++transformed;
                    auto copy = std::make_shared<Item>(*item);
                    copy->value += "!";
                    return copy;
                  })
                  .has_value());
  constexpr int kItems = 5;
  for (int i = 0; i < kItems; ++i) source_->Add({.name = std::to_string(i)});
  Recorder recorder;
  Register(recorder);
  StartAndSync();
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!done) {
        for (const auto& item : informer_.GetIndexer().List()) wrong += item->value != "!";
      }
    });
  }
  constexpr int kResyncs = 20;
  for (int resync = 1; resync <= kResyncs; ++resync) {
    Step(1s);
    for (int i = 0; i < kItems; ++i) recorder.WaitFor("sync " + std::to_string(i) + "=!", resync);
  }
  done = true;
  readers.clear();
  EXPECT_EQ(transformed, kItems);
  EXPECT_EQ(wrong, 0);
}

class LongResyncTest : public ResyncTest {
 protected:
  LongResyncTest() : ResyncTest(12h) {}
};

// client-go: TestResyncCheckPeriod
TEST_F(LongResyncTest, TheShortestPeriodBeforeTheStartIsTheInformersOwn) {
  source_->Add({.name = "a"});
  Recorder minute;
  Recorder shortest;
  Recorder late;
  Register(minute, {.resyncPeriod = 1min});
  Register(shortest, {.resyncPeriod = 55s});
  StartAndSync();
  Register(late, {.resyncPeriod = 5s});  // Too late to be more often than each 55 s.
  for (Recorder* recorder : {&minute, &shortest, &late}) {
    recorder->WaitFor("initial a=");
    recorder->Take();
  }
  Step(54s);
  Settle({&minute, &shortest, &late});
  EXPECT_THAT(Take(late), IsEmpty());
  Step(1s);
  Settle({&minute, &shortest, &late});
  EXPECT_THAT(Take(minute), IsEmpty());
  EXPECT_THAT(Take(shortest), ElementsAre("sync a="));
  EXPECT_THAT(Take(late), ElementsAre("sync a="));
  Step(55s);
  Settle({&minute, &shortest, &late});
  EXPECT_THAT(Take(minute), ElementsAre("sync a="));
  EXPECT_THAT(Take(shortest), ElementsAre("sync a="));
}

class NoResyncTest : public ResyncTest {
 protected:
  NoResyncTest() : ResyncTest(0s) {}
};

TEST_F(NoResyncTest, AnInformerMadeWithoutResyncHasNone) {
  source_->Add({.name = "a"});
  Recorder recorder;
  Register(recorder, {.resyncPeriod = 5s});
  StartAndSync();
  Settle({&recorder});
  EXPECT_EQ(clock_->Sleepers(), 0u) << "nothing waits for a resync";
  clock_->Step(1h);
  Settle({&recorder});
  EXPECT_THAT(Take(recorder), ElementsAre("initial a="));
}

}  // namespace
}  // namespace k8s::cache
