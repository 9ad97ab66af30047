#include <k8s/metrics/prometheus.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <prometheus/counter.h>
#include <prometheus/registry.h>
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "series.hpp"

namespace k8s::metrics {
namespace {

using namespace std::chrono_literals;
using cache::RelistReason;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using watch::EventType;

const cache::InformerLabels kPods{.name = "web", .resource = {"", "v1", "pods"}};

/// The series whose names begin with `prefix`, without the labels of `kPods`.
std::vector<std::string> SeriesOfPods(const std::string& text, const std::string& prefix) {
  auto lines = test::Series(text, prefix);
  for (std::string& line : lines) {
    for (const std::string label : {R"(group="",)", R"(name="web",)", R"(resource="pods",)",
                                    R"(,version="v1")", R"(version="v1",)", R"(version="v1")"}) {
      if (const auto at = line.find(label); at != line.npos) line.erase(at, label.size());
    }
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

class PrometheusProviderTest : public ::testing::Test {
 protected:
  std::vector<std::string> Lines(const std::string& prefix) const {
    return SeriesOfPods(provider_.Text(), prefix);
  }

  PrometheusProvider provider_;
};

TEST_F(PrometheusProviderTest, SeriesHaveHelpTypeAndTheLabelsOfTheInformer) {
  const auto informer =
      provider_.NewInformerMetrics({.name = "web", .resource = {"apps", "v1", "deployments"}});
  informer->OnWatchOpened(false);
  EXPECT_THAT(provider_.Text(),
              HasSubstr("# HELP reflector_watches_total Watches that were opened, streaming lists "
                        "included\n"
                        "# TYPE reflector_watches_total counter\n"
                        "reflector_watches_total{group=\"apps\",name=\"web\",resource="
                        "\"deployments\",version=\"v1\"} 1\n"));
}

TEST_F(PrometheusProviderTest, ListsByTheWayTheyCame) {
  const auto informer = provider_.NewInformerMetrics(kPods);
  informer->OnList({.complete = true, .duration = 250ms, .items = 30, .bytes = 4000});
  informer->OnList({.complete = false, .duration = 2s, .bytes = 1000});
  informer->OnList({.streamed = true, .complete = true, .duration = 500ms, .items = 7});
  EXPECT_THAT(Lines("reflector_lists_total"),
              ElementsAre(R"(reflector_lists_total{way="list"} 2)",
                          R"(reflector_lists_total{way="stream"} 1)"));
  EXPECT_THAT(Lines("reflector_list_duration_seconds_sum"),
              ElementsAre(R"(reflector_list_duration_seconds_sum{way="list"} 2.25)",
                          R"(reflector_list_duration_seconds_sum{way="stream"} 0.5)"));
  EXPECT_THAT(Lines("reflector_items_per_list_count"),
              ElementsAre(R"(reflector_items_per_list_count{way="list"} 1)",
                          R"(reflector_items_per_list_count{way="stream"} 1)"))
      << "of complete ones";
  EXPECT_THAT(Lines("reflector_items_per_list_sum"),
              ElementsAre(R"(reflector_items_per_list_sum{way="list"} 30)",
                          R"(reflector_items_per_list_sum{way="stream"} 7)"));
  EXPECT_THAT(Lines("informer_received_bytes_total"),
              ElementsAre("informer_received_bytes_total{} 5000"));
}

TEST_F(PrometheusProviderTest, WatchesAndTheirEvents) {
  const auto informer = provider_.NewInformerMetrics(kPods);
  informer->OnWatchOpened(false);
  informer->OnEvent(EventType::kAdded, 100);
  informer->OnEvent(EventType::kAdded, 100);
  informer->OnEvent(EventType::kModified, 0);
  informer->OnEvent(EventType::kBookmark, 50);
  informer->OnEvent(EventType::kError, 10);
  informer->OnWatchOpened(true);
  informer->OnWatchEnded({.duration = 45s, .events = 5});
  informer->OnWatchEnded({.duration = 500ms, .isShort = true});
  informer->OnUnreadable();
  EXPECT_THAT(Lines("reflector_watches_total"), ElementsAre("reflector_watches_total{} 2"));
  EXPECT_THAT(Lines("reflector_short"), ElementsAre("reflector_short_watches_total{} 1"));
  EXPECT_THAT(Lines("informer_replaced"), ElementsAre("informer_replaced_watches_total{} 1"));
  EXPECT_THAT(Lines("informer_events_total"),
              ElementsAre(R"(informer_events_total{type="ADDED"} 2)",
                          R"(informer_events_total{type="BOOKMARK"} 1)",
                          R"(informer_events_total{type="DELETED"} 0)",
                          R"(informer_events_total{type="ERROR"} 1)",
                          R"(informer_events_total{type="MODIFIED"} 1)"));
  EXPECT_THAT(Lines("informer_received_bytes"), ElementsAre("informer_received_bytes_total{} 260"));
  EXPECT_THAT(Lines("informer_unreadable"), ElementsAre("informer_unreadable_objects_total{} 1"));
  EXPECT_THAT(Lines("reflector_watch_duration_seconds"),
              ElementsAre(R"(reflector_watch_duration_seconds_bucket{le="+Inf"} 2)",
                          R"(reflector_watch_duration_seconds_bucket{le="1"} 1)",
                          R"(reflector_watch_duration_seconds_bucket{le="10"} 1)",
                          R"(reflector_watch_duration_seconds_bucket{le="120"} 2)",
                          R"(reflector_watch_duration_seconds_bucket{le="1200"} 2)",
                          R"(reflector_watch_duration_seconds_bucket{le="300"} 2)",
                          R"(reflector_watch_duration_seconds_bucket{le="45"} 2)",
                          R"(reflector_watch_duration_seconds_bucket{le="60"} 2)",
                          R"(reflector_watch_duration_seconds_bucket{le="600"} 2)",
                          "reflector_watch_duration_seconds_count{} 2",
                          "reflector_watch_duration_seconds_sum{} 45.5"));
  EXPECT_THAT(Lines("reflector_items_per_watch_sum"),
              ElementsAre("reflector_items_per_watch_sum{} 5"));
}

TEST_F(PrometheusProviderTest, EachReasonOfARelistIsThereFromTheStart) {
  const auto informer = provider_.NewInformerMetrics(kPods);
  informer->OnRelist(RelistReason::kInitial);
  informer->OnRelist(RelistReason::kExpired);
  informer->OnRelist(RelistReason::kExpired);
  informer->OnRelist(RelistReason::kInternal);
  EXPECT_THAT(Lines("informer_relists_total"),
              ElementsAre(R"(informer_relists_total{reason="expired"} 2)",
                          R"(informer_relists_total{reason="initial"} 1)",
                          R"(informer_relists_total{reason="internal"} 1)",
                          R"(informer_relists_total{reason="server error"} 0)",
                          R"(informer_relists_total{reason="short watch"} 0)",
                          R"(informer_relists_total{reason="undecodable"} 0)"));
}

TEST_F(PrometheusProviderTest, FailuresByVerbAndKind) {
  const auto informer = provider_.NewInformerMetrics(kPods);
  informer->OnFailure("list", {.kind = ErrorKind::kStatus});
  informer->OnFailure("list", {.kind = ErrorKind::kStatus});
  informer->OnFailure("watch", {.kind = ErrorKind::kTimeout});
  EXPECT_THAT(Lines("informer_failures_total"),
              ElementsAre(R"(informer_failures_total{kind="status",verb="list"} 2)",
                          R"(informer_failures_total{kind="timeout",verb="watch"} 1)"));
}

TEST_F(PrometheusProviderTest, AResourceVersionIsCutToTheDigitsThatADoubleHolds) {
  const auto informer = provider_.NewInformerMetrics(kPods);
  informer->OnResourceVersion("42");
  EXPECT_THAT(Lines("informer_store"), ElementsAre("informer_store_resource_version{} 42"));
  informer->OnResourceVersion("1234567890123456789");
  EXPECT_THAT(Lines("informer_store"),
              ElementsAre("informer_store_resource_version{} 567890123456789"));
}

TEST_F(PrometheusProviderTest, TheSeriesOfARemovedHandlerVanish) {
  const auto informer = provider_.NewInformerMetrics(kPods);
  auto handler = informer->NewHandlerMetrics("1");
  const auto other = informer->NewHandlerMetrics("2");
  handler->OnPending(3);
  handler->OnCall(250ms, false);
  handler->OnCall(250ms, true);
  other->OnPending(1);
  EXPECT_THAT(Lines("informer_pending"),
              ElementsAre(R"(informer_pending_notifications{handler="1"} 3)",
                          R"(informer_pending_notifications{handler="2"} 1)"));
  EXPECT_THAT(Lines("informer_handler_failures"),
              ElementsAre(R"(informer_handler_failures_total{handler="1"} 1)",
                          R"(informer_handler_failures_total{handler="2"} 0)"));
  EXPECT_THAT(Lines("informer_handler_duration_seconds_sum"),
              ElementsAre(R"(informer_handler_duration_seconds_sum{handler="1"} 0.5)",
                          R"(informer_handler_duration_seconds_sum{handler="2"} 0)"));
  handler.reset();
  EXPECT_THAT(Lines("informer_pending"),
              ElementsAre(R"(informer_pending_notifications{handler="2"} 1)"));
  EXPECT_THAT(Lines("informer_handler_failures"),
              ElementsAre(R"(informer_handler_failures_total{handler="2"} 0)"));
  EXPECT_THAT(Lines("informer_handler_duration_seconds_count"),
              ElementsAre(R"(informer_handler_duration_seconds_count{handler="2"} 0)"));
}

TEST_F(PrometheusProviderTest, HandlersOfOneNameShareTheirSeriesUntilTheLastIsRemoved) {
  const auto informer = provider_.NewInformerMetrics(kPods);
  auto first = informer->NewHandlerMetrics("h");
  auto second = informer->NewHandlerMetrics("h");
  first->OnPending(5);
  second->OnPending(2);
  first->OnPending(4);
  EXPECT_THAT(Lines("informer_pending"),
              ElementsAre(R"(informer_pending_notifications{handler="h"} 6)"))
      << "the sum";
  first.reset();
  EXPECT_THAT(Lines("informer_pending"),
              ElementsAre(R"(informer_pending_notifications{handler="h"} 2)"));
  second.reset();
  EXPECT_THAT(Lines("informer_pending"), IsEmpty());
}

TEST_F(PrometheusProviderTest, InformersOfOneNameShareTheirSeries) {
  const auto first = provider_.NewInformerMetrics(kPods);
  const auto second = provider_.NewInformerMetrics(kPods);
  const auto nodes = provider_.NewInformerMetrics({"web", {"", "v1", "nodes"}});
  first->OnUnreadable();
  second->OnUnreadable();
  nodes->OnUnreadable();
  EXPECT_THAT(Lines("informer_unreadable"),
              ElementsAre(R"(informer_unreadable_objects_total{resource="nodes"} 1)",
                          "informer_unreadable_objects_total{} 2"));
}

TEST_F(PrometheusProviderTest, ACounterOutlivesItsInformer) {
  provider_.NewInformerMetrics(kPods)->OnUnreadable();
  EXPECT_THAT(Lines("informer_unreadable"), ElementsAre("informer_unreadable_objects_total{} 1"));
  provider_.NewInformerMetrics(kPods)->OnUnreadable();
  EXPECT_THAT(Lines("informer_unreadable"), ElementsAre("informer_unreadable_objects_total{} 2"));
}

TEST_F(PrometheusProviderTest, LabelsAreEscaped) {
  const auto informer = provider_.NewInformerMetrics({.name = "a\"b\\c\nd"});
  informer->OnUnreadable();
  EXPECT_THAT(
      provider_.Text(),
      HasSubstr(R"(informer_unreadable_objects_total{group="",name="a\"b\\c\nd",resource="",)"));
}

TEST_F(PrometheusProviderTest, MayUseTheRegistryOfTheProgram) {
  const auto registry = std::make_shared<::prometheus::Registry>();
  ::prometheus::BuildCounter().Name("mine_total").Register(*registry).Add({}).Increment();
  const PrometheusProvider provider(registry);
  EXPECT_THAT(test::Series(provider.Text(), "mine_total"), ElementsAre("mine_total 1"));
}

TEST_F(PrometheusProviderTest, WhatItMadeOutlivesIt) {
  std::optional<PrometheusProvider> provider(std::in_place);
  const auto informer = provider->NewInformerMetrics(kPods);
  auto handler = informer->NewHandlerMetrics("1");
  provider.reset();
  informer->OnFailure("list", {});
  handler->OnPending(1);
  handler.reset();
}

TEST_F(PrometheusProviderTest, ManyThreadsMayCountAndReadAtOnce) {
  constexpr int kTimes = 500;
  const auto informer = provider_.NewInformerMetrics(kPods);
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 3; ++thread) {
      threads.emplace_back([&] {
        for (int i = 0; i < kTimes; ++i) {
          informer->OnEvent(EventType::kAdded, 1);
          informer->OnFailure("watch", {.kind = ErrorKind::kTimeout});
          const auto handler = informer->NewHandlerMetrics("1");
          handler->OnPending(2);
          handler->OnCall(1ms, false);
        }
      });
    }
    for (int i = 0; i < 20; ++i) EXPECT_THAT(provider_.Text(), HasSubstr("informer_events_total"));
  }
  EXPECT_THAT(Lines("informer_received_bytes"),
              ElementsAre("informer_received_bytes_total{} 1500"));
  EXPECT_THAT(Lines("informer_failures_total"),
              ElementsAre(R"(informer_failures_total{kind="timeout",verb="watch"} 1500)"));
  EXPECT_THAT(Lines("informer_pending"), IsEmpty());
}

}  // namespace
}  // namespace k8s::metrics
