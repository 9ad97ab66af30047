#include <k8s/cache/object_name.hpp>

#include <gtest/gtest.h>

#include "cache/resource_version.hpp"
#include "support/item.hpp"

namespace k8s::cache {
namespace {

using test::Item;

// client-go: TestObjectNames
TEST(ObjectNameTest, KeysAreReadAndWritten) {
  const struct {
    const char* key;
    ObjectName name;
  } rows[] = {
      {"", {"", ""}},
      {"a", {"", "a"}},
      {"ns/a", {"ns", "a"}},
      {"ns/", {"ns", ""}},
      {" /\n", {" ", "\n"}},
      {"a.b/c-d", {"a.b", "c-d"}},
      {"\xc3\xa4/x", {"\xc3\xa4", "x"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.key);
    EXPECT_EQ(SplitMetaNamespaceKey(row.key).value(), row.name);
    EXPECT_EQ(row.name.ToString(), row.key);
  }
}

TEST(ObjectNameTest, AnEmptyNamespaceIsLeftOutWhenWritten) {
  EXPECT_EQ(SplitMetaNamespaceKey("/a").value(), (ObjectName{"", "a"}));
  EXPECT_EQ((ObjectName{"", "a"}).ToString(), "a");
}

TEST(ObjectNameTest, MoreThanOneSlashIsRefused) {
  for (const char* key : {"a/b/c", "//", "a//b"}) {
    SCOPED_TRACE(key);
    const auto name = SplitMetaNamespaceKey(key);
    ASSERT_FALSE(name.has_value());
    EXPECT_EQ(name.error().kind, ErrorKind::kInvalidArgument);
    EXPECT_NE(name.error().message.find(key), std::string::npos);
  }
}

TEST(ObjectNameTest, TheKeyOfAnObjectIsItsNamespaceAndName) {
  EXPECT_EQ(MetaNamespaceKeyFunc(Item{.name = "a", .namespace_ = "ns"}), "ns/a");
  EXPECT_EQ(MetaNamespaceKeyFunc(Item{.name = "node", .namespace_ = ""}), "node");
}

TEST(ResourceVersionTest, OnlyDecimalNumbersAreOrdered) {
  const struct {
    const char* a;
    const char* b;
    bool older;
  } rows[] = {
      {"1", "2", true},  {"2", "1", false},  {"2", "2", false},
      {"9", "10", true}, {"10", "9", false}, {"18446744073709551616", "18446744073709551617", true},
      {"", "2", false},  {"1", "", false},   {"01", "2", false},
      {"a", "b", false}, {"1", "2a", false}, {"-1", "2", false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(std::string(row.a) + " and " + row.b);
    EXPECT_EQ(detail::IsOlder(row.a, row.b), row.older);
  }
}

}  // namespace
}  // namespace k8s::cache
