// The web app as a person meets it, in Chromium with a software renderer: how soon it can be used with nothing in the
// cache, what it transfers for that, and a conversation of 50,000 messages, opened and scrolled through.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { copyOf, fixture, fixtureNote } from "./fixtures.ts";
import { percentile, report } from "./figures.ts";
import { Skip, root, start, type Server } from "./lib.ts";

// The types of playwright-core that are used here; the benchmarks have no node_modules of their own.
interface Cdp {
  send(method: string, params?: object): Promise<unknown>;
  on(event: string, listener: (what: never) => void): void;
}
interface Page {
  goto(url: string): Promise<unknown>;
  evaluate<T>(run: string | ((given: never) => T | Promise<T>), given?: unknown): Promise<T>;
  addInitScript(run: () => void): Promise<unknown>;
  waitForFunction(run: () => unknown): Promise<unknown>;
  waitForLoadState(state: "networkidle"): Promise<void>;
  mouse: { move(x: number, y: number): Promise<void>; wheel(x: number, y: number): Promise<void> };
}
interface Context {
  request: { post(url: string, options: object): Promise<{ ok(): boolean }> };
  newPage(): Promise<Page>;
  newCDPSession(page: Page): Promise<Cdp>;
  close(): Promise<void>;
}
interface Browser {
  newContext(options: object): Promise<Context>;
  close(): Promise<void>;
}

const loads = 5, interactiveMs = 1_000, firstLoadBytes = 150_000;
const messages = 50_000, openMs = 1_000, wheelSteps = 200, wheelPx = 600, frameMs = 50;
const viewport = { width: 1440, height: 900 };

async function launch(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_BIN ?? "/usr/bin/chromium";
  if (!existsSync(executablePath)) throw new Skip("there is no Chromium here (scripts/install bench)");
  const { chromium } = createRequire(join(root, "web/package.json"))("playwright-core") as { chromium: { launch(options: object): Promise<Browser> } };
  const args = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-quic"];
  return chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0, args });
}

// Somebody who is signed in, with an empty cache.
async function visit(browser: Browser, server: Server): Promise<Context> {
  const context = await browser.newContext({ viewport, serviceWorkers: "block" });
  const answer = await context.request.post(`http://127.0.0.1:${server.port}/api/signin`, { data: { token: server.token } });
  if (!answer.ok()) throw new Error("the token does not sign in");
  return context;
}

// When the composer takes words, on the clock that begins with the navigation: asked for in every frame by the page itself.
function watchComposer() {
  const look = () => {
    const area = document.querySelector<HTMLTextAreaElement>("main textarea");
    if (area === null || area.disabled || area.readOnly || area.getClientRects().length === 0) return void requestAnimationFrame(look);
    area.focus();
    if (document.activeElement !== area) return void requestAnimationFrame(look);
    (globalThis as { usableMs?: number }).usableMs = performance.now();
  };
  requestAnimationFrame(look);
}

interface Load { usableMs: number; bytes: number; files: number }

async function load(browser: Browser, server: Server): Promise<Load> {
  const context = await visit(browser, server);
  const page = await context.newPage();
  const wire = await context.newCDPSession(page);
  const counted = new Map<string, number>();  // script and style, as they came over the wire, with their headers
  wire.on("Network.responseReceived", ({ requestId, type }: { requestId: string; type: string }) => {
    if (type === "Script" || type === "Stylesheet") counted.set(requestId, 0);
  });
  wire.on("Network.loadingFinished", ({ requestId, encodedDataLength }: { requestId: string; encodedDataLength: number }) => {
    if (counted.has(requestId)) counted.set(requestId, encodedDataLength);
  });
  await wire.send("Network.enable");
  await page.addInitScript(watchComposer);
  await page.goto(`http://127.0.0.1:${server.port}/`);
  await page.waitForFunction(() => (globalThis as { usableMs?: number }).usableMs !== undefined);
  const usableMs = await page.evaluate<number>("usableMs");
  await page.waitForLoadState("networkidle");  // what is loaded behind it counts, too
  const bytes = [...counted.values()].reduce((sum, size) => sum + size, 0);
  await context.close();
  if (counted.size < 3) throw new Error(`${counted.size} files of script and style`);
  return { usableMs, bytes, files: counted.size };
}

export async function web_first_load() {
  const server = await start("web"), browser = await launch();
  try {
    await load(browser, server);  // the browser's own first page
    const runs: Load[] = [];
    for (let i = 0; i < loads; ++i) runs.push(await load(browser, server));
    report("web app, cold cache: the composer is usable", runs.map((run) => run.usableMs), "ms", { budget: { most: interactiveMs } });
    const bytes = Math.max(...runs.map((run) => run.bytes));
    report("… script and style transferred, gzip, until all rests", bytes / 1000, "KB", { budget: { most: firstLoadBytes / 1000 }, note: `${runs[0]!.files} files` });
  } finally {
    await browser.close();
    await server.stop();
  }
}

// Frames while a person turns the wheel: how long each took from the one before, until the last step is drawn.
async function scroll(page: Page, up: boolean): Promise<number[]> {
  await page.evaluate(() => {
    const frames: number[] = [];
    let before = performance.now();
    const draw = (now: number) => {
      frames.push(now - before);
      before = now;
      (globalThis as { going?: number }).going = requestAnimationFrame(draw);
    };
    Object.assign(globalThis, { frames, going: requestAnimationFrame(draw) });
  });
  for (let i = 0; i < wheelSteps; ++i) await page.mouse.wheel(0, up ? -wheelPx : wheelPx);
  return page.evaluate<number[]>("cancelAnimationFrame(going), frames.slice(1)");
}

const oldestInView = (page: Page) => page.evaluate<number>(() => {
  const numbers = [...document.querySelectorAll("main article")].filter((one) => one.getBoundingClientRect().bottom > 0)
    .flatMap((one) => [.../Message (\d+) of/.exec(one.textContent) ?? []].slice(1).map(Number));
  return Math.min(...numbers);
});

export async function web_long_conversation() {
  const long = await fixture("long", messages), id = fixtureNote(long);
  copyOf(long, "web_long");
  const server = await start("web_long"), browser = await launch();
  const name = `conversation of ${messages.toLocaleString("en")} messages in the web app`;
  try {
    const times: number[] = [];
    for (let i = 0; i <= loads; ++i) {
      const context = await visit(browser, server);
      const page = await context.newPage();
      await page.addInitScript(() => {
        const look = () => {
          if (!document.body?.innerText.includes("Message 50000 of")) return void requestAnimationFrame(look);
          (globalThis as { shownMs?: number }).shownMs = performance.now();
        };
        requestAnimationFrame(look);
      });
      await page.goto(`http://127.0.0.1:${server.port}/chat/${id}`);
      await page.waitForFunction(() => (globalThis as { shownMs?: number }).shownMs !== undefined);
      if (i > 0) times.push(await page.evaluate<number>("shownMs"));
      if (i < loads) {
        await context.close();
        continue;
      }
      report(`${name}: opens`, times, "ms", { budget: { most: openMs } });
      await page.mouse.move(viewport.width / 2, viewport.height / 2);
      for (const [up, where] of [[true, "up"], [false, "down again"]] as const) {
        const frames = await scroll(page, up);
        const at = await oldestInView(page);
        if (up ? at > messages - wheelSteps : at < messages - wheelSteps) throw new Error(`the wheel ended at message ${at}`);
        report(`… ${wheelSteps} steps of the wheel ${where}, p95 of the frames`, percentile(frames, 0.95), "ms",
          { budget: { most: frameMs }, note: `longest ${Math.max(...frames).toFixed(0)} ms, ${frames.length} frames, to message ${at}` });
      }
      await context.close();
    }
  } finally {
    await browser.close();
    await server.stop();
  }
}
