#pragma once

#include <memory>
#include <string>
#include <string_view>

struct z_stream_s;

namespace k8s::inline v0::rest::detail {

/// Un-gzips a body piece by piece: any number of gzip members one after another, each of them
/// flushed wherever the server likes. libcurl's own decoder fails at the second member (7.88
/// and 8.5).
class Gunzip {
 public:
  Gunzip();
  ~Gunzip();
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  /// Replaces `out` with what can be decoded from the front of `input`, at most about 1 MiB, and
  /// drops what was used from `input`. Returns false when the bytes are not gzip.
  bool Decode(std::string_view& input, std::string& out);

  /// Whether Decode would give more without further input.
  [[nodiscard]] bool HasMore() const { return full_; }

  /// Whether the bytes so far end with a whole member (or there were none).
  [[nodiscard]] bool Complete() const { return !inside_; }

 private:
  std::unique_ptr<z_stream_s> stream_;
  bool inside_ = false;
  bool full_ = false;  ///< The last output had no room left.
};

}  // namespace k8s::inline v0::rest::detail
