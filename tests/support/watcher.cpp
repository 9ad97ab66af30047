#include "support/watcher.hpp"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

namespace k8s::test {
namespace {

using namespace std::chrono_literals;

// For broken programs only.
constexpr auto kDumpLimit = 60s;

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "client-cpp-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder " + name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!keep_) std::filesystem::remove_all(path_, ignored);
}

bool Eventually(std::chrono::milliseconds limit, const std::function<bool()>& done) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(10ms);
  }
  return true;
}

std::string KubeconfigFor(const std::string& url) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: "
         "'" +
         url + "'}}]\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n" +
         "users: [{name: u, user: {}}]\n";
}

WatcherProgram ClientGoProgram() {
  const char* path = std::getenv("CLIENT_CPP_INFORMERLOG");
  return {"client-go", path == nullptr ? "" : path, Contract::kClientGo};
}

Result<std::unique_ptr<Watcher>> Watcher::Start(const WatcherProgram& program,
                                                const std::string& kubeconfig,
                                                const std::filesystem::path& folder,
                                                const std::vector<std::string>& resources) {
  const auto file = [&](const char* suffix) { return (folder / (program.name + suffix)).string(); };
  std::ofstream(file(".kubeconfig")) << kubeconfig;
  std::vector<std::string> command = {program.path, "--kubeconfig", file(".kubeconfig"), "--log",
                                      file(".log"), "--dump",       file(".dump")};
  for (const std::string& resource : resources) {
    command.insert(command.end(), {"--resource", resource});
  }
  auto process = ChildProcess::Start(std::move(command), file(".output"));
  if (!process) return process.error();
  std::unique_ptr<Watcher> watcher(new Watcher(program, folder, std::move(*process)));
  // With its log it has also taken over the signals, whose default is to end it.
  if (!Eventually(kDumpLimit, [&] { return std::filesystem::exists(file(".log")); })) {
    return Error{.kind = ErrorKind::kInternal, .message = program.path + " does not begin"};
  }
  return watcher;
}

KnownObjects Watcher::Dump() {
  std::filesystem::remove(dump_);
  process_.Signal(SIGUSR1);
  if (!Eventually(kDumpLimit, [&] { return std::filesystem::exists(dump_); })) {
    throw std::runtime_error(name() + " writes no dump");
  }
  return ReadDump(dump_);
}

KnownObjects Watcher::Stop() {
  std::filesystem::remove(dump_);
  process_.Signal(SIGTERM);
  if (const int status = process_.Wait(); status != 0) {
    throw std::runtime_error(name() + " ended with " + std::to_string(status));
  }
  return ReadDump(dump_);
}

}  // namespace k8s::test
