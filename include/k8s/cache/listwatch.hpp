#pragma once

#include <k8s/apis/meta/v1.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace k8s::inline v0 {

namespace watch {

/// Mirrors watch.EventType.
enum class EventType { kAdded, kModified, kDeleted, kBookmark, kError };

/// One event of an open watch.
struct Event {
  EventType type = EventType::kError;
  runtime::AnyPtr object = {};       ///< kAdded, kModified, kDeleted.
  std::string resourceVersion = {};  ///< Of the object or bookmark.
  bool initialEventsEnd = false;     ///< kBookmark: closes the initial events of a streaming list.
  Error status = {};                 ///< kError: the server's Status.
};

/// An open watch. Mirrors watch.Interface, pulled instead of a channel.
/// Thread safety. One reader. Dropping it closes the watch at once.
class Interface {
 public:
  virtual ~Interface() = default;
  /// Waits for the next event. No value: the server ended the stream in an orderly way.
  /// Errors: kConnectionLost, kTimeout, kCancelled, and kDecode when the framing is broken (the
  /// stream is of no more use). An object that alone cannot be decoded is reported as kDecode with
  /// `reason` "ObjectDecode"; the stream goes on. It goes on as well after kTimeout with
  /// `kReasonSilence`: an event may still come.
  /// Blocking. Ends at once when `stop` is triggered.
  virtual Result<std::optional<Event>> Next(std::stop_token stop) = 0;

  /// For how long `Next` waits while not a byte comes, before it says `kReasonSilence`. 0: for
  /// ever. Ignored by default, as by a source that is never silent.
  virtual void SetIdleTimeout(std::chrono::milliseconds /*timeout*/) {}

  /// Bytes of the stream so far, after gzip; 0 for a source without bytes.
  [[nodiscard]] virtual std::uint64_t BytesReceived() const { return 0; }
};

}  // namespace watch

namespace cache {

/// `Error::reason` of a kDecode error that concerns one object alone: the list or stream it came in
/// goes on. `Error::name` is then its key ("namespace/name"), when that could be read.
inline constexpr std::string_view kReasonObjectDecode = "ObjectDecode";

/// What a list answers besides its items.
struct ListResult {
  std::string resourceVersion = {};
  std::string continueToken = {};                       ///< Empty on the last page.
  std::optional<std::int64_t> remainingItemCount = {};  ///< After this page, if the server says so.
  /// Items that could not be decoded and were left out (`kReasonObjectDecode`).
  std::vector<Error> unreadable = {};
  std::uint64_t bytes = 0;  ///< Of the body, after gzip; 0 for a source without bytes.
};

/// Receives items one by one, each as soon as its bytes are there. Called on the thread that lists.
using VisitFunc = std::function<void(runtime::AnyPtr)>;

/// How the requests of a ListerWatcher are made.
struct RequestOptions {
  /// How long to wait for a server that says nothing, before the answer to a watch begins. 0: for
  /// ever.
  std::chrono::milliseconds openingIdle{0};
  /// The same before the answer to a list begins, and inside it.
  std::chrono::milliseconds listIdle{0};
  /// Told of each failure after which the source by itself sends a request once more, and of the
  /// wait before that. On the thread that lists or watches. Empty: nobody.
  std::function<void(const Error& error, std::chrono::seconds wait)> onRetry = {};
};

/// Lists and watches one resource, type-erased. Mirrors cache.ListerWatcher.
/// **Thread safety.** Used by one reflector at a time.
class ListerWatcher {
 public:
  virtual ~ListerWatcher() = default;
  /// One page (all, if `options.limit` is 0). Items that were visited before an error count for
  /// nothing.
  /// **Blocking.** Ends at once when `stop` is triggered.
  virtual Result<ListResult> List(const metav1::ListOptions& options, const VisitFunc& visit,
                                  std::stop_token stop) = 0;
  /// Opens a watch. A server-side limit in `options.timeoutSeconds` bounds the stream on this side
  /// as well, with some grace.
  /// **Blocking.** Until the server's headers are there; ends at once when `stop` is triggered.
  virtual Result<std::unique_ptr<watch::Interface>> Watch(const metav1::ListOptions& options,
                                                          std::stop_token stop) = 0;
  /// How `List` and `Watch` are to wait for the server: they fail with kTimeout after such a
  /// silence. Called before they are. Ignored by default: a source that may be silent for ever has
  /// to set itself a bound.
  virtual void SetRequestOptions(const RequestOptions& /*options*/) {}
  /// Whether streaming lists (sendInitialEvents) may be asked of it. Fakes that would never send
  /// the closing bookmark say false. Mirrors IsWatchListSemanticsUnSupported, turned around.
  [[nodiscard]] virtual bool SupportsWatchList() const { return true; }
  /// What a request that is not answered waits for, for people. Empty: not told. From any thread.
  [[nodiscard]] virtual std::string WaitsFor() const { return {}; }
};

using ListFunc = std::function<Result<ListResult>(const metav1::ListOptions& options,
                                                  const VisitFunc& visit, std::stop_token stop)>;
using WatchFunc = std::function<Result<std::unique_ptr<watch::Interface>>(
    const metav1::ListOptions& options, std::stop_token stop)>;

/// A ListerWatcher made of two functions. Mirrors cache.ListWatch.
class ListWatch : public ListerWatcher {
 public:
  /// `supports_watch_list`: what `SupportsWatchList` answers.
  ListWatch(ListFunc list, WatchFunc watch, bool supports_watch_list = true)
      : list_(std::move(list)), watch_(std::move(watch)), supports_(supports_watch_list) {}

  Result<ListResult> List(const metav1::ListOptions& options, const VisitFunc& visit,
                          std::stop_token stop) override;
  Result<std::unique_ptr<watch::Interface>> Watch(const metav1::ListOptions& options,
                                                  std::stop_token stop) override;
  [[nodiscard]] bool SupportsWatchList() const override { return supports_; }

 private:
  ListFunc list_;
  WatchFunc watch_;
  bool supports_;
};

}  // namespace cache
}  // namespace k8s::inline v0
