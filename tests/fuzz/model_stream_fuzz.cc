// Arbitrary bytes as the answer of a model, in both wire formats. Beside not crashing: what is read
// in one piece is what is read byte by byte, what is streamed is UTF-8 and is what the answer says,
// and an answer is whole: calls have names, ids of their own and a JSON object for arguments.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/random.h"
#include "base/text.h"
#include "model/anthropic/anthropic_format.h"
#include "model/openai/openai_format.h"
#include "model/wire_error.h"

namespace rouse {
namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

class KeptStream final : public ModelStream {
 public:
  std::vector<std::string> blocks;
  void text(std::size_t block, std::string_view delta) override {
    demand(is_utf8(delta) && !delta.empty());
    demand(block <= blocks.size() + 64);
    if (blocks.size() <= block) blocks.resize(block + 1);
    blocks[block] += delta;
  }
  void again() override { std::abort(); }  // only a chain says this
};

using MakeReader = std::unique_ptr<AnswerReader> (*)(ModelStream& stream, Random& random);

void check_whole(const ModelAnswer& answer, const KeptStream& heard) {
  std::set<std::string> ids;
  for (std::size_t i = 0; i < answer.blocks.size(); ++i) {
    const PromptBlock& block = answer.blocks[i];
    if (block.kind == BlockKind::kText) {
      demand(i < heard.blocks.size() && heard.blocks[i] == block.text);
      continue;
    }
    demand(!block.tool.empty() && is_utf8(block.tool));
    demand(!block.call_id.empty() && ids.insert(block.call_id).second);
    const auto arguments = parse_json(block.arguments, 64);
    demand(arguments && arguments->is_object());
  }
  demand(answer.usage.in >= 0 && answer.usage.out >= 0 && answer.usage.cache_read >= 0);
}

struct Outcome {
  std::vector<PromptBlock> blocks;
  std::string error;
  bool operator==(const Outcome&) const = default;
};

Outcome read_answer(MakeReader make, std::string_view bytes, std::size_t step) {
  SeededRandom random(1);
  KeptStream heard;
  const auto reader = make(heard, random);
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    if (auto fed = reader->feed(bytes.substr(at, step)); !fed) {
      demand(is_utf8(fed.error().message));
      return {{}, fed.error().message};
    }
  }
  TryResult answer = reader->finish();
  if (!answer) {
    demand(is_utf8(answer.error().error.message));
    return {{}, answer.error().error.message};
  }
  check_whole(*answer, heard);
  return {answer->blocks, {}};
}

}  // namespace
}  // namespace rouse

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const auto make : {rouse::make_anthropic_reader, rouse::make_openai_reader}) {
    const auto whole = rouse::read_answer(make, bytes, size == 0 ? 1 : size);
    rouse::demand(rouse::read_answer(make, bytes, 1) == whole);
  }
  rouse::demand(rouse::is_utf8(rouse::to_error(400, rouse::read_wire_error(bytes)).message));
  return 0;
}
