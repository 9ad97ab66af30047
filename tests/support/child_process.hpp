#pragma once

#include <k8s/result.hpp>

#include <sys/types.h>
#include <filesystem>
#include <string>
#include <vector>

namespace k8s::test {

/// A program that runs beside the test and ends with it.
///
/// Thread safety. None.
class ChildProcess {
 public:
  /// Starts `command[0]`, a path, with empty input; what it writes goes to the file `output`.
  /// Errors: kInternal.
  static Result<ChildProcess> Start(std::vector<std::string> command,
                                    const std::filesystem::path& output);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  /// Kills it if it still runs.
  ~ChildProcess();

  void Signal(int signal) const;
  /// Waits for its end. Returns its exit status, or the number of the signal that killed it as a
  /// negative number. Later calls return the same.
  int Wait();

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}

  pid_t pid_;
  int status_ = 0;
};

}  // namespace k8s::test
