#pragma once

#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <string_view>

namespace k8s::inline v0::runtime::detail {

/// Reads an item of a list whose item kind is not known yet: as `UnstructuredType`'s decode, but it
/// may lack a kind. API servers leave it out of the items of built-in lists.
[[nodiscard]] Result<AnyPtr> DecodeUntypedItem(const ObjectType& type, std::string_view json);

/// Gives an item without kind and apiVersion those of the list: "PodList" makes "Pod".
/// Requires: `item` comes from DecodeUntypedItem and nobody else has it. Mirrors UnstructuredList.
void AdoptListKind(const AnyPtr& item, std::string_view list_kind, std::string_view api_version);

}  // namespace k8s::inline v0::runtime::detail
