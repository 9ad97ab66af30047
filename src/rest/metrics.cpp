#include <k8s/rest/metrics.hpp>

namespace k8s::inline v0::rest {

std::string_view ToString(ExecPluginMetrics::Status status) {
  using Status = ExecPluginMetrics::Status;
  switch (status) {
    case Status::kNoError:
      return "no_error";
    case Status::kExecutionError:
      return "plugin_execution_error";
    case Status::kNotFound:
      return "plugin_not_found_error";
    case Status::kClientError:
      return "client_internal_error";
  }
  return "unknown";
}

}  // namespace k8s::inline v0::rest
