// Clearing: the old conversation is told first, under its own name, and a fresh one takes its place. It stays in the
// list with its summary, so nobody is asked whether they are sure (S4-24 to S4-26).
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { Browser, Page, WebSocket } from 'playwright-core';
import { phone, serverAway, signedIn, type Tab } from './support/browser.ts';
import { composer, conversationId, say, settled, stored, transcript, until, wordsOf, yours } from './support/chat.ts';
import { inHouseWithModel } from './support/house.ts';
import type { Model } from './support/model.ts';
import { Server } from './support/server.ts';

let browser: Browser;
let model: Model;
let server: Server;

inHouseWithModel((...house) => ([browser, server, model] = house));

afterEach(() => model.forget());

interface Sent {
  readonly type: string;
  readonly conversation_id?: string;
  readonly message?: string;
}

const trash = (page: Page) => page.getByRole('button', { name: 'Clear and start fresh' });
const fresh = (page: Page) => page.getByText('Started fresh.');

/** A tab, and what it tells the server from now on. */
async function open(where = server): Promise<{ tab: Tab; page: Page; sent: Sent[] }> {
  const sent: Sent[] = [];
  const listen = async (page: Page) => {
    page.on('websocket', (socket: WebSocket) => socket.on('framesent', ({ payload }) => sent.push(JSON.parse(String(payload)) as Sent)));
  };
  const tab = await signedIn(browser, where, { reducedMotion: 'reduce', prepare: listen });
  return { tab, page: tab.page, sent };
}

async function talk(page: Page, words: string, answer: string): Promise<string> {
  await say(page, words);
  (await model.asked()).end(answer);
  await transcript(page).getByText(answer).waitFor();
  await settled(page);
  return conversationId(page);
}

async function sessionsOf(id: string): Promise<readonly { close_reason: string | null; context_summary: string }[]> {
  return ((await server.api(`/api/conversations/${id}`)) as { sessions: { close_reason: string | null; context_summary: string }[] }).sessions;
}

test('/clear tells the old conversation first, then begins a fresh one; the old one is kept', async () => {
  const { tab, page, sent } = await open();
  const old = await talk(page, 'Plan the garden', 'Beds first.');
  await say(page, '/clear');
  await fresh(page).waitFor();
  assert.equal(await yours(page).count(), 0);
  assert.equal(await composer(page).inputValue(), '');
  await until(() => sessionsOf(old), ([session]) => session?.close_reason === 'cleared');
  assert.match((await sessionsOf(old))[0]?.context_summary ?? '', /^GOAL: .*garden/);
  await tab.assertAccessible();
  await tab.shoot('chat-cleared-light');

  const next = await talk(page, 'Plan the kitchen', 'Stove first.');
  assert.notEqual(next, old);
  const told = sent.filter(({ type }) => type === 'clear_chat' || type === 'chat').map(({ type, conversation_id: id }) => [type, id === old ? 'old' : 'other']);
  assert.deepEqual(told, [['chat', 'other'], ['clear_chat', 'old'], ['chat', 'other']]);
  assert.deepEqual((await stored(server, next)).map(wordsOf), ['Plan the kitchen', 'Stove first.']);
  // Where it was, with what was said in it.
  await page.locator(`section a[href="/chat/${old}"]`).click();
  await transcript(page).getByText('Beds first.').waitFor();
  await page.getByText('Cleared. The next message starts fresh.').waitFor();
  await page.getByText('What was kept of it').click();
  await page.locator('details').getByText(/garden/).first().waitFor();
  await tab.assertAccessible();
  await tab.shoot('chat-cleared-kept-light');
  await tab.close();
});

test('the trash icon does the same, without a question', async () => {
  const { tab, page, sent } = await open();
  assert.equal(await trash(page).count(), 0, 'there is nothing to clear yet');
  const old = await talk(page, 'Count the chairs', 'Seven.');
  await page.setViewportSize(phone);
  await tab.assertNoSidewaysScroll();
  await tab.assertAccessible();
  await trash(page).click();
  await fresh(page).waitFor();
  assert.deepEqual(sent.filter(({ type }) => type === 'clear_chat'), [{ type: 'clear_chat', conversation_id: old }]);
  await page.getByRole('link', { name: 'The conversation before' }).click();
  await transcript(page).getByText('Seven.').waitFor();
  await tab.close();
});

test('a turn that runs is stopped, and its words do not come into the fresh conversation', async () => {
  const { tab, page } = await open();
  await say(page, 'Tell me everything');
  (await model.asked()).say('It began long ago');
  await transcript(page).getByText('It began long ago').waitFor();
  await page.waitForURL(/conv_/);
  const old = conversationId(page);
  await say(page, '/clear');
  await fresh(page).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Stop the answer' }).count(), 0);
  const turns = async () => ((await server.api(`/api/turns?conversation_id=${old}`)) as { items: { state: string; reason: string }[] }).items;
  await until(turns, ([turn]) => turn?.state === 'done' && turn.reason === 'cleared');
  await talk(page, 'Something else', 'Gladly.');
  assert.equal(await transcript(page).getByText('It began').count(), 0);
  await tab.close();
});

test('without a connection the fresh conversation is there at once, and the old one is cleared when rouse is back', async () => {
  const own = await Server.start({ model });
  try {
    const { tab, page, sent } = await open(own);
    const old = await talk(page, 'Remember the milk', 'Noted.');
    await own.kill();
    await page.getByText('Not connected.').waitFor();
    await say(page, '/clear');
    await fresh(page).waitFor();
    await say(page, 'New page');
    await page.getByText('Kept here. Sent once rouse answers.').waitFor();
    await own.startAgain();
    (await model.asked()).end('Turned.');
    await transcript(page).getByText('Turned.').waitFor();
    const cleared = async () => ((await own.api(`/api/conversations/${old}`)) as { sessions: { close_reason: string }[] }).sessions;
    await until(cleared, ([session]) => session?.close_reason === 'cleared');
    assert.notEqual(conversationId(page), old);
    const said = sent.filter(({ type }) => type === 'chat').map(({ message }) => message);
    assert.deepEqual(said.slice(said.indexOf('/clear')), ['/clear', 'New page']);
    assert.deepEqual((await stored(own, old)).map(wordsOf), ['Remember the milk', 'Noted.']);
    await tab.close(serverAway);
  } finally {
    await own.close();
  }
});
