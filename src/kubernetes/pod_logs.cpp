#include <k8s/kubernetes/pod_logs.hpp>

#include <k8s/kubernetes/resource_client_core.hpp>

#include <chrono>
#include <utility>

namespace k8s::inline v0::kubernetes {

namespace {

constexpr std::size_t kMaxLine = std::size_t{1} << 20;
constexpr std::chrono::seconds kLongestSilence{120};

rest::Query QueryOf(const PodLogOptions& options) {
  rest::Query query;
  const auto text = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) query.emplace_back(key, value);
  };
  const auto flag = [&](std::string_view key, bool value) { text(key, value ? "true" : ""); };
  const auto number = [&](std::string_view key, std::optional<std::int64_t> value) {
    if (value) text(key, std::to_string(*value));
  };
  text("container", options.container);
  flag("follow", options.follow);
  flag("insecureSkipTLSVerifyBackend", options.insecureSkipTLSVerifyBackend);
  number("limitBytes", options.limitBytes);
  flag("previous", options.previous);
  number("sinceSeconds", options.sinceSeconds);
  if (options.sinceTime) {
    std::string quoted;
    options.sinceTime->MarshalJSON(quoted);
    text("sinceTime", quoted.substr(1, quoted.size() - 2));
  }
  text("stream", options.stream);
  number("tailLines", options.tailLines);
  flag("timestamps", options.timestamps);
  return query;
}

}  // namespace

Result<std::optional<std::string>> LogStream::ReadLine(std::stop_token stop) {
  std::string chunk;
  while (true) {
    const auto end = buffer_.find('\n', searched_);
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      searched_ = 0;
      return std::optional(std::move(line));
    }
    searched_ = buffer_.size();
    if (buffer_.size() >= kMaxLine || (ended_ && !buffer_.empty())) {
      searched_ = 0;
      return std::optional(std::exchange(buffer_, {}));
    }
    if (ended_) return std::optional<std::string>();
    auto more = response_->Read(chunk, stop);
    if (!more) return std::move(more).error();
    ended_ = !*more;
    if (!ended_) buffer_ += chunk;
  }
}

Result<std::string> LogStream::ReadAll(std::stop_token stop) {
  std::string chunk;
  while (!ended_) {
    auto more = response_->Read(chunk, stop);
    if (!more) return std::move(more).error();
    ended_ = !*more;
    if (!ended_) buffer_ += chunk;
  }
  searched_ = 0;
  return std::exchange(buffer_, {});
}

namespace detail {

Result<LogStream> OpenLogs(const ResourceClientCore& pods, std::string_view name,
                           const PodLogOptions& options, std::stop_token stop) {
  // What is followed may be silent for ever, and a kubelet answers with the first line.
  const auto idle = options.follow ? std::chrono::seconds(0) : kLongestSilence;
  auto opened = pods.Stream({.name = std::string(name), .subresource = "log"}, QueryOf(options),
                            idle, std::move(stop));
  if (!opened) return std::move(opened).error();
  return LogStream(std::move(*opened));
}

}  // namespace detail

}  // namespace k8s::inline v0::kubernetes
