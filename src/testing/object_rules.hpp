#pragma once

#include <k8s/result.hpp>

#include "api_request.hpp"
#include "json.hpp"
#include "managed_fields.hpp"
#include "served_resource.hpp"

#include <string>
#include <string_view>

namespace k8s::inline v0::testing {

/// The request's body as one JSON object. Errors: 400, 415.
[[nodiscard]] Result<Json> ReadObject(const ApiRequest& request);

/// The options in a delete's body, or none. Errors: 400, 415.
[[nodiscard]] Result<Json> ReadDeleteOptions(const ApiRequest& request);

/// Whether the object may be sent to this path: kind, apiVersion, namespace and name. Fills in the
/// namespace. Errors: 400.
[[nodiscard]] Result<void> CheckAddress(const ApiRequest& request, Json& object);

/// Errors: 422 for a name that the server would not take.
[[nodiscard]] Result<void> CheckName(const ServedResource& resource, const std::string& name);

/// Errors: 409 when `object` or preconditions name another uid or resource version than `live`.
[[nodiscard]] Result<void> CheckPreconditions(const ServedResource& resource, const Json& live,
                                              std::string_view uid, std::string_view version);

/// Gives a new object what the server decides: uid, times, generation, generated name.
void FillNew(const ServedResource& resource, Json& object);

/// Drops what a client cannot create: the status, where it is a subresource.
void DropStatus(const ServedResource& resource, Json& object);

/// What an update makes of the live object: fields that updates do not change come from there;
/// `subresource` "status" changes the status alone.
[[nodiscard]] Json MergeUpdate(const ServedResource& resource, const Json& live, Json updated,
                               std::string_view subresource);

/// The writer of a request.
[[nodiscard]] FieldManager ManagerOf(const ApiRequest& request);

}  // namespace k8s::inline v0::testing
