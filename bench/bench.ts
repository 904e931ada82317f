// Every benchmark, each figure beside its limit: node bench/bench.ts [NAME…]. Servers and clients run on
// loopback, bounded in count and time. Times on shared machines are noisy: ratios are taken within one run.
// ROUSE_BUILD names another build directory than build/release.
import { rmSync } from "node:fs";
import { activity_rows } from "./activity.ts";
import { jobs_herd, jobs_lateness, jobs_million } from "./automations.ts";
import { long_conversation, resolve, resolve_million } from "./conversations.ts";
import { binary_size, durable_writes, idle, idle_websockets, start_time, throughput } from "./foundation.ts";
import { figures, scratch } from "./lib.ts";
import { lifecycle_cost } from "./lifecycle.ts";
import { memory_recall } from "./memory.ts";
import { turn_latency, turn_memory, turn_rate, turn_request_size } from "./turns.ts";
import { web_first_load, web_long_conversation } from "./web.ts";

const all: Record<string, () => Promise<void>> = {
  binary_size, start_time, idle, throughput, durable_writes, idle_websockets,
  resolve, resolve_million, long_conversation,
  turn_request_size, turn_latency, turn_rate, turn_memory,
  memory_recall,
  lifecycle_cost,
  jobs_million, jobs_herd, jobs_lateness,
  activity_rows,
  web_first_load, web_long_conversation,
};
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in all));
if (unknown.length) {
  console.error(`no benchmark ${unknown.join(", ")}; there are ${Object.keys(all).join(" ")}`);
  process.exit(2);
}
for (const [name, run] of Object.entries(all)) {
  if (wanted.length === 0 || wanted.includes(name)) await run();
}
const over = figures.filter((f) => !f.ok).length;
console.log(over ? `${over} of ${figures.length} figures are over their limit` : `all ${figures.length} figures within their limits`);
process.exit(over ? 1 : 0);
