#pragma once

#include <functional>
#include <string_view>

/// The library's log hook. The library never prints by itself: every line goes to the sink, which
/// is spdlog's default logger until SetSink replaces it.
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

}  // namespace k8s::inline v0::log
