#pragma once

#include <k8s/runtime/raw_json.hpp>

namespace k8s::inline v0::apiextensionsv1 {

/// Any JSON value: defaults, examples and enums of a CustomResourceDefinition's schema. Mirrors
/// apiextensionsv1.JSON; `raw()` is its Raw.
class JSON : public runtime::RawJson {
 public:
  using RawJson::RawJson;
};

}  // namespace k8s::inline v0::apiextensionsv1
