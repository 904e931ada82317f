// What the rules of a session's life cost a turn: both shipped workflows, evaluated for each event.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { report } from "./figures.ts";
import { build, scratch } from "./lib.ts";

const limits: Record<string, [what: string, micros: number]> = {
  tool_call: ["workflows around a tool call", 50],
  turn: ["workflows around a turn", 200],
  engine_tool_call: ["the engine around a tool call", 50],
  engine_turn: ["the engine around a turn", 200],
};

export async function lifecycle_cost() {
  const out = execFileSync(join(build, "bench/lifecycle_cost"), ["20000", join(scratch, "lifecycle_cost")], { encoding: "utf8", timeout: 120_000 });
  for (const [, name, p50, p99] of out.matchAll(/^(\w+) ([\d.]+) ([\d.]+)$/gm)) {
    const [what, limit] = limits[name!]!;
    report(`${what}, median`, Number(p50), "µs", { budget: { most: limit }, note: `p99 ${Number(p99).toFixed(1)} µs` });
  }
}
