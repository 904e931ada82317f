// The automations page against the real server: making, watching, pausing, changing and deleting them. The model is the
// test itself, so a run can be held while it runs.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { phone, serverAway, signedIn, type SignedInOptions, type Tab } from './support/browser.ts';
import { exactly } from './support/chat.ts';
import { inHouseWithModel } from './support/house.ts';
import type { Model } from './support/model.ts';
import { Server } from './support/server.ts';

let browser: Browser;
let model: Model;
let server: Server;

inHouseWithModel(async (...house) => {
  [browser, server, model] = house;
  await begin('websocket:work', 'Checkout latency');
});

// Each test begins with no automations and no question that nobody has answered.
afterEach(async () => {
  const { items } = (await server.api('/api/automations')) as { items: Made[] };
  for (const { id, kind } of items) if (kind !== 'system') await server.api(`/api/automations/${id}`, undefined, 'DELETE');
  model.forget();
});

interface Made {
  readonly id: string;
  readonly kind: string;
  readonly session_key: string;
  readonly schedule: { readonly kind: string; readonly expr?: string; readonly tz: string };
}

const open = (path: string, options: SignedInOptions = {}): Promise<Tab> => signedIn(browser, server, { path, reducedMotion: 'reduce', ...options });
const row = (page: Page, name: string): Locator => page.getByRole('main').getByRole('link').filter({ hasText: name });
const drawer = (page: Page, name: string): Locator => page.getByRole('complementary', { name });
const preview = (page: Page): Locator => page.getByRole('region', { name: 'Preview' });
const zone = { tz: 'Europe/Berlin' };
const daily = { kind: 'cron', expr: '0 8 * * *', ...zone };
const soon = () => ({ kind: 'at', at: new Date(Date.now() + 2500).toISOString(), ...zone });

function make(name: string, fields: object = {}): Promise<Made> {
  const usual = { name, message: `${name}: look what is new`, session_key: 'websocket:work', schedule: daily };
  return server.api('/api/automations', { ...usual, ...fields }) as Promise<Made>;
}

/** A conversation with a name, begun by its first message. */
async function begin(key: string, title: string): Promise<void> {
  const said = server.api('/api/chat', { session_id: key, message: 'Hello' });
  (await model.asked()).end('Hello.');
  await said;
  await server.api(`/api/conversations/${key}`, { title }, 'PATCH');
}

test('an empty page says what automations are for', async () => {
  const tab = await open('/automations');
  await tab.page.getByRole('heading', { name: 'No automations yet' }).waitFor();
  assert.equal(await tab.page.title(), 'Automations · rouse');
  await tab.assertAccessible();
  await tab.shoot('automations-empty-light');
  await tab.page.getByRole('link', { name: 'New automation' }).click();
  await tab.page.getByRole('heading', { name: 'New automation' }).waitFor();
  await tab.close();
});

describe('the form', () => {
  test('makes one from days and a time, with a preview that follows', async () => {
    const tab = await open('/automations/new?conversation=websocket:work&prompt=Report%20what%20is%20new');
    const { page } = tab;
    await preview(page).getByText('Every weekday at 08:00, Europe/Berlin.').waitFor();
    assert.equal(await page.getByLabel('Message').inputValue(), 'Report what is new');
    assert.equal(await page.getByLabel('Goes into').locator('option:checked').textContent(), 'Checkout latency');
    await page.getByRole('button', { name: 'Sat' }).click();
    await page.getByRole('button', { name: 'Sun' }).click();
    await page.getByLabel('Time', { exact: true }).fill('06:45');
    await preview(page).getByText('Every day at 06:45, Europe/Berlin.').waitFor();
    await page.getByText('45 6 * * *').waitFor();
    await exactly(preview(page).getByRole('listitem'), 5);
    await preview(page).getByText(/^30 runs in 30 days/).waitFor();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Morning report');
    await tab.assertAccessible();
    await tab.shoot('automation-new-light');
    await page.getByRole('button', { name: 'Create automation' }).click();
    await drawer(page, 'Morning report').getByText(/^Created\. First run (today|tomorrow) 06:45 Europe\/Berlin\.$/).waitFor();
    const id = /\/automations\/(\w+)$/.exec(page.url())?.[1] ?? '';
    const made = (await server.api(`/api/automations/${id}`)) as Made;
    assert.deepEqual([made.session_key, made.schedule.expr, made.schedule.tz], ['websocket:work', '45 6 * * *', 'Europe/Berlin']);
    await tab.close();
  });

  test('says at each field what is missing or wrong, and goes there', async () => {
    const tab = await open('/automations/new');
    const { page } = tab;
    await page.getByRole('button', { name: 'Create automation' }).click();
    await page.getByText('Write what the agent shall do.').waitFor();
    await page.locator('textarea:focus[aria-invalid=true]').waitFor();
    await page.getByLabel('Message').fill('Report');
    await page.getByText('Cron', { exact: true }).click();
    await page.getByLabel('Cron expression').fill('0 25 * * *');
    await page.getByText("Column 3: '25' is no hour; allowed is 0-23.").waitFor();
    await preview(page).getByText('There is nothing to show').waitFor();
    await page.getByLabel('Cron expression').fill('0 5 * * 1#2');
    await preview(page).getByText(/2nd Monday/).waitFor();
    await page.getByLabel('Time zone').fill('Europe/Nowhere');
    await page.getByText("There is no time zone 'Europe/Nowhere'; use a name like Europe/Berlin or UTC.").waitFor();
    await tab.assertAccessible();
    await tab.shoot('automation-new-wrong-light');
    await page.getByRole('button', { name: 'Create automation' }).click();
    await page.locator('input:focus[aria-invalid=true]').waitFor();
    assert.match(page.url(), /\/automations\/new$/);
    await tab.close(/status of 400/);
  });

  test('takes once, every, and what works apart', async () => {
    const tab = await open('/automations/new?prompt=Sum%20up%20the%20week', { viewport: phone, hasTouch: true });
    const { page } = tab;
    await page.getByText('Once', { exact: true }).click();
    await page.getByLabel('Day', { exact: true }).fill('2020-01-01');
    await page.getByText('That time has passed. Choose a later one.').waitFor();
    await page.getByText('Every', { exact: true }).click();
    await page.getByLabel('How many').fill('90');
    await page.getByLabel('Unit').selectOption('minutes');
    await preview(page).getByText('Every 90 minutes, Europe/Berlin.').waitFor();
    await page.getByLabel('Goes into').selectOption({ label: 'No conversation: it works apart' });
    await page.getByLabel('A file').fill('../week.md');
    await page.getByRole('button', { name: 'Create automation' }).click();
    await page.getByText(/must be a path below the folder of outputs/).waitFor();
    await page.getByLabel('A file').fill('week.md');
    await tab.assertAccessible();
    await tab.assertNoSidewaysScroll();
    await page.getByRole('button', { name: 'Create automation' }).click();
    await page.getByText('Into a notification and the file week.md').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No automations yet' }).waitFor();
    await tab.close(/status of 400/);
  });

  test('warns of a clock change, of others in the same minute, and of the price', async () => {
    const tab = await open('/automations/new?prompt=Compare%20the%20import', {
      prepare: (page) =>
        page.route('**/api/automations/preview', (route) =>
          route.fulfill({
            json: {
              words: 'every day at 02:30',
              zone: 'Europe/Berlin',
              next: ['2027-03-26T01:30:00Z', '2027-03-27T01:30:00Z', '2027-03-28T01:00:00Z', '2027-03-29T00:30:00Z', '2027-03-30T00:30:00Z'],
              overlaps: [{ automation_id: 'x', name: 'Nightly backup', at: '2027-03-26T01:30:00Z', times: 20 }],
              estimate: { runs: 30, basis: 'past_runs', averaged: 5, tokens_in: 61_440, tokens_out: 9000, cost_micros: 420_000 },
            },
          }),
        ),
    });
    const { page } = tab;
    await preview(page).getByText('02:30 does not exist on Sunday 28 March.').waitFor();
    await preview(page).getByText('Sun 28 March 2027, 03:00').waitFor();
    await preview(page).getByText(/Nightly backup is due in the same minute, 20 times/).waitFor();
    await preview(page).getByText(/about \$0\.42/).waitFor();
    await tab.assertAccessible();
    await tab.shoot('automation-new-clock-change-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await tab.assertAccessible();
    await tab.shoot('automation-new-dark');
    await page.setViewportSize(phone);
    await page.getByRole('link', { name: 'Chats' }).waitFor();
    await tab.assertNoSidewaysScroll();
    await page.emulateMedia({ colorScheme: 'light' });
    await tab.shoot('automation-new-phone-light');
    await tab.close();
  });

  test('with one conversation for all channels offers nothing else', async () => {
    const one = await Server.start();
    try {
      await one.kill();
      writeFileSync(join(one.dataDir, 'rouse.yaml'), JSON.stringify({ unified_session: true }));
      await one.startAgain();
      const tab = await signedIn(browser, one, { path: '/automations/new?prompt=Report' });
      const { page } = tab;
      await page.getByText('All channels are one conversation here, so it goes there and every page shows it.').waitFor();
      await preview(page).getByText(/Every weekday/).waitFor();
      await page.getByRole('button', { name: 'Create automation' }).click();
      await page.getByText('Every page shows it.', { exact: true }).waitFor();
      const { items } = (await one.api('/api/automations?session_key=unified:default')) as { items: Made[] };
      assert.deepEqual(items.map(({ session_key }) => session_key), ['unified:default']);
      await tab.close();
    } finally {
      await one.close();
    }
  });
});

describe('a run', () => {
  test('is seen waiting, running and done, and keeps what the agent was told', async () => {
    const tab = await open('/automations');
    const { page } = tab;
    const made = await Promise.all([make('First look', { schedule: soon() }), make('Second look', { schedule: soon() })]);
    const answer = await model.asked();
    const [runs, waits] = answer.asked.includes('First look') ? ['First look', 'Second look'] : ['Second look', 'First look'];
    await row(page, runs).getByText('Running').waitFor();
    await row(page, waits).getByText('Queued').waitFor();
    await page.getByRole('button', { name: 'Active now 2' }).click();
    await exactly(row(page, 'look'), 2);
    await row(page, waits).click();
    await drawer(page, waits).getByText(/runs after the answer that is being written in its conversation/).waitFor();
    await tab.assertAccessible();
    await tab.shoot('automations-running-light');

    // A page that is opened in the middle of it sees the same.
    const otherTab = await open('/automations');
    const other = otherTab.page;
    await row(other, runs).getByText('Running').waitFor();
    await row(other, waits).getByText('Queued').waitFor();

    answer.end('Nothing moved.');
    (await model.asked()).end('Nothing here either.');
    await row(other, waits).getByText('Done').waitFor();
    await page.getByRole('button', { name: /^All/ }).click();
    await row(page, runs).getByText('Done').waitFor();
    const details = drawer(page, waits);
    await details.getByText('It was meant for one time, and that is over.').waitFor();
    await details.locator('summary').filter({ hasText: 'Took' }).click();
    await details.getByText(new RegExp(`Automation: ${waits}: look what is new`)).waitFor();
    await details.getByRole('link', { name: 'Open the conversation' }).waitFor();
    await tab.assertAccessible();
    await tab.shoot('automation-record-light');
    for (const { id } of made) await server.api(`/api/automations/${id}`, undefined, 'DELETE');
    await row(page, runs).waitFor({ state: 'detached' });
    await details.getByText('It was deleted.').waitFor();
    await otherTab.close();
    await tab.close();
  });

  test('that fails says why, and what stopped it can be started again', async () => {
    const tab = await open('/automations');
    const { page } = tab;
    const { id } = await make('Price list', { schedule: { kind: 'every', every_ms: 1000, ...zone } });
    (await model.asked()).refuse();
    await row(page, 'Price list').getByText('Paused', { exact: true }).waitFor();
    await row(page, 'Price list').getByText(/Last: failed today .*, the model refused the request/).waitFor();
    await page.getByRole('button', { name: 'Failed 1' }).click();
    await row(page, 'Price list').click();
    const details = drawer(page, 'Price list');
    await details.getByText(/^Paused by rouse today/).waitFor();
    await details.locator('summary').filter({ hasText: 'The model refused the request' }).click();
    await details.getByText('What went wrong').waitFor();
    await tab.assertAccessible();
    await tab.shoot('automations-failed-light');
    await page.getByRole('button', { name: /^All/ }).click();
    await details.getByRole('button', { name: 'Resume' }).click();
    const answer = await model.asked();
    await row(page, 'Price list').getByText('Running').waitFor();
    await server.api(`/api/automations/${id}`, { schedule: daily }, 'PATCH');
    answer.end('Found it.');
    await row(page, 'Price list').getByText(/Last: ok today/).waitFor();
    await tab.close();
  });
});

describe('one of them', () => {
  test('is paused with a reason, resumed, changed and deleted, and every tab sees it', async () => {
    const { id } = await make('Daily monitor');
    const tab = await open(`/automations/${id}`);
    const { page } = tab;
    const details = drawer(page, 'Daily monitor');
    await details.getByText('Every day at 08:00 Europe/Berlin').waitFor();
    await details.getByRole('link', { name: 'Checkout latency' }).waitFor();
    const otherTab = await open('/automations');
    const other = otherTab.page;
    await row(other, 'Daily monitor').getByText('Planned').waitFor();

    await details.getByRole('button', { name: 'Pause' }).click();
    await page.getByLabel('Reason, if you like').fill('holidays');
    await tab.assertAccessible();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await details.getByText(/^Paused by you today .*\. Holidays\.$/).waitFor();
    await row(other, 'Daily monitor').getByText(/Paused by you today/).waitFor();
    await details.getByRole('button', { name: 'Resume' }).click();
    await details.getByRole('button', { name: 'Pause' }).waitFor();
    await row(other, 'Daily monitor').getByText('Planned').waitFor();

    await details.getByRole('link', { name: 'Edit' }).click();
    await page.getByRole('heading', { name: 'Edit automation' }).waitFor();
    assert.equal(await page.getByLabel('Time', { exact: true }).inputValue(), '08:00');
    await page.getByLabel('Time', { exact: true }).fill('09:30');
    await preview(page).getByText('Every day at 09:30, Europe/Berlin.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await details.getByText(/^Saved\. Next run (today|tomorrow) 09:30 Europe\/Berlin\.$/).waitFor();
    await row(other, 'Daily monitor').getByText(/09:30 Europe\/Berlin/).waitFor();

    await details.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click();
    await details.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row(other, 'Daily monitor').waitFor({ state: 'detached' });
    // The other tab may hear of it before this one has its answer.
    await page.waitForURL(`${server.url}/automations`);
    await otherTab.close();
    await tab.close();
  });

  test('answers why it did not run at some time, and leaves with Escape', async () => {
    const { id } = await make('Weekly digest');
    const tab = await open(`/automations/${id}`);
    const { page } = tab;
    const why = drawer(page, 'Weekly digest').getByRole('region', { name: 'Why' });
    await why.getByText('Why does it not run now?').waitFor();
    await why.getByRole('button', { name: 'Ask' }).click();
    await why.getByText('Choose a day and a time.').waitFor();
    await why.getByLabel(/Or at another time/).fill('2020-05-01T08:00');
    await why.getByRole('button', { name: 'Ask' }).click();
    await why.getByText(/^Why did it not run Fri 1 May 2020, 08:00 Europe\/Berlin\?$/).waitFor();
    await why.getByText(/^It was only made today/).waitFor();
    await tab.assertAccessible();
    await page.keyboard.press('Escape');
    await drawer(page, 'Weekly digest').waitFor({ state: 'detached' });
    await tab.close();
  });
});

test('a long history is read page by page, down to the sums of days', async () => {
  const { id } = await make('Minute watch', { schedule: { kind: 'cron', expr: '* * * * *', ...zone } });
  await server.api(`/api/automations/${id}/pause`, {});
  const minute = (index: number) => new Date(Date.UTC(2026, 0, 5, 12, 59 - index)).toISOString();
  const item = (index: number) => ({ scheduled_for: minute(index), count: 1, status: 'skipped', reason: 'overlap', attempt: 0, ended_at: minute(index) });
  const pages = [
    { items: Array.from({ length: 20 }, (_, index) => item(index)), next_cursor: 'older' },
    { items: [item(20)], days: [{ day: '2026-01-04', status: 'ok', count: 1440, first: minute(0), last: minute(0) }], next_cursor: null },
  ];
  const tab = await open(`/automations/${id}`, {
    prepare: (page) => page.route('**/occurrences?*', (route) => route.fulfill({ json: pages[route.request().url().includes('cursor') ? 1 : 0] })),
  });
  const { page } = tab;
  const rows = drawer(page, 'Minute watch').getByText('The one before was not over yet.');
  await rows.first().waitFor();
  await exactly(rows, 20);
  await page.getByRole('button', { name: 'Show older ones' }).click();
  await page.getByText('1440 ok').waitFor();
  await exactly(rows, 21);
  assert.equal(await page.getByRole('button', { name: 'Show older ones' }).count(), 0);
  await tab.assertAccessible();
  await tab.close();
});

describe('the page', () => {
  test('is good to look at, in light, dark and on a phone', async () => {
    await begin('websocket:backups', 'Backups');
    const made = [
      await make('Daily monitor', { message: 'Check checkout p95, error rate and open incidents since yesterday 08:00. Report only what moved.' }),
      await make('Nightly backup check', { session_key: 'websocket:backups', schedule: { kind: 'cron', expr: '30 2 * * *', ...zone } }),
      await make('Weekly digest', { schedule: { kind: 'cron', expr: '0 18 * * 5', ...zone } }),
    ];
    await server.api(`/api/automations/${made[2]?.id}/pause`, { reason: 'holidays' });
    const tab = await open(`/automations/${made[0]?.id}`);
    const { page } = tab;
    await drawer(page, 'Daily monitor').getByText('It has not been due yet.').waitFor();
    await row(page, 'Nightly backup check').getByText('in Backups').waitFor();
    await tab.assertAccessible();
    await tab.shoot('automations-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await tab.assertAccessible();
    await tab.shoot('automations-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(phone);
    await drawer(page, 'Daily monitor').getByRole('link', { name: 'All automations' }).waitFor();
    await tab.assertAccessible();
    await tab.assertNoSidewaysScroll();
    await tab.shoot('automation-phone-light');
    await drawer(page, 'Daily monitor').getByRole('link', { name: 'All automations' }).click();
    await row(page, 'Weekly digest').waitFor();
    await tab.assertAccessible();
    await tab.assertNoSidewaysScroll();
    await tab.shoot('automations-phone-light');
    await tab.close();
  });

  test('that cannot be read says so in place, and tries again', async () => {
    const tab = await open('/status');
    const { page } = tab;
    await page.route('**/api/automations?*', (route) => route.fulfill({ status: 503, json: { ok: false, error: 'store_unavailable', message: 'the disk is full' } }));
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Automations' }).click();
    await page.getByRole('alert').getByText('The automations could not be read.').waitFor();
    await page.getByText('The disk is full.').waitFor();
    await tab.assertAccessible();
    await tab.shoot('automations-error-light');
    await page.unroute('**/api/automations?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'No automations yet' }).waitFor();
    await tab.close(/status of 503/);
  });

  test('keeps what it knows while the server is away, and learns the rest when it is back', async () => {
    const own = await Server.start();
    try {
      const tab = await signedIn(browser, own, { path: '/automations' });
      const { page } = tab;
      const body = { name: 'Stays', message: 'Report', session_key: 'websocket:a', schedule: daily };
      const { id } = (await own.api('/api/automations', body)) as Made;
      await row(page, 'Stays').waitFor();
      await own.kill();
      await page.getByText('Not connected.').waitFor();
      await exactly(row(page, 'Stays'), 1);
      await own.startAgain();
      await own.api(`/api/automations/${id}/pause`, {});
      await row(page, 'Stays').getByText('Paused', { exact: true }).waitFor();
      await tab.close(serverAway);
    } finally {
      await own.close();
    }
  });
});
