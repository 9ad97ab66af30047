#pragma once

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

/// When the first certificate has expired, "2026-12-01T00:00:00Z"; "" while it has not.
[[nodiscard]] std::string ExpiryOf(const std::string& certificate);

/// Whether the private key belongs to the first certificate. Requires: neither has a problem.
[[nodiscard]] bool KeyFits(const std::string& certificate, const std::string& key);

}  // namespace k8s::inline v0::rest::detail
