#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace k8s::inline v0::rest {

/// One value of an answer's Warning headers: `299 - "v1beta1 Widget is deprecated"`.
struct Warning {
  int code = 0;            ///< 299 for those of API servers.
  std::string agent = {};  ///< Who warns; "-" for API servers.
  std::string text = {};   ///< For people, on one line.

  friend bool operator==(const Warning&, const Warning&) = default;
};

/// What a client does with the warnings that come with answers: a function, called once for each of
/// them, whatever its code.
///
/// **Thread safety.** A cheap value; copies share the function and are equal.
/// **Callbacks.** On the thread of the request, before its answer is handed over, several at a time
/// for several requests; not for an answer after which the request is sent again. What it throws is
/// logged.
/// **Mirrors** rest.WarningHandler.
class WarningHandler {
 public:
  /// None of its own: that of SetDefaultWarningHandler.
  WarningHandler() = default;
  template <std::invocable<const Warning&> Function>
  requires(!std::same_as<std::remove_cvref_t<Function>, WarningHandler>)
      WarningHandler(Function function)  // NOLINT: a function is a handler
      : function_(
            std::make_shared<const std::function<void(const Warning&)>>(std::move(function))) {}

  [[nodiscard]] explicit operator bool() const { return function_ != nullptr; }
  /// Requires: not empty.
  void operator()(const Warning& warning) const { (*function_)(warning); }

  friend bool operator==(const WarningHandler&, const WarningHandler&) = default;

 private:
  std::shared_ptr<const std::function<void(const Warning&)>> function_;
};

struct WarningLoggerOptions {
  /// Log each text once only, as kubectl does. The last 1,000 different texts are remembered.
  bool deduplicate = false;
};

/// Writes the texts of warnings with code 299 to the log, at level kWarning. Mirrors WarningLogger
/// and NewWarningWriter.
[[nodiscard]] WarningHandler WarningLogger(WarningLoggerOptions options = {});

/// Ignores all warnings. Mirrors NoWarnings.
[[nodiscard]] WarningHandler NoWarnings();

/// What clients do whose Config names no handler, those that exist already too. An empty one sets
/// back the default, WarningLogger(). Thread safe. Mirrors SetDefaultWarningHandler.
void SetDefaultWarningHandler(WarningHandler handler);

}  // namespace k8s::inline v0::rest
