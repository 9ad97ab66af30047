// What a program may know of its caches: that they show a write it has made, that they follow the
// server, and what happened on the way.

#include <k8s/apis/core/v1.hpp>
#include <k8s/cache/metrics.hpp>
#include <k8s/informers/factory.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/testing/fake_api_server.hpp>
#include <k8s/testing/fake_clock.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/event_recorder.hpp"
#include "support/recording_metrics.hpp"
#include "support/watcher.hpp"

namespace k8s::test {
namespace {

using namespace std::chrono_literals;
using corev1::ConfigMap;
using informers::FactoryOptions;
using informers::SharedInformerFactory;
using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::FakeApiServer;
using ::testing::HasSubstr;
using testing::RequestMatch;
using ::testing::StartsWith;

const RequestMatch kWatches{.verb = "watch", .resource = "configmaps"};

ConfigMap Map(const std::string& name, const std::string& value) {
  return {.metadata = {.name = name, .namespace_ = "d"}, .data = {{"k", value}}};
}

class CacheKnowledgeTest : public ::testing::TestWithParam<bool> {
 protected:
  ~CacheKnowledgeTest() override { stop_.request_stop(); }

  void Make(FactoryOptions options = {}) {
    options.useWatchList = GetParam();
    factory_.emplace(client_, std::move(options));
  }
  void StartAndSync() {
    factory_->Start(stop_.get_token());
    const auto synced = factory_->WaitForCacheSync(stop_.get_token(), 60s);
    ASSERT_TRUE(synced.has_value()) << synced.error().ToString();
  }
  [[nodiscard]] auto Maps() const { return client_.CoreV1().ConfigMaps("d"); }
  [[nodiscard]] auto Informer() const { return factory_->For<ConfigMap>().Informer(); }
  /// What the cache has under this name; "none" without it.
  [[nodiscard]] std::string Cached(const std::string& name) const {
    const auto map = factory_->For<ConfigMap>().Lister().Namespace("d").Get(name);
    return map ? (*map)->data.at("k") : "none";
  }

  FakeApiServer server_;
  const kubernetes::Clientset client_ = kubernetes::Clientset::New(server_.config()).value();
  std::stop_source stop_;
  std::optional<SharedInformerFactory> factory_;
};

INSTANTIATE_TEST_SUITE_P(Modes, CacheKnowledgeTest, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Streaming" : "Listing"; });

// ---- Read your writes

TEST_P(CacheKnowledgeTest, AfterWaitingForItsVersionAWriteIsInTheCache) {
  Make();
  const auto informer = Informer();
  StartAndSync();
  for (int i = 0; i < 20; ++i) {
    const std::string name = "m" + std::to_string(i);
    auto written = Maps().Create(Map(name, "1")).value();
    ASSERT_TRUE(informer.WaitForResourceVersion(written.metadata.resourceVersion, 60s, {}));
    EXPECT_EQ(Cached(name), "1");
    written.data["k"] = "2";
    written = Maps().Update(written).value();
    ASSERT_TRUE(informer.WaitForResourceVersion(written.metadata.resourceVersion, 60s, {}));
    EXPECT_EQ(Cached(name), "2");
  }
  const auto deleted = server_.Delete({"", "configmaps"}, "d", "m0");
  ASSERT_TRUE(informer.WaitForResourceVersion(std::to_string(deleted), 60s, {}));
  EXPECT_EQ(Cached("m0"), "none");
}

TEST_P(CacheKnowledgeTest, AWriteMadeWhileTheWatchIsCutIsWaitedForToo) {
  Make();
  const auto informer = Informer();
  StartAndSync();
  ASSERT_TRUE(server_.WaitForOpenWatches(kWatches, 1));
  server_.ResetWatches(kWatches);
  const auto written = Maps().Create(Map("a", "1")).value();
  ASSERT_TRUE(informer.WaitForResourceVersion(written.metadata.resourceVersion, 60s, {}));
  EXPECT_EQ(Cached("a"), "1");
}

TEST_P(CacheKnowledgeTest, AVersionOfAnotherResourceComesWithABookmark) {
  Make();
  const auto informer = Informer();
  StartAndSync();
  ASSERT_TRUE(server_.WaitForOpenWatches(kWatches, 1));
  const auto elsewhere =
      server_.Add(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}})");
  ASSERT_EQ(server_.SendBookmark(kWatches), 1u);
  EXPECT_TRUE(informer.WaitForResourceVersion(std::to_string(elsewhere), 60s, {}));
}

TEST_P(CacheKnowledgeTest, TheDeadlineNamesWhatIsThereAndWhatIsNot) {
  Make();
  const auto informer = Informer();
  StartAndSync();
  ASSERT_TRUE(server_.WaitForOpenWatches(kWatches, 1));
  server_.StallWatches(kWatches);
  const auto there = informer.LastSyncResourceVersion();
  const auto version = Maps().Create(Map("a", "1")).value().metadata.resourceVersion;
  const auto waited = informer.WaitForResourceVersion(version, 20ms, {});
  ASSERT_FALSE(waited.has_value());
  EXPECT_EQ(waited.error().kind, ErrorKind::kTimeout);
  EXPECT_THAT(waited.error().message, AllOf(StartsWith("configmaps: "), HasSubstr(version),
                                            HasSubstr("\"" + there + "\"")));
  EXPECT_EQ(Cached("a"), "none");
}

TEST_P(CacheKnowledgeTest, AStopEndsTheWaitForAWrite) {
  Make();
  const auto informer = Informer();
  StartAndSync();
  std::stop_source give_up;
  std::jthread stopping([&] { give_up.request_stop(); });
  const auto waited =
      informer.WaitForResourceVersion("999999999", Clock::Duration::max(), give_up.get_token());
  ASSERT_FALSE(waited.has_value());
  EXPECT_EQ(waited.error().kind, ErrorKind::kCancelled);
}

TEST_P(CacheKnowledgeTest, AnInformerThatNeverSyncsSaysWhyItsCacheShowsNoWrite) {
  server_.SetForbidden({{.match = {.resource = "configmaps"}}});
  Make();
  const auto informer = Informer();
  factory_->Start(stop_.get_token());
  ASSERT_TRUE(Eventually(60s, [&] { return informer.Status().lastError.has_value(); }));
  const auto waited = informer.WaitForResourceVersion("1", 0s, {});
  ASSERT_FALSE(waited.has_value());
  EXPECT_EQ(waited.error().kind, ErrorKind::kTimeout);
  EXPECT_THAT(waited.error().message, HasSubstr("cannot "));
}

// ---- Readiness

class FreshCacheTest : public CacheKnowledgeTest {
 protected:
  /// Syncs, and waits until the watch is open.
  void Follow() {
    Make({.clock = clock_});
    const auto informer = Informer();
    StartAndSync();
    ASSERT_TRUE(server_.WaitForOpenWatches(kWatches, 1));
    ASSERT_TRUE(Eventually(
        60s, [&] { return informer.Status().state == cache::ReflectorState::kWatching; }));
    EXPECT_EQ(factory_->CheckFreshness().ToString(),
              "ok: 1 cache, last proof of life at most 0 s ago");
  }

  const std::shared_ptr<testing::FakeClock> clock_ =
      std::make_shared<testing::FakeClock>(Clock::TimePoint(1h));
};

INSTANTIATE_TEST_SUITE_P(Modes, FreshCacheTest, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Streaming" : "Listing"; });

TEST_P(FreshCacheTest, AStalledWatchMakesTheCacheStaleWithItsNameAndAge) {
  Follow();
  ASSERT_EQ(server_.StallWatches(kWatches), 1u);
  ASSERT_TRUE(Maps().Create(Map("a", "1")));
  clock_->Step(90s);
  EXPECT_TRUE(factory_->CheckFreshness().ok()) << "as old as it may be";
  clock_->Step(1s);
  const auto stale = factory_->CheckFreshness();
  EXPECT_FALSE(stale.ok());
  EXPECT_EQ(stale.ToString(), "not fresh: configmaps: watching, last proof of life 91 s ago");
  EXPECT_TRUE(factory_->CheckFreshness(100s).ok());
}

TEST_P(FreshCacheTest, ABookmarkMakesAQuietWatchFreshAgain) {
  Follow();
  clock_->Step(5min);
  EXPECT_FALSE(factory_->CheckFreshness().ok());
  ASSERT_EQ(server_.SendBookmark(kWatches), 1u);
  EXPECT_TRUE(Eventually(60s, [&] { return factory_->CheckFreshness().ok(); }));
}

TEST_P(CacheKnowledgeTest, OneCacheThatNeverSyncedMakesAllUnready) {
  server_.SetForbidden({{.match = {.resource = "secrets"}}});
  Make();
  const auto maps = Informer();
  const auto secrets = factory_->For<corev1::Secret>().Informer();
  EXPECT_THAT(factory_->CheckFreshness().ToString(),
              AllOf(HasSubstr("configmaps: not started"), HasSubstr("secrets: not started")));
  factory_->Start(stop_.get_token());
  ASSERT_TRUE(
      Eventually(60s, [&] { return maps.HasSynced() && secrets.Status().lastError.has_value(); }));
  const auto answer = factory_->CheckFreshness();
  EXPECT_FALSE(answer.ok());
  EXPECT_EQ(answer.informers, 2u);
  ASSERT_EQ(answer.stale.size(), 1u);
  EXPECT_EQ(answer.stale[0].age, std::nullopt);
  EXPECT_THAT(answer.ToString(), StartsWith("not fresh: secrets: "));
  EXPECT_THAT(answer.ToString(), HasSubstr("forbidden"));
}

TEST_P(CacheKnowledgeTest, AStoppedFactoryIsNotFresh) {
  Make();
  (void)Informer();
  StartAndSync();
  stop_.request_stop();
  factory_->Shutdown();
  EXPECT_THAT(factory_->CheckFreshness().ToString(), StartsWith("not fresh: configmaps: stopped"));
}

// ---- Metrics

class OneInformerProvider final : public cache::MetricsProvider {
 public:
  std::shared_ptr<cache::InformerMetrics> NewInformerMetrics(
      const cache::InformerLabels& labels) override {
    names.push_back(labels.name + " " + labels.resource.resource);
    return metrics;
  }
  std::vector<std::string> names;
  const std::shared_ptr<RecordingMetrics> metrics = std::make_shared<RecordingMetrics>();
};

/// Of a line of RecordingMetrics: "..., 12 bytes...".
std::uint64_t BytesOf(const std::string& line) {
  return std::stoull(line.substr(line.find(',') + 1));
}

TEST_P(CacheKnowledgeTest, TheFactoryMeasuresItsInformersUnderItsName) {
  const auto provider = std::make_shared<OneInformerProvider>();
  Make({.metrics = provider, .name = cache::InformerName::New("measured").value()});
  server_.Add(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"d","name":"a"}})");
  const auto informer = Informer();
  StartAndSync();
  ASSERT_TRUE(server_.WaitForOpenWatches(kWatches, 1));
  const auto written = Maps().Create(Map("b", std::string(1000, 'x'))).value();
  ASSERT_TRUE(informer.WaitForResourceVersion(written.metadata.resourceVersion, 60s, {}));
  stop_.request_stop();
  factory_->Shutdown();

  EXPECT_THAT(provider->names, ElementsAre("measured configmaps"));
  EXPECT_TRUE(cache::InformerName::New("measured").has_value()) << "released with the factory";
  EXPECT_THAT(provider->metrics->Lines("relist"), ElementsAre("relist: initial"));
  EXPECT_THAT(provider->metrics->Lines(GetParam() ? "stream of" : "list of"),
              ElementsAre(StartsWith(GetParam() ? "stream of 1, " : "list of 1, ")));
  EXPECT_THAT(provider->metrics->Lines("watch opened").size(), 1u);
  EXPECT_EQ(provider->metrics->Lines("at ").back(), "at " + written.metadata.resourceVersion);
  EXPECT_GT(BytesOf(provider->metrics->Lines("event").back()), 1000u) << "that of the write";
  if (!GetParam()) {
    EXPECT_GT(BytesOf(provider->metrics->Lines("list of").front()), 100u);
  }
}

}  // namespace
}  // namespace k8s::test
