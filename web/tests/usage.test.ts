// The usage page in a real browser against the real server: sums, caps, plots and their table.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser } from 'playwright-core';
import { phone, signedIn, type Tab } from './support/browser.ts';
import { exactly } from './support/chat.ts';
import { inHouse } from './support/house.ts';
import { atTime, givePast, type PastDay } from './support/past.ts';
import { Server } from './support/server.ts';

let browser: Browser;
let server: Server;

inHouse(async (...house) => {
  [browser, server] = house;
  await server.api('/api/workspace', { timezone: 'Europe/Berlin' }, 'PATCH');
  await givePast(server, [], pastDays());
});

/** 40 days with a rhythm, Sundays off. */
function pastDays(): readonly PastDay[] {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' }).format(new Date());
  return Array.from({ length: 40 }, (_, ago) => {
    const at = new Date(`${today}T12:00:00Z`);
    at.setUTCDate(at.getUTCDate() - ago);
    const busy = 1 + ((ago * 7) % 5);
    return { day: at.toISOString().slice(0, 10), turns: busy * 3, tokensIn: busy * 9000, tokensOut: busy * 1700, cacheRead: busy * 15_000, micros: busy * 61_000 };
  }).filter((_, ago) => ago === 0 || ago % 7 !== 3);
}

async function openUsage(options = {}): Promise<Tab> {
  const tab = await signedIn(browser, server, { path: '/usage', prepare: atTime, ...options });
  await tab.page.getByRole('img', { name: /^Cost per day/ }).waitFor();
  return tab;
}

test('sums, plots and the table say the same', async () => {
  const tab = await openUsage();
  const { page } = tab;
  assert.equal(await page.title(), 'Usage · rouse');
  const today = page.getByRole('region', { name: 'Today' });
  await today.getByText('$0.061').waitFor();
  await today.getByText('26k tokens in 3 turns.').waitFor();
  await page.getByText('No cap is set.').waitFor();
  await page.getByRole('img', { name: /^Tokens per day, the last 30 days: .* in all, most on / }).focus();
  await page.keyboard.press('End');
  await page.getByText(/: 9k read, 1\.7k written, 15k cached$/).waitFor();
  await page.getByText('As a table').click();
  const rows = page.getByRole('row');
  await exactly(rows, 27); // a head and the days on which something was used
  assert.match(await rows.nth(1).innerText(), /3\s+9,000\s+1,700\s+15,000\s+\$0\.061/);
  await tab.assertAccessible();
  await page.getByText('7 days').click();
  await page.waitForURL(/days=7$/);
  await exactly(rows, 7);
  await tab.close();
});

test('a cap is a line on the plot and a meter', async () => {
  await server.api('/api/settings', { 'spend.day_usd': 0.5 }, 'PATCH');
  const tab = await openUsage();
  await tab.page.getByRole('meter', { name: 'Cap a day' }).waitFor();
  assert.equal(await tab.page.getByRole('meter', { name: 'Cap a day' }).getAttribute('aria-valuetext'), '$0.061 of $0.50');
  await tab.assertAccessible();
  await tab.shoot('usage-light');
  await tab.close();
});

test('it is dark at night', async () => {
  const tab = await openUsage({ colorScheme: 'dark' });
  await tab.assertAccessible();
  await tab.shoot('usage-dark');
  await tab.close();
});

test('it fits a phone', async () => {
  const tab = await openUsage({ viewport: phone, hasTouch: true });
  await tab.assertNoSidewaysScroll();
  await tab.shoot('usage-390-light');
  await tab.page.getByText('As a table').click();
  await tab.assertNoSidewaysScroll();
  await tab.assertAccessible();
  await tab.close();
});

test('an error is told in place, and the next try can succeed', async () => {
  let broken = true;
  const tab = await signedIn(browser, server, {
    path: '/usage',
    prepare: async (page) => {
      await page.route('**/api/usage?*', (route) => (broken ? route.abort() : route.continue()));
    },
  });
  await tab.page.getByRole('alert').getByText('The usage could not be read.').waitFor();
  broken = false;
  await tab.page.getByRole('button', { name: 'Try again' }).click();
  await tab.page.getByRole('img', { name: /^Cost per day/ }).waitFor();
  await tab.close(/ERR_FAILED/);
});

test('a new server has paid for nothing', async () => {
  const fresh = await Server.start();
  try {
    const tab = await signedIn(browser, fresh, { path: '/usage' });
    await tab.page.getByText('No model was paid for yet.').waitFor();
    await tab.page.getByText('None of them paid for a model.').waitFor();
    await tab.assertAccessible();
    await tab.shoot('usage-empty-light');
    await tab.close();
  } finally {
    await fresh.close();
  }
});
