// The house rules as a test: which room may include which, and what may be named where. Each rule says
// why it is there; a breach is printed as file:line with the rule.
import { readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
process.chdir(root);

// Who may include whom, besides itself: those to the left of it.
const sees: Record<string, string[]> = {
  base: [],
  net: ["base"],
  store: ["base"],
  model: ["base", "net"],
  tool: ["base", "net", "store"],
  session: ["base", "store", "model", "tool"],
  activity: ["base", "store", "session"],
  agent: ["base", "store", "model", "tool", "session", "activity"],
  lifecycle: ["base", "store", "model", "tool", "session", "activity", "agent"],
  schedule: ["base", "store", "model", "tool", "session", "activity", "agent"],
  proactive: ["base", "store", "model", "tool", "session", "activity", "agent", "schedule"],
  channel: ["base", "net", "store", "session", "activity", "agent", "schedule", "proactive"],
  gateway: ["base", "net", "store", "model", "tool", "session", "activity", "agent", "schedule", "proactive", "channel", "lifecycle"],
  app: ["base", "net", "store", "model", "tool", "session", "activity", "agent", "schedule", "proactive", "channel", "gateway", "lifecycle"],
};

interface Rule {
  name: string;
  why: string;
  pattern: RegExp;
  allowed: (file: string) => boolean;
}

const inRoom = (...rooms: string[]) => (file: string) => rooms.some((room) => file.startsWith(`src/${room}/`));
const isTest = (file: string) => /_test\.cc$|_for_tests\.(cc|h)$|^tests\/|^bench\//.test(file);

const rules: Rule[] = [
  {
    name: "beast-only-in-net",
    why: "a Beast include costs 25 s of compile and ties the domain to a socket library",
    pattern: /boost\/beast|boost::beast/,
    allowed: (f) => inRoom("net")(f) || f.startsWith("bench/bare_"),
  },
  {
    name: "sockets-only-in-net",
    why: "the domain must run in the simulator, which has no sockets",
    pattern: /asio::ip::|boost\/asio\/(ip|ssl|connect|read|write)|<sys\/socket\.h>|<netdb\.h>|<arpa\/inet\.h>/,
    allowed: (f) => inRoom("net")(f) || isTest(f),
  },
  {
    name: "awaitable-only-in-task",
    why: "Task<T> is the house's coroutine; the library under it can change in one place",
    pattern: /asio::awaitable|asio\/awaitable\.hpp/,
    allowed: (f) => f === "src/base/task.h",
  },
  {
    name: "time-only-behind-clock",
    why: "the core runs on a virtual clock",
    pattern: /(system|steady|high_resolution|utc|file)_clock::now|clock_gettime|gettimeofday|\btime\(nullptr\)|\btime\(NULL\)|\btime\(0\)/,
    allowed: (f) => f === "src/base/clock.cc" || f === "src/base/stopwatch.cc" || isTest(f),
  },
  {
    name: "no-sleep",
    why: "waits go through Clock; tests wait for the event itself",
    pattern: /sleep_for|sleep_until|\busleep\(|\bnanosleep\(|[^_a-z]sleep\(\d/,
    allowed: (f) => f.startsWith("bench/"),
  },
  {
    name: "chance-only-behind-random",
    why: "a run must be repeatable from its seed",
    pattern: /\brand\(\)|\bsrand\(|random_device|mt19937|getrandom\(/,
    allowed: (f) => f === "src/base/random.cc" || isTest(f),
  },
  {
    name: "threads-only-in-store-and-pool",
    why: "one loop owns all domain state",
    pattern: /std::(jthread|thread|async)\b(?!::id)|pthread_create/,
    allowed: (f) => inRoom("store/sqlite")(f) || f.startsWith("src/base/blocking_pool.") || isTest(f),
  },
  {
    name: "sqlite-only-in-its-folder",
    why: "a second backend is coming",
    pattern: /sqlite3_|<sqlite3\.h>|\bPRAGMA\b|AUTOINCREMENT/,
    allowed: (f) => inRoom("store/sqlite")(f) || isTest(f),
  },
  {
    name: "concrete-classes-only-in-wiring",
    why: "everybody else is handed an interface",
    pattern: /\b(RealClock|SystemRandom|open_sqlite|make_http_server)\b/,
    allowed: (f) =>
      isTest(f) ||
      f === "src/app/wiring.cc" ||
      f.startsWith("src/app/cli/") || // the commands that work without a server wire themselves
      /^src\/base\/(clock|random)\./.test(f) ||
      f.startsWith("src/store/sqlite/") ||
      f.startsWith("src/net/http_server.") ||
      f.startsWith("src/net/deadlines."), // sockets live in real time
  },
  {
    name: "no-capturing-lambda-coroutine",
    why: "the lambda dies while its coroutine lives",
    pattern: /\[[^\]]+\]\s*\([^)]*\)\s*(mutable\s*)?->\s*Task<[^{]*\{[^}]*co_(await|return)/,
    allowed: () => false,
  },
];

const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "src", "tests", "bench"], { encoding: "utf8" })
  .split("\n")
  .filter((f) => /\.(cc|h)$/.test(f))
  .filter((f) => { try { readFileSync(f); return true; } catch { return false; } });

const breaches: string[] = [];
const long: string[] = [];
// Two types of one name in one namespace link without a word and then destroy each other's objects.
const typesAt = new Map<string, string>();
function noteTypes(file: string, text: string) {
  const namespace = /^namespace ([\w:]+) \{/m.exec(text)?.[1] ?? "";
  for (const [, name] of text.matchAll(/^(?:struct|class|enum class) (\w+)(?: final)?\s*(?::(?!:)[^;{]*)?\{/gm)) {
    const type = `${namespace}::${name}`;
    const other = typesAt.get(type);
    if (other && other !== file) breaches.push(`${file}: ${type} is also the name of a type in ${other}; one of them would be used for both`);
    typesAt.set(type, file);
  }
}

for (const file of files) {
  const text = readFileSync(file, "utf8");
  const lines = text.split("\n");
  if (lines.length > 501) long.push(`${lines.length - 1} ${file}`);
  const room = /^src\/([a-z]+)\//.exec(file)?.[1];
  if (room && !(room in sees)) breaches.push(`${file}: room '${room}' is not in tests/tidy/tidy.ts; say whom it may see`);
  if (file.endsWith(".h") && !text.startsWith("//")) breaches.push(`${file}:1: a header opens with what it is for`);
  if (file.startsWith("src/") && file.endsWith(".h")) noteTypes(file, text);
  lines.forEach((line, i) => {
    const at = `${file}:${i + 1}`;
    const code = line.replace(/\/\/.*$/, "");
    const include = /^#include "([a-z]+)\//.exec(line)?.[1];
    if (room && include && include in sees && include !== room && !sees[room]!.includes(include)) {
      breaches.push(`${at}: ${room} must not include ${include} (includes point one way)`);
    }
    for (const rule of rules) {
      if (rule.pattern.test(code) && !rule.allowed(file)) breaches.push(`${at}: ${rule.name}: ${rule.why}\n    ${line.trim()}`);
    }
  });
}

for (const entry of long.sort().reverse()) console.log(`over 500 lines (which room is missing?): ${entry}`);
for (const breach of breaches) console.error(breach);
console.log(`${files.length} files, ${rules.length + 4} rules, ${breaches.length} breaches`);
process.exit(breaches.length ? 1 : 0);
