#pragma once

#include <string>
#include <string_view>

namespace k8s::inline v0::rest::detail {

/// Appends `text` as one path segment. Mirrors Go's encoding of paths; "/" is escaped as well.
void AppendPathSegment(std::string_view text, std::string& out);

/// Appends `text` as a query's key or value: everything but letters, digits and "-._~" is escaped.
void AppendQueryPart(std::string_view text, std::string& out);

}  // namespace k8s::inline v0::rest::detail
