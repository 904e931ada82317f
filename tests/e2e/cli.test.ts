// The command line as a person and a script meet it: help, exit codes, and every command against a real
// server and a real store.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Server, root, run, temp_dir } from "./server.ts";

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
const commands = ["serve", "chat", "turns", "prompt", "cost", "token", "config", "doctor", "backup", "restore", "completion", "version"];

describe("help and usage", () => {
  test("without arguments it says what it is and where to start", () => {
    const { code, stdout } = run([]);
    assert.equal(code, 0);
    assert.match(stdout, /rouse serve/);
    assert.ok(stdout.split("\n").length < 15);
  });

  test("every command explains itself with an example", () => {
    const all = run(["--help"]);
    assert.equal(all.code, 0);
    assert.match(all.stdout, /Exit codes:\n  0 done   1 failed   2 wrong usage   3 server not reachable   4 not authorised/);
    for (const command of commands) {
      assert.match(all.stdout, new RegExp(`^  ${command} +\\S`, "m"));
      const help = run([command, "--help"]);
      assert.equal(help.code, 0);
      assert.match(help.stdout, new RegExp(`Usage: rouse ${command}`));
      assert.match(help.stdout, /Examples?:\n  \S/);
    }
    for (const words of [["token", "list"], ["token", "create"], ["token", "revoke"], ["token", "link"], ["config", "check"], ["config", "show"], ["config", "docs"], ["completion", "bash"], ["prompt", "show"], ["turns", "cancel"]]) {
      const help = run([...words, "--help"]);
      assert.equal(help.code, 0);
      assert.match(help.stdout, new RegExp(`Usage: rouse ${words.join(" ")}[\\s\\S]*Examples?:\n  \\S`));
    }
  });

  test("wrong usage is 2 and names the nearest right word", () => {
    const wrong: [string[], RegExp][] = [
      [["tokne"], /there is no command 'tokne'\. Did you mean: rouse token\nTry: rouse --help/],
      [["token", "lst"], /Did you mean: rouse token list\nTry: rouse token --help/],
      [["serve", "--lisen", "x"], /there is no option '--lisen'\. Did you mean: rouse serve --listen/],
      [["zzzzzzzz"], /there is no command 'zzzzzzzz'\.\n/],
      [["serve", "extra"], /'extra' is too much here/],
      [["config"], /rouse config needs a command: check, show, docs/],
      [["token", "create"], /NAME is required/],
      [["token", "create", "x", "--role", "boss"], /boss not in \{admin,user\}/],
      [["backup"], /FILE is required/],
    ];
    for (const [args, message] of wrong) {
      const { code, stdout, stderr } = run(args);
      assert.equal(code, 2, args.join(" "));
      assert.equal(stdout, "");
      assert.match(stderr, message);
    }
  });

  test("version", () => {
    const { stdout } = run(["version"]);
    assert.match(stdout, /^rouse \d+\.\d+\.\d+\n$/);
    assert.equal(run(["--version"]).stdout, stdout);
    assert.equal(`rouse ${JSON.parse(run(["version", "--json"]).stdout).version}\n`, stdout);
  });

  test("completion scripts are sound and know the commands", () => {
    const scripts: Record<string, string> = {};
    for (const shell of ["bash", "zsh", "fish"]) {
      const { code, stdout } = run(["completion", shell]);
      assert.equal(code, 0);
      for (const command of commands) assert.ok(stdout.includes(command), `${shell}: ${command}`);
      scripts[shell] = stdout;
    }
    execFileSync("bash", ["-n"], { input: scripts.bash });
    for (const shell of ["zsh", "fish"]) {  // where they are installed
      if (spawnSync("sh", ["-c", `command -v ${shell}`]).status === 0) execFileSync(shell, ["-n"], { input: scripts[shell] });
    }
    const complete = (...words: string[]) => {
      const script = `${scripts.bash}\nCOMP_WORDS=(${words.map((w) => `'${w}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _rouse; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return execFileSync("bash", ["-c", script], { encoding: "utf8" }).trim().split("\n");
    };
    assert.deepEqual(complete("rouse", "to"), ["token"]);
    assert.deepEqual(complete("rouse", "token", "cr"), ["create"]);
    assert.deepEqual(complete("rouse", "token", "--data", "/x", "create", "--ro"), ["--role"]);
    assert.ok(complete("rouse", "config", "").includes("check"));
  });

  test("the data folder is --data, else $ROUSE_HOME, else ~/.rouse", () => {
    const home = temp_dir();
    run(["token"], { env: { HOME: home } });
    assert.ok(existsSync(join(home, ".rouse/token")));
    run(["token"], { env: { HOME: home, ROUSE_HOME: join(home, "b") } });
    assert.ok(existsSync(join(home, "b/token")));
    run(["token", "--data", join(home, "c")], { env: { HOME: home, ROUSE_HOME: join(home, "b") } });
    assert.ok(existsSync(join(home, "c/token")));
  });
});

describe("without a server", () => {
  test("what needs one says so with code 3", () => {
    const data = temp_dir();
    for (const args of [["token", "list"], ["token", "link"], ["token", "create", "x"], ["token", "revoke", "tok_1"]]) {
      const { code, stderr } = run([...args, "--data", data]);
      assert.equal(code, 3, args.join(" "));
      assert.equal(stderr, `rouse is not running for ${data}. Start it with: rouse serve\n`);
    }
  });

  test("the owner's token is made once, for its owner alone", () => {
    const data = join(temp_dir(), "new");
    const first = run(["token", "--data", data]);
    assert.equal(first.code, 0);
    assert.match(first.stdout, /^rouse_[0-9a-f]{64}\n$/);
    assert.equal(run(["token", "--data", data]).stdout, first.stdout);
    assert.equal(mode(data), "700");
    assert.equal(mode(join(data, "token")), "600");
    assert.equal(run(["token", "--data", data], { env: { ROUSE_TOKEN: "a-token-of-my-own-choice" } }).stdout, "a-token-of-my-own-choice\n");
    chmodSync(join(data, "token"), 0o644);
    const open = run(["token", "--data", data]);
    assert.equal(open.code, 4);
    assert.match(open.stderr, /chmod 600/);
    assert.equal(open.stdout, "");
  });

  test("a server.json of a dead process is not believed, the token stays here", () => {
    const data = temp_dir();
    run(["token", "--data", data]);
    const gone = spawnSync("true").pid;
    writeFileSync(join(data, "server.json"), JSON.stringify({ url: "http://127.0.0.1:9", pid: gone, boot_id: "x", started_at: "x" }));
    const { code, stderr } = run(["token", "list", "--data", data]);
    assert.equal(code, 3);
    assert.match(stderr, new RegExp(`its last process, ${gone}, is gone`));
  });

  test("a token goes to another machine only over TLS and only when it is meant for it", () => {  // SC-4
    const data = temp_dir();
    run(["token", "--data", data]);
    const plain = run(["token", "list", "--data", data, "--url", "http://192.0.2.1:80"]);
    assert.equal(plain.code, 1);
    assert.match(plain.stderr, /would travel readable/);
    const other = run(["token", "list", "--data", data, "--url", "https://rouse.example.com"]);
    assert.equal(other.code, 4);
    assert.match(other.stderr, /set ROUSE_TOKEN/);
  });
});

describe("config", () => {
  const check = (yaml: string, env: Record<string, string> = {}) => {
    const data = temp_dir();
    writeFileSync(join(data, "rouse.yaml"), yaml);
    return { ...run(["config", "check", "--data", data], { env }), file: join(data, "rouse.yaml") };
  };

  test("no file is fine", () => {
    const { code, stdout } = run(["config", "check", "--data", temp_dir()]);
    assert.equal(code, 0);
    assert.match(stdout, /^ok: there is no .*rouse\.yaml, so the defaults apply\n$/);
  });

  test("a good file is good", () => {
    const { code, stdout, file } = check("session:\n  timeout_minutes: 45\n");
    assert.equal(code, 0);
    assert.equal(stdout, `ok: ${file} is valid\n`);
  });

  test("an unknown key warns with its line and the nearest name", () => {
    const { code, stdout, file } = check("session:\n  timout_minutes: 45\n");
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`warning: ${file}:2:3: unknown key 'session.timout_minutes' is ignored; did you mean 'session.timeout_minutes'\\?`));
  });

  test("broken files fail with file, line and what is allowed, and the server refuses them alike", () => {
    const broken: [string, RegExp][] = [
      ["session:\n  timeout_minutes: soon\n", /rouse\.yaml:2:3: session\.timeout_minutes must be a whole number from 1 to 10080, not 'soon'/],
      ["a: [1, 2\n", /rouse\.yaml:2:1: /],
      ["a: 1\na: 2\n", /rouse\.yaml:2:1: 'a' stands here twice/],
      ["listen: [\"0.0.0.0:18888\"]\n", /rouse\.yaml:1:1: 0\.0\.0\.0:18888 can be reached from other machines/],
      ["tls: {cert: /x}\n", /tls\.cert needs tls\.key/],
      ["a: \u0000\n", /control character \(0x00\)/],
      ["[".repeat(100_000), /too many brackets/],
      ["a: &a [x]\nb: [*a, *a]\n", /anchors/],
    ];
    for (const [yaml, message] of broken) {
      const { code, stdout, file } = check(yaml);
      assert.equal(code, 1);
      assert.match(stdout, message);
      const serve = run(["serve", "--data", temp_dir(), "--config", file]);
      assert.equal(serve.code, 1, "UX-4: what check refuses, a start refuses");
      assert.match(serve.stderr, message);
    }
  });

  test("--json gives places as numbers", () => {
    const data = temp_dir();
    writeFileSync(join(data, "x.yaml"), "log:\n  level: loud\n");
    const { code, stdout } = run(["config", "check", join(data, "x.yaml"), "--data", data, "--json"]);
    assert.equal(code, 1);
    const view = JSON.parse(stdout);
    assert.equal(view.ok, false);
    assert.equal(view.errors[0].line, 2);
    assert.equal(view.errors[0].column, 3);
  });

  test("show knows each origin and masks secrets", () => {
    const data = temp_dir();
    writeFileSync(join(data, "rouse.yaml"), "locale: de\nbridges:\n  whatsapp:\n    secret_env: WA\n    send_url: https://h.example/hook?key=canary-123\n");
    writeFileSync(join(data, "settings.json"), '{"log.level":"debug"}', { mode: 0o600 });
    const env = { SESSION_TIMEOUT_MINUTES: "7", WA: "canary-456" };
    const text = run(["config", "show", "--data", data], { env });
    const json = run(["config", "show", "--data", data, "--json"], { env });
    assert.equal(text.code, 0);
    assert.ok(!(text.stdout + json.stdout + text.stderr).includes("canary"));
    const items = Object.fromEntries(JSON.parse(json.stdout).items.map((item: any) => [item.key, item]));
    assert.equal(items["locale"].origin, "rouse.yaml line 1");
    assert.equal(items["log.level"].origin, "settings.json");
    assert.equal(items["session.timeout_minutes"].origin, "environment SESSION_TIMEOUT_MINUTES");
    assert.equal(items["session.timeout_minutes"].value, 7);
    assert.equal(items["listen"].origin, "default");
    assert.equal(items["bridges.whatsapp.send_url"].value, "https://h.example/…");
    assert.match(text.stdout, /^session\.timeout_minutes +7 +environment SESSION_TIMEOUT_MINUTES$/m);
  });

  test("docs are the committed page", () => {
    assert.equal(run(["config", "docs"]).stdout, readFileSync(join(root, "docs/config.md"), "utf8"));
  });
});

describe("with a server", () => {
  let server: Server;
  const cli = (...args: string[]) => run([...args, "--data", server.data]);
  before(async () => { server = await Server.start(); });
  after(() => server.stop());

  test("tokens are made, listed, used and revoked", async () => {
    const made = cli("token", "create", "phone");
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stdout, /^rouse_\S+\n$/, "only the token on stdout");
    const token = made.stdout.trim();
    const id = /revoke (tok_\S+)/.exec(made.stderr)![1]!;
    assert.equal((await server.fetch("/api/me", { headers: { authorization: `Bearer ${token}` } })).status, 200);
    const listed = JSON.parse(cli("token", "list", "--json").stdout).items;
    assert.ok(listed.some((item: any) => item.id === id && item.name === "phone" && item.role === "user"));
    assert.match(cli("token", "list").stdout, new RegExp(`^${id} +phone +user`, "m"));
    assert.ok(!cli("token", "list").stdout.includes(token));
    assert.equal(run(["token", "list", "--data", server.data], { env: { ROUSE_TOKEN: token } }).code, 4, "a user may not list tokens");
    assert.equal(cli("token", "revoke", id).stdout, `revoked ${id}\n`);
    assert.equal((await server.fetch("/api/me", { headers: { authorization: `Bearer ${token}` } })).status, 401);
    assert.equal(cli("token", "revoke", id).code, 1);
    assert.match(cli("token", "revoke", "nonsense").stderr, /is not a token id; they look like tok_/);
    const admin = JSON.parse(cli("token", "create", "ci", "--role", "admin", "--json").stdout);
    assert.equal(admin.role, "admin");
    assert.equal(cli("token", "revoke", admin.id, "--json").stdout, `{"ok":true,"id":"${admin.id}"}\n`);
  });

  test("a wrong token is 4", () => {
    const { code, stderr } = run(["token", "list", "--data", server.data], { env: { ROUSE_TOKEN: "not-the-right-token-at-all" } });
    assert.equal(code, 4);
    assert.match(stderr, /doesn't accept the token from environment ROUSE_TOKEN/);
  });

  test("a link signs a browser in", async () => {
    const { code, stdout } = cli("token", "link");
    assert.equal(code, 0);
    const answer = await fetch(stdout.trim(), { redirect: "manual" });
    assert.match(answer.headers.get("set-cookie") ?? "", /HttpOnly/);
  });

  test("--url finds the same server", () => {
    assert.equal(cli("token", "list", "--url", server.url).code, 0);
    assert.equal(cli("token", "list", "--url", "http://127.0.0.1:1").code, 3);
  });

  test("doctor sees that it is well", () => {
    const { code, stdout } = cli("doctor");
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^ok    the server answers at http:/m);
    assert.match(stdout, /^ok    the store works$/m);
    assert.ok(!/^fail/m.test(stdout));
  });

  test("a second server on the same folder is told who has it", () => {
    const second = run(["serve", "--data", server.data, "--listen", "127.0.0.1:0"]);
    assert.equal(second.code, 1);
    assert.match(second.stderr, new RegExp(`process ${server.pid}`));
  });

  test("a live change is taken, a bad one is told and the last good stays", async () => {  // UX-4
    const file = join(server.data, "rouse.yaml");
    const settings = async () => Object.fromEntries((await server.json("/api/settings")).body.items.map((item: any) => [item.key, item]));
    const put = (yaml: string) => { writeFileSync(file + ".swp", yaml); renameSync(file + ".swp", file); };
    put("session: {timeout_minutes: 41}\n");
    await server.logged(/config\.reloaded changed=session\.timeout_minutes/);
    assert.equal((await settings())["session.timeout_minutes"].value, 41);
    put("session: {timeout_minutes: 0}\n");
    await server.logged(/must be a whole number from 1 to 10080/);
    const health = (await server.json("/api/health")).body;
    assert.equal(health.config, "invalid");
    assert.equal((await settings())["session.timeout_minutes"].value, 41);
    assert.match(cli("doctor").stdout, /^fail  .*rouse\.yaml:1:11: session\.timeout_minutes/m);
  });
});

describe("doctor", () => {
  test("changes nothing unless told, then lists what it did", () => {
    const data = temp_dir();
    run(["token", "--data", data]);
    mkdirSync(join(data, "secrets"));
    writeFileSync(join(data, "secrets/openai"), "x");
    chmodSync(join(data, "secrets/openai"), 0o644);
    chmodSync(join(data, "token"), 0o640);
    chmodSync(data, 0o755);
    const modes = () => [data, join(data, "token"), join(data, "secrets/openai")].map(mode).join(" ");
    const dry = run(["doctor", "--data", data]);
    assert.equal(dry.code, 1);
    assert.equal(modes(), "755 640 644");
    assert.match(dry.stdout, new RegExp(`fail  the data folder ${data} is open to others \\(mode 755\\)\n      to do: chmod 700 ${data}`));
    assert.match(dry.stdout, /rouse doctor --fix/);
    const fixed = run(["doctor", "--data", data, "--fix", "--json"]);
    assert.equal(fixed.code, 0, fixed.stdout);
    assert.equal(JSON.parse(fixed.stdout).findings.filter((one: any) => one.fixed).length, 4);
    assert.equal(modes(), "700 600 600");
    assert.equal(run(["doctor", "--data", data]).code, 0);
  });

  test("finds a store that is not one, and leaves it alone", () => {
    const data = temp_dir();
    run(["token", "--data", data]);
    writeFileSync(join(data, "rouse.db"), "this is not a database, but somebody's poem ".repeat(100), { mode: 0o600 });
    const before = readFileSync(join(data, "rouse.db"));
    const { code, stdout } = run(["doctor", "--data", data, "--fix"]);
    assert.equal(code, 1);
    assert.match(stdout, /rouse restore BACKUP/);
    assert.deepEqual(readFileSync(join(data, "rouse.db")), before);
  });
});

describe("backup and restore", () => {
  test("round trip: running, stopped, restored", async () => {
    const data = temp_dir();
    const away = temp_dir();
    let server = await Server.start({ data });
    const cli = (...args: string[]) => run([...args, "--data", data]);
    const names = () => JSON.parse(cli("token", "list", "--json").stdout).items.map((item: any) => item.name);
    cli("token", "create", "first");
    const online = cli("backup", join(away, "one.db"));
    assert.equal(online.code, 0, online.stderr);
    assert.match(online.stdout, /^saved .*one\.db \(\d+ bytes\)\nTo go back to it: rouse restore /);
    assert.equal(mode(join(away, "one.db")), "600");
    assert.equal(cli("backup", join(away, "one.db")).code, 1, "never over a file");
    cli("token", "create", "second");
    assert.deepEqual(names(), ["owner", "first", "second"]);
    const busy = cli("restore", join(away, "one.db"), "--yes");
    assert.equal(busy.code, 1);
    assert.match(busy.stderr, new RegExp(`rouse is running for ${data} \\(process ${server.pid}`));
    assert.equal(await server.stop(), 0);

    const offline = JSON.parse(cli("backup", join(away, "two.db"), "--json").stdout);
    assert.equal(offline.bytes, statSync(join(away, "two.db")).size);
    assert.equal(cli("restore", join(away, "one.db")).code, 1, "asks first, and nobody answers");
    const restored = cli("restore", join(away, "one.db"), "--yes");
    assert.equal(restored.code, 0, restored.stderr);
    const aside = /The store from before is at (\S+)/.exec(restored.stdout)![1]!;
    assert.ok(existsSync(aside));
    server = await Server.start({ data });
    assert.deepEqual(names(), ["owner", "first"]);
    await server.stop();
    cli("restore", join(away, "two.db"), "--yes");
    server = await Server.start({ data });
    assert.deepEqual(names(), ["owner", "first", "second"]);
    await server.stop();
    assert.deepEqual(readdirSync(away).sort(), ["one.db", "two.db"], "no half file is left");
  });

  test("a file that is no backup is refused and nothing is touched", () => {
    const data = temp_dir();
    const poem = join(temp_dir(), "poem");
    writeFileSync(poem, "roses are red ".repeat(1000));
    const { code, stderr } = run(["restore", poem, "--yes", "--data", data]);
    assert.equal(code, 1);
    assert.notEqual(stderr, "");
    assert.ok(!existsSync(join(data, "rouse.db")));
    assert.equal(run(["restore", join(data, "missing"), "--yes", "--data", data]).code, 1);
  });

  test("there is nothing to back up in an empty folder", () => {
    const { code, stderr } = run(["backup", join(temp_dir(), "x"), "--data", temp_dir()]);
    assert.equal(code, 1);
    assert.match(stderr, /there is no store in/);
  });
});
