#include <k8s/signals.hpp>

#include <fcntl.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>

namespace k8s::inline v0::signals {

namespace {

// A signal handler may do next to nothing: it writes one byte into a pipe, and a thread that reads
// it does the rest.
std::atomic<int> signals_seen{0};
std::atomic<int> write_end{-1};
static_assert(std::atomic<int>::is_always_lock_free);

constexpr char kTermination = 't';
constexpr char kProcessEnds = 'e';

void Send(char what) {
  const int saved_errno = errno;
  // The pipe is empty but for one byte; there is nothing to do about a failure.
  if (write(write_end.load(), &what, 1) < 0) {
  }
  errno = saved_errno;
}

void OnSignal(int /*signal*/) {
  if (signals_seen.fetch_add(1) > 0) _exit(1);
  Send(kTermination);
}

class Watcher {
 public:
  Watcher() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
      throw BadResult({.kind = ErrorKind::kInternal,
                       .message = std::string("no pipe for signals: ") + std::strerror(errno)});
    }
    read_end_ = ends[0];
    write_end = ends[1];
    thread_ = std::thread([this] { Wait(); });
    InstallHandler(SIGINT);
    InstallHandler(SIGTERM);
  }

  ~Watcher() {
    Send(kProcessEnds);
    thread_.join();
  }

  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }

 private:
  void Wait() {
    char what = 0;
    while (read(read_end_, &what, 1) < 0 && errno == EINTR) {
    }
    if (what == kTermination) stop_.request_stop();
  }

  static void InstallHandler(int signal) {
    struct sigaction action = {};
    action.sa_handler = OnSignal;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }

  int read_end_ = -1;
  std::stop_source stop_;
  std::thread thread_;
};

}  // namespace

std::stop_token StopOnTermination() {
  static const Watcher watcher;
  return watcher.token();
}

}  // namespace k8s::inline v0::signals
