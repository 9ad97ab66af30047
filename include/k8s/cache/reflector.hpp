#pragma once

#include <k8s/cache/backoff.hpp>
#include <k8s/cache/status.hpp>
#include <k8s/clock.hpp>
#include <k8s/runtime/object_type.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace k8s::inline v0::cache {

class InformerMetrics;
class ListerWatcher;
class ReflectorStore;

/// How a Reflector works. The defaults suit production.
struct ReflectorOptions {
  /// Period of the store's resync, at least one second in practice. Counts while a watch is open.
  /// 0: never. Costs a thread while a watch is open.
  Clock::Duration resyncPeriod{0};
  /// Asked at each tick whether a resync is due. Empty: always. Called on the resync thread.
  std::function<bool()> shouldResync = {};

  /// Whether the initial state is asked for as a stream (watch-list). When the server refuses or
  /// ignores that, LIST is used, and streaming is tried again after `streamingRetryAfter`.
  bool useWatchList = true;
  /// Longest time without a new object while the initial state is streamed. Passing it means that
  /// the stream stalls, or that the server ignores the request for a closing bookmark: LIST takes
  /// over. Default 45 s. 0: no limit.
  Clock::Duration streamingIdleTimeout = std::chrono::seconds(45);
  /// How long a refusal of streaming is remembered. Default 10 minutes.
  Clock::Duration streamingRetryAfter = std::chrono::minutes(10);

  /// Page size of LIST. 0: 500 where pages cost the server nothing extra, none where a full list
  /// can come from its watch cache. Mirrors WatchListPageSize.
  std::int64_t listPageSize = 0;
  /// Longest silence before the answer to a LIST begins, and inside it; a long list may take as
  /// long as it keeps coming. Passing it is a failure (kTimeout), and the list is asked for again
  /// on another connection. Default 75 s: a server gives requests up after a minute by itself; more
  /// where its `--request-timeout` is longer. 0: no limit. client-go has none.
  Clock::Duration listIdleTimeout = std::chrono::seconds(75);
  /// A watch asks for a server-side limit of this to twice this, at random. Default 5 minutes; a
  /// smaller value is ignored. Watches of what does not change ask for `watchIdleTimeout`.
  std::chrono::seconds minWatchTimeout = std::chrono::minutes(5);
  /// After this time without a byte a watch is replaced: another one is opened from the last
  /// version, on another connection if the kept ones do not answer, and takes over once the server
  /// has answered it. Nothing is listed again. While nothing changes, watches also end after this
  /// time, since a server sends a bookmark just before: a healthy watch is never silent for longer.
  /// Default 45 s. 0: a silent watch is waited for until its server-side limit, as client-go does.
  Clock::Duration watchIdleTimeout = std::chrono::seconds(45);
  /// Longest silence before the answer to a watch or a streaming list begins. Passing it is a
  /// failure (kTimeout), and the same is asked for again on another connection. Not bounded by
  /// `watchIdleTimeout`: a busy server may take longer to begin than an open watch may be silent.
  /// Default 30 s. 0, here or of `watchIdleTimeout`: a server that says nothing is waited for until
  /// half a minute after the server-side limit. client-go does that.
  Clock::Duration watchAnswerTimeout = std::chrono::seconds(30);
  /// For how long ERROR events "InternalError" are answered by opening the watch again instead of
  /// listing again. Default 0: never. Mirrors MaxInternalErrorRetryDuration.
  Clock::Duration maxInternalErrorRetryDuration{0};

  /// Changes each received object as soon as it is there, before it is collected or stored, so that
  /// untransformed ones do not pile up. Called once per object; not for objects that a list shows
  /// in the version the store has. Null or an error leaves the object out: it is reported, and its
  /// key keeps the state that is known: of an update that fails the old object stays, while the
  /// resource version goes on, so that only the object's next change or a list tries it again.
  /// Deletions whose transform fails come untransformed.
  std::function<Result<runtime::AnyPtr>(runtime::AnyPtr object)> transform = {};

  /// Waits after failures. They start over with a short one when a watch has told of an event since
  /// the last failure, the initial state not counted; a server that answers nothing but errors is
  /// asked more and more rarely.
  BackoffOptions backoff = {};
  /// A watch that has been open for this long without an event does the same. Default 10 s;
  /// client-go: 2 minutes without a failure.
  Clock::Duration backoffResetAfter = std::chrono::seconds(10);

  /// Empty: `LogWatchError`.
  WatchErrorHandler watchErrorHandler = {};
  /// Told of lists, watches and events. Null: nobody is, at no cost.
  std::shared_ptr<InformerMetrics> metrics = nullptr;
  /// Null: RealClock().
  std::shared_ptr<Clock> clock = nullptr;
  /// Empty: DefaultRandom().
  RandomFunc random = {};
};

/// Writes an error of the informer for `resource` to the log: expired watches at debug level, lost
/// connections at info level, objects that cannot be decoded and all else as warnings. Mirrors
/// DefaultWatchErrorHandler. `next_try`: after how long the informer asks again; 0: not told.
void LogWatchError(std::string_view resource, const Error& error, Clock::Duration next_try = {});

/// Keeps a store equal to what the API server has: receives the initial state (as a stream, or by
/// LIST), follows it by WATCH, and starts over where that is the only way. Mirrors cache.Reflector.
///
/// What holds: the store eventually equals the server's state, whatever fails in between. It never
/// goes back in time, except where the server itself does (an etcd restored from a backup). 429 and
/// lost connections never cause a relist. One object that cannot be decoded is reported and
/// skipped; its key keeps its last known state. Objects that a relist finds unchanged are not kept
/// twice. No request and no stream is waited for without a limit, unless the options say so.
///
/// **Thread safety.** `Status` and `LastSyncResourceVersion` from any thread; `Run` once.
/// **Lifetime.** Does not own the store, which must outlive `Run`.
class Reflector {
 public:
  Reflector(const runtime::ObjectType& type, std::shared_ptr<ListerWatcher> lister_watcher,
            ReflectorStore& store, ReflectorOptions options = {});
  ~Reflector();
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  /// Works until `stop` is triggered.
  /// **Blocking.** Every wait ends at once on stop.
  void Run(std::stop_token stop);

  /// The newest resource version received; the store may be a little behind. Empty before the first
  /// complete state.
  [[nodiscard]] std::string LastSyncResourceVersion() const;

  /// `itemCount` counts objects received while the first state is being received, then 0: the
  /// store's owner knows the rest.
  [[nodiscard]] InformerStatus Status() const;

 private:
  class Machine;
  std::unique_ptr<Machine> machine_;
};

}  // namespace k8s::inline v0::cache
