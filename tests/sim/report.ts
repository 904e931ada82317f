// Runs what proves the promises and writes its figures into docs/reliability.md, behind the last heading:
//   web/node_modules/.bin/node tests/sim/report.ts [SEEDS] [KILLS]
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const page = join(root, "docs/reliability.md");
const heading = "## Figures of the last run\n";
const [seeds = "2000", kills = "500"] = process.argv.slice(2);

function run(name: string, command: string, args: string[], env: Record<string, string> = {}): string {
  process.stderr.write(`${name} …\n`);
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: "utf8", env: { ...process.env, ...env }, maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${name} failed:\n${stdout}${stderr}`);
  return stdout;
}
const lines = (text: string, which: RegExp): string => text.split("\n").filter((line) => which.test(line)).map((line) => line.replace(/^[# ℹ]*/, "")).join("\n");
const block = (text: string): string => "```\n" + text.trimEnd() + "\n```\n";

const sim = join(root, "build/release/rouse-sim");
const seeded = run("seeds", sim, ["--seed", "1", "--seeds", seeds, "--days", "1", "--nightly"]);
const bugs = run("planted bugs", sim, ["--bugs"]);
const killed = run("kills", process.execPath, ["--test", "--test-reporter=spec", "tests/e2e/torture_kill.test.ts"], { KILLS: kills, TORTURE_SEED: "20261" });
const commit = run("commit", "git", ["rev-parse", "--short", "HEAD"]).trim();

const figures = `${heading}
Written by \`tests/sim/report.ts\` at ${commit}.

### Seeds
${block(lines(seeded, /virtual hours/))}
What they met:
${block(lines(seeded, /^ +\d+ {2}/))}
### Planted bugs
${block(bugs)}
### Kills of the real binary
${block(lines(killed, /kills \(seed/))}`;

const text = readFileSync(page, "utf8");
const kept = text.includes(heading) ? text.slice(0, text.indexOf(heading)) : text;
writeFileSync(page, `${kept.trimEnd()}\n\n${figures}`);
