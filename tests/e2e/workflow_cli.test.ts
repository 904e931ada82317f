// The command line for authors of workflows: what is wrong with a file and where, what an event would come to, what
// fired in a conversation and why.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { House } from "./talk.ts";
import { root, run, temp_dir } from "./server.ts";

const good = `name: no-secrets
variables: {refusals: 0}
triggers:
  on_before_tool:
    - action: block_tools
      rules:
        - tools: [write_file]
          when: "'secret' in tool_input.get('path', '')"
          reason: "Write no secrets into {{ tool_input.path }}."
  on_before_agent:
    - {action: inject_context, when: "prompt", template: "Remember the rules."}
`;
const broken = `name: mine
triggers:
  on_sotp:
    - action: block_stop
  on_before_tool:
    - action: blok_tools
    - action: set_variable
      when: "variables.get('x'"
      name: nothing
`;

function file(text: string, name = "mine.yaml"): string {
  const path = join(temp_dir(), name);
  writeFileSync(path, text);
  return path;
}
const test_it = (path: string, event: string, data: object, ...more: string[]) =>
  run(["workflow", "test", path, "--event", event, "--data", JSON.stringify(data), ...more]);

describe("help and usage", () => {
  test("every command explains itself with an example", () => {
    for (const words of [["workflow"], ["workflow", "list"], ["workflow", "show"], ["workflow", "check"], ["workflow", "test"], ["workflow", "trace"], ["workflow", "docs"]]) {
      const help = run([...words, "--help"]);
      assert.equal(help.code, 0);
      assert.match(help.stdout, new RegExp(`Usage: rouse ${words.join(" ")}[\\s\\S]*Examples?:\n  \\S`));
    }
  });

  test("wrong usage is 2 and names what is right", () => {
    const wrong: [string[], RegExp][] = [
      [["workflow"], /rouse workflow needs a command: list, show, trace, check, test, docs/],
      [["workflow", "check", "--jsn"], /there is no option '--jsn'\. Did you mean: rouse workflow check --json/],
      [["workflow", "test", "x.yaml"], /--event is required/],
      [["workflow", "trace"], /CONVERSATION is required/],
    ];
    for (const [args, message] of wrong) {
      const { code, stderr } = run(args);
      assert.equal(code, 2, args.join(" "));
      assert.match(stderr, message);
    }
  });

  test("the page about workflows is the committed one", () => {
    const { code, stdout } = run(["workflow", "docs"]);
    assert.equal(code, 0);
    assert.ok(stdout === readFileSync(join(root, "docs/workflows.md"), "utf8"), "docs/workflows.md is stale. Refresh it with: rouse workflow docs > docs/workflows.md");
  });

  test("what needs a server says so with code 3", () => {
    const data = temp_dir();
    for (const args of [["list"], ["trace", "conv_1"]]) assert.equal(run(["workflow", ...args, "--data", data]).code, 3);
  });
});

describe("check", () => {
  test("a good file is fine, and so is one from stdin", () => {
    const path = file(good);
    assert.deepEqual(run(["workflow", "check", path]), { code: 0, stdout: `${path}: fine, 2 actions in 2 triggers\n`, stderr: "" });
    const piped = run(["workflow", "check", "-"], { input: good });
    assert.equal(piped.stdout, "stdin: fine, 2 actions in 2 triggers\n");
  });

  test("every problem has its place and the nearest name", () => {
    const path = file(broken);
    const { code, stdout } = run(["workflow", "check", file(good), path]);
    assert.equal(code, 1);
    assert.match(stdout, new RegExp(`^${path}:3:3: there is no trigger 'on_sotp'; did you mean 'on_stop'\\?$`, "m"));
    assert.match(stdout, new RegExp(`^${path}:6:15: there is no action 'blok_tools'; did you mean 'block_tools'\\?$`, "m"));
    assert.match(stdout, new RegExp(`^${path}:8:13: column 18: `, "m"));
    assert.match(stdout, new RegExp(`^${path}:7:7: action set_variable needs 'value'$`, "m"));
    const json = JSON.parse(run(["workflow", "check", path, "--json"]).stdout);
    assert.equal(json.ok, false);
    assert.deepEqual([json.problems[0].line, json.problems[0].column], [3, 3]);
  });

  test("a file that isn't there is told", () => {
    const { code, stdout } = run(["workflow", "check", "/nonexistent/x.yaml"]);
    assert.equal(code, 1);
    assert.match(stdout, /^\/nonexistent\/x\.yaml:1:1: .*[Nn]o such file/);
  });

  test("without a file it is the whole folder, also for two of one name", () => {
    const data = temp_dir();
    assert.match(run(["workflow", "check", "--data", data]).stdout, /^There are no files/);
    mkdirSync(join(data, "workflows"));
    writeFileSync(join(data, "workflows/a.yaml"), good);
    writeFileSync(join(data, "workflows/session-lifecycle.yaml"), "");
    const fine = run(["workflow", "check", "--data", data]);
    assert.equal(fine.code, 0, fine.stdout);
    assert.match(fine.stdout, /^workflows\/a\.yaml: fine, 2 actions in 2 triggers$/m);
    assert.match(fine.stdout, /^workflows\/session-lifecycle\.yaml: empty, so the workflow of this name is off$/m);
    writeFileSync(join(data, "workflows/b.yaml"), good);
    const twice = run(["workflow", "check", "--data", data]);
    assert.equal(twice.code, 1);
    assert.match(twice.stdout, /workflows\/b\.yaml:1:1: .*a\.yaml is called 'no-secrets', too/);
  });

  test("rouse's own are fine", () => {
    for (const name of ["headless-lifecycle", "session-lifecycle"]) {
      const { code, stdout } = run(["workflow", "check", join(root, "src/lifecycle/shipped", `${name}.yaml`)]);
      assert.equal(code, 0, stdout);
    }
  });
});

describe("test", () => {
  test("a dry run shows each part of a condition, the decision and what changed", () => {
    const { code, stdout } = test_it(file(good), "on_before_tool", { tool_name: "write_file", tool_input: { path: "a/secret.txt" } });
    assert.equal(code, 0);
    assert.match(stdout, /^no-secrets, on_before_tool, source claude_sdk, tool write_file \(edit\)$/m);
    assert.match(stdout, /^line 5 +block_tools: blocked \(line 7\)\n    rule in line 7\n      'secret' in tool_input\.get\('path', ''\) = true\n/m);
    assert.match(stdout, /^decision: block\nreason: Write no secrets into a\/secret\.txt\.$/m);
    assert.match(test_it(file(good), "on_before_tool", { tool_name: "write_file", tool_input: { path: "a" } }).stdout, /^decision: allow$/m);
    assert.match(test_it(file(good), "on_prompt_submit", { prompt: "hello" }).stdout, /^line 11 .*\n    prompt = "hello"\n[\s\S]*decision: inject\nthe model is told:\n    Remember the rules\.$/m);
    assert.match(test_it(file(good), "on_stop", {}).stdout, /It says nothing about this event\.\n\ndecision: allow/);
  });

  test("rouse's own are known by name, variables can be set, a task can be given", () => {
    const edit = { tool_name: "write_file", tool_input: { path: "a.py" }, project: { git: true } };
    const json = (...more: string[]) => JSON.parse(test_it("headless-lifecycle", "on_before_tool", edit, "--json", ...more).stdout);
    const refused = json();
    assert.equal(refused.decision, "block");
    assert.match(refused.reason, /^Claim a task/);
    assert.deepEqual(refused.variables, [{ name: "_tool_block_pending", before: false, after: true }]);
    assert.equal(json("--set", "plan_mode=true").decision, "allow");
    assert.equal(json("--set", "require_task_before_edit=false", "--set", "max_stop_attempts=1").decision, "allow");
    const stop = test_it("headless-lifecycle", "on_stop", { project: { git: true }, task: { number: 7, title: "Mend it" } });
    assert.match(stop.stdout, /^decision: block\nreason: Task #7 \(Mend it\) is still yours/m);
    const start = test_it("session-lifecycle", "on_session_start", { project: { git: true } }, "--source", "whatsapp");
    assert.match(start.stdout, /memory_sync_import: not run \(it acts in the world, and this is a dry run\)/);
  });

  test("a workflow of the data folder goes before rouse's own", () => {
    const data = temp_dir();
    mkdirSync(join(data, "workflows"));
    writeFileSync(join(data, "workflows/headless-lifecycle.yaml"), good.replace("no-secrets", "headless-lifecycle"));
    const { stdout } = test_it("headless-lifecycle", "on_stop", {}, "--home", data);
    assert.match(stdout, /It says nothing about this event/);
  });

  test("mistakes say what would be right", () => {
    const path = file(good);
    const wrong: [string[], RegExp][] = [
      [[path, "--event", "on_befor_tool"], /there is no event 'on_befor_tool'; did you mean 'on_before_tool'\?/],
      [[path, "--event", "on_before_tool"], /on_before_tool is about a tool: name it with --data '\{"tool_name"/],
      [[path, "--event", "on_stop", "--data", '{"anser":"x"}'], /--data has an unknown key 'anser'; did you mean 'answer'\?/],
      [[path, "--event", "on_stop", "--data", "{"], /--data is not JSON/],
      [[path, "--event", "on_stop", "--set", "refusal=1"], /declares no variable 'refusal'; did you mean 'refusals'\?/],
      [[path, "--event", "on_stop", "--set", "refusals=many"], /the value must be JSON/],
      [["headless-lifecycl", "--event", "on_stop"], /there is no file and no workflow 'headless-lifecycl'; did you mean 'headless-lifecycle'\?/],
      [["headless-lifecycle", "--event", "on_stop", "--source", "whatsapp"], /its sources are claude_sdk/],
      [[file(broken), "--event", "on_stop"], /mine\.yaml:3:3: there is no trigger/],
    ];
    for (const [args, message] of wrong) {
      const { code, stderr } = run(["workflow", "test", ...args]);
      assert.equal(code, 1, args.join(" "));
      assert.match(stderr, message);
    }
  });
});

// Arguments that fit each tool; nothing of it is run.
const fitting: Record<string, object> = {
  calculate: { expression: "1+1" }, cron: { action: "list" }, current_time: {}, forget_memory: { id: "note_1" }, http_fetch: { url: "http://example.com/" },
  list_files: {}, load_skill: { name: "x" }, notify: { text: "x" }, read_file: { path: "x" }, save_memory: { text: "x" }, search_conversations: { query: "x" },
  search_memory: { query: "x" }, shell: { command: "true" }, tasks: { action: "list" }, update_instructions: { instructions: "x" }, write_file: { path: "x", text: "x" },
};

test("a dry run knows the class of every tool as the server does", async () => {
  const house = await House.start({ model: "openai" });
  await house.chat("hello", "hello");
  const tools = house.models.requests.at(-1)!.prompt!.tools;
  assert.ok(tools.includes("write_file"), tools.join(" "));
  mkdirSync(join(house.data, "workflows"), { recursive: true });
  const path = join(house.data, "workflows/classes.yaml");
  writeFileSync(path, `name: classes\nsettings: {priority: 0}\ntriggers:\n  on_before_tool:\n    - action: block_tools\n      rules: [{tools: [${tools.join(", ")}], reason: "{{ tool_name }}: {{ tool_class }}"}]\n`);
  await house.restart();
  for (const tool of tools) {
    assert.ok(fitting[tool], `${tool} is new: add it here, and to kClasses in src/app/cli/workflow_event.cc`);
    await house.chat(tool, `use ${tool} ${JSON.stringify(fitting[tool])}`);
    const { body } = await house.server.json(`/api/conversations/${tool}/gates`);
    const refused = body.firings.find((one: any) => one.workflow === "classes" && one.tool === tool);
    const dry = JSON.parse(test_it(path, "on_before_tool", { tool_name: tool, tool_input: fitting[tool] }, "--json").stdout);
    assert.equal(refused?.reason, dry.reason);
  }
  await house.close();
});

describe("with a server", () => {
  let house: House;
  before(async () => {
    house = await House.start({ model: "openai" });
    mkdirSync(join(house.data, "workflows"), { recursive: true });
    writeFileSync(join(house.data, "workflows/no-secrets.yaml"), good);
    writeFileSync(join(house.data, "workflows/broken.yaml"), broken);
    await house.restart();
  });
  after(() => house.close());

  test("list shows what is in force, whose, and what is wrong", async () => {
    const { code, stdout } = await house.cli("workflow", "list");
    assert.equal(code, 0);
    assert.match(stdout, /^headless-lifecycle +active +claude_sdk +\(rouse's own\)$/m);
    assert.match(stdout, /^no-secrets +active +everybody +workflows\/no-secrets\.yaml$/m);
    assert.match(stdout, /^broken +broken, not in force +everybody +workflows\/broken\.yaml$/m);
    assert.match(stdout, /^! workflows\/broken\.yaml:3:3: there is no trigger 'on_sotp'/m);
    const json = JSON.parse((await house.cli("workflow", "list", "--json")).stdout);
    assert.equal(json.workflows.length, 4);
  });

  test("show prints the text, with a server and without", async () => {
    assert.equal((await house.cli("workflow", "show", "no-secrets")).stdout, good);
    const missing = await house.cli("workflow", "show", "no-secret");
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /did you mean 'no-secrets'\?/);
    const own = readFileSync(join(root, "src/lifecycle/shipped/headless-lifecycle.yaml"), "utf8");
    assert.equal(run(["workflow", "show", "headless-lifecycle", "--data", temp_dir()]).stdout, own);
  });

  test("a refusal is in the trace and in the answer to why", async () => {
    const before = await house.cli("workflow", "trace", "nobody");
    assert.equal(before.code, 1);
    await house.chat("work", 'use write_file {"path":"my-secret.txt","text":"x"}');
    const { code, stdout } = await house.cli("workflow", "trace", "work");
    assert.equal(code, 0);
    assert.match(stdout, /on_before_agent +inject +no-secrets .*\n[\s\S]*on_before_tool +block +no-secrets  write_file  \d+ µs\n    refused: Write no secrets into my-secret\.txt\.\n    line 5 block_tools: blocked \(line 7\)\n/);
    const json = JSON.parse((await house.cli("workflow", "trace", "work", "--all", "--json")).stdout);
    assert.equal(json.source, "claude_sdk");
    assert.ok(json.firings.some((one: any) => one.decision === "block" && one.tool === "write_file"));
    const conversation = (await house.server.json("/api/conversations/work")).body.conversation_id;
    const why = await house.cli("why", "session", conversation);
    assert.equal(why.code, 0, why.stderr);
    assert.match(why.stdout, /^Rules in this conversation:$/m);
    assert.match(why.stdout, /^  no-secrets fired \d+ times, refused once$/m);
    assert.match(why.stdout, /write_file was refused: Write no secrets into my-secret\.txt\./);
  });
});
