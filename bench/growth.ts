// How costs grow with what is stored: the same few measurements with a thousand conversations, jobs or messages, with ten
// thousand, and so on. All of them should stay where they are; what grows faster than n log n is a mistake.
import { statSync } from "node:fs";
import { join } from "node:path";
import { copyOf, fixture, fixtureNote, longTimeout, rows } from "./fixtures.ts";
import { flat, median, nearlyLinear, reportGrowth } from "./figures.ts";
import { modelEnv, modelPort } from "./house.ts";
import { ask, deeds, rssKb, since, start, startBare, startTimes, type Server } from "./lib.ts";

type Points = { x: number; y: number }[];
const requests = 100;

// Measures each size in turn, a few times over, so that a noisy moment is no slope; the medians.
async function alongSizes(sizes: number[], measures: Record<string, (size: number) => Promise<number>>, rounds = 3): Promise<Record<string, Points>> {
  const seen: Record<string, Map<number, number[]>> = {};
  for (let i = 0; i < rounds; ++i) {
    for (const size of sizes) {
      for (const [name, measure] of Object.entries(measures)) {
        const bySize = (seen[name] ??= new Map());
        bySize.set(size, [...bySize.get(size) ?? [], await measure(size)]);
      }
    }
  }
  return Object.fromEntries(Object.entries(seen).map(([name, bySize]) => [name, [...bySize].map(([x, ys]) => ({ x, y: median(ys) }))]));
}

const fileMb = (data: string) => statSync(join(data, "rouse.db")).size / 1e6;
// What the server computes for one of them: the disk's moods and the client are not in it.
async function cpuUs(server: Server, count: number, once: (i: number) => Promise<unknown>): Promise<number> {
  for (let i = 0; i < 3; ++i) await once(i);
  const before = deeds(server.process.pid!);
  for (let i = 0; i < count; ++i) await once(i);
  return since(before, server.process.pid!).us / count;
}

export async function growth_conversations() {
  const data = new Map<number, string>(), servers = new Map<number, Server>(), name = (size: number) => `growth_conversations_${size}`;
  for (const size of rows.sizes) data.set(size, copyOf(await fixture("conversations", size), name(size)));
  const starts = await alongSizes(rows.sizes, { "exec to /health": async (size) => median(startTimes(data.get(size)!, 5)) });
  for (const size of rows.sizes) servers.set(size, await start(name(size), longTimeout));
  const rss = await alongSizes(rows.sizes, { RSS: async (size) => rssKb(servers.get(size)!.process.pid!) / 1000 }, 1);
  const resolveOnce = (server: Server, i: number) => ask(server, "POST", "/kernel/sessions/resolve", {
    workspace_id: "ws_default", channel: "whatsapp", remote_jid: `+1555${`${i}`.padStart(7, "0")}`, user_message: "And tomorrow?" });
  const costs = await alongSizes(rows.sizes, {
    "the list of conversations": (size) => cpuUs(servers.get(size)!, requests, () => ask(servers.get(size)!, "GET", "/api/conversations?limit=20")),
    "resolve": (size) => cpuUs(servers.get(size)!, requests, (i) => resolveOnce(servers.get(size)!, i * 7_919 % size)),
  });
  const disk = rows.sizes.map((x) => ({ x, y: fileMb(data.get(x)!) }));
  for (const server of servers.values()) await server.stop();
  reportGrowth("exec to /health", "conversations", "ms", starts["exec to /health"]!, flat);
  for (const [what, points] of Object.entries(costs)) reportGrowth(`${what}, CPU`, "conversations", "µs", points, flat);
  reportGrowth("RSS", "conversations", "MB", rss["RSS"]!, flat);
  reportGrowth("disk", "conversations", "MB", disk, nearlyLinear);
}

export async function growth_jobs() {
  const data = new Map<number, string>(), servers = new Map<number, Server>(), name = (size: number) => `growth_jobs_${size}`;
  for (const size of rows.sizes) data.set(size, copyOf(await fixture("jobs", size), name(size)));
  const starts = await alongSizes(rows.sizes, { "exec to /health": async (size) => median(startTimes(data.get(size)!, 5)) });
  for (const size of rows.sizes) servers.set(size, await start(name(size)));
  const rss = await alongSizes(rows.sizes, { RSS: async (size) => rssKb(servers.get(size)!.process.pid!) / 1000 }, 1);
  let made = 0;
  const costs = await alongSizes(rows.sizes, {
    "the list of automations": (size) => cpuUs(servers.get(size)!, requests, () => ask(servers.get(size)!, "GET", "/api/automations?limit=20")),
  });
  const room = rows.sizes.filter((size) => size < 1_000_000);  // as many as a workspace may have
  const more = await alongSizes(room, {
    "a new automation": (size) => cpuUs(servers.get(size)!, requests / 4, () => ask(servers.get(size)!, "POST", "/api/automations", {
      name: `new ${++made}`, message: "Look around.", session_key: "websocket:bench", schedule: { kind: "cron", expr: "0 8 1 1 *", tz: "UTC" } })),
  });
  for (const server of servers.values()) await server.stop();
  reportGrowth("exec to /health", "jobs", "ms", starts["exec to /health"]!, flat);
  for (const [what, points] of Object.entries({ ...costs, ...more })) reportGrowth(`${what}, CPU`, "jobs", "µs", points, flat);
  reportGrowth("RSS", "jobs", "MB", rss["RSS"]!, flat);
}

// One conversation that becomes longer and longer: opening it, reading it, finding a word in it, going on with it.
export async function growth_messages() {
  const model = await startBare("bare_model", modelPort), servers = new Map<number, Server>(), ids = new Map<number, string>();
  for (const size of rows.sizes) {
    const long = await fixture("long", size), name = `growth_messages_${size}`;
    copyOf(long, name);
    ids.set(size, fixtureNote(long));
    servers.set(size, await start(name, modelEnv()));
  }
  const get = (path: string) => (size: number) => cpuUs(servers.get(size)!, requests, () => ask(servers.get(size)!, "GET", `/api/conversations/${ids.get(size)}${path}`));
  const costs = await alongSizes(rows.sizes, {
    "opening it": get(""),
    "its newest page": get("/messages?limit=50"),
    "a search": (size) => cpuUs(servers.get(size)!, requests, () => ask(servers.get(size)!, "GET", "/api/search?q=sister")),
    "a turn in it": (size) => cpuUs(servers.get(size)!, requests / 2, () => ask(servers.get(size)!, "POST", "/api/chat", { session_id: ids.get(size)!, message: "And now?" })),
  });
  for (const server of [...servers.values(), model]) await server.stop();
  for (const [what, line] of Object.entries(costs)) reportGrowth(`${what}, CPU`, "messages", "µs", line, flat);
}
