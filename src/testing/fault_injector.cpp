#include "fault_injector.hpp"

#include <utility>

namespace k8s::inline v0::testing {
namespace {

bool IsStreamFault(FaultKind kind) { return kind >= FaultKind::kErrorEvent; }

/// These make sense in a watch only.
bool NeedsWatch(FaultKind kind) {
  return kind == FaultKind::kErrorEvent || kind == FaultKind::kEndStream ||
         kind == FaultKind::kRawBytes || kind == FaultKind::kNoBookmarks;
}

bool EqualOrEmpty(const std::string& wanted, const std::string& actual) {
  return wanted.empty() || wanted == actual;
}

}  // namespace

bool Matches(const RequestMatch& match, const RecordedRequest& request) {
  return EqualOrEmpty(match.verb, request.verb) && EqualOrEmpty(match.resource, request.resource) &&
         EqualOrEmpty(match.namespace_, request.namespace_) &&
         EqualOrEmpty(match.path, request.path);
}

void FaultInjector::Inject(Fault fault) {
  const std::lock_guard lock(mutex_);
  faults_.push_back(std::move(fault));
}

void FaultInjector::Clear() {
  const std::lock_guard lock(mutex_);
  faults_.clear();
}

std::size_t FaultInjector::met() const {
  const std::lock_guard lock(mutex_);
  return met_;
}

RequestFaults FaultInjector::Take(const RecordedRequest& request) {
  const std::lock_guard lock(mutex_);
  RequestFaults faults{TakeOne(request, false), TakeOne(request, true)};
  if (faults.answer || faults.stream) ++met_;
  return faults;
}

std::optional<Fault> FaultInjector::TakeOne(const RecordedRequest& request, bool stream) {
  for (auto fault = faults_.begin(); fault != faults_.end(); ++fault) {
    if (IsStreamFault(fault->kind) != stream || !Matches(fault->match, request)) continue;
    if (NeedsWatch(fault->kind) && request.verb != "watch") continue;
    if (fault->times == 0) continue;
    if (fault->skip > 0) {
      --fault->skip;
      continue;
    }
    Fault taken = *fault;
    if (fault->times > 0 && --fault->times == 0) faults_.erase(fault);
    return taken;
  }
  return std::nullopt;
}

}  // namespace k8s::inline v0::testing
