#include <k8s/signals.hpp>

#include <gtest/gtest.h>

#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <stop_token>

#if defined(__SANITIZE_THREAD__)
// A process that a second signal ends joins nothing, as it should.
extern "C" const char* __tsan_default_options() { return "report_thread_leaks=0"; }
#endif

namespace k8s::test {
namespace {

/// Waits for the thread behind the token.
void WaitForStop(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait(lock, stop, [] { return false; });
}

// Each in a process of its own: signals cannot be undone.
class SignalsDeathTest : public ::testing::TestWithParam<int> {
 protected:
  SignalsDeathTest() { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_P(SignalsDeathTest, ASignalTriggersTheToken) {
  EXPECT_EXIT(
      {
        const std::stop_token stop = signals::StopOnTermination();
        if (stop.stop_requested() || stop != signals::StopOnTermination()) std::exit(3);
        std::raise(GetParam());
        WaitForStop(stop);
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_P(SignalsDeathTest, ASecondSignalEndsTheProcess) {
  EXPECT_EXIT(
      {
        const std::stop_token stop = signals::StopOnTermination();
        std::raise(GetParam());
        WaitForStop(stop);
        std::raise(SIGINT);
      },
      ::testing::ExitedWithCode(1), "");
}

INSTANTIATE_TEST_SUITE_P(Both, SignalsDeathTest, ::testing::Values(SIGINT, SIGTERM));

}  // namespace
}  // namespace k8s::test
