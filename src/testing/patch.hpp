#pragma once

#include <k8s/result.hpp>

#include "json.hpp"

#include <string>
#include <string_view>

namespace k8s::inline v0::testing {

/// The key by which the elements of a built-in type's list are told apart, "name" for "containers";
/// "" for lists that are replaced as a whole. `element`: one of them (some lists of the same name
/// have different keys).
[[nodiscard]] std::string MergeKey(std::string_view field, const Json& element);

/// Whether the list is a set of strings, as finalizers are.
[[nodiscard]] bool IsSetList(std::string_view field);

/// Errors: 400 for what is no patch, 422 for one that does not fit the object.
[[nodiscard]] Result<Json> JsonPatch(const Json& object, const Json& patch);
/// `keyed_lists`: false merges as server-side apply does for types without a schema.
[[nodiscard]] Json StrategicMergePatch(Json target, const Json& patch, bool keyed_lists = true);

}  // namespace k8s::inline v0::testing
