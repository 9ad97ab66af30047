#include "kubernetes/list_reader.hpp"

#include <utility>

#include "kubernetes/object_error.hpp"
#include "runtime/unstructured_list.hpp"

namespace k8s::inline v0::kubernetes::detail {

ListReader::ListReader(const runtime::ObjectType& type, const cache::VisitFunc& visit,
                       std::string_view request)
    : type_(type), visit_(visit), request_(request), untyped_(type.info.kind.empty()) {}

Result<void> ListReader::Feed(std::string_view chunk) {
  bytes_ += chunk.size();
  splitter_.Feed(chunk);
  while (true) {
    auto item = splitter_.Next();
    if (!item) return InContext(request_, std::move(item).error());
    if (!*item) return {};
    Take(**item);
  }
}

void ListReader::Take(std::string_view item) {
  auto object =
      untyped_ ? runtime::detail::DecodeUntypedItem(type_, item) : type_.decode(type_, item);
  if (!object) {
    unreadable_.push_back(ObjectError(request_, object.error(), item));
  } else if (untyped_) {
    held_back_.push_back(std::move(*object));
  } else {
    visit_(std::move(*object));
  }
}

Result<cache::ListResult> ListReader::Finish() {
  auto head = splitter_.Finish();
  if (!head) return InContext(request_, std::move(head).error());
  if (auto checked = CheckKind(*head); !checked) return std::move(checked).error();
  for (auto& item : held_back_) {
    runtime::detail::AdoptListKind(item, head->kind, head->apiVersion);
    visit_(std::move(item));
  }
  held_back_.clear();
  return cache::ListResult{.resourceVersion = std::move(head->resourceVersion),
                           .continueToken = std::move(head->continue_),
                           .remainingItemCount = head->remainingItemCount,
                           .unreadable = std::move(unreadable_),
                           .bytes = bytes_};
}

Result<void> ListReader::CheckKind(const codec::ListHead& head) const {
  const bool single = !head.kind.empty() && head.kind == type_.info.kind;
  if (single || head.kind == "Table" || (untyped_ && head.kind.empty())) {
    return DecodeError(std::string(request_) + ": the server answered with a " +
                       (head.kind.empty() ? "list without kind" : head.kind) +
                       " where a list belongs");
  }
  return {};
}

}  // namespace k8s::inline v0::kubernetes::detail
