#pragma once

#include <k8s/cache/shared_informer.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "dice.hpp"
#include "model_server.hpp"
#include "model_source.hpp"
#include "reference_informer.hpp"
#include "support/checked_handler.hpp"
#include "support/skipping_clock.hpp"

namespace k8s::test {

/// The life of one informer, from its start to its end: writes, faults, handlers that come and go,
/// all from one seed. Now and then, and at the end, everything has to agree with the model.
class ModelRound {
 public:
  explicit ModelRound(unsigned seed);
  ~ModelRound();
  ModelRound(const ModelRound&) = delete;
  ModelRound& operator=(const ModelRound&) = delete;

  /// Runs the informer on this thread until it has ended.
  void Play();

  [[nodiscard]] std::size_t steps() const { return steps_; }
  [[nodiscard]] std::size_t told() const { return told_; }  ///< Notifications that were checked.
  [[nodiscard]] std::size_t settled() const { return settled_; }
  /// What is wrong, and the last things that happened before; empty: nothing.
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  /// What a round is made of, for all of its time.
  struct Nature {
    explicit Nature(Dice& dice);
    bool restores;  ///< Backups are restored: versions go back.
    bool resync;
    bool storm;         ///< Another thread adds and removes handlers.
    bool stops_midway;  ///< At any step, not only when all is settled.
    ModelSource::Options source;
  };
  struct Handler;
  using Versions = CheckedHandler<Item>::Versions;

  [[nodiscard]] cache::SharedInformerOptions Options();
  [[nodiscard]] ModelSource::Hooks Hooks();
  [[nodiscard]] Versions VersionPolicy() const;

  void Step();
  void Happen();
  void BeginPhase();
  void AddHandler();
  void RemoveHandler();
  void AddIndex();
  void Storm(const std::stop_token& stop);

  void CheckSettled();
  void CheckStore();
  void CheckIndices();
  void CheckHandler(Handler& handler);
  void CheckLog(Handler& handler, bool whole);
  void CheckFaults(const Handler& handler);
  void CheckEnd();
  void Fail(std::string_view what);
  void Note(const char* what, std::string_view key, std::uint64_t version);

  Dice dice_;
  const Nature nature_;
  const std::shared_ptr<SkippingClock> clock_ = std::make_shared<SkippingClock>();
  ModelServer server_;
  ReferenceInformer reference_;
  const std::shared_ptr<ModelSource> source_;
  const cache::SharedIndexInformer<Item> informer_;
  std::stop_source stop_;
  std::vector<std::unique_ptr<Handler>> handlers_;
  std::vector<std::unique_ptr<Handler>> gone_;

  unsigned phases_left_;
  unsigned steps_left_ = 0;  ///< Of this phase.
  std::size_t steps_ = 0;
  std::size_t told_ = 0;
  std::size_t settled_ = 0;
  struct Happening {
    const char* what;
    std::string key;
    std::uint64_t version;
  };
  std::deque<Happening> happenings_;
  std::string fault_;
};

}  // namespace k8s::test
