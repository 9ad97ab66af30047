#pragma once

#include <k8s/clock.hpp>
#include <k8s/rest/config.hpp>
#include <k8s/rest/transport.hpp>
#include <k8s/result.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace k8s::inline v0::rest::detail {

/// The bearer token of a Config. A token file is read again when what was read is older than 50 s,
/// and after `Refused`. A file that cannot be read, or is empty, leaves the last token in place;
/// while there is none, the file is read each time.
/// Thread safety. All members may be called from any thread. Mirrors transport's token source.
class TokenSource {
 public:
  TokenSource(std::string token, std::string file, std::shared_ptr<Clock> clock);

  /// The token to send, "" for none. Errors: kConfig when there is none but a file is configured.
  [[nodiscard]] Result<std::string> Token();
  /// Says that the server answered 401 to this token. Returns whether another one may be there now.
  bool Refused(const std::string& token);

 private:
  /// Why the last token stays, if it does.
  std::optional<Error> ReadLocked();

  const std::string file_;
  const std::shared_ptr<Clock> clock_;
  std::mutex mutex_;
  std::string token_;
  bool read_ = false;
  Clock::TimePoint read_at_{};
};

/// "user:password" of basic authentication as a header's value.
[[nodiscard]] std::string BasicAuthorization(const std::string& user, const std::string& password);

/// Impersonate-User and its like. Mirrors transport's impersonation.
[[nodiscard]] Headers ImpersonationHeaders(const ImpersonationConfig& impersonate);

/// Whether `headers` has a header of this name, without regard to case.
[[nodiscard]] bool HasHeader(const Headers& headers, std::string_view name);

}  // namespace k8s::inline v0::rest::detail
