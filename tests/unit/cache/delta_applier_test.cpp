#include "cache/delta_applier.hpp"

#include <k8s/cache/delta_fifo.hpp>
#include <k8s/cache/thread_safe_store.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "support/item.hpp"

namespace k8s::cache {
namespace {

using test::Item;
using test::MakeItem;
using testing::ElementsAre;
using testing::IsEmpty;

using Changes = std::vector<std::pair<DeltaType, Item>>;

class DeltaApplierTest : public testing::Test {
 protected:
  // Applies changes in one batch; tells what handlers would be told, "update a@1 to a@2" by
  // resource versions.
  std::vector<std::string> Apply(const Changes& changes) {
    Deltas deltas;
    for (const auto& [type, item] : changes) {
      deltas.deltas.push_back({.type = type, .key = KeyOf(item), .object = MakeItem(item)});
      deltas.resourceVersion = item.resourceVersion;
    }
    return Texts(detail::ApplyDeltas(std::move(deltas), store_));
  }
  std::vector<std::string> Replace(const std::vector<Item>& items, std::string version,
                                   bool initial = false) {
    Deltas deltas{.kind = Deltas::Kind::kReplaced,
                  .resourceVersion = std::move(version),
                  .isInInitialList = initial};
    for (const Item& item : items) {
      deltas.deltas.push_back(
          {.type = DeltaType::kReplaced, .key = KeyOf(item), .object = MakeItem(item)});
    }
    return Texts(detail::ApplyDeltas(std::move(deltas), store_));
  }
  void Bookmark(std::string version) {
    EXPECT_THAT(
        detail::ApplyDeltas(
            {.kind = Deltas::Kind::kBookmark, .resourceVersion = std::move(version)}, store_),
        IsEmpty());
  }

  static std::vector<std::string> Texts(const std::vector<detail::Notification>& notifications) {
    using Kind = detail::Notification::Kind;
    const auto text = [](const runtime::AnyPtr& object) {
      const auto& item = *static_cast<const Item*>(object.get());
      return item.name + "@" + item.resourceVersion;
    };
    std::vector<std::string> texts;
    for (const auto& n : notifications) {
      if (n.kind == Kind::kAdd) texts.push_back((n.flag ? "initial " : "add ") + text(n.after));
      if (n.kind == Kind::kUpdate) {
        texts.push_back("update " + text(n.before) + " to " + text(n.after));
      }
      if (n.kind == Kind::kDelete) {
        EXPECT_EQ(n.key.substr(0, 8), "default/");
        texts.push_back((n.flag ? "lost " : "delete ") + text(n.before));
      }
    }
    return texts;
  }
  std::string Stored(const std::string& name) const {
    const auto object = store_.Get("default/" + name);
    return object ? static_cast<const Item*>(object.get())->resourceVersion : "none";
  }

  ThreadSafeStore store_{test::ItemType()};
};

Item At(std::string name, std::string version, std::string uid = "u") {
  return {.name = std::move(name), .uid = std::move(uid), .resourceVersion = std::move(version)};
}

// client-go: TestProcessDeltasInBatch
TEST_F(DeltaApplierTest, ChangesAreToldInTheirOrder) {
  EXPECT_THAT(Apply({{DeltaType::kAdded, At("a", "1")}, {DeltaType::kUpdated, At("b", "2")}}),
              ElementsAre("add a@1", "add b@2"));
  EXPECT_THAT(Apply({{DeltaType::kUpdated, At("b", "3")}, {DeltaType::kDeleted, At("a", "4")}}),
              ElementsAre("update b@2 to b@3", "delete a@4"));
  EXPECT_EQ(Stored("a"), "none");
  EXPECT_EQ(store_.LastResourceVersion(), "4");
}

// client-go: TestReplaceEvents
TEST_F(DeltaApplierTest, OfAListDeletionsComeFirstThenTheListsOrder) {
  EXPECT_THAT(Replace({At("b", "1"), At("a", "2")}, "5", true),
              ElementsAre("initial b@1", "initial a@2"));
  EXPECT_THAT(Replace({At("c", "8"), At("b", "7")}, "9"),
              ElementsAre("lost a@2", "add c@8", "update b@1 to b@7"));
  EXPECT_EQ(store_.LastResourceVersion(), "9");
}

TEST_F(DeltaApplierTest, AnUnchangedObjectKeepsItsPointerAndIsNoEvent) {
  Replace({At("a", "1")}, "1");
  const auto kept = store_.Get("default/a");
  EXPECT_THAT(Replace({At("a", "1")}, "5"), IsEmpty());
  EXPECT_THAT(Apply({{DeltaType::kAdded, At("a", "1")}}), IsEmpty());
  EXPECT_EQ(store_.Get("default/a"), kept);
}

TEST_F(DeltaApplierTest, ObjectsWithoutAResourceVersionAreNeverUnchanged) {
  Replace({At("a", "")}, "1");
  EXPECT_THAT(Replace({At("a", "")}, "2"), ElementsAre("update a@ to a@"));
}

TEST_F(DeltaApplierTest, OfARepeatedKeyInAListTheLastCounts) {
  EXPECT_THAT(Replace({At("a", "1"), At("b", "1"), At("a", "2")}, "3"),
              ElementsAre("add b@1", "add a@2"));
  EXPECT_EQ(Stored("a"), "2");
}

TEST_F(DeltaApplierTest, AnOlderStateNeverReplacesANewerOneExceptByAList) {
  Apply({{DeltaType::kAdded, At("a", "10")}});
  EXPECT_THAT(Apply({{DeltaType::kUpdated, At("a", "9")}}), IsEmpty());
  EXPECT_THAT(Apply({{DeltaType::kDeleted, At("a", "9")}}), IsEmpty());
  EXPECT_EQ(Stored("a"), "10");
  EXPECT_EQ(store_.LastResourceVersion(), "10");
  EXPECT_THAT(Replace({At("a", "9")}, "9"), ElementsAre("update a@10 to a@9"));
  EXPECT_EQ(store_.LastResourceVersion(), "9");
}

TEST_F(DeltaApplierTest, VersionsThatCannotBeComparedAreTakenAsTheyCome) {
  Apply({{DeltaType::kAdded, At("a", "z")}});
  EXPECT_THAT(Apply({{DeltaType::kUpdated, At("a", "b")}}), ElementsAre("update a@z to a@b"));
}

TEST_F(DeltaApplierTest, AnotherUidIsADeletionAndAnAdd) {
  Apply({{DeltaType::kAdded, At("a", "1", "first")}});
  EXPECT_THAT(Apply({{DeltaType::kUpdated, At("a", "5", "second")}}),
              ElementsAre("lost a@1", "add a@5"));
  EXPECT_THAT(Replace({At("a", "7", "third")}, "8"), ElementsAre("lost a@5", "add a@7"));
  EXPECT_THAT(Replace({At("a", "9", "")}, "9"), ElementsAre("update a@7 to a@9"))
      << "without a uid nobody can tell";
}

// A watch that starts from an older version tells the whole life of a predecessor once more.
TEST_F(DeltaApplierTest, AReplayOfAPredecessorIsNoEvent) {
  Apply({{DeltaType::kAdded, At("a", "9", "second")}});
  EXPECT_THAT(Apply({{DeltaType::kAdded, At("a", "3", "first")}}), IsEmpty());
  EXPECT_THAT(Apply({{DeltaType::kDeleted, At("a", "8", "first")}}), IsEmpty());
  EXPECT_THAT(Apply({{DeltaType::kAdded, At("a", "9", "second")}}), IsEmpty());
  EXPECT_EQ(Stored("a"), "9");
}

TEST_F(DeltaApplierTest, ADeletionOfASuccessorThatNeverCameDeletesWhatIsStored) {
  Apply({{DeltaType::kAdded, At("a", "1", "first")}});
  EXPECT_THAT(Apply({{DeltaType::kDeleted, At("a", "5", "second")}}), ElementsAre("lost a@1"));
  EXPECT_EQ(Stored("a"), "none");
}

TEST_F(DeltaApplierTest, ADeletionOfAnUnknownKeyIsNoEvent) {
  EXPECT_THAT(Apply({{DeltaType::kDeleted, At("a", "5")}}), IsEmpty());
  EXPECT_EQ(store_.LastResourceVersion(), "5");
}

TEST_F(DeltaApplierTest, BookmarksMoveTheResourceVersionForwardOnly) {
  Bookmark("10");
  EXPECT_EQ(store_.LastResourceVersion(), "10");
  Bookmark("9");
  EXPECT_EQ(store_.LastResourceVersion(), "10");
}

}  // namespace
}  // namespace k8s::cache
