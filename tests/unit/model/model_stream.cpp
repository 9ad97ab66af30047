#include "model_stream.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "model_faults.hpp"

/// How a ModelSource serves the watches that are open.
namespace k8s::test {
namespace {

using watch::Event;
using watch::EventType;

constexpr std::chrono::seconds kShortWatch{1};
constexpr int kMostReadsToSettle = 5000;

std::uint64_t VersionOf(const Item& item) { return std::stoull(item.resourceVersion); }

const Item& ItemOf(const Event& event) { return *static_cast<const Item*>(event.object.get()); }

bool KeepsWhatCame(const Error& error) {
  return error.kind == ErrorKind::kConnectionLost || error.kind == ErrorKind::kTimeout ||
         error.kind == ErrorKind::kConnect || error.kind == ErrorKind::kProtocol;
}

}  // namespace

void AwaitStop(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait(lock, stop, [] { return false; });
}

ModelSource::Next ModelSource::Read(Stream& stream, const std::stop_token& stop) {
  for (;;) {
    // What is told again has to be told to its end: it may begin with what is deleted by now.
    const bool again = !stream.initial && stream.seen < reference_.version();
    if (!settling_ && !again) hooks_.step();
    if (stop.stop_requested()) return Cancelled("watch");
    if (stream.stalled) return Silence(stream, stop);
    if (auto ended = Ended(stream)) return std::move(*ended);
    if (!again && dice_.PerMille(weather_.reads)) {
      if (auto fault = StreamFault(stream, stop)) return std::move(*fault);
    }
    if (auto event = Take(stream)) return Hand(stream, std::move(*event));
    if (stream.initial) return EndOfState(stream);
    if (settling_) {
      if (auto event = Settling(stream)) return std::move(*event);
    } else if (options_.bookmarks && !stream.future && dice_.PerMille(50)) {
      return SendBookmark(stream, server_.replica(stream.replica).version);
    }
  }
}

std::optional<ModelSource::Next> ModelSource::Ended(Stream& stream) {
  if (stream.restarts != restarts_ || stream.generation != server_.generation()) {
    if (dice_.Coin()) return End(stream, std::optional<Event>());
    return Fail(stream, Broken(ErrorKind::kConnectionLost));
  }
  // What it was still to send is gone.
  if (!stream.future && stream.seen < server_.compacted()) {
    if (dice_.Coin()) return SendError(stream, ExpiredVersion());
    return End(stream, std::optional<Event>());
  }
  return std::nullopt;
}

ModelSource::Next ModelSource::End(Stream& stream, Next how) {
  hooks_.note("stream ends", "", 0);
  const bool short_and_empty = stream.sent == 0 && clock_.Now() - stream.opened < kShortWatch;
  stream.initial || short_and_empty ? rules_.EndedBadly() : rules_.EndedWell();
  return how;
}

ModelSource::Next ModelSource::Fail(Stream& stream, const Error& error) {
  hooks_.note("stream breaks", ToString(error.kind), 0);
  if (KeepsWhatCame(error)) return End(stream, error);
  rules_.EndedBadly();
  return error;
}

ModelSource::Next ModelSource::SendError(Stream& stream, const Error& error) {
  hooks_.note("error event", error.reason, static_cast<std::uint64_t>(error.code));
  rules_.ErrorEvent(stream.initial, error, clock_.Now());
  return std::optional(Event{.type = EventType::kError, .status = error});
}

void ModelSource::Sent(Stream& stream) {
  ++stream.sent;
  rules_.Heard();
}

ModelSource::Next ModelSource::SendBookmark(Stream& stream, std::uint64_t version) {
  hooks_.note("bookmark", "", version);
  Sent(stream);
  if (!stream.future) stream.seen = std::max(stream.seen, version);
  if (reference_.Bookmark(version)) rules_.WentBack();
  return std::optional(
      Event{.type = EventType::kBookmark, .resourceVersion = std::to_string(version)});
}

ModelSource::Next ModelSource::Silence(Stream& stream, const std::stop_token& stop) {
  hooks_.note("silence", "", 0);
  if (stream.idle_timeout.count() == 0) {
    clock_.Step(std::chrono::minutes(1));
    AwaitStop(stop);
    return Cancelled("watch");
  }
  rules_.Silent();
  clock_.Step(stream.idle_timeout);
  return Error{.kind = ErrorKind::kTimeout, .reason = std::string(kReasonSilence)};
}

std::optional<ModelSource::Next> ModelSource::StreamFault(Stream& stream,
                                                          const std::stop_token& stop) {
  const bool steady = !stream.initial && !stream.future;
  switch (dice_.Below(12)) {
    case 0:
      return End(stream, std::optional<Event>());
    case 1:
    case 2:
      return Fail(stream, StreamFailures()[dice_.Below(StreamFailures().size())]);
    case 3:
    case 4:
      return SendError(stream, ErrorEvents()[dice_.Below(ErrorEvents().size())]);
    case 5:
      stream.stalled = true;
      return Silence(stream, stop);
    case 6:
      if (stream.initial) return std::nullopt;
      return Silence(stream, stop);  // And then something comes.
    case 7:
      if (!steady || !stream.last) return std::nullopt;
      return Hand(stream, *stream.last);  // A second time.
    case 8:
      if (!steady || reference_.version() == 0) return std::nullopt;
      // From a server that lags behind.
      return SendBookmark(stream, 1 + dice_.Below(reference_.version()));
    case 9:
      if (!steady || !options_.replays) return std::nullopt;
      stream.seen -= dice_.Below(stream.seen - server_.compacted() + 1);
      return std::nullopt;
    default:
      return ObjectFault(stream);
  }
}

std::optional<ModelSource::Next> ModelSource::ObjectFault(Stream& stream) {
  if (server_.Unnoticed()) return std::nullopt;
  auto event = Take(stream);
  if (!event) return std::nullopt;
  const Item item = ItemOf(*event);
  Sent(stream);
  if ((!stream.initial || options_.keyless) && dice_.PerMille(300)) {
    Poison("nameless event", item);
    Item nameless = item;
    nameless.name.clear();
    event->object = MakeItem(std::move(nameless));
    if (!stream.initial) reference_.Nameless(VersionOf(item));
    return Next(std::move(event));
  }
  Poison("unreadable event", item);
  Error unreadable = DecodeError("not to be read");
  unreadable.reason = cache::kReasonObjectDecode;
  if (!options_.keyless || dice_.Coin()) unreadable.name = KeyOf(item);
  if (stream.initial) reference_.CollectUnreadable(unreadable.name);
  return Next(std::move(unreadable));
}

void ModelSource::Poison(std::string_view what, const Item& item) {
  hooks_.note(what.data(), KeyOf(item), VersionOf(item));
  poisoned_.insert(KeyOf(item));
}

std::optional<Event> ModelSource::Take(Stream& stream) {
  if (!stream.rest.empty()) {
    std::swap(stream.rest.back(), stream.rest[dice_.Below(stream.rest.size())]);
    const auto object = std::move(stream.rest.back());
    stream.rest.pop_back();
    return Event{EventType::kAdded, MakeItem(*object), object->resourceVersion};
  }
  // Changes may come before the end of the initial state, or behind it.
  if (stream.initial && (settling_ || dice_.PerMille(300))) return std::nullopt;
  return TakeChange(stream);
}

std::optional<Event> ModelSource::TakeChange(Stream& stream) {
  const auto* change = server_.After(stream.seen);
  if (change == nullptr || stream.future) return std::nullopt;
  if (change->version > server_.replica(stream.replica).version) return std::nullopt;
  stream.seen = change->version;
  return Event{change->type, MakeItem(*change->object), change->object->resourceVersion};
}

ModelSource::Next ModelSource::Hand(Stream& stream, Event event) {
  const Item& item = ItemOf(event);
  Sent(stream);
  hooks_.note(event.type == EventType::kDeleted ? "deleted" : "set", KeyOf(item), VersionOf(item));
  if (!stream.initial) {
    stream.last = event;
    reference_.Change(event.type, item);
  } else if (event.type == EventType::kDeleted) {
    reference_.CollectDeletion(item);
  } else {
    reference_.Collect(item);
  }
  event.object = MakeItem(item);  // Each time decoded anew.
  return std::optional(std::move(event));
}

ModelSource::Next ModelSource::EndOfState(Stream& stream) {
  hooks_.note("streamed", "", stream.seen);
  Sent(stream);
  stream.initial = streaming_ = false;
  reference_.CompleteState(stream.seen);
  rules_.Synced();
  server_.Noticed();
  return std::optional(Event{.type = EventType::kBookmark,
                             .resourceVersion = std::to_string(stream.seen),
                             .initialEventsEnd = true});
}

std::optional<ModelSource::Next> ModelSource::Settling(Stream& stream) {
  if (++reads_ > kMostReadsToSettle) {
    hooks_.fault("does not settle");
    return std::nullopt;
  }
  if (stream.future) return SendBookmark(stream, server_.state().version);
  if (TouchPoisoned()) return std::nullopt;
  if (reference_.version() != server_.state().version) {
    return SendBookmark(stream, server_.state().version);
  }
  hooks_.settled();
  return std::nullopt;
}

bool ModelSource::TouchPoisoned() {
  const bool any = !poisoned_.empty();
  for (const auto& key : poisoned_) (void)server_.Touch(key);
  poisoned_.clear();
  server_.CatchUp();
  return any;
}

}  // namespace k8s::test
