#pragma once

#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <string_view>
#include <vector>

namespace k8s::inline v0::cache {

/// Where a Reflector puts what it receives; DeltaFIFO is the one that informers use. Mirrors
/// cache.ReflectorStore.
///
/// Errors: kClosed once the store is closed; kInternal when a transform failed, with nothing
/// stored. `resource_version` may be empty.
/// **Thread safety.** One reflector's threads at a time: events from one thread, `Resync` from
/// another.
class ReflectorStore {
 public:
  virtual ~ReflectorStore() = default;

  virtual Result<void> Add(runtime::AnyPtr object) = 0;
  virtual Result<void> Update(runtime::AnyPtr object) = 0;
  /// `object` is the last state, as the event has it.
  virtual Result<void> Delete(runtime::AnyPtr object) = 0;

  /// The complete state: what is not in `objects` is gone.
  virtual Result<void> Replace(std::vector<runtime::AnyPtr> objects,
                               std::string_view resource_version) = 0;
  /// Delivers all objects once more.
  virtual Result<void> Resync() = 0;
  /// All changes up to `resource_version` have been received.
  virtual Result<void> Bookmark(std::string_view resource_version) = 0;

  /// The object that is stored under a key ("namespace/name") now, or null. A reflector that gets
  /// an equal one in a list keeps this one instead and frees its copy at once. May be behind what
  /// was added, and is transformed already.
  [[nodiscard]] virtual runtime::AnyPtr Known(std::string_view key) const = 0;
};

}  // namespace k8s::inline v0::cache
