#include <k8s/runtime/raw_json.hpp>

#include "codec/text.hpp"

namespace k8s::inline v0::runtime {

const char* RawJson::UnmarshalJSON(std::string_view raw) {
  text_ = raw == "null" ? std::string() : codec::detail::Compact(raw);
  return nullptr;
}

}  // namespace k8s::inline v0::runtime
