#pragma once

#include <k8s/testing/fake_api_server.hpp>

#include "answer.hpp"
#include "api_request.hpp"
#include "connection.hpp"
#include "object_handler.hpp"
#include "object_store.hpp"
#include "registry.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace k8s::inline v0::testing {

/// Answers requests as kube-apiserver does: who may ask, what for, and in which form.
/// Thread safety. All members may be called from any thread.
class ApiServer {
 public:
  ApiServer(FakeApiServerOptions options, Registry& registry, ObjectStore& store);

  /// `stream_fault` goes into the watch, if it is one.
  Answer Handle(ApiRequest& request, Connection& connection,
                const std::optional<Fault>& stream_fault);

  ObjectHandler& objects() { return objects_; }
  void SetTokens(std::map<std::string, std::string> tokens);
  void SetForbidden(std::vector<ForbiddenRule> rules);
  void SetWatchList(bool enabled);
  void SetHost(std::string host);
  [[nodiscard]] std::string FirstToken() const;

 private:
  Result<void> Admit(ApiRequest& request) const;
  [[nodiscard]] Answer HandleOther(const ApiRequest& request) const;
  Answer HandleObjects(const ApiRequest& request, Connection& connection,
                       const std::optional<Fault>& stream_fault);
  Answer HandleObject(const ApiRequest& request, const Presenter& presenter);
  Answer List(const ApiRequest& request, Presenter presenter) const;
  Answer Watch(const ApiRequest& request, Presenter presenter, Connection& connection,
               const std::optional<Fault>& fault);
  Answer DeleteCollection(const ApiRequest& request, Presenter presenter);
  Result<ListQuery> QueryOf(const ListParameters& parameters) const;
  [[nodiscard]] static Answer ExpiredPage(const ListQuery& query);
  [[nodiscard]] WatchStream::Options StreamOptions(const ListParameters& parameters) const;
  [[nodiscard]] bool watch_list() const;
  [[nodiscard]] bool WantsGzip(const RecordedRequest& request, const ListBody& body) const;

  const FakeApiServerOptions options_;
  Registry& registry_;
  ObjectStore& store_;
  ObjectHandler objects_;

  mutable std::mutex mutex_;
  std::map<std::string, std::string> tokens_;
  std::vector<ForbiddenRule> forbidden_;
  bool watch_list_;
  std::string host_;
};

}  // namespace k8s::inline v0::testing
