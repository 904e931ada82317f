// Benchmarks of what streams: the first word of an answer, words a second, and pages that watch. The model writes into
// each word when it wrote it (bench/wire.h), so how long a word was under way is seen at the other end, whatever lies
// between. Beside rouse: a relay that only copies bytes, a loop that only writes to sockets.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { report, type Spread } from "./figures.ts";
import { House, askModel, modelPort } from "./house.ts";
import { build, keep, spreadOf, startBare, type Driven } from "./lib.ts";
import { fsyncPairs } from "./turns.ts";

const relayPort = 18994, fanoutPort = 18993;
const relayUrl = `http://127.0.0.1:${relayPort}/`;

// Both ways to the same model take turns.
async function sideBySide(name: string, wish: string, rounds: number, seconds: number, connections: number) {
  const house = await House.open(name, wish);
  const relay = await startBare("bare_relay", relayPort, `${modelPort}`, `/${wish}/v1/chat/completions`);
  const stream = { body: { stream: true }, connections };
  await house.load(1, connections, stream);
  const bytes = (await house.stats()).last_body_bytes;
  const ours: Driven[] = [], theirs: Driven[] = [], fsyncUs: number[] = [];
  for (let i = 0; i < rounds; ++i) {
    theirs.push(askModel(relayUrl, bytes, { seconds, connections }));
    ours.push(await house.load(seconds, connections, stream));
    fsyncUs.push(fsyncPairs(200).p50Us / 2);
  }
  await relay.stop();
  await house.close();
  return { ours, theirs, fsyncUs };
}

// The model thinks for 2 ms, so that a word is never under way while its turn is still being accepted.
export async function streaming_first_byte() {
  const { ours, theirs, fsyncUs } = await sideBySide("first_byte", "tokens=20&first_us=2000&gap_us=500&stamp=1", 7, 2, 1);
  const lag = (runs: Driven[]) => runs.map((run) => run.first_lag.p50), first = (runs: Driven[]) => runs.map((run) => run.first_token.p50);
  report("first word of a streamed answer, from model to client, p50", lag(ours), "µs", { limit: { what: "bare relay", value: lag(theirs) }, spread: spreadOf(ours.map((run) => run.first_lag)) });
  report("… what rouse adds to the relay", ours.map((run, i) => run.first_lag.p50 - theirs[i]!.first_lag.p50), "µs", { budget: { most: 150 } });
  report("… the words after it, what rouse adds, p50", ours.map((run, i) => run.lag.p50 - theirs[i]!.lag.p50), "µs", { budget: { most: 150 } });
  report("request to first word, p50 (the model thinks 2 ms)", first(ours), "µs",
    { limit: { what: "bare relay and one fsync", value: first(theirs).map((us, i) => us + fsyncUs[i]!) }, spread: spreadOf(ours.map((run) => run.first_token)) });
}

export async function streaming_tokens() {
  const { ours, theirs } = await sideBySide("tokens", "tokens=2000&stamp=1", 5, 2, 8);
  const rate = (runs: Driven[]) => runs.map((run) => run.tokens_per_second);
  report("streamed words, 8 streams, an event each", rate(ours), "/s", { limit: { what: "bare relay", value: rate(theirs) } });
}

// --- pages that watch ------------------------------------------------------------------------------

interface Heard { connections: number; complete: number; stamps: number; per_second: number; lag: Spread }

// So many pages, something that makes the server say `stamps` words, and what the pages heard of it.
async function hear(port: number, token: string, pages: number, stamps: number, say: () => Promise<unknown>): Promise<Heard> {
  const child = keep(spawn(join(build, "bench/listeners"), [`http://127.0.0.1:${port}/ws`, `${pages}`, `${stamps}`, "--header", `Authorization: Bearer ${token}`],
    { stdio: ["ignore", "pipe", "inherit"] }));
  const lines: string[] = [], reader = createInterface({ input: child.stdout! }), ended = once(child, "exit");
  const ready = new Promise<void>((done) => reader.on("line", (line) => { lines.push(line); done(); }));
  await Promise.race([ready, ended]);
  if (child.exitCode === null) await say();
  await ended;
  if (lines.length !== 2) throw new Error("the listeners ended early");
  const heard = JSON.parse(lines[1]!) as Heard;
  if (heard.complete !== pages) throw new Error(`${heard.complete} of ${pages} pages heard all`);
  return heard;
}

export async function websocket_fanout() {
  const bare = await startBare("bare_fanout", fanoutPort);
  for (const [pages, tokens, gap_us] of [[100, 100, 5_000], [1_000, 50, 20_000]] as const) {
    const wish = `tokens=${tokens}&gap_us=${gap_us}&first_us=${gap_us}`;
    const house = await House.open(`fanout_${pages}`, `${wish}&stamp=1`);
    const ours: Heard[] = [], theirs: Heard[] = [];
    for (let i = 0; i < 3; ++i) {
      theirs.push(await hear(fanoutPort, "", pages, tokens, async () => await (await fetch(`http://127.0.0.1:${fanoutPort}/${wish}`, { method: "POST" })).text()));
      ours.push(await hear(house.server.port, house.server.token, pages, tokens, () => house.turn("fanout", "hello")));
    }
    await house.close();
    const p = (runs: Heard[], share: "p50" | "p99") => runs.map(({ lag }) => lag[share] / 1000);
    report(`a word to ${pages.toLocaleString("en")} pages over WebSocket, p50`, p(ours, "p50"), "ms", { limit: { what: "bare loop of writes", value: p(theirs, "p50") }, spread: spreadOf(ours.map(({ lag }) => lag)) });
    report("… p99, the last pages", p(ours, "p99"), "ms", { limit: { what: "bare loop of writes", value: p(theirs, "p99") } });
  }
  await bare.stop();
}
