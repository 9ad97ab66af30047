#include "rest/exec_plugin.hpp"

#include <k8s/log.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "rest/pem.hpp"
#include "rest/response_error.hpp"
#include "util/child_process.hpp"

namespace k8s::inline v0::rest::detail {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::system_clock;
using util::detail::ChildCommand;
using util::detail::ChildResult;

constexpr system_clock::duration kLongestMargin = seconds(30);
constexpr int kMarginsInALife = 10;
constexpr seconds kPauseAfterFailure{5};
// A larger one could not be added to a point in time.
constexpr std::chrono::hours kLongestTimeLimit{24 * 365};
constexpr std::size_t kKeptPlugins = 64;
constexpr std::size_t kShownHint = 512;

Error Failed(std::string reason, ErrorKind kind = ErrorKind::kConfig) {
  return {.kind = kind, .message = std::move(reason)};
}

std::vector<std::string> EnvironmentWith(const std::vector<ExecEnvVar>& more,
                                         const std::string& exec_info) {
  std::map<std::string, std::string, std::less<>> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = std::min(text.find('='), text.size());
    variables.emplace(text.substr(0, equals), text);
  }
  for (const auto& [name, value] : more) variables[name] = name + "=" + value;
  variables["KUBERNETES_EXEC_INFO"] = "KUBERNETES_EXEC_INFO=" + exec_info;
  std::vector<std::string> out;
  out.reserve(variables.size());
  for (auto& [name, entry] : variables) out.push_back(std::move(entry));
  return out;
}

std::string InPath(const std::string& command) {
  const char* const path = std::getenv("PATH");
  return util::detail::FindInPath(command, path == nullptr ? "" : path);
}

using Status = ExecPluginMetrics::Status;

void NoteEnd(const ChildResult& result, ExecPluginMetrics& measured) {
  measured.status =
      result.end == ChildResult::End::kNotStarted ? Status::kNotFound : Status::kExecutionError;
  if (result.end == ChildResult::End::kExited) measured.exitCode = result.code;
}

/// The plugins of this process, by all that tells them apart.
class Registry {
 public:
  std::shared_ptr<ExecPlugin> Get(const std::string& key, const ExecConfig& exec,
                                  const std::string& cluster) {
    const std::lock_guard lock(mutex_);
    if (const auto found = plugins_.find(key); found != plugins_.end()) return found->second;
    // A credential outlives its clients; not so in programs that make up ever new plugins.
    if (plugins_.size() >= kKeptPlugins) {
      std::erase_if(plugins_, [](const auto& entry) { return entry.second.use_count() == 1; });
    }
    return plugins_[key] = std::make_shared<ExecPlugin>(exec, cluster);
  }

  void Close() {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, plugin] : plugins_) plugin->Close();
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<ExecPlugin>> plugins_;
};

/// Never destroyed: clients may live as long as the process. No program outlives the process.
Registry& ProcessRegistry() {
  static Registry* const registry = [] {
    static Registry* const made = new Registry;
    std::atexit([] { made->Close(); });
    return made;
  }();
  return *registry;
}

std::string KeyOf(const ExecConfig& exec, const std::string& cluster) {
  auto env = nlohmann::json::array();
  for (const auto& [name, value] : exec.env) env.push_back({name, value});
  const nlohmann::json key{exec.apiVersion,
                           exec.command,
                           exec.args,
                           std::move(env),
                           exec.installHint,
                           exec.interactiveMode,
                           exec.stdinUnavailable,
                           exec.stdinUnavailableMessage,
                           exec.timeout.count(),
                           static_cast<int>(exec.pluginPolicy.policyType),
                           exec.pluginPolicy.allowlist,
                           cluster};
  // CBOR keeps texts that are not UTF-8 as they are.
  const auto bytes = nlohmann::json::to_cbor(key);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

bool UsesExecPlugin(const Config& config) {
  return !config.exec.command.empty() && config.bearerToken.empty() &&
         config.bearerTokenFile.empty() && config.username.empty() && config.tls.certFile.empty() &&
         config.tls.certData.empty();
}

std::string NameOf(const ExecConfig& exec) { return "exec plugin \"" + exec.command + "\""; }

bool HasTerminal() {
  if (isatty(STDIN_FILENO) == 0) return false;
  // Reading would stop a job in the background.
  const pid_t foreground = tcgetpgrp(STDIN_FILENO);
  return foreground <= 0 || foreground == getpgrp();
}

/// One run of the program, for those who wait for it.
struct ExecPlugin::Run {
  const std::shared_ptr<Metrics> metrics;  ///< Of whoever began it; may be null.
  bool done = false;
  std::optional<Result<Credential>> outcome;  ///< None: it was ended.
};

ExecPlugin::ExecPlugin(ExecConfig exec, std::string cluster, ExecSurroundings surroundings)
    : exec_(std::move(exec)),
      cluster_(std::move(cluster)),
      surroundings_(std::move(surroundings)) {}

Result<std::shared_ptr<ExecPlugin>> ExecPlugin::For(const Config& config) {
  const auto cluster = ExecClusterInfo(config);
  if (!cluster) return cluster.error();
  const auto plugin = ProcessRegistry().Get(KeyOf(config.exec, *cluster), config.exec, *cluster);
  plugin->Enter();
  return std::shared_ptr<ExecPlugin>(plugin.get(), [plugin](ExecPlugin* self) { self->Leave(); });
}

bool ExecPlugin::LivesFor(system_clock::duration margin) const {
  if (credential_ == nullptr) return false;
  return !credential_->expires || surroundings_.wall_clock() < *credential_->expires - margin;
}

Result<ExecPlugin::Credential> ExecPlugin::Get(const std::stop_token& stop,
                                               const std::shared_ptr<Metrics>& metrics) {
  Lock lock(mutex_);
  if (LivesFor(margin_)) return credential_;
  const bool may_wait = run_ != nullptr || surroundings_.clock->Now() < not_before_;
  if (may_wait && LivesFor({})) return credential_;
  auto renewed = RunOrJoin(lock, stop, metrics);
  if (renewed || renewed.error().kind == ErrorKind::kCancelled || !LivesFor({})) return renewed;
  not_before_ = surroundings_.clock->Now() + kPauseAfterFailure;
  auto kept = credential_;
  lock.unlock();
  log::Write(log::Level::kWarning, NameOf(exec_) + ": " + renewed.error().message +
                                       "; the credential is used until it expires");
  return kept;
}

Result<ExecPlugin::Credential> ExecPlugin::Renew(const Credential& refused,
                                                 const std::stop_token& stop,
                                                 const std::shared_ptr<Metrics>& metrics) {
  Lock lock(mutex_);
  if (credential_ != nullptr && credential_ != refused) return credential_;
  return RunOrJoin(lock, stop, metrics);
}

Result<ExecPlugin::Credential> ExecPlugin::RunOrJoin(Lock& lock, const std::stop_token& stop,
                                                     const std::shared_ptr<Metrics>& metrics) {
  while (true) {
    if (closed_) return Failed("cancelled", ErrorKind::kCancelled);
    if (run_ == nullptr) {
      if (auto started = StartRun(metrics); !started) return std::move(started).error();
    }
    const auto run = run_;
    if (!changed_.wait(lock, stop, [&run] { return run->done; })) {
      return Failed("cancelled", ErrorKind::kCancelled);
    }
    if (run->outcome) return *run->outcome;
    // The last client before this one has gone, and the run with it.
  }
}

Result<void> ExecPlugin::StartRun(const std::shared_ptr<Metrics>& metrics) {
  auto run = std::make_shared<Run>(metrics);
  try {
    // The thread of the run before has nothing left to do.
    runner_ = std::jthread([this, run](const std::stop_token& stop) { Carry(*run, stop); });
  } catch (const std::system_error& error) {
    return Failed(std::string("cannot be run: ") + error.what(), ErrorKind::kInternal);
  }
  run_ = std::move(run);
  return {};
}

void ExecPlugin::Carry(Run& run, const std::stop_token& stop) {
  ExecPluginMetrics measured{.command = exec_.command};
  const auto begun = surroundings_.clock->Now();
  auto outcome = ExecuteSafely(stop, measured);
  if (run.metrics != nullptr && (outcome || outcome.error().kind != ErrorKind::kCancelled)) {
    measured.duration = surroundings_.clock->Now() - begun;
    if (outcome) NoteCertificate(outcome->certificate, measured);
    run.metrics->OnExecPlugin(measured);
  }
  const std::lock_guard lock(mutex_);
  if (outcome) {
    Keep(*std::move(outcome));
    run.outcome = credential_;
  } else if (outcome.error().kind != ErrorKind::kCancelled) {
    run.outcome = std::move(outcome).error();
  }
  run.done = true;
  run_ = nullptr;
  changed_.notify_all();
}

void ExecPlugin::NoteCertificate(const std::string& certificate,
                                 ExecPluginMetrics& measured) const {
  const auto given = ValidityOf(certificate);
  if (!given) return;
  measured.certificateExpires = given->until;
  const Lock lock(mutex_);
  if (credential_ == nullptr || credential_->certificate == certificate) return;
  const auto replaced = ValidityOf(credential_->certificate);
  if (replaced) measured.replacedCertificateAge = surroundings_.wall_clock() - replaced->from;
}

void ExecPlugin::EndRun(Lock& lock) {
  auto runner = std::move(runner_);
  lock.unlock();
  // Stopped and joined here.
  runner = {};
}

bool ExecPlugin::IsRunning() const {
  const Lock lock(mutex_);
  return run_ != nullptr;
}

void ExecPlugin::Enter() {
  const Lock lock(mutex_);
  ++clients_;
}

void ExecPlugin::Leave() {
  Lock lock(mutex_);
  if (--clients_ == 0) EndRun(lock);
}

void ExecPlugin::Close() {
  Lock lock(mutex_);
  closed_ = true;
  EndRun(lock);
}

void ExecPlugin::Keep(ExecCredential credential) {
  margin_ = {};
  if (credential.expires) {
    // One that has expired long ago would be further off than a duration can hold.
    const auto now = surroundings_.wall_clock();
    const auto life = std::max(*credential.expires, now) - now;
    margin_ = std::min(life / kMarginsInALife, kLongestMargin);
  }
  not_before_ = {};
  credential_ = std::make_shared<const ExecCredential>(std::move(credential));
}

Result<bool> ExecPlugin::IsInteractive() const {
  if (exec_.interactiveMode == "Never") return false;
  const bool available = !exec_.stdinUnavailable && surroundings_.has_terminal();
  if (exec_.interactiveMode != "Always" || available) return available;
  if (!exec_.stdinUnavailable) {
    return Failed("interactiveMode is Always, and standard input is no terminal it may read");
  }
  std::string reason = "interactiveMode is Always, and standard input is in other use";
  if (!exec_.stdinUnavailableMessage.empty()) {
    reason += ": " + OneLine(exec_.stdinUnavailableMessage, kShownHint);
  }
  return Failed(std::move(reason));
}

milliseconds ExecPlugin::TimeLimit(bool interactive) const {
  if (exec_.timeout.count() != 0) {
    return std::clamp<milliseconds>(exec_.timeout, milliseconds(0), kLongestTimeLimit);
  }
  return interactive ? std::chrono::minutes(5) : std::chrono::minutes(1);
}

// Those who wait for a run must not wait for ever.
Result<ExecCredential> ExecPlugin::ExecuteSafely(const std::stop_token& stop,
                                                 ExecPluginMetrics& measured) const {
  measured.status = Status::kClientError;
  measured.exitCode = 1;
  try {
    return Execute(stop, measured);
  } catch (const std::exception& error) {
    return Failed(std::string("cannot be run: ") + error.what(), ErrorKind::kInternal);
  }
}

Error ExecPlugin::WithHint(std::string reason) const {
  const auto hint = OneLine(exec_.installHint, kShownHint);
  if (!hint.empty()) reason += " (" + hint + ")";
  return Failed(std::move(reason));
}

Result<void> ExecPlugin::CheckPolicy(const std::string& path) const {
  const auto& [type, allowlist] = exec_.pluginPolicy;
  const auto is_program = [&](const std::string& entry) {
    return entry == exec_.command || entry == path ||
           (entry.find('/') == std::string::npos && InPath(entry) == path);
  };
  if (type == PluginPolicy::Type::kAllowAll) return {};
  if (type == PluginPolicy::Type::kAllowlist &&
      std::any_of(allowlist.begin(), allowlist.end(), is_program)) {
    return {};
  }
  return Failed(type == PluginPolicy::Type::kDenyAll ? "the plugin policy allows none"
                                                     : "not in the allowlist of plugins");
}

Result<ExecCredential> ExecPlugin::Execute(const std::stop_token& stop,
                                           ExecPluginMetrics& measured) const {
  const auto interactive = IsInteractive();
  if (!interactive) return interactive.error();
  ChildCommand command;
  command.path = exec_.command;
  if (exec_.command.find('/') == std::string::npos) {
    command.path = InPath(exec_.command);
    if (command.path.empty()) {
      measured.status = Status::kNotFound;
      return WithHint("no such program in PATH");
    }
  }
  if (auto allowed = CheckPolicy(command.path); !allowed) return std::move(allowed).error();
  command.arguments = {exec_.command};
  command.arguments.insert(command.arguments.end(), exec_.args.begin(), exec_.args.end());
  command.environment =
      EnvironmentWith(exec_.env, ExecInfo(exec_.apiVersion, *interactive, cluster_));
  command.reads_terminal = *interactive;
  command.timeout = TimeLimit(*interactive);
  const auto result = util::detail::RunChild(command, *surroundings_.clock, stop);
  NoteEnd(result, measured);
  // A code of -1 is unknown; the output tells.
  if (result.end != ChildResult::End::kExited || result.code > 0) return ErrorOf(result);
  auto credential = ParseExecCredential(result.output, exec_.apiVersion);
  measured.status = credential ? Status::kNoError : Status::kClientError;
  measured.exitCode = 0;
  return credential;
}

Error ExecPlugin::ErrorOf(const ChildResult& result) const {
  switch (result.end) {
    case ChildResult::End::kExited:
      break;
    case ChildResult::End::kSignalled:
      return Failed("ended by signal " + std::to_string(result.code));
    case ChildResult::End::kNotStarted:
      return WithHint("cannot be started: " + std::generic_category().message(result.code));
    case ChildResult::End::kTimedOut:
      return Failed("no answer within its time limit; killed", ErrorKind::kTimeout);
    case ChildResult::End::kStopped:
      return Failed("cancelled", ErrorKind::kCancelled);
    case ChildResult::End::kTooMuchOutput:
      return Failed("its output is above 1 MiB; killed");
  }
  return Failed("exit code " + std::to_string(result.code));
}

}  // namespace k8s::inline v0::rest::detail
