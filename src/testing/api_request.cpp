#include "api_request.hpp"

#include "json.hpp"
#include "status.hpp"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

namespace k8s::inline v0::testing {
namespace {

std::vector<std::string> Segments(std::string_view path) {
  std::vector<std::string> segments;
  while (!path.empty()) {
    const auto slash = std::min(path.find('/'), path.size());
    if (slash > 0) segments.emplace_back(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return segments;
}

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string VerbOf(const RecordedRequest& record) {
  const bool named = !record.name.empty();
  if (record.method == "GET" || record.method == "HEAD") {
    if (IsTrue(record.Param("watch"))) return "watch";
    return named ? "get" : "list";
  }
  if (record.method == "POST") return "create";
  if (record.method == "PUT") return "update";
  if (record.method == "PATCH") return "patch";
  if (record.method == "DELETE") return named ? "delete" : "deletecollection";
  return Lower(record.method);
}

/// What follows the group version: [namespaces NS] RESOURCE [NAME [SUBRESOURCE]].
struct ResourcePath {
  std::string namespace_, plural, name, subresource;
};

ResourcePath ReadResourcePath(const std::vector<std::string>& segments, std::size_t at) {
  ResourcePath path;
  const auto segment = [&](std::size_t i) {
    return at + i < segments.size() ? segments[at + i] : std::string();
  };
  const bool of_namespace = segment(0) == "namespaces" && !segment(2).empty() &&
                            segment(2) != "status" && segment(2) != "finalize";
  if (of_namespace) {
    path.namespace_ = segment(1);
    at += 2;
  }
  path.plural = segment(0);
  path.name = segment(1);
  path.subresource = segment(2);
  return path;
}

std::string Join(std::string_view name, std::string_view subresource) {
  std::string joined(name);
  if (!subresource.empty()) joined.append("/").append(subresource);
  return joined;
}

Error BadListOption(std::string_view field, const std::string& why) {
  return InvalidField("meta.k8s.io", "ListOptions", "",
                      {"FieldValueForbidden", "Forbidden: " + why, std::string(field)});
}

Result<std::uint64_t> ReadNumber(const RecordedRequest& request, std::string_view key) {
  const std::string text = request.Param(key);
  std::uint64_t value = 0;
  if (text.empty()) return value;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return BadRequest("invalid " + std::string(key) + ": " + Quote(text));
  }
  return value;
}

Result<void> CheckVersionMatch(const RecordedRequest& request, const ListParameters& parameters,
                               bool watch_list) {
  const bool watch = request.verb == "watch";
  const std::string& match = parameters.resourceVersionMatch;
  constexpr std::string_view kMatch = "resourceVersionMatch";
  if (watch && parameters.sendInitialEvents) {
    if (match != "NotOlderThan") {
      return BadListOption(
          kMatch, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    }
    if (!watch_list) {
      return BadListOption("sendInitialEvents",
                           "sendInitialEvents is forbidden for watch unless the WatchList feature "
                           "gate is enabled");
    }
    return {};
  }
  if (parameters.sendInitialEvents) {
    return BadListOption("sendInitialEvents", "sendInitialEvents is forbidden for list");
  }
  if (match.empty()) return {};
  if (watch) {
    return BadListOption(
        kMatch, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
  }
  if (parameters.resourceVersion.empty()) {
    return BadListOption(kMatch,
                         "resourceVersionMatch is forbidden unless resourceVersion is provided");
  }
  if (match == "Exact" && parameters.resourceVersion == "0") {
    return BadListOption(kMatch,
                         "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
  }
  return {};
}

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

ApiRequest ReadRequest(RecordedRequest record, const Registry& registry) {
  ApiRequest request;
  const auto segments = Segments(record.path);
  const bool core = segments.size() > 2 && segments[0] == "api";
  const bool grouped = segments.size() > 3 && segments[0] == "apis";
  record.verb = Lower(record.method);
  if (core || grouped) {
    const std::string group = core ? "" : segments[1];
    const std::string version = core ? segments[1] : segments[2];
    const ResourcePath path = ReadResourcePath(segments, core ? 2 : 3);
    record.namespace_ = path.namespace_;
    record.name = path.name;
    record.resource = Join(path.plural, path.subresource);
    record.verb = VerbOf(record);
    request.subresource = path.subresource;
    request.resource = registry.Find(group, version, path.plural);
    if (request.resource && !request.resource->info.Namespaced() && !path.namespace_.empty()) {
      request.resource = nullptr;
    }
    if (request.resource) {
      request.path = ApiRequest::Path::kResource;
    } else if (registry.HasGroupVersion(group, version)) {
      request.path = ApiRequest::Path::kUnknownResource;
    }
  }
  request.record = std::move(record);
  return request;
}

Error Forbidden(const ApiRequest& request) {
  const RecordedRequest& record = request.record;
  if (!request.resource) {
    return MakeError(403, "Forbidden",
                     "forbidden: User " + Quote(request.user) + " cannot " + record.verb +
                         " path " + Quote(record.path));
  }
  const ResourceInfo& info = request.resource->info;
  const std::string name = record.name.empty() ? "" : " " + Quote(record.name);
  const std::string scope = record.namespace_.empty()
                                ? " at the cluster scope"
                                : " in the namespace " + Quote(record.namespace_);
  Error error =
      MakeError(403, "Forbidden",
                request.resource->QualifiedName() + name + " is forbidden: User " +
                    Quote(request.user) + " cannot " + record.verb + " resource " +
                    Quote(record.resource) + " in API group " + Quote(info.group) + scope);
  error.group = info.group;
  error.resource = info.plural;
  error.name = record.name;
  return error;
}

Result<Representation> Negotiate(const RecordedRequest& request) {
  std::string accept = request.Header("Accept");
  if (accept.empty()) accept = "*/*";
  std::string_view rest = accept;
  while (!rest.empty()) {
    const auto comma = std::min(rest.find(','), rest.size());
    const std::string_view type = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    const bool json =
        Has(type, "application/json") || Has(type, "*/*") || Has(type, "application/*");
    if (!json) continue;
    if (Has(type, "as=Table")) return Representation::kTable;
    if (Has(type, "as=PartialObjectMetadata")) return Representation::kMetadata;
    return Representation::kObject;
  }
  return MakeError(406, "NotAcceptable",
                   "406: Not Acceptable\n\nAvailable representations: application/json, "
                   "application/json;stream=watch");
}

std::uint64_t ListParameters::Version() const {
  std::uint64_t version = 0;
  std::from_chars(resourceVersion.data(), resourceVersion.data() + resourceVersion.size(), version);
  return version;
}

Result<ListParameters> ReadListParameters(const RecordedRequest& request, bool watch_list) {
  ListParameters parameters;
  const auto limit = ReadNumber(request, "limit");
  const auto version = ReadNumber(request, "resourceVersion");
  const auto timeout = ReadNumber(request, "timeoutSeconds");
  for (const auto* number : {&limit, &version, &timeout}) {
    if (!*number) return number->error();
  }
  parameters.limit = *limit;
  parameters.timeoutSeconds = *timeout;
  parameters.resourceVersion = request.Param("resourceVersion");
  parameters.resourceVersionMatch = request.Param("resourceVersionMatch");
  parameters.continueToken = request.Param("continue");
  parameters.allowWatchBookmarks = IsTrue(request.Param("allowWatchBookmarks"));
  if (const auto initial = request.Param("sendInitialEvents"); !initial.empty()) {
    parameters.sendInitialEvents = IsTrue(initial);
  }
  if (auto checked = CheckVersionMatch(request, parameters, watch_list); !checked) {
    return checked.error();
  }
  if (!parameters.continueToken.empty() && parameters.Version() != 0) {
    return BadRequest("specifying resource version is not allowed when using continue");
  }
  return parameters;
}

bool IsTrue(std::string_view value) { return value == "true" || value == "1"; }

}  // namespace k8s::inline v0::testing
