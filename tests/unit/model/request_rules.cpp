#include "request_rules.hpp"

#include <algorithm>
#include <chrono>

namespace k8s::test {
namespace {

// Failures that say nothing of the version, and that a new list would not heal.
bool IsPassing(const Error& error) {
  switch (error.kind) {
    case ErrorKind::kConnect:
    case ErrorKind::kDns:
    case ErrorKind::kTimeout:
    case ErrorKind::kConnectionLost:
    case ErrorKind::kConfig:
      return true;
    default:
      return error.code == 429;
  }
}

bool IsOfTheVersion(const Error& error) {
  return error.code == 410 || IsTooLargeResourceVersion(error);
}

}  // namespace

std::string RequestRules::CheckTime(Clock::TimePoint now) const {
  return not_before_ && now < *not_before_ ? "asks before the server's Retry-After has passed; "
                                           : "";
}

bool RequestRules::MayAskForStateFrom(const std::string& version, const char* first) const {
  if (version.empty() && version_unavailable_) return true;
  return version == (reference_.synced() ? std::to_string(reference_.version()) : first);
}

std::string RequestRules::CheckList(const metav1::ListOptions& options, Clock::TimePoint now) {
  std::string wrong = CheckTime(now);
  if (!options.continue_.empty()) return wrong;
  if (must_go_on_) wrong += "lists where its watch could go on; ";
  if (!MayAskForStateFrom(options.resourceVersion, "0")) {
    wrong += "lists from version \"" + options.resourceVersion + "\"; ";
  }
  must_go_on_ = false;
  return wrong;
}

std::string RequestRules::CheckWatch(const metav1::ListOptions& options, Clock::TimePoint now) {
  std::string wrong = CheckTime(now);
  if (options.sendInitialEvents.value_or(false)) {
    if (must_go_on_) wrong += "streams the state where its watch could go on; ";
    if (!MayAskForStateFrom(options.resourceVersion, "")) {
      wrong += "streams the state from version \"" + options.resourceVersion + "\"; ";
    }
  } else if (options.resourceVersion != std::to_string(reference_.version())) {
    wrong += "watches from version \"" + options.resourceVersion + "\" having seen " +
             std::to_string(reference_.version()) + "; ";
  }
  must_go_on_ = false;
  return wrong;
}

void RequestRules::ComeBackLater(const Error& error, Clock::TimePoint now) {
  constexpr std::chrono::seconds kLongest{60};
  if (error.retryAfter) not_before_ = now + std::min(*error.retryAfter, kLongest);
}

void RequestRules::RefusedList(const Error& error, Clock::TimePoint now) {
  version_unavailable_ |= IsOfTheVersion(error);
  ComeBackLater(error, now);
}

void RequestRules::RefusedWatch(const metav1::ListOptions& options, const Error& error,
                                Clock::TimePoint now) {
  const bool initial = options.sendInitialEvents.value_or(false);
  version_unavailable_ |= IsOfTheVersion(error);
  must_go_on_ = !initial && IsPassing(error);
  // A refused stream of the state is a matter of streaming: the list that follows may come at once.
  if (!initial || error.code == 429) ComeBackLater(error, now);
}

void RequestRules::ErrorEvent(bool initial, const Error& error, Clock::TimePoint now) {
  Heard();
  version_unavailable_ |= IsOfTheVersion(error);
  must_go_on_ = !initial && error.code == 429;
  if (error.code == 429) ComeBackLater(error, now);
}

void RequestRules::WentBack() {
  version_unavailable_ = true;
  must_go_on_ = false;
}

}  // namespace k8s::test
