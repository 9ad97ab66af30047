#pragma once

#include <k8s/codec/type_info.hpp>
#include <k8s/resource.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace k8s::inline v0::testing {

/// A resource as the server serves and announces it.
struct ServedResource {
  ResourceInfo info;
  std::string singular = {};
  std::vector<std::string> shortNames = {};
  std::vector<std::string> categories = {};
  std::vector<std::string> verbs = {};
  std::vector<std::string> subresources = {};
  /// The members besides metadata of an empty object, as a built-in type's bookmarks have them.
  std::string emptyBody = {};
  bool custom = false;  ///< Defined by a CustomResourceDefinition.

  [[nodiscard]] bool HasVerb(std::string_view verb) const;
  [[nodiscard]] bool HasSubresource(std::string_view name) const;
  /// "deployments.apps", or "pods" for the core group.
  [[nodiscard]] std::string QualifiedName() const;
  /// The beginning of every object: `"kind":"Pod","apiVersion":"v1"`; custom resources have it the
  /// other way round.
  [[nodiscard]] std::string TypeMembers() const;
};

/// The resources that kube-apiserver 1.37 serves by default, in its order of groups.
[[nodiscard]] std::vector<std::shared_ptr<const ServedResource>> BuiltinResources();

/// What the codec knows of a built-in resource's type; null for other resources.
[[nodiscard]] const codec::TypeInfo* BuiltinType(const ResourceInfo& info);

/// A resource as a CustomResourceDefinition without extras makes it.
[[nodiscard]] ServedResource CustomResource(const ResourceInfo& info);

/// The field labels that selectors of this resource may use besides metadata.name and
/// metadata.namespace, as dotted paths into the object.
[[nodiscard]] const std::vector<std::string>& FieldLabels(const ResourceInfo& info);

}  // namespace k8s::inline v0::testing
