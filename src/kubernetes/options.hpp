#pragma once

#include <k8s/rest/client.hpp>

#include <string>

namespace k8s::inline v0::metav1 {
struct CreateOptions;
struct DeleteOptions;
struct GetOptions;
struct ListOptions;
struct PatchOptions;
struct UpdateOptions;
}  // namespace k8s::inline v0::metav1

namespace k8s::inline v0::kubernetes::detail {

// Query parameters in alphabetical order; what is not set does not appear.
[[nodiscard]] rest::Query QueryOf(const metav1::GetOptions& options);
[[nodiscard]] rest::Query QueryOf(const metav1::ListOptions& options);
[[nodiscard]] rest::Query QueryOf(const metav1::CreateOptions& options);
[[nodiscard]] rest::Query QueryOf(const metav1::UpdateOptions& options);
[[nodiscard]] rest::Query QueryOf(const metav1::PatchOptions& options);

/// The body of a DELETE request.
[[nodiscard]] std::string BodyOf(metav1::DeleteOptions options);

}  // namespace k8s::inline v0::kubernetes::detail
