#include <k8s/log.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <mutex>

#include "reflector_fixture.hpp"

namespace k8s::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class ReflectorStreamingTest : public ReflectorTest {
 protected:
  ReflectorStreamingTest() { options.useWatchList = true; }

  WatchStep Pass(Clock::Duration time) {
    return Do([this, time] { clock->Step(time); });
  }
  /// Which of the watches asked for initial events.
  std::vector<bool> Streams() const {
    std::vector<bool> streams;
    for (const auto& call : source->watch_calls) {
      streams.push_back(call.sendInitialEvents.value_or(false));
    }
    return streams;
  }
  Strings WatchVersions() const { return Versions(source->watch_calls); }

  const Error too_many = StatusError(429, "TooManyRequests");
  const Error invalid = StatusError(422, "Invalid");
};

// client-go: TestReflectorListAndWatch, TestWatchList
TEST_F(ReflectorStreamingTest, AsksForInitialEventsAndGoesOnWithTheSameStream) {
  source->OnWatch({Added("a", "1"), Added("b", "2"), InitialEventsEnd("10"), Modified("a", "11")});
  Run();
  ASSERT_THAT(source->watch_calls, SizeIs(1));
  const auto& call = source->watch_calls[0];
  EXPECT_TRUE(call.watch);
  EXPECT_TRUE(call.allowWatchBookmarks);
  EXPECT_EQ(call.sendInitialEvents, true);
  EXPECT_EQ(call.resourceVersionMatch, "NotOlderThan");
  EXPECT_EQ(call.resourceVersion, "");
  EXPECT_GE(call.timeoutSeconds.value_or(0), 300);
  EXPECT_THAT(source->list_calls, IsEmpty());
  EXPECT_THAT(store.log(), ElementsAre("replace a@1 b@2 @10", "update a@11"));
}

// client-go: TestWatchList
TEST_F(ReflectorStreamingTest, MergesUpdatesAndDeletesBeforeTheOneReplace) {
  source->OnWatch({Added("a", "1"), Added("b", "2"), Modified("a", "3", "new"), Deleted("b", "4"),
                   Deleted("unknown", "5"), Added("c", "6"), InitialEventsEnd("10")});
  Run();
  EXPECT_THAT(store.log(), ElementsAre("replace a@3 c@6 @10"));
}

// client-go: TestWatchList
TEST_F(ReflectorStreamingTest, WithoutTheClosingBookmarkTheStoreStaysUntouched) {
  source->OnWatch({Added("a", "1"), Bookmark("5"), Added("b", "2")});
  Run();
  EXPECT_THAT(store.log(), IsEmpty());
  EXPECT_EQ(reflector->LastSyncResourceVersion(), "");
  EXPECT_FALSE(reflector->Status().synced);
  EXPECT_EQ(reflector->Status().itemCount, 2u);
}

// A server that has closed the initial state sends bookmarks: the next one that it owes may be
// missed.
TEST_F(ReflectorStreamingTest, TheClosingBookmarkIsReasonEnoughToMissALaterOne) {
  source->OnWatch({Added("a", "1"), InitialEventsEnd("10"), Pass(45s), End()});
  source->OnWatch({Pass(45s), End()});
  source->OnWatch({Pass(45s), End()});
  source->OnWatch({Pass(1s), End()});
  source->OnList({}, "10");
  Run();
  EXPECT_THAT(WatchVersions(), ElementsAre("", "10", "10", "10", "10"));
  EXPECT_THAT(Versions(source->list_calls), ElementsAre("10"));
}

// client-go: TestWatchListResourceVersion
TEST_F(ReflectorStreamingTest, TheVersionComesFromTheBookmarkNotFromTheObjects) {
  source->OnWatch({Added("a", "99"), InitialEventsEnd("10"), Pass(2s), End()});
  Run();
  EXPECT_THAT(WatchVersions(), ElementsAre("", "10"));
}

// client-go: TestWatchList
TEST_F(ReflectorStreamingTest, ListsInTheSameCycleIfStreamingIsRefused) {
  for (const Error& refusal :
       {StatusError(403, "Forbidden"), StatusError(500, "InternalError"), invalid}) {
    SCOPED_TRACE(refusal.reason);
    std::stop_source once;
    auto script = std::make_shared<ScriptedListWatch>([&] { once.request_stop(); });
    script->OnWatch(refusal);
    script->OnList({MakeThing("a", "1")}, "10");
    cache::Reflector(ThingType(), script, store, options).Run(once.get_token());
    ASSERT_THAT(script->list_calls, SizeIs(1));
    EXPECT_EQ(script->list_calls[0].resourceVersion, "0");
  }
  EXPECT_THAT(clock->Sleeps(), IsEmpty());
}

TEST_F(ReflectorStreamingTest, AFailingCycleIsReportedOnce) {
  const Error forbidden = StatusError(403, "Forbidden");
  for (int cycle = 0; cycle < 2; ++cycle) {
    source->OnWatch(forbidden);
    source->OnList(StatusError(403, "Forbidden"));
  }
  source->OnWatch({InitialEventsEnd("10")});
  Run();
  EXPECT_THAT(errors, SizeIs(2)) << "not once more for the stream";
  EXPECT_EQ(reflector->Status().failures, 4u);
}

TEST_F(ReflectorStreamingTest, AStreamThatFailsIsReportedIfTheListSucceeds) {
  source->OnWatch(StatusError(500, "InternalError"));
  source->OnList({}, "10");
  source->OnWatch({Added("a", "1"), Broken(DecodeError("bad frame"))});
  source->OnList(StatusError(503, "ServiceUnavailable"));
  source->OnWatch({Added("a", "1"), Broken(DecodeError("bad frame"))});
  source->OnList({}, "11");
  Run();
  Strings reported;
  for (const auto& error : errors) reported.push_back(error.reason);
  EXPECT_THAT(reported.front(), "InternalError");
}

TEST_F(ReflectorStreamingTest, AWatchThatBreaksAtOnceIsReportedOnce) {
  source->OnWatch({InitialEventsEnd("10"), Pass(2s), End()});
  source->OnWatch({Broken(Error{.kind = ErrorKind::kConnectionLost, .message = "reset"})});
  source->OnWatch({InitialEventsEnd("11")});
  Run();
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_EQ(errors[0].message, "reset");
}

// client-go: TestWatchList
TEST_F(ReflectorStreamingTest, ListsAfterAnErrorEventAndDropsWhatWasStreamed) {
  source->OnWatch({Added("a", "1"), ErrorEvent(StatusError(500, "InternalError"))});
  source->OnList({MakeThing("b", "2")}, "10");
  Run();
  EXPECT_THAT(store.log(), ElementsAre("replace b@2 @10"));
}

TEST_F(ReflectorStreamingTest, ListsAfterABadFrame) {
  source->OnWatch({Added("a", "1"), Broken(DecodeError("bad frame"))});
  source->OnList({}, "10");
  Run();
  EXPECT_THAT(store.log(), ElementsAre("replace @10"));
}

// client-go: TestWatchList
TEST_F(ReflectorStreamingTest, Waits429OutAndNeverLists) {
  source->OnWatch(too_many);
  source->OnWatch({Added("z", "1"), ErrorEvent(too_many)});
  source->OnWatch(too_many);
  source->OnWatch({Added("a", "1"), InitialEventsEnd("10")});
  Run();
  EXPECT_THAT(clock->Sleeps(), ElementsAre(800ms, 1600ms, 3200ms));
  EXPECT_THAT(source->list_calls, IsEmpty());
  EXPECT_THAT(store.log(), ElementsAre("replace a@1 @10"));
}

TEST_F(ReflectorStreamingTest, WaitsForAServerThatCannotBeReached) {
  source->OnWatch(Error{.kind = ErrorKind::kConnect});
  source->OnWatch({InitialEventsEnd("10")});
  Run();
  EXPECT_THAT(clock->Sleeps(), ElementsAre(800ms));
  EXPECT_THAT(source->list_calls, IsEmpty());
}

TEST_F(ReflectorStreamingTest, AStreamWithoutAnAnswerIsAFailureAndAskedForAgain) {
  source->OnWatch(Error{.kind = ErrorKind::kTimeout, .reason = std::string(kReasonSilence)});
  source->OnWatch({Added("a", "1"), InitialEventsEnd("10")});
  Run();
  EXPECT_THAT(Streams(), ElementsAre(true, true));
  EXPECT_THAT(clock->Sleeps(), ElementsAre(800ms));
  EXPECT_THAT(errors, SizeIs(1));
  EXPECT_THAT(source->list_calls, IsEmpty());
  EXPECT_EQ(store.Content(), "a=");
}

// client-go: TestWatchList
TEST_F(ReflectorStreamingTest, StartsOverFromZeroIfCutBeforeTheBookmark) {
  source->OnWatch({Added("a", "1"), End()});
  source->OnWatch({Added("b", "2"), InitialEventsEnd("10")});
  Run();
  EXPECT_THAT(WatchVersions(), ElementsAre("", ""));
  EXPECT_THAT(store.log(), ElementsAre("replace b@2 @10"));
  EXPECT_THAT(clock->Sleeps(), IsEmpty());
}

// client-go: TestWatchList
TEST_F(ReflectorStreamingTest, GoesOnFromTheBookmarkIfCutAfterIt) {
  source->OnWatch({Added("a", "1"), InitialEventsEnd("10"), End()});
  source->OnWatch({Added("b", "11")});
  Run();
  EXPECT_THAT(Streams(), ElementsAre(true, false));
  EXPECT_THAT(WatchVersions(), ElementsAre("", "10"));
}

TEST_F(ReflectorStreamingTest, ListsIfCutBeforeTheBookmarkTwice) {
  source->OnWatch({Added("a", "1"), End()});
  source->OnWatch({Added("a", "1"), Broken({.kind = ErrorKind::kConnectionLost})});
  source->OnList({MakeThing("a", "1")}, "10");
  Run();
  EXPECT_THAT(store.log(), ElementsAre("replace a@1 @10"));
}

TEST_F(ReflectorStreamingTest, ListsIfTheStreamEndsAtOnce) {
  source->OnWatch({End()});
  source->OnList({}, "10");
  Run();
  EXPECT_THAT(store.log(), ElementsAre("replace @10"));
}

// client-go: TestWatchList
TEST_F(ReflectorStreamingTest, StartsOverWithoutAVersionIfItsVersionIsUnavailable) {
  Error too_large = StatusError(504, "Timeout");
  too_large.causes.push_back({.type = "ResourceVersionTooLarge", .message = "", .field = ""});
  source->OnWatch({InitialEventsEnd("10"), ErrorEvent(StatusError(410, "Expired"))});
  source->OnWatch(StatusError(410, "Expired"));
  source->OnWatch({InitialEventsEnd("20"), ErrorEvent(StatusError(410, "Expired"))});
  source->OnWatch({ErrorEvent(too_large)});
  source->OnWatch({InitialEventsEnd("15"), Pass(2s), End()});
  Run();
  EXPECT_THAT(WatchVersions(), ElementsAre("", "10", "", "20", "", "15"));
  EXPECT_THAT(source->list_calls, IsEmpty());
}

TEST_F(ReflectorStreamingTest, ListsIfEvenNoVersionIsUnavailable) {
  source->OnWatch(StatusError(410, "Expired"));
  source->OnList({}, "10");
  Run();
  EXPECT_THAT(store.log(), ElementsAre("replace @10"));
}

// client-go: TestNewReflectorWithDisablementWatchList
TEST_F(ReflectorStreamingTest, NeverStreamsFromAListerWatcherThatCannot) {
  source->RefuseWatchList();
  source->OnList({}, "10");
  Run();
  EXPECT_THAT(Streams(), ElementsAre(false));
}

TEST_F(ReflectorStreamingTest, RemembersARefusalForTenMinutes) {
  const Error expired = StatusError(410, "Expired");
  source->OnWatch(invalid);
  source->OnList({}, "10");
  source->OnWatch({Pass(5min), ErrorEvent(expired)});
  source->OnList({}, "11");
  source->OnWatch({Pass(5min), ErrorEvent(expired)});
  source->OnWatch({InitialEventsEnd("12")});
  Run();
  EXPECT_THAT(Streams(), ElementsAre(true, false, false, true));
}

// client-go: TestInitialEventsEndBookmarkTicker
class ReflectorSilenceTest : public ReflectorStreamingTest {
 protected:
  ReflectorSilenceTest() {
    log::SetSink([this](log::Level, std::string_view line) {
      const std::lock_guard lock(mutex_);
      lines_.emplace_back(line);
    });
  }
  ~ReflectorSilenceTest() override { log::SetSink({}); }

  WatchStep Silence(Clock::Duration time) {
    return Do([this, time] {
      clock->WaitForSleepers(1);
      clock->Step(time);
    });
  }
  /// Waits for the timer to sleep again, then compares.
  WatchStep ExpectWarnings(std::size_t count) {
    return Do([this, count] {
      clock->WaitForSleepers(1);
      EXPECT_THAT(lines(), SizeIs(count));
    });
  }
  Strings lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  std::mutex mutex_;
  Strings lines_;
};

TEST_F(ReflectorSilenceTest, WarnsAfterTenSecondsWithoutAnEvent) {
  source->OnWatch({Silence(9s), ExpectWarnings(0), Silence(1s), ExpectWarnings(1), Silence(10s),
                   ExpectWarnings(2), Added("a", "1"), Silence(9s), ExpectWarnings(2),
                   InitialEventsEnd("10"), Do([&] { clock->Step(1min); })});
  Run();
  EXPECT_THAT(lines(), SizeIs(2));
  EXPECT_THAT(lines()[0], HasSubstr("things: no new object for 10 s"));
}

TEST_F(ReflectorSilenceTest, ListsAfter45SilentSeconds) {
  // A server that ignores the wish for a closing bookmark sends changes and bookmarks all the same.
  const std::vector<WatchStep> steps{
      Added("a", "1"), Silence(10s), Modified("a", "2"),      Silence(10s),
      Bookmark("3"),   Silence(10s), Deleted("unknown", "4"), Silence(10s),
      Silence(5s),     Hang()};
  source->OnWatch(steps);
  source->OnList({MakeThing("b", "2")}, "10");
  Run();
  EXPECT_THAT(store.log(), ElementsAre("replace b@2 @10"));
  EXPECT_THAT(Streams(), ElementsAre(true, false));
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_EQ(errors[0].kind, ErrorKind::kTimeout);
}

TEST_F(ReflectorSilenceTest, WaitsForEverIfToldSo) {
  options.streamingIdleTimeout = 0s;
  std::vector<WatchStep> steps;
  for (int i = 0; i < 20; ++i) steps.push_back(Silence(10s));
  steps.push_back(InitialEventsEnd("10"));
  source->OnWatch(steps);
  Run();
  EXPECT_THAT(source->list_calls, IsEmpty());
  EXPECT_THAT(store.log(), ElementsAre("replace @10"));
  EXPECT_THAT(source->idle_timeouts, ElementsAre(0s, 45s)) << "as long as there was no state";
}

TEST_F(ReflectorStreamingTest, AnUnreadableObjectKeepsItsKnownState) {
  Error unreadable = DecodeError("bad base64");
  unreadable.reason = cache::kReasonObjectDecode;
  unreadable.name = "a";
  source->OnWatch({Added("a", "1", "old"), Added("b", "2"), InitialEventsEnd("10"),
                   ErrorEvent(StatusError(410, "Expired"))});
  source->OnWatch({Broken(unreadable), Added("c", "3"), InitialEventsEnd("11")});
  Run();
  EXPECT_EQ(store.Content(), "a=old c=");
  EXPECT_EQ(reflector->Status().unreadableObjects, 1u);
}

TEST_F(ReflectorStreamingTest, AnUnreadableObjectKeepsTheStateThatTheStreamHasShown) {
  Error unreadable = DecodeError("bad base64");
  unreadable.reason = cache::kReasonObjectDecode;
  unreadable.name = "a";
  source->OnWatch(
      {Added("a", "1", "old"), InitialEventsEnd("10"), ErrorEvent(StatusError(410, "Expired"))});
  source->OnWatch({Added("a", "2", "newer"), Broken(unreadable), InitialEventsEnd("11")});
  Run();
  EXPECT_EQ(store.Content(), "a=newer");
}

// client-go: TestReflectorRespectStoreTransformer
TEST_F(ReflectorStreamingTest, TransformsEachReceivedObjectOnce) {
  options.transform = [](runtime::AnyPtr object) -> Result<runtime::AnyPtr> {
    Thing thing = RecordingStore::Of(object);
    thing.value += "!";
    return runtime::AnyPtr(std::make_shared<Thing>(thing));
  };
  source->OnWatch(
      {Added("a", "1", "x"), InitialEventsEnd("10"), ErrorEvent(StatusError(410, "Expired"))});
  source->OnWatch({Added("a", "1", "x"), Added("b", "2", "y"), InitialEventsEnd("11")});
  Run();
  EXPECT_EQ(store.Content(), "a=x! b=y!");
}

}  // namespace
}  // namespace k8s::test
