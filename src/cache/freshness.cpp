#include <k8s/cache/freshness.hpp>

#include <algorithm>
#include <utility>

namespace k8s::inline v0::cache {

namespace {

std::string InSeconds(Clock::Duration age) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(age).count()) + " s";
}

bool MayBeFresh(const InformerStatus& status) {
  return status.synced && status.state != ReflectorState::kStopped && status.lastProofOfLife;
}

}  // namespace

std::string StaleInformer::ToString() const {
  if (!status.synced) return UnsyncedInformer{ReasonOf(status), status}.ToString();
  std::string text = status.resource + ": " + std::string(cache::ToString(status.state));
  if (age) text += ", last proof of life " + InSeconds(*age) + " ago";
  if (status.waitsForHandler) text += ", waits for a slow handler";
  if (status.lastError) text += "; " + status.lastErrorVerb + ": " + status.lastError->ToString();
  return text;
}

std::string Freshness::ToString() const {
  if (ok()) {
    return "ok: " + std::to_string(informers) + (informers == 1 ? " cache" : " caches") +
           ", last proof of life at most " + InSeconds(oldest) + " ago";
  }
  std::string text = "not fresh: ";
  for (std::size_t i = 0; i < stale.size(); ++i) {
    if (i > 0) text += "; ";
    text += stale[i].ToString();
  }
  // Messages of servers may have more than one line.
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

Freshness CheckFreshness(std::vector<InformerStatus> statuses, Clock::Duration max_age,
                         Clock::TimePoint now) {
  Freshness answer{.maxAge = max_age, .informers = statuses.size()};
  for (InformerStatus& status : statuses) {
    StaleInformer informer{.status = std::move(status)};
    // The proof may have come after `now` was taken.
    if (const auto proof = informer.status.lastProofOfLife) {
      informer.age = std::max(now - *proof, Clock::Duration::zero());
    }
    if (MayBeFresh(informer.status) && *informer.age <= max_age) {
      answer.oldest = std::max(answer.oldest, *informer.age);
    } else {
      answer.stale.push_back(std::move(informer));
    }
  }
  return answer;
}

}  // namespace k8s::inline v0::cache
