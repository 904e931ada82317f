// Benchmarks of the conversation kernel: resolving a message to its session, with few and with very many
// conversations stored, and reading one that is very long.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { copyOf, fixture, fixtureNote, longTimeout, rows } from "./fixtures.ts";
import { median, report } from "./figures.ts";
import { build, root, rssKb, scratch, start, startBare, toMs, wrkWith, type Server } from "./lib.ts";

const auth = (server: Server) => ({ Authorization: `Bearer ${server.token}` });

interface Load { perSecond: number; p99Ms: number }

// Messages of `senders` people, `step` numbers apart (bench/resolve.lua), for some seconds.
function load(server: Server, seconds: number, senders: number, step = 1): Load {
  const run = wrkWith({ SENDERS: `${senders}`, SENDER_STEP: `${step}` },
    `http://127.0.0.1:${server.port}/kernel/sessions/resolve`, seconds,
    "-s", join(root, "bench/resolve.lua"), "-H", `Authorization: Bearer ${server.token}`);
  if (run.errors) throw new Error(`${run.errors} requests failed or were not answered with 2xx`);
  return { perSecond: run.perSecond, p99Ms: toMs(run.p99) };
}

async function resolveOnce(server: Server, number: number): Promise<{ decision: string; session: { context_summary: string } }> {
  const answer = await fetch(`http://127.0.0.1:${server.port}/kernel/sessions/resolve`, {
    method: "POST", headers: { ...auth(server), "Content-Type": "application/json" },
    body: JSON.stringify({
      workspace_id: "ws_default", channel: "whatsapp", remote_jid: `+1555${`${number}`.padStart(7, "0")}`,
      user_message: "And what will the weather be like in Lisbon tomorrow?" }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`resolve answered ${answer.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

const rates = (runs: Load[]) => runs.map((run) => run.perSecond);
const p99s = (runs: Load[]) => runs.map((run) => run.p99Ms);

export async function resolve() {
  const senders = 10_000;
  const server = await start("resolve");
  const bare = await startBare("bare_group_commit", 18997, join(scratch, "bare_group_commit.db"));
  load(server, 2, senders);
  load(bare, 2, senders);
  const ours: Load[] = [], theirs: Load[] = [];
  for (let i = 0; i < 5; ++i) {  // taking turns, so that a noisy minute hits both
    theirs.push(load(bare, 3, senders));
    ours.push(load(server, 3, senders));
  }
  const { decision } = await resolveOnce(server, 1);
  if (decision !== "continue") throw new Error(`a sender known by now got '${decision}'`);
  await bare.stop();
  await server.stop();
  report("resolve, durable, 64 connections", rates(ours), "/s",
    { limit: { what: "bare group commit", value: rates(theirs) }, budget: { least: 12_000, ratio_least: 0.7 } });
  report("… its p99", p99s(ours), "ms", { limit: { what: "bare group commit", value: p99s(theirs) }, budget: { ratio_most: 2 } });
}

// The small store is seeded as well, so that only the number of conversations differs.
export async function resolve_stored() {
  const few = 10_000, many = rows.stored;
  for (const count of [few, many]) copyOf(await fixture("conversations", count), `stored_${count}`);
  const small = await start(`stored_${few}`, longTimeout), large = await start(`stored_${many}`, longTimeout);
  await wait(5_000);  // what a start took of memory is given back by then
  for (const server of [small, large]) {
    const { decision, session } = await resolveOnce(server, 4321);
    if (decision !== "continue" || session.context_summary.length !== 300) throw new Error("the seeded session was not found");
  }
  // In memory before the clock starts: what is measured is the work, not how soon the system forgets a file.
  const warm = (...how: string[]) => [small, large].forEach((server) => execFileSync(join(build, "bench/warm_pages"), [join(server.data, "rouse.db"), ...how]));
  warm("anew");
  const rss = () => ({ small: rssKb(small.process.pid!), large: rssKb(large.process.pid!) });
  const before = rss();
  load(small, 2, few);
  load(large, 2, many);
  const base: Load[] = [], everybody: Load[] = [], some: Load[] = [];
  for (let i = 0; i < 9; ++i) {  // many short runs: the speed of a shared machine changes within seconds
    warm();
    everybody.push(load(large, 2, many));
    base.push(load(small, 2, few));
    some.push(load(large, 2, few, many / few));
  }
  const after = rss();
  await small.stop();
  await large.stop();
  const stored = many.toLocaleString("en");
  for (const [runs, who] of [[everybody, "all of them write"], [some, "10,000 of them write"]] as const) {
    report(`resolve, ${stored} stored, ${who}`, rates(runs), "/s",
      { limit: { what: "with 10,000 stored", value: rates(base) }, budget: { ratio_least: 0.75 }, note: `p99 ${median(p99s(runs)).toFixed(2)} ms` });
  }
  for (const [kb, when] of [[before, "before the load"], [after, "after it"]] as const) {
    report(`… RSS over that of 10,000 stored, ${when}`, (kb.large - kb.small) / 1000, "MB", { budget: { most: 2 }, note: `${(kb.large / 1000).toFixed(2)} MB` });
  }
}

export async function long_conversation() {
  const messages = 100_000, page = 50, limitMs = 20;
  const long = await fixture("long", messages), id = fixtureNote(long);
  copyOf(long, "long");
  const server = await start("long");
  const one = `http://127.0.0.1:${server.port}/api/conversations/${id}`;
  const get = async (url: string): Promise<string> => {
    const answer = await fetch(url, { headers: auth(server) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text.slice(0, 300)}`);
    return text;
  };
  const pageAt = (cursor: string | null) =>
    `${one}/messages?limit=${page}` + (cursor ? `&cursor=${encodeURIComponent(cursor)}` : "");

  // Every page once, as a person would scroll: the cursors, and that nothing is missing.
  const cursors: (string | null)[] = [null];
  let seen = 0, oldest = "";
  while (cursors.length <= messages / page + 1) {
    oldest = await get(pageAt(cursors.at(-1)!));
    const { items, next_cursor } = JSON.parse(oldest) as { items: unknown[]; next_cursor?: string | null };
    if (seen === 0 && !JSON.stringify(items).includes(`Message ${messages} of`)) throw new Error("the first page is not the newest");
    seen += items.length;
    if (!next_cursor) break;
    cursors.push(next_cursor);
  }
  if (seen !== messages || !oldest.includes("Message 1 of")) throw new Error(`paging gave ${seen} messages of ${messages}`);

  const views = {
    "opens": one,
    "newest page": pageAt(null),
    "middle page": pageAt(cursors[cursors.length >> 1]!),
    "oldest page": pageAt(cursors.at(-1)!),
  };
  for (const [view, url] of Object.entries(views)) {
    const times: number[] = [];
    for (let i = 0; i < 50; ++i) {
      const began = performance.now();
      await get(url);
      times.push(performance.now() - began);
    }
    report(`conversation of 100,000 messages, ${view}`, times, "ms", { budget: { most: limitMs } });
  }
  await server.stop();
}
