#pragma once

#include <string>

namespace k8s::inline v0::rest::detail {

/// The CAs that SSL_CERT_FILE and SSL_CERT_DIR of the environment ask for in place of the system's,
/// as PEM; "" if neither is set. As in Go, one that is not set leaves the system's bundle in, and
/// every file of a directory counts, whatever its name; files are read once in a process. What
/// cannot be read is told through the log.
[[nodiscard]] std::string SystemRootsOfEnvironment();

}  // namespace k8s::inline v0::rest::detail
