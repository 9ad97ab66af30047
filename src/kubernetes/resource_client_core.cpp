#include <k8s/kubernetes/resource_client_core.hpp>

#include <chrono>
#include <string>
#include <utility>

#include "kubernetes/list_reader.hpp"
#include "kubernetes/object_error.hpp"
#include "kubernetes/options.hpp"
#include "kubernetes/watch_stream.hpp"
#include "rest/response_error.hpp"

namespace k8s::inline v0::kubernetes {

using detail::InContext;
using runtime::AnyPtr;

namespace {

using std::chrono::seconds;

// A server cuts ordinary requests after one minute, and sends a bookmark about once a minute.
constexpr seconds kLongestSilence{120};
// A server that lives begins to answer a watch at once.
constexpr seconds kLongestOpening{45};
constexpr seconds kWatchGrace{30};

/// What to ask for: a server that does not know the form answers in its own.
std::string Accept(std::string_view as, std::string_view suffix = {}) {
  if (as.empty()) return "application/json";
  return "application/json;as=" + std::string(as) + std::string(suffix) +
         ";g=meta.k8s.io;v=v1,application/json";
}

Result<void> NeedName(std::string_view name) {
  if (name.empty()) return InvalidArgument("resource name may not be empty");
  return {};
}

std::string_view ContentType(PatchType type) {
  switch (type) {
    case PatchType::kJson:
      return "application/json-patch+json";
    case PatchType::kMerge:
      return "application/merge-patch+json";
    case PatchType::kStrategicMerge:
      return "application/strategic-merge-patch+json";
    case PatchType::kApply:
      return "application/apply-patch+yaml";
  }
  return {};
}

void SetJsonBody(rest::Request& request, std::string body) {
  request.body = std::move(body);
  request.contentType = "application/json";
}

/// The error of a stream whose body is not JSON, with what can be had of it at once.
Error NotJson(const rest::Request& request, rest::HttpResponse& response,
              const std::stop_token& stop) {
  std::string chunk;
  (void)response.Read(chunk, stop).has_value();
  return detail::WrongContentType(rest::detail::Describe(request), response.header("Content-Type"),
                                  chunk);
}

}  // namespace

ResourceClientCore::ResourceClientCore(rest::Client client,
                                       std::shared_ptr<const runtime::ObjectType> type,
                                       std::string namespace_)
    : client_(std::move(client)),
      resource_(type),
      type_(std::move(type)),
      ns_(std::move(namespace_)),
      options_{.openingIdle = kLongestOpening, .listIdle = kLongestSilence} {}

ResourceClientCore ResourceClientCore::InNamespace(std::string_view namespace_) const {
  auto copy = *this;
  copy.ns_ = namespace_;
  return copy;
}

ResourceClientCore ResourceClientCore::WithType(
    std::shared_ptr<const runtime::ObjectType> type) const {
  auto copy = *this;
  copy.type_ = std::move(type);
  return copy;
}

ResourceClientCore ResourceClientCore::WithRequestOptions(cache::RequestOptions options) const {
  auto copy = *this;
  copy.options_ = std::move(options);
  return copy;
}

Result<rest::Request> ResourceClientCore::NewRequest(std::string_view method,
                                                     const rest::ResourcePath& path) const {
  auto encoded = rest::PathOf(resource_->info, path);
  if (!encoded) return std::move(encoded).error();
  rest::Request request;
  request.method = method;
  request.path = std::move(*encoded);
  request.accept = Accept(type_->as);
  request.idleTimeout = kLongestSilence;
  request.resource = {.group = resource_->info.group, .resource = resource_->info.plural};
  request.name = path.name;
  return request;
}

Result<rest::Request> ResourceClientCore::NewNamedRequest(std::string_view method,
                                                          std::string_view name,
                                                          std::string_view subresource) const {
  if (auto named = NeedName(name); !named) return std::move(named).error();
  return NewRequest(
      method,
      {.namespace_ = ns_, .name = std::string(name), .subresource = std::string(subresource)});
}

Result<AnyPtr> ResourceClientCore::DoObject(const rest::Request& request,
                                            std::stop_token stop) const {
  auto response = client_.Do(request, std::move(stop));
  if (!response) return std::move(response).error();
  const auto what = rest::detail::Describe(request);
  if (response->body.empty()) return DecodeError(what + ": the server's answer has no body");
  if (!detail::IsJson(response->contentType)) {
    return detail::WrongContentType(what, response->contentType, response->body);
  }
  auto object = type_->decode(*type_, response->body);
  if (!object) return InContext(what, std::move(object).error());
  return object;
}

Result<AnyPtr> ResourceClientCore::Get(const ObjectPath& target, const metav1::GetOptions& options,
                                       std::stop_token stop) const {
  auto request = NewNamedRequest("GET", target.name, target.subresource);
  if (!request) return std::move(request).error();
  request->query = detail::QueryOf(options);
  return DoObject(*request, std::move(stop));
}

Result<std::unique_ptr<rest::HttpResponse>> ResourceClientCore::Stream(
    const ObjectPath& target, rest::Query query, std::chrono::milliseconds idle,
    std::stop_token stop) const {
  auto request = NewNamedRequest("GET", target.name, target.subresource);
  if (!request) return std::move(request).error();
  request->query = std::move(query);
  request->accept = "*/*";
  request->idleTimeout = idle;
  return client_.Stream(*request, std::move(stop));
}

Result<cache::ListResult> ResourceClientCore::List(const metav1::ListOptions& options,
                                                   const cache::VisitFunc& visit,
                                                   std::stop_token stop) const {
  auto request = NewRequest("GET", {.namespace_ = ns_});
  if (!request) return std::move(request).error();
  auto list_options = options;
  list_options.watch = false;
  request->query = detail::QueryOf(list_options);
  request->accept = Accept(type_->as, "List");
  request->idleTimeout = options_.listIdle;
  request->onRetry = options_.onRetry;
  auto response = client_.Stream(*request, stop);
  if (!response) return std::move(response).error();
  if (!detail::IsJson((*response)->header("Content-Type"))) {
    return NotJson(*request, **response, stop);
  }
  const auto what = rest::detail::Describe(*request);
  detail::ListReader reader(*type_, visit, what);
  std::string chunk;
  while (true) {
    auto more = (*response)->Read(chunk, stop);
    if (!more) return std::move(more).error();
    if (!*more) return reader.Finish();
    if (auto fed = reader.Feed(chunk); !fed) return std::move(fed).error();
  }
}

Result<std::unique_ptr<watch::Interface>> ResourceClientCore::Watch(
    const metav1::ListOptions& options, std::stop_token stop) const {
  auto request = NewRequest("GET", {.namespace_ = ns_});
  if (!request) return std::move(request).error();
  auto watch_options = options;
  watch_options.watch = true;
  request->query = detail::QueryOf(watch_options);
  request->watch = true;
  request->idleTimeout = options_.openingIdle;
  request->onRetry = options_.onRetry;
  if (options.timeoutSeconds) {
    request->timeout = seconds(*options.timeoutSeconds) + kWatchGrace;
  }
  auto response = client_.Stream(*request, stop);
  if (!response) return std::move(response).error();
  if (!detail::IsJson((*response)->header("Content-Type"))) {
    return NotJson(*request, **response, stop);
  }
  (*response)->SetIdleTimeout(options.allowWatchBookmarks ? kLongestSilence : seconds(0));
  return std::unique_ptr<watch::Interface>(
      std::make_unique<detail::WatchStream>(std::move(*response), type_, "watch " + request->path));
}

Result<AnyPtr> ResourceClientCore::Create(const void* object, const metav1::CreateOptions& options,
                                          std::stop_token stop) const {
  if (type_->info.Namespaced() && ns_.empty()) {
    return InvalidArgument("a namespace is needed to create " + type_->info.plural);
  }
  auto request = NewRequest("POST", {.namespace_ = ns_});
  if (!request) return std::move(request).error();
  request->name = type_->meta(object).name;
  request->query = detail::QueryOf(options);
  return DoEncoded(std::move(*request), object, std::move(stop));
}

Result<rest::Request> ResourceClientCore::NewPost(const ObjectPath& target, const void* object,
                                                  const metav1::CreateOptions& options) const {
  auto request = NewNamedRequest("POST", target.name, target.subresource);
  if (!request) return request;
  request->query = detail::QueryOf(options);
  if (auto set = SetObjectBody(*request, object); !set) return std::move(set).error();
  return request;
}

Result<AnyPtr> ResourceClientCore::CreateAt(const ObjectPath& target, const void* object,
                                            const metav1::CreateOptions& options,
                                            std::stop_token stop) const {
  auto request = NewPost(target, object, options);
  if (!request) return std::move(request).error();
  return DoObject(*request, std::move(stop));
}

Result<void> ResourceClientCore::Submit(const ObjectPath& target, const void* object,
                                        const metav1::CreateOptions& options,
                                        std::stop_token stop) const {
  auto request = NewPost(target, object, options);
  if (!request) return std::move(request).error();
  auto response = client_.Do(*request, std::move(stop));
  if (!response) return std::move(response).error();
  return {};
}

Result<AnyPtr> ResourceClientCore::Update(const void* object, std::string_view subresource,
                                          const metav1::UpdateOptions& options,
                                          std::stop_token stop) const {
  auto request = NewNamedRequest("PUT", type_->meta(object).name, subresource);
  if (!request) return std::move(request).error();
  request->query = detail::QueryOf(options);
  return DoEncoded(std::move(*request), object, std::move(stop));
}

Result<AnyPtr> ResourceClientCore::DoEncoded(rest::Request request, const void* object,
                                             std::stop_token stop) const {
  if (auto set = SetObjectBody(request, object); !set) return std::move(set).error();
  return DoObject(request, std::move(stop));
}

Result<void> ResourceClientCore::SetObjectBody(rest::Request& request, const void* object) const {
  if (type_->encode == nullptr) {
    return InvalidArgument("the C++ type of " + type_->info.plural +
                           " can only be read: it has no to_json");
  }
  std::string body;
  type_->encode(*type_, object, body);
  SetJsonBody(request, std::move(body));
  return {};
}

Result<AnyPtr> ResourceClientCore::Patch(const ObjectPath& target, const PatchBody& patch,
                                         const metav1::PatchOptions& options,
                                         std::stop_token stop) const {
  if (patch.type == PatchType::kApply && options.fieldManager.empty()) {
    return InvalidArgument("an apply patch needs PatchOptions::fieldManager");
  }
  auto request = NewNamedRequest("PATCH", target.name, target.subresource);
  if (!request) return std::move(request).error();
  request->query = detail::QueryOf(options);
  request->body = patch.text;
  request->contentType = ContentType(patch.type);
  return DoObject(*request, std::move(stop));
}

Result<AnyPtr> ResourceClientCore::Apply(const ObjectPath& target, std::string fields,
                                         const ApplyOptions& options, std::stop_token stop) const {
  return Patch(target, {.type = PatchType::kApply, .text = std::move(fields)},
               {.dryRun = options.dryRun,
                .force = options.force,
                .fieldManager = options.fieldManager,
                .fieldValidation = options.fieldValidation},
               std::move(stop));
}

Result<void> ResourceClientCore::Delete(const ObjectPath& target,
                                        const metav1::DeleteOptions& options,
                                        std::stop_token stop) const {
  auto request = NewNamedRequest("DELETE", target.name, target.subresource);
  if (!request) return std::move(request).error();
  SetJsonBody(*request, detail::BodyOf(options));
  auto response = client_.Do(*request, std::move(stop));
  if (!response) return std::move(response).error();
  return {};
}

Result<void> ResourceClientCore::DeleteCollection(const metav1::DeleteOptions& options,
                                                  const metav1::ListOptions& which,
                                                  std::stop_token stop) const {
  auto request = NewRequest("DELETE", {.namespace_ = ns_});
  if (!request) return std::move(request).error();
  request->query = detail::QueryOf(which);
  SetJsonBody(*request, detail::BodyOf(options));
  auto response = client_.Do(*request, std::move(stop));
  if (!response) return std::move(response).error();
  return {};
}

}  // namespace k8s::inline v0::kubernetes
