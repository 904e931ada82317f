// What strangers, mistakes and broken disks do to a server. Each has a clear answer, and nothing is lost.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, fstatSync, mkdirSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Server, rouse, run, temp_dir } from "./server.ts";

const error_of = (answer: string) => JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4)) as { error: string; message: string };

describe("over the wire", () => {
  let server: Server;
  before(async () => { server = await Server.start(); });
  after(async () => {
    assert.equal((await server.fetch("/health")).status, 200, "still there after all of this");
    assert.equal(await server.stop(), 0);
  });

  const auth = () => `Authorization: Bearer ${server.token}\r\n`;

  test("half a request is forgotten when its client goes", async () => {
    for (const half of ["GET /health HT", "POST /kernel/workspaces HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Len"]) {
      await new Promise<void>((done) => {
        const socket = connect(server.port, "127.0.0.1", () => socket.end(half));
        socket.on("close", () => done());
        socket.resume();
      });
    }
    const answer = await server.raw(`POST /kernel/workspaces HTTP/1.1\r\nHost: 127.0.0.1\r\n${auth()}Content-Type: application/json\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`);
    assert.match(answer, /^HTTP\/1\.1 200/);
  });

  test("a body of 1 GB is refused by its announcement", async () => {
    const answer = await server.raw(`POST /kernel/workspaces HTTP/1.1\r\nHost: 127.0.0.1\r\n${auth()}Content-Type: application/json\r\nContent-Length: 1073741824\r\n\r\n{"type":"`);
    assert.match(answer, /^HTTP\/1\.1 413/);
    assert.equal(error_of(answer).error, "too_large");
  });

  test("a chunked body without end is cut at the limit", async () => {
    const chunk = "10000\r\n" + "x".repeat(0x10000) + "\r\n";
    const answer = await server.raw(`POST /kernel/workspaces HTTP/1.1\r\nHost: 127.0.0.1\r\n${auth()}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n` + chunk.repeat(40));
    assert.match(answer, /^HTTP\/1\.1 413/);
  });

  test("100 header fields of 64 KB are refused", async () => {
    const fields = Array.from({ length: 100 }, (_, i) => `X-${i}: ${"y".repeat(65_536)}\r\n`).join("");
    const answer = await server.raw(`GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n${fields}\r\n`);
    assert.match(answer, /^HTTP\/1\.1 431/);
    assert.match(error_of(answer).message, /head is too large/);
  });

  const post = (body: string | Buffer, type = "application/json") =>
    server.fetch("/kernel/workspaces", { method: "POST", body, headers: { "content-type": type } });

  test("invalid UTF-8, NaN, deep nesting and half JSON each say what is wrong", async () => {
    for (const [body, says] of [
      [Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), /not valid JSON at line 1/],
      ['{"type":NaN}', /not valid JSON at line 1, column 9/],
      ["[".repeat(100_000), /nested deeper than 32 levels/],
      ['{"type":', /not valid JSON/],
      ["", /the body is empty/],
      ['{"type":7}', /'type' must be text, not a number/],
    ] as const) {
      const answer = await post(body);
      assert.equal(answer.status, 400);
      assert.match((await answer.json() as { message: string }).message, says);
    }
    assert.equal((await post("{}", "text/plain")).status, 415);
  });

  test("a foreign Origin, a foreign Host and a wrong token get nothing", async () => {
    assert.equal((await server.fetch("/api/me", { headers: { origin: "https://evil.example" } })).status, 403);
    assert.match(await server.raw("GET /health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"), /^HTTP\/1\.1 403/);
    assert.equal((await server.fetch("/api/me", { headers: { authorization: "Bearer rouse_wrong" } })).status, 401);
    assert.equal((await fetch(`${server.url}/api/me`)).status, 401);
    const upgrade = "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    assert.match(await server.raw(`${upgrade}${auth()}Origin: https://evil.example\r\n\r\n`), /^HTTP\/1\.1 403/);
    assert.match(await server.raw(`${upgrade}\r\n`), /^HTTP\/1\.1 401/);
  });

  test("two readings of one request are refused", async () => {
    const smuggle = `POST /kernel/workspaces HTTP/1.1\r\nHost: 127.0.0.1\r\n${auth()}Content-Type: application/json\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /api/me HTTP/1.1\r\n\r\n`;
    const answer = await server.raw(smuggle);
    assert.match(answer, /^HTTP\/1\.1 400/);
    assert.equal(answer.match(/HTTP\/1\.1/g)!.length, 1);
  });
});

describe("on the disk", () => {
  test("a second server on one folder ends at once and names the first", async () => {  // CR-18
    const server = await Server.start();
    const second = run(["serve", "--data", server.data, "--listen", "127.0.0.1:0"]);
    assert.equal(second.code, 1);
    assert.match(second.stderr, new RegExp(`process ${server.pid}\\b.*${server.data}`, "s"));
    assert.equal((await server.fetch("/health")).status, 200);
    assert.equal(await server.stop(), 0);
  });

  test("a port that is taken is named, and nothing is left running", async () => {
    const server = await Server.start();
    const second = run(["serve", "--data", temp_dir(), "--listen", `127.0.0.1:${server.port}`]);
    assert.equal(second.code, 1);
    assert.match(second.stderr, new RegExp(`127\\.0\\.0\\.1 port ${server.port}: Address already in use`));
    assert.equal(await server.stop(), 0);
  });

  test("a database that is not one is refused and left as it is", async () => {  // CR-26
    for (const content of ["this is not a database, it is a letter\n".repeat(200), ""]) {
      const data = temp_dir();
      writeFileSync(join(data, "rouse.db"), content, { mode: 0o600 });
      if (content === "") writeFileSync(join(data, "rouse.db-wal"), "x".repeat(5000), { mode: 0o600 });
      const refused = run(["serve", "--data", data, "--listen", "127.0.0.1:0"]);
      assert.equal(refused.code, 1, refused.stdout);
      assert.match(refused.stderr, /rouse\.db/);
      assert.match(refused.stderr, /restore/);
      assert.equal(readFileSync(join(data, "rouse.db"), "utf8"), content);
    }
  });

  test("a truncated database is refused and left as it is", async () => {
    const server = await Server.start();
    for (let i = 0; i < 50; ++i) await server.json("/kernel/workspaces", { type: "x" });
    await server.stop();
    const file = join(server.data, "rouse.db");
    truncateSync(file, 20_000);
    const refused = run(["serve", "--data", server.data, "--listen", "127.0.0.1:0"]);
    assert.equal(refused.code, 1, refused.stdout);
    assert.match(refused.stderr, /rouse\.db/);
    assert.equal(readFileSync(file).length, 20_000);
  });

  test("a store deleted under the running server takes no more writes and says so", async () => {
    const server = await Server.start();
    assert.equal((await server.json("/kernel/workspaces", { type: "x" })).status, 200);
    rmSync(join(server.data, "rouse.db"));
    assert.equal((await server.json("/kernel/workspaces", { type: "x" })).status, 500);
    await server.logged(/store\.problem .*moved or deleted/);
    assert.equal((await server.json("/api/health")).body.store, "error");
    const saved = run(["backup", join(server.data, "saved.db"), "--data", server.data]);
    assert.equal(saved.code, 0, saved.stderr);
    assert.equal(await server.stop(), 0);
  });

  test("after a clean stop doctor reads the whole store and finds it sound", async () => {
    const server = await Server.start();
    for (let i = 0; i < 20; ++i) await server.json("/kernel/workspaces", { type: "x" });
    assert.equal(await server.stop(), 0);
    assert.match(run(["doctor", "--data", server.data]).stdout, /^ok    the store is whole$/m);
  });

  test("a folder that can't be written is said so", () => {
    const parent = temp_dir();
    const data = join(parent, "data");
    if (process.getuid!() === 0) {
      // Root may write anywhere; a file where a folder should be stands in for it, the rest is in store_test.
      writeFileSync(data, "");
    } else {
      mkdirSync(data);
      chmodSync(data, 0o500);
    }
    const refused = run(["serve", "--data", data, "--listen", "127.0.0.1:0"]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, new RegExp(data));
  });

  test("a full disk is said, writes fail alone, and work goes on when there is room", async (t) => {
    const data = temp_dir();
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs", data]);
    if (mounted.status !== 0) {
      console.log("SKIPPED: full disk on the real binary: no right to mount a tmpfs (the simulator has the same test)");
      t.skip("no right to mount a tmpfs");
      return;
    }
    try {
      const server = await Server.start({ data });
      const kept: string[] = [];
      let refused;
      do {
        const answer = await server.json("/kernel/workspaces", { type: "x".repeat(60) });
        if (answer.status === 200) kept.push(answer.body.workspace_id); else refused = answer;
      } while (!refused && kept.length < 50_000);
      assert.equal(refused!.status, 503);
      assert.match(refused!.body.message, /disk is full/);
      assert.equal((await server.fetch("/health")).status, 200);
      execFileSync("mount", ["-o", "remount,size=8m", data]);
      let again;
      for (let i = 0; i < 20 && again?.status !== 200; ++i) again = await server.json("/kernel/workspaces", { type: "after" });
      assert.equal(again!.status, 200);
      assert.equal(await server.stop(), 0);
      const reopened = await Server.start({ data });
      const found = new Set<string>();
      let cursor = "";
      do {
        const page = (await reopened.json(`/kernel/workspaces?limit=200&cursor=${cursor}`)).body;
        for (const item of page.items) found.add(item.workspace_id);
        cursor = page.next_cursor ?? "";
      } while (cursor);
      assert.deepEqual(kept.filter((id) => !found.has(id)), []);
      assert.equal(await reopened.stop(), 0);
    } finally {
      spawnSync("umount", [data]);
    }
  });
});

describe("in the configuration", () => {
  test("a listen address that others can reach is refused without TLS, however it was set", () => {  // SC-1
    const data = temp_dir();
    const flag = run(["serve", "--data", data, "--listen", "0.0.0.0:0"]);
    assert.equal(flag.code, 1);
    assert.match(flag.stderr, /allow_plain_http/);
    writeFileSync(join(data, "rouse.yaml"), "listen: ['0.0.0.0:0']\n");
    const file = run(["serve", "--data", data]);
    assert.equal(file.code, 1);
    assert.match(file.stderr, /allow_plain_http/);
  });

  test("an invalid file keeps the last good settings running and says so until it is mended", async () => {  // UX-4
    const data = temp_dir();
    const yaml = join(data, "rouse.yaml");
    writeFileSync(yaml, "log: {level: info}\n");
    const server = await Server.start({ data });
    writeFileSync(yaml, "log: {level: loud}\n");
    await server.logged(/config\.invalid .*/);
    assert.equal((await server.json("/health")).body.status, "degraded");
    const health = (await server.json("/api/health")).body;
    assert.equal(health.config, "invalid");
    assert.match(health.problems[0], /rouse\.yaml:1.*loud/);
    writeFileSync(yaml, "log: {level: debug}\n");
    await server.logged(/config\.reloaded .*/);
    assert.equal((await server.json("/api/health")).body.status, "ok");
    assert.equal(await server.stop(), 0);
  });

  test("the sign-in link is kept from the journal, and only from it", async () => {
    // A terminal's shell inherits the variable of the service that started it: its stdout is not that stream.
    const server = await Server.start({ env: { JOURNAL_STREAM: "1:2" } });
    assert.match(server.link, /\/signin\?code=[0-9a-f]{32}$/);
    assert.equal(await server.stop(), 0);
    const file = join(temp_dir(), "journal");
    const out = openSync(file, "w");
    const { dev, ino } = fstatSync(out);
    const child = spawn(rouse, ["serve", "--data", temp_dir(), "--listen", "127.0.0.1:0"],
      { stdio: ["ignore", out, "pipe"], env: { JOURNAL_STREAM: `${dev}:${ino}` } });
    const ended = once(child, "exit");
    await once(child.stderr!, "data");  // the first line of the log comes after the greeting
    child.kill("SIGTERM");
    await ended;
    assert.match(readFileSync(file, "utf8"), /for a sign-in link: rouse token link/);
    assert.doesNotMatch(readFileSync(file, "utf8"), /code=/);
  });

  test("an unknown key in a live edit is warned about with the nearest name", async () => {
    const data = temp_dir();
    const server = await Server.start({ data });
    writeFileSync(join(data, "rouse.yaml"), "lisen: x\n");
    assert.match(await server.logged(/config\.notice .*/), /rouse\.yaml:1.*lisen.*listen/);
    assert.equal(await server.stop(), 0);
  });

  test("TLS serves, and a new certificate is taken up without a restart", async () => {
    const data = temp_dir();
    const make = (name: string) => execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", `/CN=${name}`,
      "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", join(data, "key.pem"), "-out", join(data, "cert.pem")], { stdio: "ignore" });
    make("first");
    writeFileSync(join(data, "rouse.yaml"), `tls: {cert: ${data}/cert.pem, key: ${data}/key.pem}\nlog: {level: debug}\n`);
    const server = await Server.start({ data });
    assert.match(server.url, /^https:/);
    const seen = () => spawnSync("openssl", ["s_client", "-connect", `127.0.0.1:${server.port}`, "-brief"], { input: "", encoding: "utf8" }).stderr;
    assert.match(seen(), /CN ?= ?first/);
    const health = spawnSync("curl", ["-s", "--cacert", join(data, "cert.pem"), `${server.url}/health`], { encoding: "utf8" });
    assert.match(health.stdout, /"ok":true/);
    make("second");
    let now = "";
    for (let i = 0; i < 200 && !/second/.test(now); ++i) now = seen();
    assert.match(now, /CN ?= ?second/);
    assert.equal(await server.stop(), 0);
  });
});
