#pragma once

#include <k8s/codec/type_info.hpp>
#include <k8s/resource.hpp>
#include <k8s/runtime/object_type.hpp>

#include <span>
#include <string_view>

/// All built-in types by name. Using it links all of them into the program; see
/// <k8s/apis/resources.hpp> for the facts alone.
namespace k8s::inline v0::apis {

/// The types of one Go package.
struct PackageTypes {
  using ObjectTypeFunc = const runtime::ObjectType&();

  std::string_view package;                       ///< "core/v1", "meta/v1", "version"
  std::span<const codec::TypeInfo* const> types;  ///< All structs, ordered by name.
  std::span<ObjectTypeFunc* const> objectTypes;   ///< Those that are resources.
};

/// Every package. Valid for the whole program.
[[nodiscard]] std::span<const PackageTypes* const> BuiltinPackages();

/// The type of a struct, `FindType("core/v1", "PodSpec")`; null if there is none.
[[nodiscard]] const codec::TypeInfo* FindType(std::string_view package, std::string_view name);

/// How to read and write objects of a kind; null if it is not a built-in resource. Mirrors
/// scheme.Scheme.New.
[[nodiscard]] const runtime::ObjectType* FindObjectType(const GroupVersionKind& kind);

}  // namespace k8s::inline v0::apis
