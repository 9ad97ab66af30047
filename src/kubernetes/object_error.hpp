#pragma once

#include <k8s/error.hpp>

#include <string_view>

namespace k8s::inline v0::kubernetes::detail {

/// Puts the request in front of an error's message.
[[nodiscard]] Error InContext(std::string_view request, Error error);

/// What becomes of one object that alone cannot be decoded: kDecode with `reason` "ObjectDecode"
/// and, when it can be read, the object's key as `name`.
[[nodiscard]] Error ObjectError(std::string_view request, const Error& fault,
                                std::string_view object);

/// Whether a body of this Content-Type is JSON. None at all is taken for it, as client-go does.
[[nodiscard]] bool IsJson(std::string_view content_type);

/// A body of another type than JSON, with its first bytes when they are text.
[[nodiscard]] Error WrongContentType(std::string_view request, std::string_view content_type,
                                     std::string_view body);

}  // namespace k8s::inline v0::kubernetes::detail
