#pragma once

#include <exception>
#include <optional>
#include <string>

namespace k8s::inline v0::util::detail {

/// Calls code of the user and returns what it threw, as text; nothing if it returned.
template <class F>
std::optional<std::string> Thrown(F&& call) {
  try {
    call();
    return std::nullopt;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception of unknown type";
  }
}

}  // namespace k8s::inline v0::util::detail
