#include "rest/warn_once.hpp"

#include <k8s/log.hpp>

#include <cstddef>
#include <mutex>
#include <set>

namespace k8s::inline v0::rest::detail {

namespace {

constexpr std::size_t kRemembered = 1000;

/// Whether `warning` is new.
bool Remember(const std::string& warning) {
  static std::mutex mutex;
  // Never destroyed: clients may be made as long as the process lives.
  static auto& told = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  if (told.size() >= kRemembered) told.clear();
  return told.insert(warning).second;
}

}  // namespace

void WarnOnce(const std::string& warning) {
  if (Remember(warning)) log::Write(log::Level::kWarning, warning);
}

}  // namespace k8s::inline v0::rest::detail
