#pragma once

#include <k8s/error.hpp>
#include <k8s/result.hpp>
#include <k8s/testing/fake_api_server.hpp>

#include "registry.hpp"
#include "served_resource.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace k8s::inline v0::testing {

/// One request with what its path means.
struct ApiRequest {
  enum class Path {
    kResource,         ///< `resource` is set.
    kUnknownResource,  ///< Below a group version that is served.
    kOther,            ///< Discovery, /version, /healthz and what nobody knows.
  };
  RecordedRequest record;
  Path path = Path::kOther;
  std::shared_ptr<const ServedResource> resource = nullptr;
  std::string subresource = {};
  std::string user = {};
};

/// Reads method, path and query of `record` and fills in its verb, resource, namespace and name.
[[nodiscard]] ApiRequest ReadRequest(RecordedRequest record, const Registry& registry);

/// The refusal of authorization, in a real server's words.
[[nodiscard]] Error Forbidden(const ApiRequest& request);

/// The form of the objects that a client asks for.
enum class Representation { kObject, kMetadata, kTable };

/// By the Accept header. Errors: 406.
[[nodiscard]] Result<Representation> Negotiate(const RecordedRequest& request);

/// A request's ListOptions.
struct ListParameters {
  std::uint64_t limit = 0;
  std::string continueToken = {};
  std::string resourceVersion = {};  ///< As sent; a number if not empty.
  std::string resourceVersionMatch = {};
  std::optional<bool> sendInitialEvents = std::nullopt;
  bool allowWatchBookmarks = false;
  std::uint64_t timeoutSeconds = 0;

  /// 0 for "" as well.
  [[nodiscard]] std::uint64_t Version() const;
};

/// Errors: 400 and 422 for what the server refuses. `watch_list`: whether streaming lists are on.
[[nodiscard]] Result<ListParameters> ReadListParameters(const RecordedRequest& request,
                                                        bool watch_list);

/// Whether a query parameter says yes.
[[nodiscard]] bool IsTrue(std::string_view value);

}  // namespace k8s::inline v0::testing
