#include "app/agent_side.h"

#include "app/system_zone.h"

namespace rouse {
namespace {

RunnerOptions runner_options(const Config& config) {
  RunnerOptions out;
  out.deadline = seconds(config.turns.deadline_seconds);
  out.inactive = seconds(config.turns.stall_seconds);
  out.loop.model_calls = config.turns.max_model_calls;
  out.join_running = config.turns.join_running;
  return out;
}

}  // namespace

AgentSide::AgentSide(Parts parts, ClientOptions client)
    : parts_(std::move(parts)),
      http_(make_http_client(parts_.loop, client)),
      files_(parts_.data_dir, parts_.clock),
      prompt_(files_),
      house_({parts_.loop, parts_.clock, parts_.database, parts_.kernel, parts_.workspaces,
              parts_.agents, parts_.blobs, parts_.summariser, prompt_, parts_.log, parts_.random},
             std::make_shared<ModelBook>(model_settings_, *http_, parts_.clock, parts_.random,
                                         &parts_.redactor)),
      tools_({parts_.loop, parts_.clock, parts_.random, parts_.database, parts_.kernel,
              parts_.workspaces, parts_.projects, parts_.text_index, parts_.word_index, parts_.pool,
              parts_.log, parts_.redactor, parts_.data_dir},
             house_, files_, std::move(client)),
      meter_(house_.spend(), parts_.database),
      cheap_([this] { return house_.models()->cheap(); }, parts_.clock, &meter_),
      main_([this] { return house_.models()->main(); }, parts_.clock, &meter_),
      prompt_desk_(house_.prompts(), house_.ledger(), house_.tools()),
      outbox_(parts_.database, parts_.clock),
      deliveries_(parts_.database),
      whatsapp_sender_(*http_),
      outbox_sender_(outbox_, deliveries_, parts_.clock, parts_.loop, parts_.log),
      reply_router_(house_.ledger(), parts_.clock, parts_.random),
      whatsapp_door_(house_.runner(), parts_.kernel, parts_.people, outbox_, parts_.clock,
                     parts_.loop, parts_.log),
      chat_door_(parts_.kernel, parts_.agents, parts_.blobs, house_.prompts(), house_.runner()),
      chat_routes_(chat_door_, house_.runner(), house_.ledger(), house_.stage(), parts_.kernel,
                   parts_.workspaces, parts_.clock),
      prompt_routes_(prompt_desk_, parts_.kernel, parts_.workspaces),
      usage_routes_(house_.spend(), parts_.kernel, parts_.workspaces, parts_.clock,
                    [this](const Workspace& workspace) { return zone_of(workspace); }),
      delivery_routes_(deliveries_, parts_.workspaces),
      whatsapp_routes_(whatsapp_door_) {
  whatsapp_door_.use_approvals(&house_.approvals());
  chat_door_.use_compaction(&tools_.compaction());
  chat_door_.use_approvals(&house_.approvals());
  whatsapp_sender_.redact_with(&parts_.redactor);
  outbox_sender_.add(whatsapp_sender_);
  outbox_.record_events(&house_.events());
  outbox_sender_.on_change([this](const Delivery& delivery) {
    if (delivery.receipt) whatsapp_door_.note_sent(*delivery.receipt);  // SE-12
  });
  house_.events().on_prune([this](WorkspaceId workspace) {
    parts_.loop.spawn("prune events", prune_events(std::move(workspace)));
  });
  reply_router_.on_ask(
      [this](std::string_view channel) { return whatsapp_sender_.serves(channel); });
  reply_router_.on_committed([this] { outbox_sender_.nudge(); });
  house_.runner().add_participant(reply_router_);
}

OneShot* AgentSide::one_shot(std::string_view role) {
  CheapModel* const model = role == "cheap" ? &cheap_ : role == "main" ? &main_ : nullptr;
  return model != nullptr && model->available() ? model : nullptr;
}

std::string AgentSide::zone_of(const Workspace& workspace) const {
  return workspace.timezone.value_or(default_zone_);
}

Task<void> AgentSide::prune_events(WorkspaceId workspace) {
  while (true) {
    const auto gone = co_await house_.events().prune(workspace);
    if (!gone || *gone == 0) co_return;
  }
}

Task<Result<void>> AgentSide::recover() {
  CO_TRY_VOID(whatsapp_door_.load());
  co_return co_await house_.recover();
}

Task<Result<void>> AgentSide::start() {
  const auto sending = co_await outbox_sender_.start();
  CO_TRY_VOID(co_await tools_.start());
  CO_TRY_VOID(co_await house_.runner().resume_waiting());
  co_return sending;
}

Task<void> AgentSide::stop(Millis deadline) {
  whatsapp_door_.stop();
  tools_.stop();
  co_await house_.runner().stop(deadline);
  co_await tools_.close();
  cheap_.stop();
  main_.stop();
  co_await outbox_sender_.stop(seconds(2));
}

void AgentSide::apply(const Config& config, const ModelSetup& models,
                      const BridgeSecrets& secrets) {
  default_zone_ = config.timezone.empty() ? system_zone() : config.timezone;
  if (models.settings != model_settings_) {
    model_settings_ = models.settings;
    house_.use_models(std::make_shared<ModelBook>(model_settings_, *http_, parts_.clock,
                                                  parts_.random, &parts_.redactor));
  }
  parts_.summariser.use_model(one_shot());
  parts_.drift.use_model(one_shot());
  house_.runner().configure(runner_options(config));
  house_.prompts().configure({.messages = static_cast<std::size_t>(config.history.messages),
                              .tokens = config.history.tokens},
                             default_zone_);
  tools_.apply(config, secrets.mcp.servers);
  house_.spend().configure(spend_caps(config));
  const auto& whatsapp = config.bridges.whatsapp;
  whatsapp_sender_.configure(
      {.send_url = whatsapp.send_url, .secret = secrets.whatsapp.value_or("")});
  whatsapp_door_.configure({.allow = whatsapp.allow, .reply_wait = millis(whatsapp.reply_wait_ms)});
}

void AgentSide::add_routes(RouteTable& table) {
  chat_routes_.add_to(table);
  prompt_routes_.add_to(table);
  usage_routes_.add_to(table);
  delivery_routes_.add_to(table);
  whatsapp_routes_.add_to(table);
  tools_.add_routes(table);
}

LiveParts AgentSide::live_parts() {
  return {.runner = &house_.runner(),
          .stage = &house_.stage(),
          .events = &house_.events(),
          .kernel = &parts_.kernel,
          .ledger = &house_.ledger(),
          .door = &chat_door_,
          .clock = &parts_.clock,
          .loop = &parts_.loop};
}

std::shared_ptr<Model> AgentSide::model_of(ModelSettings one) {
  return ModelBook({{"main", std::move(one)}}, *http_, parts_.clock, parts_.random,
                   &parts_.redactor)
      .main();
}

}  // namespace rouse
