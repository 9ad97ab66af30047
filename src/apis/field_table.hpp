#pragma once

#include <k8s/codec/describe.hpp>
#include <k8s/codec/type_info.hpp>

#include <cstddef>

// The structs are not standard-layout, as their members are not. Both compilers define offsetof for
// them all the same: they have neither bases nor virtual functions.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

/// A row of a generated field table.
#define CLIENT_CPP_FIELD_ROW(Type, member, wire, omit_rule, number, inline_number)  \
  {                                                                                 \
    .name = wire, .offset = offsetof(Type, member), .omit = codec::Omit::omit_rule, \
    .proto = number, .proto_inline = inline_number,                                 \
    .type = &codec::TypeOf<decltype(Type::member)>()                                \
  }
