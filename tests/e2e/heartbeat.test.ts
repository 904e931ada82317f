// The heartbeat with the real binary: the loop of work, punchline, beat, wake and log; a beat that is useful without a
// model; files that are edited while it runs; and what a person sees of it at the command line.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { think } from "../models/brain.ts";
import { call, say, type Answer, type Prompt } from "../models/fault_server.ts";
import { all, get, make, over, soon, until } from "./automation_house.ts";
import { rouse, temp_dir } from "./server.ts";
import { House, text_of } from "./talk.ts";

const settings_of = (house: House): string => join(house.data, "heartbeat.json");
const orders_of = (house: House): string => join(house.data, "heartbeat-prompt.md");
const whole_day = { active_hours: null, quiet_after_message_minutes: 0 };

const heartbeat = (house: House): Promise<any> => get(house, "/api/heartbeat");
async function beat(house: House, body: object = {}): Promise<any> {
  const answer = await house.server.json("/api/heartbeat/run", body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}
const activity = (house: House, query = ""): Promise<any[]> => all(house, `/api/activity${query}`);
const notifications = (house: House): Promise<any[]> => all(house, "/api/notifications");

// A heartbeat.json as a person would write it, and the moment it holds.
async function settle(house: House, settings: object, holds: (one: any) => boolean): Promise<any> {
  writeFileSync(settings_of(house), JSON.stringify(settings, null, 2));
  return until("heartbeat.json holds", async () => {
    const view = await heartbeat(house);
    return !view.problem && view.heartbeats.some(holds) && view;
  });
}

// The question of a beat, which offers one form and nothing else; undefined for any other request.
const is_beat = (prompt: Prompt): boolean => prompt.tools.length === 1 && prompt.tools[0] === "report";
const question_of = (prompt: Prompt): string => prompt.turns.map((turn) => turn.text).join("\n");
const report = (verdict: string, text = ""): Answer => call(["report", { verdict, text }]);

test("the loop: work, its punchline, a beat that notices, a woken conversation, and the next beat knows", async () => {  // S2-29 to S2-31, S2-43, S2-46, HB-3
  const verdicts = [report("wake", "The draft to Henrik is written and was never sent. Send it."), report("nothing")];
  const asked: string[] = [];
  const house = await House.start({
    model: "openai", config: { activity: { idle_seconds: 1 } },
    script: () => ({
      answer: (prompt) => {
        if (!is_beat(prompt)) return think(prompt);
        asked.push(question_of(prompt));
        return verdicts.shift() ?? say("HEARTBEAT_OK");
      },
    }),
  });
  writeFileSync(orders_of(house), "Check if any drafted emails haven't been sent.\n");
  await settle(house, { ...whole_day, model: "main", conversation: "websocket:work" }, (one) => one.conversation === "websocket:work");

  await house.chat("websocket:work", "I wrote the draft to Henrik");
  const worked = await until("the punchline", async () => (await activity(house, "?type=message"))[0]);
  assert.match(worked.summary, /draft to Henrik/);

  const woke = await beat(house);
  assert.equal(`${woke.verdict} ${woke.calls} ${woke.skipped}`, "wake 1 false", JSON.stringify(woke));
  assert.match(woke.text, /never sent/);
  assert.ok(asked[0]!.includes(worked.summary), "it reads what happened today");
  assert.match(asked[0]!, /drafted emails/);
  const messages = await until("the woken turn is over", async () => {
    const found = await house.messages("websocket:work");
    return found.length === 4 && found;
  });
  assert.deepEqual(messages.map((one) => one.role), ["user", "assistant", "user", "assistant"]);
  assert.match(text_of(messages[2]), /never sent\. Send it\./);
  assert.ok(!text_of(messages[2]).includes("report"));
  const turn = (await house.turns()).find((one) => one.turn_id === woke.turn_id);
  assert.equal(turn.kind, "heartbeat_wake");

  // The beat is a row, and so is the work it led to.
  const rows = await until("the woken work is logged", async () => {
    const found = await activity(house, "?type=heartbeat");
    return found.length === 2 && found;
  });
  assert.ok(rows.some((row) => /never sent/.test(row.summary)));
  const before = await house.messages("websocket:work");
  const quiet = await beat(house);
  assert.equal(quiet.verdict, "nothing", JSON.stringify(quiet));
  assert.equal(quiet.text, "checked, nothing to report");
  assert.match(asked[1]!, /never sent/, "the next beat knows");
  // A quiet beat is a row and nothing else.
  assert.deepEqual(await house.messages("websocket:work"), before);
  assert.equal((await activity(house, "?type=heartbeat")).filter((row) => row.summary === "checked, nothing to report").length, 1);
  assert.deepEqual(await notifications(house), []);

  // Tokens in any clothes are never shown to anybody.
  const last = await beat(house);
  assert.ok(["nothing", ""].includes(last.verdict), JSON.stringify(last));
  const told = JSON.stringify([await activity(house), await house.messages("websocket:work"), await notifications(house)]);
  assert.ok(!/HEARTBEAT_OK|NO_REPLY/i.test(told));
  const view = (await heartbeat(house)).heartbeats[0];
  assert.ok(view.today.beats >= 2 && view.today.calls >= 2 && view.today.tokens_in > 0, JSON.stringify(view.today));
  await house.close();
});

test("without a model a beat finds what failed and says so once", async () => {  // HB-4, HB-14
  const house = await House.start({ model: "openai", script: ({ text }) => (/\\nAutomation: /.test(text) ? { fail: "no_such_model" } : {}) });
  await settle(house, { ...whole_day, interval_minutes: 60 }, (one) => one.interval_minutes === 60);
  const job = await make(house, { name: "backup", message: "Back it up", session_key: "websocket:ops", schedule: soon() });
  const run = await over(house, job.id);
  assert.notEqual(run.status, "ok");
  const found = await beat(house);
  assert.equal(`${found.verdict} ${found.calls}`, "notify 0", JSON.stringify(found));
  assert.match(found.text, /backup/);
  const told = (await notifications(house)).find((one) => one.kind === "heartbeat");
  assert.match(told.text, /backup/);
  const again = await beat(house);
  assert.equal(`${again.verdict} ${again.outcome}`, "nothing silent_dedup", JSON.stringify(again));
  assert.equal((await notifications(house)).filter((one) => one.kind === "heartbeat").length, 1);
  await house.close();
});

test("heartbeat.json is edited live; a broken edit keeps the last good one, and health says so", async () => {  // HB-6, S2-20, S2-28
  const house = await House.start();
  const [usual] = (await heartbeat(house)).heartbeats;
  assert.equal(`${usual.enabled} ${usual.interval_minutes} ${usual.active_hours}`, "true 30 07:00-23:00");
  assert.match(usual.words, /30 minutes between 07:00 and 23:00/);
  assert.ok(usual.next_run_at);
  assert.ok(usual.orders.length > 0 && usual.orders.every((one: any) => one.kind !== "always"), "an idle day costs nothing");
  assert.ok(!existsSync(settings_of(house)), "rouse writes into no file of a person's");

  const text = JSON.stringify({ interval_minutes: 45, nextRunAt: "2020-01-01T00:00:00Z" });
  writeFileSync(settings_of(house), text);
  await until("the new interval", async () => (await heartbeat(house)).heartbeats[0].interval_minutes === 45);
  writeFileSync(settings_of(house), '{"interval_minutes": 45,\n "enabledd": false}');
  const broken = await until("the problem", async () => {
    const view = await heartbeat(house);
    return view.problem && view;
  });
  assert.match(broken.problem, /enabledd.*enabled/);
  assert.equal(broken.heartbeats[0].interval_minutes, 45);
  await until("health says so", async () => /enabledd/.test(JSON.stringify(await get(house, "/api/health"))));
  await house.restart();
  await until("the problem after a start", async () => /enabledd/.test((await heartbeat(house)).problem));

  writeFileSync(settings_of(house), '{"enabled": false}');
  await until("it is off", async () => {
    const view = await heartbeat(house);
    return !view.problem && !view.heartbeats[0].enabled && view.heartbeats[0].next_run_at === null;
  });
  await until("health is well again", async () => !/enabledd/.test(JSON.stringify(await get(house, "/api/health"))));
  await house.close();
});

test("the API saves both files, whole and only over what was read", async () => {  // rule 9
  const house = await House.start();
  const put = (path: string, body: object) => house.server.json(path, body, "PUT");
  const [settings, orders] = (await heartbeat(house)).files;
  assert.deepEqual([settings.name, settings.exists, orders.name, orders.exists], ["heartbeat.json", false, "heartbeat-prompt.md", false]);
  const text = '{\n  "interval_minutes": 20\n}\n';
  const saved = await put("/api/heartbeat", { text, if_match: settings.etag });
  assert.equal(saved.status, 200, JSON.stringify(saved.body));
  assert.equal(saved.body.heartbeats[0].interval_minutes, 20);
  assert.equal(readFileSync(settings_of(house), "utf8"), text);
  const stale = await put("/api/heartbeat", { text: "{}", if_match: settings.etag });
  assert.equal(stale.status, 409, JSON.stringify(stale.body));
  const wrong = await put("/api/heartbeat", { text: '{\n"interval_minutes": }', if_match: saved.body.files[0].etag });
  assert.equal(wrong.status, 400);
  assert.match(wrong.body.message, /heartbeat\.json.*line 2/);
  assert.equal(readFileSync(settings_of(house), "utf8"), text);
  const wish = "- check: failed_runs\n- Look for a meeting in the next 30 minutes\n";
  const written = await put("/api/heartbeat/orders", { text: wish, if_match: orders.etag });
  assert.equal(written.status, 200, JSON.stringify(written.body));
  assert.deepEqual(written.body.heartbeats[0].orders.map((one: any) => one.kind), ["check", "always"]);
  const unknown = await put("/api/heartbeat/orders", { text: "- check: failed_rums\n", if_match: written.body.files[1].etag });
  assert.equal(unknown.status, 400);
  assert.match(unknown.body.message, /failed_runs/);
  assert.equal(readFileSync(orders_of(house), "utf8"), wish);
  const elsewhere = await put("/api/heartbeat/orders", { text: wish, if_match: "", file: "../rouse.yaml" });
  assert.equal(elsewhere.status, 400);
  await house.close();
});

test("rouse heartbeat: status, run, history and an edit without an editor", async () => {  // issue 7, 8
  const house = await House.start();
  const status = await house.cli("heartbeat");
  assert.equal(status.code, 0, status.stderr);
  assert.match(status.stdout, /every 30 minutes between 07:00 and 23:00[^]*next[^]*today +0 beats, 0 model calls[^]*orders +heartbeat-prompt\.md\n +free +check: failed_runs/);
  const ran = await house.cli("heartbeat", "run");
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stdout, /^nothing: checked, nothing to report\nno model was asked/);
  const history = await house.cli("heartbeat", "history");
  assert.match(history.stdout, /DUE[^]*nothing[^]*checked, nothing to report/);
  const page = JSON.parse((await house.cli("heartbeat", "history", "--json")).stdout);
  assert.equal(page.items[0].verdict, "nothing");
  assert.equal(page.items[0].scheduled_for, null, "somebody asked for it");
  assert.match((await house.cli("heartbeat", "status")).stdout, /last +just now: checked, nothing to report/);

  const blind = await house.cli("heartbeat", "edit");
  assert.notEqual(blind.code, 0);
  assert.match(blind.stderr, /no terminal.*--from FILE/);
  const draft = join(temp_dir(), "draft.json");
  writeFileSync(draft, '{"interval_minutes": 10, "active_hours": {"start": "22:00", "end": "06:00"}}');
  const edited = await house.cli("heartbeat", "edit", "--from", draft);
  assert.equal(edited.code, 0, edited.stderr);
  assert.match(edited.stdout, /heartbeat\.json is saved\.[^]*every 10 minutes between 22:00 and 06:00/);
  writeFileSync(draft, '{"interval_minutes": 0.5}');
  const refused = await house.cli("heartbeat", "edit", "--from", draft);
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /heartbeat\.json.*interval_minutes/);
  assert.match((await house.cli("heartbeat", "run", "--name", "nobody")).stderr, /no heartbeat 'nobody'/);
  const help = await house.cli("heartbeat", "--help");
  assert.match(help.stdout, /status[^]*run[^]*edit[^]*history/);
  await house.close();
});

const no_terminal = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0 ? false : "script(1) is not installed";
test("rouse heartbeat edit at a terminal: the error is shown, and edited again it is saved", { skip: no_terminal }, async () => {
  const house = await House.start();
  const folder = temp_dir(), editor = join(folder, "editor");
  // Writes something wrong first, and what is right the second time.
  writeFileSync(editor, `#!/bin/sh\nif [ -e '${folder}/seen' ]; then echo '{"interval_minutes": 15}' > "$1"; else touch '${folder}/seen'; echo '{"interval_minutes": }' > "$1"; fi\n`);
  chmodSync(editor, 0o755);
  const child = spawn("script", ["-qec", `exec '${rouse}' heartbeat edit --data '${house.data}'`, "/dev/null"],
    { env: { PATH: process.env.PATH!, HOME: "/nonexistent", SHELL: "/bin/sh", EDITOR: editor, TMPDIR: folder }, timeout: 30_000 });
  let shown = "";
  child.stdout.on("data", (chunk) => {
    shown += chunk;
    if (/Edit again\? \[y\/N\] $/.test(shown)) child.stdin.write("y\n");
  });
  const [code] = await once(child, "close");
  assert.equal(code, 0, shown);
  assert.match(shown, /heartbeat\.json.*line 1/);
  assert.match(shown, /heartbeat\.json is saved/);
  assert.equal((await heartbeat(house)).heartbeats[0].interval_minutes, 15);
  await house.close();
});
