#include <k8s/cache/listers.hpp>
#include <k8s/cache/store.hpp>
#include <k8s/labels/selector.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/item.hpp"

namespace k8s::cache {
namespace {

using test::Item;
using test::MakeItem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class ListerTest : public testing::Test {
 protected:
  ListerTest() {
    Put({.name = "a", .namespace_ = "one", .labels = {{"app", "web"}}});
    Put({.name = "b", .namespace_ = "one", .labels = {{"app", "db"}}});
    Put({.name = "a", .namespace_ = "two", .labels = {{"app", "web"}}});
    Put({.name = "global", .namespace_ = ""});
  }

  void Put(Item item) {
    const std::string key = KeyOf(item);
    store_->Set(key, MakeItem(std::move(item)));
  }
  static std::vector<std::string> Keys(const std::vector<ObjectPtr<Item>>& items) {
    std::vector<std::string> keys;
    for (const auto& item : items) keys.push_back(KeyOf(*item));
    return keys;
  }

  static std::shared_ptr<ThreadSafeStore> NewStore() {
    auto store = std::make_shared<ThreadSafeStore>(test::ItemType());
    EXPECT_TRUE(
        store->AddIndexers({{std::string(kNamespaceIndex), NamespaceIndexFunc(test::ItemType())}})
            .has_value());
    return store;
  }

  const std::shared_ptr<ThreadSafeStore> store_ = NewStore();
  const Lister<Item> lister_{store_};
};

// client-go: TestListAll, TestNamespaceGetMethod, TestNamespaceListMethod
TEST_F(ListerTest, ListsByNamespaceAndSelector) {
  const auto web = labels::Parse("app=web").value();
  EXPECT_THAT(Keys(lister_.List(labels::Everything())),
              UnorderedElementsAre("one/a", "one/b", "two/a", "global"));
  EXPECT_THAT(Keys(lister_.List(web)), UnorderedElementsAre("one/a", "two/a"));
  EXPECT_THAT(lister_.List(labels::Nothing()), IsEmpty());

  const auto one = lister_.Namespace("one");
  EXPECT_THAT(Keys(one.List(labels::Everything())), UnorderedElementsAre("one/a", "one/b"));
  EXPECT_THAT(Keys(one.List(web)), ElementsAre("one/a"));
  EXPECT_THAT(one.List(labels::Nothing()), IsEmpty());
  EXPECT_THAT(lister_.Namespace("none").List(labels::Everything()), IsEmpty());
  EXPECT_EQ(lister_.Namespace("").List(labels::Everything()).size(), 4u) << "all namespaces";
}

// client-go: TestGetMethod
TEST_F(ListerTest, GetsByName) {
  EXPECT_EQ(lister_.Namespace("two").Get("a").value(), store_->Get("two/a"));
  EXPECT_EQ(lister_.Get("global").value(), store_->Get("global"));
}

TEST_F(ListerTest, AnAbsentObjectIsANotFoundErrorWithItsResource) {
  const auto absent = lister_.Namespace("two").Get("b");
  ASSERT_FALSE(absent.has_value());
  EXPECT_TRUE(IsNotFound(absent.error()));
  EXPECT_EQ(absent.error().group, "test.example");
  EXPECT_EQ(absent.error().resource, "items");
  EXPECT_EQ(absent.error().name, "b");
  EXPECT_TRUE(IsNotFound(lister_.Get("a").error())) << "a is in a namespace";
}

TEST_F(ListerTest, ATypeWithoutLabelsMatchesEverythingAlone) {
  runtime::ObjectType bare = runtime::ObjectTypeOf<Item>();
  bare.labels = [](const void*) -> const StringMap<std::string>* { return nullptr; };
  const auto store = std::make_shared<ThreadSafeStore>(
      std::shared_ptr<const runtime::ObjectType>(std::shared_ptr<const void>(), &bare));
  store->Set("default/a", MakeItem({.name = "a"}));
  const Lister<Item> lister(store);
  EXPECT_EQ(lister.List(labels::Everything()).size(), 1u);
  EXPECT_THAT(lister.List(labels::Parse("!app").value()), IsEmpty());
}

}  // namespace
}  // namespace k8s::cache
