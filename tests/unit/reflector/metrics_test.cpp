#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reflector_fixture.hpp"
#include "support/recording_metrics.hpp"

namespace k8s::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class ReflectorMetricsTest : public ReflectorTest {
 protected:
  ReflectorMetricsTest() { options.metrics = metrics; }

  WatchStep Pass(Clock::Duration time) {
    return Do([this, time] { clock->Step(time); });
  }
  /// The stream has brought so many bytes so far.
  WatchStep Bytes(std::uint64_t bytes) {
    return Do([this, bytes] { source->bytes_received = bytes; });
  }
  /// Objects take a second each, on the way through the transform.
  void SlowObjects() {
    options.transform = [this](runtime::AnyPtr object) {
      clock->Step(1s);
      return Result<runtime::AnyPtr>(std::move(object));
    };
  }

  const std::shared_ptr<RecordingMetrics> metrics = std::make_shared<RecordingMetrics>();
  const Error refused{.kind = ErrorKind::kConnect, .message = "refused"};
  const Error unreadable{.kind = ErrorKind::kDecode,
                         .reason = std::string(cache::kReasonObjectDecode),
                         .message = "no object"};
};

TEST_F(ReflectorMetricsTest, TellsOfAListAndTheWatchAfterIt) {
  SlowObjects();
  source->OnList(cache::ListResult{.resourceVersion = "10", .bytes = 500},
                 {MakeThing("a", "1"), MakeThing("b", "2")});
  source->OnWatch({Bytes(100), Added("c", "11"), Bytes(150), Modified("a", "12"), Pass(3s),
                   Bytes(170), Bookmark("20"), Deleted("b", "21"), End()});
  Run();
  EXPECT_THAT(
      metrics->Lines(),
      ElementsAre("relist: initial", "at 10", "list of 2, 500 bytes, 2000ms", "watch opened",
                  "event 0, 100 bytes", "at 11", "event 1, 50 bytes", "at 12", "event 3, 20 bytes",
                  "at 20", "event 2, 0 bytes", "at 21", "watch of 4, 6000ms"));
}

TEST_F(ReflectorMetricsTest, TellsOfAStreamingListAndOfTheEventsOfItsWatch) {
  options.useWatchList = true;
  SlowObjects();
  source->OnWatch({Bytes(100), Added("a", "1"), Added("b", "2"), Bytes(130), InitialEventsEnd("10"),
                   Modified("a", "11"), End()});
  Run();
  EXPECT_THAT(
      metrics->Lines(),
      ElementsAre("watch opened", "event 0, 100 bytes", "event 0, 0 bytes", "event 3, 30 bytes",
                  "relist: initial", "at 10", "stream of 2, 0 bytes, 2000ms", "event 1, 0 bytes",
                  "at 11", "watch of 4, 3000ms"));
}

TEST_F(ReflectorMetricsTest, TellsOfEachAttemptAtACompleteState) {
  options.useWatchList = true;
  source->OnWatch(StatusError(422, "Invalid"));
  source->OnList(StatusError(500, "InternalError"));
  source->OnList({MakeThing("a", "1")}, "10");
  Run();
  EXPECT_THAT(metrics->Lines("stream "), ElementsAre("stream failed, 0 bytes, 0ms"));
  EXPECT_THAT(metrics->Lines("list "),
              ElementsAre("list failed: InternalError", "list failed, 0 bytes, 0ms",
                          "list of 1, 0 bytes, 0ms"));
  EXPECT_THAT(metrics->Lines("relist"), ElementsAre("relist: initial"));
}

TEST_F(ReflectorMetricsTest, AListInPagesIsOne) {
  source->OnList(cache::ListResult{.resourceVersion = "10", .continueToken = "more", .bytes = 300},
                 {MakeThing("a", "1")});
  source->OnList(cache::ListResult{.resourceVersion = "10", .bytes = 200}, {MakeThing("b", "2")});
  Run();
  EXPECT_THAT(metrics->Lines("list "), ElementsAre("list of 2, 500 bytes, 0ms"));
}

/// How a watch ends, and why there is a relist after that.
struct RelistCase {
  std::string name;
  std::vector<WatchStep> watch;
  std::string reason;
};

class RelistReasonTest : public ReflectorMetricsTest,
                         public ::testing::WithParamInterface<RelistCase> {};

TEST_P(RelistReasonTest, IsTheFailureThatMadeItNecessary) {
  source->OnList({}, "10");
  source->OnWatch(GetParam().watch);
  // What happens until the new state is there is not the reason.
  source->OnList(StatusError(503, "ServiceUnavailable"));
  source->OnList(refused);
  source->OnList({}, "20");
  Run();
  EXPECT_THAT(metrics->Lines("relist"),
              ElementsAre("relist: initial", "relist: " + GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(
    Reasons, RelistReasonTest,
    ::testing::Values(
        RelistCase{"Expired", {ErrorEvent(StatusError(410, "Expired"))}, "expired"},
        RelistCase{"TooLarge",
                   {ErrorEvent({.kind = ErrorKind::kStatus,
                                .code = 504,
                                .reason = "Timeout",
                                .message = "Too large resource version"})},
                   "expired"},
        RelistCase{"WentBack", {Bookmark("5"), Bookmark("5")}, "expired"},
        RelistCase{"ShortWatch", {End()}, "short watch"},
        RelistCase{"Undecodable",
                   {Broken({.kind = ErrorKind::kDecode, .message = "no JSON"})},
                   "undecodable"},
        RelistCase{"ServerError", {ErrorEvent(StatusError(403, "Forbidden"))}, "server error"},
        RelistCase{"Internal",
                   {Broken({.kind = ErrorKind::kInternal, .message = "a fault"})},
                   "internal"}),
    [](const auto& test) { return test.param.name; });

TEST_F(ReflectorMetricsTest, TellsOfShortWatches) {
  source->OnList({}, "10");
  source->OnWatch({Pass(999ms), End()});
  source->OnList({}, "10");
  source->OnWatch({Pass(1s), End()});
  source->OnWatch({Bookmark("11"), End()});
  Run();
  EXPECT_THAT(metrics->Lines("short "), ElementsAre("short watch of 0, 999ms"));
  EXPECT_THAT(metrics->Lines("watch of"), ElementsAre("watch of 0, 1000ms", "watch of 1, 0ms"));
  EXPECT_THAT(metrics->Lines("watch opened").size(), 3u);
}

TEST_F(ReflectorMetricsTest, AReplacedWatchEndsWhenTheNewOneIsOpen) {
  source->OnList({}, "10");
  source->OnWatch({Bytes(70), Bookmark("11"), Pass(45s), Silent()});
  source->OnWatch({Bytes(30), Added("a", "12"), End()});
  Run();
  EXPECT_THAT(metrics->Lines(),
              ElementsAre("relist: initial", "at 10", "list of 0, 0 bytes, 0ms", "watch opened",
                          "event 3, 70 bytes", "at 11", "watch of 1, 45000ms", "watch replaced",
                          "event 0, 30 bytes", "at 12", "watch of 1, 0ms"));
}

TEST_F(ReflectorMetricsTest, TellsOfFailuresByVerb) {
  source->OnList(refused);
  source->OnList({}, "10");
  source->OnWatch(StatusError(429, "TooManyRequests"));
  source->OnWatch(
      {Added("a", "11"), Broken({.kind = ErrorKind::kConnectionLost, .message = "reset"})});
  Run();
  EXPECT_THAT(metrics->Lines("list failed:"), ElementsAre("list failed: refused"));
  EXPECT_THAT(metrics->Lines("watch failed:"),
              ElementsAre("watch failed: TooManyRequests", "watch failed: reset"));
}

TEST_F(ReflectorMetricsTest, TellsOfAResyncThatFailed) {
  options.resyncPeriod = 10s;
  store.fail_resync = true;
  source->OnList({}, "10");
  source->OnWatch({Do([&] {
                     clock->WaitForSleepers(1);
                     clock->Step(10s);
                   }),
                   Hang()});
  Run();
  EXPECT_THAT(metrics->Lines("resync"), ElementsAre("resync failed: resync"));
}

TEST_F(ReflectorMetricsTest, TellsOfEachObjectThatWasSkipped) {
  options.transform = [](runtime::AnyPtr object) -> Result<runtime::AnyPtr> {
    if (RecordingStore::Of(object).name == "bad") return InvalidArgument("bad");
    return object;
  };
  source->OnList(cache::ListResult{.resourceVersion = "10", .unreadable = {unreadable}},
                 {MakeThing("a", "1"), MakeThing("bad", "2"), MakeThing("", "3")});
  source->OnWatch({Broken(unreadable), Modified("bad", "11"), Added("", "12"), End()});
  Run();
  EXPECT_THAT(metrics->Lines("unreadable").size(), 6u);
  EXPECT_THAT(metrics->Lines("list of"), ElementsAre("list of 1, 0 bytes, 0ms"));
  EXPECT_THAT(metrics->Lines("watch of"), ElementsAre("watch of 3, 0ms"));
  EXPECT_THAT(metrics->Lines("watch failed"), IsEmpty());
  EXPECT_THAT(metrics->Lines("list failed"), IsEmpty());
}

TEST_F(ReflectorMetricsTest, AnErrorEventIsAnEventAndAFailure) {
  source->OnList({}, "10");
  source->OnWatch({Bytes(60), ErrorEvent(StatusError(410, "Expired"))});
  Run();
  EXPECT_THAT(metrics->Lines("event"), ElementsAre("event 4, 60 bytes"));
  EXPECT_THAT(metrics->Lines("watch failed"), ElementsAre("watch failed: Expired"));
}

TEST_F(ReflectorMetricsTest, AnAttemptThatWasStoppedIsNotTold) {
  Run();
  EXPECT_THAT(metrics->Lines(), IsEmpty());
}

}  // namespace
}  // namespace k8s::test
