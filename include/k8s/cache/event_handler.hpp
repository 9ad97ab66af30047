#pragma once

#include <k8s/cache/object_name.hpp>
#include <k8s/clock.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace k8s::inline v0::cache {

/// What a handler gets when an object is gone. Mirrors cache.DeletedObject.
template <class T>
struct DeletedObject {
  std::string key;  ///< "namespace/name", or "name" without namespace.
  /// The final state; if `finalStateUnknown`, the last state that was known, or null.
  ObjectPtr<T> object;
  /// The deletion itself was missed (the watch was interrupted) and was found by a list.
  bool finalStateUnknown = false;
};

/// Handles the events of an informer; members that are not set are skipped. Mirrors
/// cache.ResourceEventHandlerFuncs.
///
/// **Callbacks.** On one thread per registration, one at a time, in exactly the order in which the
/// store changed; the store is changed before. There is no order between registrations. What a
/// callback throws is caught, logged and counted; the next event is delivered. A callback may add
/// and remove handlers, itself too, read listers and stop the informer. A slow one delays nobody
/// else, but its pending events keep objects in memory (`HandlerStats::pending`): hand work to a
/// work queue.
template <class T>
struct ResourceEventHandlerFuncs {
  /// An object is new. `isInInitialList`: it was there when the informer, or this handler, began.
  std::function<void(const ObjectPtr<T>& object, bool isInInitialList)> onAdd = {};
  /// An object changed. Both are one object in a resync.
  std::function<void(const ObjectPtr<T>& before, const ObjectPtr<T>& after)> onUpdate = {};
  /// An object is gone. One that was deleted and created anew with the same name while the watch
  /// was interrupted is gone, then new.
  std::function<void(const DeletedObject<T>& gone)> onDelete = {};
};

/// The same as a class. Mirrors cache.ResourceEventHandler.
template <class T>
class ResourceEventHandler {
 public:
  virtual ~ResourceEventHandler() = default;
  virtual void OnAdd(const ObjectPtr<T>& object, bool isInInitialList) = 0;
  virtual void OnUpdate(const ObjectPtr<T>& before, const ObjectPtr<T>& after) = 0;
  virtual void OnDelete(const DeletedObject<T>& gone) = 0;
};

/// A handler that sees only objects which `filter` accepts: one that begins or ceases to be
/// accepted is added or deleted. A deleted object without any known state is passed on. Mirrors
/// cache.FilteringResourceEventHandler.
template <class T>
[[nodiscard]] ResourceEventHandlerFuncs<T> FilteringResourceEventHandler(
    std::function<bool(const T& object)> filter, ResourceEventHandlerFuncs<T> handler) {
  struct State {
    std::function<bool(const T&)> filter;
    ResourceEventHandlerFuncs<T> handler;

    void Add(const ObjectPtr<T>& object, bool initial) const {
      if (handler.onAdd) handler.onAdd(object, initial);
    }
    void Update(const ObjectPtr<T>& before, const ObjectPtr<T>& after) const {
      const bool was = filter(*before);
      const bool is = filter(*after);
      if (was && is && handler.onUpdate) handler.onUpdate(before, after);
      if (!was && is) Add(after, false);
      if (was && !is) Delete({MetaNamespaceKeyFunc(*before), before, false});
    }
    void Delete(const DeletedObject<T>& gone) const {
      if (handler.onDelete) handler.onDelete(gone);
    }
  };
  auto state = std::make_shared<const State>(State{std::move(filter), std::move(handler)});
  return {.onAdd =
              [state](const ObjectPtr<T>& object, bool initial) {
                if (state->filter(*object)) state->Add(object, initial);
              },
          .onUpdate = [state](const ObjectPtr<T>& before,
                              const ObjectPtr<T>& after) { state->Update(before, after); },
          .onDelete =
              [state](const DeletedObject<T>& gone) {
                if (!gone.object || state->filter(*gone.object)) state->Delete(gone);
              }};
}

struct HandlerOptions {
  /// How often all cached objects are delivered again as updates. Unset: the informer's default. 0:
  /// never. Below 1 s counts as 1 s. An informer made without resync never has one; after its start
  /// no handler gets a shorter period than the informer's.
  std::optional<Clock::Duration> resyncPeriod = std::nullopt;
  /// Names the handler in the log. Empty: "handler".
  std::string name = {};
};

/// How a handler fares.
struct HandlerStats {
  std::size_t pending = 0;      ///< Events that wait for it. There is no bound.
  std::uint64_t delivered = 0;  ///< Callbacks made.
  std::uint64_t failures = 0;   ///< Callbacks that threw.
};

/// Stands for one handler of one informer. Dropping it leaves the handler in place; see
/// ScopedRegistration. Mirrors cache.ResourceEventHandlerRegistration.
/// **Thread safety.** A cheap handle. All members from any thread.
/// **Lifetime.** May outlive the handler and the informer.
class ResourceEventHandlerRegistration {
 public:
  struct State;
  explicit ResourceEventHandlerRegistration(std::shared_ptr<State> state)
      : state_(std::move(state)) {}

  /// Whether the informer has synced and the handler has returned from all its initial adds.
  [[nodiscard]] bool HasSynced() const;
  /// Waits for that. Errors: kTimeout; kCancelled; kClosed when the handler was removed, or the
  /// informer stopped, before.
  /// **Blocking.** Ends at once on stop. Must not be called by the handler itself.
  Result<void> WaitForSync(Clock::Duration timeout, std::stop_token stop = {}) const;
  [[nodiscard]] HandlerStats Stats() const;

  [[nodiscard]] const std::shared_ptr<State>& Erased() const { return state_; }

 private:
  std::shared_ptr<State> state_;
};

/// Removes its handler when it goes out of scope, as RemoveEventHandler does.
/// **Lifetime.** May outlive the informer.
class ScopedRegistration {
 public:
  ScopedRegistration() = default;
  ScopedRegistration(ResourceEventHandlerRegistration registration)  // NOLINT: takes it over
      : registration_(std::move(registration)) {}
  ~ScopedRegistration() { Remove(); }
  ScopedRegistration(ScopedRegistration&& other) noexcept
      : registration_(std::exchange(other.registration_, std::nullopt)) {}
  ScopedRegistration& operator=(ScopedRegistration&& other) noexcept {
    if (this != &other) {
      Remove();
      registration_ = std::exchange(other.registration_, std::nullopt);
    }
    return *this;
  }

  /// Removes the handler now.
  void Remove();
  /// Leaves the handler in place and gives back the plain registration, if there is one.
  [[nodiscard]] std::optional<ResourceEventHandlerRegistration> Release() {
    return std::exchange(registration_, std::nullopt);
  }
  [[nodiscard]] const std::optional<ResourceEventHandlerRegistration>& registration() const {
    return registration_;
  }

 private:
  std::optional<ResourceEventHandlerRegistration> registration_;
};

// ---- Type-erased

/// A handler for objects whose type only their ObjectType knows.
struct AnyEventHandlerFuncs {
  std::function<void(const runtime::AnyPtr& object, bool isInInitialList)> onAdd = {};
  std::function<void(const runtime::AnyPtr& before, const runtime::AnyPtr& after)> onUpdate = {};
  std::function<void(std::string key, const runtime::AnyPtr& object, bool finalStateUnknown)>
      onDelete = {};
};

template <class T>
[[nodiscard]] AnyEventHandlerFuncs ToAnyEventHandler(ResourceEventHandlerFuncs<T> typed) {
  const auto cast = [](const runtime::AnyPtr& object) {
    return std::static_pointer_cast<const T>(object);
  };
  AnyEventHandlerFuncs any;
  if (typed.onAdd) {
    any.onAdd = [cast, on = std::move(typed.onAdd)](const runtime::AnyPtr& object, bool initial) {
      on(cast(object), initial);
    };
  }
  if (typed.onUpdate) {
    any.onUpdate = [cast, on = std::move(typed.onUpdate)](const runtime::AnyPtr& before,
                                                          const runtime::AnyPtr& after) {
      on(cast(before), cast(after));
    };
  }
  if (typed.onDelete) {
    any.onDelete = [cast, on = std::move(typed.onDelete)](
                       std::string key, const runtime::AnyPtr& object, bool unknown) {
      on(DeletedObject<T>{std::move(key), cast(object), unknown});
    };
  }
  return any;
}

}  // namespace k8s::inline v0::cache
