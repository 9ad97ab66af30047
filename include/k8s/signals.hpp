#pragma once

#include <k8s/result.hpp>

#include <stop_token>

namespace k8s::inline v0::signals {

/// A token that is triggered by SIGINT or SIGTERM, for main(): everything that takes it ends in
/// order. A second signal ends the process at once with status 1. Every call returns the same
/// token. Mirrors SetupSignalHandler of controller-runtime.
///
/// Replaces the process's handlers of the two signals for good, at the first call, and keeps a
/// thread that waits for them. Throws BadResult (kInternal) when the system refuses a pipe.
/// **Thread safety.** May be called from any thread.
[[nodiscard]] std::stop_token StopOnTermination();

}  // namespace k8s::inline v0::signals
