#include <gtest/gtest.h>
#include <k8s/discovery/cached_discovery.hpp>
#include <k8s/restmapper/rest_mapper.hpp>

#include <atomic>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "support/fake_transport.hpp"

namespace k8s::test {
namespace {

constexpr const char* kCore = R"({"kind":"APIVersions","versions":["v1"]})";
constexpr const char* kGroups =
    R"({"kind":"APIGroupList","groups":[{"name":"g","versions":[{"groupVersion":"g/v1","version":"v1"}],"preferredVersion":{"groupVersion":"g/v1","version":"v1"}}]})";

std::string Resources(const std::string& group_version, const std::string& name) {
  return R"({"kind":"APIResourceList","groupVersion":")" + group_version +
         R"(","resources":[{"name":")" + name +
         R"(","namespaced":true,"kind":"K","shortNames":["k)" + name + R"("],"verbs":["get"]}]})";
}

FakeAnswer Aggregated(std::string body) {
  auto answer = Body(std::move(body));
  answer.headers = {
      {"Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}};
  return answer;
}

class CachedDiscoveryClientTest : public ::testing::Test {
 protected:
  /// Everything in four requests: core, groups, the core's resources, the group's.
  void Serve(FakeAnswer last) {
    transport_->Add(Body(kCore));
    transport_->Add(Body(kGroups));
    transport_->Add(Body(Resources("v1", "pods")));
    transport_->Add(std::move(last));
  }
  void Serve() { Serve(Body(Resources("g/v1", "things"))); }
  /// The group's resources fail twice, as both tries of one question do.
  void ServeBroken(int status) {
    Serve(Body("{}", status));
    transport_->Add(Body("{}", status));
  }
  [[nodiscard]] std::size_t Requests() const { return transport_->requests().size(); }

  std::shared_ptr<FakeTransport> transport_ = std::make_shared<FakeTransport>();
  discovery::CachedDiscoveryClient client_{
      discovery::DiscoveryClient(rest::Client::New({.qps = -1}, transport_))};
};

// client-go: TestClient, TestServerGroupsFails (memory)
TEST_F(CachedDiscoveryClientTest, AsksOnceWhateverIsAsked) {
  Serve();
  EXPECT_FALSE(client_.Fresh());
  EXPECT_EQ(client_.ServerGroups().value().groups.size(), 2U);
  EXPECT_TRUE(client_.Fresh());
  EXPECT_EQ(client_.ServerGroupsAndResources().value().resources.size(), 2U);
  EXPECT_EQ(client_.ServerPreferredResources().value().resources.size(), 2U);
  const auto things = client_.ServerResourcesForGroupVersion("g/v1").value();
  EXPECT_EQ(things.resources.begin()->name, "things");
  EXPECT_TRUE(IsNotFound(client_.ServerResourcesForGroupVersion("h/v1").error()));
  EXPECT_EQ(Requests(), 4U);
}

TEST_F(CachedDiscoveryClientTest, AsksAgainAfterInvalidate) {
  Serve();
  EXPECT_TRUE(client_.ServerGroups());
  const auto copy = client_;
  copy.Invalidate();
  EXPECT_FALSE(client_.Fresh());
  Serve(Body(Resources("g/v1", "others")));
  const auto others = client_.ServerResourcesForGroupVersion("g/v1").value();
  EXPECT_EQ(others.resources.begin()->name, "others");
  EXPECT_EQ(Requests(), 8U);
}

// client-go: TestPartialTransientFailure
TEST_F(CachedDiscoveryClientTest, AsksAgainForWhatFailedForAWhile) {
  for (const int status : {500, 503, 429}) {
    SCOPED_TRACE(status);
    client_.Invalidate();
    const auto before = Requests();
    ServeBroken(status);
    EXPECT_EQ(client_.ServerGroupsAndResources().value().failures.size(), 1U);
    EXPECT_TRUE(client_.ServerResourcesForGroupVersion("v1")) << "nothing is asked for this one";
    EXPECT_TRUE(client_.ServerGroups());
    EXPECT_EQ(Requests() - before, 5U);
    transport_->Add(Body("{}", status));
    EXPECT_EQ(client_.ServerResourcesForGroupVersion("g/v1").error().code, status);
    EXPECT_EQ(Requests() - before, 6U);
    transport_->Add(Body(Resources("g/v1", "things")));
    const auto found = client_.ServerGroupsAndResources().value();
    EXPECT_TRUE(found.failures.empty());
    EXPECT_EQ(found.resources.back().groupVersion, "g/v1");
    EXPECT_EQ(Requests() - before, 7U);
    EXPECT_TRUE(client_.ServerResourcesForGroupVersion("g/v1"));
    EXPECT_EQ(Requests() - before, 7U);
  }
}

// client-go: TestPartialPermanentFailure
TEST_F(CachedDiscoveryClientTest, RemembersARefusalUntilInvalidate) {
  ServeBroken(403);
  EXPECT_EQ(client_.ServerGroupsAndResources().value().failures.size(), 1U);
  EXPECT_EQ(client_.ServerResourcesForGroupVersion("g/v1").error().code, 403);
  EXPECT_EQ(client_.ServerGroupsAndResources().value().failures.size(), 1U);
  EXPECT_EQ(Requests(), 5U);
  client_.Invalidate();
  Serve();
  EXPECT_TRUE(client_.ServerResourcesForGroupVersion("g/v1"));
}

TEST_F(CachedDiscoveryClientTest, ForgetsAFailureOfTheGroups) {
  transport_->Add(Body("{}", 403));
  EXPECT_TRUE(IsForbidden(client_.ServerGroups().error()));
  EXPECT_FALSE(client_.Fresh());
  Serve();
  EXPECT_TRUE(client_.ServerGroups());
}

TEST_F(CachedDiscoveryClientTest, AsksForWhatWasStale) {
  transport_->Add(Aggregated(R"({"kind":"APIGroupDiscoveryList","items":[]})"));
  transport_->Add(Aggregated(
      R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"g"},"versions":[{"version":"v1","freshness":"Stale","resources":[]}]}]})"));
  EXPECT_EQ(client_.ServerGroups().value().groups.begin()->versions.size(), 0U);
  transport_->Add(Body(Resources("g/v1", "things")));
  const auto found = client_.ServerGroupsAndResources().value();
  EXPECT_TRUE(found.failures.empty());
  ASSERT_EQ(found.resources.size(), 1U);
  EXPECT_EQ(found.groups.front().preferredVersion.groupVersion, "g/v1");
  EXPECT_EQ(Requests(), 3U);
}

TEST_F(CachedDiscoveryClientTest, ManyThreadsAskOnce) {
  Serve();
  std::vector<std::future<bool>> asked;
  for (int i = 0; i < 8; ++i) {
    asked.push_back(std::async(std::launch::async, [copy = client_] {
      return copy.ServerResourcesForGroupVersion("g/v1").has_value();
    }));
  }
  for (auto& each : asked) EXPECT_TRUE(each.get());
  EXPECT_EQ(Requests(), 4U);
}

/// Keeps the first request until it is let go, or stopped.
class HeldTransport final : public rest::Transport {
 public:
  explicit HeldTransport(std::shared_ptr<FakeTransport> next) : next_(std::move(next)) {}

  Result<std::unique_ptr<rest::HttpResponse>> RoundTrip(const rest::HttpRequest& request,
                                                        std::stop_token stop) override {
    {
      std::unique_lock lock(mutex_);
      if (!std::exchange(held_, true)) {
        arrived_.notify_all();
        if (!released_.wait(lock, stop, [this] { return free_; })) return Cancelled("request");
      }
    }
    return next_->RoundTrip(request, std::move(stop));
  }
  void AwaitFirst() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return held_; });
  }
  void Release() {
    const std::lock_guard lock(mutex_);
    free_ = true;
    released_.notify_all();
  }

 private:
  const std::shared_ptr<FakeTransport> next_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::condition_variable_any released_;
  bool held_ = false;
  bool free_ = false;
};

class HeldDiscoveryTest : public CachedDiscoveryClientTest {
 protected:
  std::shared_ptr<HeldTransport> held_ = std::make_shared<HeldTransport>(transport_);
  discovery::CachedDiscoveryClient slow_{
      discovery::DiscoveryClient(rest::Client::New({.qps = -1}, held_))};
};

// client-go: TestCancellation and the like: somebody else's stop is nobody else's error.
TEST_F(HeldDiscoveryTest, AStopEndsOneQuestionAndAnotherThreadAsks) {
  std::stop_source stop;
  auto first = std::async(std::launch::async, [&] { return slow_.ServerGroups(stop.get_token()); });
  held_->AwaitFirst();
  Serve();
  auto second = std::async(std::launch::async, [&] { return slow_.ServerGroups(); });
  stop.request_stop();
  EXPECT_EQ(first.get().error().kind, ErrorKind::kCancelled);
  EXPECT_TRUE(second.get());
  EXPECT_EQ(Requests(), 4U);
}

TEST_F(HeldDiscoveryTest, AStopEndsTheWaitForSomebodyElsesAnswer) {
  auto first = std::async(std::launch::async, [&] { return slow_.ServerGroups(); });
  held_->AwaitFirst();
  std::stop_source stop;
  auto second =
      std::async(std::launch::async, [&] { return slow_.ServerGroups(stop.get_token()); });
  stop.request_stop();
  EXPECT_EQ(second.get().error().kind, ErrorKind::kCancelled);
  Serve();
  held_->Release();
  EXPECT_TRUE(first.get());
}

TEST_F(HeldDiscoveryTest, AnAnswerFromBeforeAnInvalidateIsNotKept) {
  auto first = std::async(std::launch::async, [&] { return slow_.ServerGroups(); });
  held_->AwaitFirst();
  slow_.Invalidate();
  Serve();
  held_->Release();
  EXPECT_TRUE(first.get());
  EXPECT_FALSE(slow_.Fresh());
  Serve();
  EXPECT_TRUE(slow_.ServerGroups());
  EXPECT_EQ(Requests(), 8U);
}

// client-go: TestDeferredDiscoveryRESTMapper_CacheMiss
TEST_F(CachedDiscoveryClientTest, AMapperForgetsAnOldCacheOnceOnAMiss) {
  Serve();
  EXPECT_TRUE(client_.ServerGroups());
  restmapper::DeferredDiscoveryRESTMapper mapper(client_);
  EXPECT_EQ(mapper.ResourceFor({"", "", "kthings"}).value().plural, "things");
  EXPECT_EQ(Requests(), 4U) << "the cache was full";
  Serve(Body(Resources("g/v1", "others")));
  EXPECT_EQ(mapper.ResourceFor({"", "", "others"}).value().plural, "others");
  EXPECT_EQ(Requests(), 8U);
  const auto others = client_.ServerResourcesForGroupVersion("g/v1").value();
  EXPECT_EQ(others.resources.begin()->name, "others") << "shared";
  EXPECT_EQ(Requests(), 8U);
}

TEST_F(CachedDiscoveryClientTest, AMapperOverAnEmptyCacheAsksOnce) {
  restmapper::DeferredDiscoveryRESTMapper mapper(client_);
  Serve();
  EXPECT_TRUE(restmapper::IsNoMatch(mapper.ResourceFor({"", "", "none"}).error()));
  EXPECT_EQ(Requests(), 4U);
  mapper.Reset();
  EXPECT_FALSE(client_.Fresh());
}

TEST_F(CachedDiscoveryClientTest, AMapperSeesWhatSomebodyElseInvalidated) {
  restmapper::DeferredDiscoveryRESTMapper mapper(client_);
  Serve();
  EXPECT_TRUE(mapper.ResourceFor({"", "", "things"}));
  client_.Invalidate();
  Serve(Body(Resources("g/v1", "others")));
  EXPECT_TRUE(restmapper::IsNoMatch(mapper.ResourceFor({"", "", "things"}).error()));
  EXPECT_TRUE(mapper.ResourceFor({"", "", "others"}));
  EXPECT_EQ(Requests(), 8U);
}

TEST_F(CachedDiscoveryClientTest, MapperAndCacheAreSharedByThreads) {
  for (int i = 0; i < 50; ++i) Serve();
  restmapper::DeferredDiscoveryRESTMapper mapper(client_);
  std::atomic<int> found = 0;
  std::vector<std::future<void>> asked;
  for (int i = 0; i < 4; ++i) {
    asked.push_back(std::async(std::launch::async, [&, i] {
      for (int n = 0; n < 10; ++n) {
        if (i == 0) mapper.Reset();
        if (mapper.ResourceFor({"", "", "things"})) ++found;
      }
    }));
  }
  for (auto& each : asked) each.get();
  EXPECT_EQ(found, 40);
}

}  // namespace
}  // namespace k8s::test
