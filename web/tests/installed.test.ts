// The app as something that is installed: what the system is told about it, how it opens without a connection, that it
// is never older than the server, and what Web Push becomes.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Browser, Page, Worker } from 'playwright-core';
import { serverAway, signedIn, Tab } from './support/browser.ts';
import { composer, conversationId, say, settled, transcript, until } from './support/chat.ts';
import { Front } from './support/front.ts';
import { inHouse } from './support/house.ts';
import { Server } from './support/server.ts';

let browser: Browser;
let server: Server;

inHouse((...house) => ([browser, server] = house));

/** A tab whose service worker runs and has kept the app. */
async function installed(at: Server = server): Promise<Tab> {
  const tab = await signedIn(browser, at, { serviceWorkers: 'allow', permissions: ['notifications'] });
  await composer(tab.page).waitFor();
  await isKept(tab.page);
  return tab;
}

async function isKept(page: Page): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready);
  await until(() => page.evaluate(async () => (await caches.match('/')) !== undefined), (isThere) => isThere);
}

function workerOf(page: Page): Worker {
  const worker = page.context().serviceWorkers()[0];
  assert.ok(worker);
  return worker;
}

describe('the manifest', () => {
  test('names the app and pictures that are there in the sizes it says', async () => {
    const html = await (await fetch(server.url)).text();
    const path = /<link rel="manifest" href="([^"]+)"/.exec(html)?.[1] ?? '';
    const answer = await fetch(server.url + path);
    assert.equal(answer.headers.get('content-type'), 'application/manifest+json');
    const manifest = (await answer.json()) as { name: string; display: string; start_url: string; icons: { src: string; sizes: string; type: string; purpose?: string }[] };
    assert.deepEqual([manifest.name, manifest.display, manifest.start_url], ['rouse', 'standalone', '/']);
    assert.ok(manifest.icons.some(({ purpose }) => purpose === 'maskable'));
    for (const { src, sizes, type } of manifest.icons) {
      const icon = await fetch(server.url + src);
      assert.equal(icon.headers.get('content-type'), type, src);
      if (type !== 'image/png') continue;
      const bytes = Buffer.from(await icon.arrayBuffer());
      assert.equal(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes, src);
    }
  });

  test('and the worker may always be replaced', async () => {
    const worker = await fetch(`${server.url}/sw.js`);
    assert.match(worker.headers.get('content-type') ?? '', /^text\/javascript/);
    assert.doesNotMatch(worker.headers.get('cache-control') ?? 'no-cache', /immutable|max-age=[1-9]/);
  });
});

describe('without a connection', () => {
  test('the app opens, says so, and goes on when the server answers', async () => {
    const own = await Server.start();
    try {
      const tab = await installed(own);
      const { page } = tab;
      await own.vanish();
      await page.reload();
      await page.getByText('Not connected.').waitFor();
      await tab.assertAccessible();
      await tab.shoot('offline-light');
      await own.startAgain();
      await composer(page).waitFor();
      await tab.close(serverAway);
    } finally {
      await own.close();
    }
  });

  test('every page opens, also one that was never opened before, and no part is missing when the server answers', async () => {
    const own = await Server.start();
    try {
      const tab = await installed(own);
      const { page } = tab;
      await own.vanish();
      await page.getByText('Not connected.').waitFor();
      const rail = page.getByRole('navigation', { name: 'Main' });
      await rail.getByRole('button', { name: 'More' }).click();
      for (const name of ['Activity', 'Automations', 'Heartbeat', 'Approvals', 'Usage', 'Memory', 'Notifications', 'Workflows', 'Settings', 'Health']) {
        await rail.getByRole('link', { name }).click();
        await page.getByRole('heading', { name, level: 1 }).waitFor();
        await page.getByText('Not connected.').first().waitFor();
        assert.equal(await page.getByText('This page could not be read').count(), 0, name);
      }
      await own.startAgain();
      await page.getByText(/rouse restarted at/).waitFor();
      await tab.close(serverAway);
    } finally {
      await own.close();
    }
  });

  test('without the worker, a page that could not be loaded says so, and comes by itself when the server answers', async () => {
    const own = await Server.start();
    try {
      const tab = await signedIn(browser, own);
      const { page } = tab;
      await composer(page).waitFor();
      await page.waitForLoadState('networkidle');
      await own.vanish();
      await page.getByText('Not connected.').waitFor();
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Usage' }).click();
      await page.getByText('This page could not be read without a connection.').waitFor();
      await tab.assertAccessible();
      await tab.shoot('page-away-light');
      await own.startAgain();
      await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
      await page.getByText('This page could not be read').waitFor({ state: 'detached' });
      await page.getByText('No cap is set.').waitFor();
      await tab.close(serverAway);
    } finally {
      await own.close();
    }
  });

  test('no answer of the API is kept', async () => {
    const tab = await installed();
    const { page } = tab;
    await say(page, 'what is 1+1?');
    await transcript(page).getByText('1+1 = 2').first().waitFor();
    await settled(page);
    const kept = await page.evaluate(async () => {
      const names = await caches.keys();
      const lists = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return lists.flat().map(({ url }) => new URL(url).pathname);
    });
    assert.ok(kept.includes('/'));
    assert.deepEqual(kept.filter((path) => path !== '/' && !/^\/(assets\/|theme\.js$|favicon\.svg$|manifest\.webmanifest$)/.test(path)), []);
    await tab.close();
  });
});

/** The files of the app in a folder of their own, where a test may change them. */
async function copyOfApp(folder: string): Promise<void> {
  const worker = await (await fetch(`${server.url}/sw.js`)).text();
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'sw.js'), worker);
  for (const path of filesOf(worker)) {
    const body = Buffer.from(await (await fetch(server.url + path)).arrayBuffer());
    writeFileSync(join(folder, path === '/' ? 'index.html' : path), body);
  }
}

function filesOf(worker: string): readonly string[] {
  return (JSON.parse(/^const build = (.+);$/m.exec(worker)?.[1] ?? '') as { files: string[] }).files;
}

test('an old copy is never shown while the server answers, and a new build replaces all of it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rouse-app-test-'));
  await copyOfApp(folder);
  const front = await Front.start(folder, server.url);
  try {
    const tab = await Tab.open(browser, { serviceWorkers: 'allow' });
    const { page } = tab;
    await page.request.post(`${front.url}/api/signin`, { data: { token: server.token } });
    await page.goto(front.url);
    await isKept(page);
    const [name = '', ...others] = await page.evaluate(() => caches.keys());
    assert.match(name, /^rouse-app-[0-9a-f]{16}$/);
    assert.deepEqual(others, []);
    await page.evaluate(async (kept) => {
      const cache = await caches.open(kept);
      await cache.put('/', new Response('<p>An old app</p>', { headers: { 'content-type': 'text/html' } }));
    }, name);
    await page.goto(front.url);
    await composer(page).waitFor();

    const worker = readFileSync(join(folder, 'sw.js'), 'utf8');
    writeFileSync(join(folder, 'sw.js'), worker.replace(name.slice('rouse-app-'.length), 'feedfeedfeedfeed'));
    await page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()));
    await until(() => page.evaluate(() => new Promise<string[]>((done) => requestIdleCallback(() => void caches.keys().then(done)))), (names) => names.join() === 'rouse-app-feedfeedfeedfeed');
    assert.doesNotMatch(await page.evaluate(async () => (await caches.match('/'))!.text()), /An old app/);
    await tab.close();
  } finally {
    await front.close();
    rmSync(folder, { recursive: true });
  }
});

test('the worker keeps every file of the build', async () => {
  const worker = await (await fetch(`${server.url}/sw.js`)).text();
  const files = filesOf(worker);
  assert.deepEqual(files, files.toSorted());
  const html = await (await fetch(server.url)).text();
  const named = [html];
  // What a file names is a file of the build, down to the last.
  for (const path of files.filter((one) => one.endsWith('.js'))) named.push(await (await fetch(server.url + path)).text());
  const wanted = new Set(named.flatMap((text) => [...text.matchAll(/["'`](?:\.\/|\/?assets\/)([\w.-]+-[\w-]{8}\.(?:js|css))["'`]/g)].map((match) => `/assets/${match[1]}`)));
  assert.ok(wanted.size > 20);
  assert.deepEqual([...wanted].filter((path) => !files.includes(path)), []);
});

describe('Web Push', () => {
  test('becomes a notification that leads to its conversation', async () => {
    const tab = await installed();
    const { page } = tab;
    await say(page, 'what is 2+2?');
    await transcript(page).getByText('2+2 = 4').first().waitFor();
    await settled(page);
    const path = `/chat/${conversationId(page)}`;
    await page.getByRole('link', { name: 'New conversation' }).click();
    await page.waitForURL(`${server.url}/chat/new`);
    const worker = workerOf(page);
    const shown = await worker.evaluate(async (url) => {
      const scope = self as unknown as { registration: ServiceWorkerRegistration; dispatchEvent(event: Event): boolean };
      const parcel = JSON.stringify({ kind: 'automation', subject: 'Backups', text: 'All 4 restored and checked', url });
      const done: Promise<unknown>[] = [];
      const push = new Event('push') as Event & { data?: unknown; waitUntil?: (one: Promise<unknown>) => void };
      Object.assign(push, { data: { json: () => JSON.parse(parcel) }, waitUntil: (one: Promise<unknown>) => done.push(one) });
      scope.dispatchEvent(push);
      await Promise.all(done);
      const [notification] = await scope.registration.getNotifications();
      return { title: notification?.title, body: notification?.body, url: notification?.data?.url as string };
    }, path);
    assert.deepEqual(shown, { title: 'Backups', body: 'All 4 restored and checked', url: path });
    await worker.evaluate(async () => {
      const scope = self as unknown as { registration: ServiceWorkerRegistration; dispatchEvent(event: Event): boolean };
      const [notification] = await scope.registration.getNotifications();
      const click = new Event('notificationclick');
      Object.assign(click, { notification, waitUntil: () => {} });
      scope.dispatchEvent(click);
    });
    await page.waitForURL(server.url + path);
    await transcript(page).getByText('2+2 = 4').first().waitFor();
    await tab.close();
  });
});
