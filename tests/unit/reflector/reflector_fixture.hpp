#pragma once

#include <k8s/cache/reflector.hpp>
#include <k8s/cache/reflector_store.hpp>

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "support/scripted_list_watch.hpp"
#include "support/skipping_clock.hpp"

namespace k8s::test {

/// A store that writes down what it is told: "add a@11", "replace a@1 b@2 @10", "bookmark @20".
class RecordingStore final : public cache::ReflectorStore {
 public:
  Result<void> Add(runtime::AnyPtr object) override { return Set("add ", object); }
  Result<void> Update(runtime::AnyPtr object) override { return Set("update ", object); }
  Result<void> Delete(runtime::AnyPtr object) override {
    Log("delete " + Text(object));
    objects.erase(Of(object).name);
    return {};
  }
  Result<void> Replace(std::vector<runtime::AnyPtr> list, std::string_view version) override {
    std::string line = "replace";
    for (const auto& object : list) line += " " + Text(object);
    Log(line + " @" + std::string(version));
    if (fail_replace) return Error{.kind = ErrorKind::kInternal, .message = "replace"};
    objects.clear();
    for (auto& object : list) objects[Of(object).name] = object;
    return {};
  }
  Result<void> Resync() override {
    Log("resync");
    if (fail_resync) return Error{.kind = ErrorKind::kInternal, .message = "resync"};
    return {};
  }
  Result<void> Bookmark(std::string_view version) override {
    Log("bookmark @" + std::string(version));
    return {};
  }
  [[nodiscard]] runtime::AnyPtr Known(std::string_view key) const override {
    const auto found = objects.find(std::string(key));
    return found == objects.end() ? nullptr : found->second;
  }

  [[nodiscard]] std::vector<std::string> log() const {
    const std::lock_guard lock(mutex_);
    return log_;
  }
  /// "a=1 b=2": names and values.
  [[nodiscard]] std::string Content() const {
    std::string text;
    for (const auto& [name, object] : objects) {
      text += (text.empty() ? "" : " ") + name + "=" + Of(object).value;
    }
    return text;
  }

  static const Thing& Of(const runtime::AnyPtr& object) {
    return *static_cast<const Thing*>(object.get());
  }

  std::map<std::string, runtime::AnyPtr> objects;
  bool fail_replace = false;
  std::atomic<bool> fail_resync = false;

 private:
  static std::string Text(const runtime::AnyPtr& object) {
    return Of(object).name + "@" + Of(object).resourceVersion;
  }
  Result<void> Set(const std::string& what, const runtime::AnyPtr& object) {
    Log(what + Text(object));
    objects[Of(object).name] = object;
    return {};
  }
  void Log(std::string line) {
    const std::lock_guard lock(mutex_);
    log_.push_back(std::move(line));
  }

  mutable std::mutex mutex_;
  std::vector<std::string> log_;
};

/// Runs a reflector on the test's thread until the script is at its end.
class ReflectorTest : public ::testing::Test {
 protected:
  ReflectorTest() {
    options.useWatchList = false;
    options.clock = clock;
    options.random = [] { return 0.0; };
    options.watchErrorHandler = [this](const Error& error) { errors.push_back(error); };
  }

  void Run() {
    reflector = std::make_unique<cache::Reflector>(ThingType(), source, store, options);
    reflector->Run(stop.get_token());
  }

  /// The resource versions that lists, or watches, asked for.
  static std::vector<std::string> Versions(const std::vector<metav1::ListOptions>& calls) {
    std::vector<std::string> versions;
    for (const auto& call : calls) versions.push_back(call.resourceVersion);
    return versions;
  }

  using Strings = std::vector<std::string>;
  using Sleeps = std::vector<Clock::Duration>;

  std::stop_source stop;
  std::shared_ptr<SkippingClock> clock = std::make_shared<SkippingClock>();
  std::shared_ptr<ScriptedListWatch> source =
      std::make_shared<ScriptedListWatch>([this] { stop.request_stop(); });
  RecordingStore store;
  cache::ReflectorOptions options;
  std::vector<Error> errors;
  std::unique_ptr<cache::Reflector> reflector;
};

}  // namespace k8s::test
