#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "rest/curl_handles.hpp"
#include "rest/transfer.hpp"

namespace k8s::inline v0::rest::detail {

/// One I/O thread with a libcurl multi handle.
///
/// Thread safety. All members may be called from any thread but the I/O thread.
/// Lifetime. The destructor ends open transfers with kClosed and joins the thread.
class CurlEngine {
 public:
  CurlEngine();
  ~CurlEngine();
  CurlEngine(const CurlEngine&) = delete;
  CurlEngine& operator=(const CurlEngine&) = delete;

  void Start(std::shared_ptr<Transfer> transfer) { Post(Action::kStart, std::move(transfer)); }
  /// The reader has made room.
  void Resume(std::shared_ptr<Transfer> transfer) { Post(Action::kResume, std::move(transfer)); }
  /// Nobody reads any more. Ends a transfer that is not there silently.
  void Abandon(std::shared_ptr<Transfer> transfer);
  /// Its reader has waited in vain for as long as it was told to.
  void Suspect(const Transfer& transfer);

  /// Of all transfers so far.
  [[nodiscard]] const std::shared_ptr<Pulse>& pulse() const { return pulse_; }
  /// Whether a kept connection seems dead. libcurl cannot be told to drop it while others use it,
  /// so new requests had better go to another engine.
  [[nodiscard]] bool Distrusted() const { return distrusted_; }

 private:
  enum class Action { kStart, kResume, kAbandon };
  struct Command {
    Action action;
    std::shared_ptr<Transfer> transfer;
  };

  void Post(Action action, std::shared_ptr<Transfer> transfer);

  // The I/O thread.
  void Run();
  bool TakeCommands(std::vector<Command>& commands);
  void Carry(const Command& command);
  void Add(const std::shared_ptr<Transfer>& transfer);
  void CollectFinished();
  void Remove(Transfer& transfer);
  void CloseAll();

  MultiHandle multi_;
  std::unordered_map<const Transfer*, std::shared_ptr<Transfer>> active_;  ///< Of the I/O thread.

  const std::shared_ptr<Pulse> pulse_ = std::make_shared<Pulse>();
  std::atomic<bool> distrusted_ = false;

  std::mutex mutex_;
  std::vector<Command> commands_;
  bool stopping_ = false;

  std::thread thread_;  ///< Last: uses all of the above.
};

}  // namespace k8s::inline v0::rest::detail
