#pragma once

#include <k8s/box.hpp>
#include <k8s/bytes.hpp>
#include <k8s/codec/type_info.hpp>
#include <k8s/required_list.hpp>
#include <k8s/string_map.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// `Describe<T>` of every form that is not a struct, and what a struct's own `Describe` is made of.
namespace k8s::inline v0::codec {

/// A class that reads and writes its own JSON: Quantity, Time, IntOrString.
template <class T>
concept JsonScalar = requires(T& value, const T& constant, std::string_view raw, std::string& out) {
  { value.UnmarshalJSON(raw) } -> std::same_as<const char*>;
  constant.MarshalJSON(out);
  { constant.IsZero() } -> std::convertible_to<bool>;
  { constant == constant } -> std::convertible_to<bool>;
};

/// The codec knows T.
template <class T>
concept Described = requires {
  { Describe<T>::info } -> std::convertible_to<const TypeInfo&>;
};

template <>
struct Describe<bool> {
  static constexpr TypeInfo info{.form = Form::kBool, .size = sizeof(bool), .name = "bool"};
};
template <>
struct Describe<std::int32_t> {
  static constexpr TypeInfo info{.form = Form::kInt32, .size = 4, .name = "int32"};
};
template <>
struct Describe<std::int64_t> {
  static constexpr TypeInfo info{.form = Form::kInt64, .size = 8, .name = "int64"};
};
template <>
struct Describe<double> {
  static constexpr TypeInfo info{.form = Form::kFloat64, .size = 8, .name = "float64"};
};
template <>
struct Describe<std::string> {
  static constexpr TypeInfo info{
      .form = Form::kString, .size = sizeof(std::string), .name = "string"};
};
template <>
struct Describe<Bytes> {
  static constexpr TypeInfo info{.form = Form::kBytes, .size = sizeof(Bytes), .name = "base64"};
};

namespace detail {

template <class T>
T& As(void* object) {
  return *static_cast<T*>(object);
}
template <class T>
const T& As(const void* object) {
  return *static_cast<const T*>(object);
}

/// What vectors and maps have in common.
template <class C>
constexpr TypeOps ContainerOps() {
  TypeOps ops;
  ops.finish = [](void* object) {
    if constexpr (requires(C & c) { c.capacity(); }) {
      if (As<C>(object).size() == As<C>(object).capacity()) return;
    }
    As<C>(object).shrink_to_fit();
  };
  ops.size = [](const void* object) { return As<C>(object).size(); };
  ops.clear = [](void* object) { As<C>(object).clear(); };
  return ops;
}

template <class L>
constexpr TypeOps ListOps() {
  TypeOps ops = ContainerOps<L>();
  ops.append = [](void* list) -> void* { return &As<L>(list).emplace_back(); };
  ops.data = [](const void* list) -> const void* { return As<L>(list).data(); };
  return ops;
}

template <class T>
constexpr TypeOps RequiredListOps() {
  using L = RequiredList<T>;
  TypeOps ops = ListOps<L>();
  ops.set_null = [](void* list, bool is_null) { As<L>(list).SetNull(is_null); };
  ops.is_null = [](const void* list) { return As<L>(list).IsNull(); };
  ops.clear = [](void* list) { As<L>(list).SetNull(true); };
  return ops;
}

template <class V>
constexpr TypeOps MapOps() {
  using M = StringMap<V>;
  TypeOps ops = ContainerOps<M>();
  ops.insert = [](void* map, std::string&& key) -> void* {
    return &As<M>(map).insert_or_assign(std::move(key), V()).first->second;
  };
  ops.key = [](const void* map, std::size_t i) { return &As<M>(map).nth(i).first; };
  ops.value = [](const void* map, std::size_t i) -> const void* {
    return &As<M>(map).nth(i).second;
  };
  return ops;
}

template <class O>
constexpr TypeOps OptionalOps() {
  TypeOps ops;
  ops.emplace = [](void* object) -> void* { return &As<O>(object).emplace(); };
  ops.get = [](const void* object) -> const void* {
    return As<O>(object) ? &*As<O>(object) : nullptr;
  };
  ops.clear = [](void* object) { As<O>(object).reset(); };
  return ops;
}

template <JsonScalar T>
constexpr TypeOps ScalarOps() {
  TypeOps ops;
  ops.unmarshal = [](void* object, std::string_view raw) {
    return As<T>(object).UnmarshalJSON(raw);
  };
  ops.marshal = [](const void* object, std::string& out) { As<T>(object).MarshalJSON(out); };
  ops.is_zero = [](const void* object) -> bool { return As<T>(object).IsZero(); };
  ops.equal = [](const void* left, const void* right) -> bool {
    return As<T>(left) == As<T>(right);
  };
  return ops;
}

template <class T>
constexpr TypeOps StructOps() {
  TypeOps ops;
  ops.create = []() -> void* { return new T(); };
  ops.destroy = [](void* object) { delete static_cast<T*>(object); };
  ops.clone = [](const void* object) -> void* { return new T(As<T>(object)); };
  return ops;
}

}  // namespace detail

template <JsonScalar T>
struct Describe<T> {
  static constexpr TypeInfo info{
      .form = Form::kScalar, .size = sizeof(T), .name = "value", .ops = detail::ScalarOps<T>()};
};

template <class T>
struct Describe<std::vector<T>> {
  static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no addressable elements");
  static constexpr TypeInfo info{.form = Form::kList,
                                 .size = sizeof(std::vector<T>),
                                 .name = "list",
                                 .element = &Describe<T>::info,
                                 .ops = detail::ListOps<std::vector<T>>()};
};

template <class T>
struct Describe<RequiredList<T>> {
  static constexpr TypeInfo info{.form = Form::kRequiredList,
                                 .size = sizeof(RequiredList<T>),
                                 .name = "list",
                                 .element = &Describe<T>::info,
                                 .ops = detail::RequiredListOps<T>()};
};

template <class V>
struct Describe<StringMap<V>> {
  static constexpr TypeInfo info{.form = Form::kMap,
                                 .size = sizeof(StringMap<V>),
                                 .name = "map",
                                 .element = &Describe<V>::info,
                                 .ops = detail::MapOps<V>()};
};

template <class T>
struct Describe<std::optional<T>> {
  static constexpr TypeInfo info{.form = Form::kOptional,
                                 .size = sizeof(std::optional<T>),
                                 .name = "optional",
                                 .element = &Describe<T>::info,
                                 .ops = detail::OptionalOps<std::optional<T>>()};
};

template <class T>
struct Describe<Box<T>> {
  static constexpr TypeInfo info{.form = Form::kBox,
                                 .size = sizeof(Box<T>),
                                 .name = "optional",
                                 .element = &Describe<T>::info,
                                 .ops = detail::OptionalOps<Box<T>>()};
};

/// The TypeInfo of a struct. Requires: T is complete; `fields` lives for ever.
template <class T, std::size_t N>
constexpr TypeInfo StructInfo(std::string_view name, const Field (&fields)[N]) {
  return {.form = Form::kStruct,
          .size = sizeof(T),
          .name = name,
          .fields = fields,
          .field_count = N,
          .ops = detail::StructOps<T>()};
}

/// The TypeInfo of a struct without fields.
template <class T>
constexpr TypeInfo StructInfo(std::string_view name) {
  return {.form = Form::kStruct, .size = sizeof(T), .name = name, .ops = detail::StructOps<T>()};
}

}  // namespace k8s::inline v0::codec
