#include <k8s/cache/reflector.hpp>

#include <k8s/log.hpp>

#include "cache/reflector_machine.hpp"
#include "util/user_code.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace k8s::inline v0::cache {

namespace {

ReflectorOptions WithDefaults(ReflectorOptions options) {
  if (!options.clock) options.clock = RealClock();
  if (!options.random) options.random = DefaultRandom();
  options.minWatchTimeout = std::max(options.minWatchTimeout, ReflectorOptions{}.minWatchTimeout);
  return options;
}

}  // namespace

RelistReason RelistReasonOf(const Error& error) {
  if (IsVersionUnavailable(error)) return RelistReason::kExpired;
  switch (error.kind) {
    case ErrorKind::kConnectionLost:  // The only one that leads to a relist.
      return RelistReason::kShortWatch;
    case ErrorKind::kDecode:
      return RelistReason::kUndecodable;
    case ErrorKind::kInternal:
    case ErrorKind::kClosed:
    case ErrorKind::kInvalidArgument:
      return RelistReason::kInternal;
    default:
      return RelistReason::kServerError;
  }
}

bool IsUnreachable(const Error& error) {
  return error.kind == ErrorKind::kConnect || error.kind == ErrorKind::kDns;
}

bool IsRetriable(const Error& error) {
  if (IsUnreachable(error)) return true;
  switch (error.kind) {
    case ErrorKind::kTimeout:
    case ErrorKind::kConnectionLost:
    case ErrorKind::kConfig:  // No credential was to be had.
      return true;
    default:
      return IsTooManyRequests(error);
  }
}

bool IsStreamEnd(const Error& error) {
  return error.kind == ErrorKind::kConnectionLost || error.kind == ErrorKind::kTimeout ||
         error.kind == ErrorKind::kConnect || error.kind == ErrorKind::kProtocol;
}

bool IsVersionUnavailable(const Error& error) {
  return IsExpired(error) || IsGone(error) || IsTooLargeResourceVersion(error);
}

void LogWatchError(std::string_view resource, const Error& error, Clock::Duration next_try) {
  const bool expired = IsExpired(error) || IsGone(error);
  const auto level = expired                                    ? log::Level::kDebug
                     : error.kind == ErrorKind::kConnectionLost ? log::Level::kInfo
                                                                : log::Level::kWarning;
  if (!log::Enabled(level)) return;
  std::string line = "informer for " + std::string(resource) + ": " + error.ToString();
  if (next_try > Clock::Duration::zero()) line += "; next try in " + Seconds(next_try);
  log::Write(level, line);
}

Reflector::Machine::Machine(const runtime::ObjectType& type,
                            std::shared_ptr<ListerWatcher> lister_watcher, ReflectorStore& store,
                            ReflectorOptions options)
    : type_(type),
      lister_watcher_(std::move(lister_watcher)),
      store_(store),
      options_(WithDefaults(std::move(options))),
      clock_(options_.clock),
      random_(options_.random),
      status_(NameOf(type.info)),
      backoff_(options_.backoff, options_.random),
      internal_errors_(options_.maxInternalErrorRetryDuration) {}

InformerStatus Reflector::Machine::Status() const {
  auto status = status_.Get();
  if (status.unansweredSince) status.waitsFor = lister_watcher_->WaitsFor();
  return status;
}

void Reflector::Machine::Run(std::stop_token stop) {
  stop_ = std::move(stop);
  SetRequestOptions(
      [this](const Error& error, std::chrono::seconds wait) { Report(error, asked_, wait); });
  State state = Stopped() ? State::kStopped : NewCycle();
  while (state != State::kStopped) {
    status_.Update([&](InformerStatus& status) { status.state = state; });
    const State next = Step(state);
    state = Stopped() ? State::kStopped : next;
  }
  CloseWatch();
  SetRequestOptions({});  // The lister-watcher may outlive this.
  status_.Update([](InformerStatus& status) { status.state = State::kStopped; });
}

ReflectorState Reflector::Machine::Step(State state) {
  switch (state) {
    case State::kStreaming:
    case State::kListing:
      return ReceiveState(state == State::kStreaming);
    case State::kOpeningWatch:
      return OpenWatch();
    case State::kWatching:
      return Watch();
    case State::kBackingOff:
      return BackOff();
    case State::kNotStarted:
    case State::kStopped:
      break;
  }
  return State::kStopped;
}

ReflectorState Reflector::Machine::ReceiveState(bool streamed) {
  received_ = {.streamed = streamed};
  const auto begun = clock_->Now();
  const State next = streamed ? Stream() : List();
  received_.duration = clock_->Now() - begun;
  if (options_.metrics && !Stopped()) options_.metrics->OnList(received_);
  return next;
}

ReflectorState Reflector::Machine::NewCycle() const {
  return StreamingAllowed() ? State::kStreaming : State::kListing;
}

Clock::Duration Reflector::Machine::NextWait(const Error& error) {
  const Clock::Duration wait = IsUnreachable(error) ? backoff_.NextUnreachable() : backoff_.Next();
  // client-go ignores the server's wish here. A bound keeps a foolish one from stopping everything.
  constexpr std::chrono::seconds kLongestWish{60};
  const auto wish = error.retryAfter.value_or(std::chrono::seconds(0));
  return std::max<Clock::Duration>(wait, std::min(wish, kLongestWish));
}

ReflectorState Reflector::Machine::BackOff() {
  if (!clock_->SleepFor(wait_, stop_)) return State::kStopped;
  return after_backoff_ ? *after_backoff_ : NewCycle();
}

ReflectorState Reflector::Machine::Fail(const Error& error, std::string_view verb,
                                        std::optional<State> then) {
  if (Stopped()) return State::kStopped;
  CloseWatch();
  NoteFailure();
  after_backoff_ = then;
  if (!then && !version_.empty() && !relist_reason_) relist_reason_ = RelistReasonOf(error);
  // The answer of a server that lives: what failed before it no longer counts.
  const bool expired = IsVersionUnavailable(error);
  if (expired && !std::exchange(failed_by_expiry_, true)) backoff_.Reset();
  failed_by_expiry_ = expired;
  wait_ = NextWait(error);
  Report(error, verb, wait_);
  return State::kBackingOff;
}

void Reflector::Machine::NoteFailure() {
  // client-go starts over every two minutes of an outage too; here only health does it, and events
  // of an open watch.
  const auto now = clock_->Now();
  if (healthy_since_ && now - *healthy_since_ >= options_.backoffResetAfter) backoff_.Reset();
  healthy_since_.reset();
}

ReflectorState Reflector::Machine::Synced(std::vector<runtime::AnyPtr> objects,
                                          const std::string& resource_version, State then) {
  // Before the store has it: who waits for the store must find this in the status.
  const InformerStatus before = status_.Get();
  const auto now = clock_->Now();
  const std::size_t items = objects.size();
  status_.Update([&](InformerStatus& status) {
    status.synced = true;
    status.lastProofOfLife = now;
    status.itemCount = 0;
    status.lastSyncResourceVersion = resource_version;
    ForgetError(status);
    ++status.relists;
  });
  if (auto replaced = store_.Replace(std::move(objects), resource_version); !replaced) {
    status_.Update([&](InformerStatus& status) { status = before; });
    return Fail(replaced.error(), "list");
  }
  Recovered();
  version_ = resource_version;
  version_unavailable_ = false;
  streaming_cut_ = false;
  watch_changed_ = true;
  older_bookmarks_ = 0;
  next_resync_ = clock_->Now() + options_.resyncPeriod;
  received_.complete = true;
  received_.items = items;
  if (options_.metrics) {
    options_.metrics->OnRelist(relist_reason_.value_or(RelistReason::kInitial));
    options_.metrics->OnResourceVersion(version_);
  }
  relist_reason_.reset();
  return then;
}

void Reflector::Machine::Report(const Error& error, std::string_view verb,
                                Clock::Duration next_try) {
  if (!failing_since_) failing_since_ = clock_->Now();
  CountFailure(error, verb);
  CallErrorHandler(error, next_try);
}

void Reflector::Machine::Recovered() {
  status_.Update(ForgetError);
  if (!failing_since_) return;
  const auto lasted = clock_->Now() - *std::exchange(failing_since_, std::nullopt);
  // What is over at once was told at info level at most.
  if (lasted < kNotableFailure) return;
  log::Write(log::Level::kInfo, "informer for " + status_.Get().resource +
                                    ": follows the server again, after " + Seconds(lasted));
}

void Reflector::Machine::ReportIfListed(const Error& error, std::string_view verb) {
  CountFailure(error, verb);
  unreported_ = error;
}

void Reflector::Machine::CountFailure(const Error& error, std::string_view verb) {
  NoteError(error, verb, &InformerStatus::failures);
  if (options_.metrics) options_.metrics->OnFailure(verb, error);
}

void Reflector::Machine::ReportUnreadable(const Error& error, std::string_view verb) {
  NoteError(error, verb, &InformerStatus::unreadableObjects);
  if (options_.metrics) options_.metrics->OnUnreadable();
  if (options_.watchErrorHandler) return CallErrorHandler(error);
  unreadable_.Write(log::Level::kWarning, clock_->Now(),
                    "informer for " + NameOf(type_.info) + ": " + error.ToString());
}

void Reflector::Machine::NoteError(const Error& error, std::string_view verb,
                                   std::uint64_t InformerStatus::*counter) {
  const auto now = clock_->Now();
  status_.Update([&](InformerStatus& status) {
    status.lastError = error;
    status.lastErrorVerb = verb;
    status.lastErrorTime = now;
    ++(status.*counter);
  });
}

void Reflector::Machine::CallErrorHandler(const Error& error, Clock::Duration next_try) {
  if (!options_.watchErrorHandler) return LogWatchError(NameOf(type_.info), error, next_try);
  if (const auto thrown = util::detail::Thrown([&] { options_.watchErrorHandler(error); })) {
    log::Write(log::Level::kError, "watch error handler threw: " + *thrown);
  }
}

namespace {
Error UserFault(const std::string& thrown) {
  return {.kind = ErrorKind::kInternal, .message = "the lister-watcher threw: " + thrown};
}

Error NoAnswer(Clock::Duration limit) {
  return {.kind = ErrorKind::kTimeout,
          .message = "the server did not begin to answer a watch within " + Seconds(limit)};
}
}  // namespace

std::optional<std::string> Reflector::Machine::Ask(std::string_view verb,
                                                   const std::function<void()>& call) {
  asked_ = verb;
  const auto now = clock_->Now();
  status_.Update([&](InformerStatus& status) { status.unansweredSince = now; });
  auto thrown = util::detail::Thrown(call);
  // A stop leaves it: who asks why there was no state is to see what was waited for.
  if (!Stopped()) status_.Update([](InformerStatus& status) { status.unansweredSince.reset(); });
  return thrown;
}

void Reflector::Machine::SetRequestOptions(
    std::function<void(const Error&, std::chrono::seconds)> on_retry) {
  using std::chrono::ceil;
  using std::chrono::milliseconds;
  RequestOptions options{.listIdle = ceil<milliseconds>(options_.listIdleTimeout),
                         .onRetry = std::move(on_retry)};
  // Of silence, not of time: the client may have to wait for a Retry-After or a login.
  if (options_.watchIdleTimeout > Clock::Duration::zero()) {
    options.openingIdle = ceil<milliseconds>(options_.watchAnswerTimeout);
  }
  const auto thrown = util::detail::Thrown([&] { lister_watcher_->SetRequestOptions(options); });
  if (thrown) Report(UserFault(*thrown), "list");
}

Result<std::unique_ptr<watch::Interface>> Reflector::Machine::AskWatch(
    const metav1::ListOptions& options, Clock::Duration limit) {
  std::optional<WatchTimer> timer;
  if (limit > Clock::Duration::zero()) {
    timer.emplace(*clock_, stop_, clock_->Now() + limit,
                  [](auto, auto& wait) -> std::optional<Clock::TimePoint> {
                    wait.request_stop();
                    return std::nullopt;
                  });
  }
  const auto stop = timer ? timer->token() : stop_;
  Result<std::unique_ptr<watch::Interface>> answer;
  const auto thrown = Ask("watch", [&] { answer = lister_watcher_->Watch(options, stop); });
  if (thrown) return UserFault(*thrown);
  const bool late = !answer && answer.error().kind == ErrorKind::kCancelled && !Stopped();
  if (late && stop.stop_requested()) return NoAnswer(limit);
  return answer;
}

Result<ListResult> Reflector::Machine::AskList(const metav1::ListOptions& options,
                                               const VisitFunc& visit) {
  Result<ListResult> answer;
  const auto thrown = Ask("list", [&] { answer = lister_watcher_->List(options, visit, stop_); });
  if (thrown) return UserFault(*thrown);
  return answer;
}

Result<runtime::AnyPtr> Reflector::Machine::Transform(runtime::AnyPtr object) const {
  if (!options_.transform) return object;
  const std::string key = KeyOf(type_.meta(object.get()));
  const auto failed = [&](std::string_view why) {
    return Error{.kind = ErrorKind::kInternal,
                 .message = "the transform of " + key + " " + std::string(why),
                 .name = key};
  };
  Result<runtime::AnyPtr> transformed;
  const auto thrown =
      util::detail::Thrown([&] { transformed = options_.transform(std::move(object)); });
  if (thrown) return failed("threw: " + *thrown);
  if (!transformed) return failed("failed: " + transformed.error().ToString());
  if (!*transformed) return failed("returned no object");
  return transformed;
}

StateCollector Reflector::Machine::NewCollector() const {
  return {type_, store_, [this](runtime::AnyPtr object) { return Transform(std::move(object)); }};
}

void Reflector::Machine::NoteActivity() {
  const auto now = clock_->Now();
  status_.Update([&](InformerStatus& status) { status.lastActivity = now; });
}

void Reflector::Machine::MoveTo(std::string_view resource_version) {
  // client-go follows a version that goes back; resuming from an older one repeats events.
  if (resource_version.empty() || IsOlder(resource_version, version_)) return;
  version_ = resource_version;
  status_.Update([&](InformerStatus& status) { status.lastSyncResourceVersion = version_; });
  if (options_.metrics) options_.metrics->OnResourceVersion(version_);
}

std::int64_t Reflector::Machine::RandomWatchTimeout() {
  const auto minimum = static_cast<double>(options_.minWatchTimeout.count());
  return static_cast<std::int64_t>(minimum * (1.0 + random_()));
}

Reflector::Reflector(const runtime::ObjectType& type, std::shared_ptr<ListerWatcher> lister_watcher,
                     ReflectorStore& store, ReflectorOptions options)
    : machine_(
          std::make_unique<Machine>(type, std::move(lister_watcher), store, std::move(options))) {}

Reflector::~Reflector() = default;

void Reflector::Run(std::stop_token stop) { machine_->Run(std::move(stop)); }

std::string Reflector::LastSyncResourceVersion() const {
  return machine_->Status().lastSyncResourceVersion;
}

InformerStatus Reflector::Status() const { return machine_->Status(); }

}  // namespace k8s::inline v0::cache
