#include "support/openssl_server.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

extern char** environ;

namespace k8s::test {

namespace {

void Run(const std::string& command) {
  if (std::system((command + " >/dev/null 2>&1").c_str()) != 0) {
    throw std::runtime_error("failed: " + command);
  }
}

/// Starts a program whose standard output is the pipe's write end.
pid_t Spawn(std::vector<std::string> arguments, int output) {
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // At an end of file s_server would stop.
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  pid_t pid = -1;
  const int failed = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("openssl does not start");
  return pid;
}

/// The port of s_server's line "ACCEPT 127.0.0.1:41234".
std::string ReadPort(int input) {
  std::string line;
  char c = 0;
  while (read(input, &c, 1) == 1) {
    if (c != '\n') {
      line += c;
    } else if (line.starts_with("ACCEPT")) {
      return line.substr(line.rfind(':') + 1);
    } else {
      line.clear();
    }
  }
  throw std::runtime_error("openssl s_server does not listen");
}

}  // namespace

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string TestAuthority::Unavailable() {
  return std::system("openssl version >/dev/null 2>&1") == 0 ? "" : "there is no openssl program";
}

TestAuthority::TestAuthority() {
  std::string name = (std::filesystem::temp_directory_path() / "client-cpp-ca-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  dir_ = name;
  Run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=ca "
      "-keyout " +
      Path("ca.key") + " -out " + CaFile());
}

TestAuthority::~TestAuthority() {
  std::error_code ignored;
  std::filesystem::remove_all(dir_, ignored);
}

void TestAuthority::Issue(const std::string& name, const std::string& alt_name) const {
  std::ofstream(Path(name + ".ext")) << "subjectAltName=" << alt_name << "\n";
  Run("openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=" + name +
      " -keyout " + Path(name + ".key") + " -out " + Path(name + ".csr"));
  Run("openssl x509 -req -days 2 -set_serial 2 -in " + Path(name + ".csr") + " -CA " + CaFile() +
      " -CAkey " + Path("ca.key") + " -extfile " + Path(name + ".ext") + " -out " +
      Path(name + ".pem"));
}

void TestAuthority::Openssl(const std::string& arguments) const {
  Run("cd " + dir_.string() + " && openssl " + arguments);
}

std::string TestAuthority::Read(const std::string& file) const { return ReadFile(Path(file)); }

OpensslServer::OpensslServer(const TestAuthority& authority, const std::string& name,
                             const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {"openssl",
                                  "s_server",
                                  "-accept",
                                  "127.0.0.1:0",
                                  "-www",
                                  "-cert",
                                  authority.Path(name + ".pem"),
                                  "-key",
                                  authority.Path(name + ".key")};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  pid_ = Spawn(std::move(all), ends[1]);
  close(ends[1]);
  output_ = ends[0];
  port_ = ReadPort(output_);
}

OpensslServer::~OpensslServer() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  close(output_);
}

}  // namespace k8s::test
