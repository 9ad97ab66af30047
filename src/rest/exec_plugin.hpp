#pragma once

#include <k8s/clock.hpp>
#include <k8s/rest/config.hpp>
#include <k8s/rest/metrics.hpp>
#include <k8s/result.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "rest/exec_credential.hpp"
#include "util/child_process.hpp"

namespace k8s::inline v0::rest::detail {

/// Whether requests need the Config's plugin: there is one, and no other credential.
[[nodiscard]] bool UsesExecPlugin(const Config& config);

/// How errors name a plugin: `exec plugin "aws"`.
[[nodiscard]] std::string NameOf(const ExecConfig& exec);

/// Whether a program that is started may read from a terminal on standard input.
[[nodiscard]] bool HasTerminal();

/// What a plugin's life depends on; tests have their own.
struct ExecSurroundings {
  std::shared_ptr<Clock> clock = RealClock();
  /// What expirationTimestamp is compared with.
  std::function<std::chrono::system_clock::time_point()> wall_clock = [] {
    return std::chrono::system_clock::now();
  };
  std::function<bool()> has_terminal = HasTerminal;
};

/// A credential plugin and the credential it has given.
///
/// Thread safety. All members may be called from any thread. A thread of its own runs the program.
/// Blocking. Get and Renew wait for a run, and end at once when `stop` is triggered; the run goes
/// on. Leave and the destructor end one, with the program.
/// Errors: kConfig, kTimeout, kCancelled; without the plugin's name, which is the caller's.
/// Mirrors exec.Authenticator.
class ExecPlugin {
 public:
  using Credential = std::shared_ptr<const ExecCredential>;

  /// `cluster`: of ExecClusterInfo.
  ExecPlugin(ExecConfig exec, std::string cluster, ExecSurroundings surroundings = {});

  /// The process's plugin of this configuration, whose credential all clients share. With the last
  /// client a run ends, too; at the process's end all of them do. Errors: as ExecClusterInfo.
  [[nodiscard]] static Result<std::shared_ptr<ExecPlugin>> For(const Config& config);

  /// The credential to use. `metrics`: told of the run that this begins, if any; may be null.
  [[nodiscard]] Result<Credential> Get(const std::stop_token& stop,
                                       const std::shared_ptr<Metrics>& metrics = nullptr);
  /// Another credential than `refused`, to which the server has answered 401: what somebody got
  /// meanwhile, else that of a new run.
  [[nodiscard]] Result<Credential> Renew(const Credential& refused, const std::stop_token& stop,
                                         const std::shared_ptr<Metrics>& metrics = nullptr);

  /// Whether a run is under way, whoever waits for it.
  [[nodiscard]] bool IsRunning() const;

  /// One client more, one less.
  void Enter();
  void Leave();
  /// Ends the run there is, and lets none begin. For the process's end.
  void Close();

 private:
  struct Run;
  using Lock = std::unique_lock<std::mutex>;

  /// Whether the credential lives for another `margin`.
  [[nodiscard]] bool LivesFor(std::chrono::system_clock::duration margin) const;
  Result<Credential> RunOrJoin(Lock& lock, const std::stop_token& stop,
                               const std::shared_ptr<Metrics>& metrics);
  Result<void> StartRun(const std::shared_ptr<Metrics>& metrics);
  /// What the thread does.
  void Carry(Run& run, const std::stop_token& stop);
  /// What a run has given in place of the credential until now.
  void NoteCertificate(const std::string& certificate, ExecPluginMetrics& measured) const;
  void EndRun(Lock& lock);
  void Keep(ExecCredential credential);
  // These tell in `measured` how the program ended.
  [[nodiscard]] Result<ExecCredential> ExecuteSafely(const std::stop_token& stop,
                                                     ExecPluginMetrics& measured) const;
  [[nodiscard]] Result<ExecCredential> Execute(const std::stop_token& stop,
                                               ExecPluginMetrics& measured) const;
  /// `path`: of the program.
  [[nodiscard]] Result<void> CheckPolicy(const std::string& path) const;
  [[nodiscard]] Error ErrorOf(const util::detail::ChildResult& result) const;
  [[nodiscard]] Error WithHint(std::string reason) const;
  [[nodiscard]] Result<bool> IsInteractive() const;
  [[nodiscard]] std::chrono::milliseconds TimeLimit(bool interactive) const;

  const ExecConfig exec_;
  const std::string cluster_;
  const ExecSurroundings surroundings_;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::shared_ptr<Run> run_;  ///< The one under way, or null.
  Credential credential_;     ///< The last one, or null.
  std::chrono::system_clock::duration margin_{};
  Clock::TimePoint not_before_{};  ///< After a failure, while the credential still lives.
  int clients_ = 0;
  bool closed_ = false;
  std::jthread runner_;  ///< Of the last run; last, as it uses all of the above.
};

}  // namespace k8s::inline v0::rest::detail
