#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace k8s::inline v0::rest::detail {

/// Whether the text has a PEM block whose label ends in `label` and whose content is base64.
[[nodiscard]] bool HasPemBlock(std::string_view text, std::string_view label);

/// The certificates of `pem` that can be read, as PEM again. The others are passed over, as Go
/// does; OpenSSL would refuse all of them.
[[nodiscard]] std::string ReadableCertificates(const std::string& pem);

/// Why `pem` cannot serve as certificates: "is empty", ...; "" if it can.
[[nodiscard]] std::string CertificateProblem(const std::string& pem);

/// Why `pem` cannot serve as a private key, "" if it can: PKCS#8, PKCS#1 or SEC 1, not encrypted.
/// Nobody is asked for a passphrase.
[[nodiscard]] std::string PrivateKeyProblem(const std::string& pem);

/// When a certificate counts.
struct Validity {
  std::chrono::system_clock::time_point from;
  std::chrono::system_clock::time_point until;
};
/// Of the first certificate; nothing if it cannot be read.
[[nodiscard]] std::optional<Validity> ValidityOf(const std::string& certificate);

/// "has expired, at 2026-12-01T00:00:00Z", or that it is not valid yet; "" for a certificate whose
/// time it is.
[[nodiscard]] std::string ValidityProblem(const std::string& certificate);

/// Whether the private key belongs to the first certificate. Requires: neither has a problem.
[[nodiscard]] bool KeyFits(const std::string& certificate, const std::string& key);

}  // namespace k8s::inline v0::rest::detail
