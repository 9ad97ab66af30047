#include <k8s/codec/splitter.hpp>
#include <k8s/fields.hpp>
#include <k8s/runtime/status.hpp>

#include "codec/head_text.hpp"
#include "codec/object_reader.hpp"

#include <utility>

namespace k8s::inline v0::codec::detail {

/// What is left of `items` once they are cut out.
class ItemsText {
 public:
  const char* UnmarshalJSON(std::string_view raw) {
    present_ = true;
    return raw == "[]" || raw == "null" ? nullptr : "no list";
  }
  void MarshalJSON(std::string& out) const { out += "[]"; }
  [[nodiscard]] bool IsZero() const { return !present_; }
  friend bool operator==(const ItemsText&, const ItemsText&) = default;

 private:
  bool present_ = false;
};

struct ListText {
  struct Metadata {
    std::string resourceVersion;
    std::string continue_;
    std::optional<std::int64_t> remainingItemCount;
  };
  std::string kind;
  std::string apiVersion;
  Metadata metadata;
  ItemsText items;
};

}  // namespace k8s::inline v0::codec::detail

CLIENT_CPP_FIELDS(k8s::codec::detail::ListText::Metadata, resourceVersion, continue_,
                  remainingItemCount);
CLIENT_CPP_FIELDS(k8s::codec::detail::ListText, kind, apiVersion, metadata, items);

namespace k8s::inline v0::codec {

class ListSplitter::Impl {
 public:
  explicit Impl(Options options) : options_(options), values_(options.maxItemBytes) {}

  void Feed(std::string_view chunk) { values_.Feed(chunk); }
  Result<std::optional<std::string_view>> Next();
  Result<ListHead> Finish();

 private:
  enum class State { kMembers, kItems, kFirstItem, kItem, kComma, kEnd, kFailed };
  enum class Progress { kAgain, kMore, kItem };

  Progress Step();
  Progress StepMembers();
  Progress StepItem();
  Progress BeginItems(char c);
  Progress EndItems();
  Progress KeepMember(std::string_view value);
  Progress Go(State state);
  Progress Fail(const char* reason);
  [[nodiscard]] static Result<ListHead> ReadHead(const std::string& text);

  Options options_;
  detail::ValueReader values_;
  detail::ObjectReader members_{values_};
  detail::HeadText head_;
  State state_ = State::kMembers;
  bool has_items_ = false;
  Error failure_;
};

ListSplitter::Impl::Progress ListSplitter::Impl::Go(State state) {
  state_ = state;
  return Progress::kAgain;
}

ListSplitter::Impl::Progress ListSplitter::Impl::Fail(const char* reason) {
  failure_ = DecodeError("the list is invalid at byte " + std::to_string(values_.position()) +
                         ": " + reason);
  return Go(State::kFailed);
}

ListSplitter::Impl::Progress ListSplitter::Impl::KeepMember(std::string_view value) {
  if (head_.Add(members_.name(), value, options_.maxHeadBytes)) return Progress::kAgain;
  return Fail("what is not in its items is too long");
}

ListSplitter::Impl::Progress ListSplitter::Impl::StepMembers() {
  using Step = detail::ObjectReader::Step;
  switch (members_.Next()) {
    case Step::kMore:
      return Progress::kMore;
    case Step::kName:
      return members_.name() == "\"items\"" ? Go(State::kItems) : Progress::kAgain;
    case Step::kValue:
      return KeepMember(values_.text());
    case Step::kEnd:
      return Go(State::kEnd);
    case Step::kFailed:
      break;
  }
  return Fail(members_.failure());
}

ListSplitter::Impl::Progress ListSplitter::Impl::BeginItems(char c) {
  if (std::exchange(has_items_, true)) return Fail("it has items twice");
  if (c != '[') return Go(State::kMembers);  // Kept with the head, which tells null from nonsense.
  values_.Take();
  return Go(State::kFirstItem);
}

ListSplitter::Impl::Progress ListSplitter::Impl::EndItems() {
  values_.Take();
  members_.SkippedValue();
  state_ = State::kMembers;
  return KeepMember("[]");
}

ListSplitter::Impl::Progress ListSplitter::Impl::StepItem() {
  using Outcome = detail::ValueReader::Outcome;
  switch (values_.Read()) {
    case Outcome::kMore:
      return Progress::kMore;
    case Outcome::kNoValue:
      return Fail("an item belongs here");
    case Outcome::kTooLong:
      return Fail("an item is too long");
    case Outcome::kValue:
      break;
  }
  state_ = State::kComma;
  return Progress::kItem;
}

ListSplitter::Impl::Progress ListSplitter::Impl::Step() {
  if (state_ == State::kMembers) return StepMembers();
  if (state_ == State::kItem) return StepItem();
  if (state_ == State::kFailed) return Progress::kMore;
  const auto c = values_.Peek();
  if (!c) return Progress::kMore;
  if (state_ == State::kItems) return BeginItems(*c);
  if (state_ == State::kEnd) return Fail("text behind the list");
  if (*c == ']') return EndItems();
  if (state_ == State::kFirstItem) return Go(State::kItem);
  if (*c != ',') return Fail("',' or ']' belongs here");
  values_.Take();
  return Go(State::kItem);
}

Result<std::optional<std::string_view>> ListSplitter::Impl::Next() {
  Progress progress = Step();
  while (progress == Progress::kAgain) progress = Step();
  if (state_ == State::kFailed) return failure_;
  if (progress == Progress::kMore) return std::optional<std::string_view>();
  return std::optional(values_.text());
}

Result<ListHead> ListSplitter::Impl::ReadHead(const std::string& text) {
  auto list = Decode<detail::ListText>(text);
  if (!list) return list.error();
  if (!Valid(text)) return DecodeError("what is not in the list's items is no JSON");
  if (list->items.IsZero() && !list->kind.empty() && !list->kind.ends_with("List")) {
    return DecodeError(list->kind + " where a list belongs");
  }
  // client-go takes it for an empty list, by which an informer would forget all objects.
  if (list->items.IsZero() && list->kind.empty() && list->metadata.resourceVersion.empty()) {
    return DecodeError("an object without kind, items and resourceVersion where a list belongs");
  }
  return ListHead{.apiVersion = std::move(list->apiVersion),
                  .kind = std::move(list->kind),
                  .resourceVersion = std::move(list->metadata.resourceVersion),
                  .continue_ = std::move(list->metadata.continue_),
                  .remainingItemCount = list->metadata.remainingItemCount};
}

Result<ListHead> ListSplitter::Impl::Finish() {
  if (auto rest = Next(); !rest) return rest.error();
  if (members_.AtStart()) return DecodeError("an empty body where a list belongs");
  if (state_ != State::kEnd) {
    return Error{.kind = ErrorKind::kConnectionLost, .message = "the list ended early"};
  }
  const std::string text = head_.Text();
  if (!has_items_) {
    if (auto failure = runtime::ErrorFromStatus(text)) return std::move(*failure);
  }
  return ReadHead(text);
}

ListSplitter::ListSplitter() : ListSplitter(Options()) {}
ListSplitter::ListSplitter(Options options) : impl_(std::make_unique<Impl>(options)) {}
ListSplitter::ListSplitter(ListSplitter&&) noexcept = default;
ListSplitter& ListSplitter::operator=(ListSplitter&&) noexcept = default;
ListSplitter::~ListSplitter() = default;

void ListSplitter::Feed(std::string_view chunk) { impl_->Feed(chunk); }
Result<std::optional<std::string_view>> ListSplitter::Next() { return impl_->Next(); }
Result<ListHead> ListSplitter::Finish() { return impl_->Finish(); }

}  // namespace k8s::inline v0::codec
