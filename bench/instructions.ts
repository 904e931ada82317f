// The guard against slow growth: how many instructions the main paths take, counted by callgrind (bench/instructions.cc),
// beside what stands in bench/instructions.json. Fails if one takes over 5 % more.
//
//   node bench/instructions.ts             compare
//   node bench/instructions.ts --accept    this is what they may take from now on
//
// Counts don't depend on how busy the machine is. What they could depend on is kept out: only code of the program itself is
// counted, SQLite and the C++ library included, not glibc, which picks its memcpy by the processor; OpenSSL is told to pick
// nothing. How often memory was asked for is counted beside, since the asking is glibc's. A compiler or a library of
// another version may count differently, which is why their versions stand in the file.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const program = join(resolve(root, process.env.ROUSE_BUILD ?? "build/release"), "bench/instructions");
const kept = join(root, "bench/instructions.json");
const most = 1.05;

interface Cost { instructions: number; allocations: number }
interface Book { made_with: Record<string, string>; paths: Record<string, Cost> }

// The instructions of the program itself in a file of callgrind: lines "LINE COST" are a function's own, the line after
// "calls=" is what it called. https://valgrind.org/docs/manual/cl-format.html
function read(file: string): number {
  let sum = 0, ours = false, called = false;
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (line.startsWith("ob=")) ours = line.slice(3) === program;
    else if (line.startsWith("calls=")) called = true;
    else if (/^[+\-*\d]/.test(line)) {
      if (ours && !called) sum += Number(line.split(" ")[1]);
      called = false;
    }
  }
  return sum;
}

function count(): Record<string, Cost> {
  const folder = mkdtempSync(join(tmpdir(), "rouse-instructions-"));
  try {
    const run = spawnSync("valgrind", ["--tool=callgrind", "--toggle-collect=rouse_counted", "--dump-after=rouse_counted",
      "--compress-strings=no", "--compress-pos=no", `--callgrind-out-file=${join(folder, "out")}`, program, join(folder, "data")],
      { encoding: "utf8", timeout: 300_000, env: { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC", OPENSSL_ia32cap: "0:0" } });
    if (run.status !== 0) throw new Error(`callgrind ended with ${run.status ?? run.signal}:\n${run.stderr}`);
    const paths = run.stdout.trim().split("\n").map((line) => line.split(" ") as [string, string, string]);
    const files = readdirSync(folder).filter((name) => /^out\.\d+$/.test(name)).sort((a, b) => Number(a.slice(4)) - Number(b.slice(4)));
    if (files.length < paths.length) throw new Error(`${paths.length} paths and ${files.length} files of callgrind`);
    return Object.fromEntries(paths.map(([name, rounds, asked], i) => {
      const instructions = Math.round(read(join(folder, files[i]!)) / Number(rounds));
      if (instructions === 0) throw new Error(`nothing was counted of ${name}`);
      return [name, { instructions, allocations: Number(asked) / Number(rounds) }];
    }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function versions(): Record<string, string> {
  const wanted = ["clang-19", "libstdc++-12-dev", "libsqlite3-dev", "libboost1.81-dev", "valgrind"];
  const out = execFileSync("dpkg-query", ["-W", "-f=${Package} ${Version}\n", ...wanted], { encoding: "utf8" });
  return Object.fromEntries(out.trim().split("\n").map((line) => line.split(" ") as [string, string]));
}

const accept = process.argv.includes("--accept");
const now: Book = { made_with: versions(), paths: count() };
if (accept || !existsSync(kept)) {
  writeFileSync(kept, JSON.stringify(now, null, 2) + "\n");
  console.log(`kept in bench/instructions.json: ${Object.keys(now.paths).length} paths`);
} else {
  const before = JSON.parse(readFileSync(kept, "utf8")) as Book;
  const grown: string[] = [], shrunk = new Set<string>();
  for (const name of new Set([...Object.keys(before.paths), ...Object.keys(now.paths)])) {
    const was = before.paths[name], is = now.paths[name];
    if (!was || !is) {
      grown.push(name);
      console.log(`CHANGED ${name}: ${was ? "is not counted any more" : "is counted for the first time"}`);
      continue;
    }
    for (const what of ["instructions", "allocations"] as const) {
      const ratio = is[what] / was[what], over = ratio > most, less = ratio < 2 - most;
      if (over) grown.push(`${name} (${what})`);
      if (less) shrunk.add(name);
      console.log(`${over ? "GROWN  " : less ? "less   " : "ok     "} ${name.padEnd(20)} ${what.padEnd(13)} ${is[what].toLocaleString("en").padStart(11)}  ${((ratio - 1) * 100).toFixed(1).padStart(6)} %`);
    }
  }
  if (shrunk.size) console.log(`\n${[...shrunk].join(", ")}: less than before. Keep it so: web/node_modules/.bin/node bench/instructions.ts --accept`);
  if (grown.length) {
    const others = Object.entries(now.made_with).filter(([name, version]) => before.made_with[name] !== version);
    console.log(`\nmore than 5 % over bench/instructions.json: ${grown.join(", ")}.`);
    console.log("Find the cause: valgrind --tool=callgrind --toggle-collect=rouse_counted build/release/bench/instructions NEW_FOLDER");
    if (others.length) console.log(`Counted there with other versions of ${others.map(([name]) => name).join(", ")}: that may be all.`);
    console.log("If the growth is wanted: web/node_modules/.bin/node bench/instructions.ts --accept, and say in the commit what it buys.");
    process.exit(1);
  }
  console.log(`\n${2 * Object.keys(now.paths).length} counts within 5 % of bench/instructions.json`);
}
