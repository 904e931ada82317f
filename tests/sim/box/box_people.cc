// What people do in the box. Each begins something and doesn't wait for its end; what somebody is
// told is kept outside.
#include <algorithm>

#include <fmt/format.h>

#include "tests/sim/box/box.h"

namespace rouse::sim {

std::string Box::key_of(int who) {
  return fmt::format("{}:p{}", who < kFirstPhone ? "api" : "whatsapp", who);
}

WorkspaceId Box::workspace_of(int who) {
  if (who < kFirstStranger) return Workspaces::default_id();
  const auto found = house_->people.find({"whatsapp", fmt::format("p{}", who)});
  return found && *found ? **found : Workspaces::default_id();
}

void Box::write_letter(int who, std::string text, bool plain, bool lost) {
  const std::size_t number = outside_.letters.size();
  outside_.letters.push_back({.who = who,
                              .id = fmt::format("m{}", number),
                              .text = fmt::format("{} (thought {}.)", text, number),
                              .plain = plain});
  if (!plain) outside_.letters.back().text = std::move(text);
  if (!lost) deliver(number);
}

void Box::deliver(std::size_t which) {
  Letter& letter = outside_.letters[which];
  letter.on_its_way = true;
  world_->loop().spawn("letter", letter.who < kFirstPhone ? web_delivery(which) : delivery(which));
}

Task<void> Box::web_delivery(std::size_t which) {
  const Letter letter = outside_.letters[which];
  const std::stop_token leaving = house_->leaving.get_token();
  const auto taken = co_await house_->runner().submit(
      chat_from(fmt::format("p{}", letter.who), letter.text, letter.id));
  outside_.letters[which].on_its_way = false;
  if (!taken) {
    if (alive() && disk_trouble_ms_ < 0 && !leaving.stop_requested()) {
      outside_.broke("3: a message is taken when nothing is wrong", taken.error().message);
    }
    co_return;
  }
  Letter& known = outside_.letters[which];
  if (taken->resolved.redelivered) outside_.counts.hit("message came again");
  const std::string turn = taken->resolved.turn ? taken->resolved.turn->str() : "";
  if (known.taken && known.turn != turn && !known.in_deleted) {
    outside_.broke("3: a message that comes again is the same message",
                   fmt::format("{} had {}, now {}", known.id, known.turn.value_or("none"), turn));
  }
  known.taken = true;
  known.turn = turn;
  outside_.told.push_back(which);
  outside_.mix(which);
  if (!taken->resolved.turn) co_return;
  const auto outcome = co_await house_->runner().wait(*taken->resolved.turn, leaving);
  if (outcome) outside_.counts.hit("answer on the page");
}

Task<void> Box::delivery(std::size_t which) {
  const Letter letter = outside_.letters[which];
  const std::stop_token leaving = house_->leaving.get_token();
  WhatsAppMessage message;
  message.from = message.sender_e164 = fmt::format("p{}", letter.who);
  message.body = letter.text;
  message.account_id = "bridge";
  message.message_id = letter.id;
  const auto answer = co_await house_->door.receive(std::move(message));
  outside_.letters[which].on_its_way = false;
  if (!answer) {
    if (alive() && disk_trouble_ms_ < 0 && !leaving.stop_requested() &&
        answer.error().kind != Kind::kNotFound) {
      outside_.broke("3: a message is taken when nothing is wrong", answer.error().message);
    }
    co_return;
  }
  outside_.letters[which].taken = true;
  outside_.told.push_back(which);
  outside_.mix(which);
  if (std::holds_alternative<WhatsAppIgnored>(*answer)) {
    outside_.broke("3: a person's words are not taken for ours", letter.id);
  }
}

// What a bridge does until it is heard.
void Box::repeat_letters() {
  std::size_t sent = 0;
  for (std::size_t i = outside_.letters.size(); i-- > 0 && sent < 20;) {
    if (outside_.letters[i].taken || outside_.letters[i].on_its_way) continue;
    deliver(i);
    ++sent;
  }
}

// The newest replies come back, as bridges do it that listen to themselves.
void Box::echo(std::uint64_t dice) {
  if (outside_.brought.empty()) return;
  const std::size_t back = 1 + dice % std::min<std::size_t>(outside_.brought.size(), 5);
  outside_.counts.hit("bridge echoes");
  world_->loop().spawn("echo", echoed(outside_.brought[outside_.brought.size() - back]));
}

Task<void> Box::echoed(Brought brought) {
  const auto known = database_->read({"SELECT 1 FROM outbox WHERE outbox_id = $1 AND receipt = $2",
                                      {brought.id, brought.receipt}});
  if (!known || known->empty()) co_return;  // its receipt never came: nobody can know it as ours
  WhatsAppMessage message;
  message.from = message.sender_e164 = brought.peer;
  message.body = brought.text;
  message.account_id = "bridge";
  message.message_id = brought.receipt;
  const auto answer = co_await house_->door.receive(std::move(message));
  if (answer && !std::holds_alternative<WhatsAppIgnored>(*answer)) {
    outside_.broke("3: our own words are never taken for a person's",
                   fmt::format("{} to {}: {}", brought.receipt, brought.peer, brought.text));
  }
}

void Box::remove_conversation(int who) {
  const WorkspaceId workspace = workspace_of(who);
  const auto found = house_->kernel().find_conversation(workspace, key_of(who));
  if (!found) return;
  outside_.counts.hit("deletion asked for");
  for (Letter& letter : outside_.letters) {
    if (letter.who == who) letter.in_deleted = true;
  }
  for (Greeted& one : outside_.greeted) {
    if (one.who == who) one.in_deleted = true;
  }
  heard_.erase(who);
  world_->loop().spawn("delete", removing(workspace, key_of(who)));
}

Task<void> Box::removing(WorkspaceId workspace, std::string key) {
  const auto gone = co_await house_->removal.remove(std::move(workspace), std::move(key));
  if (!gone) co_return;
  outside_.counts.hit("conversation deleted");
  outside_.deleted.insert(gone->conversation.str());
}

void Box::clear(int who) {
  world_->loop().spawn("clear", clearing(workspace_of(who), key_of(who)));
}

Task<void> Box::clearing(WorkspaceId workspace, std::string key) {
  const auto cleared = co_await house_->runner().clear(std::move(workspace), std::move(key));
  if (cleared && cleared->closed) outside_.counts.hit("conversation cleared");
}

void Box::cancel_turns() {
  const auto rows = database_->read({"SELECT turn_id FROM turns WHERE state = 'running'", {}});
  if (!rows) return;
  for (const Row& row : *rows) {
    world_->loop().spawn("cancel", cancelling(*TurnId::parse(row.text(0))));
  }
}

Task<void> Box::cancelling(TurnId turn) {
  const auto cancelled = co_await house_->runner().cancel(std::move(turn));
  if (cancelled) outside_.counts.hit("turn called off");
}

void Box::decide(std::uint64_t dice) {
  const auto rows = database_->read(
      {"SELECT workspace_id, approval_id FROM approvals WHERE state = 'pending'", {}});
  if (!rows || rows->empty()) return;
  const Row& row = (*rows)[dice % rows->size()];
  world_->loop().spawn("decide", deciding(*WorkspaceId::parse(row.text(0)),
                                          *ApprovalId::parse(row.text(1)), dice % 3 != 0));
}

Task<void> Box::deciding(WorkspaceId workspace, ApprovalId id, bool yes) {
  const auto decided = co_await house_->approvals().decide(std::move(workspace), std::move(id),
                                                           {.approved = yes, .by = "web"});
  if (decided) outside_.counts.hit(yes ? "approved" : "denied");
}

Task<void> Box::beating(std::string name) {
  const auto beat = co_await house_->life.heartbeat.beat_now(Workspaces::default_id(), name);
  if (beat) outside_.counts.hit("beat by hand");
}

// --- jobs ----------------------------------------------------------------------------------------

std::optional<Job> Box::job_by(std::uint64_t dice) {
  const auto rows = database_->read(
      {"SELECT number FROM jobs WHERE state <> 'removed' AND kind <> 'system' ORDER BY number",
       {}});
  if (!rows || rows->empty()) return std::nullopt;
  auto job = house_->book().get((*rows)[dice % rows->size()].integer(0));
  if (!job) return std::nullopt;
  return *job;
}

Task<void> Box::making_job(JobWish wish) {
  const std::string key = *wish.key;
  const auto made = co_await house_->book().create(std::move(wish));
  if (!made) co_return;
  dues_.began(made->job.number, made->job.schedule, made->job.created);
  making_.erase(key);
  outside_.counts.hit("job made");
}

Task<void> Box::editing_job(Job job, JobEdit edit) {
  const Change change = *changing_;
  const auto edited = co_await house_->book().edit(job.workspace, job.id, std::move(edit), "api");
  if (edited) {
    dues_.changed(change.job, edited->schedule, change.from);
    outside_.counts.hit("job edited");
  }
  // What was refused by a disk that lives changed nothing, unless the disk lied about it.
  if (edited || (alive() && disk_trouble_ms_ < 0)) changing_.reset();
}

Task<void> Box::changing_job(Job job, Do what) {
  JobBook& book = house_->book();
  if (what == Do::kPauseJob) (void)co_await book.pause(job.workspace, job.id, "api", "enough");
  if (what == Do::kResumeJob) (void)co_await book.resume(job.workspace, job.id, "api");
  if (what == Do::kRemoveJob) (void)co_await book.remove(job.workspace, job.id, "api");
}

// What nobody was told the end of has happened, or it hasn't; from now on that is known.
void Box::settle_jobs_cut_off() {
  for (const auto& [key, schedule] : making_) {
    const auto found =
        database_->read({"SELECT number, created_ms FROM jobs WHERE made_key = $1", {key}});
    if (found && !found->empty()) {
      dues_.began(found->front().integer(0), schedule, {found->front().integer(1)});
    }
  }
  making_.clear();
  if (changing_) {
    const auto job = house_->book().get(changing_->job);
    if (job && job->schedule == changing_->schedule) {
      dues_.changed(changing_->job, changing_->schedule, changing_->from);
    }
  }
  changing_.reset();
}

}  // namespace rouse::sim
