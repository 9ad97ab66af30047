#include <k8s/codec/codec.hpp>
#include <k8s/codec/splitter.hpp>
#include <k8s/runtime/status.hpp>

#include "codec/head_text.hpp"
#include "codec/object_reader.hpp"

#include <utility>

namespace k8s::inline v0::codec {

class WatchSplitter::Impl {
 public:
  explicit Impl(std::size_t max_frame_bytes)
      : max_frame_bytes_(max_frame_bytes), values_(max_frame_bytes) {}

  void Feed(std::string_view chunk) { values_.Feed(chunk); }
  Result<std::optional<WatchFrame>> Next();
  Result<void> Finish();

 private:
  Result<bool> ReadFrame();
  Result<void> KeepMember();
  Result<void> KeepType(std::string_view text);
  void KeepObject();
  void CopyObject();
  void BeginFrame();
  [[nodiscard]] Error NoEvent() const;
  Error Fail(Error error);
  [[nodiscard]] Error Invalid(const char* reason) const;

  std::size_t max_frame_bytes_;
  detail::ValueReader values_;
  detail::ObjectReader members_{values_};
  std::uint64_t frame_begin_ = 0;

  std::optional<std::string> type_;
  std::optional<std::string_view> object_;
  bool object_in_chunk_ = false;
  std::string object_copy_;
  detail::HeadText others_;  // All members but those two: maybe a bare Status.
  std::optional<Error> failure_;
};

Error WatchSplitter::Impl::Fail(Error error) {
  failure_ = error;
  return error;
}

Error WatchSplitter::Impl::Invalid(const char* reason) const {
  return DecodeError("the watch is invalid at byte " + std::to_string(values_.position()) + ": " +
                     reason);
}

/// Why an object without type or object is none of a watch's.
Error WatchSplitter::Impl::NoEvent() const {
  if (auto failure = runtime::ErrorFromStatus(others_.Text())) return std::move(*failure);
  return Invalid(type_ ? "an event without an object" : "an object that is no event");
}

void WatchSplitter::Impl::BeginFrame() {
  members_.Restart();
  type_.reset();
  object_.reset();
  others_.Clear();
}

Result<void> WatchSplitter::Impl::KeepType(std::string_view text) {
  auto type = Decode<std::string>(text);
  if (!type) return type.error();
  type_ = std::move(*type);
  return {};
}

void WatchSplitter::Impl::KeepObject() {
  object_in_chunk_ = !values_.IsCopied();
  if (object_in_chunk_) {
    object_ = values_.text();
  } else {
    values_.Swap(object_copy_);
    object_ = object_copy_;
  }
}

/// Saves the object from going away with the chunk.
void WatchSplitter::Impl::CopyObject() {
  if (!object_ || !object_in_chunk_) return;
  object_copy_.assign(*object_);
  object_ = object_copy_;
  object_in_chunk_ = false;
}

Result<void> WatchSplitter::Impl::KeepMember() {
  std::string_view name = members_.name();
  std::string plain_name;
  if (name.find('\\') != std::string_view::npos) {
    auto read = Decode<std::string>(name);
    if (!read) return read.error();
    plain_name = "\"" + *read + "\"";
    name = plain_name;
  }
  if (name == "\"type\"") return KeepType(values_.text());
  if (name == "\"object\"") {
    KeepObject();
    return {};
  }
  if (!Valid(members_.name()) || !Valid(values_.text())) return Invalid("no JSON value");
  others_.Add(members_.name(), values_.text(), max_frame_bytes_);
  return {};
}

/// Reads on. Returns whether the frame is complete.
Result<bool> WatchSplitter::Impl::ReadFrame() {
  using Step = detail::ObjectReader::Step;
  if (members_.AtStart()) {
    if (!values_.Peek()) return false;
    frame_begin_ = values_.position();
  }
  while (true) {
    const Step step = members_.Next();
    if (step == Step::kFailed) return Invalid(members_.failure());
    if (values_.position() - frame_begin_ > max_frame_bytes_) {
      return Invalid("an event is too long");
    }
    if (step == Step::kMore) return false;
    if (step == Step::kEnd) return true;
    if (step == Step::kName) continue;
    if (auto kept = KeepMember(); !kept) return kept.error();
  }
}

Result<std::optional<WatchFrame>> WatchSplitter::Impl::Next() {
  if (failure_) return *failure_;
  if (members_.AtEnd()) BeginFrame();
  auto complete = ReadFrame();
  if (!complete) return Fail(complete.error());
  if (!*complete) {
    CopyObject();
    return std::optional<WatchFrame>();
  }
  if (!type_ || !object_ || !object_->starts_with('{')) return Fail(NoEvent());
  return std::optional(WatchFrame{.type = *type_, .object = *object_});
}

Result<void> WatchSplitter::Impl::Finish() {
  if (auto rest = Next(); !rest) return rest.error();
  if (members_.AtStart()) return {};
  return Error{.kind = ErrorKind::kConnectionLost, .message = "the watch ended inside an event"};
}

WatchSplitter::WatchSplitter(std::size_t max_frame_bytes)
    : impl_(std::make_unique<Impl>(max_frame_bytes)) {}
WatchSplitter::WatchSplitter(WatchSplitter&&) noexcept = default;
WatchSplitter& WatchSplitter::operator=(WatchSplitter&&) noexcept = default;
WatchSplitter::~WatchSplitter() = default;

void WatchSplitter::Feed(std::string_view chunk) { impl_->Feed(chunk); }
Result<std::optional<WatchFrame>> WatchSplitter::Next() { return impl_->Next(); }
Result<void> WatchSplitter::Finish() { return impl_->Finish(); }

}  // namespace k8s::inline v0::codec
