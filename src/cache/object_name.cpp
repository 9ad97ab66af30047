#include <k8s/cache/object_name.hpp>

namespace k8s::inline v0::cache {

std::string MetaNamespaceKey(const runtime::ObjectMetaView& meta) {
  std::string key;
  key.reserve(meta.namespace_.size() + 1 + meta.name.size());
  if (!meta.namespace_.empty()) key.append(meta.namespace_).push_back('/');
  key.append(meta.name);
  return key;
}

Result<ObjectName> SplitMetaNamespaceKey(std::string_view key) {
  const auto slash = key.find('/');
  if (slash == std::string_view::npos) return ObjectName{.name = std::string(key)};
  if (key.find('/', slash + 1) != std::string_view::npos) {
    return InvalidArgument("unexpected key format: \"" + std::string(key) + "\"");
  }
  return ObjectName{std::string(key.substr(0, slash)), std::string(key.substr(slash + 1))};
}

}  // namespace k8s::inline v0::cache
