#include "kubernetes/watch_stream.hpp"

#include <k8s/apis/meta/v1.hpp>
#include <k8s/codec/codec.hpp>
#include <k8s/runtime/status.hpp>

#include <string_view>
#include <utility>

#include "kubernetes/object_error.hpp"

namespace k8s::inline v0::kubernetes::detail {

using watch::Event;
using watch::EventType;

Result<std::optional<Event>> WatchStream::Next(std::stop_token stop) {
  while (true) {
    if (stop.stop_requested()) return Cancelled(request_);
    auto frame = splitter_.Next();
    if (!frame) return InContext(request_, std::move(frame).error());
    if (*frame) {
      auto event = Decode(**frame);
      if (!event) return std::move(event).error();
      return std::optional(std::move(*event));
    }
    auto more = response_->Read(chunk_, stop);
    if (!more) return std::move(more).error();
    if (!*more) break;
    bytes_ += chunk_.size();
    splitter_.Feed(chunk_);
  }
  if (auto finished = splitter_.Finish(); !finished) {
    return InContext(request_, std::move(finished).error());
  }
  return std::optional<Event>();
}

Result<Event> WatchStream::Decode(const codec::WatchFrame& frame) const {
  if (frame.type == "ADDED") return DecodeObject(EventType::kAdded, frame.object);
  if (frame.type == "MODIFIED") return DecodeObject(EventType::kModified, frame.object);
  if (frame.type == "DELETED") return DecodeObject(EventType::kDeleted, frame.object);
  if (frame.type == "BOOKMARK") return DecodeBookmark(frame.object);
  if (frame.type == "ERROR") return DecodeError(frame.object);
  return k8s::DecodeError(request_ + ": an event of unknown type");
}

Result<Event> WatchStream::DecodeObject(EventType type, std::string_view object) const {
  auto decoded = type_->decode(*type_, object);
  if (!decoded) return ObjectError(request_, decoded.error(), object);
  Event event{.type = type, .object = std::move(*decoded), .resourceVersion = {}, .status = {}};
  event.resourceVersion = type_->meta(event.object.get()).resourceVersion;
  return event;
}

/// A bookmark has a kind, a resourceVersion and maybe annotations; it is no whole object.
Result<Event> WatchStream::DecodeBookmark(std::string_view object) const {
  auto partial = codec::Decode<metav1::PartialObjectMetadata>(object);
  if (!partial) return InContext(request_ + ": bookmark", std::move(partial).error());
  const auto& annotations = partial->metadata.annotations;
  const auto mark = annotations.find(metav1::kInitialEventsAnnotationKey);
  return Event{.type = EventType::kBookmark,
               .object = {},
               .resourceVersion = std::move(partial->metadata.resourceVersion),
               .initialEventsEnd = mark != annotations.end() && mark->second == "true",
               .status = {}};
}

Result<Event> WatchStream::DecodeError(std::string_view object) const {
  Event event{.type = EventType::kError, .object = {}, .resourceVersion = {}, .status = {}};
  if (auto failure = runtime::ErrorFromStatus(object)) {
    event.status = InContext(request_, std::move(*failure));
    return event;
  }
  auto other = codec::Decode<metav1::TypeMeta>(object);
  if (!other || other->kind.empty()) {
    return k8s::DecodeError(request_ + ": an ERROR event without a Status");
  }
  event.status = {.kind = ErrorKind::kStatus,
                  .message = request_ + ": an ERROR event with a " + other->kind};
  return event;
}

}  // namespace k8s::inline v0::kubernetes::detail
