#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace k8s::inline v0::codec {

struct TypeInfo;

/// The JSON shape of a C++ type; picks the branch of the one decoder and the one encoder.
enum class Form : std::uint8_t {
  kBool,
  kInt32,
  kInt64,
  kFloat64,
  kString,        ///< std::string
  kBytes,         ///< k8s::Bytes, base64 in JSON
  kScalar,        ///< A class with UnmarshalJSON, MarshalJSON and IsZero: Quantity, Time, raw JSON.
  kStruct,        ///< Fields by name.
  kList,          ///< std::vector<T>: null, empty and absent are one.
  kRequiredList,  ///< k8s::RequiredList<T>: tells null from [].
  kMap,           ///< k8s::StringMap<T>
  kOptional,      ///< std::optional<scalar>
  kBox,           ///< k8s::Box<struct>
};

/// When the encoder leaves a field out. Mirrors the JSON tags of Go.
enum class Omit : std::uint8_t {
  kNever,  ///< Always written; an unset list or map is null.
  kEmpty,  ///< omitempty: false, 0, "", empty list or map, unset optional. Never a struct.
  kZero,   ///< omitempty and omitzero: a zero struct or scalar class as well.
};

/// One row of a struct's field table.
struct Field {
  std::string_view name;     ///< Wire name.
  std::uint32_t offset = 0;  ///< Of the member in its struct.
  Omit omit = Omit::kEmpty;
  std::uint16_t proto = 0;  ///< Protobuf field number; 0: not in protobuf.
  /// Where Go inlines a struct, its fields stand in the outer one here. In protobuf they still are
  /// a message of their own: this is that message's field number, 0 for ordinary fields. Of two
  /// such messages within each other the outer number is in the low byte, the inner one in the high
  /// byte.
  std::uint16_t proto_inline = 0;
  const TypeInfo* type = nullptr;
};

/// Operations that a form needs, each null where the form does not need it. All take the address of
/// the member. Nothing here throws but std::bad_alloc.
struct TypeOps {
  // kStruct: life on the heap. kScalar: none of them.
  void* (*create)() = nullptr;
  void (*destroy)(void*) = nullptr;
  void* (*clone)(const void*) = nullptr;

  // kList, kRequiredList: append() gives a fresh element; finish() trims spare capacity after
  // decode, also that of kMap.
  void* (*append)(void* list) = nullptr;
  void (*finish)(void* container) = nullptr;
  std::size_t (*size)(const void* container) = nullptr;  // kMap too
  const void* (*data)(const void* list) = nullptr;
  // kRequiredList: null or a list, maybe empty.
  void (*set_null)(void* list, bool is_null) = nullptr;
  bool (*is_null)(const void* list) = nullptr;

  // kMap: gives a fresh value for a key, new or not; the i-th pair in ascending order of the keys.
  void* (*insert)(void* map, std::string&& key) = nullptr;
  const std::string* (*key)(const void* map, std::size_t i) = nullptr;
  const void* (*value)(const void* map, std::size_t i) = nullptr;

  // kList, kRequiredList, kMap, kOptional, kBox: back to the unset state.
  void (*clear)(void*) = nullptr;

  // kOptional, kBox: makes a fresh value and gives its address; the value's address or null.
  void* (*emplace)(void*) = nullptr;
  const void* (*get)(const void*) = nullptr;

  // kScalar. `raw` is one valid JSON value without surrounding white space, strings with their
  // quotes. Returns null, or the reason of a refusal (a static text).
  const char* (*unmarshal)(void*, std::string_view raw) = nullptr;
  void (*marshal)(const void*, std::string& out) = nullptr;
  bool (*is_zero)(const void*) = nullptr;
  bool (*equal)(const void*, const void*) = nullptr;
};

/// Everything the codec knows of one C++ type. Constant-initialised: usable before main().
struct TypeInfo {
  Form form;
  std::uint32_t size;                 ///< sizeof, the stride of lists.
  std::string_view name;              ///< For errors: "PodSpec", "Quantity".
  const Field* fields = nullptr;      ///< kStruct
  std::uint32_t field_count = 0;      ///< kStruct
  const TypeInfo* element = nullptr;  ///< kList, kRequiredList, kMap, kOptional, kBox
  TypeOps ops = {};
};

/// `Describe<T>::info` is T's TypeInfo. Specialised for the forms in <k8s/codec/describe.hpp>, for
/// built-in types by generated code (declared in the header, defined in the library), and for a
/// user's types by CLIENT_CPP_FIELDS.
template <class T>
struct Describe;

template <class T>
[[nodiscard]] constexpr const TypeInfo& TypeOf() {
  return Describe<T>::info;
}

}  // namespace k8s::inline v0::codec
