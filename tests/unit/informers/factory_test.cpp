#include <k8s/apis/meta/v1.hpp>
#include <k8s/cache/listwatch.hpp>
#include <k8s/fields.hpp>
#include <k8s/informers/factory.hpp>
#include <k8s/labels/selector.hpp>
#include <k8s/log.hpp>
#include <k8s/testing/fake_clock.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "support/event_recorder.hpp"

namespace {

struct Apple {
  k8s::ObjectRef metadata;
  std::string color;
};
struct Pear {
  k8s::ObjectRef metadata;
};
/// The same resource as Apple.
struct AppleName {
  k8s::ObjectRef metadata;
};

}  // namespace

CLIENT_CPP_FIELDS(Apple, metadata, color);
CLIENT_CPP_RESOURCE(Apple, .group = "fruit.test", .version = "v1", .kind = "Apple",
                    .plural = "apples");
CLIENT_CPP_FIELDS(Pear, metadata);
CLIENT_CPP_RESOURCE(Pear, .group = "fruit.test", .version = "v1", .kind = "Pear",
                    .plural = "pears");
CLIENT_CPP_FIELDS(AppleName, metadata);
CLIENT_CPP_RESOURCE(AppleName, .group = "fruit.test", .version = "v1", .kind = "Apple",
                    .plural = "apples");

namespace k8s::test {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using namespace std::chrono_literals;
using cache::SyncReason;
using informers::SharedInformerFactory;

/// A server in memory: lists what it is given as JSON, or fails; its watches stay silent.
class FakeServer {
 public:
  void Serve(const std::string& plural, std::vector<std::string> objects) {
    const std::lock_guard lock(mutex_);
    objects_[plural] = std::move(objects);
    errors_.erase(plural);
  }
  void Fail(const std::string& plural, Error error) {
    const std::lock_guard lock(mutex_);
    errors_[plural] = std::move(error);
  }

  informers::ListerWatcherFunc ListerWatchers() {
    return [this](std::shared_ptr<const runtime::ObjectType> type) {
      ++made;
      return std::make_shared<cache::ListWatch>(
          [this, type](const metav1::ListOptions&, const cache::VisitFunc& visit, std::stop_token) {
            return List(*type, visit);
          },
          [this](const metav1::ListOptions& options, std::stop_token) {
            if (options.sendInitialEvents) ++streams;
            return Result<std::unique_ptr<watch::Interface>>(std::make_unique<SilentWatch>());
          },
          streaming);
    };
  }

  std::atomic<int> made = 0;
  std::atomic<int> streams = 0;
  bool streaming = false;

 private:
  struct SilentWatch final : watch::Interface {
    Result<std::optional<watch::Event>> Next(std::stop_token stop) override {
      std::mutex mutex;
      std::condition_variable_any never;
      std::unique_lock lock(mutex);
      never.wait(lock, stop, [] { return false; });
      return Cancelled("watch");
    }
  };

  Result<cache::ListResult> List(const runtime::ObjectType& type, const cache::VisitFunc& visit) {
    const std::lock_guard lock(mutex_);
    const auto error = errors_.find(type.info.plural);
    if (error != errors_.end()) return error->second;
    for (const auto& json : objects_[type.info.plural]) {
      visit(type.decode(type, json).value());
    }
    return cache::ListResult{.resourceVersion = "10"};
  }

  std::mutex mutex_;
  std::map<std::string, std::vector<std::string>> objects_;
  std::map<std::string, Error> errors_;
};

std::string Json(const std::string& kind, const std::string& name) {
  return R"({"apiVersion":"fruit.test/v1","kind":")" + kind + R"(","metadata":{"name":")" + name +
         R"(","namespace":"ns","resourceVersion":"5"},"color":"red"})";
}

const GroupVersionResource kApples{"fruit.test", "v1", "apples"};
const Error kForbidden{.kind = ErrorKind::kStatus,
                       .code = 403,
                       .reason = "Forbidden",
                       .message = "apples is forbidden"};

class FactoryTest : public ::testing::Test {
 protected:
  FactoryTest() {
    k8s::log::SetSink({});
    server_.Serve("apples", {Json("Apple", "a"), Json("Apple", "b")});
    server_.Serve("pears", {Json("Pear", "p")});
  }

  SharedInformerFactory& Factory(informers::FactoryOptions options = {}) {
    return factory_.emplace(server_.ListerWatchers(), std::move(options));
  }
  void ExpectSynced() {
    const auto synced = factory_->WaitForCacheSync(stop_.get_token(), 60s);
    EXPECT_TRUE(synced.has_value()) << synced.error().ToString();
  }

  FakeServer server_;
  std::stop_source stop_;
  std::optional<SharedInformerFactory> factory_;
};

TEST_F(FactoryTest, ALambdaThatThrowsWhileListingIsAReasonAndNoCrash) {
  SharedInformerFactory factory([](std::shared_ptr<const runtime::ObjectType>) {
    return std::make_shared<cache::ListWatch>(
        [](const metav1::ListOptions&, const cache::VisitFunc&,
           std::stop_token) -> Result<cache::ListResult> { throw std::runtime_error("mine"); },
        [](const metav1::ListOptions&, std::stop_token)
            -> Result<std::unique_ptr<watch::Interface>> { throw std::runtime_error("mine"); },
        false);
  });
  (void)factory.For<Apple>().Lister();
  factory.Start(stop_.get_token());
  const auto synced = factory.WaitForCacheSync(stop_.get_token(), 200ms);
  ASSERT_FALSE(synced.has_value());
  EXPECT_EQ(synced.error().informers.at(0).reason, cache::SyncReason::kInternal);
  EXPECT_NE(synced.error().ToString().find("threw: mine"), std::string::npos);
}

// A handler may hold its own informer; a factory that ends lets go of both.
TEST_F(FactoryTest, TheHandlersOfInformersThatNeverStartedAreFreed) {
  const auto canary = std::make_shared<int>(1);
  {
    auto informer = Factory().For<Apple>().Informer();
    ASSERT_TRUE(
        informer.AddEventHandler({.onAdd = [informer, canary](const ObjectPtr<Apple>&, bool) {}}));
    EXPECT_GT(canary.use_count(), 1);
  }
  factory_.reset();
  EXPECT_EQ(canary.use_count(), 1);
}

TEST_F(FactoryTest, ShutdownStopsWhatNobodyElseCan) {
  auto& factory = Factory();
  const auto apples = factory.For<Apple>().Informer();
  factory.Start({});
  ExpectSynced();
  factory.Shutdown();
  EXPECT_TRUE(apples.IsStopped());
}

TEST_F(FactoryTest, HasOneInformerPerTypeWhoeverAsks) {
  auto& factory = Factory();
  const auto apples = factory.For<Apple>().Informer().core();
  EXPECT_EQ(factory.For<Apple>().Informer().core(), apples);
  EXPECT_EQ(factory.For<Apple>().Lister().List(labels::Everything()).size(), 0u);
  EXPECT_EQ(server_.made, 1);
  EXPECT_NE(factory.For<AppleName>().Informer().core(), apples);
  const auto generic = factory.ForResource(kApples).Informer().core();
  EXPECT_NE(generic, apples);
  EXPECT_EQ(factory.ForResource(kApples).Informer().core(), generic);
  EXPECT_EQ(server_.made, 3);
}

TEST_F(FactoryTest, HasOneMetadataInformerPerResourceBesideTheOthers) {
  auto& factory = Factory();
  const auto metadata = factory.ForMetadata(kApples).Informer();
  EXPECT_EQ(factory.ForMetadata(kApples).Informer().core(), metadata.core());
  const auto generic = factory.ForResource(kApples).Informer();
  const auto typed = factory.For<Apple>().Informer();
  EXPECT_NE(generic.core(), metadata.core());
  EXPECT_EQ(server_.made, 3);
  factory.Start(stop_.get_token());
  ExpectSynced();
  const auto apple = factory.ForMetadata(kApples).Lister().Namespace("ns").Get("a").value();
  EXPECT_EQ(apple->metadata.resourceVersion, "5");
  factory.StopMetadataInformer(kApples);
  EXPECT_TRUE(metadata.IsStopped());
  EXPECT_FALSE(generic.IsStopped());
  EXPECT_FALSE(typed.IsStopped());
  EXPECT_NE(factory.ForMetadata(kApples).Informer().core(), metadata.core());
}

TEST_F(FactoryTest, MakesNothingBeforeInformerOrListerIsCalled) {
  auto& factory = Factory();
  const auto apples = factory.For<Apple>();
  const auto pods = factory.Core().V1();
  factory.Start(stop_.get_token());
  ExpectSynced();
  EXPECT_EQ(server_.made, 0);
}

TEST_F(FactoryTest, AnInformerThatManyThreadsAskForAtOnceIsOne) {
  auto& factory = Factory();
  std::vector<std::future<cache::SharedInformerCore*>> asked;
  for (int i = 0; i < 8; ++i) {
    asked.push_back(std::async(std::launch::async,
                               [&] { return factory.For<Apple>().Informer().core().get(); }));
  }
  auto* const first = asked[0].get();
  for (std::size_t i = 1; i < asked.size(); ++i) EXPECT_EQ(asked[i].get(), first);
}

TEST_F(FactoryTest, FillsListersAndTellsHandlers) {
  auto& factory = Factory();
  EventRecorder<Apple> seen;
  ASSERT_TRUE(factory.For<Apple>().Informer().AddEventHandler(seen.Handlers()));
  const auto apples = factory.For<Apple>().Lister();
  factory.Start(stop_.get_token());
  ExpectSynced();
  EXPECT_THAT(apples.List(labels::Everything()), SizeIs(2));
  EXPECT_EQ(apples.Namespace("ns").Get("a").value()->color, "red");
  EXPECT_TRUE(IsNotFound(apples.Namespace("ns").Get("none").error()));
  EXPECT_TRUE(seen.WaitForCount(2));
}

TEST_F(FactoryTest, ServesUnstructuredObjectsOfAnyResource) {
  auto& factory = Factory();
  const auto apples = factory.ForResource(kApples).Lister();
  factory.Start(stop_.get_token());
  ExpectSynced();
  const auto apple = apples.Namespace("ns").Get("b").value();
  EXPECT_EQ(apple->GetKind(), "Apple");
  EXPECT_EQ(apple->NestedString({"color"}), "red");
}

// client-go: TestListerListMethod, TestNamespaceListMethod, TestNamespaceGetMethod (dynamiclister)
TEST_F(FactoryTest, ListsUnstructuredObjectsByNamespaceAndSelector) {
  const auto labelled = [](const std::string& ns, const std::string& name, const std::string& app) {
    return R"({"apiVersion":"fruit.test/v1","kind":"Apple","metadata":{"name":")" + name +
           R"(","namespace":")" + ns + R"(","labels":{"app":")" + app + R"("}}})";
  };
  server_.Serve("apples",
                {labelled("one", "a", "x"), labelled("one", "b", "y"), labelled("two", "c", "x")});
  auto& factory = Factory();
  const auto apples = factory.ForResource(kApples).Lister();
  factory.Start(stop_.get_token());
  ExpectSynced();
  const auto x = labels::Parse("app=x").value();
  EXPECT_THAT(apples.List(labels::Everything()), SizeIs(3));
  EXPECT_THAT(apples.List(x), SizeIs(2));
  EXPECT_THAT(apples.Namespace("one").List(labels::Everything()), SizeIs(2));
  const auto found = apples.Namespace("one").List(x);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0]->GetName(), "a");
  const auto absent = apples.Namespace("two").Get("a");
  ASSERT_FALSE(absent.has_value());
  EXPECT_TRUE(IsNotFound(absent.error()));
  EXPECT_EQ(absent.error().resource, "apples");
}

TEST_F(FactoryTest, StartAgainStartsWhatWasAskedForSince) {
  auto& factory = Factory();
  const auto apples = factory.For<Apple>().Informer();
  factory.Start(stop_.get_token());
  factory.Start(stop_.get_token());
  ExpectSynced();
  const auto pears = factory.For<Pear>().Lister();
  factory.Start(stop_.get_token());
  ExpectSynced();
  EXPECT_THAT(pears.List(labels::Everything()), SizeIs(1));
  EXPECT_TRUE(apples.HasSynced());
}

TEST_F(FactoryTest, AHandlerMayAskForMoreAndStartIt) {
  auto& factory = Factory();
  EventRecorder<Pear> pears;
  ASSERT_TRUE(factory.For<Apple>().Informer().AddEventHandler(
      {.onAdd = [&](const ObjectPtr<Apple>& apple, bool) {
        if (apple->metadata.name != "a") return;
        (void)factory.For<Pear>().Informer().AddEventHandler(pears.Handlers());
        factory.Start(stop_.get_token());
      }}));
  factory.Start(stop_.get_token());
  EXPECT_TRUE(pears.WaitForCount(1));
}

TEST_F(FactoryTest, ReportsAnInformerThatWasNeverStarted) {
  auto& factory = Factory();
  (void)factory.For<Apple>().Informer();
  factory.Start(stop_.get_token());
  (void)factory.For<Pear>().Lister();
  const auto synced = factory.WaitForCacheSync(stop_.get_token(), 60s);
  ASSERT_FALSE(synced.has_value());
  ASSERT_THAT(synced.error().informers, SizeIs(1));
  EXPECT_EQ(synced.error().informers[0].reason, SyncReason::kNotStarted);
  EXPECT_THAT(synced.error().ToString(), HasSubstr("pears.fruit.test: not started"));
}

TEST_F(FactoryTest, SaysWhichInformerHasNotSyncedAndWhyWhenTheTimeIsOver) {
  const auto clock = std::make_shared<testing::FakeClock>();
  server_.Fail("apples", kForbidden);
  std::atomic<int> failures = 0;
  auto& factory = Factory({.watchErrorHandler =
                               [&](const ResourceInfo& resource, const Error& error) {
                                 EXPECT_EQ(resource.plural, "apples");
                                 EXPECT_TRUE(IsForbidden(error));
                                 failures.fetch_add(1);
                               },
                           .clock = clock});
  (void)factory.For<Apple>().Informer();
  const auto pears = factory.For<Pear>().Informer();
  factory.Start(stop_.get_token());
  ASSERT_TRUE(pears.core()->WaitForSync({}));
  auto waiting = std::async(std::launch::async,
                            [&] { return factory.WaitForCacheSync(stop_.get_token(), 30s); });
  clock->WaitForSleepers(2);  // The reflector after its failure, and the deadline.
  clock->Step(30s);
  const auto synced = waiting.get();
  ASSERT_FALSE(synced.has_value());
  EXPECT_FALSE(synced.error().cancelled);
  ASSERT_THAT(synced.error().informers, SizeIs(1));
  EXPECT_EQ(synced.error().informers[0].reason, SyncReason::kForbidden);
  EXPECT_EQ(synced.error().ToString(),
            "not synced: apples.fruit.test: list: forbidden: apples is forbidden");
  EXPECT_GE(failures.load(), 1);

  // It keeps trying.
  server_.Serve("apples", {Json("Apple", "a")});
  std::jthread ticker([&](std::stop_token stop) {
    while (clock->WaitForSleepers(1, stop)) clock->Step(1min);
  });
  EXPECT_TRUE(factory.For<Apple>().Informer().core()->WaitForSync(stop_.get_token()));
  ticker.request_stop();
}

TEST_F(FactoryTest, AStopEndsTheWait) {
  server_.Fail("apples", kForbidden);
  auto& factory = Factory();
  (void)factory.For<Apple>().Informer();
  factory.Start({});
  auto waiting = std::async(std::launch::async,
                            [&] { return factory.WaitForCacheSync(stop_.get_token(), 1h); });
  stop_.request_stop();
  const auto synced = waiting.get();
  ASSERT_FALSE(synced.has_value());
  EXPECT_TRUE(synced.error().cancelled);
  EXPECT_THAT(synced.error().informers, SizeIs(1));
}

TEST_F(FactoryTest, AnInformerThatStopsEndsTheWait) {
  server_.Fail("apples", kForbidden);
  auto& factory = Factory();
  const auto apples = factory.For<Apple>().Informer();
  factory.Start(stop_.get_token());
  auto waiting = std::async(std::launch::async, [&] { return factory.WaitForCacheSync({}, 1h); });
  while (!apples.Status().lastError) std::this_thread::yield();
  stop_.request_stop();
  const auto synced = waiting.get();
  ASSERT_FALSE(synced.has_value());
  EXPECT_EQ(synced.error().informers.at(0).reason, SyncReason::kForbidden)
      << "the stop is not why it has not synced";
}

TEST_F(FactoryTest, OneInformerCanBeStoppedAlone) {
  auto& factory = Factory();
  const auto apples = factory.For<Apple>().Informer();
  const auto apple_lister = factory.For<Apple>().Lister();
  const auto generic = factory.ForResource(kApples).Informer();
  const auto pears = factory.For<Pear>().Informer();
  factory.Start(stop_.get_token());
  ExpectSynced();
  factory.StopInformer<Apple>();
  EXPECT_TRUE(apples.IsStopped());
  EXPECT_FALSE(generic.IsStopped());
  EXPECT_FALSE(pears.IsStopped());
  EXPECT_THAT(apple_lister.List(labels::Everything()), SizeIs(2));
  factory.StopInformer(kApples);
  EXPECT_TRUE(generic.IsStopped());
  factory.StopInformer<Apple>();  // Nothing to stop.

  EXPECT_NE(factory.For<Apple>().Informer().core(), apples.core());
  factory.Start(stop_.get_token());
  ExpectSynced();
  EXPECT_THAT(factory.For<Apple>().Lister().List(labels::Everything()), SizeIs(2));
}

TEST_F(FactoryTest, ShutdownWaitsForAllThreadsAndLetsNothingStartAfterwards) {
  auto& factory = Factory();
  const auto apples = factory.For<Apple>().Informer();
  factory.Start(stop_.get_token());
  ExpectSynced();
  stop_.request_stop();
  factory.Shutdown();
  EXPECT_TRUE(apples.IsStopped());
  factory.Shutdown();
  const auto pears = factory.For<Pear>().Informer();
  factory.Start({});
  EXPECT_EQ(factory.WaitForCacheSync({}, 0s).error().informers.back().reason,
            SyncReason::kNotStarted);
}

TEST_F(FactoryTest, TheDestructorStopsInformersAndHandlesStillAnswer) {
  auto& factory = Factory();
  const auto typed = factory.For<Apple>();
  const auto informer = typed.Informer();
  const auto lister = typed.Lister();
  std::atomic<bool> destroyed = false;
  std::atomic<bool> called_late = false;
  ASSERT_TRUE(informer.AddEventHandler(
      {.onAdd = [&](const ObjectPtr<Apple>&, bool) { called_late = called_late || destroyed; }}));
  factory.Start({});
  ExpectSynced();
  factory_.reset();
  destroyed = true;
  EXPECT_TRUE(informer.IsStopped());
  EXPECT_THAT(lister.List(labels::Everything()), SizeIs(2));
  EXPECT_THAT(typed.Lister().List(labels::Everything()), SizeIs(2));
  EXPECT_FALSE(called_late);
}

TEST_F(FactoryTest, TransformsObjectsOfAllTypes) {
  std::mutex mutex;
  std::vector<std::string> kinds;
  auto& factory = Factory({.transform = [&](const runtime::ObjectType& type,
                                            runtime::AnyPtr object) -> Result<runtime::AnyPtr> {
    const std::lock_guard lock(mutex);
    kinds.push_back(type.info.kind);
    if (type.info.kind != "Apple") return object;
    Apple apple = *static_cast<const Apple*>(object.get());
    apple.color.clear();
    return runtime::AnyPtr(std::make_shared<Apple>(std::move(apple)));
  }});
  const auto apples = factory.For<Apple>().Lister();
  const auto pears = factory.For<Pear>().Lister();
  factory.Start(stop_.get_token());
  ExpectSynced();
  EXPECT_EQ(apples.Namespace("ns").Get("a").value()->color, "");
  EXPECT_THAT(pears.List(labels::Everything()), SizeIs(1));
  EXPECT_THAT(kinds, SizeIs(3));
}

TEST_F(FactoryTest, ResyncsEachTypeAtItsOwnPeriod) {
  const auto clock = std::make_shared<testing::FakeClock>();
  auto& factory = Factory(
      {.defaultResync = 10s, .customResync = {informers::ResyncFor<Pear>(1h)}, .clock = clock});
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, int> updates;
  const auto count = [&](const std::string& kind) {
    const std::lock_guard lock(mutex);
    ++updates[kind];
    changed.notify_all();
  };
  ASSERT_TRUE(factory.For<Apple>().Informer().AddEventHandler(
      {.onUpdate = [&](const auto&, const auto&) { count("Apple"); }}));
  ASSERT_TRUE(factory.For<Pear>().Informer().AddEventHandler(
      {.onUpdate = [&](const auto&, const auto&) { count("Pear"); }}));
  factory.Start(stop_.get_token());
  clock->WaitForSleepers(2);
  clock->Step(10s);
  std::unique_lock lock(mutex);
  EXPECT_TRUE(changed.wait_for(lock, 60s, [&] { return updates["Apple"] == 2; }));
  EXPECT_EQ(updates["Pear"], 0);
}

TEST_F(FactoryTest, StreamsTheInitialStateUnlessToldNotTo) {
  server_.streaming = true;
  auto& listing = Factory({.useWatchList = false});
  (void)listing.For<Apple>().Informer();
  listing.Start(stop_.get_token());
  ExpectSynced();
  EXPECT_EQ(server_.streams, 0);
}

TEST_F(FactoryTest, TellsHowEachInformerFares) {
  auto& factory = Factory();
  (void)factory.For<Apple>().Informer();
  EXPECT_EQ(factory.Status().at(0).state, cache::ReflectorState::kNotStarted);
  factory.Start(stop_.get_token());
  ExpectSynced();
  const auto status = factory.Status();
  ASSERT_THAT(status, SizeIs(1));
  EXPECT_EQ(status[0].resource, "apples.fruit.test");
  EXPECT_TRUE(status[0].synced);
  EXPECT_EQ(status[0].itemCount, 2u);
  EXPECT_EQ(status[0].lastSyncResourceVersion, "10");
}

}  // namespace
}  // namespace k8s::test
