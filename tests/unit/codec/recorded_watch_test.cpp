// Streams that a real API server sent, cut at every byte: the events are the same however they
// arrive, and a stream that breaks off has delivered exactly what was complete.

#include <k8s/codec/splitter.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rest/gunzip.hpp"
#include "support/case_file.hpp"
#include "support/split.hpp"
#include "testing/gzip.hpp"

namespace k8s::testing {
namespace {

using rest::detail::Gunzip;

constexpr const char* kStreams[] = {"configmaps-from-version.json", "crontabs-streaming-list.json",
                                    "pods-metadata-streaming-list.json",
                                    "pods-streaming-list.json"};

/// The events of a recorded stream, each with the line end that the server sent behind it.
std::vector<std::string> EventsOf(const std::string& file) {
  const std::string body = ReadTestData("recorded/watch/" + file);
  std::vector<std::string> events;
  for (std::size_t at = 0; at < body.size();) {
    const auto end = std::min(body.find('\n', at), body.size() - 1) + 1;
    events.push_back(body.substr(at, end - at));
    at = end;
  }
  return events;
}

using Frames = std::vector<std::pair<std::string, std::string>>;

class RecordedWatchTest : public ::testing::TestWithParam<const char*> {
 protected:
  // Each event with the one behind it: a cut concerns no others.
  template <class Check>
  void ForEachPair(Check check) const {
    const auto events = EventsOf(GetParam());
    ASSERT_GT(events.size(), 3u);
    for (std::size_t i = 0; i + 1 < events.size(); ++i) {
      ASSERT_NO_FATAL_FAILURE(check(events[i], events[i + 1])) << "event " << i;
    }
  }
};

TEST_P(RecordedWatchTest, EveryCutGivesTheSameEvents) {
  ForEachPair([](const std::string& first, const std::string& second) {
    const std::string body = first + second;
    const Frames frames = SplitWatch(body).frames;
    ASSERT_EQ(frames.size(), 2u);
    for (std::size_t cut = 1; cut <= first.size(); ++cut) {
      const auto result = SplitWatch(body, {cut});
      ASSERT_FALSE(result.error) << cut;
      ASSERT_TRUE(result.frames == frames) << cut;
    }
  });
}

TEST_P(RecordedWatchTest, AStreamThatBreaksOffHasDeliveredWhatWasComplete) {
  ForEachPair([](const std::string& first, const std::string& second) {
    const std::string body = first + second;
    const Frames frames = SplitWatch(body).frames;
    const std::size_t complete = body.find_last_of('}') + 1;
    for (std::size_t size = first.size(); size <= body.size(); ++size) {
      const auto result = SplitWatch(std::string_view(body).substr(0, size));
      const bool whole = size >= complete;
      ASSERT_EQ(result.frames.size(), whole ? 2u : 1u) << size;
      ASSERT_TRUE(result.frames.front() == frames.front()) << size;
      // Between two events a stream may end; within one it was cut.
      const bool between = whole || size == first.size();
      ASSERT_EQ(result.error.has_value(), !between) << size;
      if (!between) {
        ASSERT_EQ(result.error->kind, ErrorKind::kConnectionLost) << size;
      }
    }
  });
}

/// What Gunzip makes of the pieces of a body; nothing when it refuses one.
std::optional<std::string> Unpack(Gunzip& gunzip, const std::vector<std::string_view>& pieces) {
  std::string text;
  std::string out;
  for (std::string_view piece : pieces) {
    // From memory of its own, so that a read beyond it is found.
    const std::vector<char> copy(piece.begin(), piece.end());
    std::string_view left(copy.data(), copy.size());
    while (!left.empty() || gunzip.HasMore()) {
      if (!gunzip.Decode(left, out)) return std::nullopt;
      text += out;
    }
  }
  return text;
}

// API servers send each event as a gzip member of its own.
TEST_P(RecordedWatchTest, EveryCutOfGzipMembersGivesTheSameEvents) {
  ForEachPair([](const std::string& first, const std::string& second) {
    const std::string body = Gzip(first) + Gzip(second);
    for (std::size_t cut = 1; cut < body.size(); ++cut) {
      Gunzip gunzip;
      const std::string_view all = body;
      ASSERT_TRUE(Unpack(gunzip, {all.substr(0, cut), all.substr(cut)}) == first + second) << cut;
      ASSERT_TRUE(gunzip.Complete()) << cut;
    }
  });
}

TEST_P(RecordedWatchTest, GzipMembersThatBreakOffAreIncomplete) {
  ForEachPair([](const std::string& first, const std::string& second) {
    const std::string member = Gzip(first);
    const std::string body = member + Gzip(second);
    for (std::size_t size = 0; size <= body.size(); ++size) {
      Gunzip gunzip;
      const auto text = Unpack(gunzip, {std::string_view(body).substr(0, size)});
      ASSERT_TRUE(text) << size;
      ASSERT_TRUE((first + second).starts_with(*text)) << size;
      if (size >= member.size()) {
        ASSERT_GE(text->size(), first.size()) << size;
      }
      const bool between = size == 0 || size == member.size() || size == body.size();
      ASSERT_EQ(gunzip.Complete(), between) << size;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Streams, RecordedWatchTest, ::testing::ValuesIn(kStreams),
                         [](const auto& test) {
                           std::string name = test.param;
                           name.resize(name.find('.'));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace k8s::testing
