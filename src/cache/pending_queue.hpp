#pragma once

#include <k8s/runtime/object_type.hpp>

#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace k8s::inline v0::cache::detail {

/// One thing that a handler is to be told.
struct Notification {
  enum class Kind { kAdd, kUpdate, kDelete, kSynced };
  Kind kind = Kind::kSynced;  ///< kSynced: all initial adds stand before this.
  runtime::AnyPtr before = {};
  runtime::AnyPtr after = {};  ///< kDelete: the state told last; `before` may be later.
  std::string key = {};        ///< kDelete.
  bool flag = false;           ///< kAdd: isInInitialList. kDelete: finalStateUnknown.
};

/// Of the object; "" for kSynced.
[[nodiscard]] std::string KeyOf(const runtime::ObjectType& type, const Notification& notification);

/// What a handler is still to be told, in order.
/// **Thread safety.** None; its owner has a lock.
class PendingQueue {
 public:
  virtual ~PendingQueue() = default;
  /// Returns how many notifications became needless by this one, itself included.
  virtual std::uint64_t Push(Notification notification) = 0;
  /// Requires: not empty. Moves what is to be delivered next, one or more, into `batch`.
  virtual void Take(std::deque<Notification>& batch) = 0;
  [[nodiscard]] virtual bool empty() const = 0;
};

/// Every notification in its order.
class FifoQueue final : public PendingQueue {
 public:
  std::uint64_t Push(Notification notification) override {
    pending_.push_back(std::move(notification));
    return 0;
  }
  void Take(std::deque<Notification>& batch) override { batch.swap(pending_); }
  [[nodiscard]] bool empty() const override { return pending_.empty(); }

 private:
  std::deque<Notification> pending_;
};

/// Of each key only what leads from the state that the handler was told to the newest one: nothing,
/// an add, an update, a delete, or the delete of one object and the add of its successor. Keys in
/// the order in which they first were pending.
class CoalescingQueue final : public PendingQueue {
 public:
  explicit CoalescingQueue(std::shared_ptr<const runtime::ObjectType> type)
      : type_(std::move(type)) {}

  std::uint64_t Push(Notification notification) override;
  void Take(std::deque<Notification>& batch) override;
  [[nodiscard]] bool empty() const override { return slots_.empty(); }

 private:
  /// What is pending for a key; one of both at least.
  struct Slot {
    std::string key;                   ///< Empty: the kSynced mark, as `last`.
    std::optional<Notification> gone;  ///< kDelete, before `last`.
    std::optional<Notification> last;  ///< kAdd or kUpdate; kUpdate only without `gone`.
  };
  using Slots = std::list<Slot>;

  std::uint64_t Merge(Slots::iterator slot, Notification notification);
  std::uint64_t MergeDelete(Slots::iterator slot, Notification notification);
  void Erase(Slots::iterator slot);

  const std::shared_ptr<const runtime::ObjectType> type_;
  Slots slots_;
  std::unordered_map<std::string, Slots::iterator> by_key_;
};

}  // namespace k8s::inline v0::cache::detail
