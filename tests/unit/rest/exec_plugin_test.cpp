#include "rest/exec_plugin.hpp"

#include <gtest/gtest.h>
#include <k8s/log.hpp>
#include <k8s/testing/fake_clock.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "support/openssl_server.hpp"
#include "support/plugin_script.hpp"

namespace k8s::test {
namespace {

using rest::detail::ExecPlugin;
using rest::detail::ExecSurroundings;
using std::chrono::minutes;
using std::chrono::seconds;

class ExecPluginTest : public ::testing::Test {
 protected:
  ~ExecPluginTest() override { log::SetSink(nullptr); }
  void SetUp() override {
    log::SetSink([this](log::Level, std::string_view line) {
      const std::lock_guard lock(mutex_);
      logged_.append(line).append("\n");
    });
  }

  /// The wall clock shows 2027-01-15T12:00:00Z when the fake clock shows zero.
  [[nodiscard]] ExecSurroundings Surroundings(bool has_terminal = false) const {
    return {.clock = clock_,
            .wall_clock =
                [clock = clock_] {
                  using std::chrono::system_clock;
                  const auto passed = clock->Now().time_since_epoch();
                  return system_clock::time_point(seconds(1'800'014'400)) +
                         std::chrono::duration_cast<system_clock::duration>(passed);
                },
            .has_terminal = [has_terminal] { return has_terminal; }};
  }
  [[nodiscard]] std::unique_ptr<ExecPlugin> NewPlugin(const rest::ExecConfig& exec,
                                                      bool has_terminal = false) const {
    return std::make_unique<ExecPlugin>(exec, "", Surroundings(has_terminal));
  }
  static std::string TokenOf(ExecPlugin& plugin) { return plugin.Get({}).value()->token; }
  std::string Logged() {
    const std::lock_guard lock(mutex_);
    return logged_;
  }

  std::shared_ptr<testing::FakeClock> clock_ = std::make_shared<testing::FakeClock>();
  std::mutex mutex_;
  std::string logged_;
};

TEST_F(ExecPluginTest, RunsOnceForACredentialWithoutExpiry) {
  const PluginScript script;
  script.AnswerToken("one");
  const auto plugin = NewPlugin(script.Exec());
  EXPECT_EQ(script.Runs(), 0) << "not before it is needed";
  EXPECT_EQ(TokenOf(*plugin), "one");
  script.AnswerToken("two");
  clock_->Step(std::chrono::hours(1000));
  EXPECT_EQ(TokenOf(*plugin), "one");
  EXPECT_EQ(script.Runs(), 1);
}

// client-go: TestRoundTripper
TEST_F(ExecPluginTest, RunsAgainShortlyBeforeTheExpiry) {
  const PluginScript script;
  script.Answer(R"({"token":"one","expirationTimestamp":"2027-01-15T12:10:00Z"})");
  const auto plugin = NewPlugin(script.Exec());
  EXPECT_EQ(TokenOf(*plugin), "one");
  script.AnswerToken("two");
  clock_->Step(minutes(10) - seconds(31));
  EXPECT_EQ(TokenOf(*plugin), "one");
  clock_->Step(seconds(1));
  EXPECT_EQ(TokenOf(*plugin), "two");
  EXPECT_EQ(script.Runs(), 2);
}

TEST_F(ExecPluginTest, AShortLifeHasAShorterMargin) {
  const PluginScript script;
  script.Answer(R"({"token":"one","expirationTimestamp":"2027-01-15T12:00:20Z"})");
  const auto plugin = NewPlugin(script.Exec());
  EXPECT_EQ(TokenOf(*plugin), "one");
  script.AnswerToken("two");
  clock_->Step(seconds(17));
  EXPECT_EQ(TokenOf(*plugin), "one");
  clock_->Step(seconds(1));
  EXPECT_EQ(TokenOf(*plugin), "two");
}

TEST_F(ExecPluginTest, ACredentialThatHasExpiredIsGivenOnceAndNotKept) {
  for (const std::string expiry : {"2027-01-15T11:00:00Z", "0999-01-01T00:00:00Z"}) {
    const PluginScript script;
    script.Answer(R"({"token":"one","expirationTimestamp":")" + expiry + R"("})");
    const auto plugin = NewPlugin(script.Exec());
    EXPECT_EQ(TokenOf(*plugin), "one");
    EXPECT_EQ(TokenOf(*plugin), "one");
    EXPECT_EQ(script.Runs(), 2) << expiry;
  }
}

TEST_F(ExecPluginTest, AnExpiryBeyondAllClocksIsFarAway) {
  const PluginScript script;
  script.Answer(R"({"token":"one","expirationTimestamp":"9999-12-31T23:59:59Z"})");
  const auto plugin = NewPlugin(script.Exec());
  EXPECT_EQ(TokenOf(*plugin), "one");
  EXPECT_EQ(TokenOf(*plugin), "one");
  EXPECT_EQ(script.Runs(), 1);
}

TEST_F(ExecPluginTest, AFailedRunLeavesTheCredentialUntilItExpires) {
  const PluginScript script("cat answer || exit 7");
  script.Answer(R"({"token":"s3cret","expirationTimestamp":"2027-01-15T12:10:00Z"})");
  const auto plugin = NewPlugin(script.Exec());
  EXPECT_EQ(TokenOf(*plugin), "s3cret");
  std::filesystem::remove(script.dir() / "answer");
  clock_->Step(minutes(10) - seconds(30));
  EXPECT_EQ(TokenOf(*plugin), "s3cret");
  EXPECT_NE(Logged().find("exit code 7"), std::string::npos) << Logged();
  EXPECT_EQ(Logged().find("s3cret"), std::string::npos);
  clock_->Step(seconds(4));
  EXPECT_EQ(TokenOf(*plugin), "s3cret");
  EXPECT_EQ(script.Runs(), 2) << "it was tried a moment ago";
  clock_->Step(seconds(1));
  EXPECT_EQ(TokenOf(*plugin), "s3cret");
  EXPECT_EQ(script.Runs(), 3);
  clock_->Step(seconds(25));
  EXPECT_EQ(plugin->Get({}).error().message, "exit code 7");
}

TEST_F(ExecPluginTest, ARefusedCredentialIsRenewedOnce) {
  const PluginScript script;
  script.AnswerToken("one");
  const auto plugin = NewPlugin(script.Exec());
  const auto one = plugin->Get({}).value();
  script.AnswerToken("two");
  EXPECT_EQ(plugin->Renew(one, {}).value()->token, "two");
  EXPECT_EQ(plugin->Renew(one, {}).value()->token, "two") << "another request was refused with it";
  EXPECT_EQ(script.Runs(), 2);
  EXPECT_EQ(TokenOf(*plugin), "two");
}

TEST_F(ExecPluginTest, ARefusedCredentialStaysWhenItCannotBeRenewed) {
  const PluginScript script;
  script.AnswerToken("one");
  const auto plugin = NewPlugin(script.Exec());
  const auto one = plugin->Get({}).value();
  script.Write("answer", "no JSON");
  EXPECT_FALSE(plugin->Renew(one, {}).has_value());
  EXPECT_EQ(TokenOf(*plugin), "one");
}

TEST_F(ExecPluginTest, ThreadsShareOneRun) {
  const PluginScript script("mkfifo gate; : >ready; read x <gate; cat answer");
  script.AnswerToken("one");
  const auto plugin = NewPlugin(script.Exec());
  std::vector<std::string> tokens(8);
  std::vector<std::thread> threads;
  for (auto& token : tokens) {
    threads.emplace_back([&token, &plugin] { token = TokenOf(*plugin); });
  }
  while (!std::filesystem::exists(script.dir() / "ready")) std::this_thread::yield();
  script.Write("gate", "go\n");
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(tokens, std::vector<std::string>(8, "one"));
  EXPECT_EQ(script.Runs(), 1);
}

TEST_F(ExecPluginTest, ARunOutlivesTheRequestThatBeganItAndServesTheNext) {
  const PluginScript script("mkfifo gate; : >ready; read x <gate; cat answer");
  script.AnswerToken("one");
  const auto plugin = NewPlugin(script.Exec());
  std::stop_source stop;
  std::optional<ErrorKind> kind;
  std::thread first([&] { kind = plugin->Get(stop.get_token()).error().kind; });
  while (!std::filesystem::exists(script.dir() / "ready")) std::this_thread::yield();
  stop.request_stop();
  first.join();
  EXPECT_EQ(kind, ErrorKind::kCancelled);
  std::string token;
  std::thread second([&] { token = TokenOf(*plugin); });
  script.Write("gate", "go\n");
  second.join();
  EXPECT_EQ(token, "one");
  EXPECT_EQ(script.Runs(), 1) << "nobody logs in twice";
}

TEST_F(ExecPluginTest, ARunThatNobodyAwaitsHasItsTimeLimit) {
  const PluginScript script("test -e ready && exec cat answer; : >ready; exec sleep 1000");
  script.AnswerToken("one");
  const auto plugin = NewPlugin(script.Exec());
  std::stop_source stop;
  std::thread first([&] { (void)plugin->Get(stop.get_token()); });
  clock_->WaitForSleepers(1);
  while (!std::filesystem::exists(script.dir() / "ready")) std::this_thread::yield();
  stop.request_stop();
  first.join();
  EXPECT_TRUE(plugin->IsRunning());
  clock_->Step(seconds(60));
  // Who asks before it has ended would be told of its end.
  while (plugin->IsRunning()) std::this_thread::yield();
  EXPECT_EQ(TokenOf(*plugin), "one");
  EXPECT_EQ(script.Runs(), 2);
}

TEST_F(ExecPluginTest, ARunEndsWithTheLastClientAndTheCredentialStays) {
  const PluginScript script(
      "test -e ready && exec cat answer; echo $$ >pid; : >ready; exec sleep 1000");
  script.AnswerToken("one");
  const rest::Config config{.host = "https://h.test", .exec = script.Exec()};
  auto one = ExecPlugin::For(config).value();
  auto two = ExecPlugin::For(config).value();
  std::stop_source stop;
  std::thread waiter([&] { (void)one->Get(stop.get_token()); });
  while (!std::filesystem::exists(script.dir() / "ready")) std::this_thread::yield();
  stop.request_stop();
  waiter.join();
  const auto pid = static_cast<pid_t>(std::stoi(script.Read("pid")));
  one.reset();
  EXPECT_EQ(kill(pid, 0), 0) << "another client may want it";
  two.reset();
  EXPECT_NE(kill(pid, 0), 0);
  EXPECT_EQ(TokenOf(*ExecPlugin::For(config).value()), "one");
  EXPECT_EQ(TokenOf(*ExecPlugin::For(config).value()), "one");
  EXPECT_EQ(script.Runs(), 2);
}

TEST_F(ExecPluginTest, WhoWaitsIsCancelledWhenTheProcessEnds) {
  const PluginScript script(": >ready; exec sleep 1000");
  const auto plugin = NewPlugin(script.Exec());
  std::optional<ErrorKind> kind;
  std::thread waiter([&] { kind = plugin->Get({}).error().kind; });
  while (!std::filesystem::exists(script.dir() / "ready")) std::this_thread::yield();
  plugin->Close();
  waiter.join();
  EXPECT_EQ(kind, ErrorKind::kCancelled);
  EXPECT_EQ(plugin->Get({}).error().kind, ErrorKind::kCancelled);
  EXPECT_EQ(script.Runs(), 1);
}

/// Ends the process while a program runs for which nobody waits, of a client that lives as long.
[[noreturn]] void ExitDuringARun(const PluginScript& script) {
  static const auto& plugin =
      *new auto(ExecPlugin::For({.host = "https://h.test", .exec = script.Exec()}).value());
  std::stop_source stop;
  std::thread request([&stop] { (void)plugin->Get(stop.get_token()); });
  while (!std::filesystem::exists(script.dir() / "ready")) std::this_thread::yield();
  stop.request_stop();
  request.join();
  std::exit(0);
}

// Its suite runs first, while there are no other threads.
using ExecPluginDeathTest = ExecPluginTest;

TEST_F(ExecPluginDeathTest, AProcessThatEndsWaitsForNoProgramAndLeavesNone) {
  const PluginScript script("echo $$ >pid; : >ready; exec sleep 1000");
  EXPECT_EXIT(ExitDuringARun(script), ::testing::ExitedWithCode(0), "");
  EXPECT_NE(kill(static_cast<pid_t>(std::stoi(script.Read("pid"))), 0), 0);
}

TEST_F(ExecPluginTest, WhoWaitsForARunCanBeStopped) {
  const PluginScript script("mkfifo gate; : >ready; read x <gate; cat answer");
  script.AnswerToken("one");
  const auto plugin = NewPlugin(script.Exec());
  std::string token;
  std::thread first([&] { token = TokenOf(*plugin); });
  while (!std::filesystem::exists(script.dir() / "ready")) std::this_thread::yield();
  std::stop_source stop;
  std::optional<ErrorKind> kind;
  std::thread second([&] { kind = plugin->Get(stop.get_token()).error().kind; });
  stop.request_stop();
  second.join();
  EXPECT_EQ(kind, ErrorKind::kCancelled);
  script.Write("gate", "go\n");
  first.join();
  EXPECT_EQ(token, "one");
}

TEST_F(ExecPluginTest, TheTimeLimitIsAMinuteUnlessSet) {
  const PluginScript script("exec sleep 1000");
  for (const auto& [timeout, limit] :
       {std::pair{seconds(0), seconds(60)}, std::pair{seconds(7), seconds(7)}}) {
    auto exec = script.Exec();
    exec.timeout = timeout;
    const auto plugin = NewPlugin(exec);
    std::optional<Error> error;
    std::thread runner([&] { error = plugin->Get({}).error(); });
    clock_->WaitForSleepers(1);
    clock_->Step(limit - seconds(1));
    EXPECT_EQ(clock_->Sleepers(), 1U);
    clock_->Step(seconds(1));
    runner.join();
    EXPECT_EQ(error->kind, ErrorKind::kTimeout);
    EXPECT_NE(error->message.find("time limit"), std::string::npos);
  }
}

TEST_F(ExecPluginTest, ATerminalGivesFiveMinutesAndANegativeLimitIsNone) {
  const PluginScript script("exec sleep 1000");
  auto exec = script.Exec();
  exec.interactiveMode = "IfAvailable";
  const auto plugin = NewPlugin(exec, true);
  std::optional<ErrorKind> kind;
  std::thread runner([&] { kind = plugin->Get({}).error().kind; });
  clock_->WaitForSleepers(1);
  clock_->Step(seconds(299));
  EXPECT_EQ(clock_->Sleepers(), 1U);
  clock_->Step(seconds(1));
  runner.join();
  EXPECT_EQ(kind, ErrorKind::kTimeout);

  const PluginScript quick;
  quick.AnswerToken("one");
  for (const auto unbounded : {std::chrono::milliseconds(-1), std::chrono::milliseconds::max()}) {
    exec = quick.Exec();
    exec.timeout = unbounded;
    EXPECT_EQ(TokenOf(*NewPlugin(exec)), "one");
  }
}

TEST_F(ExecPluginTest, GivesArgumentsEnvironmentAndExecInfo) {
  setenv("CLIENT_CPP_INHERITED", "from-here", 1);
  setenv("CLIENT_CPP_REPLACED", "from-here", 1);
  const PluginScript script(
      "printf '%s|' \"$@\" >arguments; printf %s \"$KUBERNETES_EXEC_INFO\" >info\n"
      "echo \"$CLIENT_CPP_INHERITED $CLIENT_CPP_REPLACED $MORE\" >env; cat answer");
  script.AnswerToken("one");
  auto exec = script.Exec();
  exec.args = {"a b", "$HOME", "", "--c='d'"};
  exec.env = {{"CLIENT_CPP_REPLACED", "from-config"}, {"MORE", "x=y"}};
  ExecPlugin plugin(exec, R"({"server":"https://h.test"})", Surroundings());
  EXPECT_EQ(TokenOf(plugin), "one");
  unsetenv("CLIENT_CPP_INHERITED");
  unsetenv("CLIENT_CPP_REPLACED");
  EXPECT_EQ(script.Read("arguments"), "a b|$HOME||--c='d'|");
  EXPECT_EQ(script.Read("env"), "from-here from-config x=y\n");
  EXPECT_EQ(nlohmann::json::parse(script.Read("info")), nlohmann::json::parse(R"({
    "apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
    "spec": {"interactive": false, "cluster": {"server": "https://h.test"}}})"));
}

// client-go: Test_IsInteractive
TEST_F(ExecPluginTest, InteractiveFollowsModeAndTerminal) {
  struct Row {
    const char* mode;
    bool has_terminal;
    bool reserved;
    std::optional<bool> interactive;
  };
  const Row rows[] = {{"Never", true, false, false},       {"Never", false, false, false},
                      {"IfAvailable", true, false, true},  {"IfAvailable", false, false, false},
                      {"IfAvailable", true, true, false},  {"", true, false, true},
                      {"Always", true, false, true},       {"Always", false, false, std::nullopt},
                      {"Always", true, true, std::nullopt}};
  const PluginScript script("printf %s \"$KUBERNETES_EXEC_INFO\" >info; cat answer");
  script.AnswerToken("one");
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(row.mode) + (row.has_terminal ? " terminal" : "") +
                 (row.reserved ? " reserved" : ""));
    auto exec = script.Exec();
    exec.interactiveMode = row.mode;
    exec.stdinUnavailable = row.reserved;
    exec.stdinUnavailableMessage = row.reserved ? "used by -f -" : "";
    const auto plugin = NewPlugin(exec, row.has_terminal);
    const auto credential = plugin->Get({});
    ASSERT_EQ(credential.has_value(), row.interactive.has_value());
    if (credential) {
      const auto info = nlohmann::json::parse(script.Read("info"));
      EXPECT_EQ(info["spec"]["interactive"], *row.interactive);
    } else {
      EXPECT_NE(credential.error().message.find("Always"), std::string::npos);
      EXPECT_EQ(credential.error().message.find("used by -f -") != std::string::npos, row.reserved);
    }
  }
}

TEST_F(ExecPluginTest, ErrorsAreOneLineWithoutSecrets) {
  struct Row {
    const char* reason;
    std::string body;
  };
  const Row rows[] = {{"exit code 3", "echo s3cret; exit 3"},
                      {"signal 15", "echo s3cret; kill -TERM $$"},
                      {"not valid JSON", "echo s3cret"},
                      {"above 1 MiB", "exec yes s3cret"}};
  for (const Row& row : rows) {
    const PluginScript script(row.body);
    auto exec = script.Exec();
    exec.args = {"s3cret"};
    exec.env = {{"PASSWORD", "s3cret"}};
    const auto error = NewPlugin(exec)->Get({}).error();
    EXPECT_EQ(error.kind, ErrorKind::kConfig);
    EXPECT_NE(error.message.find(row.reason), std::string::npos) << error.message;
    EXPECT_EQ(error.message.find("s3cret"), std::string::npos) << error.message;
    EXPECT_EQ(error.message.find('\n'), std::string::npos) << error.message;
  }
}

TEST_F(ExecPluginTest, TheHintHelpsWhereTheProgramCannotBeStarted) {
  rest::ExecConfig exec;
  exec.apiVersion = "client.authentication.k8s.io/v1";
  exec.command = "client-cpp-no-such-program";
  exec.installHint = "get it from\nhttps://plugin.test\n";
  EXPECT_EQ(NewPlugin(exec)->Get({}).error().message,
            "no such program in PATH (get it from https://plugin.test)");
  exec.command = "/nowhere/plugin";
  EXPECT_EQ(NewPlugin(exec)->Get({}).error().message,
            "cannot be started: No such file or directory (get it from https://plugin.test)");
  exec.installHint = "";
  EXPECT_EQ(NewPlugin(exec)->Get({}).error().message,
            "cannot be started: No such file or directory");
}

TEST_F(ExecPluginTest, ACommandWithoutASlashIsFoundInPath) {
  const PluginScript script;
  script.AnswerToken("one");
  const std::string before = std::getenv("PATH");
  setenv("PATH", (script.dir().string() + ":" + before).c_str(), 1);
  auto exec = script.Exec();
  exec.command = "plugin";
  EXPECT_EQ(TokenOf(*NewPlugin(exec)), "one");
  setenv("PATH", before.c_str(), 1);
}

class ExecRecorder final : public rest::Metrics {
 public:
  void OnExecPlugin(const rest::ExecPluginMetrics& measured) noexcept override {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::string(rest::ToString(measured.status)) + " " +
                     std::to_string(measured.exitCode) +
                     (measured.certificateExpires ? ", certificate" : "") +
                     (measured.replacedCertificateAge ? " replaced" : ""));
  }
  std::vector<std::string> Lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

// client-go: TestCallsMetric
TEST_F(ExecPluginTest, WhoeverBeginsARunIsToldHowItEnded) {
  const auto metrics = std::make_shared<ExecRecorder>();
  const auto run = [&](const rest::ExecConfig& exec) {
    (void)NewPlugin(exec)->Get({}, metrics).has_value();
  };
  const PluginScript good;
  good.AnswerToken("s3cret");
  run(good.Exec());
  run(PluginScript("exit 3").Exec());
  run(PluginScript("kill -9 $$").Exec());
  run(PluginScript("echo hello").Exec());
  auto exec = good.Exec();
  exec.command = "no-such-plugin";
  run(exec);
  exec = good.Exec();
  exec.pluginPolicy.policyType = rest::PluginPolicy::Type::kDenyAll;
  run(exec);
  EXPECT_EQ(metrics->Lines(),
            (std::vector<std::string>{"no_error 0", "plugin_execution_error 3",
                                      "plugin_execution_error 1", "client_internal_error 0",
                                      "plugin_not_found_error 1", "client_internal_error 1"}));
}

TEST_F(ExecPluginTest, MetricsKnowTheCertificatesOfAPlugin) {
  if (const auto why = TestAuthority::Unavailable(); !why.empty()) GTEST_SKIP() << why;
  const TestAuthority authority;
  const auto metrics = std::make_shared<ExecRecorder>();
  const PluginScript script;
  const auto plugin = NewPlugin(script.Exec());
  ExecPlugin::Credential last;
  for (const std::string name : {"one", "two"}) {
    authority.Issue(name, "DNS:client.test");
    script.AnswerCertificate(authority.Read(name + ".pem"), authority.Read(name + ".key"));
    last = (last ? plugin->Renew(last, {}, metrics) : plugin->Get({}, metrics)).value();
  }
  (void)plugin->Renew(last, {}, metrics).value();
  EXPECT_EQ(metrics->Lines(),
            (std::vector<std::string>{"no_error 0, certificate", "no_error 0, certificate replaced",
                                      "no_error 0, certificate"}))
      << "the third is the second again";
}

TEST_F(ExecPluginTest, ProcessWideOnePerConfiguration) {
  const PluginScript script;
  rest::Config config{.host = "https://h.test", .exec = script.Exec()};
  const auto plugin = ExecPlugin::For(config).value();
  rest::Config other = config;
  other.host = "https://other.test";
  other.origin = "kubeconfig /elsewhere";
  EXPECT_EQ(ExecPlugin::For(other).value(), plugin) << "the plugin does not see the difference";
  other.exec.provideClusterInfo = true;
  const auto informed = ExecPlugin::For(other).value();
  EXPECT_NE(informed, plugin);
  other.host = "https://third.test";
  EXPECT_NE(ExecPlugin::For(other).value(), informed);
  other = config;
  other.exec.args = {"a"};
  EXPECT_NE(ExecPlugin::For(other).value(), plugin);
  other = config;
  other.exec.env = {{"A", "b"}};
  EXPECT_NE(ExecPlugin::For(other).value(), plugin);
}

TEST_F(ExecPluginTest, APolicySaysWhichProgramsMayRun) {
  const PluginScript script;
  script.AnswerToken("one");
  const std::string before = std::getenv("PATH");
  setenv("PATH", (script.dir().string() + ":" + before).c_str(), 1);
  struct Row {
    std::string command;
    rest::PluginPolicy policy;
    std::string error;
  };
  using Type = rest::PluginPolicy::Type;
  const std::string not_in_list = "not in the allowlist of plugins";
  const Row rows[] = {
      {script.path(), {}, ""},
      {script.path(), {.policyType = Type::kDenyAll}, "the plugin policy allows none"},
      {script.path(), {.policyType = Type::kAllowlist, .allowlist = {"other"}}, not_in_list},
      {script.path(), {.policyType = Type::kAllowlist, .allowlist = {"o", script.path()}}, ""},
      {script.path(), {.policyType = Type::kAllowlist, .allowlist = {"plugin"}}, ""},
      {"plugin", {.policyType = Type::kAllowlist, .allowlist = {"plugin"}}, ""},
      {"plugin", {.policyType = Type::kAllowlist, .allowlist = {script.path()}}, ""},
      {"plugin", {.policyType = Type::kAllowlist, .allowlist = {"/bin/plugin"}}, not_in_list},
      {"/bin/sh", {.policyType = Type::kAllowlist, .allowlist = {"/usr/bin/env"}}, not_in_list},
  };
  for (const Row& row : rows) {
    auto exec = script.Exec();
    exec.command = row.command;
    exec.pluginPolicy = row.policy;
    const auto credential = NewPlugin(exec)->Get({});
    EXPECT_EQ(credential ? "" : credential.error().message, row.error) << row.command;
  }
  setenv("PATH", before.c_str(), 1);
}

TEST_F(ExecPluginTest, StandardErrorIsPassedThrough) {
  const PluginScript script("echo 'open https://login.test' >&2; cat answer");
  script.AnswerToken("one");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(TokenOf(*NewPlugin(script.Exec())), "one");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "open https://login.test\n");
}

/// Puts another file in the place of standard input.
class ScopedInput {
 public:
  explicit ScopedInput(int fd) : before_(dup(STDIN_FILENO)) { dup2(fd, STDIN_FILENO); }
  ScopedInput(const ScopedInput&) = delete;
  ScopedInput& operator=(const ScopedInput&) = delete;
  ~ScopedInput() {
    dup2(before_, STDIN_FILENO);
    close(before_);
  }

 private:
  const int before_;
};

TEST_F(ExecPluginTest, StandardInputIsTheTerminalOnlyForInteractivePlugins) {
  const int keyboard = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(keyboard, 0);
  ASSERT_EQ(grantpt(keyboard), 0);
  ASSERT_EQ(unlockpt(keyboard), 0);
  const int terminal = open(ptsname(keyboard), O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  {
    const ScopedInput input(terminal);
    EXPECT_TRUE(rest::detail::HasTerminal());
    const PluginScript script("read answer && echo \"$answer\" >typed; cat answer");
    script.AnswerToken("one");
    auto exec = script.Exec();
    EXPECT_EQ(TokenOf(*NewPlugin(exec, true)), "one");
    EXPECT_FALSE(std::filesystem::exists(script.dir() / "typed"));
    ASSERT_EQ(write(keyboard, "yes\n", 4), 4);
    exec.interactiveMode = "Always";
    EXPECT_EQ(TokenOf(*NewPlugin(exec, true)), "one");
    EXPECT_EQ(script.Read("typed"), "yes\n");
  }
  close(terminal);
  close(keyboard);
  const int no_terminal = open("/dev/null", O_RDONLY);
  {
    const ScopedInput input(no_terminal);
    EXPECT_FALSE(rest::detail::HasTerminal());
  }
  close(no_terminal);
}

TEST(UsesExecPluginTest, OtherCredentialsComeFirst) {
  rest::Config config;
  EXPECT_FALSE(rest::detail::UsesExecPlugin(config));
  config.exec.command = "plugin";
  EXPECT_TRUE(rest::detail::UsesExecPlugin(config));
  for (auto* member : {&config.bearerToken, &config.bearerTokenFile, &config.username,
                       &config.tls.certFile, &config.tls.certData}) {
    *member = "x";
    EXPECT_FALSE(rest::detail::UsesExecPlugin(config));
    member->clear();
  }
}

}  // namespace
}  // namespace k8s::test
