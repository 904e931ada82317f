// The workflows page and the trace of rules beside a conversation.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { phone, signedIn, type SignedInOptions, type Tab } from './support/browser.ts';
import { conversationId, say, settled, transcript, until } from './support/chat.ts';
import { inHouse } from './support/house.ts';
import type { Server } from './support/server.ts';
import { serveGates, serveWorkflows } from './support/workflows.ts';

let browser: Browser;
let server: Server;

inHouse((...house) => ([browser, server] = house));

const open = (options: SignedInOptions = {}): Promise<Tab> =>
  signedIn(browser, server, { path: '/workflows', reducedMotion: 'reduce', prepare: serveWorkflows, ...options });
const row = (page: Page, name: string) => page.getByRole('article', { name });

describe('the list', () => {
  test('tells how each is, what it applies to, and what is wrong with its line', async () => {
    const tab = await open();
    const { page } = tab;
    const shipped = row(page, 'headless-lifecycle');
    await shipped.getByText('In force').waitFor();
    await shipped.getByText('Applies to conversations that rouse itself runs. 2 rules.').waitFor();
    await shipped.getByText('came with rouse').waitFor();
    const broken = row(page, 'night-shift');
    await broken.getByText("Line 11: there is no action 'block_tolls'").waitFor();
    await broken.getByText('Applies to every conversation.').waitFor();
    await broken.getByText(/^The version that was read .* is still in force\./).waitFor();
    await row(page, 'typo').getByText('None of its rules are in force until the file is mended.').waitFor();
    await row(page, 'review').getByText('Applies to Claude Code and Codex.').waitFor();
    await row(page, 'review').getByText('Off', { exact: true }).waitFor();
    await tab.assertAccessible();
    await tab.close();
  });

  test('says so when there are none', async () => {
    const tab = await open({ prepare: (page) => page.route('**/api/workflows', (route) => route.fulfill({ json: { workflows: [] } })) });
    await tab.page.getByRole('heading', { name: 'No workflows yet' }).waitFor();
    await tab.assertAccessible();
    await tab.close();
  });

  test('that can not be read says why, and is there after another try', async () => {
    let fails = true;
    const tab = await open({
      prepare: async (page) => {
        await serveWorkflows(page);
        await page.route('**/api/workflows', (route) =>
          fails ? route.fulfill({ status: 503, json: { ok: false, error: 'store_error', message: 'the store can not be read' } }) : route.fallback());
      },
    });
    const { page } = tab;
    await page.getByText('The workflows could not be read.').waitFor();
    await page.getByText('The store can not be read.').waitFor();
    await tab.assertAccessible();
    fails = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await row(page, 'review').waitFor();
    await tab.close(/status of 503/);
  });

  test('is for admins: nobody else is led to it, and who comes anyway is told', async () => {
    const me = { name: 'Ben', role: 'user', workspace: 'ws_default' };
    const tab = await open({ prepare: (page) => page.route('**/api/me', (route) => route.fulfill({ json: me })) });
    const { page } = tab;
    await page.getByText('Workflows are for admins.').waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('link', { name: 'Memory', exact: true }).waitFor();
    assert.equal(await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Workflows' }).count(), 0);
    await tab.close();
  });
});

describe('one workflow', () => {
  test('shows its rules in words, and leads from each to its line', async () => {
    const tab = await open();
    const { page } = tab;
    await page.getByRole('link', { name: 'headless-lifecycle' }).click();
    await page.getByRole('heading', { name: 'headless-lifecycle', level: 1 }).waitFor();
    await page.getByRole('heading', { name: 'Before a tool is used' }).waitFor();
    const rule = page.getByRole('listitem').filter({ hasText: 'Refuse tools' });
    await rule.getByText("only if not variables.get('task_claimed')").waitFor();
    await page.getByText('max_stop_attempts').waitFor();
    await rule.getByRole('link', { name: 'Line 11' }).click();
    await page.locator('#line-11:target').getByText('action: block_tools').waitFor();
    await tab.assertAccessible();
    await page.setViewportSize(phone);
    await tab.assertNoSidewaysScroll();
    await tab.assertAccessible();
    await tab.close();
  });

  test('marks what is wrong where it is wrong', async () => {
    const tab = await open({ path: '/workflows/night-shift' });
    const { page } = tab;
    await page.getByText('2 things are wrong with the file.').waitFor();
    await page.getByText(/is still in force/).waitFor();
    await page.getByRole('link', { name: /^Line 11: there is no action/ }).click();
    await page.locator('#line-11.bad:target').waitFor();
    const file = page.getByRole('group', { name: 'Text of night-shift' });
    await file.getByText('This condition does not end.').waitFor();
    await tab.assertAccessible();
    await tab.shoot('workflow-broken-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await tab.assertAccessible();
    await tab.shoot('workflow-broken-dark');
    await tab.close();
  });

  test('that is gone says so', async () => {
    const tab = await open({ path: '/workflows/nobody' });
    await tab.page.getByText("There is no workflow 'nobody'.").waitFor();
    await tab.close(/status of 404/);
  });
});

describe('a file of the owner', () => {
  const text = (action: string) => `name: night-shift
description: Quiet after ten
type: lifecycle
variables:
  quiet: false
triggers:
  on_before_agent:
    - action: ${action}
      name: quiet
      value: true
`;

  // Nothing is made up here.
  test('shows up when it is saved; broken, its last good version stays in force', async (t) => {
    const known = (await server.api('/api/workflows')) as { workflows?: unknown };
    if (known.workflows === undefined) return t.skip('this server has no workflows');
    const file = join(server.dataDir, 'workflows/night-shift.yaml');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text('set_variable'));
    const state = async () => ((await server.api('/api/workflows')) as { workflows: { name: string; state: string }[] }).workflows.find(({ name }) => name === 'night-shift')?.state;
    await until(state, (now) => now === 'active');
    const tab = await open({ prepare: async () => {} });
    const { page } = tab;
    await row(page, 'night-shift').getByText('In force').waitFor();
    await page.getByRole('link', { name: 'night-shift' }).click();
    await page.getByRole('heading', { name: 'Before the agent begins to answer' }).waitFor();
    await page.getByText('Quiet after ten').first().waitFor();
    await page.getByRole('link', { name: 'Line 8' }).click();
    await page.locator('#line-8:target').getByText('action: set_variable').waitFor();

    writeFileSync(file, text('set_varable'));
    await until(state, (now) => now === 'broken');
    await page.reload();
    await page.getByText('One thing is wrong with the file.').waitFor();
    await page.getByText(/is still in force/).waitFor();
    await page.locator('.bad').getByText('action: set_varable').waitFor();
    await tab.assertAccessible();
    await tab.close();
  });

  test('is traced beside a conversation', async (t) => {
    const known = (await server.api('/api/workflows')) as { workflows?: unknown };
    if (known.workflows === undefined) return t.skip('this server has no workflows');
    const tab = await open({ path: '/chat/new', prepare: async () => {} });
    const { page } = tab;
    await say(page, 'what is 6+6?');
    await transcript(page).getByText('6+6 = 12').first().waitFor();
    await settled(page);
    const panel = page.getByRole('complementary', { name: 'About this conversation' });
    await panel.getByText('Rules', { exact: true }).click();
    await panel.getByRole('link', { name: 'night-shift' }).first().waitFor();
    await panel.getByText('quiet', { exact: true }).waitFor();
    await tab.assertAccessible();
    await tab.close();
  });
});

describe('beside a conversation', () => {
  test('rules are read when they are looked at: what was blocked first, and why', async () => {
    let gates = { asked: 0 };
    const prepare = async (page: Page) => {
      gates = await serveGates(page);
      await serveWorkflows(page);
    };
    const tab = await open({ path: '/chat/new', prepare });
    const { page } = tab;
    await say(page, 'what is 3+4?');
    await transcript(page).getByText('3+4 = 7').first().waitFor();
    await settled(page);
    // Whoever is new has no panel before there is something to look up.
    const panel = page.getByRole('complementary', { name: 'About this conversation' });
    await panel.getByText('Rules', { exact: true }).waitFor();
    assert.equal(gates.asked, 0);
    await panel.getByText('Rules', { exact: true }).click();
    await panel.getByText('Claim a task before you change a file.').waitFor();
    const heads = panel.getByRole('heading', { level: 4 });
    assert.deepEqual(await heads.allTextContents(), ['Blocked', 'The rest', 'Remembered']);
    await panel.getByText('stop_attempts').waitFor();
    await panel.getByRole('button', { name: 'Show older ones' }).click();
    await panel.getByText('Told the agent').waitFor();
    await panel.getByText("The condition of line 12 failed: there is no 'x'.").waitFor();
    await panel.getByText('One action, 3.4 ms').click();
    await tab.assertAccessible();
    await tab.shoot('chat-rules-light');
    assert.ok(conversationId(page));
    await panel.getByRole('link', { name: 'headless-lifecycle' }).first().click();
    await page.getByRole('heading', { name: 'headless-lifecycle', level: 1 }).waitFor();
    await tab.close();
  });

  test('a server that keeps no record is no failure', async () => {
    const missing = { status: 404, json: { ok: false, error: 'not_found', message: 'no such route' } };
    const tab = await open({ path: '/chat/new', prepare: (page) => page.route('**/api/conversations/*/gates?*', (route) => route.fulfill(missing)) });
    const { page } = tab;
    await say(page, 'what is 4+4?');
    await transcript(page).getByText('4+4 = 8').first().waitFor();
    const panel = page.getByRole('complementary', { name: 'About this conversation' });
    await panel.getByText('Rules', { exact: true }).click();
    await panel.getByText('This server keeps no record of rules.').waitFor();
    await tab.close(/status of 404/);
  });
});
