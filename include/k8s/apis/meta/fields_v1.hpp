#pragma once

#include <k8s/runtime/raw_json.hpp>

namespace k8s::inline v0::metav1 {

/// The set of fields that a manager owns, in the JSON form of server-side apply. Mirrors
/// metav1.FieldsV1; `raw()` is its Raw.
class FieldsV1 : public runtime::RawJson {
 public:
  using RawJson::RawJson;
};

}  // namespace k8s::inline v0::metav1
