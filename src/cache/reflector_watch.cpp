#include <k8s/log.hpp>

#include "cache/reflector_machine.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

/// How a reflector follows what happens after the complete state.
namespace k8s::inline v0::cache {

namespace {

// A living server begins to answer a watch in far less.
constexpr std::chrono::seconds kQuickAnswer{5};
// Between tries to replace a silent watch, even if the backoff begins at nothing: an idle timeout
// of 0 means for ever.
constexpr Clock::Duration kShortestPatience = std::chrono::milliseconds(1);

/// Runs the store's resync on the timer's thread; the first error ends the wait for events.
class ResyncTicker {
 public:
  ResyncTicker(ReflectorStore& store, const ReflectorOptions& options, Clock::TimePoint& next)
      : store_(store), options_(options), next_(next) {}

  std::optional<Clock::TimePoint> Tick(Clock::TimePoint now, std::stop_source& wait) {
    if (!options_.shouldResync || options_.shouldResync()) {
      if (auto resynced = store_.Resync(); !resynced) {
        const std::lock_guard lock(mutex_);
        error_ = std::move(resynced).error();
        wait.request_stop();
        return std::nullopt;
      }
    }
    next_ = now + options_.resyncPeriod;
    return next_;
  }

  [[nodiscard]] std::optional<Error> error() const {
    const std::lock_guard lock(mutex_);
    return error_;
  }

 private:
  ReflectorStore& store_;
  const ReflectorOptions& options_;
  Clock::TimePoint& next_;  ///< Survives the watch: a new one must not delay the resync.
  mutable std::mutex mutex_;
  std::optional<Error> error_;
};

Error WentBack(std::string_view server, std::string_view here) {
  return {.kind = ErrorKind::kStatus,
          .code = 410,
          .reason = "Expired",
          .message = "the server went back to resource version " + std::string(server) + " from " +
                     std::string(here)};
}

bool IsSilence(const Result<std::optional<watch::Event>>& next) {
  return !next && next.error().kind == ErrorKind::kTimeout && next.error().reason == kReasonSilence;
}

Error ShortWatch() {
  return {.kind = ErrorKind::kConnectionLost,
          .message = "the watch ended within a second and without an event"};
}

}  // namespace

void Reflector::Machine::StartWatching(std::unique_ptr<watch::Interface> opened,
                                       std::string_view from) {
  const bool replacing = watch_ != nullptr;
  CloseWatch();
  watch_ = std::move(opened);
  watch_opened_ = clock_->Now();
  watch_events_ = 0;
  watch_bytes_ = 0;
  watch_changed_ = false;
  expects_bookmark_ = std::exchange(asks_briefly_, false) && knows_bookmarks_;
  watch_unordered_ = from.empty() || from == "0";
  if (!healthy_since_) healthy_since_ = watch_opened_;
  status_.Update([&](InformerStatus& status) {
    status.lastActivity = watch_opened_;
    ++status.watchesOpened;
    if (replacing) ++status.watchesReplaced;
  });
  if (options_.metrics) options_.metrics->OnWatchOpened(replacing);
}

bool Reflector::Machine::WatchIsShort() const {
  return watch_events_ == 0 && clock_->Now() - watch_opened_ < kShortWatch;
}

void Reflector::Machine::CloseWatch() {
  if (!watch_) return;
  watch_.reset();
  const bool was_due = clock_->Now() - watch_opened_ >= options_.watchIdleTimeout * 9 / 10;
  missed_bookmark_ = expects_bookmark_ && was_due && watch_events_ == 0;
  if (!options_.metrics) return;
  options_.metrics->OnWatchEnded({.duration = clock_->Now() - watch_opened_,
                                  .events = watch_events_,
                                  .isShort = WatchIsShort()});
}

void Reflector::Machine::NoteEvent(watch::EventType type) {
  ++watch_events_;
  if (!options_.metrics) return;
  const std::uint64_t bytes = watch_->BytesReceived();
  options_.metrics->OnEvent(type, bytes - std::exchange(watch_bytes_, bytes));
}

Result<std::unique_ptr<watch::Interface>> Reflector::Machine::AskToGoOn(Clock::Duration limit) {
  using std::chrono::seconds;
  metav1::ListOptions options;
  options.watch = true;
  options.allowWatchBookmarks = true;
  options.resourceVersion = version_;
  options.timeoutSeconds = RandomWatchTimeout();
  asks_briefly_ = !watch_changed_ && options_.watchIdleTimeout > Clock::Duration::zero();
  if (asks_briefly_) {
    const auto quiet = std::chrono::ceil<seconds>(options_.watchIdleTimeout).count();
    options.timeoutSeconds = std::min<std::int64_t>(*options.timeoutSeconds, quiet);
  }
  return AskWatch(options, limit);
}

ReflectorState Reflector::Machine::OpenWatch() {
  auto opened = AskToGoOn();
  if (!opened) {
    const bool again = IsRetriable(opened.error());
    return Fail(opened.error(), "watch",
                again ? std::optional(State::kOpeningWatch) : std::nullopt);
  }
  return GoOnWith(std::move(*opened)).value_or(State::kWatching);
}

std::optional<ReflectorState> Reflector::Machine::GoOnWith(
    std::unique_ptr<watch::Interface> opened) {
  StartWatching(std::move(opened), version_);
  Recovered();
  if (!std::exchange(missed_bookmark_, false)) return std::nullopt;
  // An API server whose etcd was restored from a backup accepts a watch from a version that it has
  // not reached, and says nothing, not even by a bookmark, until it has. client-go waits for that.
  auto behind = AskWhetherBehind();
  if (!behind || Stopped()) return std::nullopt;
  version_unavailable_ = true;
  return Fail(*behind, "watch");
}

std::optional<Error> Reflector::Machine::AskWhetherBehind() {
  metav1::ListOptions one;
  one.resourceVersion = version_;
  one.resourceVersionMatch = "NotOlderThan";
  one.limit = 1;
  auto listed = AskList(one, [](const runtime::AnyPtr&) {});
  if (listed || !IsTooLargeResourceVersion(listed.error())) return std::nullopt;
  return std::move(listed).error();
}

std::optional<ReflectorState> Reflector::Machine::ReplaceSilentWatch(Clock::Duration& patience) {
  watch_changed_ = false;
  // The connection may be dead though others on it were heard since: the transport uses another one
  // after a request that was not answered.
  auto opened = AskToGoOn(kQuickAnswer);
  if (!opened && opened.error().kind == ErrorKind::kTimeout) {
    log::Write(log::Level::kInfo, "informer for " + NameOf(type_.info) +
                                      ": nothing was heard for " +
                                      Seconds(options_.watchIdleTimeout) + "; " +
                                      opened.error().ToString() + "; asking again");
    opened = AskToGoOn(options_.watchAnswerTimeout);
  }
  if (Stopped()) return State::kStopped;
  patience = options_.watchIdleTimeout;
  if (!opened) {
    if (!IsRetriable(opened.error())) return Fail(opened.error(), "watch");
    // It need not be the old stream that is at fault.
    NoteFailure();
    patience = std::max(NextWait(opened.error()), kShortestPatience);
    Report(opened.error(), "watch", patience);
    return std::nullopt;
  }
  return GoOnWith(std::move(*opened));
}

ReflectorState Reflector::Machine::Watch() {
  ResyncTicker ticker(store_, options_, next_resync_);
  std::optional<WatchTimer> timer;
  if (options_.resyncPeriod > Clock::Duration::zero()) {
    timer.emplace(*clock_, stop_, next_resync_,
                  [&ticker](auto now, auto& wait) { return ticker.Tick(now, wait); });
  }
  Clock::Duration patience = options_.watchIdleTimeout;
  for (;;) {
    watch_->SetIdleTimeout(std::chrono::ceil<std::chrono::milliseconds>(patience));
    auto next = watch_->Next(timer ? timer->token() : stop_);
    if (Stopped()) return State::kStopped;
    if (auto error = ticker.error()) return Fail(*error, "resync");
    const bool replace = IsSilence(next) && patience > Clock::Duration::zero();
    const auto state = replace ? ReplaceSilentWatch(patience) : HandleNext(std::move(next));
    if (state) return *state;
  }
}

std::optional<ReflectorState> Reflector::Machine::HandleNext(
    Result<std::optional<watch::Event>> next) {
  if (next) {
    if (!*next) return WatchEndedInOrder();
    if ((*next)->type == watch::EventType::kError) {
      NoteEvent(watch::EventType::kError);
      return HandleErrorEvent((*next)->status);
    }
    return HandleEvent(**next);
  }
  const Error& error = next.error();
  if (error.reason == kReasonObjectDecode) {
    ++watch_events_;
    ReportUnreadable(error, "watch");
    return std::nullopt;
  }
  return IsStreamEnd(error) ? WatchEnded(&error) : Fail(error, "watch");
}

ReflectorState Reflector::Machine::HandleErrorEvent(const Error& error) {
  if (IsTooManyRequests(error)) return Fail(error, "watch", State::kOpeningWatch);
  if (IsInternalError(error) && internal_errors_.ShouldRetry(clock_->Now())) {
    Report(error, "watch");
    CloseWatch();
    return State::kOpeningWatch;
  }
  return Fail(error, "watch");
}

ReflectorState Reflector::Machine::WatchEndedInOrder() {
  // A server that sends bookmarks sends one before it ends a watch; without that, its watch cache
  // may have hung.
  const auto now = clock_->Now();
  const bool short_watch = WatchIsShort();
  status_.Update([&](InformerStatus& status) {
    status.lastActivity = now;
    if (!status.lastBookmark && !short_watch) status.lastProofOfLife = now;
  });
  return WatchEnded(nullptr);
}

ReflectorState Reflector::Machine::WatchEnded(const Error* error) {
  const bool too_short = WatchIsShort();
  CloseWatch();
  if (too_short) return Fail(error != nullptr ? *error : ShortWatch(), "watch");
  if (error != nullptr) Report(*error, "watch");
  return State::kOpeningWatch;
}

std::optional<ReflectorState> Reflector::Machine::HandleEvent(const watch::Event& event) {
  NoteEvent(event.type);
  const bool bookmark = event.type == watch::EventType::kBookmark;
  knows_bookmarks_ |= bookmark;
  watch_changed_ |= !bookmark;
  const auto now = clock_->Now();
  status_.Update([&](InformerStatus& status) {
    status.lastActivity = status.lastProofOfLife = now;
    (bookmark ? status.lastBookmark : status.lastEvent) = now;
  });
  if (event.type != watch::EventType::kAdded) watch_unordered_ = false;
  if (auto applied = Apply(event); !applied) ReportUnreadable(applied.error(), "watch");
  if (ServerWentBack(event)) {
    version_unavailable_ = true;
    return Fail(WentBack(event.resourceVersion, version_), "watch");
  }
  if (watch_unordered_) return std::nullopt;
  MoveTo(event.resourceVersion);
  // The server tells what is new, so the next failure is a new one. client-go lets the waits of one
  // outage reach into the next, and misses all that happens in a minute after a short failure.
  backoff_.Reset();
  return std::nullopt;
}

bool Reflector::Machine::ServerWentBack(const watch::Event& event) {
  // A watch from a version that a restored etcd has not reached is silent until it has. One older
  // bookmark may come from a server that lags behind its peers; they come about once a minute.
  const bool older =
      event.type == watch::EventType::kBookmark && IsOlder(event.resourceVersion, version_);
  older_bookmarks_ = older ? older_bookmarks_ + 1 : 0;
  return older_bookmarks_ > 1;
}

Result<void> Reflector::Machine::Apply(const watch::Event& event) {
  if (event.type == watch::EventType::kBookmark) return store_.Bookmark(event.resourceVersion);
  if (!event.object || type_.meta(event.object.get()).name.empty()) {
    return DecodeError("an event whose object has no name was skipped");
  }
  auto transformed = Transform(event.object);
  if (event.type == watch::EventType::kDeleted) {
    // A deletion must not be lost.
    return store_.Delete(transformed ? std::move(*transformed) : event.object);
  }
  if (!transformed) return std::move(transformed).error();
  return event.type == watch::EventType::kAdded ? store_.Add(std::move(*transformed))
                                                : store_.Update(std::move(*transformed));
}

}  // namespace k8s::inline v0::cache
