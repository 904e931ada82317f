// The agent speaks first, the first minutes with rouse, and what belongs to writing: files, commands, the panel.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { phone, signedIn, Tab, type SignedInOptions } from './support/browser.ts';
import { composer, conversationId, exactly, say, settled, stored, transcript, until, wordsOf, yours } from './support/chat.ts';
import { greetingId, greetWith } from './support/greeting.ts';
import { inHouse } from './support/house.ts';
import { Model } from './support/model.ts';
import { Server } from './support/server.ts';

let browser: Browser;
let server: Server;

inHouse((...house) => ([browser, server] = house));

const open = (options: SignedInOptions = {}): Promise<Tab> => signedIn(browser, server, options);
const greeted = (page: Page) => transcript(page).getByText('Three things are in flight.');

/** As if the person looked elsewhere and came back, `minutes` later by the page's clock. */
async function lookAwayAndBack(page: Page, minutes: number): Promise<void> {
  await page.evaluate((ms) => {
    const look = (state: string) => {
      Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    };
    look('hidden');
    const now = Date.now();
    Date.now = () => now + ms;
    look('visible');
  }, minutes * 60_000);
}

describe('the agent speaks first', () => {
  // S0-21, S0-37
  test('and the chat opens itself with what it said', async () => {
    await server.api('/api/chat', { session_id: 'websocket:before', message: 'what is 1+1?' });
    let asked: readonly unknown[] = [];
    const tab = await open({ path: '/', greets: true, reducedMotion: 'reduce', prepare: async (page) => void (asked = await greetWith(page)) });
    const { page } = tab;
    await greeted(page).waitFor();
    await page.waitForURL(`**/chat/${greetingId}`);
    await page.getByText('opened the conversation').waitFor();
    assert.equal(asked.length, 1);
    await exactly(greeted(page), 1);
    await tab.assertAccessible();
    await tab.shoot('greeting-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await tab.assertAccessible();
    await tab.shoot('greeting-dark');
    await page.setViewportSize(phone);
    await tab.assertNoSidewaysScroll();
    await tab.assertAccessible();
    await tab.shoot('greeting-phone');
    await tab.close();
  });

  // S0-20, S0-38
  test('is asked again when the person returns, at most every two minutes', async () => {
    let asked: readonly unknown[] = [];
    let first: Promise<unknown> = Promise.resolve();
    const prepare = async (page: Page) => {
      asked = await greetWith(page, { silent: true });
      first = page.waitForResponse('**/api/chat/session_open');
    };
    const tab = await open({ greets: true, prepare });
    const { page } = tab;
    await first;
    await lookAwayAndBack(page, 1);
    const again = page.waitForResponse('**/api/chat/session_open');
    await lookAwayAndBack(page, 2);
    await again;
    assert.equal(asked.length, 2);
    await tab.close();
  });

  test('an error is nobody’s concern', async () => {
    let answered: Promise<unknown> = Promise.resolve();
    const prepare = async (page: Page) => {
      await greetWith(page, { status: 500 });
      answered = page.waitForResponse('**/api/chat/session_open');
    };
    const tab = await open({ greets: true, prepare });
    const { page } = tab;
    await answered;
    await composer(page).waitFor();
    assert.equal(await page.getByRole('alert').filter({ hasText: /./ }).count(), 0);
    await tab.close(/status of 500/);
  });

  test('whoever has begun to write is not interrupted', async () => {
    let asked: readonly unknown[] = [];
    const prepare = async (page: Page) => {
      asked = await greetWith(page);
      await page.addInitScript(() => localStorage.setItem('rouse-draft:ws_default:new', 'half a thou'));
    };
    const tab = await open({ path: '/', greets: true, prepare });
    const { page } = tab;
    await page.getByText('Say something').waitFor();
    assert.equal(await composer(page).inputValue(), 'half a thou');
    await lookAwayAndBack(page, 3);
    assert.equal(asked.length, 0);
    await tab.close();
  });

  test('whoever begins to write meanwhile stays where they are', async () => {
    let speak: (value: unknown) => void = () => {};
    const after = new Promise((done) => (speak = done));
    let asked: Promise<unknown> = Promise.resolve();
    const prepare = async (page: Page) => {
      await greetWith(page, { after });
      asked = page.waitForRequest('**/api/chat/session_open');
    };
    const tab = await open({ greets: true, prepare });
    const { page } = tab;
    await asked;
    await composer(page).fill('What I wanted to say');
    speak(null);
    await page.getByText('has something to say.').waitFor();
    assert.equal(new URL(page.url()).pathname, '/chat/new');
    assert.equal(await composer(page).inputValue(), 'What I wanted to say');
    await tab.assertAccessible();
    await tab.close();
  });

  test('on another page a line in the corner leads to it', async () => {
    const tab = await open({ greets: true, path: '/status', prepare: async (page) => void (await greetWith(page)) });
    const { page } = tab;
    await page.getByText('has something to say.').waitFor();
    assert.equal(new URL(page.url()).pathname, '/status');
    await tab.assertAccessible();
    await tab.shoot('greeting-elsewhere-light');
    await page.getByRole('link', { name: 'Open the conversation' }).click();
    await greeted(page).waitFor();
    assert.equal(await page.getByText('has something to say.').count(), 0);
    await tab.close();
  });
});

describe('the first minutes', () => {
  // S0-45 and the UAT list of the seed.
  test('lead from the link to a greeting and a reminder without any reading', async () => {
    const own = await Server.start();
    try {
      const tab = await Tab.open(browser, { greets: true, reducedMotion: 'reduce' });
      const { page } = tab;
      await page.goto(own.signInLink);
      const hello = transcript(page).getByText(/remind me in 2 minutes to stretch/).first();
      await hello.waitFor();
      await page.waitForURL(/\/chat\/conv_/);
      const model = page.getByRole('region', { name: 'Connect a model' });
      await model.getByLabel('Key').waitFor();
      await tab.assertAccessible();
      await tab.shoot('first-run-light');
      await page.emulateMedia({ colorScheme: 'dark' });
      await tab.shoot('first-run-dark');
      await tab.assertAccessible();
      await page.setViewportSize(phone);
      await tab.assertNoSidewaysScroll();
      await tab.assertAccessible();
      await tab.shoot('first-run-phone');
      // It is in the history, and a reload is no second opening.
      const silent = page.waitForResponse('**/api/chat/session_open');
      await page.reload();
      await hello.waitFor();
      assert.equal(((await (await silent).json()) as { silent: boolean }).silent, true);
      assert.equal((await stored(own, conversationId(page))).length, 1);
      await page.getByRole('button', { name: 'Remind me in 2 minutes to stretch' }).click();
      await transcript(page).getByText(/I'll remind you in 2 minutes/).first().waitFor();
      // Who has begun needs no first steps.
      assert.equal(await model.count(), 0);
      await tab.close();
    } finally {
      await own.close();
    }
  });

  test('connect a model right there: the key is tested, kept, and leaves the page', async () => {
    const model = await Model.start();
    const own = await Server.start();
    try {
      const tab = await Tab.open(browser, { greets: true, reducedMotion: 'reduce' });
      const { page } = tab;
      await page.goto(own.signInLink);
      const card = page.getByRole('region', { name: 'Connect a model' });
      await card.getByRole('button', { name: 'Test and connect' }).click();
      await card.getByText('Paste the key first.').waitFor();
      await card.getByLabel('Provider').selectOption('OpenAI or compatible');
      await card.getByLabel('Key').fill('sk-first-run');
      await card.getByLabel('Address').fill(model.url);
      await card.getByRole('button', { name: 'Test and connect' }).click();
      (await model.asked()).end('Here.');
      await card.getByText('Connected. gpt-5.1 answers from the next message.').waitFor();
      await tab.assertAccessible();
      const { items } = (await own.api('/api/models')) as { items: { role: string; offline: boolean; has_key: boolean }[] };
      assert.deepEqual(items.filter(({ role }) => role === 'main').map(({ offline, has_key: hasKey }) => [offline, hasKey]), [[false, true]]);
      assert.equal(await page.getByText('sk-first-run').count(), 0);
      await say(page, 'Are you there?');
      (await model.asked()).end('Yes, with a mind.');
      await transcript(page).getByText('Yes, with a mind.').waitFor();
      await tab.close();
    } finally {
      await own.close();
      await model.close();
    }
  });

  test('are the same when the agent says nothing', async () => {
    const own = await Server.start();
    try {
      const tab = await Tab.open(browser);
      const { page } = tab;
      await page.goto(own.signInLink);
      await page.getByRole('button', { name: 'Schedule it' }).click();
      await transcript(page).getByText(/every weekday at 08:00/).first().waitFor();
      await tab.close();
    } finally {
      await own.close();
    }
  });
});

describe('files', () => {
  const picture = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC', 'base64');
  const dot = { name: 'dot.png', mimeType: 'image/png', buffer: picture };

  test('a picture goes with the words, and is shown where it was said', async () => {
    const model = await Model.start();
    const own = await Server.start({ model });
    try {
      const tab = await signedIn(browser, own);
      const { page } = tab;
      await page.locator('input[type=file]').setInputFiles([dot]);
      await page.getByRole('list', { name: 'Files to send' }).locator('img').waitFor();
      await tab.assertAccessible();
      await tab.shoot('chat-file-light');
      await say(page, 'What is this?');
      (await model.asked()).end('A dot.');
      await transcript(page).getByText('A dot.').waitFor();
      await yours(page).getByRole('img', { name: 'dot.png' }).waitFor();
      await settled(page);
      const [said] = await stored(own, conversationId(page));
      assert.deepEqual(said?.content.map(({ type }) => type), ['text', 'image']);
      await tab.close();
    } finally {
      await own.close();
      await model.close();
    }
  });

  test('what can not be sent says why, and can be taken out', async () => {
    const tab = await open();
    const { page } = tab;
    await page.locator('input[type=file]').setInputFiles([{ name: 'large.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(8 * 1024 * 1024 + 1) }]);
    await page.getByText('It is larger than 8 MB.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Send' }).getAttribute('aria-disabled'), 'true');
    await tab.assertAccessible();
    await page.getByRole('button', { name: 'Remove large.bin' }).click();
    await page.getByText('It is larger than 8 MB.').waitFor({ state: 'detached' });
    await tab.close();
  });

  test('are taken from the clipboard and from a drop', async () => {
    const tab = await open();
    const { page } = tab;
    await composer(page).evaluate((area, type) => {
      const data = new DataTransfer();
      data.items.add(new File(['one'], 'pasted.txt', { type }));
      area.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
      const dropped = new DataTransfer();
      dropped.items.add(new File(['two'], 'dropped.txt', { type }));
      area.dispatchEvent(new DragEvent('drop', { dataTransfer: dropped, bubbles: true, cancelable: true }));
    }, 'text/plain');
    const files = page.getByRole('list', { name: 'Files to send' });
    await files.getByText('pasted.txt').waitFor();
    await files.getByText('dropped.txt').waitFor();
    await files.getByText('Uploading').first().waitFor({ state: 'detached' });
    await say(page, 'Read this');
    await transcript(page).getByText('dropped.txt').first().waitFor();
    await settled(page);
    await tab.assertAccessible();
    await tab.close();
  });
});

describe('writing', () => {
  test('Up takes the last message again, and says what becomes of it', async () => {
    const tab = await open();
    const { page } = tab;
    await say(page, 'what is 2+3?');
    await transcript(page).getByText('2+3 = 5').first().waitFor();
    await settled(page);
    await composer(page).press('ArrowUp');
    assert.equal(await composer(page).inputValue(), 'what is 2+3?');
    await page.getByText('Sent as a new message').waitFor();
    await composer(page).fill('what is 2+4?');
    await composer(page).press('Enter');
    await transcript(page).getByText('2+4 = 6').first().waitFor();
    await settled(page);
    assert.deepEqual((await stored(server, conversationId(page))).filter(({ role }) => role === 'user').map(wordsOf), ['what is 2+3?', 'what is 2+4?']);
    await page.getByRole('button', { name: 'Edit what you said' }).click();
    assert.equal(await composer(page).inputValue(), 'what is 2+4?');
    await page.locator('textarea:focus').waitFor();
    await tab.close();
  });

  test('/remind takes its words along, and /model tells who answers', async () => {
    const tab = await open({ reducedMotion: 'reduce' });
    const { page } = tab;
    await say(page, '/remind in 3 hours to breathe');
    await transcript(page).getByText(/I'll remind you in 3 hours/).first().waitFor();
    await settled(page);
    await say(page, '/model');
    await page.getByText(/No model is connected|does not tell which model/).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Models' }).getAttribute('href'), '/settings#models');
    // The panel knows what is due in this conversation.
    const panel = page.getByRole('complementary', { name: 'About this conversation' });
    await panel.getByRole('link', { name: 'breathe' }).waitFor();
    await tab.assertAccessible();
    await tab.shoot('chat-panel-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await tab.shoot('chat-panel-dark');
    await panel.getByRole('button', { name: 'Close the panel' }).click();
    await panel.waitFor({ state: 'detached' });
    await page.setViewportSize(phone);
    await page.getByRole('button', { name: 'About this conversation' }).click();
    await panel.getByRole('link', { name: 'breathe' }).waitFor();
    await tab.assertAccessible();
    await tab.assertNoSidewaysScroll();
    await tab.shoot('chat-panel-phone');
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await tab.close();
  });
});

describe('what came meanwhile', () => {
  test('is marked in the list, and where it begins', async () => {
    const tab = await open();
    const { page } = tab;
    await say(page, 'what is 8+9?');
    await transcript(page).getByText('8+9 = 17').first().waitFor();
    await settled(page);
    const path = `/chat/${conversationId(page)}`;
    await page.getByRole('link', { name: 'Automations', exact: true }).click();
    await page.getByRole('heading', { name: 'Automations', level: 1 }).waitFor();
    const { session_key: key } = (await server.api(`/api/conversations/${path.slice('/chat/'.length)}`)) as { session_key: string };
    const at = new Date(Date.now() + 2500).toISOString();
    await server.api('/api/automations', { name: 'Look up', message: 'Remind the user: look up', session_key: key, schedule: { kind: 'at', at } });
    const item = page.locator(`a[href="${path}"]`).filter({ hasText: 'Unread.' });
    await item.waitFor();
    await item.click();
    await page.getByText('New since you were here').waitFor();
    await transcript(page).getByText('Reminder: look up').waitFor();
    await tab.assertAccessible();
    await tab.shoot('chat-unread-light');
    await tab.close();
  });

  test('a conversation that is deleted elsewhere is gone here, too', async () => {
    const tab = await open();
    const { page } = tab;
    await say(page, 'what is 9+9?');
    await transcript(page).getByText('9+9 = 18').first().waitFor();
    await settled(page);
    const id = conversationId(page);
    await server.api(`/api/conversations/${id}`, undefined, 'DELETE');
    await page.getByRole('heading', { name: 'This conversation was deleted' }).waitFor();
    await page.locator(`section a[href="/chat/${id}"]`).waitFor({ state: 'detached' });
    await tab.assertAccessible();
    // The panel may just have asked what it used.
    await tab.close(/status of 404 .*\/usage/);
  });

  test('a pin holds in every tab, and what was seen is seen everywhere', async () => {
    const { conversation_id: id } = (await server.api('/api/chat', { session_id: 'websocket:to-pin', message: 'what is 7+7?' })) as { conversation_id: string };
    const [tab, other] = [await open(), await open()];
    const item = (page: Page) => page.locator(`a[href="/chat/${id}"]`);
    await item(tab.page).waitFor();
    await tab.page.getByRole('button', { name: 'Options of what is 7+7?' }).click();
    await tab.page.getByRole('button', { name: 'Pin', exact: true }).click();
    for (const { page } of [tab, other]) {
      await page.getByRole('heading', { name: 'Pinned' }).waitFor();
      await item(page).getByText('Pinned').waitFor();
    }
    await tab.assertAccessible();
    await tab.shoot('conversations-pinned-light');
    await item(tab.page).click();
    await transcript(tab.page).getByText('7+7 = 14').first().waitFor();
    const seen = async () => (await server.api(`/api/conversations/${id}`)) as { seen_seq: number; last_seq: number };
    await until(seen, ({ seen_seq: at, last_seq: last }) => at === last);
    await tab.close();
    await other.close();
  });
});
