// The activity page in a real browser against the real server: the ribbon, what happened while nobody looked, the
// timeline with its filters, live rows, and the files.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { phone, serverAway, signedIn, type SignedInOptions, type Tab } from './support/browser.ts';
import { exactly } from './support/chat.ts';
import { inHouse } from './support/house.ts';
import { Model } from './support/model.ts';
import { atTime, beat, berlin, givePast, silentBeat, type PastRow } from './support/past.ts';
import { Server } from './support/server.ts';

let browser: Browser;
let server: Server;
let [checkout, refund, priceList, monitor, backup] = ['', '', '', '', ''];

inHouse(async (...house) => {
  [browser, server] = house;
  await server.api('/api/workspace', { timezone: 'Europe/Berlin' }, 'PATCH');
  checkout = await conversation('checkout', 'Checkout latency');
  refund = await conversation('refund', 'Nordlicht refund');
  priceList = await automation('Supplier price list', '20 17 * * *', 'websocket:checkout');
  monitor = await automation('Daily monitor', '0 18 * * *', 'websocket:checkout');
  backup = await automation('Nightly backup check', '30 2 * * *');
  await automation('Lights out', '59 23 * * *'); // something is planned at any real hour
  await givePast(server, pastRows());
});

async function conversation(key: string, title: string): Promise<string> {
  const { conversation_id: id } = (await server.api('/api/chat', { session_id: `websocket:${key}`, message: 'hello' })) as { conversation_id: string };
  await server.api(`/api/conversations/${id}`, { title }, 'PATCH');
  return id;
}

async function automation(name: string, expr: string, key?: string): Promise<string> {
  const place = key === undefined ? { isolated: true } : { session_key: key };
  const schedule = { kind: 'cron', expr, tz: 'Europe/Berlin' };
  return ((await server.api('/api/automations', { name, message: name, schedule, ...place })) as { id: string }).id;
}

function pastRows(): readonly PastRow[] {
  const run = (at: number, automation: string, summary: string, status = 'ok'): PastRow => ({
    at, type: 'scheduled', summary, conversation: checkout, run: `${automation}:${at}`, details: { turns: 1, automation, status, by: 'model' },
  });
  const half = (hour: number) => [`${String(hour).padStart(2, '0')}:00`, `${String(hour).padStart(2, '0')}:30`];
  const beats = (daysAgo: number, from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => half(from + index)).flat().map((clock) => silentBeat(berlin(daysAgo, clock)));
  return [
    ...beats(0, 7, 9), ...beats(0, 10, 16), ...beats(1, 7, 15), ...beats(1, 16, 23),
    { at: berlin(0, '09:16'), type: 'message', conversation: checkout, summary: 'Found the cause of the slow checkout: deploy 4.2.1 cut the database pool from 40 to 12', details: { turns: 2, by: 'model' } },
    { at: berlin(0, '09:40'), type: 'message', conversation: refund, summary: 'Reply drafted, 1,240 €, left unsent at your wish', details: { turns: 4, by: 'model' } },
    run(berlin(0, '08:41'), priceList, 'The supplier answered 503. Trying again at 09:41', 'error'),
    run(berlin(0, '09:41'), priceList, 'The supplier answered 503. That was the last try', 'error'),
    run(berlin(0, '09:05'), monitor, 'p95 rose from 410 to 655 ms at 06:20. Errors flat, no open incident'),
    { at: berlin(0, '02:30'), type: 'background', run: `${backup}:1`, summary: 'Nightly backup check: All 4 restored and checked.', details: { automation_id: backup, what: 'ok', by: 'rouse' } },
    { at: berlin(0, '16:12'), type: 'system', summary: 'The automation "Daily monitor" was missed once, Mon 08:00 Europe/Berlin: rouse was off.', details: { automation_id: monitor, what: 'missed', by: 'rouse' } },
    beat(berlin(1, '15:00'), 'The supplier meeting starts in 30 minutes and the price list is from January', { verdict: 'notify', calls: 1, tokens_in: 1800, tokens_out: 60 }),
    { at: berlin(1, '19:12'), type: 'message', conversation: checkout, summary: 'Decided: no rollback in production before a staging comparison', details: { turns: 3, by: 'model' } },
    run(berlin(1, '08:00'), monitor, 'All quiet'),
    // More than anybody reads: two crowded days last week.
    ...Array.from({ length: 1300 }, (_, index): PastRow => ({ at: berlin(index < 700 ? 10 : 11, '12:00') + (index % 700) * 30_000, type: 'message', conversation: refund, summary: `Step ${index}`, details: { turns: 1 } })),
  ];
}

async function openActivity(options: SignedInOptions = {}): Promise<Tab> {
  const prepare = options.prepare ?? (async () => {});
  const tab = await signedIn(browser, server, {
    path: '/activity',
    ...options,
    prepare: async (page) => {
      await atTime(page);
      await prepare(page);
    },
  });
  await today(tab.page).waitFor();
  return tab;
}

/** As somebody who looked last yesterday evening, when this row was the newest. */
const lastSeen = (rows: number, atMs: number) => async (page: Page) =>
  page.addInitScript(([id, at]) => {
    if (localStorage.getItem('rouse-activity-seen:ws_default') === null) localStorage.setItem('rouse-activity-seen:ws_default', JSON.stringify({ id, atMs: at }));
  }, [rows, atMs] as const);

const today = (page: Page) => page.getByRole('region', { name: 'Today', exact: true });
const ribbon = (page: Page) => page.getByRole('main').getByRole('img').first();
const silence = (page: Page) => today(page).getByRole('link', { name: '12 beats, 10:00 to 15:30.' });
const away = (page: Page) => page.getByRole('region', { name: 'While you were away' });

async function newestIdBefore(ms: number): Promise<number> {
  const { last_id: id } = (await server.api(`/api/activity?limit=200&type=message&until=${new Date(ms).toISOString()}`)) as { last_id: number };
  return id;
}

describe('the activity page', () => {
  test('the day is on the ribbon, in a sentence, and in the timeline', async () => {
    const tab = await openActivity();
    const { page } = tab;
    assert.equal(await page.title(), 'Activity · rouse');
    await page.getByText(/^16 beats, 4 runs, 6 messages\. Next: /).waitFor();
    const sentence = await ribbon(page).getAttribute('aria-label');
    assert.match(sentence ?? '', /Active from 07:00 to 23:00\. 16 silent beats, 2 runs, 2 failed runs, 1 missed run and 2 messages\..* planned\. Now 16:42\./);
    await silence(page).waitFor();
    await today(page).getByText('Nothing changed, no model was asked.').first().waitFor();
    await today(page).getByRole('link', { name: 'Checkout latency.' }).waitFor();
    assert.equal(await today(page).getByText('checked, nothing to report').count(), 0);
    await page.getByRole('region', { name: /^\w+day,? \d+ \w+$/ }).getByText('The supplier meeting starts in 30 minutes').waitFor();
    await tab.assertAccessible();
    await tab.close();
  });

  test('silence opens in place', async () => {
    const tab = await openActivity();
    const fold = today(tab.page).getByRole('listitem').filter({ hasText: '4 beats, 07:00 to 08:30.' });
    await fold.getByRole('button', { name: 'Show' }).click();
    await fold.getByRole('listitem').nth(3).waitFor();
    await exactly(fold.getByRole('listitem'), 4);
    await tab.close();
  });

  test('arrow keys move the scrub line from mark to mark', async () => {
    const tab = await openActivity();
    const { page } = tab;
    await page.getByText(/^16 beats, 4 runs/).waitFor();
    await ribbon(page).focus();
    await page.keyboard.press('Home');
    await ribbon(page).getByText('02:30 Nightly backup check').waitFor();
    await page.keyboard.press('ArrowRight');
    await ribbon(page).getByText('07:00 Beat, silent').waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await ribbon(page).getByText('07:00 Beat, silent').count(), 0);
    await tab.close();
  });

  test('what mattered meanwhile comes first, failures before the rest, until it is marked as read', async () => {
    const seenMs = berlin(1, '19:30');
    const tab = await openActivity({ prepare: lastSeen(await newestIdBefore(seenMs), seenMs) });
    const { page } = tab;
    await away(page).getByText('Supplier price list failed 2 times, last at 09:41.').waitFor();
    const items = await away(page).getByRole('listitem').allInnerTexts();
    assert.match(items[0]!, /failed 2 times/);
    assert.match(items[1]!, /was missed once/);
    assert.match(items.at(-1)!, /2 runs were fine and 2 conversations went on\./);
    await tab.shoot('activity-light');
    await away(page).getByRole('button', { name: 'Mark as read' }).click();
    await away(page).waitFor({ state: 'detached' });
    await page.reload();
    await today(page).waitFor();
    assert.equal(await away(page).count(), 0);
    await tab.close();
  });

  test('filters are in the address, and the files follow them', async () => {
    const tab = await openActivity();
    const { page } = tab;
    await page.getByRole('button', { name: 'Scheduled' }).click();
    await silence(page).waitFor({ state: 'detached' });
    assert.match(page.url(), /\?type=scheduled$/);
    await page.getByRole('searchbox', { name: 'Words' }).fill('supplier');
    await page.keyboard.press('Enter');
    await today(page).getByRole('link', { name: 'Daily monitor.' }).waitFor({ state: 'detached' });
    await exactly(today(page).getByRole('link', { name: 'Supplier price list.' }), 2);
    assert.match(page.url(), /\?type=scheduled&q=supplier$/);
    await page.reload();
    await today(page).getByText('That was the last try').waitFor();
    const href = await page.getByRole('link', { name: 'Export as CSV' }).getAttribute('href');
    const file = await page.request.get(server.url + href!);
    assert.equal((await file.text()).trim().split('\r\n').length, 3, 'a head and two rows');
    await page.goBack();
    await today(page).getByRole('link', { name: 'Daily monitor.' }).waitFor();
    await page.getByRole('searchbox', { name: 'Words' }).fill('no such words');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing matches these filters.').waitFor();
    await page.getByRole('link', { name: 'Clear filters' }).first().click();
    await silence(page).waitFor();
    await tab.close();
  });

  test('another day is a step away', async () => {
    const tab = await openActivity();
    const { page } = tab;
    const title = await page.getByRole('heading', { level: 1 }).innerText();
    await page.getByRole('link', { name: 'Day before' }).click();
    await today(page).waitFor({ state: 'detached' });
    await page.getByText(/^31 beats, 1 run, 3 messages\.$/).waitFor();
    assert.notEqual(await page.getByRole('heading', { level: 1 }).innerText(), title);
    assert.match(page.url(), /\?until=\d{4}-\d\d-\d\d$/);
    await page.getByRole('link', { name: 'Today' }).click();
    await today(page).waitFor();
    await tab.close();
  });

  test('older rows come with scrolling, up to a bound, and the days before are a step away', async () => {
    const tab = await openActivity();
    const { page } = tab;
    await page.waitForFunction(() => {
      const main = document.querySelector('main')!;
      main.scrollTop = main.scrollHeight;
      return main.innerText.includes('Showing the newest 1,000.');
    });
    assert.ok((await page.getByRole('main').getByRole('listitem').count()) < 1010);
    await page.getByRole('link', { name: /^Older: from / }).click();
    await page.getByText(/^600 messages\.$/).waitFor();
    await page.getByText('Step 1299.').waitFor();
    assert.equal(await page.evaluate(() => document.querySelector('main')!.scrollTop), 0);
    await tab.close();
  });

  test('background activity can be hidden', async () => {
    const tab = await openActivity();
    const { page } = tab;
    await silence(page).waitFor();
    await page.getByRole('switch', { name: 'Show background activity' }).click();
    await silence(page).waitFor({ state: 'detached' });
    assert.equal(await today(page).getByText('All 4 restored and checked.').count(), 0);
    await today(page).getByText('Found the cause of the slow checkout').waitFor();
    await page.getByRole('switch', { name: 'Show background activity' }).click();
    await silence(page).waitFor();
    await tab.close();
  });

  test('a new row shows as it happens, and once', async () => {
    const tab = await openActivity();
    const { page } = tab;
    await server.api('/api/automations', { name: 'Tea', message: 'tea', isolated: true, schedule: { kind: 'cron', expr: '0 17 * * *', tz: 'Europe/Berlin' } });
    const created = today(page).getByText('The automation "Tea" was created');
    await created.waitFor();
    await exactly(created, 1);
    await page.reload();
    await created.waitFor();
    await exactly(created, 1);
    await tab.close();
  });

  test('a server that went and came back is followed again, without a reload', async () => {
    const tab = await openActivity();
    const { page } = tab;
    await server.kill();
    await page.getByText('Not connected.').waitFor();
    await tab.assertAccessible();
    await server.startAgain();
    await server.api('/api/automations', { name: 'Coffee', message: 'coffee', isolated: true, schedule: { kind: 'cron', expr: '0 23 * * *', tz: 'Europe/Berlin' } });
    const created = today(page).getByText('The automation "Coffee" was created');
    await created.waitFor();
    await exactly(created, 1);
    await tab.close(serverAway);
  });

  test('an error is told in place, and the next try can succeed', async () => {
    let broken = true;
    const tab = await signedIn(browser, server, {
      path: '/activity',
      prepare: async (page) => {
        await atTime(page);
        await page.route('**/api/activity?*', (route) => (broken ? route.fulfill({ status: 500, json: { ok: false, error: 'internal', message: 'the store is busy' } }) : route.continue()));
      },
    });
    const { page } = tab;
    await page.getByRole('alert').getByText('The activity could not be read.').waitFor();
    await page.getByText('The store is busy.').first().waitFor();
    await tab.assertAccessible();
    broken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await today(page).waitFor();
    await tab.close(/status of 500/);
  });

  test('it is dark at night', async () => {
    const seenMs = berlin(1, '19:30');
    const tab = await openActivity({ colorScheme: 'dark', prepare: lastSeen(await newestIdBefore(seenMs), seenMs) });
    await away(tab.page).waitFor();
    await tab.assertAccessible();
    await tab.shoot('activity-dark');
    await tab.close();
  });

  test('it fits a phone', async () => {
    const seenMs = berlin(1, '19:30');
    const tab = await openActivity({ viewport: phone, hasTouch: true, prepare: lastSeen(await newestIdBefore(seenMs), seenMs) });
    const { page } = tab;
    await away(page).waitFor();
    await tab.assertNoSidewaysScroll();
    await tab.assertAccessible();
    await tab.shoot('activity-390-light');
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByRole('main').getByLabel('From', { exact: true }).fill('2026-01-01');
    await page.waitForURL(/since=2026-01-01/);
    await page.getByRole('heading', { name: 'Today' }).scrollIntoViewIfNeeded();
    await tab.shoot('activity-390-timeline-light');
    await tab.close();
  });
});

test('a new server has nothing to tell, and says what is next', async () => {
  const fresh = await Server.start();
  try {
    const tab = await signedIn(browser, fresh, { path: '/activity' });
    await tab.page.getByText(/^Nothing happened yet\. Next: beat, /).waitFor();
    await tab.assertAccessible();
    await tab.shoot('activity-empty-light');
    await tab.close();
  } finally {
    await fresh.close();
  }
});

test('a run that is under way is amber on the ribbon, and done when it is over', async () => {
  const model = await Model.start();
  const slow = await Server.start({ model });
  try {
    const tab = await signedIn(browser, slow, { path: '/activity' });
    const { page } = tab;
    await page.getByText(/^Nothing happened yet\./).waitFor();
    const at = new Date(Date.now() + 2500).toISOString();
    await slow.api('/api/automations', { name: 'Slow one', message: 'take your time', session_key: 'websocket:slow', schedule: { kind: 'at', at } });
    const answer = await model.asked();
    await page.waitForFunction(() => /1 run under way/.test(document.querySelector('main [role=img]')?.getAttribute('aria-label') ?? ''));
    await ribbon(page).locator('.run.live').waitFor();
    answer.end('Done at last.');
    await ribbon(page).locator('.run.done').waitFor();
    assert.equal(await ribbon(page).locator('.run.live').count(), 0);
    await tab.close();
  } finally {
    await slow.close();
    await model.close();
  }
});
