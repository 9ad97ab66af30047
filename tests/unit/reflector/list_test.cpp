#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <k8s/cache/wait.hpp>

#include <chrono>

#include "reflector_fixture.hpp"

namespace k8s::test {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ReflectorListTest : public ReflectorTest {
 protected:
  /// A watch that makes the reflector list again.
  void OnWatchExpired() { source->OnWatch({ErrorEvent(StatusError(410, "Expired"))}); }

  Strings ListVersions() const { return Versions(source->list_calls); }
};

// client-go: TestReflectorListAndWatch
TEST_F(ReflectorListTest, ListsAtZeroInPagesAndWatchesFromTheListsVersionWithBookmarks) {
  source->OnList({MakeThing("a", "1"), MakeThing("b", "2")}, "10");
  Run();
  ASSERT_THAT(source->list_calls, SizeIs(1));
  EXPECT_EQ(source->list_calls[0].resourceVersion, "0");
  EXPECT_EQ(source->list_calls[0].limit, 500);
  EXPECT_FALSE(source->list_calls[0].watch);
  ASSERT_THAT(source->watch_calls, SizeIs(1));
  EXPECT_EQ(source->watch_calls[0].resourceVersion, "10");
  EXPECT_TRUE(source->watch_calls[0].watch);
  EXPECT_TRUE(source->watch_calls[0].allowWatchBookmarks);
  EXPECT_FALSE(source->watch_calls[0].sendInitialEvents.has_value());
  EXPECT_THAT(store.log(), ElementsAre("replace a@1 b@2 @10"));
}

TEST_F(ReflectorListTest, ASilentListIsAFailureAndAskedForAgain) {
  const Error silence{.kind = ErrorKind::kTimeout, .reason = std::string(kReasonSilence)};
  source->OnList(silence);
  source->OnList(silence, {MakeThing("a", "1")});  // In the middle.
  source->OnList({MakeThing("b", "2")}, "10");
  Run();
  EXPECT_THAT(ListVersions(), ElementsAre("0", "0", "0"));
  EXPECT_THAT(store.log(), ElementsAre("replace b@2 @10"));
  EXPECT_THAT(clock->Sleeps(), SizeIs(2));
  EXPECT_THAT(errors, SizeIs(2));
  EXPECT_EQ(reflector->Status().failures, 2u);
}

// client-go: TestReflectorWatchListPageSize
TEST_F(ReflectorListTest, FollowsContinueTokensWithTheGivenPageSize) {
  options.listPageSize = 4;
  source->OnList({MakeThing("a", "1")}, "10", "next");
  source->OnList({MakeThing("b", "2")}, "10", "last");
  source->OnList({MakeThing("c", "3")}, "10");
  OnWatchExpired();
  Run();
  ASSERT_THAT(source->list_calls, SizeIs(4));
  EXPECT_THAT(ListVersions(), ElementsAre("0", "", "", "10"));
  EXPECT_EQ(source->list_calls[1].continue_, "next");
  EXPECT_EQ(source->list_calls[2].continue_, "last");
  for (const auto& call : source->list_calls) EXPECT_EQ(call.limit, 4);
  EXPECT_EQ(store.log().front(), "replace a@1 b@2 c@3 @10");
}

// client-go: TestReflectorNotPaginatingNotConsistentReads
TEST_F(ReflectorListTest, SendsNoLimitWithARealVersion) {
  source->OnList({}, "10");
  OnWatchExpired();
  source->OnList({}, "11");
  Run();
  ASSERT_THAT(source->list_calls, SizeIs(2));
  EXPECT_EQ(source->list_calls[1].limit, 0);
}

// client-go: TestReflectorPaginatingNonConsistentReadsIfWatchCacheDisabled
TEST_F(ReflectorListTest, KeepsPagingIfTheServerPagedTheListAtZero) {
  source->OnList({MakeThing("a", "1")}, "10", "next");
  source->OnList({MakeThing("b", "2")}, "10");
  OnWatchExpired();
  source->OnList({}, "11");
  Run();
  ASSERT_THAT(source->list_calls, SizeIs(3));
  EXPECT_EQ(source->list_calls[2].limit, 500);
  EXPECT_EQ(source->list_calls[2].resourceVersion, "10");
}

// client-go: TestReflectorResyncWithResourceVersion
TEST_F(ReflectorListTest, ListsAgainFromTheVersionSeenLast) {
  source->OnList({}, "10");
  source->OnWatch({Modified("a", "12"), ErrorEvent(StatusError(410, "Gone"))});
  source->OnList({}, "13");
  Run();
  EXPECT_THAT(ListVersions(), ElementsAre("0", "12"));
}

// client-go: TestReflectorExpiredExactResourceVersion
TEST_F(ReflectorListTest, AsksWithoutAVersionAtOnceIfItsVersionExpired) {
  source->OnList({}, "10");
  OnWatchExpired();
  source->OnList(StatusError(410, "Expired"));
  source->OnList({MakeThing("a", "11")}, "11");
  Run();
  EXPECT_THAT(ListVersions(), ElementsAre("0", "10", ""));
  EXPECT_THAT(clock->Sleeps(), SizeIs(1));  // After the watch, none between the lists.
  EXPECT_EQ(reflector->LastSyncResourceVersion(), "11");
}

TEST_F(ReflectorListTest, KeepsAskingWithoutAVersionUntilThatSucceeds) {
  source->OnList({}, "10");
  OnWatchExpired();
  source->OnList(StatusError(410, "Expired"));
  source->OnList(StatusError(500, "InternalError"));
  source->OnList({}, "20");
  OnWatchExpired();
  source->OnList({}, "21");
  Run();
  EXPECT_THAT(ListVersions(), ElementsAre("0", "10", "", "", "20"));
  EXPECT_EQ(source->list_calls[3].limit, 500);
}

// client-go: TestReflectorFullListIfExpired
TEST_F(ReflectorListTest, ListsInOnePieceIfAPageExpired) {
  options.listPageSize = 4;
  source->OnList({MakeThing("a", "1")}, "10");
  OnWatchExpired();
  source->OnList({MakeThing("a", "1"), MakeThing("b", "11")}, "11", "next");
  source->OnList(StatusError(410, "Expired"));
  source->OnList({MakeThing("a", "1"), MakeThing("c", "10")}, "10");
  OnWatchExpired();
  source->OnList({}, "10");
  Run();
  EXPECT_THAT(ListVersions(), ElementsAre("0", "10", "", "10", "10"));
  EXPECT_EQ(source->list_calls[3].limit, 0);
  EXPECT_EQ(store.log()[1], "replace a@1 c@10 @10");  // Nothing of the broken pages.
}

// client-go: TestReflectorFullListIfTooLarge
TEST_F(ReflectorListTest, AsksWithoutAVersionIfItsVersionIsTooLargeInEveryDialect) {
  Error cause = StatusError(504, "Timeout");
  cause.causes.push_back({.type = "ResourceVersionTooLarge", .message = "", .field = ""});
  Error old_cause = StatusError(504, "Timeout");
  old_cause.causes.push_back({.type = "", .message = "Too large resource version", .field = ""});
  Error old_message = StatusError(504, "Timeout");
  old_message.message = "Too large resource version: 20, current: 10";
  source->OnList({}, "20");
  for (const Error& dialect : {cause, old_cause, old_message}) {
    OnWatchExpired();
    source->OnList(dialect);
    source->OnList({}, "10");
  }
  Run();
  EXPECT_THAT(ListVersions(), ElementsAre("0", "20", "", "10", "", "10", ""));
}

// client-go: TestReflectorListExtract
TEST_F(ReflectorListTest, KeepsNoObjectAliveThatTheStoreDropped) {
  std::weak_ptr<const void> dropped;
  {
    auto object = MakeThing("a", "1");
    dropped = object;
    source->OnList({std::move(object), MakeThing("b", "2")}, "10");
  }
  source->OnWatch({Do([&] {
    EXPECT_FALSE(dropped.expired());
    store.objects.erase("a");
    EXPECT_TRUE(dropped.expired());
  })});
  Run();
}

TEST_F(ReflectorListTest, KeepsTheStoresObjectIfAListHasItInTheSameVersion) {
  source->OnList({MakeThing("a", "1"), MakeThing("b", "2")}, "10");
  runtime::AnyPtr first;
  source->OnWatch({Do([&] { first = store.Known("a"); }), ErrorEvent(StatusError(410, "Gone"))});
  source->OnList({MakeThing("a", "1"), MakeThing("b", "3")}, "11");
  Run();
  EXPECT_EQ(store.Known("a"), first);
  EXPECT_THAT(store.log(), ElementsAre("replace a@1 b@2 @10", "replace a@1 b@3 @11"));
}

TEST_F(ReflectorListTest, ReportsAnUnreadableItemAndKeepsItsKnownState) {
  source->OnList({MakeThing("a", "1", "old"), MakeThing("b", "2")}, "10");
  OnWatchExpired();
  Error unreadable = DecodeError("bad base64");
  unreadable.reason = cache::kReasonObjectDecode;
  unreadable.name = "a";
  source->OnList(cache::ListResult{.resourceVersion = "11", .unreadable = {unreadable}},
                 {MakeThing("c", "3")});
  Run();
  EXPECT_EQ(store.Content(), "a=old c=");
  EXPECT_EQ(errors.back().message, "bad base64");
  EXPECT_EQ(reflector->Status().unreadableObjects, 1u);
}

TEST_F(ReflectorListTest, SkipsAndReportsItemsWithoutAName) {
  source->OnList({MakeThing("", "1"), MakeThing("b", "2")}, "10");
  Run();
  EXPECT_THAT(store.log(), ElementsAre("replace b@2 @10"));
  EXPECT_THAT(errors, SizeIs(1));
}

TEST_F(ReflectorListTest, WatchesWithoutAVersionIfTheListHadNone) {
  source->OnList({}, "");
  source->OnWatch({Added("b", "7"), Added("a", "5"), Modified("a", "8"), End()});
  Run();
  EXPECT_THAT(Versions(source->watch_calls), ElementsAre("", "8"));
}

TEST_F(ReflectorListTest, RetriesACycleWhoseReplaceFailed) {
  store.fail_replace = true;
  source->OnList({MakeThing("a", "1")}, "10");
  Run();
  EXPECT_THAT(errors, SizeIs(1));
  EXPECT_THAT(ListVersions(), ElementsAre("0", "0"));
  EXPECT_FALSE(reflector->Status().synced);
}

// client-go: TestReflectorRespectStoreTransformer
TEST_F(ReflectorListTest, TransformsEachReceivedObjectOnce) {
  int calls = 0;
  options.transform = [&](runtime::AnyPtr object) -> Result<runtime::AnyPtr> {
    ++calls;
    Thing thing = RecordingStore::Of(object);
    if (thing.name == "bad") return DecodeError("no");
    thing.value += "!";
    return runtime::AnyPtr(std::make_shared<Thing>(thing));
  };
  source->OnList({MakeThing("a", "1", "x"), MakeThing("bad", "2")}, "10");
  OnWatchExpired();
  source->OnList({MakeThing("a", "1", "x"), MakeThing("b", "3", "y")}, "11");
  source->OnWatch({Modified("a", "12", "z")});
  Run();
  EXPECT_EQ(store.Content(), "a=z! b=y!");
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(reflector->Status().unreadableObjects, 1u);
}

TEST_F(ReflectorListTest, AThrowingTransformLeavesTheObjectOut) {
  options.transform = [](runtime::AnyPtr) -> Result<runtime::AnyPtr> {
    throw std::runtime_error("oops");
  };
  source->OnList({MakeThing("a", "1")}, "10");
  Run();
  EXPECT_THAT(store.log(), ElementsAre("replace @10"));
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_EQ(errors[0].message, "the transform of a threw: oops");
}

// client-go: TestReflectorListAndWatchWithErrors
TEST_F(ReflectorListTest, EndsWithTheRightContentAfterAnySequenceOfFailures) {
  const Error list_error = StatusError(500, "InternalError");
  source->OnList(list_error);
  source->OnList({MakeThing("a", "1", "1"), MakeThing("b", "2", "1")}, "10");
  source->OnWatch(StatusError(503, "ServiceUnavailable"));
  source->OnList(list_error);
  source->OnList({MakeThing("a", "11", "2")}, "11");
  source->OnWatch({Added("c", "12", "1"), Broken({.kind = ErrorKind::kConnectionLost})});
  source->OnWatch({Modified("c", "13", "2"), Deleted("a", "14"), End()});
  Run();
  EXPECT_EQ(store.Content(), "c=2");
  EXPECT_EQ(reflector->LastSyncResourceVersion(), "14");
}

TEST_F(ReflectorListTest, AsksNothingIfStoppedBefore) {
  stop.request_stop();
  Run();
  EXPECT_THAT(source->list_calls, IsEmpty());
  EXPECT_THAT(source->watch_calls, IsEmpty());
  EXPECT_EQ(reflector->Status().state, cache::ReflectorState::kStopped);
}

// client-go: TestReflectorWatchStoppedBefore
TEST_F(ReflectorListTest, OpensNoWatchIfStoppedDuringTheList) {
  source->OnList({MakeThing("a", "1")}, "10");
  options.transform = [&](runtime::AnyPtr object) -> Result<runtime::AnyPtr> {
    stop.request_stop();
    return object;
  };
  Run();
  EXPECT_THAT(source->list_calls, SizeIs(1));
  EXPECT_THAT(source->watch_calls, IsEmpty());
  EXPECT_THAT(errors, IsEmpty());
}

TEST_F(ReflectorListTest, StatusTellsOfFailuresUntilTheNextSuccess) {
  source->OnList(StatusError(403, "Forbidden"));
  source->OnList({MakeThing("a", "1")}, "10");
  options.watchErrorHandler = [&](const Error&) {
    const auto status = reflector->Status();
    EXPECT_EQ(status.state, cache::ReflectorState::kListing);
    EXPECT_EQ(status.lastErrorVerb, "list");
    ASSERT_TRUE(status.lastError.has_value());
    EXPECT_TRUE(IsForbidden(*status.lastError));
  };
  Run();
  const auto status = reflector->Status();
  EXPECT_EQ(status.resource, "things.test");
  EXPECT_FALSE(status.lastError.has_value());
  EXPECT_EQ(status.failures, 1u);
  EXPECT_EQ(status.relists, 1u);
  EXPECT_TRUE(status.synced);
  EXPECT_TRUE(status.lastActivity.has_value());
}

TEST_F(ReflectorListTest, SurvivesAnErrorHandlerThatThrows) {
  options.watchErrorHandler = [](const Error&) { throw std::runtime_error("handler"); };
  source->OnList(StatusError(500, "InternalError"));
  source->OnList({MakeThing("a", "1")}, "10");
  Run();
  EXPECT_THAT(store.log(), ElementsAre("replace a@1 @10"));
}

/// Says what it waits for, and what the reflector's status says during each request.
class WaitingSource final : public cache::ListerWatcher {
 public:
  Result<cache::ListResult> List(const metav1::ListOptions& /*options*/,
                                 const cache::VisitFunc& visit, std::stop_token /*stop*/) override {
    if (before_list.unansweredSince) {
      stop();
      return Cancelled("list");
    }
    before_list = status();
    visit(MakeThing("a", "1"));
    after_item = status();
    return cache::ListResult{.resourceVersion = "1"};
  }
  Result<std::unique_ptr<watch::Interface>> Watch(const metav1::ListOptions& /*options*/,
                                                  std::stop_token /*stop*/) override {
    before_watch = status();
    return StatusError(500, "InternalError");
  }
  [[nodiscard]] std::string WaitsFor() const override { return "a plugin"; }

  std::function<cache::InformerStatus()> status;
  std::function<void()> stop;
  cache::InformerStatus before_list;
  cache::InformerStatus after_item;
  cache::InformerStatus before_watch;
};

TEST_F(ReflectorListTest, TheStatusSaysWhichRequestHasNoAnswerYet) {
  const auto waiting = std::make_shared<WaitingSource>();
  reflector = std::make_unique<cache::Reflector>(ThingType(), waiting, store, options);
  waiting->status = [this] { return reflector->Status(); };
  const auto begun = clock->Now();
  waiting->stop = [this] { stop.request_stop(); };
  reflector->Run(stop.get_token());
  EXPECT_EQ(waiting->before_list.unansweredSince, begun);
  EXPECT_EQ(waiting->before_list.waitsFor, "a plugin");
  EXPECT_EQ(waiting->after_item.unansweredSince, std::nullopt);
  EXPECT_EQ(waiting->after_item.waitsFor, "");
  EXPECT_EQ(waiting->before_watch.unansweredSince, begun);
  EXPECT_EQ(reflector->Status().unansweredSince, clock->Now()) << "the stop has ended it";
}

/// Tries each request once more by itself, as a client does after a Retry-After.
class RetryingSource final : public cache::ListerWatcher {
 public:
  Result<cache::ListResult> List(const metav1::ListOptions& /*options*/,
                                 const cache::VisitFunc& /*visit*/,
                                 std::stop_token /*stop*/) override {
    options.onRetry(StatusError(429, "TooManyRequests"), seconds(7));
    retried();
    return cache::ListResult{.resourceVersion = "1"};
  }
  Result<std::unique_ptr<watch::Interface>> Watch(const metav1::ListOptions& /*options*/,
                                                  std::stop_token /*stop*/) override {
    options.onRetry({.kind = ErrorKind::kConnectionLost}, seconds(1));
    retried();
    stop();
    return Cancelled("watch");
  }
  void SetRequestOptions(const cache::RequestOptions& set) override { options = set; }

  std::function<void()> retried;
  std::function<void()> stop;
  cache::RequestOptions options;
};

// client-go says nothing until ten tries have failed, which may take minutes.
TEST_F(ReflectorListTest, WhatItsSourceTriesAgainIsToldAtOnce) {
  const auto retrying = std::make_shared<RetryingSource>();
  reflector = std::make_unique<cache::Reflector>(ThingType(), retrying, store, options);
  std::vector<std::string> told;
  retrying->retried = [&] {
    const auto status = reflector->Status();
    told.push_back(status.lastErrorVerb + ": " + std::string(ToString(cache::ReasonOf(status))));
  };
  retrying->stop = [this] { stop.request_stop(); };
  reflector->Run(stop.get_token());
  EXPECT_THAT(told, ElementsAre("list: server error", "watch: unreachable"));
  EXPECT_THAT(errors, SizeIs(2));
  EXPECT_EQ(reflector->Status().failures, 2u);
  EXPECT_FALSE(retrying->options.onRetry) << "it may outlive the reflector";
}

}  // namespace
}  // namespace k8s::test
