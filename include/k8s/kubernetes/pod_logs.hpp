#pragma once

#include <k8s/apis/meta/time.hpp>
#include <k8s/rest/transport.hpp>
#include <k8s/result.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace k8s::inline v0::kubernetes {

class ResourceClientCore;

/// Which log lines of a pod to read. Mirrors corev1.PodLogOptions.
struct PodLogOptions {
  std::string container = {};                     ///< Empty: the pod's only one.
  bool follow = false;                            ///< Stay and hand over lines as they are written.
  bool previous = false;                          ///< Of the container's last run.
  std::optional<std::int64_t> sinceSeconds = {};  ///< Not older than this. Not with `sinceTime`.
  std::optional<metav1::Time> sinceTime = {};     ///< Not older than this.
  bool timestamps = false;                        ///< A time in front of every line.
  std::optional<std::int64_t> tailLines = {};     ///< Only this many lines, the last ones.
  std::optional<std::int64_t> limitBytes = {};    ///< Ends after this many bytes.
  bool insecureSkipTLSVerifyBackend = false;      ///< The server trusts any kubelet.
  std::string stream = {};  ///< "All", "Stdout" or "Stderr". Empty: the server's, all.
};

/// The log of a container while it is read. Dropping it closes it.
/// **Thread safety.** One reader.
class LogStream {
 public:
  explicit LogStream(std::unique_ptr<rest::HttpResponse> response)
      : response_(std::move(response)) {}

  /// Waits for the next line and returns it without its end; no value at the end of the log. The
  /// last line need not have an end. Lines above 1 MiB are handed over in pieces.
  /// **Blocking.** Ends at once when `stop` is triggered. Errors: those of rest::HttpResponse.
  Result<std::optional<std::string>> ReadLine(std::stop_token stop = {});

  /// The rest of the log as it is. **Blocking.** Until its end, or `stop` is triggered.
  Result<std::string> ReadAll(std::stop_token stop = {});

 private:
  std::unique_ptr<rest::HttpResponse> response_;
  std::string buffer_;
  std::size_t searched_ = 0;  ///< Bytes at the start of buffer_ without a line's end.
  bool ended_ = false;
};

namespace detail {
Result<LogStream> OpenLogs(const ResourceClientCore& pods, std::string_view name,
                           const PodLogOptions& options, std::stop_token stop);
}  // namespace detail

}  // namespace k8s::inline v0::kubernetes
