#include <k8s/cache/freshness.hpp>
#include <k8s/cache/shared_informer.hpp>
#include <k8s/testing/fake_clock.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "support/item.hpp"
#include "support/scripted_list_watch.hpp"

namespace k8s::cache {
namespace {

using namespace std::chrono_literals;
using test::Item;
using test::MakeItem;
using ::testing::SizeIs;
using ::testing::StartsWith;

const Clock::TimePoint kNow{1h};

InformerStatus Fresh(std::string resource, Clock::Duration age) {
  return {.resource = std::move(resource),
          .state = ReflectorState::kWatching,
          .synced = true,
          .lastProofOfLife = kNow - age};
}

TEST(CheckFreshnessTest, AllOfThemFreshIsOk) {
  const auto answer = CheckFreshness({Fresh("pods", 12s), Fresh("nodes", 90s)}, 90s, kNow);
  EXPECT_TRUE(answer.ok());
  EXPECT_EQ(answer.informers, 2u);
  EXPECT_EQ(answer.oldest, 90s);
  EXPECT_EQ(answer.ToString(), "ok: 2 caches, last proof of life at most 90 s ago");
  EXPECT_EQ(CheckFreshness({Fresh("pods", 0s)}, 90s, kNow).ToString(),
            "ok: 1 cache, last proof of life at most 0 s ago");
  EXPECT_TRUE(CheckFreshness({}, 90s, kNow).ok());
  EXPECT_EQ(kDefaultMaxAge, 90s);
}

TEST(CheckFreshnessTest, AnOldProofIsStaleAndSaysWhy) {
  auto pods = Fresh("pods", 91s);
  pods.lastError = Error{.kind = ErrorKind::kConnect, .message = "connection\nrefused"};
  pods.lastErrorVerb = "watch";
  auto nodes = Fresh("nodes", 100s);
  nodes.waitsForHandler = true;
  const auto answer = CheckFreshness({pods, Fresh("maps", 1s), nodes}, 90s, kNow);
  EXPECT_FALSE(answer.ok());
  ASSERT_THAT(answer.stale, SizeIs(2));
  EXPECT_EQ(answer.stale[0].status.resource, "pods");
  EXPECT_EQ(answer.stale[0].age, 91s);
  EXPECT_EQ(answer.ToString(),
            "not fresh: pods: watching, last proof of life 91 s ago; watch: connection refused; "
            "nodes: watching, last proof of life 100 s ago, waits for a slow handler");
}

TEST(CheckFreshnessTest, WhatHasNotSyncedOrWasStoppedIsNotFresh) {
  auto stopped = Fresh("pods", 1s);
  stopped.state = ReflectorState::kStopped;
  InformerStatus listing{.resource = "nodes", .state = ReflectorState::kListing, .itemCount = 7};
  const auto answer = CheckFreshness({stopped, listing, {.resource = "maps"}}, 90s, kNow);
  EXPECT_EQ(answer.ToString(),
            "not fresh: pods: stopped, last proof of life 1 s ago; nodes: still listing: 7 objects "
            "so far; maps: not started: Start was not called after it was asked for, or not before "
            "Shutdown");
  EXPECT_EQ(answer.stale.at(1).age, std::nullopt);
}

TEST(CheckFreshnessTest, AProofThatCameAfterTheQuestionIsNew) {
  EXPECT_EQ(CheckFreshness({Fresh("pods", -1s)}, 90s, kNow).oldest, 0s);
}

/// An informer over a script in which the test is asked, between two events, how fresh it is.
class FreshInformerTest : public ::testing::Test {
 protected:
  FreshInformerTest() {
    SharedInformerOptions options;
    options.reflector.useWatchList = false;
    options.reflector.clock = clock_;
    options.reflector.watchErrorHandler = [](const Error&) {};
    informer_.emplace(SharedIndexInformer<Item>::New(source_, options));
    source_->OnList({MakeItem({.name = "a", .resourceVersion = "1"})}, "10");
  }

  void Run() { ASSERT_TRUE(informer_->Run(stop_.get_token()).has_value()); }
  [[nodiscard]] test::WatchStep Pass(Clock::Duration time) const {
    return test::Do([this, time] { clock_->Step(time); });
  }
  [[nodiscard]] test::WatchStep Expect(std::optional<Clock::Duration> stale_for) const {
    return test::Do([this, stale_for] {
      const auto answer = informer_->CheckFreshness();
      EXPECT_EQ(answer.ok(), !stale_for) << answer.ToString();
      if (stale_for) {
        ASSERT_FALSE(answer.stale.empty());
        EXPECT_EQ(answer.stale[0].age, stale_for);
      }
    });
  }

  std::stop_source stop_;
  std::shared_ptr<testing::FakeClock> clock_ =
      std::make_shared<testing::FakeClock>(Clock::TimePoint(1h));
  std::shared_ptr<test::ScriptedListWatch> source_ =
      std::make_shared<test::ScriptedListWatch>([this] { stop_.request_stop(); });
  std::optional<SharedIndexInformer<Item>> informer_;
};

TEST_F(FreshInformerTest, IsStaleBeforeItHasSynced) {
  EXPECT_FALSE(informer_->CheckFreshness().ok());
  EXPECT_THAT(informer_->CheckFreshness().ToString(),
              StartsWith("not fresh: items.test.example: "));
}

TEST_F(FreshInformerTest, ACompleteStateAndABookmarkAreProof) {
  source_->OnWatch({Expect(std::nullopt), Pass(90s), Expect(std::nullopt), Pass(1s), Expect(91s),
                    test::Bookmark("11"), Expect(std::nullopt), Pass(100s), Expect(100s)});
  Run();
}

TEST_F(FreshInformerTest, AStalledWatchThatIsReplacedByASilentOneGrowsStale) {
  source_->OnWatch({Pass(45s), test::Silent()});
  source_->OnWatch({Expect(std::nullopt), Pass(45s), Expect(std::nullopt), test::Silent()});
  source_->OnWatch({Pass(45s), Expect(135s), test::Do([&] {
                      const auto status = informer_->Status();
                      EXPECT_EQ(status.state, ReflectorState::kWatching);
                      EXPECT_EQ(status.watchesReplaced, 2u);
                      EXPECT_EQ(status.lastActivity, clock_->Now() - 45s) << "an answer only";
                    })});
  Run();
}

TEST_F(FreshInformerTest, TheOrderlyEndOfAWatchIsProofWhereThereAreNoBookmarks) {
  source_->OnWatch({Pass(300s), Expect(300s), test::End()});
  source_->OnWatch({Expect(std::nullopt), test::Bookmark("11"), Pass(300s), test::End()});
  source_->OnWatch({Expect(300s)});
  Run();
}

TEST_F(FreshInformerTest, KnowsWhatFailedLastAndWhen) {
  source_->OnWatch(test::StatusError(429, "TooManyRequests"));
  source_->OnWatch({Pass(2s), test::Do([&] {
                      const auto status = informer_->Status();
                      EXPECT_EQ(status.lastError, std::nullopt) << "forgotten with the open watch";
                      EXPECT_EQ(status.lastErrorTime, std::nullopt);
                      EXPECT_EQ(status.failures, 1u);
                      EXPECT_EQ(status.lastSyncResourceVersion, "10");
                      EXPECT_EQ(status.lastStoreSyncResourceVersion, "10");
                    })});
  std::jthread stepping([&](std::stop_token stop) {
    if (!clock_->WaitForSleepers(1, stop)) return;
    const auto status = informer_->Status();
    EXPECT_EQ(status.state, ReflectorState::kBackingOff);
    ASSERT_TRUE(status.lastError.has_value());
    EXPECT_EQ(status.lastError->code, 429);
    EXPECT_EQ(status.lastErrorVerb, "watch");
    EXPECT_EQ(status.lastErrorTime, clock_->Now());
    clock_->Step(1min);
  });
  Run();
}

}  // namespace
}  // namespace k8s::cache
