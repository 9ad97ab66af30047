#pragma once

#include <string_view>

// The version of these headers. Before 1.0, a minor version may change the interface.
#define CLIENT_CPP_VERSION_MAJOR 0
#define CLIENT_CPP_VERSION_MINOR 1
#define CLIENT_CPP_VERSION_PATCH 0
#define CLIENT_CPP_VERSION_STRING "0.1.0"

namespace k8s::inline v0 {

/// The version of the library that the program is linked with, "0.1.0" for example; what a shared
/// library makes differ from CLIENT_CPP_VERSION_STRING.
[[nodiscard]] std::string_view Version();

}  // namespace k8s::inline v0
