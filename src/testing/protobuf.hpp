#pragma once

#include <k8s/codec/type_info.hpp>
#include <k8s/result.hpp>

#include "json.hpp"

#include <string_view>

namespace k8s::inline v0::testing {

inline constexpr std::string_view kProtobufContentType = "application/vnd.kubernetes.protobuf";

/// Reads an object in Kubernetes' protobuf envelope, as client-go's typed clients and kubectl send
/// it. `type` is what the object has to be. Errors: 400.
[[nodiscard]] Result<Json> FromProtobuf(std::string_view bytes, const codec::TypeInfo& type);

}  // namespace k8s::inline v0::testing
