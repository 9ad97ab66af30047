#pragma once

#include <string>
#include <string_view>

namespace k8s::test {

/// The client's end of a connection to a server on loopback, byte by byte: shows framing, resets
/// and silence as they are, which no decent HTTP client does. Every wait ends after ten seconds.
class RawHttpClient {
 public:
  enum class End { kOpen, kOrderly, kReset };

  explicit RawHttpClient(int port);
  ~RawHttpClient();
  RawHttpClient(const RawHttpClient&) = delete;
  RawHttpClient& operator=(const RawHttpClient&) = delete;

  /// Sends a request; `headers` are further lines, each ending in CRLF.
  void Send(std::string_view method, std::string_view target, std::string_view headers = {},
            std::string_view body = {});
  /// Sends a GET.
  void Get(std::string_view target, std::string_view headers = {}) { Send("GET", target, headers); }

  /// Waits until what was received holds `text`; false if the connection or the time ends before.
  bool ReadUntil(std::string_view text);
  /// Waits until the connection ends; false if it stays open.
  bool ReadToEnd();
  /// Waits for a whole answer with Content-Length or with chunks and returns its body.
  std::string ReadBody();
  /// Whether nothing comes for that long, the connection being open.
  bool SilentFor(int milliseconds);

  [[nodiscard]] const std::string& received() const { return received_; }
  /// What was received after the head, with the chunks' framing taken off.
  [[nodiscard]] std::string Body() const;
  [[nodiscard]] int status() const;
  /// The head of the answer, without the empty line.
  [[nodiscard]] std::string Head() const;
  [[nodiscard]] End end() const { return end_; }
  [[nodiscard]] bool connected() const { return socket_ >= 0; }
  /// Forgets what was received: for the next request on the same connection.
  void Clear() { received_.clear(); }

 private:
  bool Receive(int milliseconds);

  int socket_ = -1;
  End end_ = End::kOpen;
  std::string received_;
};

/// One request and the body of its answer.
struct SimpleAnswer {
  int status = 0;
  std::string head;
  std::string body;
};
SimpleAnswer Exchange(int port, std::string_view method, std::string_view target,
                      std::string_view body = {}, std::string_view headers = {});

}  // namespace k8s::test
