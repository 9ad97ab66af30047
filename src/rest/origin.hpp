#pragma once

#include <k8s/error.hpp>

#include <string>

namespace k8s::inline v0::rest::detail {

/// ` (context "x", cluster "c", user "u", kubeconfig /path)`; "" for no origin.
[[nodiscard]] inline std::string InParentheses(const std::string& origin) {
  return origin.empty() ? "" : " (" + origin + ")";
}

/// The error of a configuration with where that is written.
[[nodiscard]] inline Error WithOrigin(Error error, const std::string& origin) {
  error.message += InParentheses(origin);
  return error;
}

}  // namespace k8s::inline v0::rest::detail
