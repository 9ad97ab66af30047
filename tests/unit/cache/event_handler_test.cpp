#include <k8s/cache/shared_informer.hpp>
#include <k8s/log.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <semaphore>
#include <stdexcept>
#include <string>

#include "informer_fixture.hpp"

namespace k8s::cache {
namespace {

using namespace std::chrono_literals;
using test::Gate;
using test::Item;
using test::Recorder;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class EventHandlerTest : public test::InformerFixture {};

// client-go: TestAddWhileActive
TEST_F(EventHandlerTest, ALateHandlerHearsOfWhatIsThereAndThenOfChanges) {
  source_->Add({.name = "a", .value = "1"});
  source_->Add({.name = "b", .value = "1"});
  StartAndSync();
  Recorder late;
  const auto registration = Register(late);
  source_->Modify({.name = "a", .value = "2"});
  Settle({&late});
  auto events = Take(late);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events.back(), "update a=1 to 2");
  events.pop_back();
  EXPECT_THAT(events, UnorderedElementsAre("initial a=1", "initial b=1"));
  EXPECT_TRUE(registration.HasSynced());
}

// client-go: TestAddWhileActive
TEST_F(EventHandlerTest, HasSyncedWaitsForTheHandlersInitialAdds) {
  source_->Add({.name = "a"});
  source_->Add({.name = "b"});
  StartAndSync();
  Gate gate;
  std::atomic<int> adds = 0;
  const auto registration = informer_
                                .AddEventHandler({.onAdd =
                                                      [&](const ObjectPtr<Item>&, bool) {
                                                        gate.Wait();
                                                        ++adds;
                                                      }})
                                .value();
  EXPECT_FALSE(registration.HasSynced());
  EXPECT_FALSE(registration.WaitForSync(0ms, {}));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(registration.WaitForSync(stop.get_token()));
  EXPECT_EQ(registration.Stats().pending, 2u);
  gate.Open();
  EXPECT_TRUE(registration.WaitForSync(60s, {}));
  EXPECT_EQ(adds, 2);
  EXPECT_TRUE(registration.HasSynced());
  EXPECT_TRUE(registration.WaitForSync(std::stop_token()));
}

TEST_F(EventHandlerTest, HasSyncedIsFalseUntilTheInformerHasSynced) {
  source_->HoldLists();
  Recorder recorder;
  const auto registration = Register(recorder);
  Start();
  EXPECT_FALSE(registration.HasSynced());
  source_->ReleaseLists();
  EXPECT_TRUE(registration.WaitForSync(60s, {}));
}

TEST_F(EventHandlerTest, WaitForSyncEndsWhenTheHandlerIsRemovedOrTheInformerStops) {
  source_->HoldLists();
  Recorder recorder;
  const auto removed = Register(recorder);
  const auto stopped = Register(recorder);
  Start();
  informer_.RemoveEventHandler(removed);
  EXPECT_FALSE(removed.WaitForSync(std::stop_token()));
  Stop();
  EXPECT_FALSE(stopped.WaitForSync(std::stop_token()));
  EXPECT_FALSE(ResourceEventHandlerRegistration().WaitForSync(std::stop_token()));
}

// client-go: TestSharedInformerRemoveHandler, TestRemovingRemovedSharedInformer
TEST_F(EventHandlerTest, ARemovedHandlerHearsNothingMoreAndOthersGoOn) {
  Recorder kept;
  Recorder removed;
  const auto kept_registration = Register(kept);
  const auto registration = Register(removed);
  StartAndSync();
  Settle({&kept, &removed});
  informer_.RemoveEventHandler(registration);
  const auto events = removed.Events();
  source_->Add({.name = "a"});
  Settle({&kept});
  EXPECT_EQ(removed.Events(), events);
  informer_.RemoveEventHandler(registration);
  informer_.RemoveEventHandler(kept_registration);  // The last one.
  source_->Add({.name = "b"});
  Recorder later;
  Register(later);
  Settle({&later});
}

// client-go: TestSharedInformerRemoveForeignHandler
TEST_F(EventHandlerTest, RemovingAForeignHandlerChangesNothing) {
  auto other = SharedIndexInformer<Item>::New(source_, Fast({}));
  Recorder recorder;
  const auto registration = Register(recorder);
  other.RemoveEventHandler(registration);
  other.RemoveEventHandler(ResourceEventHandlerRegistration());
  StartAndSync();
  Settle({&recorder});
}

// client-go: TestSharedInformerMultipleRegistration
TEST_F(EventHandlerTest, AHandlerThatIsAddedTwiceHearsEverythingTwice) {
  Recorder recorder;
  const auto first = Register(recorder);
  const auto second = Register(recorder);
  StartAndSync();
  source_->Add({.name = "a"});
  recorder.WaitFor("add a=", 2);
  informer_.RemoveEventHandler(first);
  source_->Add({.name = "b"});
  recorder.WaitFor("add b=");
  EXPECT_THAT(recorder.Events(), ElementsAre("add a=", "add a=", "add b="));
  informer_.RemoveEventHandler(second);
  Recorder other;
  Register(other);
  Settle({&other});
  EXPECT_THAT(recorder.Events(), ElementsAre("add a=", "add a=", "add b="));
}

// client-go: TestAddOnStoppedSharedInformer, TestRemoveOnStoppedSharedInformer
TEST_F(EventHandlerTest, AStoppedInformerTakesNoHandlersAndLetsThemGo) {
  Recorder recorder;
  const auto held = std::make_shared<int>();
  const auto registration =
      informer_.AddEventHandler({.onAdd = [held](const ObjectPtr<Item>&, bool) {}}).value();
  StartAndSync();
  EXPECT_EQ(informer_.Status().handlers, 1u);
  EXPECT_EQ(held.use_count(), 2);
  Stop();
  EXPECT_EQ(informer_.AddEventHandler(recorder.Handler()).error().kind, ErrorKind::kClosed);
  informer_.RemoveEventHandler(registration);
  informer_.RemoveEventHandler(registration);
  EXPECT_EQ(informer_.Status().handlers, 0u);
  EXPECT_EQ(held.use_count(), 1) << "the handler is destroyed";
}

// client-go: TestEventPanics. Deviations: no pause, and the handler counts as synced.
TEST_F(EventHandlerTest, AThrowingHandlerGetsTheNextEvent) {
  std::vector<std::string> lines;
  log::SetSink([&](log::Level level, std::string_view line) {
    if (level == log::Level::kError) lines.emplace_back(line);
  });
  source_->Add({.name = "a"});
  Recorder recorder;
  auto handler = recorder.Handler();
  handler.onAdd = [next = handler.onAdd](const ObjectPtr<Item>& item, bool initial) {
    if (item->name == "a") throw std::runtime_error("bad day");
    if (item->name == "b") throw 7;
    next(item, initial);
  };
  const auto registration = informer_.AddEventHandler(handler).value();
  StartAndSync();
  EXPECT_TRUE(registration.WaitForSync(60s, {}));
  source_->Add({.name = "b"});
  Settle({&recorder});
  Stop();
  log::SetSink({});
  EXPECT_EQ(registration.Stats().failed, 2u);
  EXPECT_EQ(registration.Stats().delivered, 1u);
  EXPECT_EQ(registration.Stats().pending, 0u);
  EXPECT_THAT(
      lines,
      ElementsAre(
          "the event handler \"1\" of items threw at default/a: bad day",
          "the event handler \"1\" of items threw at default/b: an exception of unknown type"));
}

TEST_F(EventHandlerTest, ASlowHandlerDelaysNobodyAndItsEventsAreCounted) {
  Gate gate;
  const auto slow =
      informer_.AddEventHandler({.onAdd = [&](const ObjectPtr<Item>&, bool) { gate.Wait(); }})
          .value();
  Recorder fast;
  Register(fast);
  StartAndSync();
  for (int i = 0; i < 100; ++i) source_->Add({.name = std::to_string(i)});
  Settle({&fast});
  EXPECT_GE(slow.Stats().pending, 100u);
  EXPECT_EQ(slow.Stats().delivered, 0u);
  gate.Open();
  Stop();  // The handler uses `gate`.
}

// client-go: TestShutDownEventHandler_Lifecycles
TEST_F(EventHandlerTest, RemoveWaitsForARunningCallback) {
  Gate entered;
  Gate leave;
  std::atomic<bool> left = false;
  const auto registration = informer_
                                .AddEventHandler({.onAdd =
                                                      [&](const ObjectPtr<Item>&, bool) {
                                                        entered.Open();
                                                        leave.Wait();
                                                        left = true;
                                                      }})
                                .value();
  StartAndSync();
  source_->Add({.name = "a"});
  entered.Wait();
  std::thread removing([&] {
    informer_.RemoveEventHandler(registration);
    EXPECT_TRUE(left);
  });
  leave.Open();
  removing.join();
}

TEST_F(EventHandlerTest, AHandlerMayRemoveItselfAndOthers) {
  Recorder other;
  const auto other_registration = Register(other);
  std::atomic<int> called = 0;
  Gate registered;
  Gate done;
  std::optional<ResourceEventHandlerRegistration> own;
  own = informer_
            .AddEventHandler({.onAdd =
                                  [&](const ObjectPtr<Item>&, bool) {
                                    registered.Wait();
                                    ++called;
                                    informer_.RemoveEventHandler(other_registration);
                                    informer_.RemoveEventHandler(*own);
                                    done.Open();
                                  }})
            .value();
  registered.Open();
  StartAndSync();
  source_->Add({.name = "a"});
  done.Wait();
  Recorder witness;
  Register(witness);
  const auto events = other.Events();
  source_->Add({.name = "b"});
  Settle({&witness});
  EXPECT_EQ(called, 1);
  EXPECT_EQ(other.Events(), events);
}

TEST_F(EventHandlerTest, TwoHandlersMayRemoveEachOtherAtOnce) {
  ResourceEventHandlerRegistration registrations[2];
  Gate registered;
  Gate both[2];
  for (int i = 0; i < 2; ++i) {
    registrations[i] =
        informer_
            .AddEventHandler({.onAdd =
                                  [&, i](const ObjectPtr<Item>&, bool) {
                                    registered.Wait();
                                    both[i].Open();
                                    both[1 - i].Wait();
                                    informer_.RemoveEventHandler(registrations[1 - i]);
                                  }})
            .value();
  }
  registered.Open();
  StartAndSync();
  source_->Add({.name = "a"});
  for (Gate& gate : both) gate.Wait();  // What a stopped handler has not had yet is dropped.
  Recorder recorder;
  Register(recorder);
  Settle({&recorder});
  Stop();
}

TEST_F(EventHandlerTest, AHandlerMayAddHandlers) {
  Recorder inner;
  std::atomic<bool> once = false;
  ASSERT_TRUE(informer_
                  .AddEventHandler({.onAdd =
                                        [&](const ObjectPtr<Item>&, bool) {
                                          if (!once.exchange(true)) Register(inner);
                                        }})
                  .has_value());
  source_->Add({.name = "a"});
  StartAndSync();
  inner.WaitFor("initial a=");
  Settle({&inner});
  EXPECT_THAT(Take(inner), ElementsAre("initial a="));
  Stop();  // The handler uses `once`.
}

TEST_F(EventHandlerTest, AScopedRegistrationRemovesItsHandler) {
  Recorder scoped;
  Recorder kept;
  Register(kept);
  StartAndSync();
  {
    const ScopedRegistration registration(informer_.core(), Register(scoped));
    Settle({&scoped, &kept});
  }
  const auto events = scoped.Events();
  source_->Add({.name = "a"});
  Settle({&kept});
  EXPECT_EQ(scoped.Events(), events);
}

TEST_F(EventHandlerTest, ADroppedRegistrationLeavesTheHandlerInPlace) {
  Recorder recorder;
  { const auto dropped = Register(recorder); }
  StartAndSync();
  Settle({&recorder});
}

TEST_F(EventHandlerTest, WhatAHandlerHoldsIsReleasedWhenItIsRemoved) {
  StartAndSync();
  const auto held = std::make_shared<std::optional<ResourceEventHandlerRegistration>>();
  // The handler holds its own registration.
  *held = informer_.AddEventHandler({.onAdd = [held](const ObjectPtr<Item>&, bool) {}}).value();
  EXPECT_EQ(held.use_count(), 2);
  informer_.RemoveEventHandler(**held);
  EXPECT_EQ(held.use_count(), 1);
}

// Delivered notifications go back to the reflector to be freed, but do not wait for its next event.
TEST_F(EventHandlerTest, WhatWasDeliveredIsFreedWhenNothingElseIsPending) {
  constexpr int kUpdates = 1000;
  const auto freed = std::make_shared<std::counting_semaphore<>>(0);
  ASSERT_TRUE(informer_.SetTransform([=](const ObjectPtr<Item>& item) -> Result<ObjectPtr<Item>> {
    return ObjectPtr<Item>(new Item(*item), [=](const Item* gone) {
      delete gone;
      freed->release();
    });
  }));
  source_->Add({.name = "a", .value = "1"});
  Recorder recorder;
  Register(recorder);
  StartAndSync();
  for (int i = 0; i < kUpdates; ++i) {
    source_->Modify({.name = "a", .value = std::to_string(i + 2)});
  }
  for (int i = 0; i < kUpdates; ++i) ASSERT_TRUE(freed->try_acquire_for(60s)) << i;
}

}  // namespace
}  // namespace k8s::cache
