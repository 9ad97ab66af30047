#include "answer.hpp"

#include "gzip.hpp"
#include "status.hpp"
#include "times.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace k8s::inline v0::testing {
namespace {

constexpr std::size_t kPieceSize = 64 * 1024;

std::string WholeBody(ListBody& list) {
  std::string body;
  while (list.Next(kPieceSize, body)) {
  }
  return body;
}

void StreamWatch(const Answer& answer, httplib::Response& response) {
  response.set_chunked_content_provider(
      answer.contentType, [watch = answer.watch](std::size_t, httplib::DataSink& sink) {
        const bool orderly = watch->Run(
            [&](std::string_view bytes) { return sink.write(bytes.data(), bytes.size()); });
        if (orderly) sink.done();
        return orderly;
      });
}

void StreamList(const Answer& answer, httplib::Response& response) {
  response.set_chunked_content_provider(
      answer.contentType, [list = answer.list](std::size_t, httplib::DataSink& sink) {
        std::string piece;
        if (!list->Next(kPieceSize, piece)) {
          sink.done();
          return true;
        }
        return static_cast<bool>(sink.write(piece.data(), piece.size()));
      });
}

void StreamText(const Answer& answer, httplib::Response& response) {
  response.set_chunked_content_provider(answer.contentType,
                                        [body = answer.body](std::size_t, httplib::DataSink& sink) {
                                          if (!sink.write(body.data(), body.size())) return false;
                                          sink.done();
                                          return true;
                                        });
}

/// Sends the beginning of a body, then breaks off.
void SendPart(const Answer& answer, FaultKind kind, httplib::Response& response,
              Connection& connection) {
  response.set_content_provider(
      answer.body.size(), answer.contentType,
      [body = answer.body, kind, &connection](std::size_t, std::size_t, httplib::DataSink& sink) {
        sink.write(body.data(), body.size() / 2);
        if (kind == FaultKind::kStallStream) connection.WaitUntilGone();
        connection.Reset();
        return false;
      });
}

void SendSlowly(const Answer& answer, std::chrono::milliseconds delay, httplib::Response& response,
                Connection& connection) {
  response.set_content_provider(answer.body.size(), answer.contentType,
                                [body = answer.body, delay, &connection](
                                    std::size_t offset, std::size_t, httplib::DataSink& sink) {
                                  return sink.write(body.data() + offset, 1) &&
                                         Pause(connection, delay);
                                });
}

}  // namespace

Answer AnswerOf(const Error& error) {
  Answer answer = AnswerOf(StatusBody(error), error.code);
  if (error.retryAfter) answer.retryAfter = error.retryAfter->count();
  return answer;
}

Answer AnswerOf(std::string body, int status) {
  Answer answer;
  answer.status = status;
  answer.body = std::move(body);
  return answer;
}

void SendAnswer(Answer answer, const std::optional<Fault>& fault, httplib::Response& response,
                Connection& connection) {
  response.status = answer.status;
  response.set_header("Audit-Id", NewUid());
  response.set_header("Cache-Control", "no-cache, private");
  response.set_header("Date", HttpDate());
  if (answer.retryAfter) response.set_header("Retry-After", std::to_string(*answer.retryAfter));
  answer.gzip = answer.gzip || (fault && fault->kind == FaultKind::kGzip);
  if (answer.gzip) {
    response.set_header("Content-Encoding", "gzip");
    response.set_header("Vary", "Accept-Encoding");
  }
  if (answer.watch) return StreamWatch(answer, response);
  if (answer.chunked) return StreamText(answer, response);
  if (answer.list) {
    const bool whole = fault || answer.gzip || answer.list->EstimatedSize() < 16 * kPieceSize;
    if (!whole) return StreamList(answer, response);
    answer.body = WholeBody(*answer.list);
  }
  if (answer.gzip) answer.body = Gzip(answer.body);
  if (fault && (fault->kind == FaultKind::kCutStream || fault->kind == FaultKind::kStallStream)) {
    return SendPart(answer, fault->kind, response, connection);
  }
  if (fault && fault->kind == FaultKind::kTrickle && !answer.body.empty()) {
    return SendSlowly(answer, fault->delay, response, connection);
  }
  response.body = std::move(answer.body);
  response.set_header("Content-Type", answer.contentType);
}

bool Pause(Connection& connection, std::chrono::milliseconds delay) {
  const auto end = std::chrono::steady_clock::now() + delay;
  for (;;) {
    const auto wake = connection.Wait(end);
    if (wake != Connection::Wake::kSignal) return wake == Connection::Wake::kDeadline;
  }
}

}  // namespace k8s::inline v0::testing
