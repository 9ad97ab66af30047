#include "support/real_server.hpp"

#include <curl/curl.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

namespace k8s::test {
namespace {

// The first start after a build reads 120 MB from the disk.
constexpr std::chrono::seconds kStartLimit{120};

std::string Program() {
  const char* path = std::getenv("CLIENT_CPP_REALSERVER");
  return path == nullptr ? "" : path;
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Error Failure(std::string message) {
  return {.kind = ErrorKind::kInternal, .message = std::move(message)};
}

/// Both ends of a pipe; what is left of it closes with the object.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    for (int end : ends_) {
      if (end >= 0) close(end);
    }
  }
  [[nodiscard]] int ReadEnd() const { return ends_[0]; }
  [[nodiscard]] int WriteEnd() const { return ends_[1]; }
  [[nodiscard]] int TakeReadEnd() { return std::exchange(ends_[0], -1); }
  [[nodiscard]] int TakeWriteEnd() { return std::exchange(ends_[1], -1); }

 private:
  std::array<int, 2> ends_{};
};

std::size_t AppendBody(char* data, std::size_t size, std::size_t count, void* body) {
  static_cast<std::string*>(body)->append(data, size * count);
  return size * count;
}

}  // namespace

std::string RealServer::Unavailable() {
  if (Program().empty()) {
    return "CLIENT_CPP_REALSERVER is not set; scripts/e2e.sh builds a real API server and sets it";
  }
  if (access(Program().c_str(), X_OK) != 0) return Program() + " is not a program";
  return "";
}

Result<std::unique_ptr<RealServer>> RealServer::Start(std::vector<std::string> flags) {
  if (std::string reason = Unavailable(); !reason.empty()) return Failure(reason);
  // Short: the paths of etcd's unix sockets below it must fit into 107 bytes.
  std::string dir = std::filesystem::temp_directory_path() / "client-cpp-e2e.XXXXXX";
  if (mkdtemp(dir.data()) == nullptr) return Failure("mkdtemp " + dir);
  std::unique_ptr<RealServer> server(new RealServer(dir, std::move(flags)));
  if (auto launched = server->Launch(); !launched) return launched.error();
  return server;
}

RealServer::~RealServer() {
  Stop();
  std::error_code ignored;
  std::filesystem::remove_all(dir_, ignored);
}

void RealServer::Stop() { End(SIGTERM); }
void RealServer::Kill() { End(SIGKILL); }
void RealServer::Pause() const { kill(pid_, SIGSTOP); }
void RealServer::Resume() const { kill(pid_, SIGCONT); }

Result<void> RealServer::Restart() {
  Stop();
  return Launch();
}

void RealServer::End(int signal) {
  if (pid_ < 0) return;
  kill(pid_, signal);
  Resume();  // A halted one does not see it.
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  close(std::exchange(lifeline_, -1));
}

Result<void> RealServer::Launch() {
  int ready_pipe = -1;
  if (auto spawned = Spawn(&ready_pipe); !spawned) return spawned;
  auto ready = AwaitReady(ready_pipe);
  close(ready_pipe);
  if (!ready) Kill();
  return ready;
}

Result<void> RealServer::Spawn(int* ready_pipe) {
  std::vector<std::string> arguments = {Program(), "-out",        Directory(),
                                        "-data",   dir_ / "data", "-watch-stdin",
                                        "always",  "-port",       std::to_string(port_)};
  arguments.insert(arguments.end(), flags_.begin(), flags_.end());
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);

  Pipe input;
  Pipe output;
  const std::string errors = dir_ / "stderr";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.ReadEnd(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.WriteEnd(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int status = posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0) {
    pid_ = -1;
    return Failure(Program() + ": " + std::strerror(status));
  }
  lifeline_ = input.TakeWriteEnd();
  *ready_pipe = output.TakeReadEnd();
  return {};
}

// The line is "ready https://127.0.0.1:PORT kubeconfig=FILE".
Result<void> RealServer::AwaitReady(int ready_pipe) {
  constexpr std::string_view kReady = "ready ";
  const auto deadline = std::chrono::steady_clock::now() + kStartLimit;
  std::string line;
  while (line.find('\n') == std::string::npos) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd waiting{.fd = ready_pipe, .events = POLLIN, .revents = 0};
    std::array<char, 512> buffer;
    ssize_t got = 0;
    if (left.count() > 0 && poll(&waiting, 1, static_cast<int>(left.count())) > 0) {
      got = read(ready_pipe, buffer.data(), buffer.size());
    }
    if (got <= 0) return Failure("the API server did not start: " + ReadFile(dir_ / "stderr"));
    line.append(buffer.data(), static_cast<std::size_t>(got));
  }
  if (!line.starts_with(kReady)) return Failure("unexpected output of the API server: " + line);
  url_ = line.substr(kReady.size(), line.find(' ', kReady.size()) - kReady.size());
  port_ = std::stoi(url_.substr(url_.rfind(':') + 1));
  return {};
}

Result<RawResponse> RealServer::Request(std::string_view method, const std::string& path,
                                        std::string_view body,
                                        std::string_view content_type) const {
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(),
                                                                 &curl_easy_cleanup);
  const auto headers = [&] {
    curl_slist* list = nullptr;
    for (const std::string& header : {"Authorization: Bearer " + ReadFile(Out("admin.token")),
                                      "Content-Type: " + std::string(content_type)}) {
      list = curl_slist_append(list, header.c_str());
    }
    return std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>(list, &curl_slist_free_all);
  }();
  RawResponse response;
  curl_easy_setopt(curl.get(), CURLOPT_URL, (url_ + path).c_str());
  curl_easy_setopt(curl.get(), CURLOPT_CUSTOMREQUEST, std::string(method).c_str());
  curl_easy_setopt(curl.get(), CURLOPT_CAINFO, CaFile().c_str());
  curl_easy_setopt(curl.get(), CURLOPT_PROXY, "");
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT, 60L);
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, &AppendBody);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &response.body);
  if (!body.empty()) {
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(curl.get(), CURLOPT_COPYPOSTFIELDS, body.data());
  }
  if (CURLcode code = curl_easy_perform(curl.get()); code != CURLE_OK) {
    return Error{.kind = ErrorKind::kConnect, .message = curl_easy_strerror(code)};
  }
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &response.code);
  return response;
}

void RealServerTest::SetUp() {
  if (std::string reason = RealServer::Unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  if (server_ != nullptr) return;
  auto started = RealServer::Start(Flags());
  ASSERT_TRUE(started.has_value()) << started.error().ToString();
  server_ = std::move(*started);
}

void RealServerTest::TearDownTestSuite() { server_.reset(); }

std::string RealServerTest::NewNamespace() {
  static std::atomic<int> next{0};
  std::string name = "test-" + std::to_string(++next);
  const auto made = Server().Request(
      "POST", "/api/v1/namespaces",
      R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + name + "\"}}");
  EXPECT_TRUE(made.has_value() && made->code == 201) << name;
  return name;
}

}  // namespace k8s::test
