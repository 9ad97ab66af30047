#include <k8s/cache/store.hpp>
#include <k8s/log.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
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

std::vector<std::string> Names(const std::vector<ObjectPtr<Item>>& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item->name);
  return names;
}

// Every letter of the value is an index value.
std::vector<std::string> Letters(const Item& item) {
  std::vector<std::string> letters;
  for (const char letter : item.value) letters.emplace_back(1, letter);
  return letters;
}

Store<Item> Lettered() {
  Store<Item> store;
  EXPECT_TRUE(store.AddIndexers({{"letters", Letters}}).has_value());
  return store;
}

// client-go: TestCache, TestFIFOCache
TEST(StoreTest, ObjectsAreFoundByKeyUntilTheyAreDeleted) {
  const Store<Item> store;
  const auto first = MakeItem({.name = "a", .value = "1"});
  EXPECT_TRUE(store.Add(first));
  EXPECT_TRUE(store.Add(MakeItem({.name = "b"})));
  EXPECT_EQ(store.GetByKey("default/a"), first);
  EXPECT_EQ(store.Get(Item{.name = "a"}), first);
  EXPECT_EQ(store.size(), 2u);
  EXPECT_THAT(store.ListKeys(), UnorderedElementsAre("default/a", "default/b"));

  const auto second = MakeItem({.name = "a", .value = "2"});
  EXPECT_TRUE(store.Update(second));
  EXPECT_EQ(store.GetByKey("default/a"), second);
  EXPECT_EQ(store.size(), 2u);

  store.Delete(Item{.name = "a"});
  store.Delete(Item{.name = "unknown"});
  EXPECT_EQ(store.GetByKey("default/a"), nullptr);
  EXPECT_THAT(Names(store.List()), ElementsAre("b"));
}

// client-go: TestCache
TEST(StoreTest, ReplaceLeavesNothingOfTheOldContent) {
  const auto store = Lettered();
  EXPECT_TRUE(store.Add(MakeItem({.name = "a", .value = "x"})));
  EXPECT_TRUE(
      store.Replace({MakeItem({.name = "b", .value = "y"}), MakeItem({.name = "c", .value = "z"}),
                     MakeItem({.name = "c", .value = "y"})},
                    "7"));
  EXPECT_THAT(Names(store.List()), UnorderedElementsAre("b", "c"));
  EXPECT_THAT(store.ListIndexFuncValues("letters"), ElementsAre("y"));
  EXPECT_EQ(store.GetByKey("default/c")->value, "y") << "the later of two counts";
  EXPECT_EQ(store.GetByKey("default/a"), nullptr);
}

// client-go: TestMultiIndexKeys, TestThreadSafeStoreIndexingFunctionsWithMultipleValues
TEST(StoreTest, ObjectsMoveBetweenTheValuesOfAnIndex) {
  const auto store = Lettered();
  EXPECT_TRUE(store.Add(MakeItem({.name = "a", .value = "xy"})));
  EXPECT_TRUE(store.Add(MakeItem({.name = "b", .value = "yz"})));
  EXPECT_TRUE(store.Add(MakeItem({.name = "c", .value = ""})));
  EXPECT_THAT(Names(store.ByIndex("letters", "x").value()), ElementsAre("a"));
  EXPECT_THAT(Names(store.ByIndex("letters", "y").value()), UnorderedElementsAre("a", "b"));
  EXPECT_THAT(store.IndexKeys("letters", "y").value(), ElementsAre("default/a", "default/b"));
  EXPECT_THAT(Names(store.Index("letters", Item{.name = "?", .value = "xz"}).value()),
              UnorderedElementsAre("a", "b"));
  EXPECT_THAT(Names(store.Index("letters", Item{.name = "?", .value = "yyx"}).value()),
              UnorderedElementsAre("a", "b"))
      << "each object once";

  EXPECT_TRUE(store.Update(MakeItem({.name = "a", .value = "z"})));
  EXPECT_THAT(Names(store.ByIndex("letters", "y").value()), ElementsAre("b"));
  EXPECT_THAT(Names(store.ByIndex("letters", "z").value()), UnorderedElementsAre("a", "b"));
  EXPECT_TRUE(store.Update(MakeItem({.name = "b", .value = ""})));
  EXPECT_THAT(Names(store.ByIndex("letters", "z").value()), ElementsAre("a"));
  store.Delete(Item{.name = "a"});
  EXPECT_THAT(store.ByIndex("letters", "z").value(), IsEmpty());
}

TEST(StoreTest, AnUpdateThatStaysInItsIndexValuesShowsTheNewObject) {
  const auto store = Lettered();
  EXPECT_TRUE(store.Add(MakeItem({.name = "a", .value = "xx", .resourceVersion = "1"})));
  EXPECT_TRUE(store.Update(MakeItem({.name = "a", .value = "xx", .resourceVersion = "2"})));
  const auto found = store.ByIndex("letters", "x").value();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]->resourceVersion, "2");
}

// client-go: TestGetIndexFuncValues, TestThreadSafeStoreDeleteRemovesEmptySetsFromIndex,
// TestThreadSafeStoreAddKeepsNonEmptySetPostDeleteFromIndex
TEST(StoreTest, OnlyValuesInUseAreListed) {
  const auto store = Lettered();
  EXPECT_TRUE(store.Add(MakeItem({.name = "a", .value = "ba"})));
  EXPECT_TRUE(store.Add(MakeItem({.name = "b", .value = "bc"})));
  EXPECT_THAT(store.ListIndexFuncValues("letters"), ElementsAre("a", "b", "c"));
  store.Delete(Item{.name = "a"});
  EXPECT_THAT(store.ListIndexFuncValues("letters"), ElementsAre("b", "c"));
  EXPECT_THAT(store.ListIndexFuncValues("unknown"), IsEmpty());
}

TEST(StoreTest, NullObjectsAndEmptyFunctionsAreRefusedAtOnce) {
  const Store<Item> store;
  EXPECT_TRUE(store.Add(MakeItem({.name = "a"})));
  EXPECT_EQ(store.Add(nullptr).error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(store.Update(nullptr).error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(store.Replace({MakeItem({.name = "b"}), nullptr}).error().kind,
            ErrorKind::kInvalidArgument);
  EXPECT_THAT(store.ListKeys(), ElementsAre("default/a"));
  EXPECT_EQ(store.AddIndexers({{"letters", Letters}, {"empty", {}}}).error().kind,
            ErrorKind::kInvalidArgument);
  EXPECT_THAT(store.GetIndexers(), ElementsAre("namespace"));
}

TEST(StoreTest, UnknownIndicesAreErrors) {
  const Store<Item> store;
  EXPECT_EQ(store.ByIndex("unknown", "x").error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(store.ByIndex("", "x").error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(store.IndexKeys("unknown", "x").error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(store.Index("unknown", Item{.name = "a"}).error().kind, ErrorKind::kInvalidArgument);
}

// client-go: TestAddIndexerAfterAdd, TestIndex
TEST(StoreTest, IndicesThatAreAddedLateSeeWhatIsThere) {
  const Store<Item> store;
  EXPECT_TRUE(store.Add(MakeItem({.name = "a", .value = "x"})));
  ASSERT_TRUE(store.AddIndexers({{"letters", Letters}}).has_value());
  EXPECT_TRUE(store.Add(MakeItem({.name = "b", .value = "x"})));
  EXPECT_THAT(Names(store.ByIndex("letters", "x").value()), UnorderedElementsAre("a", "b"));
  EXPECT_THAT(store.GetIndexers(), ElementsAre("letters", "namespace"));
  store.Delete(Item{.name = "a"});
  EXPECT_THAT(Names(store.ByIndex("letters", "x").value()), ElementsAre("b"));
}

TEST(StoreTest, OfIndicesWithATakenNameNoneIsAdded) {
  const auto store = Lettered();
  EXPECT_EQ(store.AddIndexers({{"new", Letters}, {"letters", Letters}}).error().kind,
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(store.AddIndexers({{"new", Letters}, {"new", Letters}}).error().kind,
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(store.AddIndexers({{std::string(kNamespaceIndex), Letters}}).error().kind,
            ErrorKind::kInvalidArgument);
  EXPECT_THAT(store.GetIndexers(), ElementsAre("letters", "namespace"));
}

TEST(StoreTest, AThrowingIndexFunctionKeepsTheObjectOutOfItsIndexAlone) {
  std::vector<std::string> lines;
  log::SetSink([&](log::Level, std::string_view line) { lines.emplace_back(line); });
  const auto store = Lettered();
  ASSERT_TRUE(store
                  .AddIndexers({{"picky",
                                 [](const Item& item) -> std::vector<std::string> {
                                   if (item.value == "bad") throw std::runtime_error("no");
                                   return {"fine"};
                                 }}})
                  .has_value());
  EXPECT_TRUE(store.Add(MakeItem({.name = "a", .value = "bad"})));
  EXPECT_TRUE(store.Add(MakeItem({.name = "b", .value = "good"})));
  log::SetSink({});
  EXPECT_THAT(Names(store.ByIndex("picky", "fine").value()), ElementsAre("b"));
  EXPECT_THAT(Names(store.ByIndex("letters", "b").value()), ElementsAre("a"));
  EXPECT_EQ(store.size(), 2u);
  EXPECT_THAT(lines, ElementsAre("index function \"picky\" threw: no"));
}

TEST(StoreTest, IndexFunctionsMayReadTheStore) {
  const Store<Item> store;
  std::vector<std::size_t> sizes;
  ASSERT_TRUE(store
                  .AddIndexers({{"reads",
                                 [&](const Item&) -> std::vector<std::string> {
                                   sizes.push_back(store.List().size());
                                   return {};
                                 }}})
                  .has_value());
  EXPECT_TRUE(store.Add(MakeItem({.name = "a"})));
  EXPECT_TRUE(store.Replace({MakeItem({.name = "b"}), MakeItem({.name = "c"})}));
  EXPECT_TRUE(store.Index("reads", Item{.name = "c"}).has_value());
  EXPECT_THAT(sizes, ElementsAre(0u, 1u, 1u, 2u));
}

// client-go: TestThreadSafeStoreRV
TEST(ThreadSafeStoreTest, TheResourceVersionFollowsWritesListsAndBookmarks) {
  ThreadSafeStore store(test::ItemType());
  EXPECT_EQ(store.LastResourceVersion(), "");
  store.Set("default/a", MakeItem({.name = "a", .resourceVersion = "3"}));
  EXPECT_EQ(store.LastResourceVersion(), "3");
  store.Remove("default/a");
  EXPECT_EQ(store.LastResourceVersion(), "3");
  store.Apply({{"default/a", MakeItem({.name = "a"})}, {"default/a", nullptr}}, "5");
  EXPECT_EQ(store.LastResourceVersion(), "5");
  store.Replace({}, "7");
  EXPECT_EQ(store.LastResourceVersion(), "7");
  store.SetResourceVersion("9");
  EXPECT_EQ(store.LastResourceVersion(), "9");
}

TEST(ThreadSafeStoreTest, ABatchIsAppliedInOrder) {
  ThreadSafeStore store(test::ItemType());
  const auto last = MakeItem({.name = "a", .value = "2"});
  store.Apply({{"default/a", MakeItem({.name = "a", .value = "1"})},
               {"default/a", nullptr},
               {"default/b", MakeItem({.name = "b"})},
               {"default/a", last},
               {"default/b", nullptr}},
              "1");
  EXPECT_EQ(store.Get("default/a"), last);
  EXPECT_FALSE(store.Contains("default/b"));
}

TEST(ThreadSafeStoreTest, ReplacedObjectsAreReleased) {
  ThreadSafeStore store(test::ItemType());
  const auto first = MakeItem({.name = "a"});
  store.Set("default/a", first);
  EXPECT_EQ(first.use_count(), 2);
  store.Set("default/a", MakeItem({.name = "a"}));
  EXPECT_EQ(first.use_count(), 1);
  const auto second = MakeItem({.name = "b"});
  store.Set("default/b", second);
  store.Replace({}, "1");
  EXPECT_EQ(second.use_count(), 1);
}

// A random history beside a model that is obviously right.
TEST(ThreadSafeStoreTest, IndicesAgreeWithAModelAfterManyChanges) {
  std::mt19937 random(7);
  const auto store = Lettered();
  std::map<std::string, std::string> model;  // Values by name.
  const auto pick = [&](unsigned n) { return random() % n; };
  for (int step = 0; step < 1500; ++step) {
    const std::string name = "n" + std::to_string(pick(20));
    if (pick(4) == 0) {
      store.Delete(Item{.name = name});
      model.erase(name);
    } else {
      std::string value;
      for (unsigned i = pick(4); i > 0; --i) value += static_cast<char>('a' + pick(5));
      EXPECT_TRUE(store.Add(MakeItem({.name = name, .value = value})));
      model[name] = value;
    }
    std::map<std::string, std::set<std::string>> expected;
    for (const auto& [key, value] : model) {
      for (const char letter : value) expected[std::string(1, letter)].insert("default/" + key);
    }
    const auto values = store.ListIndexFuncValues("letters");
    ASSERT_EQ(values.size(), expected.size());
    for (const auto& [value, keys] : expected) {
      const auto found = store.IndexKeys("letters", value).value();
      ASSERT_EQ(std::set(found.begin(), found.end()), keys) << value << " at step " << step;
      ASSERT_EQ(found.size(), keys.size());
    }
  }
}

TEST(ThreadSafeStoreTest, ReadersSeeWholeStepsWhileWritersWork) {
  const auto store = Lettered();
  std::atomic<bool> done = false;
  std::atomic<int> torn = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!done) {
        // Every step leaves all objects with one and the same value.
        std::set<std::string> seen;
        for (const auto& item : store.List()) seen.insert(item->value);
        torn += seen.size() > 1 ? 1 : 0;
        torn += store.ListIndexFuncValues("letters").size() > 1 ? 1 : 0;
        (void)store.ByIndex("letters", "b");
        (void)store.GetByKey("default/3");
      }
    });
  }
  for (int step = 0; step < 300; ++step) {
    const std::string value(1, static_cast<char>('a' + step % 3));
    std::vector<ObjectPtr<Item>> items;
    for (int i = 0; i < 10; ++i)
      items.push_back(MakeItem({.name = std::to_string(i), .value = value}));
    EXPECT_TRUE(store.Replace(std::move(items), std::to_string(step + 1)));
  }
  ASSERT_TRUE(store.AddIndexers({{"late", Letters}}).has_value());
  done = true;
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(store.size(), 10u);
}

}  // namespace
}  // namespace k8s::cache
