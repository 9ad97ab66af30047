#pragma once

#include <k8s/rest/config.hpp>
#include <k8s/rest/curl_transport.hpp>
#include <k8s/rest/transport.hpp>
#include <k8s/result.hpp>

#include <memory>
#include <stop_token>
#include <string>
#include <utility>

namespace k8s::test {

/// A transport to `url` that ignores the environment's proxies.
inline std::shared_ptr<rest::CurlTransport> TransportTo(const std::string& url) {
  return rest::CurlTransport::New({.host = url}).value();
}

/// The whole body of an answer.
inline Result<std::string> ReadAll(rest::HttpResponse& response, std::stop_token stop = {}) {
  std::string body;
  std::string chunk;
  while (true) {
    auto more = response.Read(chunk, stop);
    if (!more) return std::move(more).error();
    if (!*more) return body;
    body += chunk;
  }
}

/// The whole body of the answer to a GET.
inline Result<std::string> Get(rest::Transport& transport, const std::string& target = "/",
                               std::stop_token stop = {}) {
  auto response = transport.RoundTrip({.target = target}, stop);
  if (!response) return std::move(response).error();
  return ReadAll(**response, stop);
}

}  // namespace k8s::test
