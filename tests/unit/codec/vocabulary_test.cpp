#include <k8s/box.hpp>
#include <k8s/bytes.hpp>
#include <k8s/codec/codec.hpp>
#include <k8s/fields.hpp>
#include <k8s/required_list.hpp>
#include <k8s/string_map.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

// A type that is incomplete where boxes and maps of it are declared.
struct Part;
struct Whole {
  k8s::Box<Part> part;
  k8s::StringMap<Part> parts;
};

struct Part {
  std::string name;
  k8s::Box<Part> next;
};

}  // namespace

CLIENT_CPP_FIELDS(Part, name, next);

namespace k8s {
namespace {

using ::testing::ElementsAre;

TEST(BoxTest, IsUnsetAtFirstAndTakesEightBytes) {
  Box<Part> box;
  EXPECT_FALSE(box);
  EXPECT_EQ(box.get(), nullptr);
  EXPECT_EQ(sizeof box, sizeof(void*));
}

TEST(BoxTest, CopiesDeeply) {
  Box<Part> box = Part{.name = "a", .next = Part{.name = "b", .next = {}}};
  Box<Part> copy = box;
  copy->next->name = "changed";
  EXPECT_EQ(box->next->name, "b");
  EXPECT_NE(box, copy);
  copy = box;
  EXPECT_EQ(box, copy);
  EXPECT_NE(box.get(), copy.get());
}

TEST(BoxTest, IsUnsetAfterBeingMovedFrom) {
  Box<Part> box = Part{.name = "a", .next = {}};
  const Part* const address = box.get();
  Box<Part> other = std::move(box);
  EXPECT_FALSE(box.has_value());  // NOLINT: what the test is about.
  EXPECT_EQ(other.get(), address);
  box = std::move(other);
  EXPECT_EQ(box.get(), address);
}

TEST(BoxTest, MayBeAssignedToAPartOfItself) {
  Box<Part> box = Part{.name = "a", .next = Part{.name = "b", .next = {}}};
  box = Box<Part>(box->next);
  EXPECT_EQ(box->name, "b");
  Box<Part> copy(box);
  box = *&box;
  EXPECT_EQ(box, copy);
}

TEST(BoxTest, EmplaceMakesAFreshValue) {
  Box<Part> box = Part{.name = "a", .next = {}};
  EXPECT_EQ(box.emplace().name, "");
  box.reset();
  EXPECT_FALSE(box);
}

TEST(BoxTest, ComparesByValue) {
  EXPECT_EQ(Box<Part>(), Box<Part>());
  EXPECT_NE(Box<Part>(), Box<Part>(Part{}));
  EXPECT_EQ(Box<Part>(Part{}), Box<Part>(Part{}));
  EXPECT_NE(Box<Part>(Part{.name = "a", .next = {}}), Box<Part>(Part{}));
}

TEST(BoxTest, HoldsTypesThatAreIncompleteWhereItIsDeclared) {
  Whole whole{.part = Part{.name = "a", .next = {}},
              .parts = {{"k", Part{.name = "v", .next = {}}}}};
  const Whole copy = whole;
  EXPECT_EQ(copy.part->name, "a");
  EXPECT_EQ(copy.parts.at("k").name, "v");
}

template <class Map>
std::vector<std::string> Keys(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

TEST(StringMapTest, KeepsKeysInOrder) {
  StringMap<int> map;
  map["b"] = 2;
  map["c"] = 3;
  map["a"] = 1;
  map[""] = 0;
  map["\xC3\xA9"] = 4;
  EXPECT_THAT(Keys(map), ElementsAre("", "a", "b", "c", "\xC3\xA9"));
  EXPECT_EQ(map.size(), 5u);
  EXPECT_EQ(map.nth(2).second, 2);
}

TEST(StringMapTest, FindsByTextOfAnyKind) {
  const StringMap<int> map = {{"a", 1}, {"c", 3}};
  EXPECT_EQ(map.find(std::string_view("c"))->second, 3);
  EXPECT_EQ(map.find("b"), map.end());
  EXPECT_EQ(map.find("d"), map.end());
  EXPECT_TRUE(map.contains("a"));
  EXPECT_EQ(map.count(std::string("b")), 0u);
  EXPECT_EQ(map.at("a"), 1);
  EXPECT_THROW((void)map.at("b"), std::out_of_range);
  EXPECT_EQ(StringMap<int>().find("a"), StringMap<int>().end());
}

TEST(StringMapTest, OfEqualKeysTheLastOneStays) {
  const StringMap<int> map = {{"a", 1}, {"b", 2}, {"a", 3}};
  EXPECT_EQ(map.size(), 2u);
  EXPECT_EQ(map.at("a"), 3);
}

TEST(StringMapTest, TellsNewKeysFromOldOnes) {
  StringMap<std::string> map;
  EXPECT_TRUE(map.insert_or_assign("a", "1").second);
  EXPECT_FALSE(map.insert_or_assign("a", "2").second);
  EXPECT_EQ(map.at("a"), "2");
  EXPECT_FALSE(map.emplace("a", "3").second);
  EXPECT_TRUE(map.insert({"b", "4"}).second);
  EXPECT_EQ(map, (StringMap<std::string>{{"a", "2"}, {"b", "4"}}));
}

TEST(StringMapTest, Erases) {
  StringMap<int> map = {{"a", 1}, {"b", 2}, {"c", 3}};
  EXPECT_EQ(map.erase("x"), 0u);
  EXPECT_EQ(map.erase("b"), 1u);
  EXPECT_EQ(map.erase(map.begin())->first, "c");
  EXPECT_THAT(Keys(map), ElementsAre("c"));
  map.clear();
  EXPECT_TRUE(map.empty());
}

TEST(StringMapTest, IsMadeFromOtherMaps) {
  const std::map<std::string, int> other = {{"b", 2}, {"a", 1}};
  EXPECT_EQ(StringMap<int>(other.begin(), other.end()), (StringMap<int>{{"a", 1}, {"b", 2}}));
}

TEST(RequiredListTest, TellsNullFromEmpty) {
  RequiredList<int> list;
  EXPECT_TRUE(list.IsNull());
  list.push_back(1);
  EXPECT_FALSE(list.IsNull());
  list.clear();
  EXPECT_TRUE(list.IsNull());
  list.SetNull(false);
  EXPECT_FALSE(list.IsNull());
  EXPECT_TRUE(list.empty());
  EXPECT_FALSE(RequiredList<int>(std::vector<int>{}).IsNull());
}

TEST(RequiredListTest, NullAndEmptyDiffer) {
  RequiredList<int> empty;
  empty.SetNull(false);
  EXPECT_NE(RequiredList<int>(), empty);
  EXPECT_EQ(RequiredList<int>({1, 2}), RequiredList<int>({1, 2}));
  EXPECT_NE(RequiredList<int>({1, 2}), RequiredList<int>({1, 3}));
}

TEST(BytesTest, ConvertFromAndToText) {
  EXPECT_EQ(ToString(Bytes{'h', 'i', 0, 0xFF}), std::string("hi\0\xFF", 4));
  EXPECT_EQ(ToBytes(std::string_view("\0a", 2)), (Bytes{0, 'a'}));
}

}  // namespace
}  // namespace k8s
