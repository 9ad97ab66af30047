// Every way in which a file, a certificate, a plugin, a proxy or an address can be broken is told
// in one line that a person can act on, before or at the first request.

#include <gtest/gtest.h>
#include <k8s/clientcmd/clientcmd.hpp>
#include <k8s/kubernetes/clientset.hpp>

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "support/log_lines.hpp"
#include "support/openssl_server.hpp"
#include "support/raw_http_server.hpp"
#include "support/regex.hpp"

namespace k8s::test {
namespace {

/// "$NAME" in these texts stands for what differs from run to run.
struct Row {
  const char* name;
  const char* cluster;         ///< Members of the cluster, in YAML's flow style.
  const char* user;            ///< Of the user.
  const char* line;            ///< What is told.
  const char* text = nullptr;  ///< The whole kubeconfig, in place of the two.
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

constexpr const char* kGood = "server: '$SERVER', certificate-authority: ca.pem";

/// Whatever does not work is in a folder beside what does.
class BrokenFilesTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!TestAuthority::Unavailable().empty()) return;
    scene_ = std::make_unique<Scene>();
  }
  static void TearDownTestSuite() { scene_.reset(); }
  void SetUp() override {
    if (scene_ == nullptr) GTEST_SKIP() << TestAuthority::Unavailable();
  }

  struct Scene {
    Scene() {
      folder.Issue("server", "IP:127.0.0.1");
      folder.Issue("client", "DNS:client.test");
      folder.Issue("other", "DNS:other.test");
      folder.Openssl("pkey -in client.key -aes256 -passout pass:x -out encrypted.key");
      folder.Openssl(
          "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=old -keyout "
          "old.key -out old.csr");
      folder.Openssl(
          "x509 -req -days -1 -set_serial 9 -in old.csr -CA ca.pem -CAkey ca.key -out "
          "old.pem");
      Write("empty", "");
      Write("text", "hello\n");
      Write("garbage.pem", "-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----\n");
      Write("garbage.key", "-----BEGIN PRIVATE KEY-----\naGVsbG8=\n-----END PRIVATE KEY-----\n");
      std::filesystem::create_directory(folder.Path("folder"));
      Script("not-executable", "");
      std::filesystem::permissions(folder.Path("not-executable"),
                                   std::filesystem::perms::owner_read);
      Script("fails", "echo s3cret; exit 3");
      Script("garbles", "echo s3cret");
      Script("hangs", "exec sleep 1000");
      Script("is-killed", "kill -9 $$");
      Script("says-nothing", "");
      Answer("is-older", "client.authentication.k8s.io/v1beta1", R"({"token":"s3cret"})");
      Answer("has-no-credential", "client.authentication.k8s.io/v1", "{}");
      Answer("has-half-a-pair", "client.authentication.k8s.io/v1",
             R"({"clientCertificateData":"s3cret"})");
      server = std::make_unique<OpensslServer>(folder, "server");
      strict = std::make_unique<OpensslServer>(
          folder, "server",
          std::vector<std::string>{"-Verify", "1", "-CAfile", folder.CaFile(),
                                   "-verify_return_error"});
    }
    void Write(const std::string& file, const std::string& text) const {
      std::ofstream(folder.Path(file)) << text;
    }
    void Script(const std::string& name, const std::string& body) const {
      Write(name, "#!/bin/sh\n" + body + "\n");
      std::filesystem::permissions(folder.Path(name), std::filesystem::perms::owner_all);
    }
    void Answer(const std::string& name, const std::string& version,
                const std::string& status) const {
      Script(name, R"(echo '{"kind":"ExecCredential","apiVersion":")" + version + R"(","status":)" +
                       status + "}'");
    }

    TestAuthority folder;
    TestAuthority foreign;
    std::unique_ptr<OpensslServer> server;
    std::unique_ptr<OpensslServer> strict;  ///< Wants a client certificate.
    RawHttpServer plain{[](RawConnection& peer) {
      peer.Send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
      peer.AwaitClose();
    }};
    RawHttpServer strict_proxy{[](RawConnection& peer) {
      peer.ReadRequest();
      peer.Send("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
    }};
    const std::string closed = "127.0.0.1:" + std::to_string(ClosedPort());
  };

  static std::string Replaced(std::string text) {
    const std::pair<const char*, std::string> names[] = {
        {"$V1", "apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never"},
        {"$WHERE", R"((context "x", cluster "c", user "u", kubeconfig $DIR/config))"},
        {"$FILE", "(kubeconfig $DIR/config)"},
        {"$DIR", std::filesystem::path(scene_->folder.CaFile()).parent_path()},
        {"$SERVER", "https://127.0.0.1:" + scene_->server->port()},
        {"$STRICT", "https://127.0.0.1:" + scene_->strict->port()},
        {"$FOREIGN", scene_->foreign.CaFile()},
        {"$PLAIN", "127.0.0.1:" + std::to_string(scene_->plain.port())},
        {"$PROXY", "127.0.0.1:" + std::to_string(scene_->strict_proxy.port())},
        {"$CLOSED", scene_->closed},
        {"$PORT", scene_->closed.substr(scene_->closed.find(':') + 1)}};
    for (const auto& [name, value] : names) {
      for (auto at = text.find(name); at != std::string::npos; at = text.find(name)) {
        text.replace(at, std::string(name).size(), value);
      }
    }
    return text;
  }

  static std::string ConfigFile(const Row& row) {
    const auto path = scene_->folder.Path("config");
    std::ofstream(path) << Replaced(
        row.text != nullptr ? row.text
                            : std::string("{clusters: [{name: c, cluster: {") + row.cluster +
                                  "}}], users: [{name: u, user: {" + row.user +
                                  "}}], contexts: [{name: x, context: {cluster: c, user: u}}], "
                                  "current-context: x}");
    return path;
  }

  /// What is told when the pods are asked for.
  static std::string Told(const std::string& kubeconfig) {
    auto loaded = clientcmd::Load({.explicitPath = kubeconfig}, {});
    if (!loaded) return loaded.error().ToString();
    auto& config = loaded->config;
    if (config.exec.command.ends_with("hangs")) config.exec.timeout = std::chrono::milliseconds(50);
    auto client = kubernetes::Clientset::New(config);
    if (!client) return client.error().ToString();
    const auto pods = client->CoreV1().Pods("d").List();
    return pods ? "nothing" : pods.error().ToString();
  }

  static inline std::unique_ptr<Scene> scene_;
};

class BrokenConfigurationTest : public BrokenFilesTest,
                                public ::testing::WithParamInterface<Row> {};

TEST_P(BrokenConfigurationTest, IsToldInOneLine) {
  const LogLines quiet;
  auto told = Told(ConfigFile(GetParam()));
  EXPECT_EQ(told.find('\n'), std::string::npos);
  EXPECT_EQ(told.find("s3cret"), std::string::npos);
  told = RegexReplaced(told, "after [0-9]+ ms", "after N ms");
  EXPECT_EQ(told, Replaced(GetParam().line));
}

// Root may read anything.
TEST_F(BrokenFilesTest, AMissingPermissionIsToldInOneLine) {
  std::filesystem::permissions(scene_->folder.Path(""), std::filesystem::perms(0755));
  scene_->Write("secret.key", "");
  std::filesystem::permissions(scene_->folder.Path("secret.key"), std::filesystem::perms::none);
  const auto file = ConfigFile(
      {"Permission", kGood, "client-certificate: client.pem, client-key: secret.key", ""});
  for (const char* readable : {"config", "ca.pem", "client.pem"}) {  // Whatever the umask says.
    std::filesystem::permissions(scene_->folder.Path(readable), std::filesystem::perms(0644));
  }
  const bool is_root = geteuid() == 0;
  ASSERT_TRUE(!is_root || seteuid(65534) == 0);
  const auto told = Told(file);
  ASSERT_TRUE(!is_root || seteuid(0) == 0);
  EXPECT_EQ(told, Replaced("invalid configuration: client-key of user \"u\": cannot read "
                           "$DIR/secret.key: Permission denied $FILE"));
}

TEST_F(BrokenFilesTest, AnExpiredCertificateIsToldBeforeAServerRefusesIt) {
  const LogLines lines;
  (void)Told(
      ConfigFile({"Expired", kGood, "client-certificate: old.pem, client-key: old.key", ""}));
  const auto text = lines.Text();
  EXPECT_EQ(RegexReplaced(text, " at [-0-9]+T[:0-9]+Z", " at TIME"),
            Replaced("the client-certificate $DIR/old.pem has expired, at TIME\n"));
}

const Row kRows[] = {
    {"Syntax", "", "",
     "invalid configuration: kubeconfig $DIR/config: yaml-cpp: error at line 1, column 1: end of "
     "sequence flow not found",
     "clusters: ["},
    {"Tab", "", "",
     "invalid configuration: kubeconfig $DIR/config: yaml-cpp: error at line 2, column 2: illegal "
     "block entry; line 2 is indented by a tab, where YAML takes spaces only",
     "clusters:\n\t- name: c\n"},
    {"AnotherKind", "", "",
     "invalid configuration: kubeconfig $DIR/config: the document: kind \"Pod\" of apiVersion "
     "\"v1\" is no kubeconfig",
     "{kind: Pod, apiVersion: v1}"},
    {"ClustersThatAreNoList", "", "",
     "invalid configuration: kubeconfig $DIR/config: clusters: not a list", "clusters: many"},
    {"NoContext", "", "",
     "invalid configuration: context \"x\" does not exist; no cluster with a server is selected "
     "$FILE",
     "{current-context: x}"},
    {"NothingInIt", "", "",
     "invalid configuration: no configuration has been provided: no kubeconfig with a current "
     "context, and no service account of a pod $FILE",
     ""},
    {"NoSuchCluster", "", "",
     "invalid configuration: no configuration has been provided: cluster \"c\" of context \"x\" "
     "does not exist, and no service account of a pod $FILE",
     "{contexts: [{name: x, context: {cluster: c}}], current-context: x}"},
    {"NoClusterNamed", "", "",
     "invalid configuration: no configuration has been provided: context \"x\" names no cluster, "
     "and no service account of a pod $FILE",
     "{contexts: [{name: x, context: {user: u}}], current-context: x}"},
    {"MistypedServer", "Server: 'https://h.test'", "",
     "invalid configuration: no configuration has been provided: cluster \"c\" of context \"x\" "
     "has no server, and no service account of a pod $FILE"},
    {"DataThatIsPem",
     "server: '$SERVER', certificate-authority-data: '-----BEGIN CERTIFICATE-----'", "",
     "invalid configuration: kubeconfig $DIR/config: "
     "clusters[0] (\"c\").cluster.certificate-authority-data: PEM as it is, where base64 of it "
     "belongs"},
    {"CaThatNeverEnds", "server: '$SERVER', certificate-authority: /dev/zero", "",
     "invalid configuration: certificate-authority of cluster \"c\": /dev/zero is larger than 64 "
     "MiB $FILE"},
    {"SameNameTwice", "", "",
     "invalid configuration: kubeconfig $DIR/config: clusters[1]: the name \"c\" stands there "
     "twice",
     "{clusters: [{name: c}, {name: c}]}"},
    {"DataThatIsNotBase64", "server: '$SERVER', certificate-authority-data: '###'", "",
     "invalid configuration: kubeconfig $DIR/config: "
     "clusters[0] (\"c\").cluster.certificate-authority-data: not base64"},
    {"TokenThatIsANumber", kGood, "token: 12345",
     "invalid configuration: kubeconfig $DIR/config: users[0] (\"u\").user.token: a number or bool "
     "where "
     "text belongs; quote it"},
    {"NoServer", "certificate-authority: ca.pem", "",
     "invalid configuration: cluster \"c\" has no server $FILE"},
    {"ServerWithoutPort", "server: 'https://h:port'", "",
     "invalid configuration: the server's address \"https://h:port\" is invalid: the port is no "
     "number up to 65535, or an IPv6 address lacks brackets $WHERE"},
    {"ServerWithAPortTooLarge", "server: 'https://h.test:65536'", "",
     "invalid configuration: the server's address \"https://h.test:65536\" is invalid: the port is "
     "no number up to 65535, or an IPv6 address lacks brackets $WHERE"},
    {"ServerWithSpace", "server: 'https://a b'", "",
     "invalid configuration: the server's address \"https://a b\" is invalid: it has a space or "
     "another character that no address has $WHERE"},
    {"ServerOfAnotherScheme", "server: 'ftp://h.test'", "",
     "invalid configuration: the server's address \"ftp://h.test\" is invalid: neither http nor "
     "https $WHERE"},
    {"ServerWithPassword", "server: 'https://u:s3cret@h.test'", "",
     "invalid configuration: the server's address \"@h.test\" is invalid: it holds credentials "
     "$WHERE"},
    {"CaMissing", "server: '$SERVER', certificate-authority: none.pem", "",
     "invalid configuration: certificate-authority of cluster \"c\": cannot read $DIR/none.pem: No "
     "such file or directory $FILE"},
    {"CaIsAFolder", "server: '$SERVER', certificate-authority: folder", "",
     "invalid configuration: certificate-authority of cluster \"c\": cannot read $DIR/folder: Is a "
     "directory $FILE"},
    {"CaEmpty", "server: '$SERVER', certificate-authority: empty", "",
     "invalid configuration: certificate-authority $DIR/empty is empty $WHERE"},
    {"CaIsText", "server: '$SERVER', certificate-authority: text", "",
     "invalid configuration: certificate-authority $DIR/text is not PEM of a certificate $WHERE"},
    {"CaIsGarbage", "server: '$SERVER', certificate-authority: garbage.pem", "",
     "invalid configuration: certificate-authority $DIR/garbage.pem has no certificate that can be "
     "read $WHERE"},
    {"CaDataIsText", "server: '$SERVER', certificate-authority-data: aGVsbG8=", "",
     "invalid configuration: certificate-authority-data is not PEM of a certificate $WHERE"},
    {"CaIsAKey", "server: '$SERVER', certificate-authority: client.key", "",
     "invalid configuration: certificate-authority $DIR/client.key is not PEM of a certificate "
     "$WHERE"},
    {"CaTwice",
     "server: '$SERVER', certificate-authority: ca.pem, certificate-authority-data: aGVsbG8=", "",
     "invalid configuration: certificate-authority of cluster \"c\" is given both as a file and as "
     "data $FILE"},
    {"CaAndInsecure",
     "server: '$SERVER', certificate-authority: ca.pem, insecure-skip-tls-verify: true", "",
     "invalid configuration: a CA and insecure-skip-tls-verify contradict each other $WHERE"},
    {"CertificateWithoutKey", kGood, "client-certificate: client.pem",
     "invalid configuration: client-certificate of user \"u\" needs a client-key $FILE"},
    {"CertificateMissing", kGood, "client-certificate: none.pem, client-key: client.key",
     "invalid configuration: client-certificate of user \"u\": cannot read $DIR/none.pem: No such "
     "file or directory $FILE"},
    {"CertificateIsAKey", kGood, "client-certificate: client.key, client-key: client.key",
     "invalid configuration: client-certificate $DIR/client.key is not PEM of a certificate "
     "$WHERE"},
    {"CertificateIsGarbage", kGood, "client-certificate: garbage.pem, client-key: client.key",
     "invalid configuration: client-certificate $DIR/garbage.pem has no certificate that can be "
     "read $WHERE"},
    {"KeyMissing", kGood, "client-certificate: client.pem, client-key: none.key",
     "invalid configuration: client-key of user \"u\": cannot read $DIR/none.key: No such file or "
     "directory $FILE"},
    {"KeyIsAFolder", kGood, "client-certificate: client.pem, client-key: folder",
     "invalid configuration: client-key of user \"u\": cannot read $DIR/folder: Is a directory "
     "$FILE"},
    {"KeyIsACertificate", kGood, "client-certificate: client.pem, client-key: client.pem",
     "invalid configuration: client-key $DIR/client.pem is not PEM of a private key $WHERE"},
    {"KeyIsGarbage", kGood, "client-certificate: client.pem, client-key: garbage.key",
     "invalid configuration: client-key $DIR/garbage.key has no private key that can be read "
     "$WHERE"},
    {"KeyOfAnother", kGood, "client-certificate: client.pem, client-key: other.key",
     "invalid configuration: client-key $DIR/other.key does not fit the client-certificate "
     "$DIR/client.pem $WHERE"},
    {"KeyEncrypted", kGood, "client-certificate: client.pem, client-key: encrypted.key",
     "invalid configuration: client-key $DIR/encrypted.key is encrypted, which is not supported; "
     "openssl pkey decrypts it $WHERE"},
    {"CertificateExpired", "server: '$STRICT', certificate-authority: ca.pem",
     "client-certificate: old.pem, client-key: old.key",
     "GET /api/v1/namespaces/d/pods: the peer refuses the client certificate: alert certificate "
     "expired ($STRICT) $WHERE"},
    {"CertificateNotShown", "server: '$STRICT', certificate-authority: ca.pem", "",
     "GET /api/v1/namespaces/d/pods: the peer demands a client certificate: alert certificate "
     "required ($STRICT) $WHERE"},
    {"TokenFileMissing", kGood, "tokenFile: none",
     "invalid configuration: tokenFile of user \"u\": cannot read $DIR/none: No such file or "
     "directory $FILE"},
    {"TokenFileEmpty", kGood, "tokenFile: empty", "token file: $DIR/empty is empty $WHERE"},
    {"TokenFileIsAFolder", kGood, "tokenFile: folder",
     "invalid configuration: tokenFile of user \"u\": cannot read $DIR/folder: Is a directory "
     "$FILE"},
    {"TokenAndPassword", kGood, "token: s3cret, username: u, password: p",
     "invalid configuration: user \"u\" has both a token and basic authentication $FILE"},
    {"TokenWithALineBreak", kGood, "token: \"s3cret\\nX-Header: a\"",
     "invalid configuration: the token has a line break or the like $WHERE"},
    {"GroupsWithoutUser", kGood, "as-groups: [g]",
     "invalid configuration: user \"u\" impersonates a uid, groups or extra without a user $FILE"},
    {"ImpersonationWithALineBreak", kGood, "as: \"bob\\nX-Header: a\"",
     "invalid configuration: impersonation has a line break or the like in a name $WHERE"},
    {"AuthProvider", kGood, "auth-provider: {name: gcp}",
     "invalid configuration: auth provider \"gcp\" is not supported; exec plugins take their "
     "place $WHERE"},
    {"PluginWithoutCommand", kGood,
     "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}",
     "invalid configuration: exec plugin of user \"u\" needs a command $FILE"},
    {"PluginWithoutVersion", kGood, "exec: {command: ./fails, interactiveMode: Never}",
     "invalid configuration: exec plugin of user \"u\" needs an apiVersion $FILE"},
    {"PluginOfUnknownVersion", kGood,
     "exec: {apiVersion: client.authentication.k8s.io/v9, command: ./fails, interactiveMode: "
     "Never}",
     "invalid configuration: exec plugin \"$DIR/fails\": unknown apiVersion "
     "\"client.authentication.k8s.io/v9\" $WHERE"},
    {"PluginWithoutMode", kGood,
     "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./fails}",
     "invalid configuration: exec plugin of user \"u\" needs an interactiveMode $FILE"},
    {"PluginNotInPath", kGood,
     "exec: {$V1, command: no-such-plugin, installHint: apt-get install it}",
     "exec plugin \"no-such-plugin\" $WHERE: no such program in PATH (apt-get install it)"},
    {"PluginMissing", kGood, "exec: {$V1, command: ./none}",
     "exec plugin \"$DIR/none\" $WHERE: cannot be started: No such file or directory"},
    {"PluginNotExecutable", kGood, "exec: {$V1, command: ./not-executable}",
     "exec plugin \"$DIR/not-executable\" $WHERE: cannot be started: Permission denied"},
    {"PluginIsAFolder", kGood, "exec: {$V1, command: ./folder}",
     "exec plugin \"$DIR/folder\" $WHERE: cannot be started: Permission denied"},
    {"PluginFails", kGood, "exec: {$V1, command: ./fails}",
     "exec plugin \"$DIR/fails\" $WHERE: exit code 3"},
    {"PluginGarbles", kGood, "exec: {$V1, command: ./garbles}",
     "exec plugin \"$DIR/garbles\" $WHERE: its output is not valid JSON at byte 1"},
    {"PluginSaysNothing", kGood, "exec: {$V1, command: ./says-nothing}",
     "exec plugin \"$DIR/says-nothing\" $WHERE: its output is empty"},
    {"PluginIsOlder", kGood, "exec: {$V1, command: ./is-older}",
     "exec plugin \"$DIR/is-older\" $WHERE: its output is of kind \"ExecCredential\" and "
     "apiVersion \"client.authentication.k8s.io/v1beta1\", not an ExecCredential of "
     "client.authentication.k8s.io/v1"},
    {"PluginHasNoCredential", kGood, "exec: {$V1, command: ./has-no-credential}",
     "exec plugin \"$DIR/has-no-credential\" $WHERE: its output has neither a token nor a client "
     "certificate"},
    {"PluginHasHalfAPair", kGood, "exec: {$V1, command: ./has-half-a-pair}",
     "exec plugin \"$DIR/has-half-a-pair\" $WHERE: its output has only one of "
     "clientCertificateData and clientKeyData"},
    {"PluginHangs", kGood, "exec: {$V1, command: ./hangs}",
     "exec plugin \"$DIR/hangs\" $WHERE: no answer within its time limit; killed"},
    {"PluginIsKilled", kGood, "exec: {$V1, command: ./is-killed}",
     "exec plugin \"$DIR/is-killed\" $WHERE: ended by signal 9"},
    {"PluginWantsATerminal", kGood,
     "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./fails, interactiveMode: "
     "Always}",
     "exec plugin \"$DIR/fails\" $WHERE: interactiveMode is Always, and standard input is no "
     "terminal it may read"},
    {"ProxyOfAnotherScheme", "server: '$SERVER', proxy-url: 'ftp://u:s3cret@proxy.test'", "",
     "invalid configuration: proxy-url of cluster \"c\" is no http, https or socks5 URL $FILE"},
    {"ProxyWithSpace", "server: '$SERVER', proxy-url: 'http://u:s3cret@a b'", "",
     "invalid configuration: proxy-url of cluster \"c\" has a space or the like in it $FILE"},
    {"ProxyWithoutHost", "server: '$SERVER', proxy-url: 'http://u:s3cret@'", "",
     "invalid configuration: proxy-url of cluster \"c\" is a URL that cannot be read: No host part "
     "in "
     "the URL $FILE"},
    {"ProxyWithABadPort", "server: '$SERVER', proxy-url: 'http://u:s3cret@p.test:x'", "",
     "invalid configuration: proxy-url of cluster \"c\" is a URL that cannot be read: Port number "
     "was "
     "not a decimal number between 0 and 65535 $FILE"},
    {"ProxyUnknown", "server: '$SERVER', proxy-url: 'http://u:s3cret@proxy.invalid:3128'", "",
     "GET /api/v1/namespaces/d/pods (proxy http://proxy.invalid:3128): Could not resolve proxy: "
     "proxy.invalid ($SERVER)"},
    {"ProxyRefuses", "server: '$SERVER', proxy-url: 'http://u:s3cret@$CLOSED'", "",
     "GET /api/v1/namespaces/d/pods (proxy http://$CLOSED): Failed to connect to 127.0.0.1 port "
     "$PORT after N ms: Connection refused ($SERVER)"},
    {"SocksProxyRefuses", "server: '$SERVER', proxy-url: 'socks5://u:s3cret@$CLOSED'", "",
     "GET /api/v1/namespaces/d/pods (proxy socks5://$CLOSED): Failed to connect to 127.0.0.1 port "
     "$PORT after N ms: Connection refused ($SERVER)"},
    {"ProxyWantsAnotherPassword", "server: '$SERVER', proxy-url: 'http://u:s3cret@$PROXY'", "",
     "GET /api/v1/namespaces/d/pods (proxy http://$PROXY): the proxy wants another user or "
     "password (407) ($SERVER)"},
    {"ProxyHasNoTls", "server: '$SERVER', proxy-url: 'https://u:s3cret@$PLAIN'", "",
     "GET /api/v1/namespaces/d/pods (proxy https://$PLAIN): the peer does not speak TLS (wrong "
     "version number) ($SERVER) $WHERE"},
    {"ServerRefuses", "server: 'https://$CLOSED'", "",
     "GET /api/v1/namespaces/d/pods: Failed to connect to 127.0.0.1 port $PORT after N ms: "
     "Connection refused (https://$CLOSED)"},
    {"ServerUnknown", "server: 'https://server.invalid'", "",
     "GET /api/v1/namespaces/d/pods: Could not resolve host: server.invalid "
     "(https://server.invalid)"},
    {"ServerHasNoTls", "server: 'https://$PLAIN'", "",
     "GET /api/v1/namespaces/d/pods: the peer does not speak TLS (wrong version number) "
     "(https://$PLAIN) $WHERE"},
    {"ServerOfAnotherCa", "server: '$SERVER', certificate-authority: '$FOREIGN'", "",
     "GET /api/v1/namespaces/d/pods: SSL certificate problem: unable to get local issuer "
     "certificate ($SERVER); trusted: certificate-authority $FOREIGN $WHERE"},
    {"ServerOfAnUnknownCa", "server: '$SERVER'", "",
     "GET /api/v1/namespaces/d/pods: SSL certificate problem: unable to get local issuer "
     "certificate ($SERVER); trusted: the system's CAs $WHERE"},
    {"ServerOfAnotherName",
     "server: '$SERVER', certificate-authority: ca.pem, tls-server-name: other.test", "",
     "GET /api/v1/namespaces/d/pods: SSL: no alternative certificate subject name matches target "
     "host name 'other.test' ($SERVER); trusted: certificate-authority $DIR/ca.pem $WHERE"},
};

INSTANTIATE_TEST_SUITE_P(Rows, BrokenConfigurationTest, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace k8s::test
