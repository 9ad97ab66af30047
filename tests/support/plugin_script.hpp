#pragma once

#include <k8s/rest/config.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

namespace k8s::test {

/// A credential plugin in a folder of its own: a shell script, what it answers, and how often it
/// was run. The folder is deleted at the end.
class PluginScript {
 public:
  /// `body` is run in the folder, after the run was counted.
  explicit PluginScript(const std::string& body = "cat answer") {
    std::string name = (std::filesystem::temp_directory_path() / "client-cpp-XXXXXX").string();
    dir_ = mkdtemp(name.data());
    Write("plugin", "#!/bin/sh\ncd '" + dir_.string() + "'\necho >>runs\n" + body + "\n");
    std::filesystem::permissions(dir_ / "plugin", std::filesystem::perms::owner_all);
  }
  PluginScript(const PluginScript&) = delete;
  PluginScript& operator=(const PluginScript&) = delete;
  ~PluginScript() { std::filesystem::remove_all(dir_); }

  void Write(const std::string& file, const std::string& text) const {
    std::ofstream(dir_ / file, std::ios::binary) << text;
  }
  [[nodiscard]] std::string Read(const std::string& file) const {
    std::ifstream in(dir_ / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// The next answers are ExecCredentials with this status, a JSON object.
  void Answer(const std::string& status) const {
    Write("answer", R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
                    R"("status":)" +
                        status + "}");
  }
  void AnswerToken(const std::string& token) const { Answer(R"({"token":")" + token + R"("})"); }
  /// Both are PEM.
  void AnswerCertificate(const std::string& certificate, const std::string& key) const {
    Answer(nlohmann::json{{"clientCertificateData", certificate}, {"clientKeyData", key}}.dump());
  }

  [[nodiscard]] int Runs() const {
    const auto lines = Read("runs");
    return static_cast<int>(std::count(lines.begin(), lines.end(), '\n'));
  }
  [[nodiscard]] std::string path() const { return dir_ / "plugin"; }
  [[nodiscard]] const std::filesystem::path& dir() const { return dir_; }
  [[nodiscard]] rest::ExecConfig Exec() const {
    rest::ExecConfig exec;
    exec.apiVersion = "client.authentication.k8s.io/v1";
    exec.command = path();
    exec.interactiveMode = "Never";
    return exec;
  }

 private:
  std::filesystem::path dir_;
};

}  // namespace k8s::test
