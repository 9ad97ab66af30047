#pragma once

#include <k8s/clock.hpp>

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

namespace k8s::inline v0::util::detail {

/// A program to run. Standard error is this process's.
struct ChildCommand {
  std::string path;                      ///< Of the file; nothing is looked up.
  std::vector<std::string> arguments;    ///< With the program's name first.
  std::vector<std::string> environment;  ///< All of it, as NAME=value.
  /// The program shares this process's standard input and process group: only so may it read from
  /// a terminal. Else its input is empty, it has a process group of its own, and whatever it has
  /// started is killed with it.
  bool reads_terminal = false;
  std::chrono::milliseconds timeout{0};  ///< Zero: no bound.
  std::size_t output_limit = std::size_t{1} << 20;
};

/// How a program ended.
struct ChildResult {
  enum class End {
    kExited,         ///< `code` is the exit code; -1 when somebody else has taken it.
    kSignalled,      ///< `code` is the signal.
    kNotStarted,     ///< `code` is the errno.
    kTimedOut,       ///< It was killed.
    kStopped,        ///< It was killed.
    kTooMuchOutput,  ///< It was killed.
  };
  End end = End::kNotStarted;
  int code = 0;
  std::string output = {};  ///< What it wrote to standard output.
};

/// Runs a program, without a shell, and waits for its end; not for the end of what it leaves
/// behind. Files that are open here are not open there, and signals are at their defaults.
/// Blocking. Ends at once when `stop` is triggered.
ChildResult RunChild(const ChildCommand& command, Clock& clock, const std::stop_token& stop);

/// The file that a command without a slash names in `path`, a list as in the environment's PATH, or
/// "" when there is none that can be executed. Relative entries do not count, as in Go.
std::string FindInPath(const std::string& command, const std::string& path);

}  // namespace k8s::inline v0::util::detail
