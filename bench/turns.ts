// Benchmarks of the turn, with a model on the same machine that answers at once (bare_model.cc): what a turn adds
// to the two fsyncs it can't do without, how many there are in a second, that memory stays, what is sent.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { build, median, report, root, rssKb, scratch, start, startBare, toMs, wrkWith, type Server, type WrkResult } from "./lib.ts";

interface Stats { requests: number; last_body_bytes: number; max_body_bytes: number }

// A server and its model.
class House {
  readonly server: Server;
  readonly #model: Server;

  private constructor(server: Server, model: Server) {
    this.server = server;
    this.#model = model;
  }

  static async open(name: string): Promise<House> {
    const model = await startBare("bare_model", 18996);
    const server = await start(name, { OPENAI_API_KEY: "x", OPENAI_BASE_URL: `http://127.0.0.1:${model.port}/v1` });
    return new House(server, model);
  }

  async close() {
    await this.server.stop();
    await this.#model.stop();
  }

  get modelUrl(): string {
    return `http://127.0.0.1:${this.#model.port}`;
  }

  async stats(): Promise<Stats> {
    return await (await fetch(`${this.modelUrl}/stats`)).json() as Stats;
  }

  // One turn that must have gone well.
  async turn(session_id: string, message: string): Promise<void> {
    const answer = await fetch(`http://127.0.0.1:${this.server.port}/api/chat`, {
      method: "POST", headers: { Authorization: `Bearer ${this.server.token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ session_id, message }),
    });
    const text = await answer.text();
    if (!answer.ok || JSON.parse(text).response !== "ok") throw new Error(`a turn was answered with ${answer.status}: ${text.slice(0, 300)}`);
  }

  // Turns in so many conversations over so many connections (bench/turns.lua), for some seconds.
  async load(seconds: number, conversations: number, connections = 64): Promise<WrkResult> {
    const before = await this.stats();
    const run = wrkWith({ CONVERSATIONS: `${conversations}` }, `http://127.0.0.1:${this.server.port}/api/chat`, seconds,
      `-c${connections}`, "-s", join(root, "bench/turns.lua"), "-H", `Authorization: Bearer ${this.server.token}`);
    if (run.errors) throw new Error(`${run.errors} turns failed or were not answered with 2xx`);
    const calls = (await this.stats()).requests - before.requests;
    if (calls < run.requests) throw new Error(`${run.requests} turns were answered with ${calls} calls of the model`);
    return run;
  }
}

// What one question takes the model itself, with a body as large as the last one it was asked, in milliseconds.
async function modelAlone(house: House, seconds: number): Promise<number> {
  const { last_body_bytes } = await house.stats();
  const run = wrkWith({ BYTES: `${last_body_bytes}` }, `${house.modelUrl}/v1/chat/completions`, seconds, "-c1", "-s", join(root, "bench/model.lua"));
  if (run.errors) throw new Error(`${run.errors} questions to the model itself failed`);
  return toMs(run.p50);
}

export async function turn_request_size() {
  const house = await House.open("turn_request_size");
  await house.turn("size", "hi");
  const { requests, max_body_bytes } = await house.stats();
  await house.close();
  report("request body of a turn that says 'hi'", `${max_body_bytes} bytes`, `8192 bytes, default tools (${requests} request${requests === 1 ? "" : "s"})`, max_body_bytes <= 8_192);
}

// Two bare fsyncs, one after the other, on the disk that the server writes to.
function fsyncPairs(milliseconds: number): { p50Ms: number; p99Ms: number } {
  const out = execFileSync(join(build, "bench/fsync_pairs"), [scratch, `${milliseconds}`], { encoding: "utf8" });
  const [p50, p99] = out.split(" ").map((us) => Number(us) / 1000);
  return { p50Ms: p50!, p99Ms: p99! };
}

export async function turn_latency() {
  const house = await House.open("turn_latency");
  await house.turn("bench-0000000", "hello");
  await house.load(1, 1, 1);
  const p50s: number[] = [], p99s: number[] = [], bare50s: number[] = [], bare99s: number[] = [], models: number[] = [];
  for (let i = 0; i < 7; ++i) {  // taking turns, so that a noisy minute of the disk hits both
    const bare = fsyncPairs(2_000);
    const run = await house.load(2, 1, 1);
    const model = await modelAlone(house, 1);
    models.push(model);
    p50s.push(toMs(run.p50) - model);  // what the turn adds to the model
    p99s.push(toMs(run.p99) - model);
    bare50s.push(bare.p50Ms);
    bare99s.push(bare.p99Ms);
  }
  await house.close();
  const times = (ours: number[], theirs: number[]) => median(ours.map((ms, i) => ms / theirs[i]!));
  const p50 = times(p50s, bare50s), p99 = times(p99s, bare99s);
  report("the model's own time", `${median(models).toFixed(3)} ms`, "(not counted below)", true);
  report("added latency of a durable turn, one conversation, p50", `${median(p50s).toFixed(2)} ms`, `(two bare fsyncs ${median(bare50s).toFixed(2)} ms)`, true);
  report("… of two bare fsyncs in the same run", `${p50.toFixed(2)} x`, "2.5 x", p50 <= 2.5);
  report("… its p99", `${median(p99s).toFixed(2)} ms`, `(two bare fsyncs ${median(bare99s).toFixed(2)} ms)`, true);
  report("… of theirs in the same run", `${p99.toFixed(2)} x`, "2 x", p99 <= 2);
}

export async function turn_rate() {
  for (const conversations of [8, 2_000]) {
    const house = await House.open(`turn_rate_${conversations}`);
    await house.turn("bench-0000000", "hello");
    await house.load(3, conversations);  // each has begun before the clock starts
    const runs: WrkResult[] = [];
    for (let i = 0; i < 5; ++i) runs.push(await house.load(3, conversations));
    await house.close();
    const rate = median(runs.map((run) => run.perSecond)), p99 = median(runs.map((run) => toMs(run.p99)));
    report(`durable turns, ${conversations} conversations, 64 connections`, `${rate.toFixed(0)}/s`, `2000/s at least (p99 ${p99.toFixed(1)} ms)`, rate >= 2_000);
  }
}

export async function turn_memory() {
  const early = 20_000, late = 200_000, conversations = 200, limitKb = 2_000;
  const house = await House.open("turn_memory");
  const deadline = Date.now() + 15 * 60_000;
  let turns = 0;
  const rssAfter = async (count: number) => {
    while (turns < count) {
      if (Date.now() > deadline) throw new Error(`only ${turns} turns in a quarter of an hour`);
      turns += (await house.load(5, conversations)).requests;
    }
    await wait(5_000);  // what follows a turn, such as the search index, is done by then
    return rssKb(house.server.process.pid!);
  };
  const before = await rssAfter(early);
  const after = await rssAfter(late);
  await house.close();
  const mb = (kb: number) => (kb / 1000).toFixed(2);
  report(`RSS after ${turns} turns`, `${mb(after)} MB`, `2 MB more than after ${early} (${mb(before)} MB)`, after <= before + limitKb);
}
