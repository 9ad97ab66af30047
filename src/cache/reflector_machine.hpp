#pragma once

#include <k8s/cache/backoff.hpp>
#include <k8s/cache/listwatch.hpp>
#include <k8s/cache/metrics.hpp>
#include <k8s/cache/reflector.hpp>
#include <k8s/cache/reflector_store.hpp>
#include <k8s/clock.hpp>

#include "cache/reflector_status.hpp"
#include "cache/resource_version.hpp"
#include "cache/retry_with_deadline.hpp"
#include "cache/state_collector.hpp"
#include "cache/watch_timer.hpp"
#include "util/deadline.hpp"
#include "util/log_budget.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace k8s::inline v0::cache {

using detail::IsOlder;
using util::detail::Seconds;

/// The reflector as a state machine. Every state is a function that does its work, waits where it
/// must and returns the next state:
///
///   kStreaming ----- complete ------------------------------> kWatching (the same stream)
///       | not possible                                          |  ^
///       v                                                       |  |
///   kListing ------- complete ----> kOpeningWatch -- opened ----|--'
///       |                             ^   |                     |
///       | failed    429, no connection|   | refused             | ended: kOpeningWatch
///       v                             |   v                     v expired, broken
///   kBackingOff --------------------------- then a new cycle (kStreaming or kListing), or
///   kOpeningWatch
///
/// A stop leads from everywhere to kStopped, at once.
class Reflector::Machine {
 public:
  Machine(const runtime::ObjectType& type, std::shared_ptr<ListerWatcher> lister_watcher,
          ReflectorStore& store, ReflectorOptions options);

  void Run(std::stop_token stop);
  [[nodiscard]] InformerStatus Status() const;

 private:
  using State = ReflectorState;

  // ---- States (reflector_initial.cpp, reflector_watch.cpp)

  /// Waits for a stream of the initial state and its closing bookmark.
  /// Ended by the bookmark: kWatching on the same stream. By 429 or a lost connection: kBackingOff,
  /// then again. By an expired version: again without one. By the end of the stream: again, once.
  /// By anything else: kListing.
  State Stream();
  /// Waits for the pages of a list.
  /// Ended by the last page: kOpeningWatch. By an expired or too new version: the list is asked for
  /// once more without one. By anything else: kBackingOff, then a new cycle.
  State List();
  /// Waits for the headers of a watch from the last version.
  /// Ended by them: kWatching. By 429 or no connection: kBackingOff, then again. By anything else:
  /// kBackingOff, then a new cycle.
  State OpenWatch();
  /// Waits for events, with the resync timer beside it; replaces the stream when it falls silent.
  /// Ended by the end of the stream: kOpeningWatch. By a 429 event: kBackingOff, then
  /// kOpeningWatch. By anything else: kBackingOff, then a new cycle.
  State Watch();
  /// Waits as long as the backoff says, longer if the server asked for it.
  /// Ended by time: what `Fail` has said.
  State BackOff();

  // ---- Between states (reflector.cpp)

  State Step(State state);
  /// kStreaming and kListing, measured.
  State ReceiveState(bool streamed);
  /// The state that a cycle begins with.
  [[nodiscard]] State NewCycle() const;
  /// Reports an error and waits before going on with `then`; nothing: with a new cycle.
  State Fail(const Error& error, std::string_view verb, std::optional<State> then = std::nullopt);
  /// Hands a complete state to the store.
  State Synced(std::vector<runtime::AnyPtr> objects, const std::string& resource_version,
               State then);
  /// Makes the next wait a short one if the watch was open for long.
  void NoteFailure();
  /// How long to wait after this failure.
  Clock::Duration NextWait(const Error& error);
  /// Tells status and error handler. `next_try`: after how long; 0: at once.
  void Report(const Error& error, std::string_view verb, Clock::Duration next_try = {});
  /// What failed is in order again: a complete state has come, or a watch was opened.
  void Recovered();
  /// Tells the status. The error handler hears of it when the list that follows succeeds; of the
  /// list's own failure otherwise: one report per failing cycle.
  void ReportIfListed(const Error& error, std::string_view verb);
  /// Tells status and metrics.
  void CountFailure(const Error& error, std::string_view verb);
  void ReportUnreadable(const Error& error, std::string_view verb);
  void NoteError(const Error& error, std::string_view verb, std::uint64_t InformerStatus::*counter);
  void CallErrorHandler(const Error& error, Clock::Duration next_try = {});
  /// The object as `options_.transform` makes it.
  Result<runtime::AnyPtr> Transform(runtime::AnyPtr object) const;
  [[nodiscard]] StateCollector NewCollector() const;
  void NoteActivity();
  /// Tells the lister-watcher what the options say of silence, and whom to tell of its own retries.
  void SetRequestOptions(std::function<void(const Error&, std::chrono::seconds)> on_retry);
  /// The lister-watcher's answers; what it throws, or a tweak of list options, is an error of kind
  /// kInternal. A watch that is not opened within `limit` (0: no limit but the lister-watcher's) is
  /// kTimeout.
  Result<std::unique_ptr<watch::Interface>> AskWatch(const metav1::ListOptions& options,
                                                     Clock::Duration limit = {});
  Result<ListResult> AskList(const metav1::ListOptions& options, const VisitFunc& visit);
  /// Calls the lister-watcher; the status says meanwhile that there is no answer yet. Returns what
  /// was thrown.
  std::optional<std::string> Ask(std::string_view verb, const std::function<void()>& call);
  void MoveTo(std::string_view resource_version);
  [[nodiscard]] bool Stopped() const { return stop_.stop_requested(); }
  [[nodiscard]] std::int64_t RandomWatchTimeout();

  // ---- Initial state (reflector_initial.cpp)

  [[nodiscard]] bool StreamingAllowed() const;
  void RefuseStreaming();
  [[nodiscard]] std::string RelistVersion(std::string_view first) const;
  std::optional<State> HandleInitial(Result<std::optional<watch::Event>> next,
                                     StateCollector& collected);
  std::optional<State> HandleInitialEvent(watch::Event event, StateCollector& collected);
  State HandleInitialError(const Error& error);
  /// `error`: null for an orderly end. The same for `WatchEnded`.
  State InitialStreamEnded(const Error* error);
  /// The list request for this cycle; `limit` as client-go chooses it.
  [[nodiscard]] metav1::ListOptions FirstPage() const;
  Result<ListResult> ListPages(const metav1::ListOptions& first, StateCollector& collected);
  Result<ListResult> ListPage(const metav1::ListOptions& page, StateCollector& collected);
  Result<ListResult> ListOnce(const metav1::ListOptions& first, StateCollector& collected);

  // ---- Watch (reflector_watch.cpp)

  std::optional<State> HandleNext(Result<std::optional<watch::Event>> next);
  State HandleErrorEvent(const Error& error);
  std::optional<State> HandleEvent(const watch::Event& event);
  /// Whether a bookmark says, as the one before it, that the server is behind what it once sent.
  bool ServerWentBack(const watch::Event& event);
  Result<void> Apply(const watch::Event& event);
  State WatchEnded(const Error* error);
  State WatchEndedInOrder();
  Result<std::unique_ptr<watch::Interface>> AskToGoOn(Clock::Duration limit = {});
  /// Changes `patience`, the silence that is borne next.
  std::optional<State> ReplaceSilentWatch(Clock::Duration& patience);
  /// Follows a watch that was asked for, unless the server turns out to be behind `version_`.
  std::optional<State> GoOnWith(std::unique_ptr<watch::Interface> opened);
  /// Whether the server has not reached `version_`: why it says so.
  std::optional<Error> AskWhetherBehind();
  /// Makes it the open watch; one that is open already is replaced.
  void StartWatching(std::unique_ptr<watch::Interface> opened, std::string_view from);
  void CloseWatch();
  /// Whether the watch that is open ends before it was of use.
  [[nodiscard]] bool WatchIsShort() const;
  /// Counts an event of the open watch.
  void NoteEvent(watch::EventType type);

  const runtime::ObjectType& type_;
  const std::shared_ptr<ListerWatcher> lister_watcher_;
  ReflectorStore& store_;
  const ReflectorOptions options_;
  const std::shared_ptr<Clock> clock_;
  RandomFunc random_;
  ReflectorStatus status_;
  Backoff backoff_;
  RetryWithDeadline internal_errors_;
  util::detail::LogBudget unreadable_;

  // All below: the reflector's thread alone.
  std::stop_token stop_;
  std::string_view asked_;            ///< The verb of the last request: "list", "watch".
  std::string version_;               ///< The newest one received.
  bool version_unavailable_ = false;  ///< The server no longer, or not yet, knows `version_`.
  bool paged_at_zero_ = false;  ///< Lists at "0" come in pages: the server has no watch cache.
  std::optional<Clock::TimePoint> streaming_refused_until_;
  bool streaming_cut_ = false;  ///< The last stream ended before its closing bookmark.

  std::optional<Error> unreported_;            ///< See ReportIfListed.
  std::optional<RelistReason> relist_reason_;  ///< What first asked for the next complete state.
  ListMetrics received_;                       ///< Of the attempt at a complete state that goes on.
  std::optional<State> after_backoff_;         ///< Nothing: a new cycle.
  Clock::Duration wait_{};                     ///< Of the backoff that comes.
  std::optional<Clock::TimePoint> healthy_since_;
  std::optional<Clock::TimePoint> failing_since_;
  bool failed_by_expiry_ = false;  ///< The last failure was an expired version.

  std::unique_ptr<watch::Interface> watch_;
  Clock::TimePoint watch_opened_{};
  std::uint64_t watch_events_ = 0;
  std::uint64_t watch_bytes_ = 0;  ///< Told to the metrics.
  bool watch_changed_ = true;      ///< More than bookmarks and silence has come.
  /// Synthetic ADDED events are coming, whose versions are in no order.
  bool watch_unordered_ = false;
  int older_bookmarks_ = 0;        ///< In a row.
  bool knows_bookmarks_ = false;   ///< The server has sent one.
  bool asks_briefly_ = false;      ///< The watch that is asked for ends after a bookmark.
  bool expects_bookmark_ = false;  ///< The one that is open does.
  bool missed_bookmark_ = false;   ///< One that did has ended without it.
  Clock::TimePoint next_resync_{};
};

/// The end of a failure that has lasted for less is not told.
inline constexpr std::chrono::seconds kNotableFailure{5};
/// A watch that ends sooner and without an event was of no use.
inline constexpr std::chrono::seconds kShortWatch{1};

// What errors mean to a reflector.

/// What a new complete state after this error is asked for.
[[nodiscard]] RelistReason RelistReasonOf(const Error& error);
/// The server could not be asked, or is too busy to answer: what was asked is worth asking again.
[[nodiscard]] bool IsRetriable(const Error& error);
/// There was no connection to be had.
[[nodiscard]] bool IsUnreachable(const Error& error);
/// The stream ended or its connection did: what came until then is good.
[[nodiscard]] bool IsStreamEnd(const Error& error);
/// The server cannot answer from this resource version.
[[nodiscard]] bool IsVersionUnavailable(const Error& error);

}  // namespace k8s::inline v0::cache
