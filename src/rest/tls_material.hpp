#pragma once

#include <k8s/clock.hpp>
#include <k8s/rest/config.hpp>

#include <memory>
#include <mutex>
#include <string>

#include "util/problems.hpp"

namespace k8s::inline v0::rest::detail {

/// `tls` with the contents of its files in the place of their names. Adds what is wrong, naming the
/// file: an item that cannot be read, a key that does not fit its certificate.
TlsClientConfig LoadTls(const TlsClientConfig& tls, util::detail::Problems& problems);

/// The TLS material of a Config as data. Files are read again when what was read is older than a
/// minute, and after `Refused`. New ones that cannot be used are told once and leave what was read
/// before in place: certificate and key are seldom replaced in one moment.
///
/// Thread safety. All members may be called from any thread. Mirrors transport's certificate and
/// CA rotation, which look every 5 minutes.
class TlsMaterial {
 public:
  /// Data only: no names of files.
  using Snapshot = std::shared_ptr<const TlsClientConfig>;

  /// `loaded`: what LoadTls has made of `sources` just now.
  TlsMaterial(TlsClientConfig sources, TlsClientConfig loaded, std::shared_ptr<Clock> clock);

  [[nodiscard]] Snapshot Current();
  /// Says that the two sides did not accept each other with `used`. Returns whether something else
  /// is there now.
  bool Refused(const Snapshot& used);

 private:
  /// Returns a warning, or "".
  [[nodiscard]] std::string ReadLocked();

  const TlsClientConfig sources_;
  const bool has_files_;
  const std::shared_ptr<Clock> clock_;
  std::mutex mutex_;
  Snapshot snapshot_;
  Clock::TimePoint read_at_;
  std::string problem_;  ///< The last one told; "" when all was well.
};

}  // namespace k8s::inline v0::rest::detail
