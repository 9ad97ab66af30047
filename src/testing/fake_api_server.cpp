#include <k8s/testing/fake_api_server.hpp>

#include "answer.hpp"
#include "api_request.hpp"
#include "api_server.hpp"
#include "fault_injector.hpp"
#include "http_server.hpp"
#include "object_store.hpp"
#include "query.hpp"
#include "registry.hpp"
#include "request_log.hpp"
#include "sample_pod.hpp"
#include "status.hpp"

#include <exception>
#include <mutex>

namespace k8s::inline v0::testing {
namespace {

RecordedRequest Record(const httplib::Request& request) {
  RecordedRequest record;
  record.method = request.method;
  const auto question = request.target.find('?');
  record.path = PercentDecode(request.target.substr(0, question), false);
  if (question != std::string::npos) record.query = request.target.substr(question + 1);
  for (const auto& [name, value] : request.headers) {
    // cpp-httplib adds these to what was sent.
    if (name.starts_with("REMOTE_") || name.starts_with("LOCAL_")) continue;
    record.headers.emplace_back(name == HttpServer::kAcceptEncoding ? "Accept-Encoding" : name,
                                value);
  }
  record.body = request.body;
  return record;
}

Json ParseObject(std::string_view json) {
  Json object = Json::parse(json, nullptr, false);
  if (object.is_discarded()) throw BadResult(BadRequest("the object is not valid JSON"));
  return object;
}

template <class T>
T ValueOrThrow(Result<T> result) {
  if (!result) throw BadResult(result.error());
  return std::move(*result);
}

}  // namespace

class FakeApiServer::Impl {
 public:
  explicit Impl(FakeApiServerOptions options)
      : store_(options.historySize, options.firstResourceVersion),
        api_(options, registry_, store_),
        http_([this](const httplib::Request& request, httplib::Response& response,
                     Connection& connection) { Handle(request, response, connection); }) {
    for (const char* name : {"default", "kube-node-lease", "kube-public", "kube-system"}) {
      (void)api_.objects().Put(Json{{"kind", "Namespace"},
                                    {"apiVersion", "v1"},
                                    {"metadata", {{"name", name}}},
                                    {"spec", Json::object()}},
                               ObjectHandler::Force::kAdd);
    }
    Start(options.port);
  }

  void Start(int port) {
    const std::lock_guard lock(running_mutex_);
    if (running_) return;
    if (auto started = http_.Start(port == 0 ? http_.port() : port); !started) {
      throw BadResult(started.error());
    }
    api_.SetHost("127.0.0.1:" + std::to_string(http_.port()));
    running_ = true;
  }

  void Stop(bool abort) {
    const std::lock_guard lock(running_mutex_);
    http_.Stop(abort);
    running_ = false;
  }

  Registry& registry() { return registry_; }
  ObjectStore& store() { return store_; }
  ApiServer& api() { return api_; }
  HttpServer& http() { return http_; }
  FaultInjector& faults() { return faults_; }
  RequestLog& log() { return log_; }

  Registry::Ref Served(const GroupResource& resource) const {
    auto served = registry_.FindAnyVersion(resource);
    if (!served) throw BadResult(NoSuchResource());
    return served;
  }

 private:
  void Handle(const httplib::Request& http_request, httplib::Response& response,
              Connection& connection) {
    ApiRequest request = ReadRequest(Record(http_request), registry_);
    const RequestLog::Entry entry = log_.Add(request.record);
    const RequestFaults faults = faults_.Take(request.record);
    if (faults.answer && Meet(*faults.answer, entry, response, connection)) return;
    Answer answer = Ask(request, connection, faults.stream);
    log_.SetStatus(entry, answer.status);
    SendAnswer(std::move(answer), faults.stream, response, connection);
  }

  Answer Ask(ApiRequest& request, Connection& connection, const std::optional<Fault>& fault) {
    try {
      return api_.Handle(request, connection, fault);
    } catch (const std::exception& error) {
      return AnswerOf(
          MakeError(500, "InternalError", std::string("Internal error occurred: ") + error.what()));
    }
  }

  /// True: the fault was the whole answer.
  bool Meet(const Fault& fault, const RequestLog::Entry& entry, httplib::Response& response,
            Connection& connection) {
    switch (fault.kind) {
      case FaultKind::kDropConnection:
        connection.Reset();
        return true;
      case FaultKind::kCloseConnection:
        connection.GiveUp();
        return true;
      case FaultKind::kStall:
        connection.WaitUntilGone();
        return true;
      case FaultKind::kDelay:
        return !Pause(connection, fault.delay);
      case FaultKind::kRawAnswer: {
        Answer answer = AnswerOf(fault.body, fault.status);
        answer.contentType = fault.contentType;
        log_.SetStatus(entry, answer.status);
        SendAnswer(std::move(answer), std::nullopt, response, connection);
        return true;
      }
      default:
        break;
    }
    Answer answer = AnswerOf(FaultError(fault));
    log_.SetStatus(entry, answer.status);
    SendAnswer(std::move(answer), std::nullopt, response, connection);
    return true;
  }

  Registry registry_;
  ObjectStore store_;
  FaultInjector faults_;
  RequestLog log_;
  ApiServer api_;
  std::mutex running_mutex_;
  bool running_ = false;
  HttpServer http_;  // Last: its threads use all the others.
};

FakeApiServer::FakeApiServer(FakeApiServerOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}

FakeApiServer::~FakeApiServer() = default;

std::string FakeApiServer::url() const { return "http://127.0.0.1:" + std::to_string(port()); }

int FakeApiServer::port() const { return impl_->http().port(); }

rest::Config FakeApiServer::config() const {
  rest::Config config;
  config.host = url();
  config.bearerToken = impl_->api().FirstToken();
  config.qps = -1;
  return config;
}

std::uint64_t FakeApiServer::Add(std::string_view json) {
  return ValueOrThrow(impl_->api().objects().Put(ParseObject(json), ObjectHandler::Force::kAdd));
}

std::uint64_t FakeApiServer::Modify(std::string_view json) {
  return ValueOrThrow(impl_->api().objects().Put(ParseObject(json), ObjectHandler::Force::kModify));
}

std::uint64_t FakeApiServer::Apply(std::string_view json) {
  return ValueOrThrow(impl_->api().objects().Put(ParseObject(json), ObjectHandler::Force::kApply));
}

std::uint64_t FakeApiServer::Delete(std::string_view json) {
  return ValueOrThrow(impl_->api().objects().Remove(ParseObject(json)));
}

std::uint64_t FakeApiServer::Delete(const GroupResource& resource, std::string_view namespace_,
                                    std::string_view name) {
  return ValueOrThrow(impl_->api().objects().Remove(*impl_->Served(resource), namespace_, name));
}

std::string FakeApiServer::Get(const GroupResource& resource, std::string_view namespace_,
                               std::string_view name) const {
  const auto served = impl_->Served(resource);
  const ObjectRef object = impl_->store().Find(served->info, namespace_, name);
  if (!object) throw BadResult(NoSuchObject(*served, name));
  return ToText(*served, *object);
}

bool FakeApiServer::Has(const GroupResource& resource, std::string_view namespace_,
                        std::string_view name) const {
  return impl_->store().Find(impl_->Served(resource)->info, namespace_, name) != nullptr;
}

std::size_t FakeApiServer::Count(const GroupResource& resource) const {
  return impl_->store().Count(resource);
}

std::uint64_t FakeApiServer::CreateMany(std::size_t count, std::string_view namespace_,
                                        std::string_view prefix) {
  std::uint64_t version = ResourceVersion();
  for (std::size_t i = 0; i < count; ++i) version = Add(SamplePod(i, namespace_, prefix));
  return version;
}

void FakeApiServer::AddResource(const ResourceInfo& info) {
  if (impl_->registry().Find(info.group, info.version, info.plural)) return;
  impl_->registry().Put(CustomResource(info));
}

std::uint64_t FakeApiServer::ResourceVersion() const { return impl_->store().version(); }

void FakeApiServer::SetResourceVersion(std::uint64_t version) {
  impl_->store().SetVersion(version);
}

void FakeApiServer::Compact() { impl_->store().Compact(); }

void FakeApiServer::InjectFault(Fault fault) { impl_->faults().Inject(std::move(fault)); }

void FakeApiServer::ClearFaults() { impl_->faults().Clear(); }

std::size_t FakeApiServer::FaultsMet() const { return impl_->faults().met(); }

std::size_t FakeApiServer::SendRaw(const RequestMatch& match, std::string_view bytes) {
  return impl_->store().Post(match, {.kind = WatchItem::Kind::kRaw, .bytes = std::string(bytes)});
}

std::size_t FakeApiServer::SendBookmark(const RequestMatch& match) {
  return impl_->store().Post(match, {.kind = WatchItem::Kind::kBookmark});
}

std::size_t FakeApiServer::EndWatches(const RequestMatch& match) {
  return impl_->store().Post(match, {.kind = WatchItem::Kind::kEnd});
}

std::size_t FakeApiServer::ResetWatches(const RequestMatch& match) {
  return impl_->store().Post(match, {.kind = WatchItem::Kind::kReset});
}

std::size_t FakeApiServer::StallWatches(const RequestMatch& match) {
  return impl_->store().Post(match, {.kind = WatchItem::Kind::kStall});
}

void FakeApiServer::Stop() { impl_->Stop(false); }

void FakeApiServer::Kill() { impl_->Stop(true); }

void FakeApiServer::Restart() { impl_->Start(0); }

void FakeApiServer::SetTokens(std::map<std::string, std::string> tokens) {
  impl_->api().SetTokens(std::move(tokens));
}

void FakeApiServer::SetForbidden(std::vector<ForbiddenRule> rules) {
  impl_->api().SetForbidden(std::move(rules));
}

void FakeApiServer::SetWatchList(bool enabled) { impl_->api().SetWatchList(enabled); }

std::vector<RecordedRequest> FakeApiServer::Requests(const RequestMatch& match) const {
  return impl_->log().Find(match);
}

std::size_t FakeApiServer::RequestCount(const RequestMatch& match) const {
  return impl_->log().Count(match);
}

void FakeApiServer::ClearRequests() { impl_->log().Clear(); }

std::size_t FakeApiServer::OpenWatches(const RequestMatch& match) const {
  return impl_->store().OpenWatches(match);
}

std::size_t FakeApiServer::ConnectionsAccepted() const { return impl_->http().accepted(); }

bool FakeApiServer::WaitForRequests(const RequestMatch& match, std::size_t count,
                                    std::chrono::milliseconds timeout) const {
  return impl_->log().Wait(match, count, timeout);
}

bool FakeApiServer::WaitForOpenWatches(const RequestMatch& match, std::size_t count,
                                       std::chrono::milliseconds timeout) const {
  return impl_->store().WaitForOpenWatches(match, count, timeout);
}

}  // namespace k8s::inline v0::testing
