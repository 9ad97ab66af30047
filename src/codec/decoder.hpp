#pragma once

#include <k8s/bytes.hpp>
#include <k8s/codec/type_info.hpp>
#include <k8s/result.hpp>

#include "codec/scanner.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace k8s::inline v0::codec::detail {

/// What a top-level object says of its type. These members are kept out of the object.
struct TypeMeta {
  std::string kind;
  std::string apiVersion;
};

/// Reads one JSON text into objects by their field tables, in one pass.
///
/// Members that read take the place of the value's first byte and return the place behind the
/// value, or null after a failure. The place is not a member so that it stays in a register.
class Decoder {
 public:
  explicit Decoder(std::string_view json) : scanner_(json) {}

  /// Reads a value of any type.
  Result<void> Run(const TypeInfo& type, void* out);
  /// Reads a top-level object, its type's names into `meta`.
  Result<void> Run(const TypeInfo& type, void* out, TypeMeta& meta);

 private:
  const char* Value(const char* p, const TypeInfo& type, void* out, int depth);
  const char* Bool(const char* p, bool& out);
  const char* Integer(const char* p, const TypeInfo& type, void* out);
  const char* Double(const char* p, const TypeInfo& type, double& out);
  const char* String(const char* p, const TypeInfo& type, std::string& out);
  const char* Base64(const char* p, const TypeInfo& type, Bytes& out);
  const char* Scalar(const char* p, const TypeInfo& type, void* out, int depth);
  const char* Struct(const char* p, const TypeInfo& type, void* out, int depth);
  const char* List(const char* p, const TypeInfo& type, void* out, int depth);
  const char* Map(const char* p, const TypeInfo& type, void* out, int depth);
  const char* Optional(const char* p, const TypeInfo& type, void* out, int depth);

  const char* Text(const char* p, std::string& out);
  const char* Name(const char* p, std::string_view& name);
  const char* MetaMember(const char* p, std::string_view name, std::string& out);
  const char* Null(const char* p, const TypeInfo& type, void* out);
  const char* Other(const char* p, const TypeInfo& type, void* out);

  const char* Fail(std::string message);
  const char* Mismatch(const char* p, std::string_view found, const TypeInfo& type);
  const char* In(std::string_view field);
  const char* InKey(std::string_view key);
  const char* InElement(std::size_t index);
  [[nodiscard]] Error Failure() const;
  Result<void> Finish(const char* p);

  Scanner scanner_;
  TypeMeta* meta_ = nullptr;  // Of the outermost object; null while within it.
  std::string scratch_;       // Texts that are not as they stand: names, base64.
  std::string path_;          // Of a failure.
  std::string message_;       // Of a failure other than the scanner's.
};

}  // namespace k8s::inline v0::codec::detail
