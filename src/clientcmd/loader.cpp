#include <k8s/clientcmd/clientcmd.hpp>
#include <k8s/log.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "clientcmd/client_config.hpp"
#include "util/file.hpp"
#include "util/problems.hpp"

namespace k8s::inline v0::clientcmd {

namespace {

using util::detail::Problems;

std::vector<std::string> SplitPathList(std::string_view list) {
  std::vector<std::string> paths;
  for (;;) {
    const std::size_t colon = list.find(':');
    paths.emplace_back(list.substr(0, colon));
    if (colon == std::string_view::npos) return paths;
    list.remove_prefix(colon + 1);
  }
}

struct SearchList {
  std::vector<std::string> paths = {};
  bool must_exist = false;
  bool warn_if_all_are_missing = false;
};

SearchList FilesOf(const LoadingRules& rules) {
  if (!rules.explicitPath.empty()) return {.paths = {rules.explicitPath}, .must_exist = true};
  if (!rules.precedence.empty()) return {.paths = rules.precedence};
  const char* const list = std::getenv("KUBECONFIG");
  if (list != nullptr && *list != '\0') {
    return {.paths = SplitPathList(list), .warn_if_all_are_missing = true};
  }
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  return {.paths = {std::string(home) + "/.kube/config"}};
}

void MakeAbsolute(const std::filesystem::path& directory, std::string& path) {
  if (path.empty() || path.front() == '/') return;
  path = (directory / path).lexically_normal().string();
}

// Paths in a kubeconfig are relative to the file. Errors will name it.
void TieToFile(const std::string& file, KubeConfig& config) {
  std::error_code ignored;
  const auto directory = std::filesystem::absolute(file, ignored).parent_path();
  for (auto& [name, cluster] : config.clusters) {
    MakeAbsolute(directory, cluster.certificateAuthority);
    cluster.locationOfOrigin = file;
  }
  for (auto& [name, user] : config.users) {
    MakeAbsolute(directory, user.clientCertificate);
    MakeAbsolute(directory, user.clientKey);
    MakeAbsolute(directory, user.tokenFile);
    user.locationOfOrigin = file;
    // A command without a separator is looked up in PATH.
    if (user.exec && user.exec->command.find('/') != std::string::npos) {
      MakeAbsolute(directory, user.exec->command);
    }
  }
}

// The first definition of a name wins as a whole.
void Merge(KubeConfig&& from, KubeConfig& into) {
  into.clusters.merge(from.clusters);
  into.users.merge(from.users);
  into.contexts.merge(from.contexts);
  if (into.currentContext.empty()) into.currentContext = std::move(from.currentContext);
}

bool IsMissing(const std::string& path) {
  std::error_code error;
  return std::filesystem::status(path, error).type() == std::filesystem::file_type::not_found;
}

}  // namespace

std::string detail::DescribeFiles(const LoadingRules& rules) {
  std::string text;
  for (const std::string& path : FilesOf(rules).paths) {
    if (path.empty() || IsMissing(path)) continue;
    if (!text.empty()) text += ", ";
    text += path;
  }
  return text;
}

Result<KubeConfig> LoadFromFile(const std::string& path) {
  const auto text = util::detail::ReadFile(path);
  if (!text) return text.error();
  auto config = ParseKubeConfig(*text);
  if (!config) {
    return Error{.kind = ErrorKind::kConfig,
                 .message = "kubeconfig " + path + ": " + config.error().message};
  }
  TieToFile(path, *config);
  return config;
}

Result<KubeConfig> LoadKubeConfig(const LoadingRules& rules) {
  const SearchList search = FilesOf(rules);
  KubeConfig merged;
  Problems problems;
  bool any = false;
  for (const std::string& path : search.paths) {
    if (!search.must_exist && (path.empty() || IsMissing(path))) continue;
    any = true;
    auto config = LoadFromFile(path);
    if (config) {
      Merge(*std::move(config), merged);
    } else {
      problems.Add(config.error().message);
    }
  }
  if (!any && search.warn_if_all_are_missing) {
    log::Write(log::Level::kWarning,
               std::string("no file that KUBECONFIG names exists: ") + std::getenv("KUBECONFIG"));
  }
  if (!problems.empty()) return problems.ToError();
  return merged;
}

}  // namespace k8s::inline v0::clientcmd
