#pragma once

#include <k8s/result.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

/// Cut the body of a LIST or WATCH answer into objects while it arrives, so that neither a list nor
/// a page is ever held. They look at brackets and quotes only: an object is not checked before a
/// decoder reads it. Splitter and decoder together accept exactly what is valid JSON.
namespace k8s::inline v0::codec {

/// What a list says of itself.
struct ListHead {
  std::string apiVersion = {};
  std::string kind = {};
  std::string resourceVersion = {};
  std::string continue_ = {};  ///< The token of the next page; empty on the last one.
  std::optional<std::int64_t> remainingItemCount = std::nullopt;
};

/// Cuts the `items` out of a list.
///
///     while (more) {
///       splitter.Feed(chunk);
///       while (true) {
///         auto item = splitter.Next();          // an error ends the use of the splitter
///         if (!item || !*item) break;
///         Decode(**item);
///       }
///     }
///     auto head = splitter.Finish();
///
/// Thread safety. One thread at a time.
class ListSplitter {
 public:
  struct Options {
    std::size_t maxItemBytes = std::size_t{64} << 20;
    /// Of everything but the items. A Status, which comes instead of a list, must fit in here.
    std::size_t maxHeadBytes = std::size_t{1} << 20;
  };

  ListSplitter();
  explicit ListSplitter(Options options);
  ListSplitter(ListSplitter&&) noexcept;
  ListSplitter& operator=(ListSplitter&&) noexcept;
  ~ListSplitter();

  /// Gives the next bytes of the body, in pieces of any size.
  /// Requires: Next() gave nothing since the last Feed(); `chunk` stays until it does so again.
  void Feed(std::string_view chunk);

  /// The next item as one JSON text, or nothing when more bytes are needed. The view ends with the
  /// next call of any member, or with the chunk.
  /// Errors: kDecode for what is no list, or an item or head above its limit. It stays so.
  [[nodiscard]] Result<std::optional<std::string_view>> Next();

  /// Says that the body is complete, and returns what stood around the items.
  /// Errors: kConnectionLost when the list is not; kStatus when the body was a Status; kDecode when
  /// it was no list, or no JSON.
  [[nodiscard]] Result<ListHead> Finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// One event of a watch, still as text.
struct WatchFrame {
  std::string_view type;    ///< "ADDED", "BOOKMARK"; whatever the server sent.
  std::string_view object;  ///< The JSON text of an object.
};

/// Cuts a watch's body into events: JSON objects one after another, with or without white space
/// between them, their members in any order.
///
/// Thread safety. One thread at a time.
class WatchSplitter {
 public:
  /// client-go refuses longer events as well.
  static constexpr std::size_t kMaxFrameBytes = std::size_t{16} << 20;

  explicit WatchSplitter(std::size_t max_frame_bytes = kMaxFrameBytes);
  WatchSplitter(WatchSplitter&&) noexcept;
  WatchSplitter& operator=(WatchSplitter&&) noexcept;
  ~WatchSplitter();

  /// As ListSplitter::Feed.
  void Feed(std::string_view chunk);

  /// The next event, as soon as its last byte is there, or nothing when more bytes are needed. The
  /// views end with the next call of any member, or with the chunk.
  /// Errors: kDecode for what is no event or is too long; kStatus when the body was a Status. It
  /// stays so.
  [[nodiscard]] Result<std::optional<WatchFrame>> Next();

  /// Says that the body is complete. Errors: kConnectionLost when it ended inside an event.
  [[nodiscard]] Result<void> Finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace k8s::inline v0::codec
