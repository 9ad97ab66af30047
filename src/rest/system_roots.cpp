#include "rest/system_roots.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

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
  return info->cainfo == nullptr ? "" : info->cainfo;
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

std::string Read(const std::string& file, const std::string& directories) {
  const std::string bundle = SystemBundle();
  const std::string first = file.empty() ? bundle : file;
  std::string out = first.empty() ? "" : Certificates(first);
  std::error_code ignored;
  if (!directories.empty()) {
    out += CertificatesOfDirectories(directories);
  } else if (!bundle.empty() && !std::filesystem::equivalent(first, bundle, ignored)) {
    out += Certificates(bundle);
  }
  return out;
}

}  // namespace

std::string SystemRootsOfEnvironment() {
  const std::string file(Variable("SSL_CERT_FILE"));
  const std::string directories(Variable("SSL_CERT_DIR"));
  if (file.empty() && directories.empty()) return {};
  // Reading a bundle takes longer than all else that makes a client.
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, std::string> known;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = known.try_emplace({file, directories});
  if (is_new) found->second = Read(file, directories);
  return found->second;
}

}  // namespace k8s::inline v0::rest::detail
