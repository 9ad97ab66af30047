#pragma once

#include "registry.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace k8s::inline v0::testing {

/// The body for a discovery path ("/api", "/apis", "/api/v1", "/apis/apps", "/apis/apps/v1",
/// "/version"), or nothing when the path is none. `host`: what clients are told to connect to.
[[nodiscard]] std::optional<std::string> DiscoveryBody(const Registry& registry,
                                                       std::string_view path,
                                                       std::string_view host);

/// The aggregated form of "/api" and "/apis"; nothing for other paths.
[[nodiscard]] std::optional<std::string> AggregatedDiscoveryBody(const Registry& registry,
                                                                 std::string_view path);

inline constexpr std::string_view kAggregatedContentType =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// Just as much OpenAPI v3 as kubectl asks for before it leaves validation to the server: which
/// paths there are, and that patches take `fieldValidation`.
[[nodiscard]] std::optional<std::string> OpenApiBody(const Registry& registry,
                                                     std::string_view path);

}  // namespace k8s::inline v0::testing
