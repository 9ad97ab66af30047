#include <k8s/codec/codec.hpp>
#include <k8s/codec/splitter.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/split.hpp"

namespace k8s::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr std::string_view kStream =
    "\n{\"type\":\"ADDED\",\"object\":{\"a\":\"}{\\\"\\\\\"}}\r\n\n"
    "{\"object\" : {\"b\":[{},[]]} , \"extra\":[1,{\"object\":{}}],\"type\":\"MODI\\u0046IED\"}"
    "{ \"type\": \"DELETED\",\n  \"object\": {\"c\":\"\xC3\xA9\"},\"z\":null }{\"type\":\"X\","
    "\"object\":{}}";

const std::vector<std::pair<std::string, std::string>> kFrames = {
    {"ADDED", R"({"a":"}{\"\\"})"},
    {"MODIFIED", R"({"b":[{},[]]})"},
    {"DELETED", "{\"c\":\"\xC3\xA9\"}"},
    {"X", "{}"}};

TEST(WatchSplitterTest, CutsEventsOutAtEveryChunkBorder) {
  EXPECT_EQ(SplitWatch(kStream).frames, kFrames);
  for (std::size_t cut = 1; cut < kStream.size(); ++cut) {
    const auto result = SplitWatch(kStream, {cut});
    EXPECT_FALSE(result.error) << cut;
    EXPECT_EQ(result.frames, kFrames) << cut;
  }
}

TEST(WatchSplitterTest, CutsEventsOutAtEveryPairOfChunkBorders) {
  for (std::size_t first = 1; first < kStream.size(); ++first) {
    for (std::size_t second = first; second < kStream.size(); second += 3) {
      ASSERT_EQ(SplitWatch(kStream, {first, second}).frames, kFrames) << first << " " << second;
    }
  }
}

TEST(WatchSplitterTest, CutsEventsOutOfChunksOfEverySize) {
  for (std::size_t size = 1; size < 80; ++size) {
    EXPECT_EQ(SplitWatch(kStream, CutsEvery(size, kStream)).frames, kFrames) << size;
  }
}

TEST(WatchSplitterTest, GivesAnEventOnceItsLastByteIsThere) {
  codec::WatchSplitter splitter;
  splitter.Feed(R"({"type":"ADDED","object":{"a":1})");
  EXPECT_FALSE(splitter.Next().value());
  splitter.Feed("}");
  const auto frame = splitter.Next().value();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->object, R"({"a":1})");
  EXPECT_TRUE(splitter.Finish());
}

TEST(WatchSplitterTest, AnEmptyBodyIsAnOrdinaryEnd) {
  EXPECT_FALSE(SplitWatch("").error);
  EXPECT_FALSE(SplitWatch(" \r\n\n").error);
}

TEST(WatchSplitterTest, OfEqualMembersTheLastOneCounts) {
  const std::string body = R"({"object":{"a":1},"type":"A","object":{"b":[2]},"type":"B"})";
  for (std::size_t cut = 1; cut < body.size(); ++cut) {
    EXPECT_THAT(SplitWatch(body, {cut}).frames, ElementsAre(Pair("B", R"({"b":[2]})")));
  }
}

TEST(WatchSplitterTest, NamesMayBeEscaped) {
  EXPECT_THAT(SplitWatch(R"({"\u0074ype":"A","obj\u0065ct":{}})").frames,
              ElementsAre(Pair("A", "{}")));
}

TEST(WatchSplitterTest, WhatIsNoEventIsADecodeError) {
  for (const std::string_view body : {"<html></html>",
                                      "[]",
                                      "null",
                                      "x",
                                      "{}",
                                      R"({"type":"ADDED"})",
                                      R"({"object":{}})",
                                      R"({"type":"ADDED","object":null})",
                                      R"({"type":"ADDED","object":[]})",
                                      R"({"type":5,"object":{}})",
                                      R"({"kind":"PodList","items":[]})",
                                      R"({"type":"ADDED","object":{},})",
                                      R"({"type":"ADDED" "object":{}})",
                                      R"({"type":"ADDED","object":{},"x":tru})",
                                      R"({"type":"ADDED","object":{},"x\q":1})",
                                      R"({"type":"\q","object":{}})",
                                      R"({"type":"ADDED","object":{}},)",
                                      R"({"type":"ADDED","object":{}}])",
                                      R"({"type":"ADDED","object":})",
                                      R"({"type",1})"}) {
    const auto result = SplitWatch(body);
    ASSERT_TRUE(result.error) << body;
    EXPECT_EQ(result.error->kind, ErrorKind::kDecode) << body << result.error->message;
  }
}

TEST(WatchSplitterTest, EventsBeforeABrokenOneAreDelivered) {
  const auto result = SplitWatch(R"({"type":"A","object":{}}{"type":"B","object":{}}nonsense)");
  EXPECT_EQ(result.frames.size(), 2u);
  EXPECT_TRUE(result.error);
}

TEST(WatchSplitterTest, AStatusWithoutEnvelopeIsItsError) {
  const auto result = SplitWatch(
      R"({"kind":"Status","status":"Failure","code":401,"reason":"Unauthorized","message":"m"})");
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->kind, ErrorKind::kStatus);
  EXPECT_TRUE(IsUnauthorized(*result.error));
}

TEST(WatchSplitterTest, AnEventCutShortIsALostConnection) {
  const std::string_view body = R"({"type":"ADDED","object":{"a":[1]},"x":"y"})";
  for (std::size_t size = 1; size < body.size(); ++size) {
    const auto result = SplitWatch(body.substr(0, size));
    ASSERT_TRUE(result.error) << size;
    EXPECT_EQ(result.error->kind, ErrorKind::kConnectionLost) << size;
    EXPECT_THAT(result.frames, IsEmpty());
  }
}

TEST(WatchSplitterTest, AnErrorStays) {
  codec::WatchSplitter splitter;
  splitter.Feed("x");
  EXPECT_FALSE(splitter.Next());
  EXPECT_FALSE(splitter.Next());
  EXPECT_FALSE(splitter.Finish());
}

std::string EventOf(std::size_t bytes) {
  const std::string_view begin = R"({"type":"ADDED","object":{"data":{"k":")";
  const std::string_view end = "\"}}}";
  return std::string(begin) + std::string(bytes - begin.size() - end.size(), 'x') +
         std::string(end);
}

// client-go: the framer's buffer grows to 16 MiB
TEST(WatchSplitterTest, EventsUpToSixteenMebibytesAreDelivered) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  for (const std::size_t size : {1 * kMiB, 3 * kMiB, 15 * kMiB, 16 * kMiB}) {
    const std::string body = EventOf(size) + R"({"type":"B","object":{}})";
    for (const std::size_t chunk : {std::size_t{16} << 10, body.size()}) {
      const auto result = SplitWatch(body, CutsEvery(chunk, body));
      EXPECT_FALSE(result.error) << size;
      ASSERT_EQ(result.frames.size(), 2u) << size;
      EXPECT_EQ(result.frames[1].first, "B");
    }
  }
}

TEST(WatchSplitterTest, LongerEventsAreRefusedHoweverTheyArrive) {
  const std::string body = EventOf(codec::WatchSplitter::kMaxFrameBytes + 1);
  for (const std::size_t chunk : {std::size_t{16} << 10, body.size()}) {
    const auto result = SplitWatch(body, CutsEvery(chunk, body));
    ASSERT_TRUE(result.error);
    EXPECT_EQ(result.error->kind, ErrorKind::kDecode);
    EXPECT_THAT(result.error->message, HasSubstr("too long"));
  }
  // White space within an event, and members of no use, count as well.
  const std::string spaces = "{\"type\":\"A\"," + std::string(200, ' ') + "\"object\":{}}";
  EXPECT_TRUE(SplitWatch(spaces, CutsEvery(10, spaces), 100).error);
  EXPECT_FALSE(SplitWatch(spaces, CutsEvery(10, spaces), 300).error);
}

}  // namespace
}  // namespace k8s::testing
