// The checks of the torture tests see what they are for: a store in good order passes, and each wrong, made by hand, is found.
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { change, each_second, make, over } from "./automation_house.ts";
import { temp_dir } from "./server.ts";
import { House } from "./talk.ts";
import { Stored, at_rest, check_instants, check_numbers, check_promises, check_turns } from "./torture_ledger.ts";
import { Talkers, answer } from "./torture_talkers.ts";

test("every planted wrong is found", async () => {
  const house = await House.start({ model: "openai", script: () => ({ answer }) });
  const job = await make(house, { message: "plain 1 for the job", session_key: "websocket:job", schedule: each_second });
  const talkers = new Talkers(house);
  talkers.begin({ http: 2, streams: 1, sockets: 1, kernels: 1 });
  await talkers.more(20);
  await talkers.end();
  await over(house, job.id, 3);
  await change(house, job.id, "/pause");
  await at_rest(house, job.id);
  await house.close();
  const promises = [...talkers.promises.values()];

  // Everything that the checks object to.
  const wrongs = (data: string): string[] => {
    const stored = new Stored(data), found: string[] = [];
    const look = (name: string, check: () => boolean) => { try { if (!check()) found.push(name); } catch (problem) { assert.ok(problem instanceof assert.AssertionError, `${problem}`); found.push(name); } };
    look("numbers", () => (check_numbers(stored), true));
    look("turns", () => check_turns(stored).doubled === 0);
    look("promises", () => { const { lost, doubled } = check_promises(stored, promises); return lost.length + doubled.length === 0; });
    look("instants", () => check_instants(stored, job.id, each_second.every_ms).undecided === 0);
    stored.close();
    return found;
  };
  assert.deepEqual(wrongs(house.data), []);

  const http = promises.find((one) => one.who === "http0")!, kernel = promises.find((one) => one.who === "kernel0")!;
  const of_turn = `turn_id = '${http.turn_id}'`;
  const copy_of = (row: string) => `INSERT INTO messages (position, conversation_id, seq, session_id, turn_id, role, source, content, created_ms)
    SELECT (SELECT max(position) + 1 FROM messages), conversation_id, (SELECT max(seq) + 1 FROM messages AS others WHERE others.conversation_id = messages.conversation_id), session_id, turn_id, role, source, content, created_ms FROM messages WHERE ${row} LIMIT 1`;
  const planted: [name: string, sql: string, found_by: string][] = [
    ["an acknowledged message is gone from the transcript", `DELETE FROM messages WHERE ${of_turn} AND role = 'user'`, "promises"],
    ["an acknowledged message was never accepted", `DELETE FROM inbound WHERE message_id = '${http.id}'`, "promises"],
    ["a message of the kernel is gone", `DELETE FROM inbound WHERE message_id = '${kernel.id}'`, "promises"],
    ["a message stands twice", copy_of(`${of_turn} AND role = 'user'`), "promises"],
    ["an answer stands twice", copy_of(`${of_turn} AND role = 'assistant'`), "turns"],
    ["another answer than was told", `UPDATE messages SET content = '[{"type":"text","text":"no"}]' WHERE ${of_turn} AND role = 'assistant'`, "promises"],
    ["a gap in the transcript", `UPDATE messages SET seq = seq + 1000 WHERE seq = (SELECT max(seq) FROM messages AS all_of_them)`, "numbers"],
    ["a gap in the events", "DELETE FROM events WHERE seq = (SELECT max(seq) - 1 FROM events)", "numbers"],
    ["a turn that never ended", `UPDATE turns SET ended_ms = NULL WHERE ${of_turn}`, "turns"],
    ["an instant without a row", "DELETE FROM occurrences WHERE due_ms = (SELECT min(due_ms) + 1000 FROM occurrences WHERE state = 'ok')", "instants"],
    ["an instant that stays open", "UPDATE occurrences SET ended_ms = NULL WHERE due_ms = (SELECT min(due_ms) FROM occurrences WHERE state = 'ok')", "instants"],
    ["an instant that ran twice", "UPDATE runs SET due_ms = (SELECT min(due_ms) FROM runs)", "instants"],
  ];
  for (const [name, sql, found_by] of planted) {
    const data = temp_dir();
    copyFileSync(join(house.data, "rouse.db"), join(data, "rouse.db"));
    const db = new DatabaseSync(join(data, "rouse.db"));
    assert.ok(Number(db.prepare(sql).run().changes) > 0, `${name}: nothing was planted`);
    db.close();
    assert.ok(wrongs(data).includes(found_by), `${name}: not found`);
  }
});
