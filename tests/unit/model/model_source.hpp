#pragma once

#include <k8s/cache/listwatch.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "dice.hpp"
#include "model_server.hpp"
#include "reference_informer.hpp"
#include "request_rules.hpp"
#include "support/skipping_clock.hpp"

namespace k8s::test {

/// Serves a ModelServer to one reflector and breaks what it serves, as the dice want it. Tells the
/// reference of all it hands out, and checks what it is asked. Everything happens on the
/// reflector's thread, inside its calls: what a seed leads to does not depend on the machine.
class ModelSource final : public cache::ListerWatcher {
 public:
  struct Options {
    bool lagging = false;     ///< Replicas answer from the past where the protocol allows it.
    bool watch_cache = true;  ///< Lists from "0" and from versions come in one piece.
    bool replays = false;     ///< Streams tell again what they have told.
    bool bookmarks = true;    ///< None at all: they are no promise.
    /// Of some objects not even the key can be read: a list without its key takes it away.
    bool keyless = false;
  };
  /// Faults per thousand requests, and per thousand reads of a stream.
  struct Weather {
    unsigned requests = 0;
    unsigned reads = 0;
  };
  struct Hooks {
    std::function<std::stop_token()> run;  ///< The informer's own stop token.
    std::function<void()> step;            ///< Time for something else to happen.
    std::function<void()> settled;         ///< The client knows all, and nothing is under way.
    std::function<void(std::string_view fault)> fault;  ///< The client did what it must not.
    std::function<void(const char* what, std::string_view key, std::uint64_t version)> note;
  };

  ModelSource(ModelServer& server, ReferenceInformer& reference, Dice& dice, SkippingClock& clock,
              Options options, Hooks hooks);

  void SetWeather(Weather weather);
  /// No more faults, no more steps: from now on the client is led to where it knows all.
  void Settle();
  /// The end of all open streams, as when servers are restarted.
  void EndStreams() { ++restarts_; }
  /// Whether the whole state is being streamed: no time may pass then, or it counts as silence.
  [[nodiscard]] bool Streaming() const { return streaming_; }

  Result<cache::ListResult> List(const metav1::ListOptions& options, const cache::VisitFunc& visit,
                                 std::stop_token stop) override;
  Result<std::unique_ptr<watch::Interface>> Watch(const metav1::ListOptions& options,
                                                  std::stop_token stop) override;

 private:
  struct Stream;
  class OpenWatch;
  using Next = Result<std::optional<watch::Event>>;
  struct Page {
    const ModelServer::State* state;
    std::size_t from = 0;
    std::size_t count = 0;
  };

  // ---- model_source.cpp: requests
  std::optional<Error> RequestFault();
  [[nodiscard]] const ModelServer::State* StateFrom(const metav1::ListOptions& options);
  /// Answers whether the server has reached a version.
  Result<cache::ListResult> Compare(const metav1::ListOptions& options);
  Result<Page> PageOf(const metav1::ListOptions& options);
  Result<Page> Continued(const metav1::ListOptions& options);
  cache::ListResult Serve(const Page& page, const cache::VisitFunc& visit);
  std::optional<Error> VersionFault(const metav1::ListOptions& options, std::size_t replica);
  std::unique_ptr<Stream> Open(const metav1::ListOptions& options, std::size_t replica);
  void Require(const std::string& wrong);
  Error Hang(const std::stop_token& stop);

  // ---- model_stream.cpp: open streams
  Next Read(Stream& stream, const std::stop_token& stop);
  std::optional<Next> Ended(Stream& stream);
  std::optional<Next> StreamFault(Stream& stream, const std::stop_token& stop);
  std::optional<Next> ObjectFault(Stream& stream);
  Next Silence(Stream& stream, const std::stop_token& stop);
  Next End(Stream& stream, Next how);
  Next Fail(Stream& stream, const Error& error);
  void Sent(Stream& stream);
  Next SendError(Stream& stream, const Error& error);
  Next SendBookmark(Stream& stream, std::uint64_t version);
  /// The next event that is due; nothing when all was sent. Not yet told to the reference.
  std::optional<watch::Event> Take(Stream& stream);
  std::optional<watch::Event> TakeChange(Stream& stream);
  Next Hand(Stream& stream, watch::Event event);
  Next EndOfState(Stream& stream);
  std::optional<Next> Settling(Stream& stream);
  void Poison(std::string_view what, const Item& item);
  [[nodiscard]] bool TouchPoisoned();

  ModelServer& server_;
  ReferenceInformer& reference_;
  Dice& dice_;
  SkippingClock& clock_;
  const Options options_;
  const Hooks hooks_;
  RequestRules rules_;
  Weather weather_;
  bool settling_ = false;
  int reads_ = 0;  ///< Since the settling began.
  bool streaming_ = false;
  int restarts_ = 0;
  std::set<std::string> poisoned_;  ///< Keys whose state the client could not read.

  // The list that is under way in pages.
  ModelServer::State paged_;
  int paged_generation_ = -1;
  unsigned tokens_ = 0;
};

}  // namespace k8s::test
