// Conversations with messages in a real store on the simulator's disk, put there by plain INSERTs,
// and the index and search over them. Deleting is done as the conversation kernel does it: forget()
// and DELETE in one write, a page at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "session/content.h"
#include "session/search/message_index.h"
#include "session/search/message_search.h"
#include "store/sqlite/sqlite_text_index.h"
#include "tests/sim/world.h"

namespace rouse {

struct SearchWorld {
  explicit SearchWorld(std::uint64_t seed = 1, sqlite::FaultDisk* disk = nullptr)
      : world(seed, disk) {}

  // False if the disk is dead.
  bool open() {
    auto opened = world.open_store();
    if (!opened) return false;
    db = *opened;
    indexer = std::make_unique<MessageIndexer>(*db, text_index, world.clock(), world.loop());
    const auto rows = db->read({"SELECT COALESCE(MAX(position), 0) FROM messages", {}});
    position = rows ? rows->front().integer(0) : 0;
    return true;
  }
  void close() {
    indexer->stop();
    world.close_store();
    indexer.reset();
  }

  static Statement appending(std::int64_t at, const std::string& conversation,
                             const Content& content) {
    return {
        "INSERT INTO messages (position, conversation_id, seq, session_id, role, source, "
        "content, created_ms) VALUES ($1, $2, $1, 'sess_1', 'user', 'web', $3, $1)",
        {at, conversation, encode_content(content)},
        1};
  }
  static Statement starting(const std::string& conversation, const std::string& workspace) {
    return {
        "INSERT INTO conversations (conversation_id, workspace_id, session_key, title, "
        "last_active_ms, created_ms) VALUES ($1, $2, $1, '', 1, 1) ON CONFLICT DO NOTHING",
        {conversation, workspace},
        {}};
  }

  // The seq of a message is its position. False if the disk died.
  bool say(const std::string& text, const std::string& conversation = "conv_a",
           const std::string& workspace = "ws_a") {
    return say(text_content(text, kFromOwner), conversation, workspace);
  }
  bool say(const Content& content, const std::string& conversation, const std::string& workspace) {
    Write write;
    write.statements.push_back(starting(conversation, workspace));
    write.statements.push_back(appending(++position, conversation, content));
    const bool written = world.run(db->write(std::move(write))).has_value();
    if (written) tell(content, conversation, workspace);
    return written;
  }
  // That the newest message was added.
  void tell(const Content& content, const std::string& conversation, const std::string& workspace) {
    if (!hands_over) return indexer->messages_were_added();
    Message said;
    said.position = position;
    said.conversation = *ConversationId::parse(conversation);
    said.content = content;
    indexer->messages_were_added(*WorkspaceId::parse(workspace),
                                 {std::make_shared<Message>(std::move(said))});
  }

  Write deleting(const std::string& conversation, std::int64_t first, std::int64_t last) {
    Write write;
    write.statements = indexer->forget(*ConversationId::parse(conversation), first, last);
    write.statements.push_back(
        {"DELETE FROM messages WHERE conversation_id = $1 AND seq BETWEEN $2 AND $3",
         {conversation, first, last},
         {}});
    return write;
  }
  bool forget(const std::string& conversation, std::int64_t first, std::int64_t last) {
    return world.run(db->write(deleting(conversation, first, last))).has_value();
  }

  bool catch_up() { return world.run(indexer->catch_up()).has_value(); }

  Result<SearchPage> search(SearchQuery query) {
    return world.run(MessageSearch(*db, text_index).search(std::move(query)));
  }
  static SearchQuery query(std::string text, const std::string& workspace = "ws_a") {
    return {.workspace = *WorkspaceId::parse(workspace),
            .text = std::move(text),
            .conversation = {},
            .cursor = {}};
  }
  // The seqs of all hits, page after page.
  std::vector<std::int64_t> find(std::string text, const std::string& workspace = "ws_a") {
    return find_all(query(std::move(text), workspace));
  }
  std::vector<std::int64_t> find_all(SearchQuery asked) {
    std::vector<std::int64_t> seqs;
    while (true) {
      auto page = search(asked);
      EXPECT_TRUE(page) << page.error();
      if (!page) return seqs;
      for (const auto& hit : page->hits) seqs.push_back(hit.seq);
      if (!page->next_cursor) return seqs;
      asked.cursor = page->next_cursor;
    }
  }

  // Every document of the index by its position, whatever is said about it elsewhere.
  std::vector<std::int64_t> documents() {
    const auto rows = db->read({"SELECT rowid FROM message_text ORDER BY rowid", {}, 100'000});
    EXPECT_TRUE(rows) << rows.error();
    std::vector<std::int64_t> out;
    for (const Row& row : *rows) out.push_back(row.integer(0));
    return out;
  }
  std::int64_t cursor() {
    return db->read({"SELECT position FROM index_cursors", {}})->front().integer(0);
  }

  sim::World world;
  SqliteTextIndex text_index;
  Database* db = nullptr;
  std::unique_ptr<MessageIndexer> indexer;
  std::int64_t position = 0;
  bool hands_over = true;  // the messages that were added, as the kernel does
};

}  // namespace rouse
