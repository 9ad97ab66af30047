#pragma once

#include <k8s/dynamic/client.hpp>
#include <k8s/resource.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

namespace k8s::test {

/// A resource that a test writes, lists and watches.
struct TestResource {
  ResourceInfo info;
  std::string flag;  ///< As informer-log's --resource takes it.
};

/// Pods, config maps and the widgets of `kWidgetDefinition`.
[[nodiscard]] const std::vector<TestResource>& LoadedResources();

/// The CustomResourceDefinition of widgets, as JSON.
extern const char* const kWidgetDefinition;

/// The namespaces that a Loader writes to. They must exist where a server insists on it.
[[nodiscard]] const std::vector<std::string>& LoadedNamespaces();

/// Creates, patches and deletes objects at random, few enough that most deletions are followed by a
/// creation under the same name.
///
/// Thread safety. `Run` once at a time; `writes` at any time.
class Loader {
 public:
  /// `client` decides how fast it goes, by its rate limit. The same seed makes the same choices, as
  /// long as the same writes succeed.
  Loader(dynamic::Client client, std::uint64_t seed) : client_(std::move(client)), random_(seed) {}

  /// Writes until `stop` is triggered. Failed writes are taken for what happens.
  void Run(std::stop_token stop);

  /// Writes that the server has confirmed.
  [[nodiscard]] std::uint64_t writes() const { return writes_; }

 private:
  void Step(std::stop_token stop);
  std::uint64_t Pick(std::uint64_t count) { return random_() % count; }

  const dynamic::Client client_;
  std::mt19937_64 random_;
  std::uint64_t steps_ = 0;
  std::map<std::string, bool> exists_;  ///< By path, as far as is known.
  std::atomic<std::uint64_t> writes_ = 0;
};

}  // namespace k8s::test
