#include "rest/curl_engine.hpp"

#include <new>
#include <string>
#include <utility>

namespace k8s::inline v0::rest::detail {

namespace {

// curl_multi_poll ends earlier for sockets, curl's own timers and wake-ups.
constexpr int kPollMs = 3'600'000;
constexpr long kKeptConnections = 100;

MultiHandle NewMulti() {
  // Thread safe, and done once: a failure would show in every later call.
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  (void)initialised;
  MultiHandle multi(curl_multi_init());
  if (multi == nullptr) throw std::bad_alloc();
  curl_multi_setopt(multi.get(), CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
  curl_multi_setopt(multi.get(), CURLMOPT_MAXCONNECTS, kKeptConnections);
  return multi;
}

}  // namespace

CurlEngine::CurlEngine() : multi_(NewMulti()), thread_([this] { Run(); }) {}

CurlEngine::~CurlEngine() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  curl_multi_wakeup(multi_.get());
  thread_.join();
}

void CurlEngine::Abandon(std::shared_ptr<Transfer> transfer) {
  // Here, not on the I/O thread: the caller's next request depends on it.
  if (transfer->IsSilent()) Suspect(*transfer);
  Post(Action::kAbandon, std::move(transfer));
}

void CurlEngine::Suspect(const Transfer& transfer) {
  // A living connection that carries nothing but one quiet watch looks the same, and costs that
  // informer a handshake: once after each change that nothing follows for 45 s. The watches after
  // it have a limit before which servers send a bookmark. Whatever else is heard on it meanwhile
  // saves it. To ask on the old connection first would cost each real failure seconds.
  if (transfer.SeemsDead()) distrusted_ = true;
}

void CurlEngine::Post(Action action, std::shared_ptr<Transfer> transfer) {
  {
    const std::lock_guard lock(mutex_);
    commands_.push_back({action, std::move(transfer)});
    // Commands that wait have a wake-up under way.
    if (commands_.size() > 1) return;
  }
  curl_multi_wakeup(multi_.get());
}

void CurlEngine::Run() {
  std::vector<Command> commands;
  while (TakeCommands(commands)) {
    for (const auto& command : commands) Carry(command);
    commands.clear();
    int running = 0;
    curl_multi_perform(multi_.get(), &running);
    CollectFinished();
    curl_multi_poll(multi_.get(), nullptr, 0, kPollMs, nullptr);
  }
  CloseAll();
}

bool CurlEngine::TakeCommands(std::vector<Command>& commands) {
  const std::lock_guard lock(mutex_);
  commands.swap(commands_);
  return !stopping_;
}

void CurlEngine::Carry(const Command& command) {
  const auto& transfer = command.transfer;
  if (command.action == Action::kStart) return Add(transfer);
  if (!active_.contains(transfer.get())) return;
  if (command.action == Action::kAbandon) {
    Remove(*transfer);
    active_.erase(transfer.get());
  } else {
    // Delivers what curl has kept back; it may find the buffer full again, which is no error.
    curl_easy_pause(transfer->easy(), CURLPAUSE_CONT);
  }
}

void CurlEngine::Add(const std::shared_ptr<Transfer>& transfer) {
  if (curl_multi_add_handle(multi_.get(), transfer->easy()) != CURLM_OK) {
    transfer->Complete(CURLE_OUT_OF_MEMORY);
    transfer->Release();
    return;
  }
  active_.emplace(transfer.get(), transfer);
}

void CurlEngine::CollectFinished() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    Transfer* done = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &done);
    const auto found = active_.find(done);
    if (found == active_.end()) continue;
    const auto transfer = std::move(found->second);
    active_.erase(found);
    if (code == CURLE_OPERATION_TIMEDOUT && transfer->IsSilent()) Suspect(*transfer);
    curl_multi_remove_handle(multi_.get(), transfer->easy());
    transfer->Complete(code);
    transfer->Release();
  }
}

void CurlEngine::Remove(Transfer& transfer) {
  curl_multi_remove_handle(multi_.get(), transfer.easy());
  transfer.Release();
}

void CurlEngine::CloseAll() {
  for (const auto& [key, transfer] : active_) {
    Remove(*transfer);
    transfer->exchange().Finish(
        Error{.kind = ErrorKind::kClosed, .message = transfer->exchange().what() + ": closed"});
  }
  active_.clear();
}

}  // namespace k8s::inline v0::rest::detail
