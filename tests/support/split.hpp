#pragma once

#include <k8s/codec/splitter.hpp>
#include <k8s/error.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Runs whole bodies through the splitters.
namespace k8s::inline v0::testing {

/// All that a ListSplitter makes of a body.
struct SplitListResult {
  std::vector<std::string> items;
  std::optional<codec::ListHead> head;
  std::optional<Error> error;
};

/// All that a WatchSplitter makes of a body: (type, object).
struct SplitWatchResult {
  std::vector<std::pair<std::string, std::string>> frames;
  std::optional<Error> error;
};

/// Feeds the pieces between the cuts. Each piece is freed before the next one is made, so that a
/// view that outlives its chunk is found by a sanitizer.
template <class Splitter, class Sink>
std::optional<Error> FeedPieces(Splitter& splitter, std::string_view body,
                                const std::vector<std::size_t>& cuts, Sink sink) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= cuts.size(); ++i) {
    const std::size_t end = i < cuts.size() ? cuts[i] : body.size();
    const std::vector<char> chunk(body.begin() + static_cast<std::ptrdiff_t>(begin),
                                  body.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
    splitter.Feed({chunk.data(), chunk.size()});
    while (true) {
      auto next = splitter.Next();
      if (!next) return next.error();
      if (!*next) break;
      sink(**next);
    }
  }
  return std::nullopt;
}

inline SplitListResult SplitList(std::string_view body, const std::vector<std::size_t>& cuts = {},
                                 codec::ListSplitter::Options options = {}) {
  SplitListResult result;
  codec::ListSplitter splitter(options);
  result.error = FeedPieces(splitter, body, cuts,
                            [&](std::string_view item) { result.items.emplace_back(item); });
  if (result.error) return result;
  if (auto head = splitter.Finish()) {
    result.head = std::move(*head);
  } else {
    result.error = head.error();
  }
  return result;
}

inline SplitWatchResult SplitWatch(
    std::string_view body, const std::vector<std::size_t>& cuts = {},
    std::size_t max_frame_bytes = codec::WatchSplitter::kMaxFrameBytes) {
  SplitWatchResult result;
  codec::WatchSplitter splitter(max_frame_bytes);
  result.error = FeedPieces(splitter, body, cuts, [&](const codec::WatchFrame& frame) {
    result.frames.emplace_back(frame.type, frame.object);
  });
  if (result.error) return result;
  if (auto end = splitter.Finish(); !end) result.error = end.error();
  return result;
}

/// Cuts every `size` bytes.
inline std::vector<std::size_t> CutsEvery(std::size_t size, std::string_view body) {
  std::vector<std::size_t> cuts;
  for (std::size_t at = size; at < body.size(); at += size) cuts.push_back(at);
  return cuts;
}

}  // namespace k8s::inline v0::testing
