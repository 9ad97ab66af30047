#include <k8s/log.hpp>

#include "cache/reflector_machine.hpp"

#include <atomic>
#include <string>
#include <utility>

/// How a reflector gets the complete state: as a stream, or in pages.
namespace k8s::inline v0::cache {

namespace {

constexpr std::int64_t kDefaultPageSize = 500;
constexpr std::chrono::seconds kWarnAfterSilence{10};

/// Watches over a streaming list from the timer's thread: warns of silence, and ends the wait when
/// it lasts too long.
class SilenceGuard {
 public:
  SilenceGuard(const Clock& clock, std::string resource, Clock::Duration limit)
      : clock_(clock), resource_(std::move(resource)), limit_(limit) {
    Heard();
  }

  void Heard() { heard_ = clock_.Now().time_since_epoch().count(); }
  [[nodiscard]] bool given_up() const { return given_up_; }
  [[nodiscard]] Clock::TimePoint FirstTick() const { return Next(Last()); }

  std::optional<Clock::TimePoint> Tick(Clock::TimePoint now, std::stop_source& wait) {
    const auto silence = now - Last();
    if (Limited() && silence >= limit_) {
      given_up_ = true;
      wait.request_stop();
      return std::nullopt;
    }
    if (silence < kWarnAfterSilence) return Next(Last());
    log::Write(log::Level::kWarning, "informer for " + resource_ + ": no new object for " +
                                         Seconds(silence) + " while the initial state is streamed");
    return Next(now);
  }

 private:
  [[nodiscard]] bool Limited() const { return limit_ > Clock::Duration::zero(); }
  [[nodiscard]] Clock::TimePoint Last() const {
    return Clock::TimePoint(Clock::Duration(heard_.load()));
  }
  [[nodiscard]] Clock::TimePoint Next(Clock::TimePoint after) const {
    const auto warn = after + kWarnAfterSilence;
    return Limited() ? std::min(warn, Last() + limit_) : warn;
  }

  const Clock& clock_;
  const std::string resource_;
  const Clock::Duration limit_;
  std::atomic<Clock::Duration::rep> heard_{0};
  std::atomic<bool> given_up_{false};
};

bool HasName(const runtime::ObjectType& type, const runtime::AnyPtr& object) {
  return object && !type.meta(object.get()).name.empty();
}

Error Nameless() {
  Error error = DecodeError("an object without a name was skipped");
  error.reason = kReasonObjectDecode;
  return error;
}

Error StreamingGaveUp(Clock::Duration limit) {
  return {.kind = ErrorKind::kTimeout,
          .message = "the stream of the initial state brought no new object for " + Seconds(limit) +
                     "; listing instead"};
}

}  // namespace

// ---- Streaming

bool Reflector::Machine::StreamingAllowed() const {
  if (!options_.useWatchList || !lister_watcher_->SupportsWatchList()) return false;
  return !streaming_refused_until_ || clock_->Now() >= *streaming_refused_until_;
}

void Reflector::Machine::RefuseStreaming() {
  streaming_refused_until_ = clock_->Now() + options_.streamingRetryAfter;
}

std::string Reflector::Machine::RelistVersion(std::string_view first) const {
  if (version_unavailable_) return {};
  return version_.empty() ? std::string(first) : version_;
}

ReflectorState Reflector::Machine::Stream() {
  metav1::ListOptions options;
  options.watch = true;
  options.allowWatchBookmarks = true;
  options.sendInitialEvents = true;
  options.resourceVersionMatch = "NotOlderThan";
  options.resourceVersion = RelistVersion("");
  options.timeoutSeconds = RandomWatchTimeout();
  asks_briefly_ = false;
  auto opened = AskWatch(options);
  if (!opened) return HandleInitialError(opened.error());

  StartWatching(std::move(*opened), options.resourceVersion);
  watch_->SetIdleTimeout(std::chrono::milliseconds(0));  // What follows is stricter.
  StateCollector collected = NewCollector();
  SilenceGuard guard(*clock_, type_.info.plural, options_.streamingIdleTimeout);
  WatchTimer timer(*clock_, stop_, guard.FirstTick(),
                   [&guard](auto now, auto& wait) { return guard.Tick(now, wait); });
  for (;;) {
    auto next = watch_->Next(timer.token());
    if (Stopped()) return State::kStopped;
    if (guard.given_up()) {
      return HandleInitialError(StreamingGaveUp(options_.streamingIdleTimeout));
    }
    const std::size_t before = collected.size();
    if (auto state = HandleInitial(std::move(next), collected)) return *state;
    // Changes and bookmarks also come from a server that ignores the wish for a closing bookmark.
    if (collected.size() > before) guard.Heard();
  }
}

std::optional<ReflectorState> Reflector::Machine::HandleInitial(
    Result<std::optional<watch::Event>> next, StateCollector& collected) {
  if (next) {
    if (!*next) return InitialStreamEnded(nullptr);
    return HandleInitialEvent(std::move(**next), collected);
  }
  const Error& error = next.error();
  if (error.reason == kReasonObjectDecode) {
    ReportUnreadable(error, "watch");
    collected.KeepKnown(error.name);
    return std::nullopt;
  }
  return IsStreamEnd(error) ? InitialStreamEnded(&error) : HandleInitialError(error);
}

std::optional<ReflectorState> Reflector::Machine::HandleInitialEvent(watch::Event event,
                                                                     StateCollector& collected) {
  NoteEvent(event.type);
  NoteActivity();
  if (event.type == watch::EventType::kError) return HandleInitialError(event.status);
  if (event.type == watch::EventType::kBookmark) {
    if (!event.initialEventsEnd) return std::nullopt;
    watch_unordered_ = false;
    knows_bookmarks_ = true;
    streaming_refused_until_.reset();
    return Synced(collected.Take(), event.resourceVersion, State::kWatching);
  }
  if (!HasName(type_, event.object)) {
    ReportUnreadable(Nameless(), "watch");
    return std::nullopt;
  }
  if (event.type == watch::EventType::kDeleted) {
    collected.Remove(event.object.get());
  } else {
    auto set = collected.Set(std::move(event.object));
    if (!set) ReportUnreadable(set.error(), "watch");
  }
  status_.Update([&](InformerStatus& status) { status.itemCount = collected.size(); });
  return std::nullopt;
}

ReflectorState Reflector::Machine::HandleInitialError(const Error& error) {
  if (Stopped()) return State::kStopped;
  const bool gave_up = watch_ != nullptr && error.kind == ErrorKind::kTimeout;
  CloseWatch();
  if (IsRetriable(error) && !gave_up) return Fail(error, "watch", State::kStreaming);
  if (IsVersionUnavailable(error) && !RelistVersion("").empty()) {
    version_unavailable_ = true;
    return State::kStreaming;
  }
  // A refusal that lies in the request itself would come again in each cycle.
  if (gave_up || IsInvalid(error) || IsBadRequest(error)) RefuseStreaming();
  if (!IsInvalid(error)) ReportIfListed(error, "watch");
  return State::kListing;
}

ReflectorState Reflector::Machine::InitialStreamEnded(const Error* error) {
  const bool nothing_came = WatchIsShort();
  CloseWatch();
  // client-go starts over for ever. A second end in a row means that streaming does not work here.
  if (nothing_came || streaming_cut_) {
    streaming_cut_ = false;
    RefuseStreaming();
    if (error != nullptr) ReportIfListed(*error, "watch");
    return State::kListing;
  }
  if (error != nullptr) Report(*error, "watch");
  streaming_cut_ = true;
  return State::kStreaming;
}

// ---- Listing

ReflectorState Reflector::Machine::List() {
  const metav1::ListOptions first = FirstPage();
  StateCollector collected = NewCollector();
  auto listed = ListPages(first, collected);
  if (!listed && IsVersionUnavailable(listed.error()) && !Stopped()) {
    version_unavailable_ = true;
    metav1::ListOptions newest = first;
    newest.resourceVersion.clear();
    if (!first.resourceVersion.empty()) listed = ListPages(newest, collected);
  }
  if (Stopped()) return State::kStopped;
  const auto stream_error = std::exchange(unreported_, std::nullopt);
  if (!listed) return Fail(listed.error(), "list");
  if (stream_error) CallErrorHandler(*stream_error);
  return Synced(collected.Take(), listed->resourceVersion, State::kOpeningWatch);
}

metav1::ListOptions Reflector::Machine::FirstPage() const {
  metav1::ListOptions options;
  options.resourceVersion = RelistVersion("0");
  // With a real version a server answers from its watch cache, but only whole lists.
  const bool exact = options.resourceVersion.empty() || options.resourceVersion == "0";
  if (options_.listPageSize > 0) {
    options.limit = options_.listPageSize;
  } else if (exact || paged_at_zero_) {
    options.limit = kDefaultPageSize;
  }
  return options;
}

Result<ListResult> Reflector::Machine::ListPages(const metav1::ListOptions& first,
                                                 StateCollector& collected) {
  auto listed = ListOnce(first, collected);
  if (!listed || listed->continueToken.empty()) return listed;
  if (first.resourceVersion == "0") paged_at_zero_ = true;

  metav1::ListOptions following;
  following.limit = first.limit;
  following.continue_ = listed->continueToken;
  while (!following.continue_.empty()) {
    auto page = ListPage(following, collected);
    if (!page && (IsExpired(page.error()) || IsGone(page.error()))) {
      metav1::ListOptions whole = first;
      whole.limit = 0;
      return ListOnce(whole, collected);
    }
    if (!page) return page;
    following.continue_ = page->continueToken;
  }
  return listed;
}

Result<ListResult> Reflector::Machine::ListOnce(const metav1::ListOptions& first,
                                                StateCollector& collected) {
  collected.Clear();
  return ListPage(first, collected);
}

Result<ListResult> Reflector::Machine::ListPage(const metav1::ListOptions& page,
                                                StateCollector& collected) {
  const auto visit = [&](runtime::AnyPtr object) {
    if (!HasName(type_, object)) return ReportUnreadable(Nameless(), "list");
    auto added = collected.Add(std::move(object));
    if (!added) ReportUnreadable(added.error(), "list");
    const auto now = clock_->Now();
    status_.Update([&](InformerStatus& status) {
      status.itemCount = collected.size();
      status.lastActivity = now;
      status.unansweredSince.reset();
    });
  };
  auto listed = AskList(page, visit);
  if (!listed) return listed;
  NoteActivity();
  received_.bytes += listed->bytes;
  for (const Error& unreadable : listed->unreadable) {
    ReportUnreadable(unreadable, "list");
    collected.KeepKnown(unreadable.name);
  }
  return listed;
}

}  // namespace k8s::inline v0::cache
