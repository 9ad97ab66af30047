#pragma once

#include <string>

namespace k8s::inline v0::rest::detail {

/// Logs a warning, unless this process has logged the same one before. From any thread.
void WarnOnce(const std::string& warning);

}  // namespace k8s::inline v0::rest::detail
