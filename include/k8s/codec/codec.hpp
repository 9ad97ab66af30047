#pragma once

#include <k8s/codec/describe.hpp>
#include <k8s/codec/type_info.hpp>
#include <k8s/result.hpp>

#include <string>
#include <string_view>
#include <utility>

/// JSON to structs and back, driven by the field tables of <k8s/codec/type_info.hpp>.
///
/// Thread safety. All functions may be called from any thread on distinct objects.
namespace k8s::inline v0::codec {

/// Deepest nesting of values that are kept as text. Mirrors Go's limit.
inline constexpr int kMaxDepth = 10000;
/// Deepest nesting of described structs within each other: only types that contain themselves, as
/// the schemas of custom resource definitions do, could go deeper.
inline constexpr int kMaxTypedDepth = 200;

/// Reads one JSON value into the object at `out`, which is of the type that `type` describes.
///
/// Reads as Go does: unknown fields are skipped; null leaves a value as it is and unsets lists,
/// maps and optionals; of equal keys the last one counts; names are case-sensitive; ill-formed
/// UTF-8 and lone surrogates become U+FFFD. Integers must be written without point and exponent.
/// Lists and maps keep no spare capacity.
///
/// All that is read is checked. Of an unknown field's object or list only the quotes and brackets
/// are: they must end where the value ends, and what stands between them is not looked at. That
/// lets a struct of a few fields be read several times as fast as a whole object; Valid() checks
/// all.
///
/// Errors: kDecode with the field's path, the type that belongs there and the kind of value found,
/// never the value. `out` is then partly filled.
Result<void> Decode(std::string_view json, const TypeInfo& type, void* out);

/// Reads one JSON value as a T.
template <Described T>
Result<T> Decode(std::string_view json) {
  T value{};
  if (auto decoded = Decode(json, Describe<T>::info, &value); !decoded) return decoded.error();
  return value;
}

/// Appends the object's JSON as Go's encoder writes it: fields in table order, map keys sorted.
/// Ill-formed UTF-8 becomes U+FFFD. NaN and infinities, which JSON does not have, become null.
void Encode(const TypeInfo& type, const void* object, std::string& out);

template <Described T>
[[nodiscard]] std::string Encode(const T& object) {
  std::string out;
  Encode(Describe<T>::info, &object, out);
  return out;
}

/// Whether two objects of one type are equal, field by field.
[[nodiscard]] bool Equal(const TypeInfo& type, const void* left, const void* right);

/// Whether the object is all unset: what Omit::kZero leaves out.
[[nodiscard]] bool IsZero(const TypeInfo& type, const void* object);

/// Whether the text is exactly one JSON value, nested at most kMaxDepth deep. Mirrors json.Valid.
[[nodiscard]] bool Valid(std::string_view json);

}  // namespace k8s::inline v0::codec
