// Recall over a large memory: 100,000 notes of one agent, read in as a MEMORY.md, then asked for over HTTP as a
// client does. Words are as uneven as in speech: some in every note, most in a few.
import { copyOf, fixtureMade } from "./fixtures.ts";
import { report } from "./figures.ts";
import { ask as askText, start, toMs, wrk, type Server } from "./lib.ts";

const notes = 100_000, perFile = 20_000, limitMs = 5;

// The same notes on every machine: a small generator of our own.
let seed = 42;
function random(): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
}
const syllables = ["ba", "ko", "mi", "ru", "ten", "sal", "vor", "lin", "dra", "pex", "fo", "gu", "ha", "jor", "nue", "wit"];
const made = (n: number) => { let word = ""; for (let i = n + 16; i > 0; i = Math.floor(i / 16)) word += syllables[i % 16]; return word; };
// The word of rank n is about n times rarer than the first.
const word = () => made(Math.floor(30_000 ** random()));

const ask = async (server: Server, method: string, path: string, body?: object) =>
  JSON.parse(await askText(server, method, path, body)) as { items: { text: string }[] };

async function fill(server: Server) {
  for (let from = 0; from < notes; from += perFile) {
    let markdown = "";
    for (let i = from; i < from + perFile; ++i) {
      const words = Array.from({ length: 9 }, word).join(" ");
      markdown += `- [${1 + Math.floor(random() * 5)}, agent] The user said ${words}${i % 2 ? " at home" : " at work"} (${i}).\n`;
    }
    if (from === 0) markdown += "- The dog is named Rex.\n";
    await ask(server, "POST", "/api/memory/import", { markdown });
  }
}

export async function memory_recall() {
  copyOf(await fixtureMade("notes", notes, fill), "memory_recall");
  const server = await start("memory_recall");
  const questions: [string, string][] = [
    ["a natural question", "what is my dog called?"],
    ["a word that is in every note", "user"],
    ["two words of 50,000 notes each that never meet", "home work"],
    ["four words that are common in all", `${made(1)} ${made(2)} ${made(3)} user`],
    ["six words, common and rare", `${made(1)} ${made(3)} ${made(40)} ${made(700)} ${made(9_000)} user`],
  ];
  for (const [what, question] of questions) {
    const path = `/api/memory?limit=10&query=${encodeURIComponent(question)}`;
    if ((await ask(server, "GET", path)).items.length === 0) throw new Error(`'${question}' found nothing`);
    // One request after the other, by a client that has no pauses of its own.
    const seen = wrk(`http://127.0.0.1:${server.port}${path}`, 3, "-c1", "-H", `Authorization: Bearer ${server.token}`);
    if (seen.errors) throw new Error(`'${question}' failed ${seen.errors} times`);
    report(`recall over ${notes.toLocaleString("en")} notes: ${what}, p99`, toMs(seen.p99), "ms", { budget: { most: limitMs }, note: `p50 ${seen.p50}` });
  }
  await server.stop();
}
