// What others check with their own tools: OpenAPI under a linter, metrics under promtool, the unit file under
// systemd-analyze.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Server, root, rouse, temp_dir } from "./server.ts";

let server: Server;
before(async () => { server = await Server.start(); });
after(async () => { assert.equal(await server.stop(), 0); });

test("/openapi.json is clean under the recommended rules of a linter", async () => {
  const require = createRequire(join(root, "web/package.json"));
  const { lintFromString, createConfig } = require("@redocly/openapi-core");
  const source = await (await server.fetch("/openapi.json")).text();
  const problems = await lintFromString({
    source, absoluteRef: "openapi.json",
    // The server's address is its own machine here, which the rule takes for an example left in.
    config: await createConfig({ extends: ["recommended"], rules: { "no-server-example.com": "off" } }),
  });
  assert.deepEqual(problems.map((p: any) => `${p.ruleId}: ${p.message} at ${p.location?.[0]?.pointer}`), []);
});

// promtool, unpacked from Debian's package without installing a service.
function promtool(): string | undefined {
  const folder = join(root, "build/promtool");
  const binary = join(folder, "usr/bin/promtool");
  if (existsSync(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  if (spawnSync("apt-get", ["download", "prometheus"], { cwd: folder }).status !== 0) return undefined;
  const package_file = readdirSync(folder).find((f) => f.endsWith(".deb"))!;
  execFileSync("dpkg", ["-x", package_file, "."], { cwd: folder });
  return binary;
}

test("/metrics is clean under promtool", async (t) => {
  const tool = promtool();
  if (!tool) {
    console.log("SKIPPED: promtool: apt could not download the package prometheus");
    t.skip("no promtool");
    return;
  }
  await server.json("/kernel/workspaces", { type: "x" });
  const text = await (await server.fetch("/metrics")).text();
  const checked = spawnSync(tool, ["check", "metrics"], { input: text, encoding: "utf8" });
  assert.equal(checked.stdout + checked.stderr, "");
  assert.equal(checked.status, 0);
});

test("the unit file is clean under systemd-analyze", () => {
  // The unit names the installed place of the binary; a copy of the unit points at ours.
  const folder = temp_dir();
  const unit = readFileSync(join(root, "packaging/rouse.service"), "utf8");
  writeFileSync(join(folder, "rouse.service"), unit.replaceAll("/usr/bin/rouse", rouse));
  const checked = spawnSync("systemd-analyze", ["verify", "--man=no", join(folder, "rouse.service")], { encoding: "utf8" });
  assert.equal(checked.stdout + checked.stderr, "");
  assert.equal(checked.status, 0);
});
