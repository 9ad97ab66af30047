#include "watch_stream.hpp"

#include "gzip.hpp"
#include "status.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace k8s::inline v0::testing {
namespace {

std::string_view TypeText(ChangeType type) {
  switch (type) {
    case ChangeType::kAdded:
      return "ADDED";
    case ChangeType::kModified:
      return "MODIFIED";
    case ChangeType::kDeleted:
      break;
  }
  return "DELETED";
}

std::string ChunkHeader(std::size_t size) {
  char text[32];
  std::snprintf(text, sizeof(text), "%zx\r\n", size);
  return text;
}

}  // namespace

WatchStream::WatchStream(ObjectStore& store, std::shared_ptr<Watcher> watcher, Presenter presenter,
                         Options options)
    : store_(store),
      watcher_(std::move(watcher)),
      presenter_(std::move(presenter)),
      options_(std::move(options)),
      connection_(*watcher_->connection) {
  const TimePoint now = std::chrono::steady_clock::now();
  const bool bookmarks = options_.bookmarks && !FaultIs(FaultKind::kNoBookmarks);
  if (bookmarks && options_.bookmarkInterval.count() > 0) {
    next_bookmark_ = now + options_.bookmarkInterval;
  }
  if (options_.timeout.count() <= 0) return;
  end_ = now + options_.timeout;
  if (bookmarks && options_.timeout > options_.bookmarkBeforeTimeout) {
    last_bookmark_ = *end_ - options_.bookmarkBeforeTimeout;
  }
}

WatchStream::~WatchStream() { store_.Unwatch(watcher_); }

bool WatchStream::FaultIs(FaultKind kind) const {
  return options_.fault && options_.fault->kind == kind;
}

bool WatchStream::Run(const Send& send) {
  send_ = &send;
  for (;;) {
    // A fault may be due before any event.
    if (auto met = MeetFault(""); met && *met != Step::kGoOn) return *met == Step::kEnd;
    Step step = RunQueued();
    if (step == Step::kGoOn) step = RunDue();
    if (step != Step::kGoOn) return step == Step::kEnd;
    if (connection_.Wait(NextDeadline()) == Connection::Wake::kGone) {
      return connection_.Usable() && connection_.Finishing();
    }
  }
}

WatchStream::Step WatchStream::RunQueued() {
  for (auto items = store_.Take(*watcher_); !items.empty(); items = store_.Take(*watcher_)) {
    for (const WatchItem& item : items) {
      if (const Step step = RunItem(item); step != Step::kGoOn) return step;
    }
  }
  return Step::kGoOn;
}

WatchStream::Step WatchStream::RunItem(const WatchItem& item) {
  switch (item.kind) {
    case WatchItem::Kind::kEvent:
      return Transmit(presenter_.Event(TypeText(item.type), *item.object));
    case WatchItem::Kind::kBookmark:
      return Transmit(presenter_.Bookmark(item.version, false));
    case WatchItem::Kind::kInitialEventsEnd:
      if (FaultIs(FaultKind::kNoBookmarks)) return Step::kGoOn;
      return Transmit(presenter_.Bookmark(item.version, true));
    case WatchItem::Kind::kRaw:
      return (*send_)(item.bytes) ? Step::kGoOn : Step::kBroken;
    case WatchItem::Kind::kEnd:
      return Step::kEnd;
    case WatchItem::Kind::kReset:
      connection_.Reset();
      return Step::kBroken;
    case WatchItem::Kind::kStall:
      break;
  }
  return Stall();
}

WatchStream::Step WatchStream::RunDue() {
  const TimePoint now = std::chrono::steady_clock::now();
  if (end_ && now >= *end_) return Step::kEnd;
  const bool last = last_bookmark_ && now >= *last_bookmark_;
  const bool next = next_bookmark_ && now >= *next_bookmark_;
  if (last) last_bookmark_.reset();
  if (next) next_bookmark_ = now + options_.bookmarkInterval;
  return last || next ? SendBookmark() : Step::kGoOn;
}

WatchStream::Step WatchStream::SendBookmark() {
  // The version goes through the queue: what it covers must have been sent before.
  store_.PostTo(*watcher_, {.kind = WatchItem::Kind::kBookmark});
  return RunQueued();
}

std::optional<WatchStream::TimePoint> WatchStream::NextDeadline() const {
  std::optional<TimePoint> next;
  for (const auto& due : {end_, last_bookmark_, next_bookmark_}) {
    if (due && (!next || *due < *next)) next = due;
  }
  return next;
}

WatchStream::Step WatchStream::Transmit(std::string_view frame) {
  if (auto met = MeetFault(frame)) return *met;
  ++frames_sent_;
  const Step step = SendFrame(frame);
  if (step != Step::kGoOn) return step;
  // The fault that follows the last unharmed event must not wait for another one.
  return MeetFault("").value_or(Step::kGoOn);
}

WatchStream::Step WatchStream::SendFrame(std::string_view frame) {
  if (FaultIs(FaultKind::kTrickle)) return SendSlowly(frame);
  const bool sent = FaultIs(FaultKind::kGzip) ? (*send_)(Gzip(frame)) : (*send_)(frame);
  return sent ? Step::kGoOn : Step::kBroken;
}

std::optional<WatchStream::Step> WatchStream::MeetFault(std::string_view frame) {
  if (!options_.fault || frames_sent_ < options_.fault->afterEvents) return std::nullopt;
  switch (options_.fault->kind) {
    case FaultKind::kErrorEvent: {
      const Fault fault = *std::exchange(options_.fault, std::nullopt);
      const Step step = SendFrame(Presenter::ErrorEvent(FaultError(fault)));
      return step == Step::kGoOn ? Step::kEnd : step;
    }
    case FaultKind::kEndStream:
      return Step::kEnd;
    case FaultKind::kCutStream:
      // Needs an event to cut.
      return frame.empty() ? std::nullopt : std::optional(Cut(frame));
    case FaultKind::kStallStream:
      return Stall();
    case FaultKind::kRawBytes: {
      const Fault fault = *std::exchange(options_.fault, std::nullopt);
      if (!(*send_)(fault.body)) return Step::kBroken;
      return frame.empty() ? std::nullopt : std::optional(Step::kGoOn);
    }
    default:
      return std::nullopt;
  }
}

WatchStream::Step WatchStream::SendSlowly(std::string_view frame) {
  for (const char& byte : frame) {
    if (!(*send_)(std::string_view(&byte, 1))) return Step::kBroken;
    const TimePoint next = std::chrono::steady_clock::now() + options_.fault->delay;
    while (options_.fault->delay.count() > 0) {
      const auto wake = connection_.Wait(next);
      if (wake == Connection::Wake::kGone) return Step::kBroken;
      if (wake == Connection::Wake::kDeadline) break;
    }
  }
  // Waiting took the signals of events that came meanwhile.
  connection_.Signal();
  return Step::kGoOn;
}

WatchStream::Step WatchStream::Cut(std::string_view frame) {
  connection_.SendRaw(ChunkHeader(frame.size()));
  connection_.SendRaw(frame.substr(0, frame.size() / 2));
  connection_.Reset();
  return Step::kBroken;
}

WatchStream::Step WatchStream::Stall() {
  store_.SetIdle(*watcher_);
  connection_.WaitUntilGone();
  return Step::kBroken;
}

}  // namespace k8s::inline v0::testing
