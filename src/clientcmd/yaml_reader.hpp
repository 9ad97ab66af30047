#pragma once

#include <yaml-cpp/yaml.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace k8s::inline v0::clientcmd::detail {

/// What readers throw, as yaml-cpp does; caught where a whole file has been read.
class YamlError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a YAML value as strictly as Go reads JSON: a number is no text, a text is no bool, and
/// null is the zero value. `<<` merges mappings.
class YamlReader {
 public:
  /// `path` is for error messages.
  YamlReader(YAML::Node node, std::string path);

  /// The member of a mapping; a null reader when it is absent. The last one of a repeated key
  /// counts.
  [[nodiscard]] YamlReader Get(const std::string& key) const;
  [[nodiscard]] bool IsNull() const;
  /// The same, with a name beside its place in error messages: `users[3] ("admin")`.
  [[nodiscard]] YamlReader Called(const std::string& name) const;

  [[nodiscard]] std::string String() const;
  [[nodiscard]] bool Bool() const;
  /// Base64 text as bytes.
  [[nodiscard]] std::string Bytes() const;
  /// The whole value as JSON text.
  [[nodiscard]] std::string Json() const;
  [[nodiscard]] std::vector<std::string> Strings() const;
  [[nodiscard]] std::vector<YamlReader> List() const;
  /// The members of a mapping whose keys are texts.
  [[nodiscard]] std::vector<std::pair<std::string, YamlReader>> Members() const;

  /// Throws YamlError with `problem` and the place.
  [[noreturn]] void Fail(const std::string& problem) const;

 private:
  YAML::Node node_;
  std::string path_;
};

}  // namespace k8s::inline v0::clientcmd::detail
