#pragma once

#include <k8s/error.hpp>

#include "connection.hpp"
#include "fault_injector.hpp"
#include "presenter.hpp"
#include "watch_stream.hpp"

#include <httplib.h>
#include <memory>
#include <optional>
#include <string>

namespace k8s::inline v0::testing {

/// What the server says to one request, before faults and HTTP.
struct Answer {
  int status = 200;
  std::string contentType = "application/json";
  std::string body = {};
  bool chunked = false;                          ///< Sends `body` as one chunk.
  std::shared_ptr<ListBody> list = nullptr;      ///< In place of `body`.
  std::shared_ptr<WatchStream> watch = nullptr;  ///< In place of `body`.
  bool gzip = false;
  std::optional<long> retryAfter = std::nullopt;
};

[[nodiscard]] Answer AnswerOf(const Error& error);
[[nodiscard]] Answer AnswerOf(std::string body, int status = 200);

/// Writes the answer, broken as `fault` (of the second part of FaultKind) says. A watch deals with
/// its fault itself.
void SendAnswer(Answer answer, const std::optional<Fault>& fault, httplib::Response& response,
                Connection& connection);

/// Waits, whatever is signalled meanwhile. False: the connection ended.
bool Pause(Connection& connection, std::chrono::milliseconds delay);

}  // namespace k8s::inline v0::testing
