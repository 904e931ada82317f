// A Model that does not give up at the first fault: it tries a provider again when another try can
// help, and goes on to the next provider when it can't. How long it waits depends on the cause, and
// everything happens within the deadline of the request.
//
// - Tried again, `retries` times a provider: rate limits (after the pause that the provider asks
//   for), overload, faults of the server, a server that can't be reached or stays silent, a broken
//   answer. Pauses start at half a second, double, are jittered, and end at 30 s.
// - Not tried again, but asked of the next provider: a refused key, no credit, a refused request.
// - Neither: a prompt that is too large (the caller must shorten it), a cancelled call.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "model/call_slots.h"
#include "model/provider.h"

namespace rouse {

// A provider as the chains of a book share it: calls at a time are counted over all of them.
struct ProviderSeat {
  ProviderSeat(std::unique_ptr<Provider> who, std::int64_t concurrency, std::int64_t tries_more)
      : provider(std::move(who)), slots(concurrency), retries(tries_more) {}
  std::unique_ptr<Provider> provider;
  CallSlots slots;
  std::int64_t retries;
};

class ModelChain final : public Model {
 public:
  // At least one seat; the first is what info() tells about.
  ModelChain(std::vector<std::shared_ptr<ProviderSeat>> seats, Clock& clock, Random& random)
      : seats_(std::move(seats)), clock_(clock), random_(random) {}

  [[nodiscard]] const ModelInfo& info() const override { return seats_.front()->provider->info(); }
  Task<Result<ModelAnswer>> answer(const ModelRequest& request, ModelStream& stream,
                                   std::stop_token stop) override;

 private:
  struct Call;
  Task<TryResult> ask(ProviderSeat& seat, Call& call, bool others_follow);
  Task<TryResult> try_once(ProviderSeat& seat, Call& call);
  // How long to wait before the next try, or why there is none.
  std::expected<Millis, TryFailure> pause_after(TryFailure failure, std::int64_t tries,
                                                const Call& call, bool others_follow);
  Millis backoff(std::int64_t tries);

  std::vector<std::shared_ptr<ProviderSeat>> seats_;
  Clock& clock_;
  Random& random_;
};

}  // namespace rouse
