#pragma once

#include <k8s/clientcmd/clientcmd.hpp>

#include <string>

namespace k8s::inline v0::clientcmd::detail {

/// As Load, with another directory of the service account's files.
Result<ClientConfig> LoadWith(const LoadingRules& rules, const Overrides& overrides,
                              const std::string& service_account_directory);

}  // namespace k8s::inline v0::clientcmd::detail
