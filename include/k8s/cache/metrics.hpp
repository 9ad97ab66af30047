#pragma once

#include <k8s/cache/listwatch.hpp>
#include <k8s/clock.hpp>
#include <k8s/error.hpp>
#include <k8s/resource.hpp>
#include <k8s/result.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace k8s::inline v0::cache {

/// Why an informer received a complete state.
enum class RelistReason {
  kInitial,      ///< It had none before.
  kExpired,      ///< The server no longer, or not yet, knew the last version (410, too large).
  kShortWatch,   ///< A watch ended within a second and without an event.
  kUndecodable,  ///< The stream's framing was broken.
  kServerError,  ///< Any other refusal or failure of the server.
  kInternal,     ///< A fault on this side, a resync that failed for example.
};

/// A short name of the reason, "expired" for example.
[[nodiscard]] std::string_view ToString(RelistReason reason);

/// One attempt to receive a complete state.
struct ListMetrics {
  bool streamed = false;  ///< By a streaming list; its bytes are told with its events.
  bool complete = false;  ///< Else it failed.
  Clock::Duration duration{0};
  std::size_t items = 0;    ///< In the complete state.
  std::uint64_t bytes = 0;  ///< Of the bodies, after gzip.
};

/// One watch that has ended, a streaming list included.
struct WatchMetrics {
  Clock::Duration duration{0};
  std::uint64_t events = 0;
  bool isShort = false;  ///< Within a second and without an event. Mirrors short_watches.
};

/// Told of one event handler's queue and calls, on its thread and on the reflector's.
/// Requires and **Lifetime**: as InformerMetrics; dropped when the handler has ended.
class HandlerMetrics {
 public:
  virtual ~HandlerMetrics() = default;
  /// Notifications that wait for the handler, the one it is busy with included.
  virtual void OnPending(std::size_t /*pending*/) noexcept {}
  /// A callback returned, or threw.
  virtual void OnCall(Clock::Duration /*duration*/, bool /*failed*/) noexcept {}
};

/// Told of what one informer does; override what is wanted. Mirrors the metrics of cache.Reflector
/// (lists, list duration, items per list, watches, short watches, watch duration, items per watch,
/// last resource version), and more.
///
/// Requires: no waiting, no exceptions; several threads call at a time.
/// **Callbacks.** On the informer's threads, never under a lock.
/// **Lifetime.** Dropped with the informer.
class InformerMetrics {
 public:
  virtual ~InformerMetrics() = default;
  virtual void OnList(const ListMetrics& /*list*/) noexcept {}
  /// A complete state is in the store.
  virtual void OnRelist(RelistReason /*reason*/) noexcept {}
  /// `replacing`: takes over from a silent one.
  virtual void OnWatchOpened(bool /*replacing*/) noexcept {}
  virtual void OnWatchEnded(const WatchMetrics& /*watch*/) noexcept {}
  /// `bytes`: read from the stream since the event before, after gzip.
  virtual void OnEvent(watch::EventType /*type*/, std::uint64_t /*bytes*/) noexcept {}
  /// An object was skipped: not decodable, or not transformable.
  virtual void OnUnreadable() noexcept {}
  /// A request ("list", "watch"), its stream or a "resync" failed.
  virtual void OnFailure(std::string_view /*verb*/, const Error& /*error*/) noexcept {}
  /// The newest version received.
  virtual void OnResourceVersion(std::string_view /*version*/) noexcept {}
  /// A handler was added; `handler` is its name (HandlerOptions::name) or its number. Null: it is
  /// not measured.
  virtual std::shared_ptr<HandlerMetrics> NewHandlerMetrics(std::string_view /*handler*/) {
    return nullptr;
  }
};

/// What tells the metrics of informers apart.
struct InformerLabels {
  std::string name = {};  ///< InformerName::name(), or empty.
  GroupVersionResource resource = {};
};

/// Makes the metrics of informers. Mirrors cache.MetricsProvider, one object per informer in place
/// of one per quantity.
class MetricsProvider {
 public:
  virtual ~MetricsProvider() = default;
  /// Null: the informer is not measured.
  virtual std::shared_ptr<InformerMetrics> NewInformerMetrics(const InformerLabels& labels) = 0;
};

/// The name under which a program's informers are measured, of a factory for example. Of the
/// informers of one resource under one name only the first is measured, for two would write the
/// same series.
/// **Thread safety.** All members may be called from any thread.
/// **Lifetime.** The name is free again after `Release`, or the destructor; a resource's place with
/// the informer that has it.
/// **Mirrors** cache.InformerName.
class InformerName {
 public:
  /// Errors: kInvalidArgument for an empty name, and for one that is in use in this process.
  static Result<std::shared_ptr<InformerName>> New(std::string name);
  ~InformerName();
  InformerName(const InformerName&) = delete;
  InformerName& operator=(const InformerName&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Lets others have the name; nobody reserves under this one any more. Repeatable.
  void Release();
  /// Takes the place of a resource until the result is dropped. Null: it is taken, or the name
  /// released. Mirrors WithResource and Reserved.
  [[nodiscard]] std::shared_ptr<void> Reserve(const GroupVersionResource& resource);

 private:
  explicit InformerName(std::string name);
  struct Places;
  const std::string name_;
  const std::shared_ptr<Places> places_;
};

}  // namespace k8s::inline v0::cache
