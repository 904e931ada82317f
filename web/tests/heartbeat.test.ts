// The heartbeat page in a real browser against the real server: what it did, when it looks around, and editing the two
// files behind it without ever writing over somebody else's change.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { phone, signedIn, type SignedInOptions, type Tab } from './support/browser.ts';
import { exactly, until } from './support/chat.ts';
import { inHouse } from './support/house.ts';
import { atTime, beat, berlin, givePast, silentBeat, type PastRow } from './support/past.ts';
import type { Server } from './support/server.ts';

let browser: Browser;
let server: Server;

const settingsFile = () => join(server.dataDir, 'heartbeat.json');
const ordersFile = () => join(server.dataDir, 'heartbeat-prompt.md');

interface Shown {
  readonly heartbeats: readonly { readonly name: string; readonly interval_minutes: number; readonly active_hours: string; readonly enabled: boolean }[];
  readonly problem: string | null;
}
const shown = async () => (await server.api('/api/heartbeat')) as Shown;

inHouse(async (...house) => {
  [browser, server] = house;
  await server.api('/api/workspace', { timezone: 'Europe/Berlin' }, 'PATCH');
  await givePast(server, pastBeats());
});

// Each test begins without files, as a new owner does.
beforeEach(async () => {
  for (const file of [settingsFile(), ordersFile()]) if (existsSync(file)) rmSync(file);
  await until(shown, ({ heartbeats, problem }) => problem === null && heartbeats.length === 1 && heartbeats[0]!.interval_minutes === 30);
});

function pastBeats(): readonly PastRow[] {
  const clocks = Array.from({ length: 20 }, (_, index) => `${String(7 + Math.floor(index / 2)).padStart(2, '0')}:${index % 2 === 0 ? '00' : '30'}`);
  return [
    ...clocks.filter((clock) => clock !== '11:00').map((clock) => silentBeat(berlin(0, clock))),
    beat(berlin(0, '11:00'), 'Two drafts to Nordlicht are unsent for 5 hours', { calls: 1, tokens_in: 1850, tokens_out: 70, cost_micros: 2100 }),
    beat(berlin(1, '14:00'), 'checked, nothing to report', { verdict: 'nothing', outcome: 'silent_token', calls: 1, tokens_in: 1850, tokens_out: 20, cost_micros: 1900 }),
    beat(berlin(1, '11:00'), 'The model did not answer within 30 s', { verdict: 'nothing', outcome: 'failed', calls: 1 }),
  ];
}

/** Edits plan the next beat anew, so the server may really look around meanwhile: at the real hour, which is none of
 * the made-up day's. What happens from the real instant `fromMs` on is shown. */
async function onlyThePast(page: Page, fromMs = Infinity): Promise<void> {
  const past = new Set(pastBeats().map(({ at }) => at));
  await page.route('**/api/heartbeat/history?*', async (route) => {
    const response = await route.fetch();
    const json = (await response.json()) as { items: { at: string }[] };
    const isShown = (atMs: number) => past.has(atMs) || atMs >= fromMs;
    await route.fulfill({ response, json: { ...json, items: json.items.filter(({ at }) => isShown(Date.parse(at))) } });
  });
}

async function openHeartbeat(options: SignedInOptions = {}): Promise<Tab> {
  const prepare = options.prepare ?? (async () => {});
  const tab = await signedIn(browser, server, {
    path: '/heartbeat',
    ...options,
    prepare: async (page) => {
      await atTime(page);
      await prepare(page);
    },
  });
  await orders(tab.page).waitFor();
  return tab;
}

/** The server's clock can't be moved, so its answer is: as it would be at 16:42, after the beats of the day. */
async function atThatTime(page: Page): Promise<void> {
  await onlyThePast(page);
  await page.route('**/api/heartbeat', async (route) => {
    const response = await route.fetch();
    const json = (await response.json()) as { heartbeats: { next_run_at: string; today: { beats: number; calls: number; cost_micros: number } }[] };
    for (const one of json.heartbeats) {
      one.next_run_at = new Date(berlin(0, '17:00')).toISOString();
      one.today = { ...one.today, beats: 20, calls: 1, cost_micros: 2100 };
    }
    await route.fulfill({ response, json });
  });
}

const orders = (page: Page) => page.getByRole('textbox', { name: 'Standing orders' });
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true });
const unsaved = (page: Page) => page.getByRole('group', { name: 'Unsaved changes' });
const ribbon = (page: Page) => page.getByRole('main').getByRole('img').first();
const verdicts = (page: Page) => page.getByRole('region', { name: 'Verdicts' }).getByRole('listitem');

describe('the heartbeat page', () => {
  test('shows the day, every verdict with its reason, what it cost and who watches', async () => {
    const tab = await openHeartbeat({ prepare: atThatTime });
    const { page } = tab;
    assert.equal(await page.title(), 'Heartbeat · rouse');
    await page.getByText('Every 30 minutes the agent looks around').waitFor();
    await page.getByText('11 beats in a row.').waitFor();
    assert.match((await ribbon(page).getAttribute('aria-label')) ?? '', /19 silent beats and 1 beat that spoke\. 12 beats planned\. Now 16:42\./);
    const [first, second] = await verdicts(page).allInnerTexts();
    assert.match(first!, /Today 11:30 to 16:30\s+Silent\s+Nothing changed, no model was asked\. 11 beats in a row\./);
    assert.match(second!, /Today 11:00\s+Spoke\s+Two drafts to Nordlicht are unsent for 5 hours\. 1\.9k tokens, \$0\.0021\./);
    await page.getByText('The model did not answer within 30 s.').waitFor();
    await page.getByText('Asked once, nothing needs you. 1.9k tokens, $0.0019.').waitFor();
    await page.getByRole('region', { name: 'Cost today' }).getByText(/^\$0\.004$|^\$0\.0021$/).waitFor(); // On the first of a month yesterday does not count.
    await page.getByRole('region', { name: 'Watchdog' }).getByText('On time').waitFor();
    await page.getByText('Edits count from the next beat, 17:00.').waitFor();
    await page.getByRole('region', { name: 'Watchdog' }).getByText('If a beat is 8 minutes late, rouse tells you.').waitFor();
    await exactly(unsaved(page), 0);
    await tab.assertAccessible();
    await tab.shoot('heartbeat-light');
    await tab.close();
  });

  test('settings are saved into the file of the person, and only what was changed', async () => {
    writeFileSync(settingsFile(), '{"model": "cheap", "ack_max": 3, "active_hours": {"start": "08:00", "end": "20:00"}}');
    await until(shown, ({ heartbeats }) => heartbeats[0]?.active_hours === '08:00-20:00');
    const tab = await openHeartbeat();
    const { page } = tab;
    await page.getByText('15 min').click();
    await page.getByRole('textbox', { name: 'Active until' }).fill('06:00');
    await page.keyboard.press('Tab');
    await page.getByText('88 beats a day at most.').waitFor();
    await unsaved(page).getByText('Not saved: heartbeat.json').waitFor();
    await tab.assertAccessible();
    await save(page).click();
    await page.getByText(/^Saved 16:42\./).waitFor();
    assert.deepEqual(JSON.parse(readFileSync(settingsFile(), 'utf8')), {
      model: 'cheap', ack_max: 3, active_hours: { start: '08:00', end: '06:00' }, interval_minutes: 15,
    });
    const { heartbeats } = await shown();
    assert.deepEqual([heartbeats[0]?.interval_minutes, heartbeats[0]?.active_hours], [15, '08:00-06:00']);
    await exactly(unsaved(page), 0);
    await tab.close();
  });

  test('it is switched off and on again, and hours move with the arrow keys', async () => {
    const tab = await openHeartbeat();
    const { page } = tab;
    await page.getByRole('slider', { name: 'Active from' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.getByRole('textbox', { name: 'Active from' }).inputValue(), '08:00');
    await page.getByRole('switch', { name: 'Heartbeat' }).click();
    await save(page).click();
    await page.getByText(/^Saved 16:42\./).waitFor();
    const off = await shown();
    assert.deepEqual([off.heartbeats[0]?.enabled, off.heartbeats[0]?.active_hours], [false, '08:00-23:00']);
    await page.getByRole('region', { name: 'Watchdog' }).getByText('Off', { exact: true }).waitFor();
    await page.getByRole('switch', { name: 'Heartbeat' }).click();
    await save(page).click();
    await page.getByRole('region', { name: 'Watchdog' }).getByText('Off', { exact: true }).waitFor({ state: 'detached' });
    assert.equal((await shown()).heartbeats[0]?.enabled, true);
    await tab.close();
  });

  test('a mistake is named before anything is sent', async () => {
    const tab = await openHeartbeat();
    const { page } = tab;
    await page.getByRole('textbox', { name: 'Active from' }).fill('7 am');
    await page.keyboard.press('Tab');
    await page.getByText('Write times like 07:00.').waitFor();
    assert.equal(await save(page).getAttribute('aria-disabled'), 'true');
    await page.getByRole('button', { name: 'Discard' }).click();
    assert.equal(await page.getByRole('textbox', { name: 'Active from' }).inputValue(), '07:00');
    assert.equal(existsSync(settingsFile()), false);
    await tab.close();
  });

  test('orders that can not be understood are refused with their line, and kept', async () => {
    const tab = await openHeartbeat();
    const { page } = tab;
    await orders(page).fill('- check: failed_runs\n- check: nonsense\n');
    await save(page).click();
    await page.getByRole('alert').getByText(/line 2: there is no check 'nonsense'/).waitFor();
    assert.equal(existsSync(ordersFile()), false);
    await tab.assertAccessible();
    await orders(page).fill('- check: failed_runs\n- Is the backup done? (on change)\n');
    await save(page).click();
    await page.getByText(/^Saved 16:42\./).waitFor();
    assert.equal(readFileSync(ordersFile(), 'utf8'), '- check: failed_runs\n- Is the backup done? (on change)\n');
    await page.getByRole('button', { name: 'Read' }).click();
    await page.getByText('Asks a model when something changed').waitFor();
    await page.getByText('Free', { exact: true }).waitFor();
    await tab.close(/status of 400/);
  });

  test('a file that changed on disk meanwhile is shown beside yours, and you choose', async () => {
    const tab = await openHeartbeat();
    const { page } = tab;
    await orders(page).fill('- mine\n');
    writeFileSync(ordersFile(), '- theirs\n');
    await save(page).click();
    const conflict = page.getByRole('region', { name: 'heartbeat-prompt.md changed on disk meanwhile' });
    await conflict.getByText('- theirs').waitFor();
    await conflict.getByText('- mine').waitFor();
    assert.equal(readFileSync(ordersFile(), 'utf8'), '- theirs\n');
    await tab.assertAccessible();
    await conflict.scrollIntoViewIfNeeded();
    await tab.shoot('heartbeat-conflict-light');
    await conflict.getByRole('button', { name: 'Take this one' }).click();
    assert.equal(await orders(page).inputValue(), '- theirs\n');
    await exactly(unsaved(page), 0);

    await orders(page).fill('- mine again\n');
    writeFileSync(ordersFile(), '- theirs again\n');
    await save(page).click();
    await conflict.getByRole('button', { name: 'Keep mine' }).click();
    await page.getByText(/^Saved 16:42\./).waitFor();
    assert.equal(readFileSync(ordersFile(), 'utf8'), '- mine again\n');
    await tab.close(/status of 409/);
  });

  test('what is being written survives a reload, and is not lost when saving fails', async () => {
    const tab = await openHeartbeat();
    const { page } = tab;
    await orders(page).fill('- kept\n');
    await page.getByText('1 h', { exact: true }).click();
    await unsaved(page).getByText('Not saved: heartbeat.json and heartbeat-prompt.md').waitFor();
    await page.reload();
    await unsaved(page).waitFor();
    assert.equal(await orders(page).inputValue(), '- kept\n');
    await page.getByText('Every hour the agent looks around').waitFor();
    await page.route('**/api/heartbeat**', (route) => (route.request().method() === 'PUT' ? route.abort() : route.continue()));
    await save(page).click();
    await page.getByText('Not saved. rouse did not answer.').waitFor();
    assert.equal(await orders(page).inputValue(), '- kept\n');
    await page.unroute('**/api/heartbeat**');
    await save(page).click();
    await page.getByText(/^Saved 16:42\./).waitFor();
    assert.equal(readFileSync(ordersFile(), 'utf8'), '- kept\n');
    assert.equal((await shown()).heartbeats[0]?.interval_minutes, 60);
    await tab.close(/ERR_FAILED/);
  });

  test('settings that are broken on disk are shown as they are, with what is wrong', async () => {
    writeFileSync(settingsFile(), '{\n  "intervall": 3\n}\n');
    await until(shown, ({ problem }) => problem !== null);
    const tab = await openHeartbeat();
    const { page } = tab;
    await page.getByText(/'intervall' is not known; did you mean 'interval'\?/).first().waitFor();
    await tab.assertAccessible();
    await page.getByRole('textbox', { name: 'Settings', exact: true }).fill('{"interval_minutes": 60}');
    await save(page).click();
    await page.getByText(/^Saved 16:42\./).waitFor();
    assert.equal((await shown()).heartbeats[0]?.interval_minutes, 60);
    await tab.close();
  });

  test('several heartbeats stand side by side', async () => {
    writeFileSync(settingsFile(), JSON.stringify({ interval_minutes: 30, heartbeats: [{ name: 'work' }, { name: 'home', interval_minutes: 120 }] }));
    await until(shown, ({ heartbeats }) => heartbeats.length === 2);
    const tab = await openHeartbeat({ path: '/heartbeat?name=work' });
    const { page } = tab;
    await page.getByRole('link', { name: 'home', exact: true }).click();
    await page.getByText('Every 2 hours the agent looks around').waitFor();
    await page.getByText('1 h', { exact: true }).click();
    await save(page).click();
    await page.getByText(/^Saved 16:42\./).waitFor();
    assert.deepEqual((await shown()).heartbeats.map(({ interval_minutes: minutes }) => minutes), [30, 60]);
    await tab.close();
  });

  test('a beat shows as it happens', async () => {
    const opened = Date.now();
    const tab = await openHeartbeat({ prepare: (page) => onlyThePast(page, opened) });
    const { page } = tab;
    await page.getByText('11 beats in a row.').waitFor();
    const before = await verdicts(page).count();
    await server.api('/api/heartbeat/run', {});
    await verdicts(page).nth(before).waitFor();
    await verdicts(page).getByText('The checks found nothing. No model is connected.').first().waitFor();
    await tab.close();
  });

  test('an error is told in place, and the next try can succeed', async () => {
    let broken = true;
    const tab = await signedIn(browser, server, {
      path: '/heartbeat',
      prepare: async (page) => {
        await page.route('**/api/heartbeat', (route) => (broken ? route.abort() : route.continue()));
      },
    });
    const { page } = tab;
    await page.getByRole('alert').getByText('The heartbeat could not be read.').waitFor();
    broken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await orders(page).waitFor();
    await tab.close(/ERR_FAILED/);
  });

  test('it is dark at night', async () => {
    const tab = await openHeartbeat({ colorScheme: 'dark', prepare: atThatTime });
    await tab.page.getByText('11 beats in a row.').waitFor();
    await tab.assertAccessible();
    await tab.shoot('heartbeat-dark');
    await tab.close();
  });

  test('it fits a phone', async () => {
    const tab = await openHeartbeat({ viewport: phone, hasTouch: true, prepare: atThatTime });
    await tab.page.getByText('11 beats in a row.').waitFor();
    await tab.assertNoSidewaysScroll();
    await tab.assertAccessible();
    await tab.shoot('heartbeat-390-light');
    await tab.page.getByText('Zone, target and caps').click();
    await tab.assertNoSidewaysScroll();
    await tab.assertAccessible();
    await tab.close();
  });
});

test('who may not edit reads what the heartbeat does', async () => {
  const made = (await server.api('/api/tokens', { name: 'reader', role: 'user' })) as { token: string };
  const tab = await signedIn(browser, { url: server.url, token: made.token } as Server, { path: '/heartbeat' });
  await tab.page.getByText('Only admins can change it.').waitFor();
  await tab.page.getByText('check: failed_runs 1d').waitFor();
  assert.equal(await tab.page.getByRole('textbox', { name: 'Standing orders' }).count(), 0);
  await tab.assertAccessible();
  await tab.close();
});
