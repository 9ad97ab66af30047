#include "request_log.hpp"

#include "fault_injector.hpp"
#include "query.hpp"

#include <algorithm>
#include <utility>

#include <strings.h>

namespace k8s::inline v0::testing {

std::string RecordedRequest::Param(std::string_view key) const {
  return QueryParam(query, key).value_or(std::string());
}

std::string RecordedRequest::Header(std::string_view key) const {
  const std::string wanted(key);
  for (const auto& [field, value] : headers) {
    if (strcasecmp(field.c_str(), wanted.c_str()) == 0) return value;
  }
  return {};
}

RequestLog::Entry RequestLog::Add(RecordedRequest request) {
  auto entry = std::make_shared<RecordedRequest>(std::move(request));
  const std::lock_guard lock(mutex_);
  entries_.push_back(entry);
  added_.notify_all();
  return entry;
}

void RequestLog::SetStatus(const Entry& entry, int status) {
  const std::lock_guard lock(mutex_);
  entry->status = status;
}

std::vector<RecordedRequest> RequestLog::Find(const RequestMatch& match) const {
  const std::lock_guard lock(mutex_);
  std::vector<RecordedRequest> found;
  for (const Entry& entry : entries_) {
    if (Matches(match, *entry)) found.push_back(*entry);
  }
  return found;
}

std::size_t RequestLog::Count(const RequestMatch& match) const {
  const std::lock_guard lock(mutex_);
  return CountLocked(match);
}

std::size_t RequestLog::CountLocked(const RequestMatch& match) const {
  return static_cast<std::size_t>(
      std::count_if(entries_.begin(), entries_.end(),
                    [&](const Entry& entry) { return Matches(match, *entry); }));
}

void RequestLog::Clear() {
  const std::lock_guard lock(mutex_);
  entries_.clear();
}

bool RequestLog::Wait(const RequestMatch& match, std::size_t count,
                      std::chrono::milliseconds timeout) const {
  std::unique_lock lock(mutex_);
  return added_.wait_for(lock, timeout, [&] { return CountLocked(match) >= count; });
}

}  // namespace k8s::inline v0::testing
