#include <k8s/codec/codec.hpp>
#include <k8s/codec/splitter.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/split.hpp"

namespace k8s::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kList =
    R"( {"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"10",)"
    R"("continue":"c\"]","remainingItemCount":9007199254740993,"x":[{}]},)"
    R"("items" : [ {"a":"}]\"\\","b":[1,{}]} ,{}, [] , null,-1.5e3,"t\"ü", true ],"extra":[{"items":[1]}]} )";

const std::vector<std::string> kItems = {
    R"({"a":"}]\"\\","b":[1,{}]})", "{}", "[]", "null", "-1.5e3", "\"t\\\"ü\"", "true"};

void ExpectWhole(const SplitListResult& result, std::size_t cut) {
  ASSERT_FALSE(result.error) << cut << ": " << result.error->message;
  EXPECT_EQ(result.items, kItems) << cut;
  EXPECT_EQ(result.head->kind, "ConfigMapList");
  EXPECT_EQ(result.head->apiVersion, "v1");
  EXPECT_EQ(result.head->resourceVersion, "10");
  EXPECT_EQ(result.head->continue_, "c\"]") << cut;
  EXPECT_EQ(result.head->remainingItemCount, 9007199254740993);
}

TEST(ListSplitterTest, CutsItemsOutAtEveryChunkBorder) {
  ExpectWhole(SplitList(kList), 0);
  for (std::size_t cut = 1; cut < kList.size(); ++cut) ExpectWhole(SplitList(kList, {cut}), cut);
}

TEST(ListSplitterTest, CutsItemsOutOfChunksOfEverySize) {
  for (std::size_t size = 1; size < 80; ++size) {
    ExpectWhole(SplitList(kList, CutsEvery(size, kList)), size);
  }
}

TEST(ListSplitterTest, TakesEmptyChunks) {
  ExpectWhole(SplitList(kList, {0, 0, 5, 5, 200, 200, kList.size(), kList.size()}), 0);
}

TEST(ListSplitterTest, GivesAnItemOnceItsLastByteIsThere) {
  codec::ListSplitter splitter;
  splitter.Feed(R"({"items":[{"a":1})");
  const auto item = splitter.Next();
  ASSERT_TRUE(item && *item);
  EXPECT_EQ(**item, R"({"a":1})");
  EXPECT_FALSE(splitter.Next().value());
}

TEST(ListSplitterTest, AnItemWithinOneChunkIsNotCopied) {
  const std::string body = R"({"items":[{"a":1}]})";
  codec::ListSplitter splitter;
  splitter.Feed(body);
  EXPECT_EQ(splitter.Next().value()->data(), body.data() + 10);
}

TEST(ListSplitterTest, ItemsMayBeMissingNullOrEmpty) {
  for (const std::string_view items : {"", ",\"items\":null", ",\"items\":[]", ",\"items\":[ ]"}) {
    const auto result = SplitList(R"({"kind":"PodList","metadata":{"resourceVersion":"1"})" +
                                  std::string(items) + "}");
    ASSERT_FALSE(result.error) << items << result.error->message;
    EXPECT_EQ(result.head->resourceVersion, "1");
    EXPECT_THAT(result.items, IsEmpty());
  }
}

TEST(ListSplitterTest, MetadataMayBeMissingOrNull) {
  for (const std::string_view body : {R"({"items":[1]})", R"({"metadata":null,"items":[1]})"}) {
    const auto result = SplitList(body);
    ASSERT_FALSE(result.error) << body;
    EXPECT_EQ(result.head->resourceVersion, "");
    EXPECT_FALSE(result.head->remainingItemCount);
  }
}

TEST(ListSplitterTest, HeadMayComeBehindTheItems) {
  const auto result = SplitList(R"({"items":[1,2],"metadata":{"resourceVersion":"5"}})");
  ASSERT_FALSE(result.error);
  EXPECT_THAT(result.items, ElementsAre("1", "2"));
  EXPECT_EQ(result.head->resourceVersion, "5");
}

TEST(ListSplitterTest, AStatusIsItsError) {
  const std::string body =
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"gone",)"
      R"("reason":"Expired","details":{"causes":[{"reason":"R","message":"m","field":"f"}]},"code":410})";
  for (std::size_t cut = 1; cut < body.size(); cut += 7) {
    const auto result = SplitList(body, {cut});
    ASSERT_TRUE(result.error);
    EXPECT_EQ(result.error->kind, ErrorKind::kStatus);
    EXPECT_EQ(result.error->code, 410);
    EXPECT_TRUE(IsExpired(*result.error));
    EXPECT_EQ(result.error->causes.at(0).field, "f");
  }
}

TEST(ListSplitterTest, WhatIsNoListIsADecodeError) {
  for (const std::string_view body :
       {"", " \n", "<html></html>", "null", "[]", "[{\"items\":[]}]", "\"a\"", "1",
        R"({"items":{}})", R"({"items":"a"})", R"({"items":5,"kind":"PodList"})",
        R"({"kind":"ConfigMap","metadata":{"name":"a"}})", "{}", R"({"metadata":{},"error":"no"})",
        R"({"kind":"Status","status":"Success"})", R"({"kind":5,"items":[]})",
        R"({"metadata":{"resourceVersion":7},"items":[]})", R"({"items":[1],"items":[2]})",
        R"({"\u0069tems":[1]})"}) {
    const auto result = SplitList(body);
    ASSERT_TRUE(result.error) << body;
    EXPECT_EQ(result.error->kind, ErrorKind::kDecode) << body << result.error->message;
  }
}

TEST(ListSplitterTest, BrokenListsAreDecodeErrors) {
  for (const std::string_view body :
       {R"({"items":[1,]})",        R"({"items":[,1]})",        R"({"items":[1 2]})",
        R"({"items":[{} {}]})",     R"({"items":[:]})",         R"({"items":[1}})",
        R"({"items":[1]]})",        R"({"items" [1]})",         R"({"items":[1],})",
        R"({,"items":[1]})",        R"({"a":,"items":[1]})",    R"({items:[1]})",
        R"({"a":tru,"items":[1]})", R"({"a":[1},"items":[1]})", R"({"a\q":1,"items":[1]})",
        R"({"items":[1]} x)",       R"({"items":[1]}{})",       "{\"a\":\"\t\",\"items\":[1]}",
        R"({"items":[1] "b":2})",   R"({"items":[1],5:2})"}) {
    const auto result = SplitList(body);
    ASSERT_TRUE(result.error) << body;
    EXPECT_EQ(result.error->kind, ErrorKind::kDecode) << body << result.error->message;
    EXPECT_FALSE(codec::Valid(body));
  }
}

TEST(ListSplitterTest, EverythingCutShortIsALostConnection) {
  for (std::size_t size = 2; size + 1 < kList.size(); ++size) {
    const auto result = SplitList(kList.substr(0, size));
    ASSERT_TRUE(result.error) << size;
    EXPECT_EQ(result.error->kind, ErrorKind::kConnectionLost) << size << result.error->message;
  }
}

TEST(ListSplitterTest, AnErrorStays) {
  codec::ListSplitter splitter;
  splitter.Feed("[");
  EXPECT_FALSE(splitter.Next());
  EXPECT_FALSE(splitter.Next());
  EXPECT_FALSE(splitter.Finish());
}

TEST(ListSplitterTest, ItemsAndHeadHaveLimits) {
  const std::string item = "\"" + std::string(100, 'x') + "\"";
  const std::string body = "{\"items\":[" + item + "]}";
  const std::string head = "{\"a\":" + item + ",\"items\":[1]}";
  for (const std::size_t chunk : {7u, 1000u}) {
    EXPECT_FALSE(SplitList(body, CutsEvery(chunk, body), {.maxItemBytes = 102}).error);
    EXPECT_THAT(SplitList(body, CutsEvery(chunk, body), {.maxItemBytes = 101}).error->message,
                HasSubstr("too long"));
    EXPECT_FALSE(SplitList(head, CutsEvery(chunk, head), {.maxHeadBytes = 200}).error);
    EXPECT_THAT(SplitList(head, CutsEvery(chunk, head), {.maxHeadBytes = 50}).error->message,
                HasSubstr("too long"));
  }
}

TEST(ListSplitterTest, RunsOfBackslashesOfEveryLengthAreUnderstood) {
  for (std::size_t run = 0; run < 140; ++run) {
    for (const std::size_t before : {0u, 1u, 30u, 61u, 62u, 63u}) {
      const std::string item = "{\"" + std::string(before, 'x') + std::string(2 * run, '\\') +
                               "\\\"}\":\"" + std::string(2 * run, '\\') + "\"}";
      const std::string body = "{\"items\":[" + item + ",1]}";
      ASSERT_TRUE(codec::Valid(body));
      EXPECT_THAT(SplitList(body).items, ElementsAre(item, "1"));
      EXPECT_THAT(SplitList(body, CutsEvery(run + 1, body)).items, ElementsAre(item, "1"));
    }
  }
}

TEST(ListSplitterTest, RecordedListsAreCutAsNlohmannReadsThem) {
  int lists = 0;
  std::mt19937 random(1);
  for (const auto& entry :
       std::filesystem::directory_iterator(CLIENT_CPP_TEST_DATA "/recorded/lists")) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().filename());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string body(std::istreambuf_iterator<char>(file), {});
    const auto oracle = nlohmann::json::parse(body);
    const auto whole = SplitList(body);
    if (oracle["kind"] == "Table") {
      EXPECT_EQ(whole.error->kind, ErrorKind::kDecode);
      continue;
    }
    ASSERT_FALSE(whole.error) << whole.error->message;
    const auto items = oracle.value("items", nlohmann::json::array());
    ASSERT_EQ(whole.items.size(), items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      EXPECT_EQ(nlohmann::json::parse(whole.items[i]), items[i]);
    }
    EXPECT_EQ(whole.head->kind, oracle["kind"]);
    EXPECT_EQ(whole.head->resourceVersion, oracle["metadata"].value("resourceVersion", ""));
    EXPECT_EQ(whole.head->continue_, oracle["metadata"].value("continue", ""));
    const auto cut = SplitList(body, CutsEvery(1 + random() % 5000, body));
    EXPECT_EQ(cut.items, whole.items);
    ++lists;
  }
  EXPECT_GT(lists, 50);
}

}  // namespace
}  // namespace k8s::testing
