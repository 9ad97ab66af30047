#pragma once

#include <k8s/cache/event_handler.hpp>
#include <k8s/cache/handler_options.hpp>
#include <k8s/clock.hpp>
#include <k8s/runtime/object_type.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "cache/pending_queue.hpp"
#include "util/log_budget.hpp"

namespace k8s::inline v0::cache {
class HandlerMetrics;
namespace detail {

/// One handler with what it is still to be told. Its thread calls `Run`. Mirrors processorListener,
/// with one thread instead of two.
///
/// **Thread safety.** All members may be called from any thread; `Run` once.
class Listener {
 public:
  struct Parts {
    std::shared_ptr<const runtime::ObjectType> type;
    std::unique_ptr<AnyEventHandler> handler;
    HandlerOptions options;
    std::shared_ptr<Clock> clock;
    std::shared_ptr<HandlerMetrics> metrics;  ///< May be null.
  };
  explicit Listener(Parts parts);
  ~Listener();

  /// Delivers until `Stop`.
  void Run();
  /// Drops what is pending. A running callback goes on.
  void Stop();
  void Notify(std::vector<Notification> notifications);

  // After `Notify`, on the thread that changed the store, without the informer's lock:
  /// Whether the reflector has more to do with this one after a step than notify it.
  [[nodiscard]] bool NeedsCare() const;
  /// kBlock: whether too much is pending.
  [[nodiscard]] bool IsFull() const;
  /// kBlock: waits until there is room, `stop` is triggered or the handler removed.
  void WaitForRoom(std::stop_token stop) const;
  /// Tells the metrics what is pending. Returns true once, after a line in the log, when the
  /// handler was dropped as too slow.
  bool ReportStep();

  [[nodiscard]] bool HasSynced() const;
  bool WaitForSync(std::optional<Clock::Duration> timeout, std::stop_token stop) const;
  [[nodiscard]] HandlerStats Stats() const;
  /// Whether `Run` has returned.
  [[nodiscard]] bool Finished() const { return finished_.load(); }
  [[nodiscard]] bool Stopped() const { return stopped_; }
  /// kDrop: whether the handler was dropped as too slow.
  [[nodiscard]] bool Overflowed() const;
  /// Whether the caller is a handler, of whichever informer.
  [[nodiscard]] static bool OnListenerThread();

 private:
  void DeliverAll();
  void DeliverBatch(std::deque<Notification> batch);
  void HandBack(std::vector<Notification> delivered);
  void FreeSpent(std::unique_lock<std::mutex>& lock);
  void Deliver(const Notification& notification);
  void Call(const Notification& notification);
  [[nodiscard]] std::pair<std::shared_ptr<HandlerMetrics>, std::size_t> Measure() const;

  // These require mutex_.
  void Enqueue(Notification notification);
  /// Returns what is pending, to be freed without the lock.
  [[nodiscard]] std::unique_ptr<PendingQueue> StopLocked();
  [[nodiscard]] bool IsFullLocked() const;
  [[nodiscard]] std::uint64_t Left() const;
  [[nodiscard]] std::uint64_t Pending() const;
  [[nodiscard]] std::uint64_t PendingBeyondInitial() const;

  const std::shared_ptr<const runtime::ObjectType> type_;
  const PendingPolicy policy_;
  const std::size_t max_pending_;
  const std::string name_;  ///< For the log.
  const std::shared_ptr<Clock> clock_;
  const bool measured_;
  std::unique_ptr<AnyEventHandler> handler_;             ///< Touched by `Run` alone.
  std::function<void(const HandlerStats&)> on_dropped_;  ///< The same.
  util::detail::LogBudget thrown_;
  std::atomic<bool> finished_ = false;

  mutable std::mutex mutex_;
  std::condition_variable arrived_;              ///< Something is pending, or stopped.
  mutable std::condition_variable_any settled_;  ///< Synced or stopped.
  mutable std::condition_variable_any room_;     ///< Delivered or stopped; kBlock.
  std::unique_ptr<PendingQueue> queue_;          ///< Null once stopped.
  std::vector<Notification> spent_;              ///< Delivered; the reflector frees them.
  std::shared_ptr<HandlerMetrics> metrics_;      ///< Null again at the end.
  std::atomic<bool> stopped_ = false;            ///< Set under the lock.
  bool synced_ = false;
  bool overflowed_ = false;
  bool overflow_reported_ = false;
  std::uint64_t received_ = 0;  ///< Without the kSynced mark, as all counters.
  std::uint64_t initial_ = 0;   ///< Those among them that came before the mark.
  std::uint64_t coalesced_ = 0;
  std::uint64_t highest_pending_ = 0;
  std::atomic<std::uint64_t> delivered_ = 0;
  std::atomic<std::uint64_t> failed_ = 0;
};

}  // namespace detail
}  // namespace k8s::inline v0::cache
