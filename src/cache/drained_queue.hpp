#pragma once

#include <k8s/cache/delta_fifo.hpp>
#include <k8s/cache/reflector_store.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <functional>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

namespace k8s::inline v0::cache::detail {

/// The queue as a reflector sees it, drained by whoever puts something in: an event is in the store
/// and with the listeners before the next one is read, without a thread in between.
class DrainedQueue final : public ReflectorStore {
 public:
  /// `after` is called without a lock when something was processed.
  DrainedQueue(DeltaFIFO& queue, std::function<void(Deltas&&)> process, std::function<void()> after)
      : queue_(queue), process_(std::move(process)), after_(std::move(after)) {}

  Result<void> Add(runtime::AnyPtr object) override { return Drain(queue_.Add(std::move(object))); }
  Result<void> Update(runtime::AnyPtr object) override {
    return Drain(queue_.Update(std::move(object)));
  }
  Result<void> Delete(runtime::AnyPtr object) override {
    return Drain(queue_.Delete(std::move(object)));
  }
  Result<void> Replace(std::vector<runtime::AnyPtr> objects,
                       std::string_view resource_version) override {
    return Drain(queue_.Replace(std::move(objects), resource_version));
  }
  Result<void> Resync() override { return Drain(queue_.Resync()); }
  Result<void> Bookmark(std::string_view resource_version) override {
    return Drain(queue_.Bookmark(resource_version));
  }
  [[nodiscard]] runtime::AnyPtr Known(std::string_view key) const override {
    return queue_.Known(key);
  }

 private:
  Result<void> Drain(Result<void> queued) {
    {
      const std::lock_guard lock(draining_);  // The resync timer is a producer too.
      while (queue_.TryPop(process_)) {
      }
    }
    after_();
    return queued;
  }

  DeltaFIFO& queue_;
  const std::function<void(Deltas&&)> process_;
  const std::function<void()> after_;
  std::mutex draining_;
};

}  // namespace k8s::inline v0::cache::detail
