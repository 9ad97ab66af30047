#pragma once

#include <k8s/apis/meta/v1.hpp>
#include <k8s/cache/listwatch.hpp>
#include <k8s/kubernetes/resource_client_core.hpp>
#include <k8s/rest/client.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace k8s::inline v0::kubernetes {

/// One page of a list. Mirrors PodList and its like.
template <class T>
struct List {
  std::vector<ObjectPtr<T>> items = {};
  std::string resourceVersion = {};
  std::string continueToken = {};  ///< Empty on the last page.
  /// How many items follow this page, if the server says so.
  std::optional<std::int64_t> remainingItemCount = {};
  /// Items that could not be decoded and were left out; the good ones are there.
  std::vector<Error> unreadable = {};
};

/// One event of a typed watch. Mirrors watch.Event.
template <class T>
struct WatchEvent {
  watch::EventType type = watch::EventType::kError;
  ObjectPtr<T> object = {};          ///< kAdded, kModified, kDeleted.
  std::string resourceVersion = {};  ///< Of the object or bookmark.
  bool initialEventsEnd = false;     ///< kBookmark: closes the initial events of a streaming list.
  Error status = {};                 ///< kError: the server's Status.
};

/// An open watch of T. Dropping it closes the watch. Thread safety. One reader.
template <class T>
class Watch {
 public:
  explicit Watch(std::unique_ptr<watch::Interface> watch) : watch_(std::move(watch)) {}

  /// Waits for the next event. No value: the server ended the stream in an orderly way; open it
  /// again from the last resourceVersion. Errors: see watch::Interface::Next. Blocking. Ends at
  /// once when `stop` is triggered.
  Result<std::optional<WatchEvent<T>>> Next(std::stop_token stop = {}) {
    auto next = watch_->Next(std::move(stop));
    if (!next) return std::move(next).error();
    if (!next->has_value()) return std::optional<WatchEvent<T>>();
    watch::Event& event = **next;
    return std::optional(WatchEvent<T>{.type = event.type,
                                       .object = std::static_pointer_cast<const T>(event.object),
                                       .resourceVersion = std::move(event.resourceVersion),
                                       .initialEventsEnd = event.initialEventsEnd,
                                       .status = std::move(event.status)});
  }

 private:
  std::unique_ptr<watch::Interface> watch_;
};

/// The verbs of one resource type in one namespace. T is a built-in type, a type declared with
/// CLIENT_CPP_RESOURCE, or any other that has an ObjectType. A cheap value. Mirrors PodInterface
/// and its like.
///
/// What a caller may want to change and send back is a value; what lists and watches hand out is
/// shared and immutable.
/// **Thread safety, blocking, errors.** As ResourceClientCore.
template <class T>
class ResourceClient {
 public:
  /// `namespace_`: empty for all namespaces or a cluster-scoped resource.
  explicit ResourceClient(rest::Client client, std::string_view namespace_ = {})
      : core_(std::move(client), StaticObjectType<T>(), std::string(namespace_)) {}

  /// Requires: the core's objects are of type T.
  explicit ResourceClient(ResourceClientCore core) : core_(std::move(core)) {}

  [[nodiscard]] const ResourceClientCore& core() const { return core_; }

  Result<T> Get(std::string_view name, const metav1::GetOptions& options = {},
                std::stop_token stop = {}) const {
    return Value(core_.Get({.name = std::string(name)}, options, std::move(stop)));
  }

  /// One page (all, if `options.limit` is 0), held in memory.
  Result<kubernetes::List<T>> List(const metav1::ListOptions& options = {},
                                   std::stop_token stop = {}) const {
    kubernetes::List<T> list;
    auto rest = Visit(
        options, [&list](ObjectPtr<T> item) { list.items.push_back(std::move(item)); },
        std::move(stop));
    if (!rest) return std::move(rest).error();
    list.resourceVersion = std::move(rest->resourceVersion);
    list.continueToken = std::move(rest->continueToken);
    list.remainingItemCount = rest->remainingItemCount;
    list.unreadable = std::move(rest->unreadable);
    return list;
  }

  /// As List, but hands each item to `visit` as soon as its bytes are there; the list is never
  /// held. `visit` is called on this thread and may use this client.
  template <class F>
  Result<cache::ListResult> Visit(const metav1::ListOptions& options, F&& visit,
                                  std::stop_token stop = {}) const {
    return core_.List(
        options,
        [&visit](runtime::AnyPtr item) {
          visit(std::static_pointer_cast<const T>(std::move(item)));
        },
        std::move(stop));
  }

  /// Opens a watch. Most programs want an informer instead, which opens it again when it ends.
  Result<kubernetes::Watch<T>> Watch(const metav1::ListOptions& options = {},
                                     std::stop_token stop = {}) const {
    auto opened = core_.Watch(options, std::move(stop));
    if (!opened) return std::move(opened).error();
    return kubernetes::Watch<T>(std::move(*opened));
  }

  Result<T> Create(const T& object, const metav1::CreateOptions& options = {},
                   std::stop_token stop = {}) const {
    return Value(core_.Create(&object, options, std::move(stop)));
  }

  /// Replaces the object. Its resourceVersion, if set, must be the server's (else IsConflict).
  Result<T> Update(const T& object, const metav1::UpdateOptions& options = {},
                   std::stop_token stop = {}) const {
    return Value(core_.Update(&object, "", options, std::move(stop)));
  }

  /// Replaces the status alone.
  Result<T> UpdateStatus(const T& object, const metav1::UpdateOptions& options = {},
                         std::stop_token stop = {}) const {
    return Value(core_.Update(&object, "status", options, std::move(stop)));
  }

  Result<T> Patch(std::string_view name, const PatchBody& patch,
                  const metav1::PatchOptions& options = {}, std::stop_token stop = {}) const {
    return Value(core_.Patch({.name = std::string(name)}, patch, options, std::move(stop)));
  }

  Result<T> PatchStatus(std::string_view name, const PatchBody& patch,
                        const metav1::PatchOptions& options = {}, std::stop_token stop = {}) const {
    return Value(core_.Patch({.name = std::string(name), .subresource = "status"}, patch, options,
                             std::move(stop)));
  }

  /// Server-side apply of `fields`, JSON or YAML with apiVersion, kind and the fields that the
  /// caller wants to own; creates the object if there is none. Errors: IsConflict, with
  /// FieldManagerConflicts. Not from an encoded T: that would own every field that T always writes.
  Result<T> Apply(std::string_view name, std::string fields, const ApplyOptions& options,
                  std::stop_token stop = {}) const {
    return Value(
        core_.Apply({.name = std::string(name)}, std::move(fields), options, std::move(stop)));
  }

  Result<T> ApplyStatus(std::string_view name, std::string fields, const ApplyOptions& options,
                        std::stop_token stop = {}) const {
    return Value(core_.Apply({.name = std::string(name), .subresource = "status"},
                             std::move(fields), options, std::move(stop)));
  }

  Result<void> Delete(std::string_view name, const metav1::DeleteOptions& options = {},
                      std::stop_token stop = {}) const {
    return core_.Delete(name, options, std::move(stop));
  }

  /// Deletes what `which` selects.
  Result<void> DeleteCollection(const metav1::DeleteOptions& options,
                                const metav1::ListOptions& which, std::stop_token stop = {}) const {
    return core_.DeleteCollection(options, which, std::move(stop));
  }

 private:
  static Result<T> Value(Result<runtime::AnyPtr> object) {
    if (!object) return std::move(object).error();
    return *static_cast<const T*>(object->get());
  }

  ResourceClientCore core_;
};

}  // namespace k8s::inline v0::kubernetes
