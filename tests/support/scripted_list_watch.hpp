#pragma once

#include <k8s/cache/listwatch.hpp>
#include <k8s/runtime/object_type.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// A ListerWatcher that answers by a script, for tests of what uses one.
namespace k8s::test {

/// An object that is nothing but names and a value.
struct Thing {
  std::string name;
  std::string resourceVersion;
  std::string value = {};
  std::string uid = {};
  std::string namespace_ = {};
};

inline const runtime::ObjectType& ThingType() {
  static const runtime::ObjectType type{
      .info = {.group = "test", .version = "v1", .kind = "Thing", .plural = "things"},
      .meta = [](const void* object) {
        const auto& thing = *static_cast<const Thing*>(object);
        return runtime::ObjectMetaView{.name = thing.name,
                                       .namespace_ = thing.namespace_,
                                       .uid = thing.uid,
                                       .resourceVersion = thing.resourceVersion};
      }};
  return type;
}

inline runtime::AnyPtr MakeThing(std::string name, std::string version, std::string value = {}) {
  return std::make_shared<Thing>(Thing{std::move(name), std::move(version), std::move(value)});
}

inline Error StatusError(int code, std::string reason) {
  return {.kind = ErrorKind::kStatus, .code = code, .reason = reason, .message = reason};
}

/// One step of a scripted watch: what `Next` returns, or nothing to go on with the next step.
using WatchStep =
    std::function<std::optional<Result<std::optional<watch::Event>>>(std::stop_token stop)>;

inline WatchStep Give(watch::Event event) {
  return [event](std::stop_token) { return Result<std::optional<watch::Event>>(event); };
}
inline WatchStep Added(std::string name, std::string version, std::string value = {}) {
  return Give({watch::EventType::kAdded, MakeThing(name, version, value), version});
}
inline WatchStep Modified(std::string name, std::string version, std::string value = {}) {
  return Give({watch::EventType::kModified, MakeThing(name, version, value), version});
}
inline WatchStep Deleted(std::string name, std::string version) {
  return Give({watch::EventType::kDeleted, MakeThing(name, version), version});
}
inline WatchStep Bookmark(std::string version) {
  return Give({.type = watch::EventType::kBookmark, .resourceVersion = version});
}
inline WatchStep InitialEventsEnd(std::string version) {
  return Give(
      {.type = watch::EventType::kBookmark, .resourceVersion = version, .initialEventsEnd = true});
}
inline WatchStep ErrorEvent(Error error) {
  return Give({.type = watch::EventType::kError, .status = error});
}
/// The server ends the stream in an orderly way.
inline WatchStep End() {
  return [](std::stop_token) {
    return Result<std::optional<watch::Event>>(std::optional<watch::Event>());
  };
}
inline WatchStep Broken(Error error) {
  return [error](std::stop_token) { return Result<std::optional<watch::Event>>(error); };
}
inline WatchStep Do(std::function<void()> action) {
  return [action](std::stop_token) {
    action();
    return std::optional<Result<std::optional<watch::Event>>>();
  };
}
/// Not a byte for the idle time.
inline WatchStep Silent() {
  return Broken({.kind = ErrorKind::kTimeout, .reason = std::string(kReasonSilence)});
}
/// Waits for the stop.
inline WatchStep Hang() {
  return [](std::stop_token stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait(lock, stop, [] { return false; });
    return Result<std::optional<watch::Event>>(Cancelled("watch"));
  };
}

class ScriptedListWatch final : public cache::ListerWatcher {
 public:
  struct ListAnswer {
    Result<cache::ListResult> result;
    std::vector<runtime::AnyPtr> items = {};
  };
  using WatchAnswer =
      std::variant<Error, std::vector<WatchStep>, std::function<Error(std::stop_token)>>;

  /// `exhausted` is called when more is asked of it than the script has, also by a watch at its
  /// end.
  explicit ScriptedListWatch(std::function<void()> exhausted) : exhausted_(std::move(exhausted)) {}

  void OnList(std::vector<runtime::AnyPtr> items, std::string version, std::string next = {}) {
    lists_.push_back({cache::ListResult{.resourceVersion = version, .continueToken = next}, items});
  }
  void OnList(Error error, std::vector<runtime::AnyPtr> items = {}) {
    lists_.push_back({std::move(error), std::move(items)});
  }
  void OnList(cache::ListResult result, std::vector<runtime::AnyPtr> items) {
    lists_.push_back({std::move(result), std::move(items)});
  }
  void OnWatch(std::vector<WatchStep> steps) { watches_.emplace_back(std::move(steps)); }
  void OnWatch(Error error) { watches_.emplace_back(std::move(error)); }
  /// A watch whose headers never come.
  void OnWatch(std::function<Error(std::stop_token)> refuse) {
    watches_.emplace_back(std::move(refuse));
  }
  void RefuseWatchList() { watch_list_ = false; }

  Result<cache::ListResult> List(const metav1::ListOptions& options, const cache::VisitFunc& visit,
                                 std::stop_token) override {
    list_calls.push_back(options);
    if (lists_.empty()) return Exhausted();
    auto answer = std::move(lists_.front());
    lists_.pop_front();
    for (auto& item : answer.items) visit(std::move(item));
    return std::move(answer.result);
  }

  Result<std::unique_ptr<watch::Interface>> Watch(const metav1::ListOptions& options,
                                                  std::stop_token stop) override {
    watch_calls.push_back(options);
    open_at_calls.push_back(open_watches);
    if (watches_.empty()) return Exhausted();
    auto answer = std::move(watches_.front());
    watches_.pop_front();
    if (auto* error = std::get_if<Error>(&answer)) return std::move(*error);
    if (auto* refuse = std::get_if<2>(&answer)) return (*refuse)(std::move(stop));
    return std::unique_ptr<watch::Interface>(
        std::make_unique<ScriptedWatch>(*this, std::move(std::get<1>(answer))));
  }

  void SetRequestOptions(const cache::RequestOptions& options) override {
    request_options = options;
  }
  [[nodiscard]] bool SupportsWatchList() const override { return watch_list_; }

  // Calls so far; for the thread that runs the reflector, or after it.
  std::vector<metav1::ListOptions> list_calls;
  std::vector<metav1::ListOptions> watch_calls;
  std::uint64_t bytes_received = 0;  ///< What open watches say.
  int open_watches = 0;
  int closed_watches = 0;
  std::vector<int> open_at_calls;  ///< `open_watches` at each of `watch_calls`.
  std::vector<std::chrono::milliseconds> idle_timeouts;  ///< Of watches, without repetitions.
  cache::RequestOptions request_options{};

 private:
  class ScriptedWatch final : public watch::Interface {
   public:
    ScriptedWatch(ScriptedListWatch& owner, std::vector<WatchStep> steps)
        : owner_(owner), steps_(std::move(steps)) {
      ++owner_.open_watches;
    }
    ~ScriptedWatch() override {
      --owner_.open_watches;
      ++owner_.closed_watches;
    }

    void SetIdleTimeout(std::chrono::milliseconds timeout) override {
      auto& set = owner_.idle_timeouts;
      if (set.empty() || set.back() != timeout) set.push_back(timeout);
    }

    [[nodiscard]] std::uint64_t BytesReceived() const override { return owner_.bytes_received; }

    Result<std::optional<watch::Event>> Next(std::stop_token stop) override {
      while (position_ < steps_.size()) {
        if (stop.stop_requested()) return Cancelled("watch");
        if (auto given = steps_[position_++](stop)) return std::move(*given);
      }
      return owner_.Exhausted();
    }

   private:
    ScriptedListWatch& owner_;
    std::vector<WatchStep> steps_;
    std::size_t position_ = 0;
  };

  Error Exhausted() {
    exhausted_();
    return Cancelled("script");
  }

  const std::function<void()> exhausted_;
  std::deque<ListAnswer> lists_;
  std::deque<WatchAnswer> watches_;
  bool watch_list_ = true;
};

}  // namespace k8s::test
