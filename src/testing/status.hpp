#pragma once

#include <k8s/error.hpp>
#include <k8s/testing/fault.hpp>

#include "served_resource.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace k8s::inline v0::testing {

/// The text of a metav1.Status of a failure, as the server writes it. `continue_token` goes into
/// its metadata.
[[nodiscard]] std::string StatusBody(const Error& error, std::string_view continue_token = {});

/// What a delete answers when it does not answer the object.
[[nodiscard]] std::string DeletedBody(const ServedResource& resource, std::string_view name,
                                      std::string_view uid);

/// The failure that a fault asks for.
[[nodiscard]] Error FaultError(const Fault& fault);

// Refusals in a real server's words.
[[nodiscard]] Error MakeError(int code, std::string reason, std::string message);
[[nodiscard]] Error BadRequest(std::string message);
[[nodiscard]] Error Unauthorized();
[[nodiscard]] Error NoSuchObject(const ServedResource& resource, std::string_view name);
[[nodiscard]] Error NoSuchResource();
[[nodiscard]] Error NoSuchMethod();
[[nodiscard]] Error AlreadyExists(const ServedResource& resource, std::string_view name);
[[nodiscard]] Error Conflict(const ServedResource& resource, std::string_view name,
                             std::string_view why);
[[nodiscard]] Error UnsupportedMediaType(std::string message = {});
/// 422 with one cause. `type` is "FieldValueRequired" for example, `detail` begins with its words.
[[nodiscard]] Error InvalidField(std::string_view group, std::string_view kind,
                                 std::string_view name, StatusCause cause);
[[nodiscard]] Error TooLargeVersion(std::uint64_t asked, std::uint64_t current);
[[nodiscard]] Error TooOldVersion(std::uint64_t asked, std::uint64_t oldest);
[[nodiscard]] Error ExpiredContinue();
[[nodiscard]] Error ExpiredList();

}  // namespace k8s::inline v0::testing
