#include "model_source.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "model_faults.hpp"
#include "model_stream.hpp"

namespace k8s::test {
ModelSource::ModelSource(ModelServer& server, ReferenceInformer& reference, Dice& dice,
                         SkippingClock& clock, Options options, Hooks hooks)
    : server_(server),
      reference_(reference),
      dice_(dice),
      clock_(clock),
      options_(options),
      hooks_(std::move(hooks)),
      rules_(reference) {}

void ModelSource::SetWeather(Weather weather) {
  weather_ = weather;
  settling_ = false;
}

void ModelSource::Settle() {
  weather_ = {};
  settling_ = true;
  reads_ = 0;
  server_.CatchUp();
}

void ModelSource::Require(const std::string& wrong) {
  if (!wrong.empty()) hooks_.fault(wrong);
}

std::optional<Error> ModelSource::RequestFault() {
  if (!dice_.PerMille(weather_.requests)) return std::nullopt;
  const auto& failures = RequestFailures();
  Error error = failures[dice_.Below(failures.size())];
  hooks_.note("request fails", ToString(error.kind), static_cast<std::uint64_t>(error.code));
  return error;
}

// ---- Lists

Result<cache::ListResult> ModelSource::List(const metav1::ListOptions& options,
                                            const cache::VisitFunc& visit, std::stop_token stop) {
  hooks_.step();
  if (stop.stop_requested()) return Cancelled("list");
  hooks_.note("list from", options.continue_.empty() ? options.resourceVersion : options.continue_,
              static_cast<std::uint64_t>(options.limit));
  if (options.resourceVersionMatch == "NotOlderThan") return Compare(options);
  Require(rules_.CheckList(options, clock_.Now()));
  if (options.continue_.empty()) reference_.BeginState();
  if (weather_.requests > 0 && dice_.PerMille(2)) throw std::runtime_error("thrown by the source");
  auto page = PageOf(options);
  if (auto fault = RequestFault()) {
    // Items before it count for nothing.
    if (page && dice_.Coin()) {
      for (const auto& [key, object] : page->state->objects) visit(MakeItem(*object));
    }
    page = std::move(*fault);
  }
  if (!page) {
    rules_.RefusedList(page.error(), clock_.Now());
    return std::move(page).error();
  }
  return Serve(*page, visit);
}

Result<cache::ListResult> ModelSource::Compare(const metav1::ListOptions& options) {
  const auto fault = VersionFault(options, dice_.Below(ModelServer::kReplicas));
  if (!fault) return cache::ListResult{.resourceVersion = options.resourceVersion};
  if (IsTooLargeResourceVersion(*fault)) rules_.WentBack();
  return *fault;
}

Result<ModelSource::Page> ModelSource::PageOf(const metav1::ListOptions& options) {
  if (!options.continue_.empty()) return Continued(options);
  const auto replica = dice_.Below(ModelServer::kReplicas);
  const bool exact = options.resourceVersion.empty();
  if (!exact && options.resourceVersion != "0") {
    if (auto fault = VersionFault(options, replica)) return std::move(*fault);
  }
  const bool cached = !exact && options_.watch_cache;
  const auto& state = cached ? server_.replica(replica) : server_.state();
  if (cached || options.limit == 0) return Page{.state = &state, .count = state.objects.size()};
  paged_ = state;
  paged_generation_ = server_.generation();
  ++tokens_;
  return Page{.state = &paged_, .count = static_cast<std::size_t>(options.limit)};
}

Result<ModelSource::Page> ModelSource::Continued(const metav1::ListOptions& options) {
  const auto slash = options.continue_.find('/');
  if (std::stoul(options.continue_.substr(0, slash)) != tokens_) {
    hooks_.fault("goes on with a page of another list");
  }
  const bool compacted = server_.compacted() > paged_.version;
  const bool expired = weather_.requests > 0 && dice_.PerMille(100);
  if (compacted || expired || paged_generation_ != server_.generation()) return ExpiredVersion();
  return Page{.state = &paged_,
              .from = std::stoul(options.continue_.substr(slash + 1)),
              .count = static_cast<std::size_t>(options.limit)};
}

cache::ListResult ModelSource::Serve(const Page& page, const cache::VisitFunc& visit) {
  const auto& objects = page.state->objects;
  cache::ListResult result{.resourceVersion = std::to_string(page.state->version)};
  const std::size_t end = std::min(objects.size(), page.from + page.count);
  auto at = std::next(objects.begin(), static_cast<std::ptrdiff_t>(page.from));
  for (std::size_t i = page.from; i < end; ++i, ++at) {
    // An unreadable object keeps a state of the lost time, next to which all that follows is old.
    if (!server_.Unnoticed() && dice_.PerMille(weather_.reads / 4)) {
      Error unreadable = DecodeError("not to be read");
      unreadable.reason = cache::kReasonObjectDecode;
      if (!options_.keyless || dice_.Coin()) unreadable.name = at->first;
      Poison("unreadable item", *at->second);
      reference_.CollectUnreadable(unreadable.name);
      result.unreadable.push_back(std::move(unreadable));
      continue;
    }
    reference_.Collect(*at->second);
    visit(MakeItem(*at->second));
  }
  if (end < objects.size()) {
    result.continueToken = std::to_string(tokens_) + "/" + std::to_string(end);
    return result;
  }
  hooks_.note("listed", "", page.state->version);
  reference_.CompleteState(page.state->version);
  rules_.Synced();
  server_.Noticed();
  return result;
}

// ---- Opening watches

std::optional<Error> ModelSource::VersionFault(const metav1::ListOptions& options,
                                               std::size_t replica) {
  const std::uint64_t asked = std::stoull(options.resourceVersion);
  if (asked > server_.state().version) return TooLargeVersion(dice_.Below(3));
  if (asked <= server_.replica(replica).version) return std::nullopt;
  if (!settling_ && dice_.PerMille(300)) return TooLargeVersion(dice_.Below(3));
  server_.CatchUp(replica, asked);  // It waits until it is as far.
  return std::nullopt;
}

Result<std::unique_ptr<watch::Interface>> ModelSource::Watch(const metav1::ListOptions& options,
                                                             std::stop_token stop) {
  hooks_.step();
  if (stop.stop_requested()) return Cancelled("watch");
  const bool initial = options.sendInitialEvents.value_or(false);
  hooks_.note(initial ? "stream from" : "watch from", options.resourceVersion, 0);
  Require(rules_.CheckWatch(options, clock_.Now()));
  const auto refuse = [&](Error error) {
    hooks_.note("refused", error.reason, static_cast<std::uint64_t>(error.code));
    rules_.RefusedWatch(options, error, clock_.Now());
    return error;
  };
  if (weather_.requests > 0 && dice_.PerMille(2)) throw std::runtime_error("thrown by the source");
  if (auto fault = RequestFault()) return refuse(std::move(*fault));
  if (dice_.PerMille(weather_.requests / 10)) {
    (void)refuse(Broken(ErrorKind::kTimeout));
    return Hang(stop);
  }

  const auto replica = dice_.Below(ModelServer::kReplicas);
  const bool versioned = !options.resourceVersion.empty();
  const bool future = versioned && std::stoull(options.resourceVersion) > server_.state().version;
  // Without a watch cache a watch from the future waits for it, silently.
  if (versioned && !(future && !initial && dice_.Coin())) {
    if (auto fault = VersionFault(options, replica)) return refuse(std::move(*fault));
  }
  auto stream = Open(options, replica);
  if (!initial && stream->seen < server_.compacted() && dice_.Coin()) {
    return refuse(ExpiredVersion());  // Or as an event.
  }
  return std::make_unique<OpenWatch>(*this, std::move(stream));
}

std::unique_ptr<ModelSource::Stream> ModelSource::Open(const metav1::ListOptions& options,
                                                       std::size_t replica) {
  auto stream = std::make_unique<Stream>();
  stream->replica = replica;
  stream->generation = server_.generation();
  stream->restarts = restarts_;
  stream->opened = clock_.Now();
  if (!options.sendInitialEvents.value_or(false)) {
    stream->seen = std::stoull(options.resourceVersion);
    stream->future = stream->seen > server_.state().version;
    return stream;
  }
  if (options.resourceVersion.empty()) server_.CatchUp();  // The newest state is asked for.
  const auto& state = server_.replica(replica);
  stream->initial = streaming_ = true;
  stream->seen = state.version;
  for (const auto& [key, object] : state.objects) stream->rest.push_back(object);
  reference_.BeginState();
  return stream;
}

Error ModelSource::Hang(const std::stop_token& stop) {
  // A transport gives up by itself; and so does a reflector that has a stream to fall back on.
  constexpr std::chrono::seconds kLong{60};
  clock_.Step(kLong);
  if (stop == hooks_.run()) return Broken(ErrorKind::kTimeout);
  AwaitStop(stop);
  return Cancelled("watch");
}

}  // namespace k8s::test
