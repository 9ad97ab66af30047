#pragma once

#include <k8s/result.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/child_process.hpp"
#include "support/notification_log.hpp"

namespace k8s::test {

/// A folder of temporary files. Deleted at the end unless it is kept.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void Keep() { keep_ = true; }

 private:
  std::filesystem::path path_;
  bool keep_ = false;
};

/// Looks again and again until `done` holds; for what other processes do. Returns false after
/// `limit`.
bool Eventually(std::chrono::milliseconds limit, const std::function<bool()>& done);

/// A kubeconfig without credentials, as text.
[[nodiscard]] std::string KubeconfigFor(const std::string& url);

/// Which program of the two that write down notifications.
struct WatcherProgram {
  std::string name;  ///< "client-cpp" or "client-go": names its files.
  std::string path;
  Contract contract = Contract::kClientCpp;
};

/// client-go's program by the environment's CLIENT_CPP_INFORMERLOG; the path is empty without it.
[[nodiscard]] WatcherProgram ClientGoProgram();

/// A running informer-log, or its counterpart with client-go.
///
/// Thread safety. None.
class Watcher {
 public:
  /// Starts it in `folder`, with a kubeconfig of this text. Errors: kInternal.
  static Result<std::unique_ptr<Watcher>> Start(const WatcherProgram& program,
                                                const std::string& kubeconfig,
                                                const std::filesystem::path& folder,
                                                const std::vector<std::string>& resources);

  [[nodiscard]] const std::string& name() const { return program_.name; }
  /// Asks for a dump and waits for it. Throws std::runtime_error when none comes.
  [[nodiscard]] KnownObjects Dump();
  /// What its handlers were told so far.
  const NotificationReplay& Told() { return log_.Follow(); }
  /// Ends it in an orderly way. Returns the last dump; throws when it fails.
  KnownObjects Stop();

 private:
  Watcher(const WatcherProgram& program, const std::filesystem::path& folder, ChildProcess process)
      : program_(program),
        dump_(folder / (program.name + ".dump")),
        log_(folder / (program.name + ".log"), program.contract),
        process_(std::move(process)) {}

  const WatcherProgram program_;
  const std::filesystem::path dump_;
  FollowedLog log_;
  ChildProcess process_;
};

}  // namespace k8s::test
