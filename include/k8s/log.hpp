#pragma once

#include <functional>
#include <string_view>

/// The library's log hook: every line goes to the sink. Until SetSink replaces it, that is spdlog's
/// default logger if the program has set one (with a name), and standard error otherwise.
namespace k8s::inline v0::log {

enum class Level { kDebug, kInfo, kWarning, kError };

/// Receives one line without a line end. Called from any thread, several at a time.
using Sink = std::function<void(Level level, std::string_view line)>;

/// Replaces the sink; an empty one silences the library. Thread safe.
void SetSink(Sink sink);

/// Lines below `level` are dropped before they reach the sink. Default: kInfo. Thread safe.
void SetLevel(Level level);

/// Whether a line of this level would reach a sink. For lines that are costly to make.
[[nodiscard]] bool Enabled(Level level);

/// Hands a line to the sink. A sink that throws is ignored.
void Write(Level level, std::string_view line);

/// How much is logged of every request, at level kInfo, as kubectl's -v does:
///   6  method, URL, status and time, and how a watch ended
///   7  the request's headers
///   8  the answer's headers, and bodies up to 1,024 bytes
///   9  a curl command in place of the request's headers, timings of the connection, bodies up to
///      10,240 bytes
///   10 whole bodies, chunk by chunk
/// Below 6: nothing, at no cost. Counts from the next request on, and for all clients; see also
/// rest::Config::verbosity. Until it is called, the environment's CLIENT_CPP_VERBOSITY counts,
/// which is read once; 0 without it. Thread safe.
///
/// Values of Authorization, cookies and headers named like tokens, secrets or keys are masked, and
/// so are the bodies of Secrets, token requests and token reviews. Other bodies are shown, as
/// kubectl does: the secrets of custom resources and of mistaken ConfigMaps are among them.
void SetVerbosity(int verbosity);
[[nodiscard]] int Verbosity();

}  // namespace k8s::inline v0::log
