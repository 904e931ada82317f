// The approvals page against the real server and its offline model, which asks before it writes a file.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { phone, signedIn, type SignedInOptions, type Tab } from './support/browser.ts';
import { inHouse } from './support/house.ts';
import type { Server } from './support/server.ts';

let browser: Browser;
let server: Server;

inHouse((...house) => ([browser, server] = house));

const open = (options: SignedInOptions = {}): Promise<Tab> => signedIn(browser, server, { path: '/approvals', reducedMotion: 'reduce', ...options });
const card = (page: Page, file: string): Locator => page.getByRole('article').filter({ hasText: file });
const settled = (page: Page, file: string): Locator => page.getByRole('region', { name: 'Answered and expired' }).getByRole('listitem').filter({ hasText: file });
const allowed = (page: Page): Locator => page.getByRole('region', { name: 'Runs without asking' });
const railLink = (page: Page): Locator => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Approvals/ });
const nothingWaits = (page: Page): Promise<void> => page.getByText('Nothing waits for you.').waitFor();

async function ask(file: string, session = 'websocket:work'): Promise<void> {
  await server.api('/api/chat', { session_id: session, message: `write hello to the file ${file}` });
}

test('an empty page says what will stand there', async () => {
  const tab = await open();
  await nothingWaits(tab.page);
  await tab.page.getByText(/^No agent has asked yet\./).waitFor();
  await tab.page.getByText(/^Nothing is allowed for longer\./).waitFor();
  assert.equal(await tab.page.title(), 'Approvals · rouse');
  await tab.assertAccessible();
  await tab.shoot('approvals-empty-light');
  await tab.close();
});

describe('a call that waits', () => {
  test('comes by itself, is counted in the rail, shows exactly what would run, and is allowed once', async () => {
    const tab = await open();
    const { page } = tab;
    await nothingWaits(page);
    await ask('once.txt');
    const asked = card(page, 'once.txt');
    await asked.getByRole('heading', { name: 'The agent asks to write a file' }).waitFor();
    await asked.getByText('hello', { exact: true }).waitFor();
    await asked.getByText(/This call needs your word before it runs\. It waits until tomorrow \d\d:\d\d Europe\/Berlin, then counts as denied\./).waitFor();
    await railLink(page).getByText('1', { exact: true }).waitFor();
    // What the page shows is not told a second time.
    assert.equal(await page.getByText('Wants to write a file').count(), 0);
    assert.equal(await page.title(), '1 waiting · Approvals · rouse');
    await tab.assertAccessible();
    await tab.shoot('approvals-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await tab.assertAccessible();
    await tab.shoot('approvals-dark');
    await asked.getByRole('button', { name: 'Allow once' }).click();
    await nothingWaits(page);
    await settled(page, 'once.txt').getByText('Allowed once by you.').waitFor();
    await railLink(page).getByText('1', { exact: true }).waitFor({ state: 'detached' });
    await tab.close();
  });

  test('is denied with a reason, which is kept', async () => {
    const tab = await open();
    const { page } = tab;
    await ask('denied.txt');
    await card(page, 'denied.txt').getByRole('button', { name: 'Deny with a reason' }).click();
    await page.locator('input:focus').fill('Use the other file');
    await tab.assertAccessible();
    await page.keyboard.press('Enter');
    await settled(page, 'denied.txt').getByText('Denied by you. “Use the other file”').waitFor();
    await settled(page, 'denied.txt').locator('summary').click();
    await settled(page, 'denied.txt').getByRole('link').waitFor();
    await tab.assertAccessible();
    await tab.shoot('approvals-answered-light');
    await tab.close();
  });

  test('that somebody else answered is shown as they answered it', async () => {
    const tab = await open();
    const { page } = tab;
    await ask('elsewhere.txt');
    await card(page, 'elsewhere.txt').waitFor();
    const { items } = (await server.api('/api/approvals?state=pending')) as { items: { approval_id: string }[] };
    await server.api(`/api/approvals/${items[0]?.approval_id}`, { decision: 'deny' });
    await card(page, 'elsewhere.txt').waitFor({ state: 'detached' });
    await settled(page, 'elsewhere.txt').getByText('Denied over the API.').waitFor();
    await tab.close();
  });

  test('that cannot be answered says why, and can be answered again', async () => {
    const tab = await open();
    const { page } = tab;
    await ask('again.txt');
    await card(page, 'again.txt').waitFor();
    await page.route('**/api/approvals/apr_*', (route) => route.abort());
    await card(page, 'again.txt').getByRole('button', { name: 'Allow once' }).click();
    await page.getByRole('alert').getByText('rouse did not answer.').waitFor();
    await page.unroute('**/api/approvals/apr_*');
    await card(page, 'again.txt').getByRole('button', { name: 'Allow once' }).click();
    await settled(page, 'again.txt').waitFor();
    await tab.close(/ERR_FAILED/);
  });
});

test('what is allowed for longer is listed, and asks again once it is taken back', async () => {
  const tab = await open({ viewport: phone, hasTouch: true });
  const { page } = tab;
  await ask('always.txt');
  await page.getByRole('link', { name: /^Approvals/ }).getByText(', 1 waiting').waitFor({ state: 'attached' });
  await tab.assertAccessible();
  await tab.assertNoSidewaysScroll();
  await tab.shoot('approvals-phone-light');
  await card(page, 'always.txt').getByRole('button', { name: 'Always' }).click();
  await settled(page, 'always.txt').getByText('Allowed always by you.').waitFor();
  const row = allowed(page).getByRole('listitem').filter({ hasText: 'always.txt' });
  await row.getByText(/^Always,\s+since today \d\d:\d\d Europe\/Berlin$/).waitFor();
  await row.getByRole('button', { name: /^Take back/ }).click();
  await row.getByText('It asks again then.').waitFor();
  await tab.assertAccessible();
  await row.getByRole('button', { name: 'Take back', exact: true }).click();
  await row.waitFor({ state: 'detached' });
  await ask('always.txt');
  await card(page, 'always.txt').waitFor();
  await tab.close();
});

test('a page that cannot be read says so in place, and tries again', async () => {
  const tab = await open({ prepare: (page) => page.route('**/api/permissions?*', (route) => route.fulfill({ status: 503, json: { ok: false, error: 'store_unavailable', message: 'the disk is full' } })) });
  const { page } = tab;
  await page.getByRole('alert').getByText('What is allowed could not be read.').waitFor();
  await tab.assertAccessible();
  await page.unroute('**/api/permissions?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await allowed(page).getByText(/^Nothing is allowed for longer\./).waitFor();
  await tab.close(/status of 503/);
});
