#include "rest/exec_credential.hpp"

#include <k8s/apis/meta/time.hpp>
#include <k8s/bytes.hpp>

#include <nlohmann/json.hpp>
#include <utility>

#include "codec/base64.hpp"
#include "rest/ascii.hpp"
#include "rest/pem.hpp"
#include "rest/response_error.hpp"
#include "runtime/json_reader.hpp"
#include "util/file.hpp"

namespace k8s::inline v0::rest::detail {

namespace {

using nlohmann::json;

Error Bad(std::string what) {
  return {.kind = ErrorKind::kConfig, .message = "its output " + std::move(what)};
}

/// The member, or null when it is absent or null.
const json* Member(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

/// Texts of a JSON object, "" for those that are absent; remembers the first that is no text.
class Texts {
 public:
  explicit Texts(const json& object) : object_(object) {}

  std::string Take(const char* name) {
    const json* const value = Member(object_, name);
    if (value == nullptr) return {};
    if (value->is_string()) return value->get<std::string>();
    if (wrong_ == nullptr) wrong_ = name;
    return {};
  }
  [[nodiscard]] const char* wrong() const { return wrong_; }

 private:
  const json& object_;
  const char* wrong_ = nullptr;
};

Result<void> CheckType(const json& answer, const std::string& api_version) {
  Texts texts(answer);
  const auto kind = texts.Take("kind");
  const auto version = texts.Take("apiVersion");
  if (kind == "ExecCredential" && version == api_version) return {};
  constexpr std::size_t kShown = 80;
  return Bad("is of kind \"" + OneLine(kind, kShown) + "\" and apiVersion \"" +
             OneLine(version, kShown) + "\", not an ExecCredential of " + api_version);
}

Result<void> Check(const ExecCredential& credential) {
  if (HasControl(credential.token)) {
    return Bad("has a token with a control character");
  }
  if (credential.certificate.empty() != credential.key.empty()) {
    return Bad("has only one of clientCertificateData and clientKeyData");
  }
  if (credential.token.empty() && credential.certificate.empty()) {
    return Bad("has neither a token nor a client certificate");
  }
  if (credential.certificate.empty()) return {};
  if (const auto problem = CertificateProblem(credential.certificate); !problem.empty()) {
    return Bad("has a clientCertificateData that " + problem);
  }
  if (const auto problem = PrivateKeyProblem(credential.key); !problem.empty()) {
    return Bad("has a clientKeyData that " + problem);
  }
  if (!KeyFits(credential.certificate, credential.key)) {
    return Bad("has a clientKeyData that does not fit its clientCertificateData");
  }
  return {};
}

/// JSON of what is not empty, as Go writes it with omitempty.
void Put(json& object, const char* name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}

}  // namespace

Result<ExecCredential> ParseExecCredential(std::string_view output,
                                           const std::string& api_version) {
  if (output.empty()) return Bad("is empty");
  const auto answer = runtime::detail::ReadJson(output);
  if (!answer) return Bad("is " + answer.error().message);
  if (!answer->is_object()) return Bad("is no JSON object");
  if (auto checked = CheckType(*answer, api_version); !checked) return std::move(checked).error();
  const json* const status = Member(*answer, "status");
  if (status == nullptr || !status->is_object()) return Bad("has no status");
  Texts texts(*status);
  ExecCredential credential{.token = texts.Take("token"),
                            .certificate = texts.Take("clientCertificateData"),
                            .key = texts.Take("clientKeyData")};
  const auto expires = texts.Take("expirationTimestamp");
  if (texts.wrong() != nullptr)
    return Bad(std::string("has a ") + texts.wrong() + " that is no text");
  if (Member(*status, "expirationTimestamp") != nullptr) {
    metav1::Time time;
    if (time.UnmarshalJSON(json(expires).dump()) != nullptr) {
      return Bad("has an expirationTimestamp that is not RFC 3339");
    }
    // The zero time of a program in Go that has none.
    if (!time.IsZero()) credential.expires = time.ToSystemTime();
  }
  if (auto checked = Check(credential); !checked) return std::move(checked).error();
  return credential;
}

Result<std::string> ExecClusterInfo(const Config& config) {
  if (!config.exec.provideClusterInfo) return std::string();
  json cluster{{"server", config.host}};
  Put(cluster, "tls-server-name", config.tls.serverName);
  if (config.tls.insecure) cluster["insecure-skip-tls-verify"] = true;
  std::string ca = config.tls.caData;
  if (ca.empty() && !config.tls.caFile.empty()) {
    auto text = util::detail::ReadFile(config.tls.caFile);
    if (!text) return std::move(text).error();
    ca = *std::move(text);
  }
  if (!ca.empty()) {
    std::string base64;
    codec::detail::AppendBase64(Bytes(ca.begin(), ca.end()), base64);
    cluster["certificate-authority-data"] = std::move(base64);
  }
  Put(cluster, "proxy-url", config.proxyUrl);
  if (config.disableCompression) cluster["disable-compression"] = true;
  if (!config.exec.config.empty()) {
    auto extension = runtime::detail::ReadJson(config.exec.config);
    if (!extension) {
      return Error{.kind = ErrorKind::kConfig,
                   .message = "its config is " + extension.error().message};
    }
    cluster["config"] = *std::move(extension);
  }
  return cluster.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string ExecInfo(const std::string& api_version, bool interactive, const std::string& cluster) {
  std::string out = R"({"apiVersion":)" + json(api_version).dump() +
                    R"(,"kind":"ExecCredential","spec":{"interactive":)" +
                    (interactive ? "true" : "false");
  if (!cluster.empty()) out += R"(,"cluster":)" + cluster;
  return out + "}}";
}

}  // namespace k8s::inline v0::rest::detail
