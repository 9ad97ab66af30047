#include <gtest/gtest.h>
#include <k8s/apis/core/v1.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/pager/list_pager.hpp>

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "support/fake_transport.hpp"

namespace k8s::test {
namespace {

using corev1::ConfigMap;
using Names = std::vector<std::string>;

std::string Page(const Names& names, const std::string& next) {
  std::string items;
  for (const auto& name : names) {
    items += (items.empty() ? "" : ",") + (R"({"metadata":{"name":")" + name) + R"("}})";
  }
  return R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":")" +
         next + R"("},"items":[)" + items + "]}";
}

FakeAnswer Expired() {
  return Body(
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410})",
      410);
}

class ListPagerTest : public ::testing::Test {
 protected:
  [[nodiscard]] pager::ListPager<ConfigMap> Pager(pager::ListPagerOptions options = {}) const {
    return pager::ListPager<ConfigMap>(client_.CoreV1().ConfigMaps("d"), options);
  }
  static Names NamesOf(const kubernetes::List<ConfigMap>& list) {
    Names names;
    for (const auto& item : list.items) names.push_back(item->metadata.name);
    return names;
  }
  [[nodiscard]] Names Queries() const {
    Names queries;
    for (const auto& request : transport_->requests()) {
      const auto at = request.target.find('?');
      queries.push_back(at == std::string::npos ? "" : request.target.substr(at + 1));
    }
    return queries;
  }

  std::shared_ptr<FakeTransport> transport_ = std::make_shared<FakeTransport>();
  kubernetes::Clientset client_{rest::Client::New({.qps = -1}, transport_)};
};

// client-go: TestListPager_List
TEST_F(ListPagerTest, FollowsPagesWithoutRepeatingTheVersion) {
  transport_->Add(Body(Page({"a", "b"}, "one")));
  transport_->Add(Body(Page({"c"}, "two")));
  transport_->Add(Body(Page({}, "")));
  const auto list =
      Pager({.pageSize = 2}).List({.resourceVersion = "5", .resourceVersionMatch = "Exact"});
  EXPECT_EQ(NamesOf(list.value()), (Names{"a", "b", "c"}));
  EXPECT_EQ(list->resourceVersion, "7");
  EXPECT_EQ(Queries(), (Names{"limit=2&resourceVersion=5&resourceVersionMatch=Exact",
                              "continue=one&limit=2", "continue=two&limit=2"}));
}

TEST_F(ListPagerTest, AsksFor500ItemsOrForTheCallersLimit) {
  transport_->Add(Body(Page({}, "")));
  transport_->Add(Body(Page({}, "")));
  EXPECT_TRUE(Pager().List());
  EXPECT_TRUE(Pager().List({.limit = 3}));
  EXPECT_EQ(Queries(), (Names{"limit=500", "limit=3"}));
}

TEST_F(ListPagerTest, ListsInOnePieceIfTheListExpires) {
  transport_->Add(Body(Page({"a"}, "one")));
  transport_->Add(Expired());
  transport_->Add(Body(Page({"a", "b"}, "")));
  EXPECT_EQ(NamesOf(Pager().List({.resourceVersion = "5"}).value()), (Names{"a", "b"}));
  EXPECT_EQ(Queries().back(), "resourceVersion=5");
}

TEST_F(ListPagerTest, ReportsExpiryOnTheFirstPageAndWhereAskedTo) {
  transport_->Add(Expired());
  EXPECT_TRUE(IsResourceExpired(Pager().List().error()));
  transport_->Add(Body(Page({"a"}, "one")));
  transport_->Add(Expired());
  EXPECT_TRUE(IsResourceExpired(Pager({.fullListIfExpired = false}).List().error()));
}

// client-go: TestListPager_EachListItem
TEST_F(ListPagerTest, VisitsItemsInOrderAndReportsExpiry) {
  transport_->Add(Body(Page({"a", "b"}, "one")));
  transport_->Add(Body(Page({"c"}, "two")));
  transport_->Add(Expired());
  Names seen;
  const auto result =
      Pager().EachListItem({}, [&](const ObjectPtr<ConfigMap>& map) -> Result<void> {
        seen.push_back(map->metadata.name);
        return {};
      });
  EXPECT_TRUE(IsResourceExpired(result.error()));
  EXPECT_EQ(seen, (Names{"a", "b", "c"}));
}

TEST_F(ListPagerTest, TheVisitorsErrorEndsTheList) {
  transport_->Add(Body(Page({"a", "b"}, "one")));
  int visited = 0;
  const auto result = Pager().EachListItem({}, [&](const ObjectPtr<ConfigMap>&) -> Result<void> {
    ++visited;
    return InvalidArgument("enough");
  });
  EXPECT_EQ(result.error().message, "enough");
  EXPECT_EQ(visited, 1);
  EXPECT_EQ(transport_->requests().size(), 1U);
}

TEST_F(ListPagerTest, AStopEndsTheList) {
  transport_->Add(Body(Page({"a"}, "one")));
  std::stop_source stop;
  const auto result = Pager().EachListItem(
      {},
      [&](const ObjectPtr<ConfigMap>&) -> Result<void> {
        stop.request_stop();
        return {};
      },
      stop.get_token());
  EXPECT_EQ(result.error().kind, ErrorKind::kCancelled);
}

}  // namespace
}  // namespace k8s::test
