#include "gateway/live/workspace_stream.h"

#include "gateway/live/turn_frames.h"
#include "gateway/routes/turn_question.h"

namespace rouse {
namespace {

constexpr std::size_t kEventsAtOnce = 50;
constexpr Millis kLookAgain{20};

LiveFrame reset_frame(std::int64_t seq) {
  return live_frame(fmt::format(R"({{"type":"reset","seq":{}}})", seq));
}

// Lets everybody else on the loop have a turn.
Task<void> next_round() {
  co_await complete_later<bool>([](Completer<bool> done) { done(true); });
}

}  // namespace

WorkspaceStream::WorkspaceStream(const LiveParts& parts, WorkspaceId workspace)
    : parts_(parts), workspace_(std::move(workspace)), frames_(*parts.kernel, *parts.ledger) {
  watch_ =
      parts_.stage->watch_workspace(workspace_, [this](const TurnEvent& event) { on_turn(event); });
}

Result<void> WorkspaceStream::publish_new() {
  if (joined_.empty()) {
    TRY(sent_, parts_.events->last_seq(workspace_));
    return {};
  }
  while (true) {
    TRY(const auto events, parts_.events->after(workspace_, sent_, kEventsAtOnce));
    for (const Event& event : events) {
      if (event.seq != sent_ + 1) tell(reset_frame(event.seq - 1));
      tell(frames_.frame(event));
      sent_ = event.seq;
    }
    if (events.size() < kEventsAtOnce) return {};
  }
}

Task<Result<bool>> WorkspaceStream::resume(std::shared_ptr<WebSocket> socket,
                                           std::optional<std::int64_t> after) {
  CO_TRY_VOID(publish_new());
  std::int64_t seen = after.value_or(sent_);
  while (seen != sent_) {
    CO_TRY(const Step step, send_missed(*socket, seen));
    if (step == Step::kClosed) co_return false;
    if (step == Step::kDone) break;
    co_await wait_for_room(socket);
    CO_TRY_VOID(publish_new());
  }
  // No wait from the last publish_new() to here.
  if (!send_running(*socket)) co_return false;
  joined_.insert(socket.get());
  co_return true;
}

// What a page can't be given any more, or what never was, makes it start over.
Result<WorkspaceStream::Step> WorkspaceStream::send_missed(WebSocket& socket, std::int64_t& seen) {
  std::vector<Event> events;
  if (seen < sent_) {
    TRY(events, parts_.events->after(workspace_, seen, kEventsAtOnce));
  }
  if (events.empty() || events.front().seq != seen + 1) {
    seen = sent_;
    return socket.send(reset_frame(sent_)) ? Step::kDone : Step::kClosed;
  }
  for (const Event& event : events) {
    if (event.seq > sent_) break;  // its turn comes with publish_new()
    if (!socket.send(frames_.frame(event))) return Step::kClosed;
    seen = event.seq;
    if (socket.queued_bytes() > kCatchUpBytes) break;
  }
  return Step::kMore;
}

bool WorkspaceStream::send_running(WebSocket& socket) {
  for (const TurnSnapshot& snapshot : parts_.stage->snapshots(workspace_)) {
    if (!is_streamed(snapshot.turn)) continue;
    // Its close may be committed and not yet told: then the page has its end already.
    const auto turn = parts_.ledger->get(snapshot.turn.turn);
    if (turn && turn->over()) continue;
    std::optional<MessageView> asked;
    if (turn) asked = question_of(*parts_.kernel, *parts_.ledger, *turn).value_or(std::nullopt);
    if (!socket.send(snapshot_frame(snapshot, std::move(asked)))) return false;
  }
  return true;
}

// No timer of its own for each of ten thousand idle sockets: only one that catches up waits here.
// A socket that stands still is dropped by the server, and then nothing of it waits any more.
Task<void> WorkspaceStream::wait_for_room(std::shared_ptr<WebSocket> socket) {
  co_await next_round();
  while (socket->queued_bytes() > kCatchUpBytes) co_await parts_.clock->wait_for(kLookAgain);
}

void WorkspaceStream::on_turn(const TurnEvent& event) {
  if (joined_.empty() || !is_streamed(event.turn)) return;
  // A turn is known to be queued before it says anything. If the store can't be read now, the
  // commit after this one tries again.
  if (event.kind == TurnEvent::Kind::kStarted) (void)publish_new();
  if (const LiveFrame frame = turn_frame(event)) tell(frame);
}

void WorkspaceStream::tell(const LiveFrame& frame) {
  for (WebSocket* socket : joined_) socket->send(frame);
}

}  // namespace rouse
