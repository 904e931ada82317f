// The benchmark: node bench/bench.ts [--full] [NAME…]. Each figure stands beside its limit, measured in the same run, and
// its budget. Servers and clients run on loopback, bounded in count and time. A benchmark that can't run here is skipped
// with its reason, one that fails doesn't stop the others; the end says whether all budgets hold. A whole run is kept in
// bench/results.json and, for people, in build/bench/report.html. ROUSE_BUILD names another build directory, ROUSE_BINARY another
// server (scripts/profile).
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { activity_rows } from "./activity.ts";
import { jobs_herd, jobs_lateness, jobs_stored } from "./automations.ts";
import { long_conversation, resolve, resolve_stored } from "./conversations.ts";
import { beginBench, figures, growthLine, growths, heading, line } from "./figures.ts";
import { binary_size, durable_writes, idle, idle_websockets, start_time, throughput } from "./foundation.ts";
import { growth_conversations, growth_jobs, growth_messages } from "./growth.ts";
import { Skip, full, root, scratch, stopAll } from "./lib.ts";
import { lifecycle_cost } from "./lifecycle.ts";
import { machine } from "./machine.ts";
import { memory_recall } from "./memory.ts";
import { page, type Results } from "./report.ts";
import { streaming_first_byte, streaming_tokens, websocket_fanout } from "./streaming.ts";
import { heartbeat_request_size, turn_disk, turn_latency, turn_memory, turn_rate, turn_request_size } from "./turns.ts";
import { web_first_load, web_long_conversation } from "./web.ts";

const all: Record<string, () => Promise<void>> = {
  binary_size, start_time, idle, throughput, durable_writes, idle_websockets,
  resolve, resolve_stored, long_conversation,
  turn_request_size, heartbeat_request_size, turn_latency, turn_rate, turn_memory, turn_disk,
  streaming_first_byte, streaming_tokens, websocket_fanout,
  memory_recall,
  lifecycle_cost,
  jobs_stored, jobs_herd, jobs_lateness,
  activity_rows,
  growth_conversations, growth_jobs, growth_messages,
  web_first_load, web_long_conversation,
};
const minutes = full ? 120 : 15, oneMinutes = full ? 30 : 4;

process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const wanted = process.argv.slice(2).filter((name) => !name.startsWith("--"));
const unknown = wanted.filter((name) => !(name in all));
if (unknown.length) {
  console.error(`no benchmark ${unknown.join(", ")}; there are ${Object.keys(all).join(" ")}`);
  process.exit(2);
}

const results: Results = { ...machine(), date: new Date().toISOString(), sizes: full ? "full" : "quick", seconds: 0, figures, growths, skipped: [], failed: [], took: {} };
const began = performance.now(), passed = () => (performance.now() - began) / 1000;

// Within its time, or with the reason why not. What it leaves behind is ended and removed.
async function run(name: string, bench: () => Promise<void>) {
  const left = minutes * 60 - passed(), allowed = Math.min(oneMinutes * 60, left);
  if (left < 20) throw new Skip(`${minutes} minutes are over`);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => { timer = setTimeout(() => fail(new Error(`not done in ${allowed.toFixed(0)} seconds`)), allowed * 1000); });
  beginBench(name);
  try {
    await Promise.race([bench(), late]);
  } finally {
    clearTimeout(timer);
    await stopAll();
    for (const folder of readdirSync(scratch)) if (folder !== "schema") rmSync(join(scratch, folder), { recursive: true, force: true });
  }
}

console.log(heading());
for (const [name, bench] of Object.entries(all)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const from = passed();
  try {
    await run(name, bench);
  } catch (problem) {
    const reason = problem instanceof Error ? problem.message : String(problem);
    results[problem instanceof Skip ? "skipped" : "failed"].push({ bench: name, reason });
    console.log(`${problem instanceof Skip ? "skip" : "FAIL"}  ${name}: ${reason}`);
  }
  results.took[name] = Math.round(passed() - from);
}
results.seconds = Math.round(passed());

// Part of a run doesn't replace a whole one.
const kept = join(root, wanted.length ? "build/bench/results.json" : "bench/results.json"), shown = join(root, "build/bench/report.html");
mkdirSync(join(root, "build/bench"), { recursive: true });
writeFileSync(kept, JSON.stringify(results, null, 1) + "\n");
writeFileSync(shown, page(results));

const over = [...figures.filter((figure) => !figure.ok).map(line), ...growths.filter((growth) => !growth.ok).map(growthLine)];
const { skipped, failed } = results, count = figures.length + growths.length;
console.log(`\n${count} figures in ${results.seconds} s; ${over.length} over budget, ${failed.length} benchmarks failed, ${skipped.length} skipped. ${kept}, ${shown}`);
for (const one of over) console.log(one);
process.exit(over.length + failed.length ? 1 : 0);
