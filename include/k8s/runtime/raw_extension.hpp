#pragma once

#include <k8s/runtime/raw_json.hpp>

namespace k8s::inline v0::runtime {

/// An object of any kind inside another one (ControllerRevision.data, AdmissionReview.object).
/// Mirrors runtime.RawExtension; `raw()` is its Raw.
class RawExtension : public RawJson {
 public:
  using RawJson::RawJson;
};

}  // namespace k8s::inline v0::runtime
