#pragma once

#include <k8s/testing/fake_api_server.hpp>
#include <k8s/testing/fault.hpp>

#include <cstddef>
#include <list>
#include <mutex>
#include <optional>

namespace k8s::inline v0::testing {

[[nodiscard]] bool Matches(const RequestMatch& match, const RecordedRequest& request);

/// The faults of one request: at most one of each part of FaultKind.
struct RequestFaults {
  std::optional<Fault> answer;
  std::optional<Fault> stream;
};

/// Keeps the injected faults and deals them out.
/// Thread safety. All members may be called from any thread.
class FaultInjector {
 public:
  void Inject(Fault fault);
  void Clear();
  [[nodiscard]] std::size_t met() const;

  /// Uses up one turn of every fault that is returned, and one `skip` of those that are not due.
  RequestFaults Take(const RecordedRequest& request);

 private:
  std::optional<Fault> TakeOne(const RecordedRequest& request, bool stream);

  mutable std::mutex mutex_;
  std::list<Fault> faults_;
  std::size_t met_ = 0;
};

}  // namespace k8s::inline v0::testing
