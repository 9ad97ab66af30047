#include "cache/pending_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "support/item.hpp"

namespace k8s::cache::detail {
namespace {

using test::Item;
using test::MakeItem;
using testing::ElementsAre;
using Kind = Notification::Kind;

class CoalescingQueueTest : public ::testing::Test {
 protected:
  static runtime::AnyPtr Object(const std::string& name, const std::string& value) {
    return MakeItem({.name = name, .value = value});
  }
  std::uint64_t Add(const std::string& name, const std::string& value, bool initial = false) {
    return queue_.Push({.kind = Kind::kAdd, .after = Object(name, value), .flag = initial});
  }
  std::uint64_t Update(const std::string& name, const std::string& from, const std::string& to) {
    return queue_.Push(
        {.kind = Kind::kUpdate, .before = Object(name, from), .after = Object(name, to)});
  }
  std::uint64_t Delete(const std::string& name, const std::string& value, bool unknown = false) {
    return queue_.Push({.kind = Kind::kDelete,
                        .before = Object(name, value),
                        .after = Object(name, "stored"),
                        .key = "default/" + name,
                        .flag = unknown});
  }

  static std::string Text(const Notification& notification) {
    const auto value = [](const runtime::AnyPtr& object) {
      const auto& item = *static_cast<const Item*>(object.get());
      return item.name + "=" + item.value;
    };
    switch (notification.kind) {
      case Kind::kAdd:
        return (notification.flag ? "initial " : "add ") + value(notification.after);
      case Kind::kUpdate:
        return "update " + value(notification.before) + " to " +
               value(notification.after).substr(2);
      case Kind::kDelete:
        return (notification.flag ? "lost " : "delete ") + value(notification.before);
      case Kind::kSynced:
        return "synced";
    }
    return {};
  }
  std::string TakeOne() {
    std::deque<Notification> batch;
    queue_.Take(batch);
    EXPECT_EQ(batch.size(), 1u);
    return Text(batch.front());
  }
  std::vector<std::string> TakeAll() {
    std::vector<std::string> all;
    while (!queue_.empty()) all.push_back(TakeOne());
    return all;
  }

  CoalescingQueue queue_{test::ItemType()};
};

TEST_F(CoalescingQueueTest, AnAddAndItsUpdatesAreOneAddOfTheNewestState) {
  EXPECT_EQ(Add("a", "1"), 0u);
  EXPECT_EQ(Update("a", "1", "2"), 1u);
  EXPECT_EQ(Update("a", "2", "3"), 1u);
  EXPECT_THAT(TakeAll(), ElementsAre("add a=3"));
}

TEST_F(CoalescingQueueTest, AnInitialAddStaysInitial) {
  Add("a", "1", true);
  Update("a", "1", "2");
  EXPECT_THAT(TakeAll(), ElementsAre("initial a=2"));
}

TEST_F(CoalescingQueueTest, UpdatesAreOneFromTheOldestToTheNewestState) {
  EXPECT_EQ(Update("a", "1", "2"), 0u);
  EXPECT_EQ(Update("a", "2", "3"), 1u);
  EXPECT_THAT(TakeAll(), ElementsAre("update a=1 to 3"));
}

TEST_F(CoalescingQueueTest, AnAddAndADeleteAreNothing) {
  Add("a", "1");
  Update("a", "1", "2");
  EXPECT_EQ(Delete("a", "2"), 2u);
  EXPECT_TRUE(queue_.empty());
}

TEST_F(CoalescingQueueTest, AnUpdateAndADeleteAreTheDelete) {
  Update("a", "1", "2");
  EXPECT_EQ(Delete("a", "3", true), 1u);
  EXPECT_THAT(TakeAll(), ElementsAre("lost a=3"));
}

// A filter asks of it whether its handler knows of the object.
TEST_F(CoalescingQueueTest, ADeleteShowsWhatTheHandlerWasToldLast) {
  const auto told = [&] {
    std::deque<Notification> batch;
    queue_.Take(batch);
    return static_cast<const Item*>(batch.front().after.get())->value;
  };
  Delete("a", "1");
  EXPECT_EQ(told(), "stored");
  Update("a", "1", "2");
  Update("a", "2", "3");
  Delete("a", "4");
  EXPECT_EQ(told(), "1");
  Update("a", "1", "2");
  Delete("a", "2");
  Add("a", "5");
  Delete("a", "5");
  EXPECT_EQ(told(), "1");
  EXPECT_TRUE(queue_.empty());
}

TEST_F(CoalescingQueueTest, ADeleteAndAnAddStayTwo) {
  EXPECT_EQ(Delete("a", "1"), 0u);
  EXPECT_EQ(Add("a", "2"), 0u);
  EXPECT_EQ(Update("a", "2", "3"), 1u);
  EXPECT_THAT(TakeAll(), ElementsAre("delete a=1", "add a=3"));
}

TEST_F(CoalescingQueueTest, OfManyDeletesAndAddsTheFirstDeleteAndTheLastAddAreLeft) {
  Update("a", "0", "1");
  Delete("a", "1");
  Add("a", "2");
  EXPECT_EQ(Delete("a", "2"), 2u);
  EXPECT_EQ(Add("a", "3"), 0u);
  EXPECT_THAT(TakeAll(), ElementsAre("delete a=1", "add a=3"));
}

TEST_F(CoalescingQueueTest, WhatWasTakenIsKnownToTheHandler) {
  Add("a", "1");
  EXPECT_EQ(TakeOne(), "add a=1");
  Update("a", "1", "2");
  EXPECT_EQ(Delete("a", "2"), 1u);
  EXPECT_EQ(TakeOne(), "delete a=2");
  EXPECT_TRUE(queue_.empty());
}

TEST_F(CoalescingQueueTest, ASuccessorWhoseForerunnersDeleteWasTakenMayVanish) {
  Delete("a", "1");
  Add("a", "2");
  EXPECT_EQ(TakeOne(), "delete a=1");
  EXPECT_EQ(Delete("a", "2"), 2u);
  EXPECT_TRUE(queue_.empty());
}

TEST_F(CoalescingQueueTest, KeysKeepTheOrderInWhichTheyFirstWerePending) {
  Add("a", "1");
  Update("b", "1", "2");
  Add("c", "1");
  Update("a", "1", "2");
  Delete("c", "1");
  Add("c", "2");  // Behind: its first add is gone.
  Add("d", "1");
  EXPECT_THAT(TakeAll(), ElementsAre("add a=2", "update b=1 to 2", "add c=2", "add d=1"));
}

TEST_F(CoalescingQueueTest, TheMarkStaysBehindTheInitialAdds) {
  Add("a", "1", true);
  Add("b", "1", true);
  EXPECT_EQ(queue_.Push({.kind = Kind::kSynced}), 0u);
  Update("a", "1", "2");
  Delete("b", "1");
  Add("b", "2");
  EXPECT_THAT(TakeAll(), ElementsAre("initial a=2", "synced", "add b=2"));
}

TEST(FifoQueueTest, GivesEverythingInItsOrder) {
  FifoQueue queue;
  for (const char* key : {"a", "b", "a"}) {
    EXPECT_EQ(queue.Push({.kind = Kind::kDelete, .key = key}), 0u);
  }
  std::deque<Notification> batch;
  queue.Take(batch);
  EXPECT_TRUE(queue.empty());
  std::vector<std::string> keys;
  for (const auto& notification : batch) keys.push_back(notification.key);
  EXPECT_THAT(keys, ElementsAre("a", "b", "a"));
}

}  // namespace
}  // namespace k8s::cache::detail
