#include <k8s/cache/listwatch.hpp>
#include <k8s/rest/client.hpp>
#include <k8s/runtime/unstructured.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "informers/scope_resolver.hpp"
#include "support/fake_transport.hpp"

namespace k8s::test {
namespace {

using std::chrono::seconds;

TEST(ResolvingListWatchTest, IsSilentForAsLongAsTheInformerSays) {
  const auto transport = std::make_shared<FakeTransport>();
  const auto source = informers::ResolvingListWatch(
      rest::Client::New({.qps = -1}, transport),
      runtime::UnstructuredType({.group = "example.test", .version = "v1", .plural = "widgets"}),
      "d", {});
  const auto list = [&] {
    transport->Add(Body(R"({"kind":"WidgetList","apiVersion":"example.test/v1","items":[]})"));
    EXPECT_TRUE(source->List({}, [](const runtime::AnyPtr&) {}, {}));
    return transport->requests().back().idleTimeout;
  };
  transport->Add(Body(R"({"kind":"APIResourceList","groupVersion":"example.test/v1","resources":)"
                      R"([{"name":"widgets","namespaced":true,"kind":"Widget"}]})"));
  // Before the scope is known and after it.
  source->SetRequestOptions({.listIdle = seconds(9)});
  EXPECT_EQ(list(), seconds(9));
  source->SetRequestOptions({.listIdle = seconds(8)});
  EXPECT_EQ(list(), seconds(8));
}

}  // namespace
}  // namespace k8s::test
