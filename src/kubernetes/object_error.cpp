#include "kubernetes/object_error.hpp"

#include <k8s/apis/meta/v1.hpp>
#include <k8s/cache/listwatch.hpp>
#include <k8s/codec/codec.hpp>

#include <string>
#include <utility>

#include "rest/response_error.hpp"

namespace k8s::inline v0::kubernetes::detail {

Error InContext(std::string_view request, Error error) {
  error.message = std::string(request) + ": " + error.ToString();
  return error;
}

Error ObjectError(std::string_view request, const Error& fault, std::string_view object) {
  Error error{.kind = ErrorKind::kDecode, .reason = std::string(cache::kReasonObjectDecode)};
  if (auto partial = codec::Decode<metav1::PartialObjectMetadata>(object)) {
    const auto& metadata = partial->metadata;
    if (!metadata.namespace_.empty()) error.name = metadata.namespace_ + "/";
    error.name += metadata.name;
  }
  error.message = std::string(request) + ": object \"" + error.name + "\": " + fault.ToString();
  return error;
}

bool IsJson(std::string_view content_type) {
  return content_type.empty() || content_type == "application/json" ||
         content_type.starts_with("application/json;");
}

Error WrongContentType(std::string_view request, std::string_view content_type,
                       std::string_view body) {
  auto message = std::string(request) + ": the server answered with " + std::string(content_type) +
                 " instead of JSON";
  if (content_type.starts_with("text/") && !body.empty()) {
    message += ": " + rest::detail::OneLine(body, 200);
  }
  return DecodeError(std::move(message));
}

}  // namespace k8s::inline v0::kubernetes::detail
