#pragma once

#include <k8s/apis/meta/v1.hpp>
#include <k8s/labels/selector.hpp>
#include <k8s/result.hpp>

#include <string_view>

namespace k8s::inline v0::metav1 {

/// A selector that works like `selector`; an empty one matches everything. Errors: kInvalidArgument
/// for an unknown operator, an invalid key or value, a wrong number of values.
[[nodiscard]] Result<labels::Selector> LabelSelectorAsSelector(const LabelSelector& selector);
/// Likewise; an unset one matches nothing.
[[nodiscard]] Result<labels::Selector> LabelSelectorAsSelector(const Box<LabelSelector>& selector);

/// Reads the text of a label selector. Errors: kInvalidArgument, also for "!=", ">" and "<", which
/// a LabelSelector cannot express.
[[nodiscard]] Result<LabelSelector> ParseToLabelSelector(std::string_view text);

}  // namespace k8s::inline v0::metav1
