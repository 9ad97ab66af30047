#include <k8s/cache/metrics.hpp>
#include <k8s/testing/fake_clock.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "informer_fixture.hpp"
#include "support/recording_metrics.hpp"

namespace k8s::cache {
namespace {

using namespace std::chrono_literals;
using test::Gate;
using test::Item;
using test::Recorder;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Writes down what handlers do: "pending 3", "call 5ms", "failed call 5ms", "dropped".
class RecordingHandlerMetrics final : public HandlerMetrics {
 public:
  explicit RecordingHandlerMetrics(std::shared_ptr<Recorder> log) : log_(std::move(log)) {}
  ~RecordingHandlerMetrics() override { log_->Write("dropped"); }
  void OnPending(std::size_t pending) noexcept override {
    log_->Write("pending " + std::to_string(pending));
  }
  void OnCall(Clock::Duration duration, bool failed) noexcept override {
    log_->Write((failed ? "failed call " : "call ") + test::Milliseconds(duration));
  }

 private:
  const std::shared_ptr<Recorder> log_;
};

class RecordingProvider final : public MetricsProvider {
 public:
  std::shared_ptr<InformerMetrics> NewInformerMetrics(const InformerLabels& labels) override {
    asked.push_back(labels.name + ":" + labels.resource.group + "/" + labels.resource.version +
                    "/" + labels.resource.resource);
    if (declines) return nullptr;
    auto metrics = std::make_shared<Metrics>(*this);
    informer = metrics;
    return metrics;
  }

  bool declines = false;
  bool ignores_handlers = false;
  std::vector<std::string> asked;
  std::weak_ptr<test::RecordingMetrics> informer;
  const std::shared_ptr<Recorder> handlers = std::make_shared<Recorder>();

 private:
  class Metrics final : public test::RecordingMetrics {
   public:
    explicit Metrics(RecordingProvider& owner) : owner_(owner) {}
    std::shared_ptr<HandlerMetrics> NewHandlerMetrics(std::string_view handler) override {
      owner_.handlers->Write("new " + std::string(handler));
      if (owner_.ignores_handlers) return nullptr;
      return std::make_shared<RecordingHandlerMetrics>(owner_.handlers);
    }

   private:
    RecordingProvider& owner_;
  };
};

/// Counts how often each thread asks for the time.
class CountingClock final : public Clock {
 public:
  static int& CallsOfThisThread() {
    thread_local int calls = 0;
    return calls;
  }
  [[nodiscard]] TimePoint Now() const override {
    ++CallsOfThisThread();
    return RealClock()->Now();
  }
  bool SleepUntil(TimePoint deadline, std::stop_token stop) override {
    return RealClock()->SleepUntil(deadline, std::move(stop));
  }
};

SharedInformerOptions WithMetrics(std::shared_ptr<MetricsProvider> provider,
                                  std::shared_ptr<Clock> clock = nullptr) {
  SharedInformerOptions options{.metrics = std::move(provider)};
  options.reflector.clock = std::move(clock);
  return options;
}

class InformerMetricsTest : public test::InformerFixture {
 protected:
  explicit InformerMetricsTest(
      std::shared_ptr<RecordingProvider> provider = std::make_shared<RecordingProvider>(),
      std::shared_ptr<testing::FakeClock> clock = std::make_shared<testing::FakeClock>())
      : InformerFixture(WithMetrics(provider, clock)),
        provider_(std::move(provider)),
        clock_(std::move(clock)) {}

  /// What was told of handlers, without what is pending: that depends on who is first.
  std::vector<std::string> Calls() const {
    auto events = provider_->handlers->Events();
    std::erase_if(events, [](const auto& event) { return event.starts_with("pending"); });
    return events;
  }

  const std::shared_ptr<RecordingProvider> provider_;
  const std::shared_ptr<testing::FakeClock> clock_;
};

TEST_F(InformerMetricsTest, AnInformerAsksOnceWithItsResource) {
  EXPECT_THAT(provider_->asked, ElementsAre(":test.example/v1/items"));
  source_->Add({.name = "a"});
  StartAndSync();
  source_->WaitForWatcher();
  Stop();
  EXPECT_THAT(provider_->asked, ElementsAre(":test.example/v1/items"));
  EXPECT_THAT(provider_->informer.lock()->Lines("list"), ElementsAre("list of 1, 0 bytes, 0ms"));
  EXPECT_THAT(provider_->informer.lock()->Lines("watch opened"), ElementsAre("watch opened"));
}

TEST_F(InformerMetricsTest, EachCallOfAHandlerIsToldWithItsDuration) {
  ASSERT_TRUE(
      informer_.AddEventHandler({.onAdd = [&](const auto&, bool) { clock_->Step(5ms); },
                                 .onUpdate = [&](const auto&, const auto&) { clock_->Step(7ms); },
                                 .onDelete =
                                     [&](const auto&) {
                                       clock_->Step(2ms);
                                       throw std::runtime_error("a handler's fault");
                                     }},
                                {.name = "mine"}));
  StartAndSync();
  source_->Add({.name = "a"});
  source_->Modify({.name = "a", .value = "1"});
  source_->Delete({.name = "a"});
  provider_->handlers->WaitFor("failed call 2ms");
  Stop();
  EXPECT_THAT(Calls(),
              ElementsAre("new mine", "call 5ms", "call 7ms", "failed call 2ms", "dropped"));
}

TEST_F(InformerMetricsTest, HandlersWithoutANameAreNumbered) {
  Recorder first;
  Recorder second;
  Register(first);
  Register(second);
  EXPECT_THAT(Calls(), ElementsAre("new 1", "new 2"));
}

TEST_F(InformerMetricsTest, PendingCountsTheCallThatGoesOn) {
  Gate entered;
  Gate gate;
  ASSERT_TRUE(informer_.AddEventHandler({.onAdd = [&](const auto&, bool) {
    entered.Open();
    gate.Wait();
  }}));
  StartAndSync();
  source_->Add({.name = "a"});
  entered.Wait();
  source_->Add({.name = "b"});
  source_->Add({.name = "c"});
  provider_->handlers->WaitFor("pending 3");
  gate.Open();
  provider_->handlers->WaitFor("call 0ms", 3);
  provider_->handlers->WaitFor("pending 0");
  Stop();
}

TEST_F(InformerMetricsTest, TheMetricsOfARemovedHandlerAreDroppedAtOnce) {
  Recorder recorder;
  const auto registration = Register(recorder);
  StartAndSync();
  ASSERT_TRUE(registration.WaitForSync(60s, {}));
  informer_.RemoveEventHandler(registration);
  EXPECT_THAT(Calls(), Contains("dropped")) << "while the registration is still held";
}

TEST_F(InformerMetricsTest, AHandlerMayGoUnmeasured) {
  provider_->ignores_handlers = true;
  Recorder recorder;
  Register(recorder);
  source_->Add({.name = "a"});
  StartAndSync();
  Settle({&recorder});
  Stop();
  EXPECT_THAT(provider_->handlers->Events(), ElementsAre("new 1"));
}

/// No provider, or one that does not measure the informer.
class UnmeasuredInformerTest : public test::InformerFixture,
                               public ::testing::WithParamInterface<bool> {
 protected:
  UnmeasuredInformerTest()
      : InformerFixture(WithMetrics(Provider(), std::make_shared<CountingClock>())) {}

 private:
  static std::shared_ptr<MetricsProvider> Provider() {
    if (!GetParam()) return nullptr;
    auto provider = std::make_shared<RecordingProvider>();
    provider->declines = true;
    return provider;
  }
};

TEST_P(UnmeasuredInformerTest, CallsToHandlersAskForNoTime) {
  std::vector<int> calls;
  Recorder recorder;
  ASSERT_TRUE(informer_.AddEventHandler({.onAdd = [&](const ObjectPtr<Item>& item, bool) {
    calls.push_back(CountingClock::CallsOfThisThread());
    recorder.Write(item->name);
  }}));
  StartAndSync();
  source_->Add({.name = "a"});
  source_->Add({.name = "b"});
  recorder.WaitFor("b");
  Stop();
  EXPECT_THAT(calls, ElementsAre(0, 0));
}

INSTANTIATE_TEST_SUITE_P(Providers, UnmeasuredInformerTest, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Declining" : "None"; });

TEST(MeasuredInformerTest, CallsToHandlersAskForTheTimeBeforeAndAfter) {
  // Shows that the test of unmeasured ones would notice.
  const auto source = std::make_shared<test::FakeControllerSource>();
  const auto informer = SharedIndexInformer<Item>::New(
      source,
      WithMetrics(std::make_shared<RecordingProvider>(), std::make_shared<CountingClock>()));
  std::vector<int> calls;
  Recorder recorder;
  ASSERT_TRUE(informer.AddEventHandler({.onAdd = [&](const ObjectPtr<Item>& item, bool) {
    calls.push_back(CountingClock::CallsOfThisThread());
    recorder.Write(item->name);
  }}));
  source->Add({.name = "a"});
  source->Add({.name = "b"});
  std::jthread running([&](std::stop_token stop) { EXPECT_TRUE(informer.Run(std::move(stop))); });
  recorder.WaitFor("b");
  running = {};
  EXPECT_THAT(calls, ElementsAre(1, 3));
}

// ---- Names

const GroupVersionResource kPods{"", "v1", "pods"};
const GroupVersionResource kNodes{"", "v1", "nodes"};

// client-go: TestNewInformerName
TEST(InformerNameTest, AnEmptyNameIsRefused) {
  const auto name = InformerName::New("");
  ASSERT_FALSE(name.has_value());
  EXPECT_EQ(name.error().kind, ErrorKind::kInvalidArgument);
}

// client-go: TestNewInformerName
TEST(InformerNameTest, ANameIsTakenUntilItIsReleased) {
  const auto name = InformerName::New("taken").value();
  EXPECT_EQ(name->name(), "taken");
  const auto again = InformerName::New("taken");
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_THAT(again.error().message, HasSubstr("\"taken\""));
  EXPECT_TRUE(InformerName::New("other").has_value());
  name->Release();
  const auto next = InformerName::New("taken");
  ASSERT_TRUE(next.has_value());
  name->Release();
  EXPECT_FALSE(InformerName::New("taken").has_value()) << "it is the next owner's now";
}

TEST(InformerNameTest, TheDestructorReleases) {
  { const auto name = InformerName::New("short-lived").value(); }
  EXPECT_TRUE(InformerName::New("short-lived").has_value());
}

// client-go: TestWithResource
TEST(InformerNameTest, EachResourceHasOnePlace) {
  const auto name = InformerName::New("places").value();
  auto pods = name->Reserve(kPods);
  EXPECT_TRUE(pods);
  EXPECT_FALSE(name->Reserve(kPods));
  EXPECT_TRUE(name->Reserve(kNodes)) << "and free again, as nobody keeps it";
  EXPECT_TRUE(name->Reserve(kNodes));
  pods.reset();
  EXPECT_TRUE(name->Reserve(kPods));
}

// client-go: TestRelease
TEST(InformerNameTest, AReleasedNameHasNoPlaces) {
  auto name = InformerName::New("released").value();
  auto pods = name->Reserve(kPods);
  name->Release();
  EXPECT_FALSE(name->Reserve(kNodes));
  name.reset();
  pods.reset();  // A place may outlive the name.
}

TEST(InformerNameTest, OfTwoInformersOfAResourceTheFirstIsMeasured) {
  const auto provider = std::make_shared<RecordingProvider>();
  auto options = WithMetrics(provider);
  options.name = InformerName::New("twice").value();
  const auto source = std::make_shared<test::FakeControllerSource>();
  auto first = std::make_optional(SharedIndexInformer<Item>::New(source, options));
  const auto second = SharedIndexInformer<Item>::New(source, options);
  EXPECT_THAT(provider->asked, ElementsAre("twice:test.example/v1/items"));
  first.reset();
  const auto third = SharedIndexInformer<Item>::New(source, options);
  EXPECT_THAT(provider->asked.size(), 2u) << "the place is free with the informer";
}

}  // namespace
}  // namespace k8s::cache
