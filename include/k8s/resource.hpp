#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace k8s::inline v0 {

/// Mirrors schema.GroupResource.
struct GroupResource {
  std::string group;     ///< Empty for the core group.
  std::string resource;  ///< Plural, "pods".
  friend auto operator<=>(const GroupResource&, const GroupResource&) = default;
};

/// Mirrors schema.GroupKind.
struct GroupKind {
  std::string group;
  std::string kind;  ///< "Pod"
  friend auto operator<=>(const GroupKind&, const GroupKind&) = default;
};

/// Mirrors schema.GroupVersion.
struct GroupVersion {
  std::string group;
  std::string version;
  /// "v1" for the core group, else "apps/v1".
  [[nodiscard]] std::string ToString() const {
    return group.empty() ? version : group + "/" + version;
  }
  friend auto operator<=>(const GroupVersion&, const GroupVersion&) = default;
};

/// Mirrors schema.GroupVersionResource.
struct GroupVersionResource {
  std::string group;
  std::string version;
  std::string resource;
  friend auto operator<=>(const GroupVersionResource&, const GroupVersionResource&) = default;
};

/// Mirrors schema.GroupVersionKind.
struct GroupVersionKind {
  std::string group;
  std::string version;
  std::string kind;
  friend auto operator<=>(const GroupVersionKind&, const GroupVersionKind&) = default;
};

enum class Scope { kNamespaced, kCluster };

/// How the API server calls a type, and where it serves it.
struct ResourceInfo {
  std::string group = {};  ///< Empty for the core group.
  std::string version;     ///< "v1"
  std::string kind;        ///< "Pod"
  std::string plural;      ///< "pods": the resource in the URL.
  Scope scope = Scope::kNamespaced;

  [[nodiscard]] std::string ApiVersion() const {
    return group.empty() ? version : group + "/" + version;
  }
  [[nodiscard]] GroupVersionResource Gvr() const { return {group, version, plural}; }
  [[nodiscard]] GroupVersionKind Gvk() const { return {group, version, kind}; }
  [[nodiscard]] bool Namespaced() const { return scope == Scope::kNamespaced; }
  friend bool operator==(const ResourceInfo&, const ResourceInfo&) = default;
};

}  // namespace k8s::inline v0
