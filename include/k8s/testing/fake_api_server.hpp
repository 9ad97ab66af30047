#pragma once

#include <k8s/resource.hpp>
#include <k8s/rest/config.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>
#include <k8s/testing/fault.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace k8s::inline v0::testing {

/// A refusal by authorization: requests of `user` that match get 403.
struct ForbiddenRule {
  std::string user = {};  ///< Empty: every user.
  RequestMatch match = {};
};

/// How a FakeApiServer behaves. What is not named here is as kube-apiserver 1.37 does it.
struct FakeApiServerOptions {
  /// TCP port on 127.0.0.1. 0: a free one.
  int port = 0;
  /// Events of each resource that watches and paged lists can go back to. Older resource versions
  /// are answered with 410. 0: none, only watches from the newest version.
  std::size_t historySize = 1000;
  /// The resource version that the server starts from.
  std::uint64_t firstResourceVersion = 1;
  /// Time between bookmarks on watches that ask for them. 0: none but the one before the timeout.
  std::chrono::milliseconds bookmarkInterval{60'000};
  /// How long before its timeoutSeconds a watch gets a last bookmark.
  std::chrono::milliseconds bookmarkBeforeTimeout{2'000};
  /// Streaming lists (sendInitialEvents). false: 422, as servers without the feature answer.
  bool watchList = true;
  /// Whether lists at resource version "0" ignore `limit`, as servers with a watch cache do.
  bool watchCache = true;
  /// Aggregated discovery. false: plain discovery only, as old servers.
  bool aggregatedDiscovery = true;
  /// Compress lists for clients that accept gzip from this many bytes on.
  std::size_t gzipFromBytes = 128 * 1024;
  /// Bearer tokens and the user each stands for. Empty: everybody may come in, as "anonymous".
  /// Otherwise a request without one of them gets 401.
  std::map<std::string, std::string> tokens = {};
  std::vector<ForbiddenRule> forbidden = {};
};

/// One request as the server got it.
struct RecordedRequest {
  std::string method;  ///< "GET"
  std::string path;    ///< Decoded, without query.
  std::string query;   ///< As sent, without "?".
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::string verb;        ///< As in RequestMatch.
  std::string resource;    ///< Plural, with a subresource "pods/status"; empty for other paths.
  std::string namespace_;  ///< Of the path.
  std::string name;        ///< Of the path.
  int status = 0;          ///< Of the answer; 0 while there is none.

  /// The decoded value of a query parameter, or "" when absent.
  [[nodiscard]] std::string Param(std::string_view key) const;
  /// The value of a header, or "" when absent. Names are compared without regard to case.
  [[nodiscard]] std::string Header(std::string_view key) const;
};

/// A Kubernetes API server for tests: a real HTTP server on loopback that keeps objects in memory
/// and answers as kube-apiserver does, so that client-go and kubectl work with it unchanged, and
/// that misbehaves on demand.
///
/// It serves all built-in resources of Kubernetes 1.37 and those added by `AddResource`, with
/// resource versions, a history window, paged and streaming lists, watches with bookmarks,
/// selectors, create, update, patch (JSON, merge, strategic merge, apply), delete with finalizers
/// and preconditions, deletecollection, status, discovery, tokens. Answers are JSON; requests may
/// be protobuf, as client-go's are. It has no controllers (but a namespace that is deleted takes
/// its objects along, and definitions are established at once), no admission, no defaulting and
/// next to no validation; namespaces need not exist.
///
/// The verbs for tests (`Add`, `Modify`, ...) act as an administrator without HTTP: not logged, not
/// concerned by faults and tokens. They throw `BadResult` when the server would refuse.
///
/// **Thread safety.** All members may be called from any thread at any time.
/// **Lifetime.** The constructor returns when the port answers. The destructor resets all
/// connections and joins all threads.
class FakeApiServer {
 public:
  /// Throws BadResult (kConnect) when the port cannot be had.
  explicit FakeApiServer(FakeApiServerOptions options = {});
  ~FakeApiServer();
  FakeApiServer(const FakeApiServer&) = delete;
  FakeApiServer& operator=(const FakeApiServer&) = delete;

  /// "http://127.0.0.1:PORT".
  [[nodiscard]] std::string url() const;
  [[nodiscard]] int port() const;
  /// A client configuration for this server, with the first token if there are any, and without a
  /// rate limit.
  [[nodiscard]] rest::Config config() const;

  // ---- Objects

  /// Creates an object given as JSON with apiVersion and kind, status included. Namespaced objects
  /// without a namespace go to "default". Returns its resource version.
  std::uint64_t Add(std::string_view json);
  /// Replaces an object, status included, whatever resourceVersion `json` has. Creates none.
  std::uint64_t Modify(std::string_view json);
  /// Adds, or modifies if the object exists.
  std::uint64_t Apply(std::string_view json);
  /// Removes at once an object of that kind, namespace and name, finalizers or not. Returns the
  /// resource version of the DELETED event.
  std::uint64_t Delete(std::string_view json);

  /// The same for typed objects.
  template <class T>
  requires(!std::is_convertible_v<const T&, std::string_view>) std::uint64_t Add(const T& object) {
    return Add(std::string_view(Encode(object)));
  }
  template <class T>
  requires(!std::is_convertible_v<const T&, std::string_view>) std::uint64_t
      Modify(const T& object) {
    return Modify(std::string_view(Encode(object)));
  }
  template <class T>
  requires(!std::is_convertible_v<const T&, std::string_view>) std::uint64_t
      Apply(const T& object) {
    return Apply(std::string_view(Encode(object)));
  }
  template <class T>
  requires(!std::is_convertible_v<const T&, std::string_view>) std::uint64_t
      Delete(const T& object) {
    return Delete(std::string_view(Encode(object)));
  }

  /// Removes an object by its names; `namespace_` is empty for cluster-scoped ones.
  std::uint64_t Delete(const GroupResource& resource, std::string_view namespace_,
                       std::string_view name);
  /// The object's JSON. Throws BadResult (NotFound) when there is none.
  [[nodiscard]] std::string Get(const GroupResource& resource, std::string_view namespace_,
                                std::string_view name) const;
  [[nodiscard]] bool Has(const GroupResource& resource, std::string_view namespace_,
                         std::string_view name) const;
  /// How many objects of the resource there are.
  [[nodiscard]] std::size_t Count(const GroupResource& resource) const;

  /// Adds running pods of about 6 kB, as a kubelet leaves them: `prefix`00000, `prefix`00001, ...,
  /// on nodes node-000 to node-009, labelled app=`prefix` without its dash. Returns the last
  /// version.
  std::uint64_t CreateMany(std::size_t count, std::string_view namespace_ = "default",
                           std::string_view prefix = "pod-");

  /// Serves one more resource, as a CustomResourceDefinition with a status subresource makes it.
  /// Creating a CustomResourceDefinition through the API does the same. Does nothing when it is
  /// served already.
  void AddResource(const ResourceInfo& info);
  template <class T>
  void AddResource() {
    AddResource(runtime::ObjectTypeOf<T>().info);
  }

  // ---- Resource versions

  /// The newest resource version.
  [[nodiscard]] std::uint64_t ResourceVersion() const;
  /// Sets it, also back, as a restored etcd does. History and open watches are left as they are.
  void SetResourceVersion(std::uint64_t version);
  /// Forgets the history: watches, exact lists and continue tokens of older versions get 410. Open
  /// watches go on.
  void Compact();

  // ---- Faults

  void InjectFault(Fault fault);
  /// Forgets all faults; connections that already suffer from one go on suffering.
  void ClearFaults();
  /// How many requests have met a fault so far.
  [[nodiscard]] std::size_t FaultsMet() const;

  /// Writes bytes into every open watch that matches, framed as one HTTP chunk. Returns how many.
  std::size_t SendRaw(const RequestMatch& match, std::string_view bytes);
  /// Sends a bookmark into every open watch that matches, asked for or not. Returns how many.
  std::size_t SendBookmark(const RequestMatch& match);
  /// Ends every open watch that matches in an orderly way. Returns how many.
  std::size_t EndWatches(const RequestMatch& match = {});
  /// Resets the connection of every open watch that matches. Returns how many.
  std::size_t ResetWatches(const RequestMatch& match = {});
  /// Lets every open watch that matches fall silent for ever while its connection stays open.
  std::size_t StallWatches(const RequestMatch& match = {});

  /// Ends open watches in an orderly way, closes all connections and the port: new ones are
  /// refused.
  void Stop();
  /// Like `Stop`, but resets all connections wherever they are, as kill -9 does.
  void Kill();
  /// `Add`, `Modify` and `Delete` work meanwhile: what a client misses.
  /// Serves again on the same port, with the same objects, after `Stop` or `Kill`. Does nothing
  /// when the server runs. Throws BadResult (kConnect) when somebody else took the port.
  void Restart();

  /// Changes the tokens of the options; requests that come later are concerned.
  void SetTokens(std::map<std::string, std::string> tokens);
  void SetForbidden(std::vector<ForbiddenRule> rules);
  /// Switches streaming lists on or off, as `FakeApiServerOptions::watchList`.
  void SetWatchList(bool enabled);

  // ---- Observation

  [[nodiscard]] std::vector<RecordedRequest> Requests(const RequestMatch& match = {}) const;
  [[nodiscard]] std::size_t RequestCount(const RequestMatch& match = {}) const;
  void ClearRequests();
  [[nodiscard]] std::size_t OpenWatches(const RequestMatch& match = {}) const;
  /// TCP connections accepted so far.
  [[nodiscard]] std::size_t ConnectionsAccepted() const;

  /// Waits until at least `count` matching requests were received. Returns false after `timeout`.
  bool WaitForRequests(const RequestMatch& match, std::size_t count,
                       std::chrono::milliseconds timeout = std::chrono::seconds(10)) const;
  /// Waits until exactly `count` matching watches are open and have got all they are due. Returns
  /// false after `timeout`.
  bool WaitForOpenWatches(const RequestMatch& match, std::size_t count,
                          std::chrono::milliseconds timeout = std::chrono::seconds(10)) const;

 private:
  class Impl;

  template <class T>
  static std::string Encode(const T& object) {
    const runtime::ObjectType& type = runtime::ObjectTypeOf<T>();
    if (type.encode == nullptr) throw std::invalid_argument("the type has no to_json");
    std::string json;
    type.encode(type, &object, json);
    return json;
  }

  std::unique_ptr<Impl> impl_;
};

}  // namespace k8s::inline v0::testing
