#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace k8s::test {

/// A TCP forwarder on loopback whose connections can fall silent without ending, be reset and be
/// turned away: what a client sees when a load balancer or a peer behind one has lost a connection.
/// TLS passes through it.
///
/// Thread safety. All members may be called from any thread.
class StallingProxy {
 public:
  /// Forwards to `port` on loopback. Throws std::runtime_error when there is no port to listen on.
  explicit StallingProxy(int port);
  StallingProxy(const StallingProxy&) = delete;
  StallingProxy& operator=(const StallingProxy&) = delete;
  ~StallingProxy();

  [[nodiscard]] int port() const { return port_; }
  /// Nothing is read from, or written to, the connections of now any more; later ones work.
  /// Blocking. Until that holds.
  void Stall() { Do(Command::kStall); }
  /// Stalled connections work again; nothing of them was lost. Blocking. Until that holds.
  void Resume() { Do(Command::kResume); }
  /// Resets the connections of now on both sides. Blocking. Until that holds.
  void Cut() { Do(Command::kCut); }
  /// Whether later connections are reset as soon as they are made.
  void Refuse(bool refuse) { refuse_ = refuse; }
  /// Whether later connections are stalled as soon as they are made, for good.
  void Hold(bool hold) { hold_ = hold; }
  /// Connections accepted so far.
  [[nodiscard]] int connections() const { return accepted_; }

 private:
  enum class Command { kNone, kStall, kResume, kCut };
  struct Pair {
    int client;
    int server;
    bool stalled;
  };

  void Run();
  void Do(Command command);
  void Obey(Command command);
  void Accept();
  /// Returns false when either end is closed.
  static bool Forward(int from, int to);
  void Wake() const;

  const int target_;
  int port_ = 0;
  int listener_ = -1;
  int wake_ = -1;
  std::vector<Pair> pairs_;  ///< Of the thread.
  std::atomic<int> accepted_ = 0;
  std::atomic<bool> refuse_ = false;
  std::atomic<bool> hold_ = false;
  std::mutex callers_;  ///< One command at a time.
  std::atomic<Command> command_ = Command::kNone;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace k8s::test
