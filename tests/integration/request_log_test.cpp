// The log of requests, and the server's warnings, over sockets.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <k8s/apis/core/v1.hpp>
#include <k8s/cache/rest_listwatch.hpp>
#include <k8s/cache/shared_informer.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/rest/client.hpp>
#include <k8s/testing/fake_api_server.hpp>

#include <atomic>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/event_recorder.hpp"
#include "support/log_lines.hpp"
#include "support/openssl_server.hpp"
#include "support/plugin_script.hpp"
#include "support/proxy_program.hpp"
#include "support/raw_http_server.hpp"
#include "support/regex.hpp"
#include "support/transport_helpers.hpp"

namespace k8s::test {
namespace {

using corev1::ConfigMap;
using ::testing::ElementsAre;
using testing::FakeApiServer;
using ::testing::HasSubstr;
using ::testing::Not;

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// ---- The log

std::string Answer(const std::string& status, const std::string& body,
                   const std::string& headers = {}) {
  return "HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// One request each that is answered, has a body, is refused, is tried again, and is a watch.
void SendOneOfEachKind(int verbosity) {
  std::atomic<int> busy = 1;
  RawHttpServer server([&busy](RawConnection& peer) {
    for (auto request = peer.ReadRequest(); !request.empty(); request = peer.ReadRequest()) {
      if (request.starts_with("POST")) {
        peer.Send(Answer("201 Created", R"({"new":1})"));
      } else if (request.starts_with("GET /none")) {
        peer.Send(
            Answer("404 Not Found",
                   R"({"kind":"Status","status":"Failure","message":"no","reason":"NotFound"})"));
      } else if (Has(request, "watch=true")) {
        peer.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        peer.Send(Chunk(R"({"type":"ADDED"})") + Chunk(""));
      } else if (request.starts_with("GET /busy") && busy-- > 0) {
        peer.Send(Answer("503 Service Unavailable", "", "Retry-After: 0\r\n"));
      } else {
        peer.Send(Answer("200 OK", "{}", "Set-Cookie: id=s3cret\r\n"));
      }
    }
  });
  const auto client = rest::Client::New({.host = server.url(),
                                         .bearerToken = "s3cret",
                                         .userAgent = "agent",
                                         .disableCompression = true,
                                         .verbosity = verbosity,
                                         .qps = -1})
                          .value();
  EXPECT_TRUE(client.Do({.path = "/a"}));
  EXPECT_TRUE(client.Do(
      {.method = "POST", .path = "/b", .contentType = "application/json", .body = R"({"b":1})"}));
  EXPECT_TRUE(IsNotFound(client.Do({.path = "/none"}).error()));
  EXPECT_TRUE(client.Do({.path = "/busy"}));
  auto watch = client.Stream({.path = "/w", .query = {{"watch", "true"}}, .watch = true}).value();
  EXPECT_EQ(ReadAll(*watch).value(), R"({"type":"ADDED"})");
}

/// What they write to the log: requests as #1, #2, ..., "h" for the server, "N ms" for times.
std::string LogOfOneOfEachKind(int verbosity) {
  const LogLines lines;
  SendOneOfEachKind(verbosity);
  std::istringstream in(lines.Text());
  int first = 0;
  std::string text;
  for (std::string line; std::getline(in, line);) {
    const auto space = line.find(' ');
    const int number = std::stoi(line.substr(1, space));
    if (first == 0) first = number;
    line = "#" + std::to_string(number - first + 1) + line.substr(space);
    line = RegexReplaced(line, "http://127.0.0.1:[0-9]+", "h");
    text += RegexReplaced(line, "[0-9]+ ms", "N ms") + "\n";
  }
  return text;
}

// client-go: TestDebuggingRoundTripper
TEST(RequestLogServerTest, SixIsALinePerAnswerAndOneForAWatchsEnd) {
  EXPECT_EQ(LogOfOneOfEachKind(6), R"(#1 GET h/a 200 in N ms
#2 POST h/b 201 in N ms
#3 GET h/none 404 in N ms
#4 GET h/busy 503 in N ms
#5 GET h/busy 200 in N ms
#6 GET h/w?watch=true 200 in N ms
#6 GET h/w?watch=true ended after N ms, 16 bytes
)");
}

TEST(RequestLogServerTest, SevenIsAlsoTheRequestsHeaders) {
  EXPECT_EQ(LogOfOneOfEachKind(7), R"(#1 GET h/a
#1 > Accept: application/json
#1 > User-Agent: agent
#1 > Authorization: Bearer <masked>
#1 GET h/a 200 in N ms
#2 POST h/b
#2 > Accept: application/json
#2 > User-Agent: agent
#2 > Content-Type: application/json
#2 > Authorization: Bearer <masked>
#2 POST h/b 201 in N ms
#3 GET h/none
#3 > Accept: application/json
#3 > User-Agent: agent
#3 > Authorization: Bearer <masked>
#3 GET h/none 404 in N ms
#4 GET h/busy
#4 > Accept: application/json
#4 > User-Agent: agent
#4 > Authorization: Bearer <masked>
#4 GET h/busy 503 in N ms
#5 GET h/busy
#5 > Accept: application/json
#5 > User-Agent: agent
#5 > Authorization: Bearer <masked>
#5 GET h/busy 200 in N ms
#6 GET h/w?watch=true
#6 > Accept: application/json
#6 > User-Agent: agent
#6 > Authorization: Bearer <masked>
#6 GET h/w?watch=true 200 in N ms
#6 GET h/w?watch=true ended after N ms, 16 bytes
)");
}

TEST(RequestLogServerTest, EightIsAlsoTheAnswersHeadersAndAllBodies) {
  const auto text = RegexReplaced(LogOfOneOfEachKind(8), "#. > [AU][^\n]*\n", "");
  EXPECT_EQ(text, R"(#1 GET h/a
#1 GET h/a 200 in N ms
#1 < Content-Type: application/json
#1 < Set-Cookie: <masked>
#1 < Content-Length: 2
#1 < body: {}
#2 POST h/b
#2 > Content-Type: application/json
#2 > body: {"b":1}
#2 POST h/b 201 in N ms
#2 < Content-Type: application/json
#2 < Content-Length: 9
#2 < body: {"new":1}
#3 GET h/none
#3 GET h/none 404 in N ms
#3 < Content-Type: application/json
#3 < Content-Length: 71
#3 < body: {"kind":"Status","status":"Failure","message":"no","reason":"NotFound"}
#4 GET h/busy
#4 GET h/busy 503 in N ms
#4 < Content-Type: application/json
#4 < Retry-After: 0
#4 < Content-Length: 0
#5 GET h/busy
#5 GET h/busy 200 in N ms
#5 < Content-Type: application/json
#5 < Set-Cookie: <masked>
#5 < Content-Length: 2
#5 < body: {}
#6 GET h/w?watch=true
#6 GET h/w?watch=true 200 in N ms
#6 < Transfer-Encoding: chunked
#6 < body: {"type":"ADDED"}
#6 GET h/w?watch=true ended after N ms, 16 bytes
)");
}

TEST(RequestLogServerTest, NineIsCurlCommandsAndTimings) {
  const auto text = RegexReplaced(LogOfOneOfEachKind(9), "#. < [^b][^\n]*\n", "");
  const std::string headers =
      "-H 'Accept: application/json' -H 'User-Agent: agent' -H 'Authorization: Bearer <masked>' ";
  const std::string made = " in N ms over HTTP/1.1; name look-up N ms, dial N ms, server N ms\n";
  const std::string kept = " in N ms over HTTP/1.1; connection N ms, reused, server N ms\n";
  EXPECT_EQ(text, "#1 curl -v -XGET " + headers + "'h/a'\n#1 GET h/a 200" + made +
                      "#1 < body: {}\n#2 curl -v -XPOST -H 'Accept: application/json' -H "
                      "'User-Agent: agent' -H 'Content-Type: application/json' -H "
                      "'Authorization: Bearer <masked>' 'h/b'\n#2 > body: {\"b\":1}\n#2 POST h/b "
                      "201" +
                      kept + "#2 < body: {\"new\":1}\n#3 curl -v -XGET " + headers +
                      "'h/none'\n#3 GET h/none 404" + kept +
                      "#3 < body: {\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"no\","
                      "\"reason\":\"NotFound\"}\n#4 curl -v -XGET " +
                      headers + "'h/busy'\n#4 GET h/busy 503" + kept + "#5 curl -v -XGET " +
                      headers + "'h/busy'\n#5 GET h/busy 200" + kept +
                      "#5 < body: {}\n#6 curl -v -XGET " + headers +
                      "'h/w?watch=true'\n#6 GET h/w?watch=true 200" + kept +
                      "#6 < body: {\"type\":\"ADDED\"}\n#6 GET h/w?watch=true ended after N ms, 16 "
                      "bytes\n");
}

// ---- What is never in it

constexpr std::string_view kHidden = "aGlkZGVuLXZhbHVl";  // A Secret's value.

/// Creates, reads, lists, watches, patches and replaces a Secret, and asks for a token.
void UseSecrets(const rest::Config& config) {
  const auto client = rest::Client::New(config).value();
  const std::string path = "/api/v1/namespaces/d/secrets";
  const std::string body = R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":)"
                           R"({"k":")" +
                           std::string(kHidden) + "\"}}";
  const auto send = [&](const std::string& method, const std::string& to, const std::string& type) {
    const auto done = client.Do({.method = method, .path = to, .contentType = type, .body = body});
    EXPECT_TRUE(done) << method << done.error().ToString();
  };
  send("POST", path, "application/json");
  send("PUT", path + "/s", "application/json");
  send("PATCH", path + "/s", "application/merge-patch+json");
  send("POST", "/api/v1/namespaces/d/serviceaccounts/a/token", "application/json");
  EXPECT_TRUE(Has(client.Do({.path = path + "/s"}).value().body, kHidden));
  EXPECT_TRUE(Has(client.Do({.path = "/api/v1/secrets"}).value().body, kHidden));
  const auto watch = client.Stream(
      {.path = path, .query = {{"watch", "true"}, {"resourceVersion", "0"}}, .watch = true});
  std::string event;
  ASSERT_TRUE((*watch)->Read(event, {}).value());
  EXPECT_TRUE(Has(event, kHidden));
}

class SecretsInTheLogTest : public ::testing::TestWithParam<int> {
 protected:
  SecretsInTheLogTest() {
    server_.InjectFault({.kind = testing::FaultKind::kRawAnswer,
                         .match = {.resource = "serviceaccounts/token"},
                         .times = -1,
                         .status = 201,
                         .body = R"({"status":{"token":"minted-s3cret"}})"});
  }

  /// Uses secrets with `config`; none of `secrets`, and no Secret's value, may be in the log.
  void Check(rest::Config config, std::vector<std::string> secrets) {
    config.verbosity = GetParam();
    config.qps = -1;
    const LogLines lines;
    UseSecrets(config);
    const auto text = lines.Text();
    EXPECT_THAT(text, HasSubstr("/api/v1/namespaces/d/secrets?watch=true"));
    EXPECT_EQ(Has(text, "body: <masked, "), GetParam() >= 8);
    secrets.insert(secrets.end(), {std::string(kHidden), "hidden-value", "minted-s3cret"});
    for (const auto& secret : secrets) EXPECT_THAT(text, Not(HasSubstr(secret)));
    server_.Delete({.group = "", .resource = "secrets"}, "d", "s");
  }

  FakeApiServer server_;
};

TEST_P(SecretsInTheLogTest, NoTokenOrPassword) {
  const PluginScript files;
  files.AnswerToken("plugin-s3cret");
  files.Write("token", "file-s3cret");
  Check({.host = server_.url(), .bearerToken = "plain-s3cret"}, {"plain-s3cret"});
  Check({.host = server_.url(), .bearerTokenFile = files.dir() / "token"}, {"file-s3cret"});
  // base64 of user:basic-s3cret
  Check({.host = server_.url(), .username = "user", .password = "basic-s3cret"},
        {"basic-s3cret", "dXNlcjpiYXNpYy1zM2NyZXQ="});
  rest::ExecConfig exec = files.Exec();
  exec.env = {{"KEY", "env-s3cret"}};
  Check({.host = server_.url(), .exec = exec}, {"plugin-s3cret", "env-s3cret"});
  EXPECT_EQ(files.Runs(), 1);
}

TEST_P(SecretsInTheLogTest, NoClientKeyOrPasswordOfAProxy) {
  for (const auto& why : {TestAuthority::Unavailable(), ProxyProgram::Unavailable("stunnel"),
                          ProxyProgram::Unavailable("tinyproxy")}) {
    if (!why.empty()) GTEST_SKIP() << why;
  }
  const TestAuthority authority;
  authority.Issue("server", "IP:127.0.0.1");
  authority.Issue("client", "DNS:client.test");
  const auto key = authority.Read("client.key");
  const std::string key_line = key.substr(key.find('\n') + 1, 40);
  const auto front =
      ProxyProgram::Stunnel(authority, "server", "127.0.0.1:" + std::to_string(server_.port()));
  const auto proxy = ProxyProgram::Tinyproxy("user", "proxy-s3cret");
  rest::Config config{.host = "https://" + front.address(),
                      .proxyUrl = "http://user:proxy-s3cret@" + proxy.address()};
  config.tls = {
      .caFile = authority.CaFile(), .certData = authority.Read("client.pem"), .keyData = key};
  // base64 of user:proxy-s3cret
  Check(config, {key_line, "PRIVATE KEY", "proxy-s3cret", "dXNlcjpwcm94eS1zM2NyZXQ="});
  config.tls = {.caFile = authority.CaFile()};
  const PluginScript plugin;
  plugin.AnswerCertificate(authority.Read("client.pem"), key);
  config.exec = plugin.Exec();
  Check(config, {key_line, "PRIVATE KEY", "proxy-s3cret", "dXNlcjpwcm94eS1zM2NyZXQ="});
}

INSTANTIATE_TEST_SUITE_P(Levels, SecretsInTheLogTest, ::testing::Values(6, 7, 8, 9, 10),
                         ::testing::PrintToStringParamName());

// ---- Warnings

/// Answers requests for config maps, each with warnings.
void Warn(RawConnection& peer) {
  for (auto request = peer.ReadRequest(); !request.empty(); request = peer.ReadRequest()) {
    const std::string headers =
        "Warning: 299 - \"v1 is old\", 199 - \"a note\"\r\n"
        "Warning: 299 kube-apiserver \"so is \\\"this\\\"\"\r\n";
    if (Has(request, "watch=true")) {
      peer.Send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + headers +
                "Transfer-Encoding: chunked\r\n\r\n");
      peer.AwaitClose();
    } else if (request.starts_with("DELETE")) {
      peer.Send(Answer("403 Forbidden", "{}", headers));
    } else {
      peer.Send(Answer("200 OK",
                       R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"5"},"items":[]})",
                       headers));
    }
  }
}

class WarningsServerTest : public ::testing::Test {
 protected:
  /// A list and the watch that follows it, by an informer; ends when both were told of.
  void RunInformer(rest::WarningHandler handler, const std::function<bool()>& done) {
    cache::SharedInformerOptions options;
    options.reflector.useWatchList = false;
    const auto client =
        kubernetes::Clientset::New({.host = server_.url(), .warningHandler = std::move(handler)})
            .value();
    const auto informer = cache::SharedIndexInformer<ConfigMap>::New(
        cache::NewListWatchFromClient(client.CoreV1().ConfigMaps("d").core()), options);
    const std::jthread running([&](const std::stop_token& stop) { (void)informer.Run(stop); });
    while (!done() || informer.Status().watchesOpened == 0) std::this_thread::yield();
  }

  RawHttpServer server_{&Warn};
};

// client-go: TestHandleWarnings
TEST_F(WarningsServerTest, EachIsToldOncePerAnswerOfListsWatchesAndRefusals) {
  std::mutex mutex;
  std::vector<std::string> heard;
  const rest::WarningHandler handler = [&](const rest::Warning& warning) {
    const std::lock_guard lock(mutex);
    heard.push_back(std::to_string(warning.code) + " " + warning.agent + " " + warning.text);
  };
  const auto count = [&] {
    const std::lock_guard lock(mutex);
    return heard.size();
  };
  RunInformer(handler, [&] { return count() >= 6; });
  const std::string old = "299 - v1 is old";
  const std::string note = "199 - a note";
  const std::string so = "299 kube-apiserver so is \"this\"";
  EXPECT_THAT(heard, ElementsAre(old, note, so, old, note, so));

  const auto client =
      kubernetes::Clientset::New({.host = server_.url(), .warningHandler = handler}).value();
  EXPECT_TRUE(IsForbidden(client.CoreV1().ConfigMaps("d").Delete("a").error()));
  EXPECT_EQ(count(), 9U);
}

// client-go: TestDefaultWarningHandler, TestWarningWriter
TEST_F(WarningsServerTest, TheDefaultLogsEveryOneAndADeduplicatingLoggerEachTextOnce) {
  const auto warnings = [](const LogLines& lines) {
    std::vector<std::string> out;
    for (const auto& line : lines.Get()) {
      if (line.starts_with("the server warns: ")) out.push_back(line);
    }
    return out;
  };
  const std::string old = "the server warns: v1 is old";
  const std::string so = "the server warns: so is \"this\"";
  {
    const LogLines lines;
    RunInformer({}, [&] { return warnings(lines).size() >= 4; });
    EXPECT_THAT(warnings(lines), ElementsAre(old, so, old, so));
  }
  const LogLines lines;
  RunInformer(rest::WarningLogger({.deduplicate = true}), [&] { return true; });
  EXPECT_THAT(warnings(lines), ElementsAre(old, so));
}

}  // namespace
}  // namespace k8s::test
