#pragma once

#include <k8s/clientcmd/clientcmd.hpp>

#include <string>

namespace k8s::inline v0::clientcmd::detail {

/// As Load, with another directory of the service account's files.
Result<ClientConfig> LoadWith(const LoadingRules& rules, const Overrides& overrides,
                              const std::string& service_account_directory);

/// The files of LoadKubeConfig, those that are there: "/a, /b".
[[nodiscard]] std::string DescribeFiles(const LoadingRules& rules);

}  // namespace k8s::inline v0::clientcmd::detail
