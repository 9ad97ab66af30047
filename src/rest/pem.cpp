#include "rest/pem.hpp"

#include <k8s/bytes.hpp>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <array>
#include <cstddef>
#include <ctime>
#include <memory>

#include "codec/base64.hpp"

namespace k8s::inline v0::rest::detail {

namespace {

using std::chrono::system_clock;

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Bio = std::unique_ptr<BIO, Deleter<BIO_free>>;
using Certificate = std::unique_ptr<X509, Deleter<X509_free>>;
using PrivateKey = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;

/// Leaves the thread's queue of errors, which others look at, as it was.
class ErrorMark {
 public:
  ErrorMark() { ERR_set_mark(); }
  ErrorMark(const ErrorMark&) = delete;
  ErrorMark& operator=(const ErrorMark&) = delete;
  ~ErrorMark() { ERR_pop_to_mark(); }
};

Bio Reader(std::string_view text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

/// In place of OpenSSL's own, which asks at the terminal.
int NoPassphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*user*/) { return -1; }

Certificate ReadCertificate(std::string_view block) {
  return Certificate(PEM_read_bio_X509(Reader(block).get(), nullptr, &NoPassphrase, nullptr));
}

PrivateKey ReadPrivateKey(const std::string& pem) {
  return PrivateKey(PEM_read_bio_PrivateKey(Reader(pem).get(), nullptr, &NoPassphrase, nullptr));
}

std::optional<system_clock::time_point> ToTime(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return std::nullopt;
  return system_clock::from_time_t(timegm(&parts));
}

std::string ToText(system_clock::time_point time) {
  const std::time_t seconds = system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

/// The next block of a certificate is cut off `text`; "" when there is none.
std::string_view TakeCertificateBlock(std::string_view& text) {
  constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----";
  constexpr std::string_view kEnd = "-----END CERTIFICATE-----";
  const auto begin = text.find(kBegin);
  if (begin == std::string_view::npos) return {};
  const auto end = text.find(kEnd, begin);
  if (end == std::string_view::npos) return {};
  const auto block = text.substr(begin, end + kEnd.size() - begin);
  text.remove_prefix(end + kEnd.size());
  return block;
}

}  // namespace

bool HasPemBlock(std::string_view text, std::string_view label) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  constexpr std::string_view kDashes = "-----";
  for (std::size_t begin = text.find(kBegin); begin != std::string_view::npos;
       begin = text.find(kBegin, begin + 1)) {
    const std::size_t name = begin + kBegin.size();
    const std::size_t name_end = text.find(kDashes, name);
    if (name_end == std::string_view::npos) return false;
    if (!text.substr(name, name_end - name).ends_with(label)) continue;
    const std::size_t body = name_end + kDashes.size();
    const std::size_t end = text.find("-----END ", body);
    if (end == std::string_view::npos) return false;
    // Encrypted keys of the old form have header lines.
    const std::string_view content = text.substr(body, end - body);
    Bytes bytes;
    if (content.find(':') != std::string_view::npos ||
        codec::detail::DecodeBase64(content, bytes)) {
      return true;
    }
  }
  return false;
}

std::string ReadableCertificates(const std::string& pem) {
  const ErrorMark mark;
  std::string out;
  std::string_view rest = pem;
  for (auto block = TakeCertificateBlock(rest); !block.empty();
       block = TakeCertificateBlock(rest)) {
    if (ReadCertificate(block) != nullptr) out.append(block).append("\n");
  }
  return out;
}

std::string CertificateProblem(const std::string& pem) {
  if (pem.empty()) return "is empty";
  if (!HasPemBlock(pem, "CERTIFICATE")) return "is not PEM of a certificate";
  return ReadableCertificates(pem).empty() ? "has no certificate that can be read" : "";
}

std::string PrivateKeyProblem(const std::string& pem) {
  if (pem.empty()) return "is empty";
  if (!HasPemBlock(pem, "PRIVATE KEY")) return "is not PEM of a private key";
  if (pem.find("BEGIN ENCRYPTED PRIVATE KEY") != std::string::npos ||
      pem.find("Proc-Type: 4,ENCRYPTED") != std::string::npos) {
    return "is encrypted, which is not supported; openssl pkey decrypts it";
  }
  const ErrorMark mark;
  return ReadPrivateKey(pem) == nullptr ? "has no private key that can be read" : "";
}

std::optional<Validity> ValidityOf(const std::string& certificate) {
  const ErrorMark mark;
  const auto leaf = ReadCertificate(certificate);
  if (leaf == nullptr) return std::nullopt;
  const auto from = ToTime(X509_get0_notBefore(leaf.get()));
  const auto until = ToTime(X509_get0_notAfter(leaf.get()));
  if (!from || !until) return std::nullopt;
  return Validity{.from = *from, .until = *until};
}

std::string ValidityProblem(const std::string& certificate) {
  const auto validity = ValidityOf(certificate);
  const auto now = system_clock::now();
  if (validity && now >= validity->until) return "has expired, at " + ToText(validity->until);
  if (validity && now < validity->from) return "is not valid before " + ToText(validity->from);
  return {};
}

bool KeyFits(const std::string& certificate, const std::string& key) {
  const ErrorMark mark;
  const auto leaf = ReadCertificate(certificate);
  const auto private_key = ReadPrivateKey(key);
  return leaf != nullptr && private_key != nullptr &&
         X509_check_private_key(leaf.get(), private_key.get()) == 1;
}

}  // namespace k8s::inline v0::rest::detail
