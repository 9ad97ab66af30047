#pragma once

#include <k8s/codec/codec.hpp>
#include <k8s/resource.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>
#include <k8s/string_map.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

/// Makes the ObjectType of a C++ type: of a built-in one in the library, of a user's own wherever
/// `ObjectTypeOf<T>()` is used.
namespace k8s::inline v0::runtime {

/// `static ResourceInfo Info()` of a user's type; specialised by CLIENT_CPP_RESOURCE.
template <class T>
struct ResourceTraits;

/// Reads a top-level object by field table. `kind` and `apiVersion` are checked and left unset, as
/// client-go's typed decoder leaves them. Errors: as ObjectType::decode.
Result<void> DecodeObject(const ObjectType& type, const codec::TypeInfo& info,
                          std::string_view json, void* object);

/// Appends a top-level object with its type's `kind` and `apiVersion` in front.
void EncodeObject(const ObjectType& type, const codec::TypeInfo& info, const void* object,
                  std::string& out);

/// How an object of type T is read and written: by field table here, by nlohmann's from_json and
/// to_json in <k8s/apis/json.hpp>. Without Encode it is only read.
template <class T>
struct ObjectCodec;

template <codec::Described T>
struct ObjectCodec<T> {
  static Result<void> Decode(const ObjectType& type, std::string_view json, T& object) {
    return DecodeObject(type, codec::Describe<T>::info, json, &object);
  }
  static void Encode(const ObjectType& type, const T& object, std::string& out) {
    EncodeObject(type, codec::Describe<T>::info, &object, out);
  }
};

namespace detail {

template <class T>
Result<AnyPtr> Decode(const ObjectType& type, std::string_view json) {
  auto object = std::make_shared<T>();
  if (auto decoded = ObjectCodec<T>::Decode(type, json, *object); !decoded) return decoded.error();
  return AnyPtr(std::move(object));
}

template <class T>
void Encode(const ObjectType& type, const void* object, std::string& out) {
  ObjectCodec<T>::Encode(type, *static_cast<const T*>(object), out);
}

template <class T>
constexpr auto EncodeOf() -> void (*)(const ObjectType&, const void*, std::string&) {
  if constexpr (requires(const ObjectType& type, const T& object, std::string& out) {
                  ObjectCodec<T>::Encode(type, object, out);
                }) {
    return &Encode<T>;
  } else {
    return nullptr;
  }
}

template <class T>
ObjectMetaView Meta(const void* object) {
  const auto& metadata = static_cast<const T*>(object)->metadata;
  ObjectMetaView view{.name = metadata.name,
                      .namespace_ = {},
                      .uid = {},
                      .resourceVersion = metadata.resourceVersion};
  if constexpr (requires { metadata.namespace_; }) view.namespace_ = metadata.namespace_;
  if constexpr (requires { metadata.uid; }) view.uid = metadata.uid;
  return view;
}

template <class T>
const StringMap<std::string>* Labels(const void* object) {
  const auto& metadata = static_cast<const T*>(object)->metadata;
  if constexpr (requires { metadata.labels; }) {
    using Member = std::remove_cvref_t<decltype(metadata.labels)>;
    if constexpr (std::is_same_v<Member, StringMap<std::string>>) return &metadata.labels;
  }
  return nullptr;
}

}  // namespace detail

/// The ObjectType of T, under the names of `info`.
template <class T>
[[nodiscard]] ObjectType MakeObjectType(ResourceInfo info) {
  static_assert(
      requires { ObjectCodec<T>::Decode; },
      "Name the type's fields with CLIENT_CPP_FIELDS of <k8s/fields.hpp>, or include "
      "<k8s/apis/json.hpp> for a type that has nlohmann's from_json");
  static_assert(
      requires(const T& object) {
        std::string_view(object.metadata.name);
        std::string_view(object.metadata.resourceVersion);
      },
      "A resource has a member metadata with name and resourceVersion: k8s::ObjectRef or "
      "k8s::metav1::ObjectMeta, for example");
  return {.info = std::move(info),
          .decode = &detail::Decode<T>,
          .encode = detail::EncodeOf<T>(),
          .meta = &detail::Meta<T>,
          .labels = &detail::Labels<T>};
}

template <class T>
const ObjectType& ObjectTypeOf() {
  static_assert(
      requires { ResourceTraits<T>::Info(); },
      "Say where the API server has the type with CLIENT_CPP_RESOURCE of <k8s/fields.hpp>");
  static const ObjectType type = MakeObjectType<T>(ResourceTraits<T>::Info());
  return type;
}

}  // namespace k8s::inline v0::runtime

/// Defines, in a source file in the global namespace, the ObjectType of a type whose header
/// declares it: `CLIENT_CPP_DEFINE_OBJECT_TYPE(corev1::Pod, k8s::ResourceInfo{...})`.
#define CLIENT_CPP_DEFINE_OBJECT_TYPE(Type, ...)                         \
  template <>                                                            \
  const ::k8s::runtime::ObjectType& k8s::runtime::ObjectTypeOf<Type>() { \
    static const ::k8s::runtime::ObjectType type =                       \
        ::k8s::runtime::MakeObjectType<Type>(__VA_ARGS__);               \
    return type;                                                         \
  }
