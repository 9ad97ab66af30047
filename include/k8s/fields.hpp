#pragma once

#include <k8s/codec/describe.hpp>
#include <k8s/codec/type_info.hpp>
#include <k8s/resource.hpp>
#include <k8s/runtime/object_type_of.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Describe a type of your own to the codec: a projection of a built-in kind that names the few
/// fields you need, or the type of a custom resource.
///
///     struct PodView {
///       struct Spec { std::string nodeName; };
///       k8s::ObjectRef metadata;
///       Spec spec;
///     };
///     CLIENT_CPP_FIELDS(PodView::Spec, nodeName);
///     CLIENT_CPP_FIELDS(PodView, metadata, spec);
///     CLIENT_CPP_RESOURCE(PodView, .version = "v1", .kind = "Pod", .plural = "pods");
///
/// Members are of the types <k8s/codec/describe.hpp> knows, or described themselves, before the
/// types that hold them. Fields that are not named are skipped without an allocation, so writing an
/// object that was read this way loses them: update with a patch instead.
namespace k8s::inline v0 {

/// The least of an object's metadata that a cache can work with, in place of metav1::ObjectMeta.
struct ObjectRef {
  std::string name = {};
  std::string namespace_ = {};
  std::string uid = {};
  std::string resourceVersion = {};
  friend bool operator==(const ObjectRef&, const ObjectRef&) = default;
};

namespace codec::detail {

/// The wire name of a member: its own, without the underscore that keeps it from being a keyword.
constexpr std::string_view WireName(std::string_view member) {
  if (member.ends_with('_')) member.remove_suffix(1);
  return member;
}

template <class Member>
constexpr Omit kDefaultOmit = Omit::kZero;
template <class T>
constexpr Omit kDefaultOmit<RequiredList<T>> = Omit::kNever;

template <class Member>
constexpr Field MakeField(std::string_view name, std::size_t offset,
                          Omit omit = kDefaultOmit<Member>) {
  return {.name = name,
          .offset = static_cast<std::uint32_t>(offset),
          .omit = omit,
          .type = &TypeOf<Member>()};
}

}  // namespace codec::detail
}  // namespace k8s::inline v0

// clang-format off

/// Names the members that are read and written, in the global namespace. A member is written unless
/// it is false, 0, "", empty, unset or a struct of such; a RequiredList always.
#define CLIENT_CPP_FIELDS(Type, ...) \
  CLIENT_CPP_DETAIL_DESCRIBE(Type, CLIENT_CPP_DETAIL_MEMBER, __VA_ARGS__)

/// As CLIENT_CPP_FIELDS, with each member in parentheses beside its wire name and maybe the rule by
/// which it is left out: `CLIENT_CPP_FIELDS_NAMED(Spec, (size, "size-gb"), (on, "on", kNever))`.
#define CLIENT_CPP_FIELDS_NAMED(Type, ...) \
  CLIENT_CPP_DETAIL_DESCRIBE(Type, CLIENT_CPP_DETAIL_NAMED, __VA_ARGS__)

/// Says which resource a type stands for, in the global namespace. The arguments are the members of
/// k8s::ResourceInfo, in its order.
#define CLIENT_CPP_RESOURCE(Type, ...)                                            \
  template <>                                                                     \
  struct k8s::runtime::ResourceTraits<Type> {                                     \
    static ::k8s::ResourceInfo Info() { return {__VA_ARGS__}; }                   \
  };                                                                              \
  static_assert(true, "asks for a semicolon")

#define CLIENT_CPP_DETAIL_DESCRIBE(Type, row, ...)                                \
  template <>                                                                     \
  struct k8s::codec::Describe<Type> {                                             \
    static const ::k8s::codec::Field fields[];                                    \
    static const ::k8s::codec::TypeInfo info;                                     \
  };                                                                              \
  _Pragma("GCC diagnostic push")                                                  \
  _Pragma("GCC diagnostic ignored \"-Winvalid-offsetof\"")                        \
  inline constexpr ::k8s::codec::Field k8s::codec::Describe<Type>::fields[] = {   \
      CLIENT_CPP_DETAIL_EACH(row, Type, __VA_ARGS__)};                            \
  _Pragma("GCC diagnostic pop")                                                   \
  inline constexpr ::k8s::codec::TypeInfo k8s::codec::Describe<Type>::info =      \
      ::k8s::codec::StructInfo<Type>(#Type, fields);                              \
  static_assert(true, "asks for a semicolon")

#define CLIENT_CPP_DETAIL_MEMBER(Type, member)                                    \
  CLIENT_CPP_DETAIL_ROW(Type, member, ::k8s::codec::detail::WireName(#member))
#define CLIENT_CPP_DETAIL_NAMED(Type, item)                                       \
  CLIENT_CPP_DETAIL_CALL(CLIENT_CPP_DETAIL_ROW, Type, CLIENT_CPP_DETAIL_UNPACK item)
#define CLIENT_CPP_DETAIL_UNPACK(...) __VA_ARGS__
#define CLIENT_CPP_DETAIL_CALL(macro, ...) macro(__VA_ARGS__)
#define CLIENT_CPP_DETAIL_ROW(Type, member, wire, ...)                            \
  ::k8s::codec::detail::MakeField<decltype(Type::member)>(                        \
      wire, offsetof(Type, member) __VA_OPT__(, ::k8s::codec::Omit::__VA_ARGS__)),

// macro(Type, x) for each x; up to 256 of them.
#define CLIENT_CPP_DETAIL_EACH(macro, Type, ...)                                  \
  __VA_OPT__(CLIENT_CPP_DETAIL_EXPAND(CLIENT_CPP_DETAIL_STEP(macro, Type, __VA_ARGS__)))
#define CLIENT_CPP_DETAIL_STEP(macro, Type, first, ...)                           \
  macro(Type, first) __VA_OPT__(                                                  \
      CLIENT_CPP_DETAIL_NEXT CLIENT_CPP_DETAIL_PARENS(macro, Type, __VA_ARGS__))
#define CLIENT_CPP_DETAIL_NEXT() CLIENT_CPP_DETAIL_STEP
#define CLIENT_CPP_DETAIL_PARENS ()
#define CLIENT_CPP_DETAIL_EXPAND(...)                                             \
  CLIENT_CPP_DETAIL_E3(CLIENT_CPP_DETAIL_E3(CLIENT_CPP_DETAIL_E3(__VA_ARGS__)))
#define CLIENT_CPP_DETAIL_E3(...)                                                 \
  CLIENT_CPP_DETAIL_E2(CLIENT_CPP_DETAIL_E2(CLIENT_CPP_DETAIL_E2(__VA_ARGS__)))
#define CLIENT_CPP_DETAIL_E2(...)                                                 \
  CLIENT_CPP_DETAIL_E1(CLIENT_CPP_DETAIL_E1(CLIENT_CPP_DETAIL_E1(__VA_ARGS__)))
#define CLIENT_CPP_DETAIL_E1(...)                                                 \
  CLIENT_CPP_DETAIL_E0(CLIENT_CPP_DETAIL_E0(CLIENT_CPP_DETAIL_E0(__VA_ARGS__)))
#define CLIENT_CPP_DETAIL_E0(...) __VA_ARGS__

// clang-format on

CLIENT_CPP_FIELDS(k8s::ObjectRef, name, namespace_, uid, resourceVersion);
