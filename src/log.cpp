#include <k8s/log.hpp>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

namespace k8s::inline v0::log {

namespace {

spdlog::level::level_enum ToSpdlog(Level level) {
  switch (level) {
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarning:
      return spdlog::level::warn;
    case Level::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

/// On standard error: spdlog's initial logger would write between the program's own output. Never
/// destroyed, as State.
spdlog::logger& StandardError() {
  static auto& logger =
      *new spdlog::logger("client-cpp", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  return logger;
}

void WriteToSpdlog(Level level, std::string_view line) {
  // A copy of the pointer: the program may replace its default logger at any time.
  const auto programs = spdlog::default_logger();
  const bool is_initial = programs == nullptr || programs->name().empty();
  (is_initial ? StandardError() : *programs)
      .log(ToSpdlog(level), spdlog::string_view_t(line.data(), line.size()));
}

int EnvironmentsVerbosity() {
  const char* text = std::getenv("CLIENT_CPP_VERBOSITY");
  int verbosity = 0;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), verbosity);
  return verbosity;
}

struct State {
  std::atomic<Level> level{Level::kInfo};
  std::atomic<int> verbosity{EnvironmentsVerbosity()};
  std::mutex mutex;
  std::shared_ptr<const Sink> sink = std::make_shared<const Sink>(WriteToSpdlog);
};

// Never destroyed: threads may log while the program exits.
State& GlobalState() {
  static State& state = *new State;
  return state;
}

std::shared_ptr<const Sink> CurrentSink() {
  State& state = GlobalState();
  std::lock_guard lock(state.mutex);
  return state.sink;
}

}  // namespace

void SetSink(Sink sink) {
  auto replacement = sink ? std::make_shared<const Sink>(std::move(sink)) : nullptr;
  State& state = GlobalState();
  {
    std::lock_guard lock(state.mutex);
    state.sink.swap(replacement);
  }
  // The old sink, a caller's code, is destroyed here without the lock.
}

void SetLevel(Level level) { GlobalState().level.store(level, std::memory_order_relaxed); }

void SetVerbosity(int verbosity) {
  GlobalState().verbosity.store(verbosity, std::memory_order_relaxed);
}

int Verbosity() { return GlobalState().verbosity.load(std::memory_order_relaxed); }

bool Enabled(Level level) {
  return level >= GlobalState().level.load(std::memory_order_relaxed) && CurrentSink() != nullptr;
}

void Write(Level level, std::string_view line) {
  if (level < GlobalState().level.load(std::memory_order_relaxed)) return;
  const auto sink = CurrentSink();
  if (!sink) return;
  try {
    (*sink)(level, line);
  } catch (...) {  // NOLINT: there is nowhere to report a broken log to.
  }
}

}  // namespace k8s::inline v0::log
