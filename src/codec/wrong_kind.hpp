#pragma once

#include <k8s/error.hpp>
#include <k8s/runtime/object_type.hpp>

#include <string_view>

namespace k8s::inline v0::runtime::detail {

/// What is wrong with an object of another kind in a type's place: a Status's own failure, or
/// kDecode.
[[nodiscard]] Error WrongKind(const ObjectType& type, std::string_view kind, std::string_view json);

}  // namespace k8s::inline v0::runtime::detail
