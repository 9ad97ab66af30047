#pragma once

#include <k8s/discovery/discovery_client.hpp>
#include <k8s/result.hpp>

#include <string_view>

namespace k8s::inline v0::discovery::detail {

/// Adds what an APIGroupDiscoveryList of apidiscovery.k8s.io/v2 says. Group-versions that the
/// server could not refresh are failures.
Result<void> AddAggregated(std::string_view json, GroupsAndResources& found);

}  // namespace k8s::inline v0::discovery::detail
