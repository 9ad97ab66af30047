#include "support/raw_http_client.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

namespace k8s::test {
namespace {

constexpr int kPatience = 10'000;
constexpr std::string_view kHeadEnd = "\r\n\r\n";

/// Takes the framing off; an unfinished chunk counts as far as it has come. `whole`: the last chunk
/// was there.
std::string Unchunk(std::string_view text, bool& whole) {
  std::string body;
  whole = false;
  while (true) {
    const auto line = text.find("\r\n");
    if (line == std::string_view::npos) return body;
    const auto size = std::strtoul(std::string(text.substr(0, line)).c_str(), nullptr, 16);
    text.remove_prefix(line + 2);
    if (size == 0) {
      whole = true;
      return body;
    }
    body += text.substr(0, size);
    text.remove_prefix(std::min<std::size_t>(size + 2, text.size()));
  }
}

std::size_t ContentLength(const std::string& head) {
  const auto at = head.find("Content-Length: ");
  return at == std::string::npos ? 0 : std::strtoul(head.c_str() + at + 16, nullptr, 10);
}

bool Chunked(const std::string& head) {
  return head.find("Transfer-Encoding: chunked") != std::string::npos;
}

}  // namespace

RawHttpClient::RawHttpClient(int port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    close(socket_);
    socket_ = -1;
  }
}

RawHttpClient::~RawHttpClient() {
  if (socket_ >= 0) close(socket_);
}

void RawHttpClient::Send(std::string_view method, std::string_view target, std::string_view headers,
                         std::string_view body) {
  std::string request = std::string(method) + " " + std::string(target) + " HTTP/1.1\r\n";
  request.append("Host: 127.0.0.1\r\n").append(headers);
  if (!body.empty() || method == "POST" || method == "PUT" || method == "PATCH") {
    request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  }
  request.append("\r\n").append(body);
  send(socket_, request.data(), request.size(), MSG_NOSIGNAL);
}

bool RawHttpClient::Receive(int milliseconds) {
  if (end_ != End::kOpen) return false;
  pollfd ready{socket_, POLLIN, 0};
  if (poll(&ready, 1, milliseconds) <= 0) return false;
  char buffer[16 * 1024];
  const ssize_t got = recv(socket_, buffer, sizeof(buffer), 0);
  if (got > 0) received_.append(buffer, static_cast<std::size_t>(got));
  if (got == 0) end_ = End::kOrderly;
  if (got < 0) end_ = End::kReset;
  return got > 0;
}

bool RawHttpClient::ReadUntil(std::string_view text) {
  while (received_.find(text) == std::string::npos) {
    if (!Receive(kPatience)) return false;
  }
  return true;
}

bool RawHttpClient::ReadToEnd() {
  while (Receive(kPatience)) {
  }
  return end_ != End::kOpen;
}

bool RawHttpClient::SilentFor(int milliseconds) {
  return !Receive(milliseconds) && end_ == End::kOpen;
}

std::string RawHttpClient::Head() const {
  return received_.substr(0, std::min(received_.find(kHeadEnd), received_.size()));
}

int RawHttpClient::status() const {
  return received_.size() < 12 ? 0 : std::atoi(received_.c_str() + 9);
}

std::string RawHttpClient::Body() const {
  const auto end = received_.find(kHeadEnd);
  if (end == std::string::npos) return {};
  std::string body = received_.substr(end + kHeadEnd.size());
  bool whole = false;
  return Chunked(Head()) ? Unchunk(body, whole) : body;
}

std::string RawHttpClient::ReadBody() {
  if (!ReadUntil(kHeadEnd)) return {};
  const std::string head = Head();
  const std::size_t begin = head.size() + kHeadEnd.size();
  bool whole = false;
  do {
    if (Chunked(head)) {
      Unchunk(std::string_view(received_).substr(begin), whole);
    } else {
      whole = received_.size() >= begin + ContentLength(head);
    }
  } while (!whole && Receive(kPatience));
  return Body();
}

SimpleAnswer Exchange(int port, std::string_view method, std::string_view target,
                      std::string_view body, std::string_view headers) {
  RawHttpClient client(port);
  client.Send(method, target, headers, body);
  SimpleAnswer answer;
  answer.body = client.ReadBody();
  answer.head = client.Head();
  answer.status = client.status();
  return answer;
}

}  // namespace k8s::test
