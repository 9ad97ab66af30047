#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>

namespace k8s::inline v0::testing {

/// Sets environment variables, and puts the old values back when it is destroyed.
class ScopedEnvironment {
 public:
  /// Starts without any variable that configures a client.
  ScopedEnvironment() {
    for (const char* name : {"KUBECONFIG", "HOME", "KUBERNETES_SERVICE_HOST",
                             "KUBERNETES_SERVICE_PORT", "POD_NAMESPACE"}) {
      Set(name, std::nullopt);
    }
  }
  ~ScopedEnvironment() {
    for (const auto& [name, value] : before_) Put(name, value);
  }
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;

  void Set(const std::string& name, const std::optional<std::string>& value) {
    const char* const before = std::getenv(name.c_str());
    before_.try_emplace(name, before ? std::optional<std::string>(before) : std::nullopt);
    Put(name, value);
  }

 private:
  static void Put(const std::string& name, const std::optional<std::string>& value) {
    if (value) {
      setenv(name.c_str(), value->c_str(), 1);
    } else {
      unsetenv(name.c_str());
    }
  }

  std::map<std::string, std::optional<std::string>> before_;
};

/// A directory that is removed with all its files.
class TempDirectory {
 public:
  TempDirectory() {
    std::string pattern = std::filesystem::temp_directory_path() / "client-cpp-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~TempDirectory() { std::filesystem::remove_all(path_); }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Writes a file and returns its path.
  std::string Write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = std::filesystem::path(path_) / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file.string();
  }

 private:
  std::string path_;
};

}  // namespace k8s::inline v0::testing
