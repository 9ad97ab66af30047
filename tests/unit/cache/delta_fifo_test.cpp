#include <k8s/cache/delta_fifo.hpp>
#include <k8s/cache/thread_safe_store.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/item.hpp"

namespace k8s::cache {
namespace {

using test::Item;
using test::MakeItem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

ObjectPtr<Item> Named(std::string name, std::string value = {}) {
  return MakeItem({.name = std::move(name), .value = std::move(value)});
}

std::string Letter(DeltaType type) {
  switch (type) {
    case DeltaType::kAdded:
      return "A";
    case DeltaType::kUpdated:
      return "U";
    case DeltaType::kDeleted:
      return "D";
    case DeltaType::kReplaced:
      return "R";
    case DeltaType::kSync:
      return "S";
  }
  return "?";
}

// "A a=1": what happened, the name and the value; "D? a" for an unknown final state.
std::string Text(const Delta& delta) {
  std::string text = Letter(delta.type) + (delta.finalStateUnknown ? "? " : " ");
  text += delta.key.substr(delta.key.find('/') + 1);
  const auto item = std::static_pointer_cast<const Item>(delta.object);
  if (!item) return text + "=null";
  return item->value.empty() ? text : text + "=" + item->value;
}

Deltas PopOne(DeltaFIFO& queue) {
  Deltas popped;
  const auto result = queue.Pop([&](Deltas&& deltas) { popped = std::move(deltas); }, {});
  EXPECT_TRUE(result.has_value());
  return popped;
}

std::vector<std::string> PopTexts(DeltaFIFO& queue) {
  std::vector<std::string> texts;
  for (const Delta& delta : PopOne(queue).deltas) texts.push_back(Text(delta));
  return texts;
}

class DeltaFIFOTest : public testing::Test {
 protected:
  DeltaFIFO& Queue(DeltaFIFOOptions options = {}) {
    options.knownObjects = &known_;
    queue_ = std::make_unique<DeltaFIFO>(test::ItemType(), std::move(options));
    return *queue_;
  }
  DeltaFIFO& Grouped() { return Queue({.groupByKey = true}); }
  void Know(const std::string& name, std::string value = {}) {
    known_.Set("default/" + name, Named(name, std::move(value)));
  }

  ThreadSafeStore known_{test::ItemType()};
  std::unique_ptr<DeltaFIFO> queue_;
};

void Put(DeltaFIFO& queue, DeltaType type, ObjectPtr<Item> item) {
  const auto result = type == DeltaType::kAdded     ? queue.Add(std::move(item))
                      : type == DeltaType::kUpdated ? queue.Update(std::move(item))
                                                    : queue.Delete(std::move(item));
  ASSERT_TRUE(result.has_value());
}

// ---- In order of arrival

TEST_F(DeltaFIFOTest, ChangesArePoppedInTheOrderOfTheirArrival) {
  DeltaFIFO& queue = Queue();
  Put(queue, DeltaType::kAdded, Named("b", "1"));
  Put(queue, DeltaType::kUpdated, Named("a", "2"));
  Put(queue, DeltaType::kDeleted, Named("c", "3"));
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_THAT(PopTexts(queue), ElementsAre("A b=1", "U a=2", "D c=3"));
  EXPECT_EQ(queue.size(), 0u);
}

// client-go: TestRealFIFO_PopMultipleDeltaInBatch
TEST_F(DeltaFIFOTest, ARepeatedKeyStartsANewBatch) {
  DeltaFIFO& queue = Queue();
  for (const char* value : {"1", "2"}) {
    Put(queue, DeltaType::kUpdated, Named("a", value));
    Put(queue, DeltaType::kUpdated, Named("b", value));
  }
  EXPECT_THAT(PopTexts(queue), ElementsAre("U a=1", "U b=1"));
  EXPECT_THAT(PopTexts(queue), ElementsAre("U a=2", "U b=2"));
}

// client-go: TestRealFIFO_PopMultipleDeltaInBatch
TEST_F(DeltaFIFOTest, ABatchHasABound) {
  DeltaFIFO& queue = Queue({.maxBatch = 2});
  for (const char* name : {"a", "b", "c"}) Put(queue, DeltaType::kAdded, Named(name));
  EXPECT_THAT(PopTexts(queue), ElementsAre("A a", "A b"));
  EXPECT_THAT(PopTexts(queue), ElementsAre("A c"));
}

TEST_F(DeltaFIFOTest, ABatchHasAThousandChangesAtMostByDefault) {
  DeltaFIFO& queue = Queue();
  for (int i = 0; i < 1500; ++i) Put(queue, DeltaType::kAdded, Named(std::to_string(i)));
  EXPECT_EQ(PopOne(queue).deltas.size(), 1000u);
  EXPECT_EQ(PopOne(queue).deltas.size(), 500u);
}

// client-go: TestRealFIFO_ReplaceAtomic, TestRealFIFO_ReplaceAtomicPop, TestRealFIFO_ResyncAtomic
TEST_F(DeltaFIFOTest, AListAResyncAndABookmarkAreOneElementEach) {
  DeltaFIFO& queue = Queue();
  ASSERT_TRUE(queue.Replace({Named("a"), Named("b")}, "5").has_value());
  ASSERT_TRUE(queue.Resync().has_value());
  ASSERT_TRUE(queue.Bookmark("6").has_value());
  Put(queue, DeltaType::kAdded, MakeItem({.name = "c", .resourceVersion = "7"}));
  EXPECT_EQ(queue.size(), 4u);

  const Deltas list = PopOne(queue);
  EXPECT_EQ(list.kind, Deltas::Kind::kReplaced);
  EXPECT_EQ(list.deltas.size(), 2u);
  EXPECT_EQ(list.resourceVersion, "5");
  const Deltas resync = PopOne(queue);
  EXPECT_EQ(resync.kind, Deltas::Kind::kSync);
  EXPECT_THAT(resync.deltas, IsEmpty());
  const Deltas bookmark = PopOne(queue);
  EXPECT_EQ(bookmark.kind, Deltas::Kind::kBookmark);
  EXPECT_EQ(bookmark.resourceVersion, "6");
  const Deltas change = PopOne(queue);
  EXPECT_EQ(change.kind, Deltas::Kind::kChanges);
  EXPECT_EQ(change.resourceVersion, "7");
}

// client-go: TestRealFIFO_HasSynced
TEST_F(DeltaFIFOTest, HasSyncedOnceTheFirstListWasProcessed) {
  {
    DeltaFIFO& queue = Queue();
    EXPECT_FALSE(queue.HasSynced()) << "nothing";
    Put(queue, DeltaType::kAdded, Named("a"));
    EXPECT_TRUE(queue.HasSynced()) << "no list comes first";
  }
  for (const std::size_t count : {0u, 1u, 3u}) {
    SCOPED_TRACE(count);
    DeltaFIFO& queue = Queue();
    std::vector<runtime::AnyPtr> items;
    for (std::size_t i = 0; i < count; ++i) items.push_back(Named(std::to_string(i)));
    ASSERT_TRUE(queue.Replace(std::move(items), "1").has_value());
    Put(queue, DeltaType::kAdded, Named("later"));
    EXPECT_FALSE(queue.HasSynced());
    ASSERT_TRUE(queue
                    .Pop(
                        [&](Deltas&& deltas) {
                          EXPECT_TRUE(deltas.isInInitialList);
                          EXPECT_FALSE(queue.HasSynced()) << "not processed yet";
                        },
                        {})
                    .has_value());
    EXPECT_TRUE(queue.HasSynced());
    EXPECT_FALSE(PopOne(queue).isInInitialList);
  }
}

// client-go: TestRealFIFO_PopMultipleDeltaInBatch
TEST_F(DeltaFIFOTest, WhatStoodBeforeTheFirstListIsPartOfTheInitialList) {
  DeltaFIFO& queue = Queue();
  ASSERT_TRUE(queue.Bookmark("1").has_value());
  ASSERT_TRUE(queue.Replace({Named("a")}, "2").has_value());
  Put(queue, DeltaType::kAdded, Named("b"));
  EXPECT_TRUE(PopOne(queue).isInInitialList);
  EXPECT_TRUE(PopOne(queue).isInInitialList);
  EXPECT_TRUE(queue.HasSynced());
  EXPECT_FALSE(PopOne(queue).isInInitialList);
}

// client-go: TestRealFIFO_enqueueingNoLister
TEST_F(DeltaFIFOTest, ADeletionOfAnUnknownKeyIsDelivered) {
  DeltaFIFO& queue = Queue();
  Put(queue, DeltaType::kDeleted, Named("a"));
  EXPECT_THAT(PopTexts(queue), ElementsAre("D a"));
}

// ---- Transform

// client-go: TestRealFIFO_transformer
TEST_F(DeltaFIFOTest, TheTransformSeesWhatComesAndNoResync) {
  for (const bool grouped : {false, true}) {
    SCOPED_TRACE(grouped);
    Know("known", "old");
    DeltaFIFO& queue = Queue({.groupByKey = grouped, .transform = [](runtime::AnyPtr object) {
                                auto copy =
                                    std::make_shared<Item>(*static_cast<const Item*>(object.get()));
                                copy->value += "!";
                                return Result<runtime::AnyPtr>(std::move(copy));
                              }});
    ASSERT_TRUE(queue.Replace({Named("known", "0")}, "1").has_value());
    EXPECT_THAT(PopTexts(queue), ElementsAre("R known=0!"));
    Put(queue, DeltaType::kAdded, Named("known", "1"));
    EXPECT_THAT(PopTexts(queue), ElementsAre("A known=1!"));
    Put(queue, DeltaType::kUpdated, Named("known", "2"));
    EXPECT_THAT(PopTexts(queue), ElementsAre("U known=2!"));
    Put(queue, DeltaType::kDeleted, Named("known", "3"));
    EXPECT_THAT(PopTexts(queue), ElementsAre("D known=3!"));
    ASSERT_TRUE(queue.Resync().has_value());
    const Deltas resync = PopOne(queue);
    if (grouped) {
      EXPECT_EQ(Text(resync.deltas.at(0)), "S known=old");
      ASSERT_TRUE(queue.Replace({}, "2").has_value());
      EXPECT_THAT(PopTexts(queue), ElementsAre("D? known=old"));
    }
  }
}

// client-go: TestRealFIFO_ReplaceAtomic. Deviation: the other objects of the list still come.
TEST_F(DeltaFIFOTest, AFailingTransformLeavesItsObjectAsItIsKnown) {
  Know("known", "old");
  DeltaFIFO& queue = Queue({.transform = [](runtime::AnyPtr object) -> Result<runtime::AnyPtr> {
    const auto& item = *static_cast<const Item*>(object.get());
    if (item.value == "error") return Error{.kind = ErrorKind::kInternal, .message = "no"};
    if (item.value == "throw") throw std::runtime_error("no");
    if (item.value == "null") return runtime::AnyPtr();
    return object;
  }});
  ASSERT_TRUE(queue
                  .Replace({Named("known", "error"), Named("new", "throw"), Named("other", "null"),
                            Named("good", "1")},
                           "1")
                  .has_value());
  EXPECT_THAT(PopTexts(queue), ElementsAre("R known=old", "R good=1"));
  for (const char* value : {"error", "throw", "null"}) {
    SCOPED_TRACE(value);
    EXPECT_EQ(queue.Update(Named("known", value)).error().kind, ErrorKind::kInternal);
  }
  EXPECT_EQ(queue.size(), 0u);
}

TEST_F(DeltaFIFOTest, KnownIsWhatTheConsumerHas) {
  Know("a", "1");
  EXPECT_EQ(Queue().Known("default/a"), known_.Get("default/a"));
  EXPECT_EQ(Queue().Known("default/b"), nullptr);
  EXPECT_EQ(DeltaFIFO(test::ItemType()).Known("default/a"), nullptr);
}

// ---- The end

// client-go: TestDeltaFIFO_PopShouldUnblockWhenClosed, TestRealFIFO_PopShouldUnblockWhenClosed
TEST_F(DeltaFIFOTest, CloseEndsAWaitingPop) {
  for (const bool grouped : {false, true}) {
    SCOPED_TRACE(grouped);
    DeltaFIFO& queue = Queue({.groupByKey = grouped});
    Result<void> result;
    std::thread popping([&] { result = queue.Pop([](Deltas&&) {}, {}); });
    queue.Close();
    popping.join();
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().kind, ErrorKind::kClosed);
    EXPECT_TRUE(queue.IsClosed());
  }
}

TEST_F(DeltaFIFOTest, AClosedQueueTakesNothingAndGivesWhatItHas) {
  DeltaFIFO& queue = Queue();
  Put(queue, DeltaType::kAdded, Named("a"));
  queue.Close();
  EXPECT_EQ(queue.Add(Named("b")).error().kind, ErrorKind::kClosed);
  EXPECT_EQ(queue.Replace({}, "1").error().kind, ErrorKind::kClosed);
  EXPECT_EQ(queue.Resync().error().kind, ErrorKind::kClosed);
  EXPECT_EQ(queue.Bookmark("1").error().kind, ErrorKind::kClosed);
  EXPECT_THAT(PopTexts(queue), ElementsAre("A a"));
  EXPECT_EQ(queue.Pop([](Deltas&&) {}, {}).error().kind, ErrorKind::kClosed);
}

TEST_F(DeltaFIFOTest, AStopEndsPopEvenIfSomethingIsQueued) {
  DeltaFIFO& queue = Queue();
  std::stop_source stop;
  Result<void> result;
  std::thread popping([&] { result = queue.Pop([](Deltas&&) {}, stop.get_token()); });
  stop.request_stop();
  popping.join();
  EXPECT_EQ(result.error().kind, ErrorKind::kCancelled);
  Put(queue, DeltaType::kAdded, Named("a"));
  EXPECT_EQ(queue.Pop([](Deltas&&) {}, stop.get_token()).error().kind, ErrorKind::kCancelled);
  EXPECT_EQ(queue.size(), 1u);
}

// ---- Grouped by key

// client-go: TestDeltaFIFO_basic, TestDeltaFIFO_addUpdate
TEST_F(DeltaFIFOTest, GroupedPopGivesAllChangesOfAKey) {
  DeltaFIFO& queue = Grouped();
  Put(queue, DeltaType::kAdded, Named("a", "1"));
  Put(queue, DeltaType::kUpdated, Named("a", "2"));
  Put(queue, DeltaType::kDeleted, Named("a", "3"));
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_THAT(PopTexts(queue), ElementsAre("A a=1", "U a=2", "D a=3"));
}

// client-go: TestDeltaFIFO_detectLineJumpers
TEST_F(DeltaFIFOTest, GroupedKeyKeepsItsPlaceInLine) {
  DeltaFIFO& queue = Grouped();
  Put(queue, DeltaType::kAdded, Named("a", "1"));
  Put(queue, DeltaType::kAdded, Named("b", "1"));
  Put(queue, DeltaType::kUpdated, Named("a", "2"));
  EXPECT_THAT(PopTexts(queue), ElementsAre("A a=1", "U a=2"));
  Put(queue, DeltaType::kUpdated, Named("a", "3"));
  EXPECT_THAT(PopTexts(queue), ElementsAre("A b=1"));
  EXPECT_THAT(PopTexts(queue), ElementsAre("U a=3"));
}

// client-go: TestDeltaFIFO_addReplace
TEST_F(DeltaFIFOTest, GroupedListComesBehindWhatIsQueued) {
  DeltaFIFO& queue = Grouped();
  Put(queue, DeltaType::kAdded, Named("a", "1"));
  ASSERT_TRUE(queue.Replace({Named("a", "2")}, "1").has_value());
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_THAT(PopTexts(queue), ElementsAre("A a=1", "R a=2"));
}

// client-go: TestDeltaFIFO_enqueueingNoLister
TEST_F(DeltaFIFOTest, GroupedDeletionWithoutKnownObjectsIsDroppedUnlessItsKeyIsQueued) {
  DeltaFIFO queue(test::ItemType(), {.groupByKey = true});
  Put(queue, DeltaType::kAdded, Named("queued", "1"));
  Put(queue, DeltaType::kDeleted, Named("unknown"));
  EXPECT_EQ(queue.size(), 1u);
  Put(queue, DeltaType::kDeleted, Named("queued", "2"));
  EXPECT_THAT(PopTexts(queue), ElementsAre("A queued=1", "D queued=2"));
}

// client-go: TestDeltaFIFO_enqueueingWithLister
TEST_F(DeltaFIFOTest, GroupedDeletionOfAnUnknownKeyIsDropped) {
  Know("known");
  DeltaFIFO& queue = Grouped();
  Put(queue, DeltaType::kDeleted, Named("unknown"));
  EXPECT_EQ(queue.size(), 0u);
  Put(queue, DeltaType::kDeleted, Named("known"));
  EXPECT_THAT(PopTexts(queue), ElementsAre("D known"));
}

// client-go: TestDeltaFIFO_DeleteExistingNonPropagated
TEST_F(DeltaFIFOTest, GroupedDeletionOfWhatIsOnlyQueuedIsKept) {
  DeltaFIFO& queue = Grouped();
  Put(queue, DeltaType::kAdded, Named("a"));
  Put(queue, DeltaType::kDeleted, Named("a"));
  EXPECT_THAT(PopTexts(queue), ElementsAre("A a", "D a"));
}

// client-go: TestDeltaCompression
TEST_F(DeltaFIFOTest, GroupedDeletionsInARowBecomeTheOneThatKnowsMore) {
  Know("a", "old");
  DeltaFIFO& queue = Grouped();
  Put(queue, DeltaType::kDeleted, Named("a", "1"));
  ASSERT_TRUE(queue.Replace({}, "1").has_value());
  EXPECT_THAT(PopTexts(queue), ElementsAre("D a=1"));

  ASSERT_TRUE(queue.Replace({}, "2").has_value());
  Put(queue, DeltaType::kDeleted, Named("a", "2"));
  EXPECT_THAT(PopTexts(queue), ElementsAre("D a=2"));
}

// client-go: TestDeltaFIFO_ReplaceMakesDeletions, TestDeltaFIFO_ReplaceMakesDeletionsReplaced,
// TestDeltaFIFO_ReplaceMakesDeletionsForObjectsOnlyInQueue
TEST_F(DeltaFIFOTest, GroupedListDeletesWhatItDoesNotName) {
  Know("known", "1");
  Know("kept", "1");
  DeltaFIFO& queue = Grouped();
  Put(queue, DeltaType::kAdded, Named("queued", "1"));
  Put(queue, DeltaType::kUpdated, Named("queued", "2"));
  ASSERT_TRUE(queue.Replace({Named("kept", "2")}, "1").has_value());
  EXPECT_THAT(PopTexts(queue), ElementsAre("A queued=1", "U queued=2", "D? queued=2"));
  EXPECT_THAT(PopTexts(queue), ElementsAre("R kept=2"));
  EXPECT_THAT(PopTexts(queue), ElementsAre("D? known=1"));
  EXPECT_EQ(queue.size(), 0u);
}

// client-go: TestDeltaFIFO_replaceWithDeleteDeltaIn
TEST_F(DeltaFIFOTest, GroupedListKeepsAPendingDeletion) {
  Know("a", "1");
  DeltaFIFO& queue = Grouped();
  Put(queue, DeltaType::kDeleted, Named("a", "2"));
  ASSERT_TRUE(queue.Replace({Named("b")}, "1").has_value());
  EXPECT_THAT(PopTexts(queue), ElementsAre("D a=2"));
  EXPECT_THAT(PopTexts(queue), ElementsAre("R b"));
}

// client-go: TestDeltaFIFO_HasSyncedCorrectOnDeletion, TestDeltaFIFO_HasSynced
TEST_F(DeltaFIFOTest, GroupedHasSyncedCountsTheDeletionsOfTheFirstList) {
  Know("gone");
  DeltaFIFO& queue = Grouped();
  ASSERT_TRUE(queue.Replace({Named("a"), Named("b"), Named("a")}, "1").has_value());
  EXPECT_EQ(queue.size(), 3u) << "a repeated key counts once";
  for (const char* change : {"R a", "R b", "D? gone"}) {
    EXPECT_FALSE(queue.HasSynced()) << change;
    const Deltas popped = PopOne(queue);
    EXPECT_TRUE(popped.isInInitialList) << change;
    ASSERT_FALSE(popped.deltas.empty());
    EXPECT_EQ(Text(popped.deltas.back()), change);
  }
  EXPECT_TRUE(queue.HasSynced());
}

TEST_F(DeltaFIFOTest, GroupedHasSyncedAtOnceAfterAnEmptyList) {
  DeltaFIFO& queue = Grouped();
  ASSERT_TRUE(queue.Replace({}, "1").has_value());
  EXPECT_TRUE(queue.HasSynced());
}

// client-go: TestDeltaFIFO_ResyncNonExisting, TestDeltaFIFO_Resync,
// TestDeltaFIFO_UpdateResyncRace
TEST_F(DeltaFIFOTest, GroupedResyncDeliversKnownKeysWithNothingQueued) {
  for (const char* name : {"idle", "updated", "deleted"}) Know(name, "old");
  DeltaFIFO& queue = Grouped();
  Put(queue, DeltaType::kUpdated, Named("updated", "new"));
  Put(queue, DeltaType::kDeleted, Named("deleted", "new"));
  Put(queue, DeltaType::kAdded, Named("unknown", "new"));
  ASSERT_TRUE(queue.Resync().has_value());
  std::vector<std::string> texts;
  while (queue.size() > 0) {
    for (auto& text : PopTexts(queue)) texts.push_back(std::move(text));
  }
  EXPECT_THAT(
      texts, UnorderedElementsAre("U updated=new", "D deleted=new", "A unknown=new", "S idle=old"));
}

// ---- Threads

TEST_F(DeltaFIFOTest, NothingIsLostBetweenProducersAndTheConsumer) {
  for (const bool grouped : {false, true}) {
    SCOPED_TRACE(grouped);
    DeltaFIFO& queue = Queue({.groupByKey = grouped});
    constexpr int kEach = 2000;
    std::vector<std::vector<int>> seen(2);
    std::thread consumer([&] {
      while (queue.Pop(
          [&](Deltas&& deltas) {
            for (const Delta& delta : deltas.deltas) {
              const auto& item = *static_cast<const Item*>(delta.object.get());
              seen[item.name == "0" ? 0 : 1].push_back(std::stoi(item.value));
            }
          },
          {})) {
      }
    });
    std::vector<std::thread> producers;
    for (const char* name : {"0", "1"}) {
      producers.emplace_back([&queue, name] {
        for (int i = 0; i < kEach; ++i) {
          Put(queue, DeltaType::kUpdated, Named(name, std::to_string(i)));
        }
      });
    }
    for (auto& producer : producers) producer.join();
    queue.Close();
    consumer.join();
    for (const auto& values : seen) {
      ASSERT_EQ(values.size(), static_cast<std::size_t>(kEach));
      EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
    }
  }
}

}  // namespace
}  // namespace k8s::cache
