#include <k8s/cache/shared_informer.hpp>
#include <k8s/log.hpp>

#include <atomic>
#include <stdexcept>

#include "informer_fixture.hpp"

namespace k8s::cache {
namespace {

using test::Gate;
using test::Item;
using test::MakeItem;
using test::Recorder;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class SharedInformerTest : public test::InformerFixture {};

TEST_F(SharedInformerTest, HandlersHearOfTheInitialListAndOfEachChange) {
  source_->Add({.name = "a", .value = "1"});
  Recorder recorder;
  Register(recorder);
  StartAndSync();
  source_->Add({.name = "b", .value = "1"});
  source_->Modify({.name = "a", .value = "2"});
  source_->Delete({.name = "a", .value = "3"});
  Settle({&recorder});
  EXPECT_THAT(Take(recorder),
              ElementsAre("initial a=1", "add b=1", "update a=1 to 2", "delete a=3"));
}

TEST_F(SharedInformerTest, TheStoreIsChangedBeforeHandlersAreTold) {
  Recorder recorder;
  const auto indexer = informer_.GetIndexer();
  const auto check = [&, handler = recorder.Handler()](const ObjectPtr<Item>& item, bool initial) {
    EXPECT_EQ(indexer.Get(*item), item);
    handler.onAdd(item, initial);
  };
  source_->Add({.name = "a"});
  ASSERT_TRUE(informer_.AddEventHandler({.onAdd = check}).has_value());
  StartAndSync();
  Settle({&recorder});
}

TEST_F(SharedInformerTest, AbstractHandlersAndMissingFunctionsWork) {
  class Handler : public ResourceEventHandler<Item> {
   public:
    explicit Handler(Recorder& recorder) : funcs_(recorder.Handler()) {}
    void OnAdd(const ObjectPtr<Item>& object, bool initial) override {
      funcs_.onAdd(object, initial);
    }
    void OnUpdate(const ObjectPtr<Item>& before, const ObjectPtr<Item>& after) override {
      funcs_.onUpdate(before, after);
    }
    void OnDelete(const DeletedObject<Item>& gone) override { funcs_.onDelete(gone); }

   private:
    ResourceEventHandlerFuncs<Item> funcs_;
  };
  Recorder recorder;
  ASSERT_TRUE(informer_.AddEventHandler(std::make_shared<Handler>(recorder)).has_value());
  ASSERT_TRUE(informer_.AddEventHandler(ResourceEventHandlerFuncs<Item>{}).has_value());
  StartAndSync();
  source_->Add({.name = "a", .value = "1"});
  source_->Modify({.name = "a", .value = "2"});
  source_->Delete({.name = "a", .value = "3"});
  Settle({&recorder});
  EXPECT_THAT(Take(recorder), ElementsAre("add a=1", "update a=1 to 2", "delete a=3"));
}

// client-go: TestTypedFilteringResourceEventHandler
TEST_F(SharedInformerTest, AFilterTurnsUpdatesIntoAddsAndDeletes) {
  Recorder recorder;
  std::string deleted_key;
  auto handler = recorder.Handler();
  handler.onDelete = [&, next = handler.onDelete](const DeletedObject<Item>& gone) {
    deleted_key = gone.key;
    next(gone);
  };
  ASSERT_TRUE(
      informer_
          .AddEventHandler(FilteringResourceEventHandler<Item>{
              .filter = [](const Item& item) { return item.value != "no"; }, .handler = handler})
          .has_value());
  StartAndSync();
  source_->Add({.name = "a", .value = "no"});
  source_->Modify({.name = "a", .value = "1"});
  source_->Modify({.name = "a", .value = "2"});
  source_->Modify({.name = "a", .value = "no"});
  source_->Modify({.name = "a", .value = "no"});
  source_->Delete({.name = "a", .value = "no"});
  source_->Add({.name = "b", .value = "1"});
  source_->Delete({.name = "b", .value = "1"});
  Settle({&recorder});
  EXPECT_THAT(Take(recorder),
              ElementsAre("add a=1", "update a=1 to 2", "delete a=2", "add b=1", "delete b=1"));
  EXPECT_EQ(deleted_key, "default/b");
}

// The state that a deletion shows may be one that no update has: an event that could not be read.
TEST_F(SharedInformerTest, AFilterPassesOnTheDeletionOfWhatItHasPassedOn) {
  Recorder recorder;
  ASSERT_TRUE(informer_
                  .AddEventHandler(FilteringResourceEventHandler<Item>{
                      .filter = [](const Item& item) { return item.value != "no"; },
                      .handler = recorder.Handler()})
                  .has_value());
  StartAndSync();
  source_->Add({.name = "a", .value = "1"});
  source_->Delete({.name = "a", .value = "no"});
  source_->Add({.name = "b", .value = "no"});
  source_->Delete({.name = "b", .value = "1"});
  Settle({&recorder});
  EXPECT_THAT(Take(recorder), ElementsAre("add a=1", "delete a=no"));
}

// client-go: TestIndexer
TEST_F(SharedInformerTest, IndexersMayBeAddedBeforeAndAfterTheStart) {
  const auto values = [](const Item& item) { return std::vector{item.value}; };
  ASSERT_TRUE(informer_.AddIndexers({{"before", values}}).has_value());
  source_->Add({.name = "a", .value = "x"});
  StartAndSync();
  ASSERT_TRUE(informer_.AddIndexers({{"after", values}}).has_value());
  Recorder recorder;
  Register(recorder);
  source_->Add({.name = "b", .value = "x"});
  Settle({&recorder});
  for (const char* index : {"before", "after"}) {
    SCOPED_TRACE(index);
    EXPECT_THAT(informer_.GetIndexer().IndexKeys(index, "x").value(),
                ElementsAre("default/a", "default/b"));
  }
  EXPECT_EQ(informer_.AddIndexers({{"after", values}}).error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(informer_.GetIndexer().ByIndex(kNamespaceIndex, "default").value().size(), 3u);
}

// client-go: TestSharedInformerWatchDisruption. Deviation: unchanged objects are told to nobody.
TEST_F(SharedInformerTest, AfterAGapEachHandlerHearsTheNetDifference) {
  source_->Add({.name = "same", .value = "1"});
  source_->Add({.name = "changed", .value = "1"});
  source_->Add({.name = "lost", .value = "1"});
  source_->Add({.name = "anew", .value = "1"});
  Recorder one;
  Recorder two;
  Register(one);
  Register(two);
  StartAndSync();
  Settle({&one, &two});
  Take(one);
  Take(two);
  const auto same = informer_.GetIndexer().GetByKey("default/same");

  source_->ModifyDropWatch({.name = "changed", .value = "2"});
  source_->DeleteDropWatch({.name = "lost"});
  source_->DeleteDropWatch({.name = "anew"});
  source_->AddDropWatch({.name = "anew", .value = "2"});
  source_->AddDropWatch({.name = "new", .value = "1"});
  source_->ResetWatch();
  Settle({&one, &two});

  const auto events = Take(one);
  EXPECT_THAT(events, UnorderedElementsAre("update changed=1 to 2", "lost lost=1", "lost anew=1",
                                           "add anew=2", "add new=1"));
  EXPECT_LT(std::find(events.begin(), events.end(), "lost anew=1"),
            std::find(events.begin(), events.end(), "add anew=2"));
  EXPECT_EQ(Take(two), events);
  EXPECT_EQ(informer_.GetIndexer().GetByKey("default/same"), same) << "not kept twice";
}

TEST_F(SharedInformerTest, AnOrderlyEndOfTheWatchIsNoEvent) {
  source_->Add({.name = "a", .value = "1"});
  Recorder recorder;
  Register(recorder);
  StartAndSync();
  Settle({&recorder});
  source_->WaitForWatcher();
  source_->CloseWatches();
  source_->Modify({.name = "a", .value = "2"});
  Settle({&recorder});
  EXPECT_THAT(Take(recorder), ElementsAre("initial a=1", "update a=1 to 2"));
  EXPECT_EQ(informer_.Status().relists, 1u);
}

// client-go: TestSharedInformerErrorHandling
TEST_F(SharedInformerTest, TheWatchErrorHandlerGetsTheListsError) {
  std::atomic<int> called = 0;
  ASSERT_TRUE(informer_.SetWatchErrorHandler([](const Error&) { ADD_FAILURE() << "replaced"; })
                  .has_value());
  ASSERT_TRUE(informer_
                  .SetWatchErrorHandler([&](const Error& error) {
                    EXPECT_EQ(error.message, "no list");
                    ++called;
                  })
                  .has_value());
  source_->FailLists(2, {.kind = ErrorKind::kStatus, .code = 500, .message = "no list"});
  StartAndSync();
  EXPECT_EQ(called, 2);
  EXPECT_EQ(informer_.SetWatchErrorHandler({}).error().kind, ErrorKind::kInvalidArgument);
}

// client-go: TestSharedInformerTransformer
TEST_F(SharedInformerTest, StoreAndHandlersSeeTransformedObjects) {
  ASSERT_TRUE(informer_
                  .SetTransform([](ObjectPtr<Item> item) -> Result<ObjectPtr<Item>> {
                    if (item->value == "bad") return Error{.message = "cannot"};
                    auto copy = std::make_shared<Item>(*item);
                    copy->value += "!";
                    return copy;
                  })
                  .has_value());
  source_->Add({.name = "a", .value = "1"});
  source_->Add({.name = "never", .value = "bad"});
  Recorder recorder;
  Register(recorder);
  StartAndSync();
  source_->Modify({.name = "a", .value = "2"});
  source_->Modify({.name = "a", .value = "bad"});
  source_->Delete({.name = "a", .value = "3"});
  source_->Add({.name = "end"});
  recorder.WaitFor("add end=!");
  EXPECT_THAT(Take(recorder),
              ElementsAre("initial a=1!", "update a=1! to 2!", "delete a=3!", "add end=!"));
  EXPECT_EQ(informer_.GetIndexer().GetByKey("default/end")->value, "!");
  EXPECT_EQ(informer_.SetTransform({}).error().kind, ErrorKind::kInvalidArgument);
}

// client-go: TestTransformingInformer
TEST_F(SharedInformerTest, ATombstoneShowsTheTransformedObject) {
  int transformed = 0;
  ASSERT_TRUE(informer_
                  .SetTransform([&](ObjectPtr<Item> item) -> Result<ObjectPtr<Item>> {
                    ++transformed;
                    auto copy = std::make_shared<Item>(*item);
                    copy->value += "!";
                    return copy;
                  })
                  .has_value());
  source_->Add({.name = "a", .value = "1"});
  Recorder recorder;
  Register(recorder);
  StartAndSync();
  recorder.WaitFor("initial a=1!");
  source_->DeleteDropWatch({.name = "a"});
  source_->ResetWatch();
  recorder.WaitFor("lost a=1!");
  Stop();
  EXPECT_EQ(transformed, 1) << "once, when it came";
}

// client-go: TestStateSharedInformer
TEST_F(SharedInformerTest, GoesFromNotStartedToStoppedOnce) {
  EXPECT_FALSE(informer_.HasSynced());
  EXPECT_FALSE(informer_.IsStopped());
  EXPECT_EQ(informer_.LastSyncResourceVersion(), "");
  EXPECT_EQ(informer_.Status().state, ReflectorState::kNotStarted);
  const auto added = source_->Add({.name = "a"});
  StartAndSync();
  EXPECT_TRUE(informer_.HasSynced());
  EXPECT_EQ(informer_.Run({}).error().kind, ErrorKind::kInvalidArgument);
  EXPECT_FALSE(informer_.IsStopped());
  EXPECT_EQ(informer_.LastSyncResourceVersion(), added->resourceVersion);
  EXPECT_EQ(informer_.LastStoreSyncResourceVersion(), added->resourceVersion);
  EXPECT_EQ(informer_.Status().itemCount, 1u);
  Stop();
  EXPECT_TRUE(informer_.IsStopped());
  EXPECT_TRUE(informer_.HasSynced()) << "keeps its value";
  EXPECT_EQ(informer_.Status().state, ReflectorState::kStopped);
  EXPECT_EQ(informer_.GetIndexer().size(), 1u) << "the store still answers";
  EXPECT_EQ(informer_.Run({}).error().kind, ErrorKind::kInvalidArgument);
}

// client-go: TestStoreResourceVersion
TEST_F(SharedInformerTest, TheStoresResourceVersionFollowsChangesAndLists) {
  Recorder recorder;
  Register(recorder);
  StartAndSync();
  source_->Add({.name = "a"});
  const auto deleted = source_->Delete({.name = "a"});
  recorder.WaitFor("delete a=");
  EXPECT_EQ(informer_.LastStoreSyncResourceVersion(), deleted->resourceVersion);
  source_->AddDropWatch({.name = "b"});
  source_->ResetWatch();
  recorder.WaitFor("add b=");
  EXPECT_EQ(informer_.LastStoreSyncResourceVersion(), informer_.LastSyncResourceVersion());
}

// client-go: TestSharedInformerShutdown
TEST_F(SharedInformerTest, EndsInEveryOrderOfStartAndStop) {
  Recorder recorder;
  Register(recorder);  // Never started: the destructor ends it.
  for (const bool before : {true, false}) {
    SCOPED_TRACE(before);
    auto other = SharedIndexInformer<Item>::New(source_, Fast({}));
    ASSERT_TRUE(other.AddEventHandler(recorder.Handler()).has_value());
    std::stop_source stop;
    if (before) stop.request_stop();
    std::jthread running([&] { EXPECT_TRUE(other.Run(stop.get_token()).has_value()); });
    stop.request_stop();
    running.join();
    EXPECT_TRUE(other.IsStopped());
  }
}

TEST_F(SharedInformerTest, AStopEndsAListThatHangs) {
  source_->HoldLists();
  Start();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(informer_.core()->WaitForSync(stop.get_token()));
  Stop();
  EXPECT_FALSE(informer_.HasSynced());
  EXPECT_FALSE(informer_.core()->WaitForSync({})) << "it will never sync";
}

TEST_F(SharedInformerTest, NothingIsCalledOnceRunHasReturned) {
  Recorder recorder;
  Register(recorder);
  StartAndSync();
  for (int i = 0; i < 100; ++i) source_->Add({.name = std::to_string(i)});
  recorder.WaitFor("add 0=");
  Stop();
  const auto events = recorder.Events();
  source_->Add({.name = "late"});
  EXPECT_EQ(recorder.Events(), events);
}

TEST_F(SharedInformerTest, AHandlerMayStopItsInformer) {
  std::stop_source stop;
  ASSERT_TRUE(
      informer_
          .AddEventHandler({.onAdd = [&](const ObjectPtr<Item>&, bool) { stop.request_stop(); }})
          .has_value());
  source_->Add({.name = "a"});
  EXPECT_TRUE(informer_.Run(stop.get_token()).has_value());
  EXPECT_TRUE(informer_.IsStopped());
}

}  // namespace
}  // namespace k8s::cache
