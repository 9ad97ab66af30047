#pragma once

#include <k8s/testing/fake_api_server.hpp>
#include <k8s/testing/fault.hpp>

#include "connection.hpp"
#include "object_store.hpp"
#include "presenter.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace k8s::inline v0::testing {

/// The body of one open watch: sends what its watcher gets, bookmarks in time, and the faults that
/// were injected for it. Runs on the connection's thread.
class WatchStream {
 public:
  struct Options {
    bool bookmarks = false;
    std::chrono::milliseconds bookmarkInterval{0};
    std::chrono::milliseconds bookmarkBeforeTimeout{0};
    std::chrono::milliseconds timeout{0};  ///< 0: none.
    std::optional<Fault> fault = std::nullopt;
  };
  /// Sends bytes as one chunk of the body. False: the connection is broken.
  using Send = std::function<bool(std::string_view bytes)>;

  WatchStream(ObjectStore& store, std::shared_ptr<Watcher> watcher, Presenter presenter,
              Options options);
  ~WatchStream();  ///< The watch no longer counts as open.
  WatchStream(const WatchStream&) = delete;
  WatchStream& operator=(const WatchStream&) = delete;

  /// Returns at the end of the stream. True: it ended in an orderly way.
  bool Run(const Send& send);

 private:
  enum class Step { kGoOn, kEnd, kBroken };
  using TimePoint = Connection::TimePoint;

  Step RunQueued();
  Step RunItem(const WatchItem& item);
  Step RunDue();
  /// Meets the fault if its turn has come; nothing otherwise. `frame`: what would be sent next.
  std::optional<Step> MeetFault(std::string_view frame);
  Step Transmit(std::string_view frame);
  Step SendFrame(std::string_view frame);
  Step SendSlowly(std::string_view frame);
  Step Cut(std::string_view frame);
  Step Stall();
  Step SendBookmark();
  [[nodiscard]] bool FaultIs(FaultKind kind) const;
  [[nodiscard]] std::optional<TimePoint> NextDeadline() const;

  ObjectStore& store_;
  std::shared_ptr<Watcher> watcher_;
  Presenter presenter_;
  Options options_;
  Connection& connection_;
  const Send* send_ = nullptr;
  int frames_sent_ = 0;
  std::optional<TimePoint> next_bookmark_;
  std::optional<TimePoint> last_bookmark_;
  std::optional<TimePoint> end_;
};

}  // namespace k8s::inline v0::testing
