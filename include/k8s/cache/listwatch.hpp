#pragma once

#include <k8s/apis/meta/v1.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace k8s::inline v0 {

namespace watch {

/// Mirrors watch.EventType.
enum class EventType { kAdded, kModified, kDeleted, kBookmark, kError };

/// One event of an open watch.
struct Event {
  EventType type = EventType::kError;
  runtime::AnyPtr object;        ///< kAdded, kModified, kDeleted.
  std::string resourceVersion;   ///< Of the object or bookmark.
  bool initialEventsEnd = false; ///< kBookmark: closes the initial events of a streaming list.
  Error status;                  ///< kError: the server's Status.
};

/// An open watch. Mirrors watch.Interface, pulled instead of a channel.
/// Thread safety. One reader. Dropping it closes the watch at once.
class Interface {
 public:
  virtual ~Interface() = default;
  /// Waits for the next event. No value: the server ended the stream in an orderly way.
  /// Errors: kConnectionLost, kTimeout, kCancelled, and kDecode when the framing is broken (the stream
  /// is of no more use). An object that alone cannot be decoded is reported as kDecode with
  /// `reason` "ObjectDecode"; the stream goes on.
  /// Blocking. Ends at once when `stop` is triggered.
  virtual Result<std::optional<Event>> Next(std::stop_token stop) = 0;
};

}  // namespace watch

namespace cache {

/// What a list answers besides its items.
struct ListResult {
  std::string resourceVersion;
  std::string continueToken;  ///< Empty on the last page.
};

/// Lists and watches one resource, type-erased. Mirrors cache.ListerWatcher.
/// Thread safety. Used by one reflector at a time.
class ListerWatcher {
 public:
  virtual ~ListerWatcher() = default;
  /// One page (all, if `options.limit` is 0). `visit` gets each item as soon as its bytes are there.
  /// Blocking. Ends at once when `stop` is triggered.
  virtual Result<ListResult> List(const metav1::ListOptions& options,
                                  const std::function<void(runtime::AnyPtr)>& visit,
                                  std::stop_token stop) = 0;
  /// Opens a watch. Blocking until the server's headers are there.
  virtual Result<std::unique_ptr<watch::Interface>> Watch(const metav1::ListOptions& options,
                                                          std::stop_token stop) = 0;
};

}  // namespace cache
}  // namespace k8s::inline v0
