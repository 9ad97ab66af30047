#include "rest/tls_material.hpp"

#include <k8s/log.hpp>

#include <chrono>
#include <utility>

#include "rest/pem.hpp"
#include "rest/system_roots.hpp"
#include "rest/warn_once.hpp"
#include "util/file.hpp"

namespace k8s::inline v0::rest::detail {

namespace {

using util::detail::Problems;

constexpr std::chrono::minutes kAge{1};

/// One item that is given as data or as a file. `what`: a kubeconfig's name for the file's form.
struct Item {
  std::string what;
  const std::string& data;
  const std::string& file;

  [[nodiscard]] bool given() const { return !data.empty() || !file.empty(); }
  [[nodiscard]] std::string Name() const {
    return data.empty() ? what + " " + file : what + "-data";
  }
};

/// The item's bytes; "" with a problem added when `check` has something against them.
std::string Load(const Item& item, std::string (*check)(const std::string&), Problems& problems) {
  if (!item.given()) return {};
  auto pem = item.data.empty() ? util::detail::ReadFile(item.file) : item.data;
  if (!pem) {
    problems.Add(item.what + ": " + pem.error().message);
    return {};
  }
  const auto problem = check(*pem);
  if (problem.empty()) return *std::move(pem);
  problems.Add(item.Name() + " " + problem);
  return {};
}

/// Replaces the CA of `into`, unless there is a problem.
void LoadCa(const TlsClientConfig& from, TlsClientConfig& into, Problems& problems) {
  const auto pem =
      Load({"certificate-authority", from.caData, from.caFile}, &CertificateProblem, problems);
  if (!pem.empty()) into.caData = ReadableCertificates(pem);
}

/// Replaces certificate and key of `into`, unless there is a problem.
void LoadKeyPair(const TlsClientConfig& from, TlsClientConfig& into, Problems& problems) {
  const Item certificate{"client-certificate", from.certData, from.certFile};
  const Item key{"client-key", from.keyData, from.keyFile};
  auto certificate_pem = Load(certificate, &CertificateProblem, problems);
  auto key_pem = Load(key, &PrivateKeyProblem, problems);
  if (certificate_pem.empty() || key_pem.empty()) return;
  if (!KeyFits(certificate_pem, key_pem)) {
    problems.Add(key.Name() + " does not fit the " + certificate.Name());
    return;
  }
  // No problem: what the server makes of it is the server's business.
  if (const auto problem = ValidityProblem(certificate_pem); !problem.empty()) {
    WarnOnce("the " + certificate.Name() + " " + problem);
  }
  into.certData = std::move(certificate_pem);
  into.keyData = std::move(key_pem);
}

void Load(const TlsClientConfig& from, TlsClientConfig& into, Problems& problems) {
  if (!from.insecure) LoadCa(from, into, problems);
  LoadKeyPair(from, into, problems);
}

}  // namespace

TlsClientConfig LoadTls(const TlsClientConfig& tls, Problems& problems) {
  TlsClientConfig loaded{.insecure = tls.insecure, .serverName = tls.serverName};
  if (!tls.insecure && tls.caFile.empty() && tls.caData.empty()) {
    loaded.caData = SystemRootsOfEnvironment();
  }
  Load(tls, loaded, problems);
  return loaded;
}

TlsMaterial::TlsMaterial(TlsClientConfig sources, TlsClientConfig loaded,
                         std::shared_ptr<Clock> clock)
    : sources_(std::move(sources)),
      has_files_(!sources_.caFile.empty() || !sources_.certFile.empty() ||
                 !sources_.keyFile.empty()),
      clock_(std::move(clock)),
      snapshot_(std::make_shared<const TlsClientConfig>(std::move(loaded))),
      read_at_(clock_->Now()) {}

TlsMaterial::Snapshot TlsMaterial::Current() {
  std::unique_lock lock(mutex_);
  if (!has_files_ || clock_->Now() - read_at_ < kAge) return snapshot_;
  const auto warning = ReadLocked();
  auto snapshot = snapshot_;
  lock.unlock();
  if (!warning.empty()) log::Write(log::Level::kWarning, warning);
  return snapshot;
}

bool TlsMaterial::Refused(const Snapshot& used) {
  if (!has_files_) return false;
  std::unique_lock lock(mutex_);
  const auto warning = snapshot_ == used ? ReadLocked() : "";
  const bool renewed = snapshot_ != used;
  lock.unlock();
  if (!warning.empty()) log::Write(log::Level::kWarning, warning);
  return renewed;
}

std::string TlsMaterial::ReadLocked() {
  read_at_ = clock_->Now();
  auto next = *snapshot_;
  Problems problems;
  Load(sources_, next, problems);
  if (next != *snapshot_) snapshot_ = std::make_shared<const TlsClientConfig>(std::move(next));
  const auto before = std::exchange(problem_, problems.text());
  if (problem_.empty() || problem_ == before) return {};
  return problem_ + "; what was read before stays in use";
}

}  // namespace k8s::inline v0::rest::detail
