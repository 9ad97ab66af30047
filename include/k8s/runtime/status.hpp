#pragma once

#include <k8s/error.hpp>

#include <optional>
#include <string_view>

namespace k8s::inline v0::metav1 {
struct Status;
}

namespace k8s::inline v0::runtime {

/// The error a failure Status stands for, with its message as it is. Mirrors errors.FromObject.
[[nodiscard]] Error ErrorFromStatus(const metav1::Status& status);

/// The same from JSON. No value if `json` is not a Status, or one that does not say "Failure".
/// A missing `kind` is taken for Status.
[[nodiscard]] std::optional<Error> ErrorFromStatus(std::string_view json);

}  // namespace k8s::inline v0::runtime
