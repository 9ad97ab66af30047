#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace k8s::inline v0::testing {

/// The JSON of a running pod of about 6 kB, named `prefix` and the number in five digits, labelled
/// with `prefix` without its trailing dash.
[[nodiscard]] std::string SamplePod(std::size_t number, std::string_view namespace_,
                                    std::string_view prefix);

}  // namespace k8s::inline v0::testing
