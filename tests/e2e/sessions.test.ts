// Sessions as bridges, scripts and people meet them: the kernel's API and every command about
// conversations, against a real server and a real store.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { DatabaseSync } from "node:sqlite";
import { Server, rouse, run, temp_dir } from "./server.ts";

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

async function resolve(server: Server, peer: string, text: string, more: object = {}) {
  const { status, body } = await server.json("/kernel/sessions/resolve",
    { workspace_id: "ws_default", remote_jid: peer, user_message: text, ...more });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}
async function answer(server: Server, session: string, asked: string, said: string, more: object = {}) {
  const { status, body } = await server.json(`/kernel/sessions/${session}`,
    { workspace_id: "ws_default", user_message: asked, assistant_response: said, ...more }, "PATCH");
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}
async function say(server: Server, peer: string, asked: string, said: string, more: object = {}) {
  const resolved = await resolve(server, peer, asked, more);
  await answer(server, resolved.session_id, asked, said, more);
  return resolved;
}

describe("sessions on the command line", () => {
  let server: Server, first: any, conversation: string;
  const cli = (...args: string[]) => run([...args, "--data", server.data]);
  const json = (...args: string[]) => {
    const { code, stdout, stderr } = cli(...args, "--json");
    assert.equal(code, 0, stderr);
    assert.equal(stdout.split("\n").length, 2, "one line");
    return JSON.parse(stdout);
  };
  before(async () => {
    server = await Server.start();
    assert.match(cli("sessions", "list").stdout, /^No sessions yet\./, "an empty house says so");
    first = await say(server, "+1555", "Please remind me of the dentist", "I noted the dentist.");
    await say(server, "+1555", "And buy oranges", "Oranges are on the list.");
    await say(server, "+1666", "Hello from somebody else", "Hello!");
    conversation = (await server.json(`/api/conversations/${first.session_id}`)).body.conversation_id;
  });
  after(() => server.stop());

  test("list shows who, how many turns and how long ago", () => {
    const { code, stdout } = cli("sessions", "list");
    assert.equal(code, 0);
    assert.match(stdout, /^ID +WHO +STATUS +TURNS +LAST MESSAGE$/m);
    assert.match(stdout, new RegExp(`^${first.session_id} +whatsapp:\\+1555 +active +2 +just now$`, "m"));
    const { sessions } = json("sessions", "list");
    assert.deepEqual(sessions.map((one: any) => one.remote_jid), ["+1666", "+1555"], "newest first");
    assert.match(sessions[0].last_message_at, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.equal(json("sessions", "list", "--workspace", "ws_default").sessions.length, 2);
  });

  test("list goes from page to page", () => {
    const one = cli("sessions", "list", "--limit", "1").stdout;
    assert.equal(one.split("\n").length, 4, "head, one session, and that there is more");
    assert.match(one, /There are more: rouse sessions list --all/);
    assert.equal(json("sessions", "list", "--limit", "1").sessions.length, 1);
    assert.equal(json("sessions", "list", "--all").sessions.length, 2);
    assert.equal(cli("sessions", "list", "--limit", "0").code, 2);
  });

  test("show finds it by session, conversation and key", () => {
    const shown = cli("sessions", "show", first.session_id).stdout;
    assert.match(shown, new RegExp(`^${first.session_id}  active\n  conversation  ${conversation}  Please remind me of the dentist$`, "m"));
    assert.match(shown, /^ {2}who +whatsapp:\+1555$/m);
    assert.match(shown, /user: Please remind me of the dentist\n.*assistant: I noted the dentist\.\n.*user: And buy oranges\n.*assistant: Oranges are on the list\.\n/);
    assert.equal(cli("sessions", "show", conversation).stdout, shown);
    assert.equal(cli("sessions", "show", "whatsapp:+1555").stdout, shown);
    const view = json("sessions", "show", "whatsapp:+1555");
    assert.equal(view.session.session_id, first.session_id);
    assert.equal(view.conversation.conversation_id, conversation);
    assert.deepEqual(view.messages.map((one: any) => one.seq), [4, 3, 2, 1]);
  });

  test("what others wrote can't steer the terminal", async () => {
    await say(server, "+1777", "look \u001b[2J\u001b]0;owned\u0007 here", "I see \u009b31m.");
    const { stdout } = cli("sessions", "show", "whatsapp:+1777");
    assert.ok(!/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(stdout), JSON.stringify(stdout));
    assert.match(stdout, /look \[2J\]0;owned here/);
  });

  test("search finds what was said, anywhere or in one conversation", async () => {
    const found = (...args: string[]) => {
      for (let i = 0; i < 1000; ++i) {  // asked until the index, which follows the turn within 2 s, has it
        const { items } = json("sessions", "search", ...args);
        if (items.length > 0) return items;
      }
      return [];
    };
    const items = found("oranges");
    assert.equal(items.length, 2);
    assert.equal(items[0].conversation_id, conversation);
    const hit = items[0], [start, length] = hit.matches[0];
    assert.equal([...hit.snippet].slice(start, start + length).join("").toLowerCase(), "oranges");
    const text = cli("sessions", "search", "oranges");
    assert.equal(text.code, 0);
    assert.match(text.stdout, new RegExp(`${conversation}  Please remind me.*\n  assistant: Oranges are on the list`));
    assert.ok(!text.stdout.includes("\u001b"), "colour only on a terminal");
    assert.equal(found("oranges", "--in", "whatsapp:+1555", "--limit", "1").length, 1);
    assert.deepEqual(json("sessions", "search", "oranges", "--in", "whatsapp:+1666").items, []);
    assert.equal(cli("sessions", "search", "zebra").stdout, 'Nothing found for "zebra".\n');
    assert.equal(cli("sessions", "search", "oranges", "--in", "whatsapp:+000").code, 1);
  });

  test("export writes a whole conversation to a file or to the screen", () => {
    const folder = temp_dir();
    const file = join(folder, "talk.jsonl");
    const saved = cli("sessions", "export", "whatsapp:+1555", "--output", file);
    assert.equal(saved.code, 0, saved.stderr);
    assert.match(saved.stdout, new RegExp(`^saved ${file} \\(${statSync(file).size} bytes\\)\n$`));
    assert.equal(mode(file), "600");
    const lines = readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line));
    assert.equal(lines[0].type, "conversation");
    assert.equal(lines.filter((line) => line.type === "message").length, 4);
    assert.equal(lines.at(-1).type, "end");
    assert.equal(cli("sessions", "export", first.session_id).stdout, readFileSync(file, "utf8"));
    const markdown = cli("sessions", "export", conversation, "--format", "markdown").stdout;
    assert.match(markdown, /Oranges are on the list\./);
    writeFileSync(file, "older");
    assert.equal(cli("sessions", "export", conversation, "--format", "markdown", "-o", file).code, 0);
    assert.equal(readFileSync(file, "utf8"), markdown);
    assert.deepEqual(readdirSync(folder), ["talk.jsonl"], "no half file is left");
    assert.equal(cli("sessions", "export", "whatsapp:+000", "-o", join(folder, "x")).code, 1);
    assert.equal(cli("sessions", "export", conversation, "-o", join(folder, "missing/x")).code, 1);
    assert.equal(cli("sessions", "export", conversation, "--format", "pdf").code, 2);
    assert.deepEqual(readdirSync(folder), ["talk.jsonl"]);
  });

  test("an export that breaks off is a failure, never half a file", async () => {
    const other = await Server.start();
    const talk = await resolve(other, "+1", "tell me everything");
    const long = "All of it. ".repeat(80_000);
    for (let i = 0; i < 30; ++i) await answer(other, talk.session_id, `part ${i}`, long);
    // Nobody reads its output, so it can't be done when the server dies.
    const half = spawn(rouse, ["sessions", "export", talk.session_id, "--data", other.data], { stdio: ["ignore", "pipe", "pipe"], env: { HOME: "/nonexistent" } });
    await once(half.stdout, "readable");
    await other.kill();
    let stderr = "";
    half.stderr.on("data", (chunk) => (stderr += chunk));
    half.stdout.resume();
    const [code] = await once(half, "close");
    assert.equal(code, 1, stderr);
    assert.match(stderr, /^rouse: the export broke off: /);
  });

  test("export of a workspace has every conversation", () => {
    const file = join(temp_dir(), "all.jsonl");
    assert.equal(cli("export", "--output", file).code, 0);
    const lines = readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line));
    const keys = lines.filter((line) => line.type === "conversation").map((line) => line.session_key);
    assert.ok(keys.includes("whatsapp:+1555") && keys.includes("whatsapp:+1666"));
    assert.equal(lines.at(-1).type, "end");
    assert.equal(cli("export", "--workspace", "ws_default").stdout, readFileSync(file, "utf8"));
    assert.match(cli("export", "--format", "markdown").stdout, /dentist/);
    assert.equal(cli("export", "--workspace", "ws_nobody").code, 1);
  });

  test("why tells the story of a session", () => {  // UX-1
    const { code, stdout } = cli("why", "session", "whatsapp:+1555");
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`^${first.session_id}  whatsapp:\\+1555  active\n\n`));
    assert.match(stdout, /Opened on \d+ \w{3} \d{4}, \d\d:\d\d UTC because it was the first message of this conversation\./);
    assert.match(stdout, /1 message continued it, after a pause of .* \(limit 30 min\)\./);
    assert.match(stdout, /2 turns were recorded/);
    assert.match(stdout, /Still active\. A message after .* opens a new session \(limit 30 min\)\./);
    const story = json("why", "session", first.session_id);
    assert.deepEqual(story.story.map((one: any) => one.what), ["opened", "continued", "turns", "active"]);
    assert.equal(story.session.session_id, first.session_id);
    assert.equal(story.conversation_id, conversation);
    assert.equal(story.story[0].facts.policy, "no_session");
    assert.deepEqual(json("why", "session", conversation).story[0], story.story[0]);
  });

  test("close ends a session, and why knows it", async () => {
    const talk = await say(server, "+1888", "hi", "hello");
    assert.equal(cli("sessions", "close", talk.session_id).stdout, `closed ${talk.session_id}; the next message opens a new session\n`);
    assert.deepEqual(json("sessions", "close", "whatsapp:+1888"), { ok: true, session_id: talk.session_id }, "twice is once");
    assert.match(cli("why", "session", talk.session_id).stdout, /Closed on .* by a request to close it\. The next message opens a new session\./);
    const next = await resolve(server, "+1888", "hi again");
    assert.equal(`${next.decision} ${next.reason}`, "new session_closed");
    assert.match(cli("why", "session", talk.session_id).stdout, new RegExp(`It went on in ${next.session_id}\\.`));
    assert.match(cli("why", "session", "whatsapp:+1888").stdout, new RegExp(`It follows ${talk.session_id}, which ended by a request to close it; its summary was carried over\\.`));
    const reset = await resolve(server, "+1888", "Start over, please!");
    assert.equal(`${reset.decision} ${reset.reason}`, "new explicit_reset");
    assert.match(cli("why", "session", "whatsapp:+1888").stdout, /because the message said "start over".*nothing was carried over\./);
  });

  test("what is not there is 1 and said plainly", () => {
    const missing: [string[], RegExp][] = [
      [["sessions", "show", "whatsapp:+000"], /^rouse: there is no conversation whatsapp:\+000/],
      [["sessions", "show", "sess_000"], /^rouse: there is no conversation sess_000/],
      [["sessions", "close", "sess_000"], /^rouse: there is no session sess_000/],
      [["why", "session", "sess_000"], /^rouse: there is no session sess_000; it takes sess_…, conv_… or a key like whatsapp:\+/],
      [["sessions", "list", "--workspace", "ws_nobody"], /^rouse: there is no workspace ws_nobody/],
      [["workspace", "delete", "ws_nobody", "--yes"], /^rouse: there is no workspace ws_nobody/],
      [["workspace", "delete", "nonsense", "--yes"], /is not a workspace id; they look like ws_/],
    ];
    for (const [args, message] of missing) {
      const { code, stdout, stderr } = cli(...args);
      assert.equal(code, 1, args.join(" "));
      assert.equal(stdout, "");
      assert.match(stderr, message);
    }
  });

  const calls = [["sessions", "list"], ["sessions", "show", "x:1"], ["sessions", "close", "sess_1"], ["sessions", "export", "x:1"],
    ["sessions", "search", "x"], ["why", "session", "x:1"], ["export"], ["workspace", "list"], ["workspace", "create"], ["workspace", "delete", "ws_1", "--yes"]];

  test("a server that is not there is 3, a wrong token is 4", () => {
    const empty = temp_dir();
    for (const args of calls) {
      const down = run([...args, "--data", empty]);
      assert.equal(down.code, 3, args.join(" "));
      assert.match(down.stderr, /rouse is not running for .*\. Start it with: rouse serve/);
      const wrong = run([...args, "--data", server.data], { env: { ROUSE_TOKEN: "not-the-right-token-at-all" } });
      assert.equal(wrong.code, 4, args.join(" "));
      assert.match(wrong.stderr, /doesn't accept the token from environment ROUSE_TOKEN/);
    }
  });

  test("every command explains itself with an example, and completion knows it", () => {
    for (const words of [["sessions"], ["why"], ["workspace"], ["sessions", "list"], ["sessions", "show"], ["sessions", "close"], ["sessions", "export"], ["sessions", "search"],
      ["why", "session"], ["export"], ["workspace", "list"], ["workspace", "create"], ["workspace", "delete"]]) {
      const help = run([...words, "--help"]);
      assert.equal(help.code, 0);
      assert.match(help.stdout, new RegExp(`Usage: rouse ${words.join(" ")}[\\s\\S]*Examples?:\n  rouse `), words.join(" "));
    }
    const script = run(["completion", "bash"]).stdout;
    for (const line of ["'rouse sessions') echo 'list show close export search", "'rouse why') echo 'session", "'rouse workspace') echo 'list create delete"]) {
      assert.ok(script.includes(line), line);
    }
    assert.equal(run(["sessions"]).code, 2);
    assert.equal(run(["sessions", "show"]).code, 2);
  });
});

describe("workspaces on the command line", () => {
  let server: Server;
  const cli = (...args: string[]) => run([...args, "--data", server.data]);
  before(async () => { server = await Server.start(); });
  after(() => server.stop());

  test("make one, see it, delete it with all that is in it", async () => {
    const made = cli("workspace", "create", "The office", "--type", "team");
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stdout, /^ws_\S+\n$/, "only the id on stdout");
    const id = made.stdout.trim();
    assert.match(cli("workspace", "list").stdout, new RegExp(`^${id} +team +The office`, "m"));
    const { items } = JSON.parse(cli("workspace", "list", "--json").stdout);
    assert.deepEqual(items.map((one: any) => one.workspace_id).sort(), [id, "ws_default"].sort());

    const talk = await resolve(server, "+1", "a secret of the office", { workspace_id: id });
    await answer(server, talk.session_id, "a secret of the office", "kept", { workspace_id: id });
    mkdirSync(join(server.data, "backups"), { recursive: true });
    assert.equal(cli("backup", join(server.data, "backups/before.db")).code, 0);

    const unasked = cli("workspace", "delete", id);
    assert.equal(unasked.code, 1);
    assert.match(unasked.stderr, /nothing was deleted\. To delete without a question: --yes/);
    assert.equal(JSON.parse(cli("workspace", "list", "--json").stdout).items.length, 2);

    const gone = cli("workspace", "delete", id, "--yes");
    assert.equal(gone.code, 0, gone.stderr);
    assert.match(gone.stdout, new RegExp(`^deleted ${id}\n  1 conversations\n  1 sessions\n  2 messages\n`));
    assert.match(gone.stdout, /^ {2}before\.db \(\d+ bytes\)$/m, "which backup still holds it");
    assert.equal(cli("workspace", "delete", id, "--yes").code, 1);
    assert.equal(cli("sessions", "list", "--workspace", id).code, 1);
    assert.equal((await server.json(`/kernel/sessions/${talk.session_id}`)).status, 404);

    const other = JSON.parse(cli("workspace", "create", "--json").stdout).workspace_id;
    const answered = JSON.parse(cli("workspace", "delete", other, "--yes", "--json").stdout);
    assert.equal(answered.ok, true);
    assert.notEqual(cli("workspace", "delete", "ws_default", "--yes").code, 0, "the owner's stays");
  });

  test("a user works in its own workspace and learns nothing of others", async () => {
    const id = cli("workspace", "create", "Ida").stdout.trim();
    const token = cli("token", "create", "ida", "--workspace", id).stdout.trim();
    const as_ida = (...args: string[]) => run([...args, "--data", server.data], { env: { ROUSE_TOKEN: token } });
    const mine = await resolve(server, "+7", "for the owner");
    await resolve(server, "+7", "for ida", { workspace_id: id });
    const { sessions } = JSON.parse(as_ida("sessions", "list", "--json").stdout);
    assert.deepEqual(sessions.map((one: any) => one.workspace_id), [id]);
    assert.equal(as_ida("why", "session", "whatsapp:+7").code, 0);
    assert.equal(as_ida("why", "session", mine.session_id).code, 1);
    assert.equal(as_ida("sessions", "list", "--workspace", "ws_default").code, 4);
    assert.equal(as_ida("workspace", "list").code, 4);
  });
});

describe("projects, agents and people", () => {
  test("projects of rouse.yaml are shown as such, live, and stand above saved ones", async () => {
    const data = temp_dir();
    const yaml = (path: string) => writeFileSync(join(data, "rouse.yaml"), `projects:\n  - {key: rouse, path: ${path}, alias: Rouse}\npeople:\n  "whatsapp:+1555": ws_default\n`);
    yaml("/src/rouse");
    const server = await Server.start({ data });
    const list = async () => (await server.json("/api/projects")).body.items;
    assert.deepEqual(await list(), [{ key: "rouse", alias: "Rouse", path: "/src/rouse", source: "config" }]);
    assert.equal((await server.json("/api/projects/rouse", { path: "/x" }, "PUT")).status, 409);
    assert.equal((await server.json("/api/projects/garden", { path: "/garden" }, "PUT")).status, 200);
    yaml("/elsewhere");
    await server.logged(/config\.reloaded changed=projects/);
    assert.deepEqual((await list()).map((one: any) => `${one.key} ${one.path} ${one.source}`), ["garden /garden api", "rouse /elsewhere config"]);
    assert.equal((await server.json("/api/agents/coder", { instructions: "Test first.", tools: '{"allow":[]}' }, "PUT")).status, 200);
    await server.kill();
    const again = await Server.start({ data });
    assert.equal((await again.json("/api/agents/coder")).body.tools, '{"allow":[]}');
    assert.equal((await again.json("/api/projects/garden")).body.path, "/garden");
    await again.stop();
  });
});

describe("the kernel's promises", () => {
  test("fifty messages of one sender at the same instant are one session, opened once", async () => {  // SE-8
    const server = await Server.start();
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => resolve(server, "+42", `message ${i}`, { message_id: `m${i}` })));
    assert.equal(new Set(answers.map((one) => one.session_id)).size, 1);
    assert.equal(answers.filter((one) => one.decision === "new").length, 1);
    const again = await Promise.all(Array.from({ length: 50 }, (_, i) => resolve(server, "+42", `message ${i}`, { message_id: `m${i}` })));
    assert.deepEqual(again.map((one) => `${one.session_id} ${one.decision} ${one.reason}`), answers.map((one) => `${one.session_id} ${one.decision} ${one.reason}`));
    await server.stop();
  });

  test("killed right after the answer: the session goes on, a redelivery gets the same answer", async () => {  // SE-5, SE-11
    const data = temp_dir();
    for (let life = 0; life < 5; ++life) {
      let server = await Server.start({ data });
      const said = await resolve(server, `+${life}`, "hello", { message_id: "m1" });
      await server.kill();
      server = await Server.start({ data });
      const redelivered = await resolve(server, `+${life}`, "hello", { message_id: "m1" });
      assert.deepEqual({ ...redelivered, session: 0 }, { ...said, session: 0 });
      const next = await resolve(server, `+${life}`, "are you there?", { message_id: "m2" });
      assert.equal(`${next.session_id} ${next.decision} ${next.reason}`, `${said.session_id} continue within_timeout`);
      await answer(server, said.session_id, "are you there?", "yes", { message_id: "m2" });
      await server.kill();
      server = await Server.start({ data });
      await answer(server, said.session_id, "are you there?", "yes", { message_id: "m2" });
      assert.equal((await server.json(`/kernel/sessions/${said.session_id}`)).body.session.turn_count, 1, "a retried PATCH counts once");
      await server.kill();
    }
  });

  test("selects over the seed's nine columns and its index work on our database file", async () => {  // S1-23, S1-24
    const data = temp_dir();
    const server = await Server.start({ data });
    const talk = await say(server, "+9", "hello", "hi");
    await say(server, "+10", "hello", "hi");
    await server.stop();
    const file = readdirSync(data).find((name) => name.endsWith(".db"))!;
    const store = new DatabaseSync(join(data, file), { readOnly: true });
    const where = "WHERE workspace_id = ? AND channel = ? AND remote_jid = ? AND status = 'active' ORDER BY last_message_at DESC LIMIT 1";
    const columns = "session_id, workspace_id, channel, remote_jid, status, turn_count, context_summary, created_at, last_message_at";
    const row: any = store.prepare(`SELECT ${columns} FROM sessions ${where}`).get("ws_default", "whatsapp", "+9");
    assert.equal(row.session_id, talk.session_id);
    assert.equal(row.turn_count, 1);
    assert.equal(row.status, "active");
    assert.match(row.context_summary, /^GOAL: /);
    for (const time of [row.created_at, row.last_message_at]) assert.equal(new Date(time).toISOString(), time, "ISO text");
    const first = store.prepare("SELECT name FROM pragma_table_info('sessions') ORDER BY cid LIMIT 9").all().map((one: any) => one.name);
    assert.equal(first.join(", "), columns, "the seed's columns come first, in its order");
    const plan = store.prepare(`EXPLAIN QUERY PLAN SELECT * FROM sessions ${where}`).all("ws_default", "whatsapp", "+9").map((one: any) => one.detail).join("; ");
    assert.match(plan, /USING INDEX idx_sessions_lookup \(workspace_id=\? AND channel=\? AND remote_jid=\? AND status=\?\)/);
    store.close();
    assert.ok(existsSync(join(data, file)));
  });
});
