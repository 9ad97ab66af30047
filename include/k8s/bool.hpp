#pragma once

#include <k8s/codec/type_info.hpp>

namespace k8s::inline v0 {

/// A bool as an element of a list: std::vector<bool> has no addressable elements, std::vector<Bool>
/// has. Converts from and to bool.
struct Bool {
  bool value = false;

  Bool() = default;
  Bool(bool initial) : value(initial) {}   // NOLINT: a bool is one
  operator bool() const { return value; }  // NOLINT: likewise
};

namespace codec {
// Its address is its member's, so that it is read and written as a bool.
template <>
struct Describe<Bool> {
  static constexpr TypeInfo info{.form = Form::kBool, .size = sizeof(Bool), .name = "bool"};
};
}  // namespace codec

}  // namespace k8s::inline v0
