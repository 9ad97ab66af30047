#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "reflector_fixture.hpp"

namespace k8s::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class ReflectorWatchTest : public ReflectorTest {
 protected:
  ReflectorWatchTest() { source->OnList({MakeThing("a", "1", "1")}, "10"); }

  WatchStep Pass(Clock::Duration time) {
    return Do([this, time] { clock->Step(time); });
  }
  Strings WatchVersions() const { return Versions(source->watch_calls); }

  const Error too_many = StatusError(429, "TooManyRequests");
  const Error internal = StatusError(500, "InternalError");
};

// client-go: TestReflectorWatchHandler
TEST_F(ReflectorWatchTest, AppliesEventsAndFollowsTheirVersions) {
  source->OnWatch({Added("b", "11"), Modified("a", "12", "2"), Deleted("b", "13"), Added("c", "32"),
                   Do([&] { EXPECT_EQ(reflector->LastSyncResourceVersion(), "32"); })});
  Run();
  EXPECT_THAT(store.log(),
              ElementsAre("replace a@1 @10", "add b@11", "update a@12", "delete b@13", "add c@32"));
  EXPECT_EQ(store.Content(), "a=2 c=");
}

// client-go: TestReflectorResourceVersionUpdate
TEST_F(ReflectorWatchTest, TellsTheStoreOfBookmarks) {
  source->OnWatch({Added("b", "11"), Bookmark("20"), End()});
  Run();
  EXPECT_THAT(store.log(), ElementsAre("replace a@1 @10", "add b@11", "bookmark @20"));
  EXPECT_EQ(reflector->LastSyncResourceVersion(), "20");
  EXPECT_THAT(WatchVersions(), ElementsAre("10", "20"));
  EXPECT_TRUE(reflector->Status().lastBookmark.has_value());
}

TEST_F(ReflectorWatchTest, TheVersionNeverGoesBack) {
  source->OnWatch({Modified("a", "30"), Modified("b", "9"), End()});
  Run();
  EXPECT_THAT(WatchVersions(), ElementsAre("10", "30"));
}

TEST_F(ReflectorWatchTest, OneOlderBookmarkIsALaggingServer) {
  source->OnWatch({Bookmark("30"), Bookmark("9"), Bookmark("31"), Bookmark("9"), Pass(2s), End()});
  Run();
  EXPECT_THAT(WatchVersions(), ElementsAre("10", "31"));
  EXPECT_THAT(source->list_calls, SizeIs(1));
}

TEST_F(ReflectorWatchTest, TwoOlderBookmarksAreAServerThatWentBack) {
  source->OnWatch({Bookmark("30"), Bookmark("8"), Bookmark("9")});
  source->OnList({MakeThing("b", "7")}, "9");
  Run();
  EXPECT_THAT(Versions(source->list_calls), ElementsAre("0", ""));
  EXPECT_THAT(WatchVersions(), ElementsAre("10", "9"));
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_TRUE(IsExpired(errors[0]));
}

/// Watches that are quiet for as long as the informer bears it.
class ReflectorQuietWatchTest : public ReflectorWatchTest {
 protected:
  ReflectorQuietWatchTest() {
    source->OnWatch({Bookmark("30"), Pass(45s), End()});
    source->OnWatch({Pass(45s), End()});
    source->OnWatch({Pass(1s), End()});
  }
};

// A real API server behind an etcd that was restored accepts a watch from the future and is silent.
TEST_F(ReflectorQuietWatchTest, AMissingBookmarkMakesItAskWhetherTheServerWentBack) {
  Error behind = StatusError(504, "Timeout");
  behind.message = "Too large resource version: 30, current: 9";
  behind.causes.push_back({.type = "ResourceVersionTooLarge"});
  source->OnList(behind);
  source->OnList({MakeThing("b", "7")}, "9");
  Run();
  EXPECT_THAT(Versions(source->list_calls), ElementsAre("0", "30", ""));
  EXPECT_EQ(source->list_calls.at(1).limit, 1);
  EXPECT_EQ(source->list_calls.at(1).resourceVersionMatch, "NotOlderThan");
  EXPECT_EQ(store.log().back(), "replace b@7 @9");
}

TEST_F(ReflectorQuietWatchTest, AServerThatHasTheVersionIsFollowedWithoutAList) {
  source->OnList({MakeThing("a", "1")}, "31");
  Run();
  EXPECT_THAT(Versions(source->list_calls), ElementsAre("0", "30"));
  EXPECT_THAT(WatchVersions(), ElementsAre("10", "30", "30", "30"));
}

TEST_F(ReflectorWatchTest, FollowsVersionsThatAreNoNumbers) {
  source->OnWatch({Modified("a", "abc/\xC3\xBC"), End()});
  Run();
  EXPECT_THAT(WatchVersions(), ElementsAre("10", "abc/\xC3\xBC"));
}

// client-go: TestHandleWatchResultChanClosedAfter
TEST_F(ReflectorWatchTest, OpensTheWatchAgainAtOnceAfterAnOrderlyEnd) {
  source->OnWatch({Pass(2s), End()});
  source->OnWatch({Added("b", "11"), End()});
  Run();
  EXPECT_THAT(WatchVersions(), ElementsAre("10", "10", "11"));
  EXPECT_THAT(source->list_calls, SizeIs(1));
  EXPECT_THAT(clock->Sleeps(), IsEmpty());
  EXPECT_THAT(errors, IsEmpty());
}

TEST_F(ReflectorWatchTest, OpensTheWatchAgainAtOnceAfterALostConnection) {
  source->OnWatch({Added("b", "11"), Broken({.kind = ErrorKind::kConnectionLost})});
  source->OnWatch({Pass(2min), Broken({.kind = ErrorKind::kTimeout})});
  Run();
  EXPECT_THAT(WatchVersions(), ElementsAre("10", "11", "11"));
  EXPECT_THAT(source->list_calls, SizeIs(1));
  EXPECT_THAT(errors, SizeIs(2));
}

// client-go: TestHandleWatchResultChanClosedBefore
TEST_F(ReflectorWatchTest, ListsAgainIfAWatchEndsAtOnceWithoutAnEvent) {
  source->OnWatch({End()});
  Run();
  EXPECT_THAT(clock->Sleeps(), ElementsAre(800ms));
  EXPECT_THAT(Versions(source->list_calls), ElementsAre("0", "10"));
  EXPECT_THAT(errors, SizeIs(1));
}

// client-go: TestCloseWatchChannelOnError
TEST_F(ReflectorWatchTest, ClosesTheWatchOnAnErrorEvent) {
  source->OnWatch({ErrorEvent(internal)});
  options.watchErrorHandler = [&](const Error&) { EXPECT_EQ(source->open_watches, 0); };
  Run();
  EXPECT_EQ(source->open_watches, 0);
}

// client-go: TestCloseWatchChannelOnError
TEST_F(ReflectorWatchTest, ClosesTheWatchOnABadFrameAndListsAgain) {
  source->OnWatch({Added("b", "11"), Broken(DecodeError("bad frame"))});
  options.watchErrorHandler = [&](const Error& error) {
    EXPECT_EQ(source->open_watches, 0) << "closed before the next request";
    errors.push_back(error);
  };
  Run();
  EXPECT_THAT(Versions(source->list_calls), ElementsAre("0", "11"));
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_EQ(errors[0].message, "bad frame");
}

TEST_F(ReflectorWatchTest, SkipsAnObjectThatCannotBeDecodedAndGoesOn) {
  Error unreadable = DecodeError("bad base64");
  unreadable.reason = cache::kReasonObjectDecode;
  source->OnWatch({Broken(unreadable), Modified("a", "12", "2")});
  Run();
  EXPECT_THAT(store.log(), ElementsAre("replace a@1 @10", "update a@12"));
  EXPECT_THAT(errors, SizeIs(1));
  EXPECT_EQ(reflector->Status().unreadableObjects, 1u);
}

TEST_F(ReflectorWatchTest, SkipsAnEventWithoutAName) {
  source->OnWatch({Added("", "11"), Added("b", "12")});
  Run();
  EXPECT_THAT(store.log(), ElementsAre("replace a@1 @10", "add b@12"));
  EXPECT_THAT(errors, SizeIs(1));
}

TEST_F(ReflectorWatchTest, AnUpdateWhoseTransformFailsLeavesTheOldStateAndTheVersionGoesOn) {
  options.transform = [](runtime::AnyPtr object) -> Result<runtime::AnyPtr> {
    if (RecordingStore::Of(object).value == "bad") return DecodeError("no");
    return object;
  };
  source->OnWatch({Modified("a", "11", "bad"), Pass(2s), End()});
  source->OnWatch({Modified("a", "12", "bad"), ErrorEvent(StatusError(410, "Expired"))});
  source->OnList({MakeThing("a", "12", "bad")}, "12");
  source->OnWatch({Do([&] { EXPECT_EQ(store.Content(), "a=1"); }), Modified("a", "13", "good")});
  Run();
  EXPECT_EQ(store.Content(), "a=good");
  EXPECT_THAT(WatchVersions(), ElementsAre("10", "11", "12"));
  EXPECT_EQ(reflector->Status().unreadableObjects, 3u);
}

TEST_F(ReflectorWatchTest, ADeletionIsAppliedThoughItsTransformFails) {
  options.transform = [](runtime::AnyPtr object) -> Result<runtime::AnyPtr> {
    if (RecordingStore::Of(object).resourceVersion == "11") return DecodeError("no");
    return object;
  };
  source->OnWatch({Deleted("a", "11")});
  Run();
  EXPECT_EQ(store.Content(), "");
}

// client-go: TestReflectorStopWatch
TEST_F(ReflectorWatchTest, AStopAmongEventsIsNoFailure) {
  source->OnWatch({Added("b", "11"), Do([&] { stop.request_stop(); }), Added("c", "12")});
  Run();
  EXPECT_THAT(store.log(), ElementsAre("replace a@1 @10", "add b@11"));
  EXPECT_THAT(errors, IsEmpty());
  EXPECT_EQ(reflector->Status().failures, 0u);
  EXPECT_EQ(source->open_watches, 0);
  EXPECT_EQ(source->closed_watches, 1);
}

// client-go: TestReflectorWatchStoppedAfter
TEST_F(ReflectorWatchTest, ClosesAWatchThatWasOpenedWhenTheStopCame) {
  source->OnWatch({Do([&] { stop.request_stop(); })});
  Run();
  EXPECT_EQ(source->open_watches, 0);
  EXPECT_EQ(source->closed_watches, 1);
  EXPECT_THAT(source->watch_calls, SizeIs(1));
  EXPECT_THAT(errors, IsEmpty());
  EXPECT_EQ(reflector->Status().failures, 0u);
}

// client-go: TestRunUntil
TEST_F(ReflectorWatchTest, AStopEndsTheWaitForEvents) {
  std::thread stopper;
  source->OnWatch({Do([&] { stopper = std::thread([&] { stop.request_stop(); }); }), Hang()});
  Run();
  stopper.join();
  EXPECT_EQ(source->open_watches, 0);
  EXPECT_EQ(reflector->Status().state, cache::ReflectorState::kStopped);
}

// client-go: TestBackoffOnTooManyRequests
TEST_F(ReflectorWatchTest, WaitsAfterEach429InTheStreamAndGoesOnFromTheSameVersion) {
  source->OnWatch({Added("b", "11"), ErrorEvent(too_many)});
  source->OnWatch({ErrorEvent(too_many)});
  source->OnWatch({Added("c", "12")});
  Run();
  EXPECT_THAT(clock->Sleeps(), ElementsAre(800ms, 1600ms));
  EXPECT_THAT(WatchVersions(), ElementsAre("10", "11", "11"));
}

// client-go: TestNoRelistOnTooManyRequests
TEST_F(ReflectorWatchTest, NeverListsAgainBecauseOf429) {
  source->OnWatch(too_many);
  source->OnWatch(too_many);
  source->OnWatch({ErrorEvent(too_many)});
  source->OnWatch({ErrorEvent(too_many)});
  source->OnWatch({Added("b", "11")});
  Run();
  EXPECT_THAT(source->list_calls, SizeIs(1));
  EXPECT_THAT(source->watch_calls, SizeIs(5));
}

TEST_F(ReflectorWatchTest, NeverListsAgainBecauseTheServerCannotBeReached) {
  for (const auto kind :
       {ErrorKind::kConnect, ErrorKind::kDns, ErrorKind::kTimeout, ErrorKind::kConnectionLost}) {
    source->OnWatch(Error{.kind = kind});
  }
  source->OnWatch({Added("b", "11")});
  Run();
  EXPECT_THAT(source->list_calls, SizeIs(1));
  EXPECT_THAT(WatchVersions(), ElementsAre("10", "10", "10", "10", "10"));
  EXPECT_THAT(errors, SizeIs(4));
}

TEST_F(ReflectorWatchTest, NeverListsAgainBecauseThereWasNoCredential) {
  source->OnWatch(Error{.kind = ErrorKind::kConfig});
  source->OnWatch({Added("b", "11")});
  Run();
  EXPECT_THAT(source->list_calls, SizeIs(1));
  EXPECT_THAT(WatchVersions(), ElementsAre("10", "10"));
}

TEST_F(ReflectorWatchTest, ListsAgainIfTheWatchIsRefused) {
  for (const Error& refusal :
       {StatusError(403, "Forbidden"), StatusError(404, "NotFound"), StatusError(410, "Gone"),
        internal, Error{.kind = ErrorKind::kTls}}) {
    source->OnWatch(refusal);
    source->OnList({}, "10");
  }
  Run();
  EXPECT_THAT(Versions(source->list_calls), ElementsAre("0", "10", "10", "10", "10", "10"));
  EXPECT_THAT(errors, SizeIs(5));
}

TEST_F(ReflectorWatchTest, WaitsAsLongAsTheServerAsksForButNotForEver) {
  Error patient = too_many;
  patient.retryAfter = 17s;
  Error foolish = too_many;
  foolish.retryAfter = 10000s;
  source->OnWatch(patient);
  source->OnWatch(foolish);
  Run();
  EXPECT_THAT(clock->Sleeps(), ElementsAre(17s, 60s));
}

// client-go: TestRetryInternalError
TEST_F(ReflectorWatchTest, OpensAgainAfterInternalErrorsWithinTheWindowOnly) {
  struct Row {
    const char* name;
    Clock::Duration window;
    int pause_before;  ///< The error before which a minute passes; 0: none.
    std::size_t watches;
  };
  for (const Row& row : {Row{"off", 0s, 0, 1}, Row{"on", 30s, 0, 32}, Row{"pause", 30s, 10, 41}}) {
    SCOPED_TRACE(row.name);
    std::stop_source once;
    auto script = std::make_shared<ScriptedListWatch>([&] { once.request_stop(); });
    script->OnList({}, "10");
    for (int i = 1; i <= 50; ++i) {
      const Clock::Duration pause = i == row.pause_before ? 61s : 1s;
      script->OnWatch({Pass(pause), ErrorEvent(internal)});
    }
    options.maxInternalErrorRetryDuration = row.window;
    cache::Reflector(ThingType(), script, store, options).Run(once.get_token());
    // The second list ends the script.
    EXPECT_THAT(script->list_calls, SizeIs(2));
    EXPECT_THAT(script->watch_calls, SizeIs(row.watches));
  }
}

// client-go: TestRetryWithDeadline
TEST_F(ReflectorWatchTest, OtherErrorsAreNeitherRetriedInTheWindowNorCountedInIt) {
  options.maxInternalErrorRetryDuration = 30s;
  source->OnWatch({Pass(2s), ErrorEvent(StatusError(503, "ServiceUnavailable"))});
  source->OnList({}, "20");
  source->OnWatch({Pass(40s), ErrorEvent(internal)});  // Past a window of the 503.
  source->OnWatch({Pass(29s), ErrorEvent(internal)});
  Run();
  EXPECT_THAT(source->list_calls, SizeIs(2));
  EXPECT_THAT(WatchVersions(), ElementsAre("10", "20", "20", "20"));
}

// client-go: TestReflectorReplacesStoreOnUnsafeDelete
TEST_F(ReflectorWatchTest, AStoreReadErrorLeadsToAListThatReplacesEverything) {
  source->OnWatch({Added("corrupt", "11"), ErrorEvent(StatusError(500, "StorageReadError"))});
  source->OnList({MakeThing("a", "1", "1")}, "12");
  Run();
  EXPECT_EQ(store.Content(), "a=1");
}

// client-go: TestWatchTimeout
TEST_F(ReflectorWatchTest, TheTimeoutLiesBetweenTheMinimumAndTwiceThat) {
  struct Row {
    std::chrono::seconds minimum;
    double random;
    std::int64_t seconds;
  };
  for (const Row& row : {Row{0s, 0.0, 300}, Row{1min, 0.5, 450}, Row{5min, 0.9999, 599},
                         Row{10min, 0.0, 600}, Row{10min, 0.9999, 1199}}) {
    SCOPED_TRACE(row.seconds);
    std::stop_source once;
    auto script = std::make_shared<ScriptedListWatch>([&] { once.request_stop(); });
    script->OnList({}, "10");
    options.minWatchTimeout = row.minimum;
    options.random = [&] { return row.random; };
    cache::Reflector(ThingType(), script, store, options).Run(once.get_token());
    ASSERT_THAT(script->watch_calls, SizeIs(1));
    EXPECT_EQ(script->watch_calls[0].timeoutSeconds, row.seconds);
  }
}

// client-go waits for as long as the connection seems to live.
TEST_F(ReflectorWatchTest, ABoundIsSetToTheWaitForAnAnswer) {
  struct Row {
    const char* name;
    Clock::Duration idle, answer, list;
    std::chrono::milliseconds opening_bound, list_bound;
  };
  const cache::ReflectorOptions defaults;
  for (const Row& row :
       {Row{"default", defaults.watchIdleTimeout, defaults.watchAnswerTimeout,
            defaults.listIdleTimeout, 30s, 75s},
        Row{"shorter", 5s, 10s, 20s, 10s, 20s}, Row{"longer than silence", 5s, 1min, 1h, 1min, 1h},
        Row{"part of a millisecond", 5s, 1us, 1us, 1ms, 1ms}, Row{"none", 45s, 0s, 0s, 0s, 0s},
        Row{"silence is allowed", 0s, 30s, 75s, 0s, 75s}}) {
    SCOPED_TRACE(row.name);
    std::stop_source once;
    auto script = std::make_shared<ScriptedListWatch>([&] { once.request_stop(); });
    options.watchIdleTimeout = row.idle;
    options.watchAnswerTimeout = row.answer;
    options.listIdleTimeout = row.list;
    cache::Reflector(ThingType(), script, store, options).Run(once.get_token());
    EXPECT_EQ(script->request_options.openingIdle, row.opening_bound);
    EXPECT_EQ(script->request_options.listIdle, row.list_bound);
  }
}

TEST_F(ReflectorWatchTest, AWatchWithoutAnAnswerIsAFailureAndAskedForAgain) {
  const Error silence{.kind = ErrorKind::kTimeout,
                      .reason = std::string(kReasonSilence),
                      .message = "GET /things: no answer within 30 s"};
  source->OnWatch(silence);
  source->OnWatch(silence);
  source->OnWatch({Added("b", "11")});
  Run();
  EXPECT_THAT(WatchVersions(), ElementsAre("10", "10", "10"));
  EXPECT_THAT(source->list_calls, SizeIs(1));
  EXPECT_THAT(clock->Sleeps(), ElementsAre(800ms, 1600ms));
  EXPECT_EQ(reflector->Status().failures, 2u);
  ASSERT_THAT(errors, SizeIs(2));
  EXPECT_EQ(errors[0].message, silence.message);
}

// client-go has nothing like it: it waits for the end of the server's limit, 5 to 10 minutes.
class ReflectorSilentWatchTest : public ReflectorWatchTest {
 protected:
  /// No answer until the reflector gives up, which it does after `limit`.
  void OnWatchWithoutAnswer(Clock::Duration limit) {
    source->OnWatch([this, limit](std::stop_token given) {
      clock->WaitForSleepers(1);
      EXPECT_FALSE(given.stop_requested());
      clock->Step(limit);
      std::mutex mutex;
      std::condition_variable_any never;
      std::unique_lock lock(mutex);
      never.wait(lock, given, [] { return false; });
      return Cancelled("watch");
    });
  }
  std::vector<std::int64_t> TimeoutsAsked() const {
    std::vector<std::int64_t> timeouts;
    for (const auto& call : source->watch_calls) timeouts.push_back(*call.timeoutSeconds);
    return timeouts;
  }

  const Error unreachable{.kind = ErrorKind::kConnect};
};

TEST_F(ReflectorSilentWatchTest, IsReplacedFromTheLastVersionWithoutAList) {
  source->OnWatch({Added("b", "11"), Silent()});
  source->OnWatch({Modified("b", "12", "2"), Do([&] {
                     EXPECT_EQ(source->open_watches, 1);
                     EXPECT_EQ(reflector->Status().watchesReplaced, 1u);
                   })});
  Run();
  EXPECT_THAT(source->list_calls, SizeIs(1));
  EXPECT_THAT(WatchVersions(), ElementsAre("10", "11"));
  EXPECT_THAT(source->open_at_calls, ElementsAre(0, 1));  // The old one is open until then.
  EXPECT_EQ(store.Content(), "a=1 b=2");
  EXPECT_THAT(errors, IsEmpty());
  EXPECT_THAT(source->idle_timeouts, ElementsAre(45s));
}

TEST_F(ReflectorSilentWatchTest, IsAskedForAgainAtOnceIfTheKeptConnectionDoesNotAnswer) {
  source->OnWatch({Silent()});
  OnWatchWithoutAnswer(5s);
  source->OnWatch({Added("b", "11")});
  Run();
  EXPECT_THAT(WatchVersions(), ElementsAre("10", "10", "10"));
  EXPECT_THAT(clock->Sleeps(), IsEmpty());
  EXPECT_THAT(errors, IsEmpty());
  EXPECT_EQ(store.Content(), "a=1 b=");
}

TEST_F(ReflectorSilentWatchTest, StaysOpenIfAnotherConnectionDoesNotAnswerEither) {
  source->OnWatch({Silent(), Added("b", "11")});
  OnWatchWithoutAnswer(5s);
  OnWatchWithoutAnswer(30s);
  Run();
  EXPECT_EQ(store.Content(), "a=1 b=");
  EXPECT_THAT(WatchVersions(), ElementsAre("10", "10", "10"));
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_EQ(errors[0].kind, ErrorKind::kTimeout);
  EXPECT_EQ(reflector->Status().failures, 1u);
}

TEST_F(ReflectorSilentWatchTest, StaysOpenWhileNoOtherCanBeHad) {
  options.backoff = {.initial = 800ms, .jitter = 0};
  source->OnWatch({Silent(), Silent(), Added("b", "11")});
  source->OnWatch(unreachable);
  source->OnWatch(too_many);
  Run();
  EXPECT_EQ(store.Content(), "a=1 b=");
  EXPECT_THAT(WatchVersions(), ElementsAre("10", "10", "10"));
  EXPECT_THAT(errors, SizeIs(2));
  EXPECT_THAT(source->idle_timeouts, ElementsAre(45s, 800ms, 1600ms));
}

TEST_F(ReflectorSilentWatchTest, IsTriedAgainEvenWithoutABackoff) {
  options.backoff = {.initial = 0s, .jitter = 0};
  source->OnWatch({Silent(), Silent()});
  source->OnWatch(unreachable);
  source->OnWatch({Added("b", "11")});
  Run();
  EXPECT_EQ(store.Content(), "a=1 b=");
  EXPECT_THAT(source->idle_timeouts, ElementsAre(45s, 1ms, 45s));  // Never 0: for ever.
}

TEST_F(ReflectorSilentWatchTest, IsNotTriedAgainBeforeTheServersRetryAfter) {
  options.backoff = {.initial = 800ms, .jitter = 0};
  Error later = too_many;
  later.retryAfter = 20s;
  source->OnWatch({Silent(), Silent()});
  source->OnWatch(later);
  source->OnWatch({Added("b", "11")});
  Run();
  EXPECT_EQ(store.Content(), "a=1 b=");
  EXPECT_THAT(source->idle_timeouts, ElementsAre(45s, 20s, 45s));
}

TEST_F(ReflectorSilentWatchTest, LeadsToAListIfItsVersionHasExpired) {
  source->OnWatch({Silent()});
  source->OnWatch(StatusError(410, "Expired"));
  source->OnList({MakeThing("b", "20")}, "20");
  Run();
  EXPECT_THAT(source->list_calls, SizeIs(2));
  EXPECT_EQ(store.Content(), "b=");
}

TEST_F(ReflectorSilentWatchTest, IsWaitedForIfToldSo) {
  options.watchIdleTimeout = 0s;
  source->OnWatch({Bookmark("11"), End()});
  source->OnWatch({Bookmark("12"), End()});
  Run();
  EXPECT_THAT(source->idle_timeouts, ElementsAre(0s));
  EXPECT_THAT(TimeoutsAsked(), ElementsAre(300, 300, 300));
}

// A server sends a bookmark once a minute, and before the end of a watch: short watches make that
// often enough to tell a quiet stream from a dead one.
TEST_F(ReflectorSilentWatchTest, IsAskedForInPiecesWhileNothingChanges) {
  source->OnWatch({Silent()});
  source->OnWatch({Bookmark("11"), End()});
  source->OnWatch({Added("b", "12"), Bookmark("13"), End()});
  source->OnWatch({Bookmark("14"), End()});
  Run();
  EXPECT_THAT(TimeoutsAsked(), ElementsAre(300, 45, 45, 300, 45));
  EXPECT_THAT(WatchVersions(), ElementsAre("10", "10", "11", "13", "14"));
}

TEST_F(ReflectorSilentWatchTest, OlderBookmarksCountBeyondTheEndOfAWatch) {
  source->OnWatch({Bookmark("9"), End()});
  source->OnWatch({Bookmark("9")});
  source->OnList({}, "9");
  Run();
  EXPECT_THAT(Versions(source->list_calls), ElementsAre("0", ""));
}

TEST_F(ReflectorWatchTest, StatusKnowsHowFreshTheWatchIs) {
  const auto start = clock->Now();
  source->OnWatch({Pass(5s), Added("b", "11"), Pass(5s), Bookmark("12"), Do([&] {
                     const auto status = reflector->Status();
                     EXPECT_EQ(status.state, cache::ReflectorState::kWatching);
                     EXPECT_EQ(status.lastEvent, start + 5s);
                     EXPECT_EQ(status.lastBookmark, start + 10s);
                     EXPECT_EQ(status.lastActivity, start + 10s);
                     EXPECT_EQ(status.watchesOpened, 1u);
                   })});
  Run();
}

}  // namespace
}  // namespace k8s::test
