#pragma once

#include <k8s/cache/object_name.hpp>
#include <k8s/runtime/object_type.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace k8s::inline v0::cache {

/// What a delete handler gets: always a key, maybe the object. Mirrors DeletedObject and
/// DeletedFinalStateUnknown.
template <class T>
struct DeletedObject {
  std::string key;      ///< "namespace/name".
  ObjectPtr<T> object;  ///< The last state; null if it was never known.
  /// The deletion was found by a new list, not told by an event: `object` may be out of date.
  bool finalStateUnknown = false;
};

/// Told of every change of an informer's store, after the store has it. Mirrors
/// ResourceEventHandler.
///
/// **Callbacks.** On a thread of the registration, one at a time, in the order of the store's
/// changes; no relation between handlers. May block (only this handler falls behind), may add and
/// remove handlers, may stop the informer by its stop token (what waits for handlers to end, like
/// Shutdown, would wait for itself). What a callback throws is caught, logged and counted; the next
/// event follows.
template <class T>
class ResourceEventHandler {
 public:
  virtual ~ResourceEventHandler() = default;
  /// `isInInitialList`: the object was there when the handler, or the informer, started.
  virtual void OnAdd(const ObjectPtr<T>& object, bool isInInitialList) = 0;
  /// A resync delivers the same pointer twice.
  virtual void OnUpdate(const ObjectPtr<T>& before, const ObjectPtr<T>& after) = 0;
  virtual void OnDelete(const DeletedObject<T>& gone) = 0;
};

/// A handler made of functions; empty ones are not called. Mirrors ResourceEventHandlerFuncs.
template <class T>
struct ResourceEventHandlerFuncs {
  std::function<void(const ObjectPtr<T>& object, bool isInInitialList)> onAdd = {};
  std::function<void(const ObjectPtr<T>& before, const ObjectPtr<T>& after)> onUpdate = {};
  std::function<void(const DeletedObject<T>& gone)> onDelete = {};
};

/// Passes on what concerns objects that `filter` accepts: one that comes to be accepted is added,
/// one that no longer is is deleted. Mirrors FilteringResourceEventHandler.
template <class T>
struct FilteringResourceEventHandler {
  std::function<bool(const T& object)> filter = {};  ///< Must not be empty.
  ResourceEventHandlerFuncs<T> handler = {};
};

namespace detail {

/// A handler as the compiled core calls it.
class AnyEventHandler {
 public:
  virtual ~AnyEventHandler() = default;
  virtual void OnAdd(const runtime::AnyPtr& object, bool initial) = 0;
  virtual void OnUpdate(const runtime::AnyPtr& before, const runtime::AnyPtr& after) = 0;
  /// `object`: the last state, as DeletedObject has it. `known`: what the handler
  /// was last told.
  virtual void OnDelete(const std::string& key, const runtime::AnyPtr& object,
                        const runtime::AnyPtr& known, bool unknown) = 0;
};

template <class T>
[[nodiscard]] ObjectPtr<T> Typed(const runtime::AnyPtr& object) {
  return std::static_pointer_cast<const T>(object);
}

template <class T>
class HandlerFuncsAdapter final : public AnyEventHandler {
 public:
  explicit HandlerFuncsAdapter(ResourceEventHandlerFuncs<T> funcs) : funcs_(std::move(funcs)) {}
  void OnAdd(const runtime::AnyPtr& object, bool initial) override {
    if (funcs_.onAdd) funcs_.onAdd(Typed<T>(object), initial);
  }
  void OnUpdate(const runtime::AnyPtr& before, const runtime::AnyPtr& after) override {
    if (funcs_.onUpdate) funcs_.onUpdate(Typed<T>(before), Typed<T>(after));
  }
  void OnDelete(const std::string& key, const runtime::AnyPtr& object, const runtime::AnyPtr&,
                bool unknown) override {
    if (funcs_.onDelete) funcs_.onDelete({key, Typed<T>(object), unknown});
  }

 private:
  ResourceEventHandlerFuncs<T> funcs_;
};

template <class T>
class HandlerAdapter final : public AnyEventHandler {
 public:
  explicit HandlerAdapter(std::shared_ptr<ResourceEventHandler<T>> handler)
      : handler_(std::move(handler)) {}
  void OnAdd(const runtime::AnyPtr& object, bool initial) override {
    handler_->OnAdd(Typed<T>(object), initial);
  }
  void OnUpdate(const runtime::AnyPtr& before, const runtime::AnyPtr& after) override {
    handler_->OnUpdate(Typed<T>(before), Typed<T>(after));
  }
  void OnDelete(const std::string& key, const runtime::AnyPtr& object, const runtime::AnyPtr&,
                bool unknown) override {
    handler_->OnDelete({key, Typed<T>(object), unknown});
  }

 private:
  std::shared_ptr<ResourceEventHandler<T>> handler_;
};

template <class T>
class FilteringAdapter final : public AnyEventHandler {
 public:
  explicit FilteringAdapter(FilteringResourceEventHandler<T> filtering)
      : filter_(std::move(filtering.filter)), next_(std::move(filtering.handler)) {}
  void OnAdd(const runtime::AnyPtr& object, bool initial) override {
    if (Accepts(object)) next_.OnAdd(object, initial);
  }
  void OnUpdate(const runtime::AnyPtr& before, const runtime::AnyPtr& after) override {
    const bool was = Accepts(before);
    const bool is = Accepts(after);
    if (was && is) return next_.OnUpdate(before, after);
    if (is) return next_.OnAdd(after, false);
    if (was)
      next_.OnDelete(MetaNamespaceKeyFunc(*static_cast<const T*>(before.get())), before, before,
                     false);
  }
  // client-go asks of the state that the deletion shows, which its handler may never have seen.
  void OnDelete(const std::string& key, const runtime::AnyPtr& object, const runtime::AnyPtr& known,
                bool unknown) override {
    if (Accepts(known)) next_.OnDelete(key, object, known, unknown);
  }

 private:
  bool Accepts(const runtime::AnyPtr& object) const {
    return filter_(*static_cast<const T*>(object.get()));
  }
  std::function<bool(const T&)> filter_;
  HandlerFuncsAdapter<T> next_;
};

}  // namespace detail
}  // namespace k8s::inline v0::cache
