#include "util/child_process.hpp"

#include <gtest/gtest.h>
#include <k8s/testing/fake_clock.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <string>
#include <thread>

namespace k8s::test {
namespace {

using util::detail::ChildCommand;
using util::detail::ChildResult;
using util::detail::FindInPath;
using util::detail::RunChild;
using End = ChildResult::End;

ChildCommand Shell(const std::string& script) {
  ChildCommand command;
  command.path = "/bin/sh";
  command.arguments = {"sh", "-c", script};
  command.environment = {"PATH=/usr/bin:/bin", "GREETING=hello"};
  return command;
}

ChildResult RunScript(const std::string& script) {
  testing::FakeClock clock;
  return RunChild(Shell(script), clock, {});
}

TEST(RunChildTest, GivesOutputAndExitCode) {
  const auto result = RunScript("echo \"$GREETING\"; exit 3");
  EXPECT_EQ(result.end, End::kExited);
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.output, "hello\n");
}

TEST(RunChildTest, PassesArgumentsAsTheyAre) {
  testing::FakeClock clock;
  auto command = Shell("printf '%s|' \"$@\"");
  for (const char* argument : {"name", "a b", "", "$HOME; echo 'x'", "*"}) {
    command.arguments.emplace_back(argument);
  }
  EXPECT_EQ(RunChild(command, clock, {}).output, "a b||$HOME; echo 'x'|*|");
}

TEST(RunChildTest, KnowsASignalFromAnExit) {
  const auto result = RunScript("kill -9 $$");
  EXPECT_EQ(result.end, End::kSignalled);
  EXPECT_EQ(result.code, SIGKILL);
}

TEST(RunChildTest, SaysWhyItCannotStart) {
  testing::FakeClock clock;
  auto command = Shell("");
  command.path = "/nowhere/program";
  EXPECT_EQ(RunChild(command, clock, {}).end, End::kNotStarted);
  EXPECT_EQ(RunChild(command, clock, {}).code, ENOENT);
  command.path = "/tmp";
  EXPECT_EQ(RunChild(command, clock, {}).code, EACCES);
}

TEST(RunChildTest, InputIsEmpty) { EXPECT_EQ(RunScript("cat; echo end").output, "end\n"); }

TEST(RunChildTest, OutputOfManyBlocksArrives) {
  EXPECT_EQ(RunScript("head -c 300000 /dev/zero").output.size(), 300'000U);
}

TEST(RunChildTest, TooMuchOutputEndsIt) {
  EXPECT_EQ(RunScript("exec cat /dev/zero").end, End::kTooMuchOutput);
}

TEST(RunChildTest, OpenFilesAndBlockedSignalsAreNotInherited) {
  const int fd = open("/dev/null", O_RDONLY);  // Without O_CLOEXEC.
  ASSERT_GE(fd, 3);
  sigset_t set;
  sigset_t before;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  const auto result = RunScript("test -e /proc/self/fd/" + std::to_string(fd) +
                                " && echo open; kill -TERM $$; echo no");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  close(fd);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.end, End::kSignalled);
}

TEST(RunChildTest, DoesNotWaitForWhatItLeavesBehind) {
  std::string name = (std::filesystem::temp_directory_path() / "client-cpp-XXXXXX").string();
  const std::filesystem::path dir = mkdtemp(name.data());
  // The one left behind ends when it is told to; it holds the output open.
  const auto fifo = (dir / "fifo").string();
  EXPECT_EQ(RunScript("mkfifo " + fifo + "; (read x <" + fifo + ") & echo done").output, "done\n");
  std::ofstream(fifo) << "end\n";
  std::filesystem::remove_all(dir);
}

TEST(RunChildTest, GoesOnWithoutOutput) {
  const auto result = RunScript("exec >&-; exit 4");
  EXPECT_EQ(result.end, End::kExited);
  EXPECT_EQ(result.code, 4);
}

/// A program that has started another one, whose pid it tells in a file.
class RunChildEndingTest : public ::testing::Test {
 protected:
  RunChildEndingTest() {
    std::string name = (std::filesystem::temp_directory_path() / "client-cpp-XXXXXX").string();
    dir_ = mkdtemp(name.data());
    command_ = Shell("sleep 1000 & echo $! >'" + (dir_ / "inner").string() + "'; wait");
  }
  ~RunChildEndingTest() override { std::filesystem::remove_all(dir_); }

  /// The pid of the inner process, once it is known.
  [[nodiscard]] pid_t AwaitInner() const {
    pid_t pid = 0;
    while (pid == 0) {
      std::ifstream(dir_ / "inner") >> pid;
      std::this_thread::yield();
    }
    return pid;
  }
  /// Waits until the process is gone or a zombie, which init has yet to reap.
  static void AwaitEnd(pid_t pid) {
    while (kill(pid, 0) == 0) {
      std::string text;
      std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
      std::getline(stat, text);
      const auto name_end = text.rfind(')');
      if (name_end != std::string::npos && text.substr(name_end + 2, 1) == "Z") return;
      std::this_thread::yield();
    }
  }

  std::filesystem::path dir_;
  ChildCommand command_;
  testing::FakeClock clock_;
};

TEST_F(RunChildEndingTest, TheTimeLimitKillsTheWholeProcessGroup) {
  command_.timeout = std::chrono::seconds(60);
  ChildResult result;
  std::thread runner([&] { result = RunChild(command_, clock_, {}); });
  const pid_t inner = AwaitInner();
  clock_.WaitForSleepers(1);
  clock_.Step(std::chrono::seconds(60));
  runner.join();
  EXPECT_EQ(result.end, End::kTimedOut);
  AwaitEnd(inner);
}

TEST_F(RunChildEndingTest, AStopKillsTheWholeProcessGroup) {
  std::stop_source stop;
  ChildResult result;
  std::thread runner([&] { result = RunChild(command_, clock_, stop.get_token()); });
  const pid_t inner = AwaitInner();
  stop.request_stop();
  runner.join();
  EXPECT_EQ(result.end, End::kStopped);
  AwaitEnd(inner);
}

TEST_F(RunChildEndingTest, AStopThatWasThereBeforeStartsNothing) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(RunChild(command_, clock_, stop.get_token()).end, End::kStopped);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "inner"));
}

TEST(FindInPathTest, TakesTheFirstExecutableOfAnAbsoluteEntry) {
  EXPECT_TRUE(FindInPath("sh", "/nowhere:/usr/bin:/bin").ends_with("bin/sh"));
  EXPECT_EQ(FindInPath("sh", "/bin"), "/bin/sh");
  EXPECT_EQ(FindInPath("no-such-program", "/usr/bin:/bin"), "");
  EXPECT_EQ(FindInPath("sh", ""), "");
  EXPECT_EQ(FindInPath("passwd", "/etc"), "") << "not executable";
  EXPECT_EQ(FindInPath("bin", "/usr"), "") << "a directory";
}

TEST(FindInPathTest, RelativeEntriesDoNotCount) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path("/bin");
  EXPECT_EQ(FindInPath("sh", "."), "");
  EXPECT_EQ(FindInPath("sh", ":"), "");
  EXPECT_EQ(FindInPath("sh", "::/nowhere"), "");
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace k8s::test
