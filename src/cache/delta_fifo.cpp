#include <k8s/cache/delta_fifo.hpp>
#include <k8s/cache/object_name.hpp>
#include <k8s/cache/thread_safe_store.hpp>
#include <k8s/log.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "util/user_code.hpp"

namespace k8s::inline v0::cache {
namespace {

Error Closed() { return {.kind = ErrorKind::kClosed, .message = "the queue is closed"}; }

}  // namespace

struct DeltaFIFO::State {
  std::shared_ptr<const runtime::ObjectType> type;
  DeltaFIFOOptions options;

  mutable std::mutex mutex;
  std::condition_variable changed;
  bool closed = false;

  // Strict order: single deltas are elements of kind kChanges with one delta each.
  std::deque<Deltas> queue;
  // Grouped: what is queued for each key, and the keys in their order.
  std::map<std::string, std::vector<Delta>, std::less<>> by_key;
  std::deque<std::string> keys;

  // Sync: elements are numbered as they come; what is due until the first Replace has a number.
  bool populated = false;
  std::size_t initial_left = 0;  ///< Elements still to be processed before the queue has synced.

  std::size_t Elements() const { return options.groupByKey ? keys.size() : queue.size(); }

  runtime::AnyPtr Known(std::string_view key) const {
    return options.knownObjects ? options.knownObjects->Get(key) : nullptr;
  }

  Result<runtime::AnyPtr> Transform(runtime::AnyPtr object) const {
    if (!options.transform) return object;
    Result<runtime::AnyPtr> transformed;
    const auto thrown =
        util::detail::Thrown([&] { transformed = options.transform(std::move(object)); });
    if (thrown) {
      return Error{.kind = ErrorKind::kInternal, .message = "the transform threw: " + *thrown};
    }
    if (transformed && !*transformed) {
      return Error{.kind = ErrorKind::kInternal, .message = "the transform returned no object"};
    }
    return transformed;
  }

  std::string Key(const runtime::AnyPtr& object) const {
    return MetaNamespaceKey(type->meta(object.get()));
  }

  void Enqueue(Deltas element) {
    queue.push_back(std::move(element));
    changed.notify_one();
  }

  void EnqueueGrouped(Delta delta) {
    auto& deltas = by_key[delta.key];
    if (deltas.empty()) keys.push_back(delta.key);
    if (!deltas.empty() && deltas.back().type == DeltaType::kDeleted &&
        delta.type == DeltaType::kDeleted) {
      if (!delta.finalStateUnknown) deltas.back() = std::move(delta);  // The real state counts.
    } else {
      deltas.push_back(std::move(delta));
    }
    changed.notify_one();
  }

  Result<void> Push(DeltaType what, runtime::AnyPtr object) {
    auto transformed = Transform(std::move(object));
    if (!transformed) return std::move(transformed).error();
    Delta delta{.type = what, .key = Key(*transformed), .object = *transformed};
    const std::lock_guard lock(mutex);
    if (closed) return Closed();
    populated = true;
    if (options.groupByKey) {
      if (what == DeltaType::kDeleted && !by_key.contains(delta.key) && !Known(delta.key)) {
        return {};
      }
      EnqueueGrouped(std::move(delta));
      return {};
    }
    std::string version(type->meta(delta.object.get()).resourceVersion);
    std::vector<Delta> one;
    one.push_back(std::move(delta));
    Enqueue({.deltas = std::move(one), .resourceVersion = std::move(version)});
    return {};
  }

  // The list as deltas; an object that cannot be transformed is represented by what is known of it.
  std::vector<Delta> Listed(std::vector<runtime::AnyPtr> objects) const {
    std::vector<Delta> deltas;
    deltas.reserve(objects.size());
    for (auto& object : objects) {
      std::string key = Key(object);
      auto transformed = Transform(std::move(object));
      if (!transformed) {
        log::Write(log::Level::kError,
                   type->info.plural + " " + key + ": " + transformed.error().ToString());
        transformed = Known(key);
        if (!*transformed) continue;
      }
      deltas.push_back(
          {.type = DeltaType::kReplaced, .key = std::move(key), .object = std::move(*transformed)});
    }
    return deltas;
  }

  void ReplaceGrouped(std::vector<Delta> listed) {
    std::unordered_set<std::string> present;
    for (const Delta& delta : listed) present.insert(delta.key);
    std::unordered_set<std::string> gone;
    for (const auto& [key, deltas] : by_key) {
      if (!present.contains(key) && deltas.back().type != DeltaType::kDeleted) gone.insert(key);
    }
    if (options.knownObjects) {
      for (auto& key : options.knownObjects->ListKeys()) {
        if (!present.contains(key) && !by_key.contains(key)) gone.insert(std::move(key));
      }
    }
    for (Delta& delta : listed) EnqueueGrouped(std::move(delta));
    for (const auto& key : gone) {
      const auto queued = by_key.find(key);
      auto last = queued != by_key.end() ? queued->second.back().object : Known(key);
      EnqueueGrouped({.type = DeltaType::kDeleted,
                      .key = key,
                      .object = std::move(last),
                      .finalStateUnknown = true});
    }
  }

  void ResyncGrouped() {
    if (!options.knownObjects) return;
    for (auto& key : options.knownObjects->ListKeys()) {
      if (by_key.contains(key)) continue;
      if (auto object = Known(key)) {
        EnqueueGrouped(
            {.type = DeltaType::kSync, .key = std::move(key), .object = std::move(object)});
      }
    }
  }

  // Requires: something is queued. Hands it to `process` without the lock.
  void TakeAndProcess(std::unique_lock<std::mutex>& lock,
                      const std::function<void(Deltas&&)>& process) {
    std::size_t elements = 0;
    Deltas deltas = Take(elements);
    deltas.isInInitialList = initial_left > 0;
    lock.unlock();
    process(std::move(deltas));
    lock.lock();
    initial_left -= std::min(initial_left, elements);
  }

  // Requires: something is queued.
  Deltas Take(std::size_t& elements) {
    elements = 1;
    if (options.groupByKey) {
      auto node = by_key.extract(keys.front());
      keys.pop_front();
      return {.deltas = std::move(node.mapped())};
    }
    Deltas batch = std::move(queue.front());
    queue.pop_front();
    if (batch.kind != Deltas::Kind::kChanges) return batch;
    std::unordered_set<std::string> in_batch{batch.deltas[0].key};
    // At the end of the initial list the batch ends, so that isInInitialList holds for all of it.
    while (!queue.empty() && elements < options.maxBatch &&
           queue.front().kind == Deltas::Kind::kChanges && elements != initial_left &&
           in_batch.insert(queue.front().deltas[0].key).second) {
      batch.deltas.push_back(std::move(queue.front().deltas[0]));
      batch.resourceVersion = std::move(queue.front().resourceVersion);
      queue.pop_front();
      ++elements;
    }
    return batch;
  }
};

DeltaFIFO::DeltaFIFO(std::shared_ptr<const runtime::ObjectType> type, DeltaFIFOOptions options)
    : state_(std::make_unique<State>()) {
  state_->type = std::move(type);
  state_->options = std::move(options);
}

DeltaFIFO::~DeltaFIFO() = default;

Result<void> DeltaFIFO::Add(runtime::AnyPtr object) {
  return state_->Push(DeltaType::kAdded, std::move(object));
}

Result<void> DeltaFIFO::Update(runtime::AnyPtr object) {
  return state_->Push(DeltaType::kUpdated, std::move(object));
}

Result<void> DeltaFIFO::Delete(runtime::AnyPtr object) {
  return state_->Push(DeltaType::kDeleted, std::move(object));
}

Result<void> DeltaFIFO::Replace(std::vector<runtime::AnyPtr> objects,
                                std::string_view resource_version) {
  auto listed = state_->Listed(std::move(objects));
  const std::lock_guard lock(state_->mutex);
  if (state_->closed) return Closed();
  if (state_->options.groupByKey) {
    state_->ReplaceGrouped(std::move(listed));
  } else {
    state_->Enqueue({.kind = Deltas::Kind::kReplaced,
                     .deltas = std::move(listed),
                     .resourceVersion = std::string(resource_version)});
  }
  if (!std::exchange(state_->populated, true)) state_->initial_left = state_->Elements();
  return {};
}

Result<void> DeltaFIFO::Resync() {
  const std::lock_guard lock(state_->mutex);
  if (state_->closed) return Closed();
  if (state_->options.groupByKey) {
    state_->ResyncGrouped();
  } else {
    state_->Enqueue({.kind = Deltas::Kind::kSync});
  }
  return {};
}

Result<void> DeltaFIFO::Bookmark(std::string_view resource_version) {
  const std::lock_guard lock(state_->mutex);
  if (state_->closed) return Closed();
  if (state_->options.groupByKey) return {};
  state_->Enqueue(
      {.kind = Deltas::Kind::kBookmark, .resourceVersion = std::string(resource_version)});
  return {};
}

runtime::AnyPtr DeltaFIFO::Known(std::string_view key) const { return state_->Known(key); }

Result<void> DeltaFIFO::Pop(const std::function<void(Deltas&&)>& process, std::stop_token stop) {
  const std::stop_callback wake(stop, [this] {
    const std::lock_guard lock(state_->mutex);
    state_->changed.notify_all();
  });
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(
      lock, [&] { return state_->closed || state_->Elements() > 0 || stop.stop_requested(); });
  if (stop.stop_requested()) return Cancelled("Pop");
  if (state_->Elements() == 0) return Closed();
  state_->TakeAndProcess(lock, process);
  return {};
}

bool DeltaFIFO::TryPop(const std::function<void(Deltas&&)>& process) {
  std::unique_lock lock(state_->mutex);
  if (state_->Elements() == 0) return false;
  state_->TakeAndProcess(lock, process);
  return true;
}

bool DeltaFIFO::HasSynced() const {
  const std::lock_guard lock(state_->mutex);
  return state_->populated && state_->initial_left == 0;
}

void DeltaFIFO::Close() {
  const std::lock_guard lock(state_->mutex);
  state_->closed = true;
  state_->changed.notify_all();
}

bool DeltaFIFO::IsClosed() const {
  const std::lock_guard lock(state_->mutex);
  return state_->closed;
}

std::size_t DeltaFIFO::size() const {
  const std::lock_guard lock(state_->mutex);
  return state_->Elements();
}

}  // namespace k8s::inline v0::cache
