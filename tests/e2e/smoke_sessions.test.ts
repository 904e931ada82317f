// scripts/smoke_sessions.sh against a real server, against none, and against one that is wrong.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { type AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Server, root, rouse, type Run } from "./server.ts";

let server: Server;
before(async () => { server = await Server.start(); });
after(async () => { assert.equal(await server.stop(), 0); });

function smoke(args: string[], env: Record<string, string> = {}): Promise<Run> {
  return new Promise((done) => {
    const child = execFile(join(root, "scripts/smoke_sessions.sh"), args, {
      timeout: 60_000, env: { PATH: process.env.PATH!, HOME: "/nonexistent", ROUSE_BIN: rouse, ...env },
    }, (_, stdout, stderr) => done({ code: child.exitCode, stdout, stderr }));
  });
}

const sessions = async () => (await server.json("/kernel/sessions?workspace_id=ws_default&limit=200")).body.sessions;

// S1-39
test("a sound server passes at least the twelve checks of the seed, again and again", async () => {
  for (const round of [1, 2]) {
    const { code, stdout, stderr } = await smoke([server.url], { ROUSE_TOKEN: server.token });
    assert.equal(code, 0, stdout + stderr);
    const ok = stdout.match(/^ok      \S.*$/gm) ?? [];
    assert.ok(ok.length >= 12, stdout);
    assert.match(stdout, new RegExp(`^${ok.length} passed, 0 failed$`, "m"));
    const left = await sessions();
    assert.equal(left.length, round * 3, "a sender of its own each time");
    assert.deepEqual(left.filter((s: any) => s.status !== "closed"), [], "it closes what it opened");
  }
});

test("without $ROUSE_TOKEN it asks rouse for the token", async () => {
  const { code, stdout, stderr } = await smoke([`${server.url}/`], { ROUSE_HOME: server.data });
  assert.equal(code, 0, stdout + stderr);
});

test("the token is not in its output, and a wrong one is 4", async () => {
  const { stdout, stderr } = await smoke([server.url], { ROUSE_TOKEN: server.token });
  assert.ok(!(stdout + stderr).includes(server.token));
  const wrong = await smoke([server.url], { ROUSE_TOKEN: "rouse_wrong" });
  assert.equal(wrong.code, 4);
  assert.match(wrong.stderr, /does not know this token/);
});

test("no server is 3, wrong usage is 2, --help helps", async () => {
  const none = await smoke(["http://127.0.0.1:1"], { ROUSE_TOKEN: "x" });
  assert.equal(none.code, 3, none.stdout);
  assert.match(none.stderr, /no answer from http:\/\/127\.0\.0\.1:1: /);
  assert.equal((await smoke(["--nope"])).code, 2);
  assert.equal((await smoke(["http://a", "http://b"])).code, 2);
  const help = await smoke(["--help"]);
  assert.equal(help.code, 0);
  assert.match(help.stdout, /^Usage: scripts\/smoke_sessions\.sh \[URL\]/);
});

test("a server that says yes to everything fails", async () => {
  const yes = createServer((request, response) => {
    request.resume().on("end", () => response.end('{"ok":true,"session_id":"sess_00000000000000000000000a"}'));
  });
  await new Promise<void>((done) => yes.listen(0, "127.0.0.1", done));
  try {
    const { code, stdout } = await smoke([`http://127.0.0.1:${(yes.address() as AddressInfo).port}`], { ROUSE_TOKEN: "x" });
    assert.equal(code, 1, stdout);
    assert.match(stdout, /^FAILED  a first message opens a session\n        the answer lacks "decision":"new"; .*\n        got 200: \{/m);
    assert.match(stdout, /^\d+ passed, \d+ failed$/m);
  } finally {
    yes.close();
  }
});
