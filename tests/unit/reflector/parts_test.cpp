#include <k8s/cache/wait.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "cache/retry_with_deadline.hpp"
#include "cache/state_collector.hpp"
#include "reflector_fixture.hpp"

namespace k8s::test {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using namespace std::chrono_literals;

// client-go: TestRetryWithDeadline
TEST(RetryWithDeadlineTest, RetriesOnlyWithinTheWindowOfASeries) {
  const Clock::TimePoint start{};
  cache::RetryWithDeadline never(0s);
  EXPECT_FALSE(never.ShouldRetry(start));

  cache::RetryWithDeadline retry(90s);
  EXPECT_TRUE(retry.ShouldRetry(start));
  EXPECT_TRUE(retry.ShouldRetry(start + 50s));
  EXPECT_TRUE(retry.ShouldRetry(start + 90s));
  EXPECT_FALSE(retry.ShouldRetry(start + 91s));
  EXPECT_TRUE(retry.ShouldRetry(start + 92s));   // A new series.
  EXPECT_TRUE(retry.ShouldRetry(start + 152s));  // A minute later: one more.
  EXPECT_TRUE(retry.ShouldRetry(start + 201s));
}

TEST(StateCollectorTest, KeepsTheOrderOfArrivalAndDropsWhatWasRemoved) {
  const RecordingStore store;
  cache::StateCollector collected(ThingType(), store, {});
  for (const char* name : {"c", "a", "b"}) EXPECT_TRUE(collected.Set(MakeThing(name, "1")));
  collected.Remove(MakeThing("a", "2").get());
  EXPECT_TRUE(collected.Set(MakeThing("c", "3")));
  Thing spaced{.name = "c", .resourceVersion = "4", .namespace_ = "ns"};
  EXPECT_TRUE(collected.Set(std::make_shared<Thing>(spaced)));

  std::vector<std::string> got;
  for (const auto& object : collected.Take()) {
    const Thing& thing = RecordingStore::Of(object);
    got.push_back(thing.namespace_ + "/" + thing.name + "@" + thing.resourceVersion);
  }
  EXPECT_THAT(got, ElementsAre("/c@3", "/b@1", "ns/c@4"));
  EXPECT_EQ(collected.size(), 0u);
}

TEST(StateCollectorTest, TakesTheStoresObjectOnlyIfVersionAndUidAreEqual) {
  RecordingStore store;
  const auto known =
      std::make_shared<Thing>(Thing{.name = "a", .resourceVersion = "1", .uid = "u"});
  store.objects["a"] = known;
  const auto collect = [&](Thing thing) {
    cache::StateCollector collected(ThingType(), store, {});
    EXPECT_TRUE(collected.Add(std::make_shared<Thing>(std::move(thing))));
    return collected.Take().at(0);
  };
  EXPECT_EQ(collect({.name = "a", .resourceVersion = "1", .uid = "u"}), known);
  EXPECT_NE(collect({.name = "a", .resourceVersion = "2", .uid = "u"}), known);
  EXPECT_NE(collect({.name = "a", .resourceVersion = "1", .uid = "v"}), known);
}

cache::InformerStatus Failing(Error error) {
  return {.resource = "pods",
          .state = cache::ReflectorState::kBackingOff,
          .lastError = std::move(error),
          .lastErrorVerb = "list"};
}

TEST(SyncReasonTest, FollowsTheCauseOfTheLastError) {
  using cache::SyncReason;
  const auto reason = [](Error error) { return cache::ReasonOf(Failing(std::move(error))); };
  EXPECT_EQ(reason(StatusError(403, "Forbidden")), SyncReason::kForbidden);
  EXPECT_EQ(reason(StatusError(401, "Unauthorized")), SyncReason::kUnauthorized);
  EXPECT_EQ(reason(StatusError(404, "NotFound")), SyncReason::kResourceAbsent);
  EXPECT_EQ(reason(StatusError(500, "InternalError")), SyncReason::kServerError);
  EXPECT_EQ(reason({.kind = ErrorKind::kTls}), SyncReason::kTls);
  EXPECT_EQ(reason({.kind = ErrorKind::kConnect}), SyncReason::kUnreachable);
  EXPECT_EQ(reason({.kind = ErrorKind::kDns}), SyncReason::kUnreachable);
  EXPECT_EQ(reason({.kind = ErrorKind::kTimeout}), SyncReason::kUnreachable);
  EXPECT_EQ(reason({.kind = ErrorKind::kConnectionLost}), SyncReason::kUnreachable);
  EXPECT_EQ(reason({.kind = ErrorKind::kConfig}), SyncReason::kConfig);
  EXPECT_EQ(reason(DecodeError("x")), SyncReason::kServerError);
  Error one_object = DecodeError("x");
  one_object.reason = cache::kReasonObjectDecode;
  EXPECT_EQ(reason(one_object), SyncReason::kStillListing);
}

TEST(SyncReasonTest, WithoutAnErrorFollowsTheState) {
  using cache::ReflectorState;
  using cache::SyncReason;
  EXPECT_EQ(cache::ReasonOf({}), SyncReason::kNotStarted);
  EXPECT_EQ(cache::ReasonOf({.state = ReflectorState::kListing}), SyncReason::kStillListing);
  EXPECT_EQ(cache::ReasonOf({.state = ReflectorState::kStopped}), SyncReason::kStopped);
  EXPECT_EQ(cache::ReasonOf({.state = ReflectorState::kListing, .unansweredSince = {{}}}),
            SyncReason::kNoAnswer);
  EXPECT_EQ(cache::ReasonOf(
                {.state = ReflectorState::kListing, .itemCount = 500, .unansweredSince = {{}}}),
            SyncReason::kStillListing)
      << "its next page";
}

TEST(SyncReasonTest, AStopDoesNotHideWhatWasWrongBeforeIt) {
  auto status = Failing(StatusError(403, "Forbidden"));
  status.state = cache::ReflectorState::kStopped;
  EXPECT_EQ(cache::ReasonOf(status), cache::SyncReason::kForbidden);
  EXPECT_EQ(cache::ReasonOf(
                {.state = cache::ReflectorState::kStopped, .unansweredSince = Clock::TimePoint()}),
            cache::SyncReason::kNoAnswer);
}

TEST(SyncFailureTest, NamesWhatARequestWaitsFor) {
  cache::UnsyncedInformer informer{
      .reason = cache::SyncReason::kNoAnswer,
      .status = {.resource = "pods", .unansweredSince = {{}}, .waitsFor = "exec plugin \"aws\""}};
  EXPECT_EQ(informer.ToString(), "pods: no answer yet: waits for exec plugin \"aws\"");
  informer.status.waitsFor.clear();
  EXPECT_EQ(informer.ToString(), "pods: no answer yet");
}

TEST(SyncFailureTest, NamesEachInformerWithVerbReasonAndMessage) {
  Error forbidden = StatusError(403, "Forbidden");
  forbidden.message = "User \"eve\" cannot list resource \"pods\"";
  const cache::SyncFailure failure{
      .informers = {
          {.reason = cache::SyncReason::kForbidden, .status = Failing(forbidden)},
          {.reason = cache::SyncReason::kStillListing,
           .status = {.resource = "nodes", .itemCount = 12}},
          {.reason = cache::SyncReason::kNotStarted, .status = {.resource = "widgets.example.com"}},
      }};
  EXPECT_EQ(failure.ToString(),
            "not synced: pods: list: forbidden: User \"eve\" cannot list resource \"pods\"; "
            "nodes: still listing: 12 objects so far; "
            "widgets.example.com: not started: Start was not called after it was asked for, or not "
            "before "
            "Shutdown");
}

TEST(ListWatchTest, CallsItsFunctions) {
  cache::ListWatch list_watch(
      [](const metav1::ListOptions& options, const cache::VisitFunc& visit, std::stop_token) {
        visit(MakeThing("a", "1"));
        return Result<cache::ListResult>({.resourceVersion = options.resourceVersion + "0"});
      },
      [](const metav1::ListOptions&, std::stop_token) {
        return Result<std::unique_ptr<watch::Interface>>(StatusError(403, "Forbidden"));
      },
      false);
  std::vector<runtime::AnyPtr> items;
  metav1::ListOptions options;
  options.resourceVersion = "1";
  auto listed =
      list_watch.List(options, [&](runtime::AnyPtr item) { items.push_back(std::move(item)); }, {});
  ASSERT_TRUE(listed.has_value());
  EXPECT_EQ(listed->resourceVersion, "10");
  EXPECT_THAT(items, SizeIs(1));
  auto opened = list_watch.Watch(options, {});
  ASSERT_FALSE(opened.has_value());
  EXPECT_TRUE(IsForbidden(opened.error()));
  EXPECT_FALSE(list_watch.SupportsWatchList());
}

}  // namespace
}  // namespace k8s::test
