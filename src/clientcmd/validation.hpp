#pragma once

#include <k8s/clientcmd/api.hpp>

#include <string>

#include "util/problems.hpp"

namespace k8s::inline v0::clientcmd::detail {

/// Adds what contradicts in a cluster, or is missing or unreadable. Requires: not an empty one.
void CheckCluster(const std::string& name, const Cluster& cluster,
                  util::detail::Problems& problems);

/// Likewise for a user.
void CheckAuthInfo(const std::string& name, const AuthInfo& user, util::detail::Problems& problems);

}  // namespace k8s::inline v0::clientcmd::detail
