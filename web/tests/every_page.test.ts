// Every page with something on it, in the light, in the dark and on a phone: no violation of accessibility, nothing that
// hangs over the edge, no complaint, and a picture. What pages do is tested in files of their own.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { phone, signedIn, signedOutStatus, Tab, type TabOptions } from './support/browser.ts';
import { settled, transcript } from './support/chat.ts';
import { inHouseWithModel } from './support/house.ts';
import type { Model } from './support/model.ts';
import { atTime, beat, berlin, givePast, silentBeat, type PastDay, type PastRow } from './support/past.ts';
import { Server } from './support/server.ts';
import { serveWorkflows } from './support/workflows.ts';

const zone = 'Europe/Berlin';
const looks: readonly (readonly [look: string, options: TabOptions])[] = [
  ['light', {}],
  ['dark', { colorScheme: 'dark' }],
  ['phone', { viewport: phone, hasTouch: true }],
  ['phone-dark', { viewport: phone, hasTouch: true, colorScheme: 'dark' }],
];

const answer = `The pool shrank with **deploy 4.2.1**, from 40 connections to 12. Since 06:20 requests wait for one.

| | before | since 06:20 |
|---|--:|--:|
| p95 | 410 ms | 655 ms |
| errors | 0.02 % | 0.02 % |

\`\`\`yaml
database:
  pool: 40   # was 12
\`\`\`

1. Put it back to 40.
2. Compare on staging before production.`;

let browser: Browser;
let model: Model;
let server: Server;
let checkout = '';
let monitor = '';

inHouseWithModel(async (...house) => {
  [browser, server, model] = house;
  await server.api('/api/workspace', { timezone: zone }, 'PATCH');
  checkout = await conversation('Checkout latency', 'Why is the checkout slow since this morning?', answer);
  await conversation('Refund Nordlicht', 'Draft a reply to Nordlicht about the refund', 'It is in your drafts, 1,240 €.');
  monitor = await automation('Daily monitor', '0 18 * * *');
  const priceList = await automation('Supplier price list', '20 17 * * *');
  await automation('Nightly backup check', '30 2 * * *');
  await server.api(`/api/automations/${await automation('Weekly digest', '0 8 * * 1')}/pause`, { reason: 'holidays' });
  for (const text of ['Prefers answers in German', 'The boiler is serviced in May', 'Ada decides about invoices']) await server.api('/api/memory', { text, importance: 4 });
  await server.api('/api/tasks', { title: 'Order the paint' });
  await givePast(server, pastRows(priceList), pastDays());
  // A question that waits: on the approvals page, among the notifications and in the rail.
  const asked = server.api('/api/chat', { session_id: 'websocket:letters', message: 'Write the letter to the landlord' });
  (await model.asked()).call('write_file', { path: 'letters/landlord.txt', text: 'Dear Mr Holm,\nthe heating is off since Monday.\n' });
  (await model.asked()).end('The letter is ready. It is written when you say yes.');
  await asked;
});

async function conversation(title: string, message: string, said: string): Promise<string> {
  const sent = server.api('/api/chat', { session_id: `websocket:${title.split(' ')[0]!.toLowerCase()}`, message });
  (await model.asked()).end(said);
  const { conversation_id: id } = (await sent) as { conversation_id: string };
  await server.api(`/api/conversations/${id}`, { title }, 'PATCH');
  return id;
}

async function automation(name: string, expr: string): Promise<string> {
  const fields = { name, message: `${name}: look what is new`, session_key: 'websocket:checkout', schedule: { kind: 'cron', expr, tz: zone } };
  const { id } = (await server.api('/api/automations', fields)) as { id?: string };
  assert.ok(id, name);
  return id;
}

function pastRows(priceList: string): readonly PastRow[] {
  const run = (at: number, id: string, summary: string, status = 'ok'): PastRow => ({
    at, type: 'scheduled', summary, conversation: checkout, run: `${id}:${at}`, details: { turns: 1, automation: id, status, by: 'model' },
  });
  const hours = Array.from({ length: 9 }, (_, index) => `${String(index + 7).padStart(2, '0')}:00`);
  return [
    ...[0, 1].flatMap((daysAgo) => hours.map((clock) => silentBeat(berlin(daysAgo, clock)))),
    { at: berlin(0, '09:16'), type: 'message', conversation: checkout, summary: 'Found the cause of the slow checkout: deploy 4.2.1 cut the database pool from 40 to 12', details: { turns: 2, by: 'model' } },
    run(berlin(0, '08:41'), priceList, 'The supplier answered 503. Trying again at 09:41', 'error'),
    run(berlin(0, '09:05'), monitor, 'p95 rose from 410 to 655 ms at 06:20. Errors flat, no open incident'),
    beat(berlin(0, '16:30'), 'Two drafts to Nordlicht are unsent for 5 hours', { verdict: 'notify', calls: 1, tokens_in: 1800, tokens_out: 60 }),
    run(berlin(1, '18:00'), monitor, 'All quiet'),
  ];
}

function pastDays(): readonly PastDay[] {
  return Array.from({ length: 40 }, (_, ago) => {
    const busy = 1 + ((ago * 7) % 5);
    const day = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(berlin(ago, '12:00'));
    return { day, turns: busy * 3, tokensIn: busy * 9000, tokensOut: busy * 1700, cacheRead: busy * 15_000, micros: busy * 61_000 };
  });
}

async function look(tab: Tab, name: string): Promise<void> {
  await settled(tab.page);
  await tab.assertNoSidewaysScroll();
  await tab.assertAccessible();
  await tab.shoot(`page-${name}`);
}

/** Each page of the app, and what is on it when it has been read. */
const views: readonly (readonly [name: string, path: () => string, there: (page: Page) => Promise<unknown>])[] = [
  ['chat', () => `/chat/${checkout}`, async (page) => {
    await transcript(page).getByText('Compare on staging before production.').waitFor();
    await transcript(page).locator('.hljs-attr').first().waitFor();
  }],
  ['chat-new', () => '/chat/new', (page) => page.getByText('Say something').waitFor()],
  ['activity', () => '/activity', (page) => page.getByText('Found the cause of the slow checkout').first().waitFor()],
  ['automations', () => '/automations', (page) => page.getByRole('main').getByText('Nightly backup check').first().waitFor()],
  ['automation', () => `/automations/${monitor}`, (page) => page.getByRole('complementary', { name: 'Daily monitor' }).getByText('Every day at 18:00 Europe/Berlin').waitFor()],
  ['automation-new', () => '/automations/new', (page) => page.getByRole('region', { name: 'Preview' }).waitFor()],
  ['heartbeat', () => '/heartbeat', (page) => page.getByText('Two drafts to Nordlicht are unsent').first().waitFor()],
  ['approvals', () => '/approvals', (page) => page.getByRole('article').getByText('letters/landlord.txt').first().waitFor()],
  ['usage', () => '/usage', (page) => page.getByRole('img', { name: /^Cost per day/ }).waitFor()],
  ['memory', () => '/memory', (page) => page.getByText('Ada decides about invoices').waitFor()],
  ['notifications', () => '/notifications', (page) => page.getByRole('link', { name: 'Open the conversation' }).first().waitFor()],
  ['workflows', () => '/workflows', (page) => page.getByRole('article', { name: 'night-shift' }).waitFor()],
  ['workflow', () => '/workflows/headless-lifecycle', (page) => page.getByRole('group', { name: 'Text of headless-lifecycle' }).waitFor()],
  ['settings', () => '/settings', (page) => page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()],
  ['health', () => '/status', (page) => page.getByRole('main').getByText('Changes show as they happen.').waitFor()],
];

test('the list has every page of the app', () => {
  const source = readFileSync(join(import.meta.dirname, '../src/pages.ts'), 'utf8');
  const paths = [...source.matchAll(/\{ path: '([^']+)'/g)].map((match) => match[1]);
  // `/` leads to a conversation, which is among them.
  const looked = ['/', ...views.map(([, path]) => path())];
  assert.ok(paths.length >= 10);
  assert.deepEqual(paths.filter((path) => !looked.includes(path ?? '')), []);
});

for (const [style, options] of looks) {
  test(`every page, ${style}`, async () => {
    const prepare = async (page: Page) => {
      await atTime(page);
      await serveWorkflows(page);
    };
    const tab = await signedIn(browser, server, { reducedMotion: 'reduce', prepare, ...options });
    for (const [name, path, there] of views) {
      await tab.page.goto(server.url + path());
      await there(tab.page);
      await look(tab, `${name}-${style}`);
    }
    await tab.close();
  });

  test(`sign-in and first run, ${style}`, async () => {
    const own = await Server.start();
    try {
      const tab = await Tab.open(browser, { greets: true, reducedMotion: 'reduce', ...options });
      await tab.page.goto(own.url);
      await tab.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await look(tab, `sign-in-${style}`);
      await tab.page.goto(own.signInLink);
      await tab.page.getByRole('region', { name: 'Connect a model' }).getByLabel('Key').waitFor();
      await transcript(tab.page).getByText(/remind me in 2 minutes to stretch/).first().waitFor();
      await look(tab, `first-run-${style}`);
      await tab.close(signedOutStatus);
    } finally {
      await own.close();
    }
  });
}
