#include <k8s/runtime/object_type_of.hpp>
#include <k8s/runtime/status.hpp>

#include "codec/decoder.hpp"
#include "codec/encoder.hpp"
#include "codec/wrong_kind.hpp"

namespace k8s::inline v0::runtime {
namespace detail {

Error WrongKind(const ObjectType& type, std::string_view kind, std::string_view json) {
  if (kind == "Status") {
    if (auto failure = ErrorFromStatus(json)) return std::move(*failure);
  }
  return DecodeError(std::string(kind) + " where " + type.info.kind + " belongs");
}

}  // namespace detail

Result<void> DecodeObject(const ObjectType& type, const codec::TypeInfo& info,
                          std::string_view json, void* object) {
  codec::detail::TypeMeta meta;
  auto decoded = codec::detail::Decoder(json).Run(info, object, meta);
  // What is of another kind need not fit the type: its kind is the better explanation.
  if (!meta.kind.empty() && meta.kind != type.info.kind)
    return detail::WrongKind(type, meta.kind, json);
  return decoded;
}

void EncodeObject(const ObjectType& type, const codec::TypeInfo& info, const void* object,
                  std::string& out) {
  codec::detail::Encoder(out).TopLevel(info, object, type.info);
}

}  // namespace k8s::inline v0::runtime
