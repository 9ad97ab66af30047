#include <k8s/apis/scheme.hpp>

#include "apis/packages.hpp"

namespace k8s::inline v0::apis {

std::span<const PackageTypes* const> BuiltinPackages() { return detail::kPackages; }

const codec::TypeInfo* FindType(std::string_view package, std::string_view name) {
  for (const PackageTypes* types : BuiltinPackages()) {
    if (types->package != package) continue;
    for (const codec::TypeInfo* type : types->types) {
      if (type->name == name) return type;
    }
  }
  return nullptr;
}

const runtime::ObjectType* FindObjectType(const GroupVersionKind& kind) {
  for (const PackageTypes* types : BuiltinPackages()) {
    for (PackageTypes::ObjectTypeFunc* type_of : types->objectTypes) {
      if (const runtime::ObjectType& type = type_of(); type.info.Gvk() == kind) return &type;
    }
  }
  return nullptr;
}

}  // namespace k8s::inline v0::apis
