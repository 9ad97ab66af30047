#include <k8s/cache/shared_informer.hpp>
#include <k8s/log.hpp>

#include <atomic>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <vector>

#include "informer_fixture.hpp"

namespace k8s::cache {
namespace {

using test::Gate;
using test::Item;
using test::Recorder;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

/// Waits for what no callback tells.
template <class Predicate>
void WaitUntil(Predicate done) {
  while (!done()) std::this_thread::yield();
}

/// Handlers are told in the order of their registration: what the last one has heard of is in the
/// queues of all.
class PendingPolicyTest : public test::InformerFixture {
 protected:
  ~PendingPolicyTest() override {
    gate_.Open();
    Stop();
    log::SetSink({});
  }

  /// A handler that waits in its first callback until `gate_` is open.
  ResourceEventHandlerRegistration RegisterHeld(Recorder& recorder, HandlerOptions options) {
    auto handler = recorder.Handler();
    handler.onAdd = [this, next = handler.onAdd](const ObjectPtr<Item>& item, bool initial) {
      entered_.Open();
      gate_.Wait();
      next(item, initial);
    };
    return informer_.AddEventHandler(handler, std::move(options)).value();
  }
  void AddItems(int count) {
    for (int i = 0; i < count; ++i) source_->Add({.name = std::to_string(i)});
  }
  [[nodiscard]] bool WaitsForHandler() const { return informer_.Status().waitsForHandler; }

  Gate entered_;
  Gate gate_;
};

TEST_F(PendingPolicyTest, ABoundOfNothingIsRefused) {
  for (const auto policy : {PendingPolicy::kBlock, PendingPolicy::kDrop}) {
    const auto added = informer_.AddEventHandler(ResourceEventHandlerFuncs<Item>{},
                                                 {.pending = policy, .maxPending = 0});
    ASSERT_FALSE(added.has_value());
    EXPECT_EQ(added.error().kind, ErrorKind::kInvalidArgument);
  }
}

TEST_F(PendingPolicyTest, BlockMakesTheInformerWaitForTheHandler) {
  Recorder slow;
  Recorder other;
  const auto registration = RegisterHeld(slow, {.pending = PendingPolicy::kBlock, .maxPending = 2});
  Register(other);
  StartAndSync();
  AddItems(10);
  WaitUntil([&] { return WaitsForHandler(); });
  EXPECT_EQ(informer_.GetIndexer().size(), 2u) << "nothing more is read";
  EXPECT_EQ(registration.Stats().pending, 2u);
  entered_.Wait();  // The handler is behind the mark of the initial state then.
  EXPECT_TRUE(registration.HasSynced());
  gate_.Open();
  Settle({&slow, &other});
  EXPECT_EQ(registration.Stats().highestPending, 2u);
  EXPECT_THAT(Take(slow), SizeIs(10));
  WaitUntil([&] { return !WaitsForHandler(); });
}

TEST_F(PendingPolicyTest, TheObjectsThatAreThereDoNotCountAgainstABound) {
  AddItems(20);
  StartAndSync();
  for (const auto policy : {PendingPolicy::kBlock, PendingPolicy::kDrop}) {
    Recorder recorder;
    const auto registration = Register(recorder, {.pending = policy, .maxPending = 1});
    EXPECT_TRUE(registration.WaitForSync(std::chrono::minutes(1), {}));
    EXPECT_THAT(recorder.Events(), SizeIs(20));
    EXPECT_FALSE(registration.Stats().overflowed);
    informer_.RemoveEventHandler(registration);
  }
}

TEST_F(PendingPolicyTest, AStopEndsTheWaitForAHandler) {
  Recorder slow;
  RegisterHeld(slow, {.pending = PendingPolicy::kBlock, .maxPending = 1});
  std::stop_source stop;
  std::thread running([&] { EXPECT_TRUE(informer_.Run(stop.get_token()).has_value()); });
  EXPECT_TRUE(informer_.core()->WaitForSync({}));
  AddItems(3);
  WaitUntil([&] { return WaitsForHandler(); });
  stop.request_stop();
  WaitUntil([&] { return !WaitsForHandler(); });  // The handler still runs.
  EXPECT_EQ(slow.Events().size(), 0u);
  gate_.Open();
  running.join();
}

TEST_F(PendingPolicyTest, ARemovalEndsTheWaitForAHandler) {
  Recorder slow;
  Recorder other;
  const auto registration = RegisterHeld(slow, {.pending = PendingPolicy::kBlock, .maxPending = 1});
  Register(other);
  StartAndSync();
  AddItems(3);
  WaitUntil([&] { return WaitsForHandler(); });
  entered_.Wait();
  std::thread removing([&] { informer_.RemoveEventHandler(registration); });
  Settle({&other});  // While the handler still runs.
  gate_.Open();
  removing.join();
  EXPECT_THAT(slow.Events(), SizeIs(1));
  EXPECT_EQ(registration.Stats().dropped, 0u) << "the other two came after the removal";
}

TEST_F(PendingPolicyTest, CoalesceTellsTheWayToTheNewestState) {
  source_->Add({.name = "kept", .value = "1"});
  source_->Add({.name = "gone", .value = "1"});
  StartAndSync();
  Recorder slow;
  Recorder other;
  std::atomic<bool> held = false;
  auto handler = slow.Handler();
  handler.onAdd = [&, next = handler.onAdd](const ObjectPtr<Item>& item, bool initial) {
    if (item->name == "hold") {
      held = true;
      gate_.Wait();
    }
    next(item, initial);
  };
  const auto registration =
      informer_.AddEventHandler(handler, {.pending = PendingPolicy::kCoalesce}).value();
  Register(other);  // Told after the slow one of each thing.
  EXPECT_TRUE(registration.WaitForSync(std::chrono::minutes(1), {}));
  Take(slow);
  source_->Add({.name = "hold"});
  WaitUntil([&] { return held.load(); });
  for (const char* value : {"2", "3", "4"}) source_->Modify({.name = "kept", .value = value});
  source_->Add({.name = "brief", .value = "1"});
  source_->Delete({.name = "brief", .value = "2"});
  source_->Delete({.name = "gone", .value = "2"});
  source_->Add({.name = "gone", .value = "3", .uid = "another"});
  source_->Add({.name = "new", .value = "1"});
  source_->Modify({.name = "new", .value = "2"});
  Settle({&other});
  EXPECT_EQ(registration.Stats().pending, 6u) << "with the running one and Settle's";
  gate_.Open();
  slow.WaitFor("add new=2");
  EXPECT_THAT(Take(slow), ElementsAre("add hold=", "update kept=1 to 4", "delete gone=2",
                                      "add gone=3", "add new=2"));
  WaitUntil([&] { return registration.Stats().pending == 0; });
  const auto stats = registration.Stats();
  EXPECT_EQ(stats.coalesced, 5u);
  EXPECT_EQ(stats.delivered, 8u);
  EXPECT_EQ(stats.highestPending, 6u);
}

TEST_F(PendingPolicyTest, DropRemovesAHandlerThatFallsTooFarBehind) {
  std::mutex mutex;
  std::vector<std::string> lines;
  log::SetSink([&](log::Level level, std::string_view line) {
    const std::lock_guard lock(mutex);
    if (level == log::Level::kError) lines.emplace_back(line);
  });
  Recorder slow;
  Recorder other;
  std::vector<HandlerStats> told;
  const auto registration =
      RegisterHeld(slow, {.pending = PendingPolicy::kDrop,
                          .maxPending = 3,
                          .onDropped = [&](const HandlerStats& stats) { told.push_back(stats); },
                          .name = "laggard"});
  Register(other);
  StartAndSync();
  source_->Add({.name = "first"});
  entered_.Wait();
  AddItems(10);
  Settle({&other});
  EXPECT_TRUE(registration.Stats().overflowed);
  EXPECT_EQ(registration.Stats().highestPending, 4u);
  EXPECT_EQ(registration.Stats().pending, 0u);
  EXPECT_EQ(informer_.Status().handlers, 1u);
  EXPECT_EQ(informer_.Status().handlersDropped, 1u);
  {
    const std::lock_guard lock(mutex);
    EXPECT_THAT(lines, ElementsAre("the event handler \"laggard\" of items was dropped: more than "
                                   "3 notifications were pending"));
  }
  gate_.Open();
  informer_.RemoveEventHandler(registration);  // Waits for the handler's end.
  EXPECT_THAT(slow.Events(), ElementsAre("add first="));
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_TRUE(told[0].overflowed);
  EXPECT_EQ(told[0].delivered, 1u);
  EXPECT_EQ(told[0].dropped, 3u);
  EXPECT_EQ(informer_.Status().handlersDropped, 1u);
}

TEST_F(PendingPolicyTest, ADroppedHandlerMayStartAgain) {
  Recorder slow;
  Recorder again;
  Gate restarted;
  const auto registration = RegisterHeld(
      slow,
      {.pending = PendingPolicy::kDrop, .maxPending = 1, .onDropped = [&](const HandlerStats&) {
         Register(again);
         restarted.Open();
       }});
  Recorder other;
  Register(other);
  StartAndSync();
  AddItems(5);
  Settle({&other});  // The held one has been dropped then.
  gate_.Open();
  restarted.Wait();
  Settle({&again});
  EXPECT_THAT(Take(again), SizeIs(5));
}

/// What a handler may do under every policy.
class EveryPolicyTest : public PendingPolicyTest,
                        public ::testing::WithParamInterface<PendingPolicy> {
 protected:
  [[nodiscard]] static HandlerOptions Options() {
    return {.pending = GetParam(), .maxPending = 1000};
  }
};

INSTANTIATE_TEST_SUITE_P(Policies, EveryPolicyTest,
                         ::testing::Values(PendingPolicy::kUnbounded, PendingPolicy::kBlock,
                                           PendingPolicy::kCoalesce, PendingPolicy::kDrop),
                         [](const auto& test) { return std::string(ToString(test.param)); });

TEST_P(EveryPolicyTest, AThrowingHandlerGetsTheNextEvent) {
  log::SetSink([](log::Level, std::string_view) {});
  Recorder recorder;
  auto handler = recorder.Handler();
  handler.onAdd = [next = handler.onAdd](const ObjectPtr<Item>& item, bool initial) {
    if (item->name == "bad") throw std::runtime_error("bad day");
    next(item, initial);
  };
  const auto registration = informer_.AddEventHandler(handler, Options()).value();
  StartAndSync();
  source_->Add({.name = "bad"});
  Settle({&recorder});
  Stop();
  EXPECT_EQ(registration.Stats().failed, 1u);
  EXPECT_EQ(registration.Stats().delivered, 1u);
}

TEST_P(EveryPolicyTest, AHandlerMayAddAndRemoveHandlersAndItself) {
  Recorder added;
  Recorder removed;
  const auto removed_registration = Register(removed, Options());
  std::optional<ResourceEventHandlerRegistration> own;
  std::atomic<int> called = 0;
  Gate registered;
  own = informer_
            .AddEventHandler({.onAdd =
                                  [&](const ObjectPtr<Item>&, bool) {
                                    registered.Wait();
                                    ++called;
                                    Register(added, Options());
                                    informer_.RemoveEventHandler(removed_registration);
                                    informer_.RemoveEventHandler(*own);
                                  }},
                             Options())
            .value();
  registered.Open();
  StartAndSync();
  source_->Add({.name = "a"});
  added.WaitFor("initial a=");
  Settle({&added});
  Stop();
  EXPECT_EQ(called, 1);
  EXPECT_EQ(removed_registration.Stats().pending, 0u);
}

TEST_P(EveryPolicyTest, AHandlerMayStopItsInformer) {
  std::stop_source stop;
  ASSERT_TRUE(
      informer_
          .AddEventHandler({.onAdd = [&](const ObjectPtr<Item>&, bool) { stop.request_stop(); }},
                           Options())
          .has_value());
  source_->Add({.name = "a"});
  EXPECT_TRUE(informer_.Run(stop.get_token()).has_value());
}

TEST_P(EveryPolicyTest, ASlowHandlerGetsToTheNewestState) {
  Recorder slow;
  Recorder other;
  const auto registration = RegisterHeld(slow, Options());
  Register(other);
  StartAndSync();
  source_->Add({.name = "a", .value = "0"});
  entered_.Wait();
  for (int i = 1; i <= 100; ++i) source_->Modify({.name = "a", .value = std::to_string(i)});
  Settle({&other});
  gate_.Open();
  Settle({&slow});
  const auto events = Take(slow);
  EXPECT_THAT(events, SizeIs(GetParam() == PendingPolicy::kCoalesce ? 2 : 101));
  EXPECT_THAT(events.back(), HasSubstr(" to 100"));
}

// The update that took the object out of the filter may be one that the handler never had.
TEST_P(EveryPolicyTest, AFilterPassesOnTheDeletionOfWhatItHasPassedOn) {
  Recorder recorder;
  Recorder other;
  auto handler = recorder.Handler();
  handler.onAdd = [this, next = handler.onAdd](const ObjectPtr<Item>& item, bool initial) {
    next(item, initial);
    if (item->name != "hold") return;
    entered_.Open();
    gate_.Wait();
  };
  ASSERT_TRUE(informer_
                  .AddEventHandler(
                      FilteringResourceEventHandler<Item>{
                          .filter = [](const Item& item) { return item.value != "no"; },
                          .handler = handler},
                      Options())
                  .has_value());
  Register(other);
  StartAndSync();
  source_->Add({.name = "in", .value = "1"});
  source_->Add({.name = "out", .value = "no"});
  source_->Add({.name = "hold"});
  entered_.Wait();
  source_->Modify({.name = "in", .value = "no"});
  source_->Delete({.name = "in", .value = "no"});
  source_->Modify({.name = "out", .value = "2"});
  source_->Delete({.name = "out", .value = "2"});
  Settle({&other});
  gate_.Open();
  Settle({&recorder});
  const auto events = Take(recorder);
  if (GetParam() == PendingPolicy::kCoalesce) {
    EXPECT_THAT(events, ElementsAre("add in=1", "add hold=", "delete in=no"));
  } else {
    EXPECT_THAT(events,
                ElementsAre("add in=1", "add hold=", "delete in=1", "add out=2", "delete out=2"));
  }
}

}  // namespace
}  // namespace k8s::cache
