#pragma once

#include <k8s/apis/meta/v1.hpp>
#include <k8s/clock.hpp>
#include <k8s/error.hpp>

#include <optional>
#include <string>

#include "reference_informer.hpp"

namespace k8s::test {

/// What a reflector may ask of a server next: from which version, whether it must go on instead of
/// listing, and when.
class RequestRules {
 public:
  explicit RequestRules(const ReferenceInformer& reference) : reference_(reference) {}

  // What is wrong with a request; empty: nothing.
  [[nodiscard]] std::string CheckList(const metav1::ListOptions& options, Clock::TimePoint now);
  [[nodiscard]] std::string CheckWatch(const metav1::ListOptions& options, Clock::TimePoint now);

  // ---- What the reflector was told

  void RefusedList(const Error& error, Clock::TimePoint now);
  void RefusedWatch(const metav1::ListOptions& options, const Error& error, Clock::TimePoint now);
  /// An ERROR event. `initial`: while the whole state was streamed.
  void ErrorEvent(bool initial, const Error& error, Clock::TimePoint now);
  /// Something came by a stream: what a request that was to replace it was answered is over.
  void Heard() { not_before_.reset(); }
  /// The stream says nothing for now.
  void Silent() { must_go_on_ = true; }
  /// The stream ended and what came is good.
  void EndedWell() {
    Heard();
    must_go_on_ = reference_.synced();
  }
  /// The stream is of no use any more.
  void EndedBadly() {
    Heard();
    must_go_on_ = false;
  }
  void WentBack();
  void Synced() { version_unavailable_ = false; }

 private:
  [[nodiscard]] std::string CheckTime(Clock::TimePoint now) const;
  [[nodiscard]] bool MayAskForStateFrom(const std::string& version, const char* first) const;
  void ComeBackLater(const Error& error, Clock::TimePoint now);

  const ReferenceInformer& reference_;
  bool must_go_on_ = false;  ///< Nothing but a watch from the last version.
  bool version_unavailable_ = false;
  std::optional<Clock::TimePoint> not_before_;
};

}  // namespace k8s::test
