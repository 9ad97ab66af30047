#pragma once

#include <k8s/apis/meta/v1.hpp>
#include <k8s/cache/listwatch.hpp>
#include <k8s/rest/client.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace k8s::inline v0::kubernetes {

/// How a patch's body is to be read. Mirrors types.PatchType.
enum class PatchType {
  kJson,            ///< RFC 6902, a list of operations.
  kMerge,           ///< RFC 7386.
  kStrategicMerge,  ///< Built-in types only.
  kApply,           ///< Server-side apply; needs PatchOptions::fieldManager. JSON or YAML.
};

/// A patch: how to read it, and its text.
struct PatchBody {
  PatchType type = PatchType::kMerge;
  std::string text;
};

/// An object, or a part of it that has a path of its own.
struct ObjectPath {
  std::string name;
  std::string subresource = {};  ///< "status", "scale". Empty: the object itself.
};

/// How to apply. Mirrors metav1.ApplyOptions.
struct ApplyOptions {
  std::string fieldManager;              ///< Who owns the fields from now on. Needed.
  bool force = false;                    ///< Take fields that others own, instead of a conflict.
  std::vector<std::string> dryRun = {};  ///< {"All"}: change nothing.
  std::string fieldValidation = {};      ///< "Strict", "Warn" or "Ignore". Empty: the server's.
};

/// The verbs of one resource in one namespace, type-erased: what ResourceClient<T> and
/// dynamic::Client forward to. A cheap value.
///
/// **Thread safety.** All members may be called from any thread at any time.
/// **Blocking.** Every verb, until the answer is there; ends at once when `stop` is triggered. A
/// server that is silent for 2 minutes, or does not begin to answer a watch within 45 s, is given
/// up (kTimeout).
/// **Errors.** kInvalidArgument before anything is sent; kStatus for failures the server reports;
/// kDecode for an answer that is not what was asked for; those of rest::Client.
class ResourceClientCore {
 public:
  /// `namespace_`: empty for all namespaces or cluster-scoped resources.
  ResourceClientCore(rest::Client client, std::shared_ptr<const runtime::ObjectType> type,
                     std::string namespace_);

  /// The same resource in another namespace.
  [[nodiscard]] ResourceClientCore InNamespace(std::string_view namespace_) const;

  /// The same paths with objects of another type: what a subresource takes and returns.
  [[nodiscard]] ResourceClientCore WithType(std::shared_ptr<const runtime::ObjectType> type) const;

  /// The same with other bounds for `List` and `Watch` than 2 minutes and 45 s.
  [[nodiscard]] ResourceClientCore WithRequestOptions(cache::RequestOptions options) const;

  [[nodiscard]] const runtime::ObjectType& type() const { return *type_; }
  [[nodiscard]] const std::string& namespace_() const { return ns_; }
  /// See rest::Client::WaitsFor.
  [[nodiscard]] std::string WaitsFor() const { return client_.WaitsFor(); }

  Result<runtime::AnyPtr> Get(const ObjectPath& target, const metav1::GetOptions& options,
                              std::stop_token stop) const;

  /// Opens a part of an object that is a stream of bytes: the logs of a pod. `idle`: longest
  /// silence allowed, 0: no bound.
  Result<std::unique_ptr<rest::HttpResponse>> Stream(const ObjectPath& target, rest::Query query,
                                                     std::chrono::milliseconds idle,
                                                     std::stop_token stop) const;

  /// One page (all, if `options.limit` is 0); `visit` gets each item as soon as its bytes are
  /// there. Items that cannot be decoded are in the result's `unreadable`.
  Result<cache::ListResult> List(const metav1::ListOptions& options, const cache::VisitFunc& visit,
                                 std::stop_token stop) const;

  /// Opens a watch. With `options.timeoutSeconds` the stream ends on this side 30 s after it at the
  /// latest; with `options.allowWatchBookmarks` a silence of 2 minutes ends it (kTimeout): servers
  /// send a bookmark about once a minute.
  Result<std::unique_ptr<watch::Interface>> Watch(const metav1::ListOptions& options,
                                                  std::stop_token stop) const;

  Result<runtime::AnyPtr> Create(const void* object, const metav1::CreateOptions& options,
                                 std::stop_token stop) const;
  /// Creates at a subresource: a token of a service account.
  Result<runtime::AnyPtr> CreateAt(const ObjectPath& target, const void* object,
                                   const metav1::CreateOptions& options,
                                   std::stop_token stop) const;
  /// The same where the server answers with a mere Status: an eviction, a binding.
  Result<void> Submit(const ObjectPath& target, const void* object,
                      const metav1::CreateOptions& options, std::stop_token stop) const;
  /// `subresource`: empty for the object itself. The object's name and resourceVersion count.
  Result<runtime::AnyPtr> Update(const void* object, std::string_view subresource,
                                 const metav1::UpdateOptions& options, std::stop_token stop) const;
  Result<runtime::AnyPtr> Patch(const ObjectPath& target, const PatchBody& patch,
                                const metav1::PatchOptions& options, std::stop_token stop) const;
  /// Server-side apply of `fields`, JSON or YAML. A refusal for conflicts says which:
  /// FieldManagerConflicts.
  Result<runtime::AnyPtr> Apply(const ObjectPath& target, std::string fields,
                                const ApplyOptions& options, std::stop_token stop) const;
  Result<void> Delete(const ObjectPath& target, const metav1::DeleteOptions& options,
                      std::stop_token stop) const;
  Result<void> DeleteCollection(const metav1::DeleteOptions& options,
                                const metav1::ListOptions& which, std::stop_token stop) const;

 private:
  Result<rest::Request> NewRequest(std::string_view method, const rest::ResourcePath& path) const;
  Result<rest::Request> NewNamedRequest(std::string_view method, std::string_view name,
                                        std::string_view subresource) const;
  Result<rest::Request> NewPost(const ObjectPath& target, const void* object,
                                const metav1::CreateOptions& options) const;
  Result<void> SetObjectBody(rest::Request& request, const void* object) const;
  Result<runtime::AnyPtr> DoEncoded(rest::Request request, const void* object,
                                    std::stop_token stop) const;
  Result<runtime::AnyPtr> DoObject(const rest::Request& request, std::stop_token stop) const;

  rest::Client client_;
  std::shared_ptr<const runtime::ObjectType> resource_;  ///< Where the paths lead.
  std::shared_ptr<const runtime::ObjectType> type_;      ///< What is sent and received.
  std::string ns_;
  cache::RequestOptions options_;  ///< Of lists and watches.
};

/// The ObjectType of a compiled-in type as the shared pointer ResourceClientCore takes.
template <class T>
[[nodiscard]] std::shared_ptr<const runtime::ObjectType> StaticObjectType() {
  return {std::shared_ptr<const void>(), &runtime::ObjectTypeOf<T>()};
}

}  // namespace k8s::inline v0::kubernetes
