#pragma once

#include <k8s/error.hpp>

#include <string>
#include <vector>

namespace k8s::test {

/// A Status that a server answers with.
[[nodiscard]] Error Refusal(int code, std::string reason, int retry_after = 0);
[[nodiscard]] Error ExpiredVersion();
/// In one of the dialects of servers old and new.
[[nodiscard]] Error TooLargeVersion(unsigned dialect);
[[nodiscard]] Error Broken(ErrorKind kind);

/// Every kind of failure that a request may meet, and that an open stream may end with.
[[nodiscard]] const std::vector<Error>& RequestFailures();
[[nodiscard]] const std::vector<Error>& StreamFailures();
/// What a server says in ERROR events.
[[nodiscard]] const std::vector<Error>& ErrorEvents();

}  // namespace k8s::test
