#pragma once

#include <k8s/result.hpp>

#include <string>

namespace k8s::inline v0::util::detail {

/// The bytes of a file of 64 MiB at most. Errors: kConfig, naming the path and the reason.
Result<std::string> ReadFile(const std::string& path);

/// The text without white space around it.
std::string Trim(std::string text);

}  // namespace k8s::inline v0::util::detail
