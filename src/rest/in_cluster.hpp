#pragma once

#include <k8s/rest/config.hpp>

#include <string>

namespace k8s::inline v0::rest::detail {

/// Where a pod finds the files of its service account.
inline constexpr const char kServiceAccountDirectory[] =
    "/var/run/secrets/kubernetes.io/serviceaccount";

/// As InClusterConfig, with another directory.
Result<Config> InClusterConfigFrom(const std::string& directory);
/// As InClusterNamespace, with another directory.
std::string InClusterNamespaceFrom(const std::string& directory);
/// Whether this process looks like one in a pod: the address and the token file are there.
bool IsInClusterPossible(const std::string& directory);

}  // namespace k8s::inline v0::rest::detail
