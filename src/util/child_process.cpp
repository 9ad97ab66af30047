#include "util/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>

namespace k8s::inline v0::util::detail {

namespace {

class File {
 public:
  File() = default;
  explicit File(int fd) : fd_(fd) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { Reset(); }
  void Reset(int fd = -1) {
    if (fd_ >= 0) close(fd_);
    fd_ = fd;
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_ = -1;
};

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (const auto& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }

  void Prepare(int output, bool keeps_input) {
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    if (!keeps_input) {
      posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    }
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    // What others have opened without O_CLOEXEC.
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
#endif
  }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

class Attributes {
 public:
  explicit Attributes(bool own_group) {
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (own_group) flags |= POSIX_SPAWN_SETPGROUP;
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

/// A started program; killed and reaped at the latest by the destructor.
class Child {
 public:
  explicit Child(const ChildCommand& command) : command_(command) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ < 0) return;
    Kill();
    Join();
  }

  /// Returns an errno, or 0.
  int Start();
  ChildResult Run(Clock& clock, const std::stop_token& stop);

 private:
  using End = ChildResult::End;

  void Wake() const {
    const std::uint64_t one = 1;
    // A counter that is full has woken the reader already.
    if (write(wake_.get(), &one, sizeof(one)) < 0) {
    }
  }
  /// What ends the reading: an end that was forced, or kExited.
  End Watch(std::string& output);
  /// Reads what is there. Returns false when it is too much.
  bool Read(std::string& output);
  void Kill() const;
  ChildResult Join();

  const ChildCommand& command_;
  pid_t pid_ = -1;
  File output_;
  File wake_;
  std::atomic<bool> exited_{false};
  std::atomic<bool> timed_out_{false};
  std::atomic<bool> stopped_{false};
  std::thread waiter_;
};

int Child::Start() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return errno;
  output_.Reset(ends[0]);
  const File write_end(ends[1]);
  fcntl(output_.get(), F_SETFL, O_NONBLOCK);
  wake_.Reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (wake_.get() < 0) return errno;
  FileActions files;
  files.Prepare(write_end.get(), command_.reads_terminal);
  const Attributes attributes(!command_.reads_terminal);
  const auto arguments = Pointers(command_.arguments);
  const auto environment = Pointers(command_.environment);
  pid_t pid = -1;
  const int failure = posix_spawn(&pid, command_.path.c_str(), files.get(), attributes.get(),
                                  arguments.data(), environment.data());
  if (failure == 0) pid_ = pid;
  return failure;
}

ChildResult Child::Run(Clock& clock, const std::stop_token& stop) {
  // The zombie is left until the threads are gone: its number cannot become somebody else's.
  waiter_ = std::thread([this] {
    siginfo_t info;
    while (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) != 0 &&
           errno == EINTR) {
    }
    exited_ = true;
    Wake();
  });
  const std::stop_callback on_stop(stop, [this] {
    stopped_ = true;
    Wake();
  });
  std::jthread limit;
  if (command_.timeout.count() > 0) {
    limit = std::jthread(
        [this, &clock, deadline = clock.Now() + command_.timeout](const std::stop_token& done) {
          if (!clock.SleepUntil(deadline, done)) return;
          timed_out_ = true;
          Wake();
        });
  }
  std::string output;
  const End end = Watch(output);
  if (end != End::kExited) Kill();
  auto result = Join();
  if (end != End::kExited) result = {.end = end};
  result.output = std::move(output);
  return result;
}

ChildResult::End Child::Watch(std::string& output) {
  while (true) {
    const bool exited = exited_;  // Before the last reading.
    if (!Read(output)) return End::kTooMuchOutput;
    if (exited) return End::kExited;
    if (stopped_) return End::kStopped;
    if (timed_out_) return End::kTimedOut;
    std::array<pollfd, 2> files{pollfd{.fd = output_.get(), .events = POLLIN, .revents = 0},
                                pollfd{.fd = wake_.get(), .events = POLLIN, .revents = 0}};
    poll(files.data(), files.size(), -1);
    std::uint64_t count = 0;
    if (read(wake_.get(), &count, sizeof(count)) < 0) {
    }
  }
}

bool Child::Read(std::string& output) {
  std::array<char, 4096> block;
  while (output_.get() >= 0) {
    const ssize_t size = read(output_.get(), block.data(), block.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return true;
    if (size <= 0) output_.Reset();  // It may live on without its output.
    if (size > 0) output.append(block.data(), static_cast<std::size_t>(size));
    if (output.size() > command_.output_limit) return false;
  }
  return true;
}

void Child::Kill() const { kill(command_.reads_terminal ? pid_ : -pid_, SIGKILL); }

ChildResult Child::Join() {
  if (waiter_.joinable()) waiter_.join();
  int status = 0;
  pid_t reaped = 0;
  do {
    reaped = waitpid(pid_, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  pid_ = -1;
  // A program that ignores SIGCHLD, or waits for all its children, leaves nothing to ask for.
  if (reaped < 0) return {.end = End::kExited, .code = -1};
  if (WIFSIGNALED(status)) return {.end = End::kSignalled, .code = WTERMSIG(status)};
  return {.end = End::kExited, .code = WEXITSTATUS(status)};
}

bool IsExecutable(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

ChildResult RunChild(const ChildCommand& command, Clock& clock, const std::stop_token& stop) {
  if (stop.stop_requested()) return {.end = ChildResult::End::kStopped};
  Child child(command);
  if (const int failure = child.Start(); failure != 0) {
    return {.end = ChildResult::End::kNotStarted, .code = failure};
  }
  return child.Run(clock, stop);
}

std::string FindInPath(const std::string& command, const std::string& path) {
  std::string_view rest = path;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(':'), rest.size());
    auto file = std::string(rest.substr(0, end)) + "/" + command;
    if (file.starts_with('/') && end > 0 && IsExecutable(file)) return file;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

}  // namespace k8s::inline v0::util::detail
