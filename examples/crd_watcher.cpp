// crd-watcher: watches a custom resource whose type is declared here, without a code generator.
//
//   crd-watcher --kubeconfig ~/.kube/config      asks for widgets.example.test/v1
//   crd-watcher --fake

#include <k8s/apis/meta/v1.hpp>
#include <k8s/fields.hpp>
#include <k8s/informers/factory.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster.hpp"

using namespace std::chrono_literals;

// What the custom resource's schema says, as plain structs. Fields that are not named are skipped.
struct Widget {
  struct Spec {
    std::string color;
    std::optional<std::int64_t> size;
    std::vector<std::string> parts;
  };
  struct Status {
    bool ready = false;
  };
  k8s::metav1::ObjectMeta metadata;
  Spec spec;
  Status status;
};
CLIENT_CPP_FIELDS(Widget::Spec, color, size, parts);
CLIENT_CPP_FIELDS(Widget::Status, ready);
CLIENT_CPP_FIELDS(Widget, metadata, spec, status);
CLIENT_CPP_RESOURCE(Widget, .group = "example.test", .version = "v1", .kind = "Widget",
                    .plural = "widgets");

namespace {

std::string Describe(const Widget& widget) {
  return widget.spec.color + ", size " + std::to_string(widget.spec.size.value_or(1)) +
         (widget.status.ready ? ", ready" : "");
}

Widget MakeWidget(bool ready) {
  Widget widget;
  widget.metadata = {.name = "gear", .namespace_ = "default"};
  widget.spec = {.color = "blue", .size = 3, .parts = {"rim", "hub"}};
  widget.status.ready = ready;
  return widget;
}

// With --fake: a widget comes, becomes ready and goes.
void Story(k8s::testing::FakeApiServer& server, const std::function<void()>& pause) {
  server.Add(MakeWidget(false));
  pause();
  server.Modify(MakeWidget(true));
  pause();
  server.Delete(MakeWidget(true));
  pause();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Watches a custom resource: widgets.example.test.");
  examples::Cluster cluster(app);
  CLI11_PARSE(app, argc, argv);

  if (cluster.fake()) cluster.server().AddResource<Widget>();
  auto client = cluster.Connect();
  if (!client) return examples::Fail(client.error().ToString());

  k8s::informers::SharedInformerFactory factory(*client);
  auto added = factory.For<Widget>().Informer().AddEventHandler(
      {.onAdd = [](const k8s::ObjectPtr<Widget>& widget,
                   bool) { examples::Print("ADD", widget->metadata.name, Describe(*widget)); },
       .onUpdate =
           [](const k8s::ObjectPtr<Widget>&, const k8s::ObjectPtr<Widget>& after) {
             examples::Print("UPDATE", after->metadata.name, Describe(*after));
           },
       .onDelete =
           [](const k8s::cache::DeletedObject<Widget>& gone) {
             examples::Print("DELETE", gone.key, "");
           }});
  if (!added) return examples::Fail(added.error().ToString());

  factory.Start(cluster.stop());
  if (auto synced = factory.WaitForCacheSync(cluster.stop(), 30s); !synced) {
    return examples::Fail(synced.error().ToString());  // Says so if the CRD is not installed.
  }
  cluster.WaitForStop(Story);
}
