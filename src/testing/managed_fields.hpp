#pragma once

#include <k8s/result.hpp>

#include "json.hpp"

#include <string>

namespace k8s::inline v0::testing {

/// Who writes, for metadata.managedFields.
struct FieldManager {
  std::string name;
  std::string apiVersion;
  std::string subresource = {};
  std::string time = {};
  bool keyed_lists = true;  ///< False for custom resources: their lists are atomic here.
};

/// Records in `after` that the manager owns all fields that differ from `before` (null: a
/// creation).
void TrackUpdate(Json& after, const Json* before, const FieldManager& manager);

/// Server-side apply of `config` to `live` (null: a creation). Fields that the manager applied
/// before and that are gone from `config` go, unless somebody else owns them. Errors: 409 with the
/// fields that others own with other values, unless `force`.
[[nodiscard]] Result<Json> ServerSideApply(const Json* live, const Json& config,
                                           const FieldManager& manager, bool force);

}  // namespace k8s::inline v0::testing
