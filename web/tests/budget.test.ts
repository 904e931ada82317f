// What a first visit costs: all script and style that the browser fetches until the page rests, compressed, at most
// 150 KB. Each file of the app is counted by itself, too, so that what is loaded later does not grow unseen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { signedIn, signedOutStatus, Tab } from './support/browser.ts';
import { composer } from './support/chat.ts';
import { inHouse } from './support/house.ts';
import type { Server } from './support/server.ts';

const firstLoadBudget = 150_000;
const fileBudget = 100_000;

let browser: Browser;
let server: Server;
inHouse((...house) => ([browser, server] = house));
async function packed(path: string): Promise<number> {
  const answer = await fetch(server.url + path, { headers: { 'accept-encoding': 'identity' } });
  assert.equal(answer.status, 200, path);
  return gzipSync(Buffer.from(await answer.arrayBuffer()), { level: 9 }).length;
}

/** Every script and style that the tab asked for, each once. */
function watch(page: Page): Set<string> {
  const asked = new Set<string>();
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (/\.(js|css)$/.test(pathname)) asked.add(pathname);
  });
  return asked;
}

async function assertCheap(paths: ReadonlySet<string>): Promise<void> {
  const sizes = await Promise.all([...paths].map(async (path) => ({ path, size: await packed(path) })));
  const total = sizes.reduce((sum, { size }) => sum + size, 0);
  const list = sizes.map(({ path, size }) => `${path} ${size}`).join(', ');
  assert.ok(total > 0 && total <= firstLoadBudget, `${total} bytes: ${list}`);
}

test('the first load is at most 150 KB of script and style', async () => {
  let asked = new Set<string>();
  // Greeted as a newcomer is: with first steps, and an answer that is drawn as markdown.
  const tab = await signedIn(browser, server, { greets: true, prepare: async (page) => void (asked = watch(page)) });
  await composer(tab.page).waitFor();
  await tab.page.waitForLoadState('networkidle');
  assert.ok([...asked].some((path) => path.includes('/RailDay-')), `the parts of the page are there: ${[...asked].join(' ')}`);
  await assertCheap(asked);
  await tab.close();
});

test('so is the first load of somebody who is not signed in', async () => {
  const tab = await Tab.open(browser);
  const asked = watch(tab.page);
  await tab.page.goto(server.url);
  await tab.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await tab.page.waitForLoadState('networkidle');
  assert.ok(asked.size >= 3, 'a theme script, a module and a style');
  await assertCheap(asked);
  await tab.close(signedOutStatus);
});

test('what the start needs is named by the page itself, so nothing waits for another file', async () => {
  const html = await (await fetch(server.url)).text();
  const named = new Set([...html.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map((match) => match[1] ?? ''));
  for (const path of [...named].filter((name) => name.endsWith('.js'))) {
    const script = await (await fetch(server.url + path)).text();
    for (const [, name] of script.matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g)) {
      assert.ok(named.has(`/assets/${name}`), `${path} imports ${name}, which the page does not name`);
    }
  }
});

test('no file of the app is more than 100 KB', async () => {
  const worker = await (await fetch(`${server.url}/sw.js`)).text();
  const files = [...worker.matchAll(/"(\/assets\/[^"]+\.(?:js|css))"/g)].map((match) => match[1] ?? '');
  assert.ok(files.some((name) => name.includes('/markdown-')), `markdown is a file of its own: ${files.join(' ')}`);
  for (const name of files) assert.ok((await packed(name)) <= fileBudget, name);
});
