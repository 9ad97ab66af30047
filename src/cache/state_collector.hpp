#pragma once

#include <k8s/cache/reflector_store.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace k8s::inline v0::cache {

/// The key of an object: "namespace/name", or "name".
[[nodiscard]] std::string KeyOf(const runtime::ObjectMetaView& meta);

/// Collects a complete state, object by object, in order of arrival. An object that the store has
/// in the same version is taken from there, so that a relist does not hold everything twice; others
/// are transformed at once.
class StateCollector {
 public:
  using Transform = std::function<Result<runtime::AnyPtr>(runtime::AnyPtr)>;

  StateCollector(const runtime::ObjectType& type, const ReflectorStore& store, Transform transform)
      : type_(type), store_(store), transform_(std::move(transform)) {}

  /// Adds an object of a list. Of a key that comes twice the later one stays when it is applied.
  /// Errors: the transform's; the key keeps its known state.
  Result<void> Add(runtime::AnyPtr object);
  /// Adds or replaces an object by its key. Errors: as Add.
  Result<void> Set(runtime::AnyPtr object);
  void Remove(const void* object);
  /// Lets the key of an object that cannot be read keep its known state, if there is one.
  void KeepKnown(const std::string& key);
  void Clear();

  [[nodiscard]] std::size_t size() const { return objects_.size(); }
  /// Hands over what was collected.
  [[nodiscard]] std::vector<runtime::AnyPtr> Take();

 private:
  [[nodiscard]] bool Unchanged(const runtime::AnyPtr& object, const runtime::AnyPtr& known) const;
  Result<runtime::AnyPtr> Final(runtime::AnyPtr object, const std::string& key);
  void SetByKey(std::string key, runtime::AnyPtr object);

  const runtime::ObjectType& type_;
  const ReflectorStore& store_;
  const Transform transform_;
  std::vector<runtime::AnyPtr> objects_;                    ///< Null: removed again.
  std::unordered_map<std::string, std::size_t> positions_;  ///< Of those that came by `Set`.
};

}  // namespace k8s::inline v0::cache
