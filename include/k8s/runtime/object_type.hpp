#pragma once

#include <k8s/resource.hpp>
#include <k8s/result.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace k8s::inline v0 {

/// A cached or received object: shared, immutable. To change one, copy it: `auto copy = *pod;`.
template <class T>
using ObjectPtr = std::shared_ptr<const T>;

template <class V>
class StringMap;

namespace runtime {

/// An object whose type only its ObjectType knows.
using AnyPtr = std::shared_ptr<const void>;

/// The parts of an object's metadata that caches and watches need. Views into the object.
struct ObjectMetaView {
  std::string_view name;
  std::string_view namespace_;
  std::string_view uid;
  std::string_view resourceVersion;
};

/// What the type-erased core does with one resource type: a table of functions and the resource's
/// names. Immutable; shared freely between threads. Typed code gets it from `ObjectTypeOf<T>()`,
/// the dynamic client makes one per resource.
struct ObjectType {
  ResourceInfo info;

  /// Decodes one JSON object. Errors: kDecode, naming the field. Refuses a `kind` that is there but
  /// is not `info.kind`; a Status in its place becomes that Status's error.
  Result<AnyPtr> (*decode)(const ObjectType& type, std::string_view json) = nullptr;
  /// Appends the object's JSON with apiVersion and kind. Null: objects are read only.
  void (*encode)(const ObjectType& type, const void* object, std::string& out) = nullptr;
  ObjectMetaView (*meta)(const void* object) = nullptr;
  /// The object's labels, or null if the type has none (a projection without labels).
  const StringMap<std::string>* (*labels)(const void* object) = nullptr;
  /// The meta.k8s.io/v1 kind that servers are asked to answer in instead of the resource's own,
  /// "PartialObjectMetadata". Empty: its own.
  std::string_view as = {};
};

/// The ObjectType of T. Defined by generated code for built-in types, and by
/// <k8s/runtime/object_type_of.hpp> for a user's types.
template <class T>
const ObjectType& ObjectTypeOf();

}  // namespace runtime
}  // namespace k8s::inline v0
