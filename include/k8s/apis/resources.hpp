#pragma once

#include <k8s/resource.hpp>

#include <span>
#include <string_view>

/// What Kubernetes 1.37 offers, as facts: no types are linked in by using them.
namespace k8s::inline v0::apis {

/// A part of a resource that has a path of its own: "status", "scale".
struct SubresourceFacts {
  std::string_view name;
  std::string_view group;  ///< Group, version and kind of what it takes or returns.
  std::string_view version;
  std::string_view kind;
  std::span<const std::string_view> verbs;
};

/// One built-in resource, as discovery reports it.
struct ResourceFacts {
  std::string_view group;  ///< Empty for the core group.
  std::string_view version;
  std::string_view kind;
  std::string_view plural;  ///< The resource in the URL.
  std::string_view singular;
  Scope scope = Scope::kNamespaced;
  bool servedByDefault = true;  ///< False: the server serves it only if its runtime-config says so.
  std::span<const std::string_view> shortNames;  ///< "po"
  std::span<const std::string_view> categories;  ///< "all"
  std::span<const std::string_view> verbs;       ///< In ascending order.
  std::span<const SubresourceFacts> subresources;

  [[nodiscard]] ResourceInfo Info() const;
  [[nodiscard]] bool HasVerb(std::string_view verb) const;
  /// Null if there is no such subresource.
  [[nodiscard]] const SubresourceFacts* Subresource(std::string_view name) const;
};

/// All of them, ordered by group, version and kind. Views are valid for the whole program.
[[nodiscard]] std::span<const ResourceFacts> BuiltinResources();

/// Null if no built-in resource has this kind, or this name.
[[nodiscard]] const ResourceFacts* FindResource(const GroupVersionKind& kind);
[[nodiscard]] const ResourceFacts* FindResource(const GroupVersionResource& resource);

}  // namespace k8s::inline v0::apis
