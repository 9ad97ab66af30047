#include "rest/system_roots.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "rest/pem.hpp"
#include "rest/warn_once.hpp"
#include "util/file.hpp"

namespace k8s::inline v0::rest::detail {

namespace {

std::string_view Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string Certificates(const std::string& path) {
  const auto text = util::detail::ReadFile(path);
  if (text) return ReadableCertificates(*text);
  WarnOnce("CAs of the environment: " + text.error().message);
  return {};
}

std::string SystemBundle() {
  const auto* const info = curl_version_info(CURLVERSION_NOW);
  return info->cainfo == nullptr ? "" : Certificates(info->cainfo);
}

/// `list`: separated by colons.
std::string CertificatesOfDirectories(std::string_view list) {
  std::string out;
  while (!list.empty()) {
    const std::string_view directory = list.substr(0, list.find(':'));
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
      if (entry.is_regular_file(ignored)) out += Certificates(entry.path());
    }
    list.remove_prefix(std::min(directory.size() + 1, list.size()));
  }
  return out;
}

}  // namespace

std::string SystemRootsOfEnvironment() {
  const auto file = Variable("SSL_CERT_FILE");
  const auto directories = Variable("SSL_CERT_DIR");
  if (file.empty() && directories.empty()) return {};
  return (file.empty() ? SystemBundle() : Certificates(std::string(file))) +
         (directories.empty() ? SystemBundle() : CertificatesOfDirectories(directories));
}

}  // namespace k8s::inline v0::rest::detail
