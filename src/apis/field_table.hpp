#pragma once

#include <k8s/codec/codec.hpp>
#include <k8s/codec/describe.hpp>
#include <k8s/codec/type_info.hpp>

#include <cstddef>

// The structs are not standard-layout, as their members are not. Both compilers define offsetof for
// them all the same: they have neither bases nor virtual functions.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

// What generated sources are written in.

/// A row of a field table.
#define CLIENT_CPP_FIELD_ROW(Type, member, wire, omit_rule, number, inline_number)  \
  {                                                                                 \
    .name = wire, .offset = offsetof(Type, member), .omit = codec::Omit::omit_rule, \
    .proto = number, .proto_inline = inline_number,                                 \
    .type = &codec::TypeOf<decltype(Type::member)>()                                \
  }

/// The TypeInfo of a struct whose field table is kTypeFields. In namespace codec.
#define CLIENT_CPP_DEFINE_STRUCT(package, Type)            \
  constinit const TypeInfo Describe<package::Type>::info = \
      StructInfo<package::Type>(#Type, package::k##Type##Fields);

/// The TypeInfo of a struct without fields. In namespace codec.
#define CLIENT_CPP_DEFINE_EMPTY_STRUCT(package, Type) \
  constinit const TypeInfo Describe<package::Type>::info = StructInfo<package::Type>(#Type);

/// Equality by field table. In the type's namespace.
#define CLIENT_CPP_DEFINE_EQUAL(Type)                   \
  bool operator==(const Type& a, const Type& b) {       \
    return codec::Equal(codec::TypeOf<Type>(), &a, &b); \
  }
