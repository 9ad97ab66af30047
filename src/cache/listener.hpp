#pragma once

#include <k8s/cache/event_handler.hpp>
#include <k8s/cache/shared_informer_core.hpp>
#include <k8s/clock.hpp>
#include <k8s/runtime/object_type.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace k8s::inline v0::cache::detail {

/// One thing that a handler is to be told.
struct Notification {
  enum class Kind { kAdd, kUpdate, kDelete, kSynced };
  Kind kind = Kind::kSynced;  ///< kSynced: all initial adds stand before this.
  runtime::AnyPtr before = {};
  runtime::AnyPtr after = {};  ///< kDelete: what the store had; `before` may be a later state.
  std::string key = {};        ///< kDelete.
  bool flag = false;           ///< kAdd: isInInitialList. kDelete: finalStateUnknown.
};

/// One handler with what it is still to be told. Its thread calls `Run`. Mirrors processorListener,
/// with one thread instead of two.
///
/// **Thread safety.** All members may be called from any thread; `Run` once.
class Listener {
 public:
  Listener(std::unique_ptr<AnyEventHandler> handler, std::string name)
      : handler_(std::move(handler)), name_(std::move(name)) {}

  /// Delivers until `Stop`.
  void Run();
  /// Drops what is pending. A running callback goes on.
  void Stop();
  void Notify(std::vector<Notification> notifications);

  [[nodiscard]] bool HasSynced() const;
  bool WaitForSync(std::optional<Clock::Duration> timeout, std::stop_token stop) const;
  [[nodiscard]] HandlerStats Stats() const;
  /// Whether `Run` has returned.
  [[nodiscard]] bool Finished() const { return finished_.load(); }
  /// Whether the caller is a handler, of whichever informer.
  [[nodiscard]] static bool OnListenerThread();

 private:
  void DeliverAll();
  void DeliverBatch(std::deque<Notification> batch);
  void HandBack(std::vector<Notification> delivered);
  void FreeSpent(std::unique_lock<std::mutex>& lock);
  void Deliver(const Notification& notification);
  void Call(const Notification& notification);

  std::unique_ptr<AnyEventHandler> handler_;  ///< Touched by `Run` alone.
  const std::string name_;
  std::atomic<bool> finished_ = false;

  mutable std::mutex mutex_;
  std::condition_variable arrived_;              ///< Something is pending, or stopped.
  mutable std::condition_variable_any settled_;  ///< Synced or stopped.
  std::deque<Notification> pending_;
  std::vector<Notification> spent_;       ///< Delivered; the reflector frees them.
  std::atomic<std::size_t> in_hand_ = 0;  ///< Taken from `pending_`, not delivered yet.
  std::atomic<bool> stopped_ = false;     ///< Set under the lock.
  bool synced_ = false;
  std::atomic<std::uint64_t> delivered_ = 0;
  std::atomic<std::uint64_t> failed_ = 0;
};

}  // namespace k8s::inline v0::cache::detail
