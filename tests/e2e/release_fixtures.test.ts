// A data folder that an earlier release wrote is opened by this one: everything in it is there, as that release told it, and
// life goes on in it. tests/fixtures/write_release.ts writes a new one.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inside, releases, unpack } from "../fixtures/release_inside.ts";
import { Server, run, temp_dir } from "./server.ts";
import { Stored, check_file, check_numbers, check_turns } from "./torture_ledger.ts";

const written = readdirSync(releases).sort();
assert.ok(written.length > 0, "there is a fixture");

for (const release of written) {
  test(`a folder of ${release}: nothing is lost, and it goes on`, async () => {
    const data = temp_dir(), folder = join(releases, release);
    unpack(folder, data);
    const expected = JSON.parse(readFileSync(join(folder, "inside.json"), "utf8"));
    const first = await Server.start({ data, env: { BRIDGE_SECRET: "a-secret-for-the-bridge-1234567890" } });
    const seen = await inside(first);
    for (const part of Object.keys(expected)) assert.deepEqual(seen[part], expected[part], part);

    // What was said before is known, found, and answered once.
    const asked = await first.json("/api/chat", { session_id: "kitchen", message: "what is my name?" });
    assert.match(asked.body.response, /Ada/);
    assert.match(JSON.stringify((await first.json("/api/search?q=Lovelace")).body), /my name is Lovelace/);
    const again = await first.json("/kernel/sessions/resolve", { workspace_id: "ws_default", channel: "telegram", remote_jid: "42", user_message: "what is the capital of France?", message_id: "t1" });
    assert.equal(again.status, 200);
    assert.ok(expected.sessions.some((one: any) => one.session_id === again.body.session_id), "a redelivery gets the first answer");
    assert.equal(await first.stop(), 0);

    const second = await Server.start({ data, env: { BRIDGE_SECRET: "a-secret-for-the-bridge-1234567890" } });
    const later = await inside(second);
    for (const part of ["automations", "memory", "tasks", "approvals", "workspaces"]) assert.deepEqual(later[part], expected[part], part);
    assert.equal(await second.stop(), 0);
    assert.equal(run(["doctor", "--data", data]).code, 0);
    const stored = new Stored(data);
    check_file(stored);
    check_numbers(stored);
    assert.equal(check_turns(stored).doubled, 0);
    stored.close();
  });
}
