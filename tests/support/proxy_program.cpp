#include "support/proxy_program.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "support/openssl_server.hpp"
#include "support/raw_http_server.hpp"

namespace k8s::test {

namespace {

std::string FindProgram(const std::string& name) {
  for (const char* folder : {"/usr/bin/", "/usr/sbin/", "/usr/local/bin/"}) {
    if (access((folder + name).c_str(), X_OK) == 0) return folder + name;
  }
  return {};
}

bool Accepts(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool connected =
      connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  close(fd);
  return connected;
}

}  // namespace

std::string ProxyProgram::Unavailable(const std::string& name) {
  return FindProgram(name).empty() ? "there is no " + name + "; scripts/deps.sh ci installs it"
                                   : "";
}

ProxyProgram::ProxyProgram() : port_(ClosedPort()) {
  std::string name = (std::filesystem::temp_directory_path() / "client-cpp-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  dir_ = name;
}

ProxyProgram::~ProxyProgram() {
  process_.reset();
  std::error_code ignored;
  if (!dir_.empty()) std::filesystem::remove_all(dir_, ignored);
}

ProxyProgram ProxyProgram::Tinyproxy(const std::string& user, const std::string& password) {
  ProxyProgram proxy;
  std::ofstream config(proxy.dir_ / "config");
  config << "Port " << proxy.port_ << "\nListen 127.0.0.1\nLogLevel Connect\nMaxClients 50\n";
  if (!user.empty()) config << "BasicAuth " << user << " " << password << "\n";
  config.close();
  proxy.Start({FindProgram("tinyproxy"), "-d", "-c", proxy.dir_ / "config"});
  return proxy;
}

ProxyProgram ProxyProgram::Nghttpx(const TestAuthority& authority, const std::string& name,
                                   int port) {
  ProxyProgram proxy;
  proxy.Start({FindProgram("nghttpx"), "--conf=/dev/null", "--single-process", "--workers=1",
               "--no-ocsp", "--frontend=127.0.0.1," + std::to_string(proxy.port_),
               "--backend=127.0.0.1," + std::to_string(port), "--backend-read-timeout=1h",
               authority.Path(name + ".key"), authority.Path(name + ".pem")});
  return proxy;
}

ProxyProgram ProxyProgram::Microsocks(const std::string& user, const std::string& password) {
  ProxyProgram proxy;
  std::vector<std::string> command{FindProgram("microsocks"), "-i", "127.0.0.1", "-p",
                                   std::to_string(proxy.port_)};
  if (!user.empty()) command.insert(command.end(), {"-u", user, "-P", password});
  proxy.Start(std::move(command));
  return proxy;
}

ProxyProgram ProxyProgram::Stunnel(const TestAuthority& authority, const std::string& name,
                                   const std::string& target) {
  ProxyProgram proxy;
  std::ofstream config(proxy.dir_ / "config");
  config << "foreground = yes\npid =\n[front]\naccept = " << proxy.address()
         << "\nconnect = " << target << "\ncert = " << authority.Path(name + ".pem")
         << "\nkey = " << authority.Path(name + ".key") << "\n";
  config.close();
  proxy.Start({FindProgram("stunnel"), proxy.dir_ / "config"});
  return proxy;
}

void ProxyProgram::Start(std::vector<std::string> command) {
  auto started = ChildProcess::Start(std::move(command), dir_ / "log");
  if (!started) throw std::runtime_error(started.error().message);
  process_ = std::make_unique<ChildProcess>(*std::move(started));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!Accepts(port_)) {
    if (std::chrono::steady_clock::now() > deadline) {
      throw std::runtime_error("the proxy does not listen: " + ReadFile(dir_ / "log"));
    }
    std::this_thread::yield();
  }
}

bool ProxyProgram::Logged(const std::string& text) const {
  return ReadFile(dir_ / "log").find(text) != std::string::npos;
}

}  // namespace k8s::test
