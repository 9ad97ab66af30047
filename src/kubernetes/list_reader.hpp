#pragma once

#include <k8s/cache/listwatch.hpp>
#include <k8s/codec/splitter.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace k8s::inline v0::kubernetes::detail {

/// Hands the items of a list's body to a visitor while the body arrives.
/// Requires: `type`, `visit` and the text of `request`, which names the list in errors, outlive it.
class ListReader {
 public:
  ListReader(const runtime::ObjectType& type, const cache::VisitFunc& visit,
             std::string_view request);

  /// Takes the next bytes of the body. Errors: kDecode; of no more use then.
  Result<void> Feed(std::string_view chunk);
  /// Says that the body is complete.
  Result<cache::ListResult> Finish();

 private:
  void Take(std::string_view item);
  Result<void> CheckKind(const codec::ListHead& head) const;

  const runtime::ObjectType& type_;
  const cache::VisitFunc& visit_;
  std::string_view request_;
  /// The items' kind, if they have none, is known only once the list's is. See AdoptListKind.
  bool untyped_;
  codec::ListSplitter splitter_;
  std::vector<runtime::AnyPtr> held_back_;  ///< With untyped_ only.
  std::vector<Error> unreadable_;
  std::uint64_t bytes_ = 0;
};

}  // namespace k8s::inline v0::kubernetes::detail
