#include "rest/exchange.hpp"

#include <utility>

#include "util/deadline.hpp"

namespace k8s::inline v0::rest::detail {

namespace {
constexpr std::size_t kQuietBytes = std::size_t{64} << 10;
constexpr std::size_t kKeptBytes = std::size_t{128} << 10;
}  // namespace

void Exchange::SetHead(int status, Headers headers, Timings timings) {
  const std::lock_guard lock(mutex_);
  if (has_head_) return;
  status_ = status;
  headers_ = std::move(headers);
  timings_ = timings;
  has_head_ = true;
  if (waiting_) changed_.notify_one();
}

bool Exchange::Append(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  paused_ = buffer_.size() >= kBufferLimit;
  if (paused_) return false;
  buffer_ += bytes;
  if (waiting_) changed_.notify_one();
  return true;
}

void Exchange::Finish(std::optional<Error> error) {
  const std::lock_guard lock(mutex_);
  if (finished_) return;
  finished_ = true;
  error_ = std::move(error);
  if (waiting_) changed_.notify_one();
}

template <class Predicate>
Result<void> Exchange::Wait(std::unique_lock<std::mutex>& lock, const std::stop_token& stop,
                            std::string_view complaint, Predicate ready) {
  if (stop.stop_requested()) return Cancelled(what_);
  waiting_ = true;
  bool arrived = true;
  if (idle_timeout_.count() == 0) {
    arrived = changed_.wait(lock, stop, ready);
  } else {
    arrived = changed_.wait_for(lock, stop, idle_timeout_, ready);
  }
  waiting_ = false;
  if (stop.stop_requested()) return Cancelled(what_);
  if (arrived) return {};
  return Error{.kind = ErrorKind::kTimeout,
               .reason = std::string(kReasonSilence),
               .message = what_ + ": " + std::string(complaint) + " " +
                          util::detail::Seconds(idle_timeout_)};
}

Result<void> Exchange::AwaitHead(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  auto waited = Wait(lock, stop, "no answer within", [this] { return has_head_ || finished_; });
  if (!waited) return waited;
  if (has_head_) return {};
  if (error_) return *error_;
  return Error{.kind = ErrorKind::kProtocol, .message = what_ + ": an answer without a head"};
}

Result<Exchange::Taken> Exchange::Take(std::string& chunk, const std::stop_token& stop) {
  chunk.clear();
  std::unique_lock lock(mutex_);
  auto waited = Wait(lock, stop, "the server was silent for",
                     [this] { return !buffer_.empty() || finished_; });
  if (!waited) return waited.error();
  if (buffer_.empty() && error_) return *error_;
  chunk.swap(buffer_);
  // What a burst made large is not kept through the quiet times of a watch.
  if (chunk.size() < kQuietBytes && buffer_.capacity() > kKeptBytes) buffer_ = std::string();
  return Taken{.more = !chunk.empty(), .resume = std::exchange(paused_, false)};
}

bool Exchange::HasHead() const {
  const std::lock_guard lock(mutex_);
  return has_head_;
}

bool Exchange::Finished() const {
  const std::lock_guard lock(mutex_);
  return finished_;
}

}  // namespace k8s::inline v0::rest::detail
