#include "api_server.hpp"

#include "continue_token.hpp"
#include "discovery.hpp"
#include "http_server.hpp"
#include "status.hpp"

#include <algorithm>
#include <utility>

namespace k8s::inline v0::testing {
namespace {

constexpr std::string_view kBearer = "Bearer ";

Answer PageNotFound() {
  Answer answer = AnswerOf("404 page not found\n", 404);
  answer.contentType = "text/plain; charset=utf-8";
  return answer;
}

Answer Plain(std::string text) {
  Answer answer = AnswerOf(std::move(text));
  answer.contentType = "text/plain; charset=utf-8";
  return answer;
}

Answer Streamed(std::string body) {
  Answer answer = AnswerOf(std::move(body));
  answer.chunked = true;
  return answer;
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Whether the resource can be asked this at all. Errors: 404, 405.
Result<void> CheckVerb(const ApiRequest& request) {
  const RecordedRequest& record = request.record;
  const ServedResource& resource = *request.resource;
  const std::string& subresource = request.subresource;
  const bool reads_or_writes =
      record.verb == "get" || record.verb == "update" || record.verb == "patch";
  if (!subresource.empty()) {
    if (!resource.HasSubresource(subresource)) return NoSuchResource();
    const bool fits = subresource == "status" ? reads_or_writes : record.verb == "create";
    return fits ? Result<void>() : NoSuchMethod();
  }
  if (!resource.HasVerb(record.verb)) return NoSuchMethod();
  const bool needs_name = reads_or_writes || record.verb == "delete";
  const bool creates = record.verb == "create";
  if ((needs_name && record.name.empty()) || (creates && !record.name.empty())) {
    return NoSuchMethod();
  }
  const bool across_namespaces = resource.info.Namespaced() && record.namespace_.empty();
  if (across_namespaces && (needs_name || creates)) return NoSuchMethod();
  return {};
}

Result<Selection> SelectionOf(const ApiRequest& request) {
  const RecordedRequest& record = request.record;
  std::string fields = record.Param("fieldSelector");
  if (record.verb == "watch" && !record.name.empty()) {
    fields += (fields.empty() ? "metadata.name=" : ",metadata.name=") + record.name;
  }
  return Selection::Parse(*request.resource, record.namespace_, record.Param("labelSelector"),
                          fields);
}

WatchStart StartOf(const ListParameters& parameters) {
  WatchStart start;
  const bool any_version = parameters.Version() == 0;
  start.from_state = parameters.sendInitialEvents.value_or(any_version);
  start.mark_end = parameters.sendInitialEvents.value_or(false) && parameters.allowWatchBookmarks;
  start.version = parameters.Version();
  return start;
}

}  // namespace

ApiServer::ApiServer(FakeApiServerOptions options, Registry& registry, ObjectStore& store)
    : options_(std::move(options)),
      registry_(registry),
      store_(store),
      objects_(registry, store),
      tokens_(options_.tokens),
      forbidden_(options_.forbidden),
      watch_list_(options_.watchList) {}

Answer ApiServer::Handle(ApiRequest& request, Connection& connection,
                         const std::optional<Fault>& stream_fault) {
  if (auto admitted = Admit(request); !admitted) return AnswerOf(admitted.error());
  switch (request.path) {
    case ApiRequest::Path::kOther:
      return HandleOther(request);
    case ApiRequest::Path::kUnknownResource:
      return AnswerOf(NoSuchResource());
    case ApiRequest::Path::kResource:
      break;
  }
  if (auto checked = CheckVerb(request); !checked) return AnswerOf(checked.error());
  return HandleObjects(request, connection, stream_fault);
}

Result<void> ApiServer::Admit(ApiRequest& request) const {
  const std::lock_guard lock(mutex_);
  request.user = "system:anonymous";
  if (!tokens_.empty()) {
    const std::string header = request.record.Header("Authorization");
    if (!header.starts_with(kBearer)) return Unauthorized();
    const auto found = tokens_.find(header.substr(kBearer.size()));
    if (found == tokens_.end()) return Unauthorized();
    request.user = found->second;
  }
  for (const ForbiddenRule& rule : forbidden_) {
    if (!rule.user.empty() && rule.user != request.user) continue;
    if (Matches(rule.match, request.record)) return Forbidden(request);
  }
  return {};
}

Answer ApiServer::HandleOther(const ApiRequest& request) const {
  const RecordedRequest& record = request.record;
  const std::string& path = record.path;
  if (path == "/healthz" || path == "/readyz" || path == "/livez") return Plain("ok");
  if (record.method != "GET") return PageNotFound();
  const std::string accept = record.Header("Accept");
  if (options_.aggregatedDiscovery && Contains(accept, "as=APIGroupDiscoveryList")) {
    if (auto body = AggregatedDiscoveryBody(registry_, path)) {
      Answer answer = AnswerOf(std::move(*body));
      answer.contentType = kAggregatedContentType;
      return answer;
    }
  }
  std::string host;
  {
    const std::lock_guard lock(mutex_);
    host = host_;
  }
  if (auto body = DiscoveryBody(registry_, path, host)) return AnswerOf(std::move(*body));
  if (auto body = OpenApiBody(registry_, path)) return AnswerOf(std::move(*body));
  return PageNotFound();
}

Answer ApiServer::HandleObjects(const ApiRequest& request, Connection& connection,
                                const std::optional<Fault>& stream_fault) {
  auto representation = Negotiate(request.record);
  if (!representation) return AnswerOf(representation.error());
  Presenter presenter(request.resource, *representation, request.record.Param("includeObject"));
  const std::string& verb = request.record.verb;
  if (verb == "list") return List(request, std::move(presenter));
  if (verb == "watch") return Watch(request, std::move(presenter), connection, stream_fault);
  if (verb == "deletecollection") return DeleteCollection(request, std::move(presenter));
  return HandleObject(request, presenter);
}

Answer ApiServer::HandleObject(const ApiRequest& request, const Presenter& presenter) {
  const std::string& verb = request.record.verb;
  const auto handle = [&] {
    if (verb == "get") return objects_.Get(request);
    if (verb == "create") return objects_.Create(request);
    if (verb == "update") return objects_.Update(request);
    if (verb == "patch") return objects_.Patch(request);
    return objects_.Delete(request);
  };
  const Result<Outcome> outcome = handle();
  if (!outcome) return AnswerOf(outcome.error());
  if (request.subresource == "eviction" || request.subresource == "binding") {
    return AnswerOf(
        R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})"
        "\n",
        201);
  }
  // Pods are answered themselves: on a real server they go on existing for a while.
  const bool answers_status =
      outcome->deleted && verb == "delete" && request.resource->info.plural != "pods";
  if (answers_status) {
    const Json object = ToJson(*request.resource, *outcome->object);
    return AnswerOf(
        DeletedBody(*request.resource, outcome->object->name, TextAt(object, {"metadata", "uid"})));
  }
  return AnswerOf(presenter.Object(*outcome->object) + "\n", outcome->status);
}

Result<ListQuery> ApiServer::QueryOf(const ListParameters& parameters) const {
  ListQuery query;
  query.limit = parameters.limit;
  if (!parameters.continueToken.empty()) {
    auto token = ContinueToken::Decode(parameters.continueToken);
    if (!token) return token.error();
    query.start = token->start;
    if (token->version > 0) query.version = static_cast<std::uint64_t>(token->version);
    return query;
  }
  const std::uint64_t version = parameters.Version();
  if (version == 0) {
    const bool cached = parameters.resourceVersion == "0" && options_.watchCache;
    if (cached) query.limit = 0;
    return query;
  }
  if (version > store_.version()) return TooLargeVersion(version, store_.version());
  const std::string& match = parameters.resourceVersionMatch;
  // A limit without a match means exactly this version, for the sake of old clients.
  if (match == "Exact" || (match.empty() && parameters.limit > 0)) query.version = version;
  return query;
}

Answer ApiServer::ExpiredPage(const ListQuery& query) {
  const ContinueToken inconsistent{-1, query.start};
  return AnswerOf(StatusBody(ExpiredContinue(), inconsistent.Encode()), 410);
}

Answer ApiServer::List(const ApiRequest& request, Presenter presenter) const {
  auto parameters = ReadListParameters(request.record, watch_list());
  if (!parameters) return AnswerOf(parameters.error());
  auto selection = SelectionOf(request);
  if (!selection) return AnswerOf(selection.error());
  auto query = QueryOf(*parameters);
  if (!query) return AnswerOf(query.error());
  auto page = store_.List(request.resource->info, *selection, *query);
  if (!page) {
    const bool expired_page = page.error().code == 410 && !query->start.empty();
    return expired_page ? ExpiredPage(*query) : AnswerOf(page.error());
  }
  Presenter::ListMetadata metadata{page->version};
  if (!page->next.empty()) {
    metadata.continueToken =
        ContinueToken{static_cast<std::int64_t>(page->version), page->next}.Encode();
    // With a selector nobody knows how many there are.
    if (!selection->Selective()) metadata.remaining = page->remaining;
  }
  Answer answer;
  answer.list =
      std::make_shared<ListBody>(std::move(presenter), std::move(*page), std::move(metadata));
  answer.gzip = WantsGzip(request.record, *answer.list);
  return answer;
}

bool ApiServer::WantsGzip(const RecordedRequest& request, const ListBody& body) const {
  return body.EstimatedSize() >= options_.gzipFromBytes &&
         Contains(request.Header("Accept-Encoding"), "gzip");
}

Answer ApiServer::Watch(const ApiRequest& request, Presenter presenter, Connection& connection,
                        const std::optional<Fault>& fault) {
  auto parameters = ReadListParameters(request.record, watch_list());
  if (!parameters) return AnswerOf(parameters.error());
  auto selection = SelectionOf(request);
  if (!selection) return AnswerOf(selection.error());
  const bool needs_version = parameters->sendInitialEvents.value_or(false);
  if (needs_version && parameters->Version() > store_.version()) {
    return AnswerOf(TooLargeVersion(parameters->Version(), store_.version()));
  }
  Watcher watcher;
  watcher.request = request.record;
  watcher.resource = request.resource;
  watcher.selection = std::move(*selection);
  watcher.connection = &connection;
  auto open = store_.Watch(std::move(watcher), StartOf(*parameters));
  // The answer has begun when the server finds out: the failure is an event.
  if (!open) return Streamed(Presenter::ErrorEvent(open.error()));
  WatchStream::Options options = StreamOptions(*parameters);
  options.fault = fault;
  Answer answer;
  answer.watch = std::make_shared<WatchStream>(store_, std::move(*open), std::move(presenter),
                                               std::move(options));
  return answer;
}

WatchStream::Options ApiServer::StreamOptions(const ListParameters& parameters) const {
  return {.bookmarks = parameters.allowWatchBookmarks,
          .bookmarkInterval = options_.bookmarkInterval,
          .bookmarkBeforeTimeout = options_.bookmarkBeforeTimeout,
          .timeout = std::chrono::seconds(parameters.timeoutSeconds)};
}

Answer ApiServer::DeleteCollection(const ApiRequest& request, Presenter presenter) {
  auto page = objects_.DeleteCollection(request);
  if (!page) return AnswerOf(page.error());
  const Presenter::ListMetadata metadata{page->version};
  Answer answer;
  answer.list = std::make_shared<ListBody>(std::move(presenter), std::move(*page), metadata);
  return answer;
}

void ApiServer::SetTokens(std::map<std::string, std::string> tokens) {
  const std::lock_guard lock(mutex_);
  tokens_ = std::move(tokens);
}

void ApiServer::SetForbidden(std::vector<ForbiddenRule> rules) {
  const std::lock_guard lock(mutex_);
  forbidden_ = std::move(rules);
}

void ApiServer::SetWatchList(bool enabled) {
  const std::lock_guard lock(mutex_);
  watch_list_ = enabled;
}

void ApiServer::SetHost(std::string host) {
  const std::lock_guard lock(mutex_);
  host_ = std::move(host);
}

std::string ApiServer::FirstToken() const {
  const std::lock_guard lock(mutex_);
  return tokens_.empty() ? std::string() : tokens_.begin()->first;
}

bool ApiServer::watch_list() const {
  const std::lock_guard lock(mutex_);
  return watch_list_;
}

}  // namespace k8s::inline v0::testing
