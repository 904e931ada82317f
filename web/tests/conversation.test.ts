// Around a conversation: approvals, commands, the palette, the list, search, automations, hostile words, long lists.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { phone, signedIn, Tab } from './support/browser.ts';
import { composer, conversationId, exactly, say, scheduled, settled, transcript, until, yours } from './support/chat.ts';
import { hostileMarkdown } from './support/hostile.ts';
import { inHouse } from './support/house.ts';
import { Model } from './support/model.ts';
import { Server } from './support/server.ts';

let browser: Browser;
let server: Server;

inHouse((...house) => ([browser, server] = house));

const open = (path = '/chat/new'): Promise<Tab> => signedIn(browser, server, { path });

/** A conversation that somebody had before, named by its first words. */
async function talked(...messages: readonly string[]): Promise<string> {
  const name = `websocket:${crypto.randomUUID()}`;
  let id = '';
  for (const message of messages) {
    const answer = (await server.api('/api/chat', { session_id: name, message })) as { conversation_id: string };
    id = answer.conversation_id;
  }
  return id;
}

describe('approvals', () => {
  test('are answered where they are asked, and every tab sees it', async () => {
    const tab = await open();
    const { page } = tab;
    await say(page, 'write hello to the file allowed.txt');
    const ask = page.getByRole('region', { name: 'Approval request' });
    await ask.getByText(/allowed\.txt/).waitFor();
    await settled(page);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('button', { name: 'Allow once' }).waitFor();
    await tab.assertAccessible();
    await ask.getByRole('button', { name: 'Allow once' }).click();
    for (const one of [page, other]) {
      await one.getByText('Allowed once').waitFor();
      await transcript(one).getByText(/Done, as you approved/).waitFor();
    }
    await tab.close();
  });

  test('a no is a no, and says so', async () => {
    const tab = await open();
    const { page } = tab;
    await say(page, 'write hello to the file denied.txt');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Denied', { exact: true }).waitFor();
    await settled(page);
    await tab.assertAccessible();
    await tab.close();
  });
});

describe('commands', () => {
  test('the menu follows the typing and works with the keyboard', async () => {
    const tab = await open();
    const { page } = tab;
    const options = page.getByRole('listbox', { name: 'Commands' }).getByRole('option');
    await composer(page).pressSequentially('/');
    await options.first().waitFor();
    await exactly(options, 8);
    await tab.assertAccessible();
    await composer(page).pressSequentially('he');
    await exactly(options, 1);
    await composer(page).press('Enter');
    await page.getByRole('dialog', { name: 'Commands and keys' }).waitFor();
    await tab.assertAccessible();
    await page.keyboard.press('Escape');
    await composer(page).fill('/rem');
    await composer(page).press('Tab');
    assert.equal(await composer(page).inputValue(), 'Remind me in 20 minutes to ');
    await composer(page).fill('/s');
    await composer(page).press('Escape');
    assert.equal(await options.count(), 0);
    await composer(page).fill('/status');
    await composer(page).press('Enter');
    await page.getByRole('heading', { name: 'Health' }).waitFor();
    await tab.close();
  });

  test('/compact says what came of it', async () => {
    const tab = await open();
    const { page } = tab;
    await say(page, 'what is 2+2?');
    await transcript(page).getByText('2+2 = 4').first().waitFor();
    await say(page, '/compact');
    await transcript(page).getByText(/nothing to compact|Compacted/i).waitFor();
    await tab.close();
  });
});

describe('the palette', () => {
  test('leads to pages, conversations and commands by a few letters', async () => {
    const id = await talked('palette sailing plans');
    const tab = await open();
    const { page } = tab;
    await page.getByRole('link', { name: /palette sailing plans/ }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to' }).fill('sailing');
    await page.getByRole('option', { name: /palette sailing plans/ }).first().waitFor();
    await tab.assertAccessible();
    await tab.shoot('palette-light');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/chat/${id}`);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to' }).fill('heal');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/status');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to' }).fill('new conv');
    await page.keyboard.press('Enter');
    await composer(page).waitFor();
    await page.goBack();
    await page.waitForURL('**/status');
    await tab.close();
  });
});

describe('the list of conversations', () => {
  test('renames, exports and deletes', async () => {
    const id = await talked('a name to change');
    const tab = await open(`/chat/${id}`);
    const { page } = tab;
    const options = page.getByRole('button', { name: 'Conversation options' });
    await options.click();
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('A better name');
    await tab.assertAccessible();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'A better name' }).waitFor();
    await page.getByRole('link', { name: /A better name/ }).waitFor();

    await options.click();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export' }).click();
    assert.match((await download).suggestedFilename(), /\.md$/);

    await options.click();
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL((url) => url.pathname === '/chat/new');
    assert.equal(await page.getByRole('link', { name: /A better name/ }).count(), 0);
    await tab.close();
  });

  test('a delete names the automations in its way before anything is gone', async () => {
    const id = await talked('every day at 9 remind me to water the plants');
    const tab = await open(`/chat/${id}`);
    const { page } = tab;
    await page.getByRole('button', { name: 'Conversation options' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('One automation belongs to it').waitFor();
    await dialog.getByRole('listitem').getByText(/water the plants/).waitFor();
    await tab.assertAccessible();
    await tab.shoot('delete-guard-light');
    await dialog.getByRole('button', { name: 'Keep it' }).click();
    await transcript(page).waitFor();
    await page.getByRole('button', { name: 'Conversation options' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete all of it' }).click();
    await page.waitForURL((url) => url.pathname === '/chat/new');
    await tab.close();
  });

  test('marks what was said elsewhere as unread until it is opened', async () => {
    const tab = await open();
    const { page } = tab;
    await page.getByRole('region', { name: 'Conversations' }).waitFor();
    await talked('news from elsewhere');
    const link = page.getByRole('link', { name: /^Unread\. news from elsewhere/ });
    await link.waitFor();
    await link.click();
    await transcript(page).getByText('news from elsewhere').waitFor();
    await page.getByRole('link', { name: 'New conversation' }).click();
    await page.getByText('Say something').waitFor();
    assert.equal(await link.count(), 0);
    await tab.close();
  });

  test('a list that arrives late takes nothing away that was told meanwhile', async () => {
    let [wasAsked, release] = [(): void => {}, (): void => {}];
    const asked = new Promise<void>((resolve) => (wasAsked = resolve));
    const released = new Promise<void>((resolve) => (release = resolve));
    let isFirst = true;
    const tab = await signedIn(browser, server, {
      path: '/automations',
      prepare: async (page) => {
        await page.route(/\/api\/conversations(\?|$)/, async (route) => {
          if (!isFirst) return route.continue();
          isFirst = false;
          const response = await route.fetch();
          wasAsked();
          await released;
          await route.fulfill({ response });
        });
      },
    });
    const { page } = tab;
    await asked;
    await talked('said while the list was on its way');
    const link = page.getByRole('link', { name: /^Unread\. said while the list was on its way/ });
    await link.waitFor();
    const late = page.waitForResponse(/\/api\/conversations(\?|$)/);
    release();
    await (await late).finished();
    await page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))));
    assert.equal(await link.count(), 1);
    await tab.close();
  });

  test('search finds what was said and leads to it', async () => {
    const sums = Array.from({ length: 40 }, (_, index) => `what is ${index} + 1000?`);
    const id = await talked('the word is zanzibar', ...sums);
    await until(
      () => server.api('/api/search?q=zanzibar') as Promise<{ items: unknown[] }>,
      ({ items }) => items.length > 0,
    );
    const tab = await open();
    const { page } = tab;
    await page.getByLabel('Search conversations').fill('zanzibar');
    await page.getByRole('link', { name: /zanzibar/ }).last().waitFor();
    await page.getByRole('region', { name: 'Conversations' }).locator(`a[href*="${id}?at="]`).first().click();
    await yours(page).getByText('the word is zanzibar').waitFor();
    await page.waitForFunction(() => {
      const hit = [...document.querySelectorAll('article')].find((one) => one.textContent?.includes('zanzibar'));
      const { top = -1, bottom = Infinity } = hit?.getBoundingClientRect() ?? {};
      return top >= 0 && bottom <= innerHeight;
    });
    await page.getByRole('button', { name: 'Latest' }).click();
    await transcript(page).getByText('39 + 1000 = 1039').first().waitFor();
    await tab.close();
  });
});

describe('automations', () => {
  test('show as scheduled turns, fold to one line, and can be left out', async () => {
    const tab = await open();
    const { page } = tab;
    await say(page, 'remind me in 1 second to breathe');
    await scheduled(page).getByText('Reminder: breathe').waitFor();
    await settled(page);
    await tab.assertAccessible();
    await tab.shoot('scheduled-light');
    await scheduled(page).locator('summary').first().click();
    await scheduled(page).locator('summary').getByText('Reminder: breathe').waitFor();
    await page.getByRole('switch', { name: 'Show background activity' }).click();
    await scheduled(page).waitFor({ state: 'detached' });
    await page.reload();
    await yours(page).waitFor();
    assert.equal(await scheduled(page).count(), 0);
    await page.getByRole('switch', { name: 'Show background activity' }).click();
    await scheduled(page).waitFor();
    await tab.close();
  });
});

describe('hostile words', () => {
  test('are harmless and readable', async () => {
    const model = await Model.start();
    const own = await Server.start({ model });
    try {
      const tab = await signedIn(browser, own);
      const { page } = tab;
      await say(page, 'Attack me');
      const answer = await model.asked();
      for (const part of hostileMarkdown) answer.say(part);
      answer.end('\n\nThe end of it.');
      // Not by a locator: Playwright would read the megabyte over and over.
      const ended = () =>
        page.waitForFunction(() => document.querySelector('.prose > div:last-child')?.textContent?.trim() === 'The end of it.');
      await ended();
      await settled(page);
      await page.reload();
      await ended();
      const found = await transcript(page).evaluate((node) => ({
        scripts: node.querySelectorAll('script, iframe, img, object, embed, form, style, svg.evil, base, meta, link').length,
        handlers: [...node.querySelectorAll('*')].filter((one) => [...one.attributes].some(({ name }) => /^on/i.test(name))).length,
        styles: node.querySelectorAll('.prose [style]').length,
        links: [...node.querySelectorAll('.prose a')].map((one) => (one as HTMLAnchorElement).protocol),
        code: Math.max(...[...node.querySelectorAll('pre')].map((one) => one.textContent?.length ?? 0)),
        rows: node.querySelectorAll('tr').length,
        rowsNote: [...node.querySelectorAll('.prose p')].some((one) => one.textContent?.startsWith('Showing 500 of 5000 rows.')),
        wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      }));
      assert.deepEqual([found.scripts, found.handlers, found.styles, found.wide], [0, 0, 0, 0]);
      assert.ok(found.links.every((protocol) => protocol === 'https:' || protocol === 'mailto:'), found.links.join(' '));
      assert.ok(found.code >= 1_000_000, 'the code is all there');
      assert.ok(found.rows <= 502 && found.rowsNote, `${found.rows} rows`);
      assert.equal(await page.evaluate(() => (globalThis as { pwned?: boolean }).pwned), undefined);
      await tab.close();
    } finally {
      await own.close();
      await model.close();
    }
  });
});

describe('a long conversation', () => {
  test('of 50,000 messages draws only what is in view', async () => {
    const id = await talked('the beginning of a long story');
    const count = 50_000;
    const items = Array.from({ length: count }, (_, index) => {
      const seq = count - index;
      const isUser = seq % 2 === 1;
      return {
        seq,
        session_id: 'sess_1',
        turn_id: `turn_${Math.ceil(seq / 2)}`,
        role: isUser ? 'user' : 'assistant',
        source: 'websocket',
        content: [{ type: 'text', from: isUser ? 'owner' : 'agent', text: `Message **${seq}** ${'and more words '.repeat(seq % 17)}` }],
        created_at: '2026-11-15T10:00:00.000Z',
      };
    });
    const tab = await signedIn(browser, server, {
      path: `/chat/${id}`,
      prepare: async (page) => void (await page.route('**/messages?*', (route) => route.fulfill({ json: { items, next_cursor: null } }))),
    });
    const { page } = tab;
    await transcript(page).getByText('50000', { exact: true }).waitFor();
    const drawn = () => transcript(page).locator('article').count();
    assert.ok((await drawn()) < 80, `${await drawn()} turns are drawn`);
    const scrollTo = (top: number) => transcript(page).evaluate((node, to) => (node.scrollTop = to), top);
    await scrollTo(0);
    await yours(page).getByText('Message **1** ').first().waitFor();
    // However it is scrolled, no step draws more than a screen or two: that keeps it fast on any machine.
    const most = await transcript(page).evaluate(async (node) => {
      let most = 0;
      for (let step = 1; step <= 40; step++) {
        node.scrollTop = (node.scrollHeight / 41) * step;
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        most = Math.max(most, node.querySelectorAll('article').length);
      }
      return most;
    });
    assert.ok(most < 80, `${most} turns are drawn`);
    await page.getByRole('button', { name: 'Latest' }).click();
    await transcript(page).getByText('50000', { exact: true }).waitFor();
    await tab.close();
  });

  test('is read page by page while it is scrolled', async () => {
    const sums = Array.from({ length: 60 }, (_, index) => `what is ${index} + 500?`);
    const id = await talked('where it all began', ...sums);
    const tab = await open(`/chat/${id}`);
    const { page } = tab;
    await transcript(page).getByText('59 + 500 = 559').first().waitFor();
    const beginning = yours(page).getByText('where it all began');
    while ((await beginning.count()) === 0) await transcript(page).evaluate((node) => (node.scrollTop = 0));
    await beginning.waitFor();
    await tab.close();
  });
});

describe('what can go wrong is told in place', () => {
  test('a conversation that can not be read', async () => {
    const id = await talked('unreadable');
    const tab = await signedIn(browser, server, {
      path: `/chat/${id}`,
      prepare: async (page) => {
        const json = { ok: false, error: 'store', message: 'the disk is full' };
        await page.route('**/messages?*', (route) => route.fulfill({ status: 503, json }));
      },
    });
    const { page } = tab;
    await page.getByRole('heading', { name: 'This conversation could not be read' }).waitFor();
    await page.getByText('The disk is full.').waitFor();
    await tab.assertAccessible();
    await tab.shoot('chat-error-light');
    await page.unroute('**/messages?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await yours(page).getByText('unreadable').waitFor();
    await tab.close(/status of 503/);
  });

  test('an address that no page has', async () => {
    const tab = await open('/no/such/page');
    await tab.page.getByRole('heading', { name: 'There is no page here' }).waitFor();
    await tab.assertAccessible();
    await tab.close();
  });
});

describe('the chat, light and dark, wide and narrow', () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, viewport] of [['1440', undefined], ['390', phone]] as const) {
      const options = { colorScheme, ...(viewport ? { viewport } : {}) };

      test(`${colorScheme}, ${size} px`, async () => {
        const tab = await signedIn(browser, server, options);
        const { page } = tab;
        await page.getByText('Say something').waitFor();
        await tab.assertAccessible();
        await tab.assertNoSidewaysScroll();
        await tab.shoot(`chat-new-${size}-${colorScheme}`);
        await say(page, 'what is 12 * (3 + 4)?');
        await transcript(page).getByText('12 * (3 + 4) = 84.').waitFor();
        await settled(page);
        await say(page, `write hello to the file look-${size}-${colorScheme}.txt`);
        await page.getByRole('button', { name: 'Allow once' }).waitFor();
        await settled(page);
        await page.locator('summary').first().click();
        await tab.assertAccessible();
        await tab.assertNoSidewaysScroll();
        await tab.shoot(`chat-${size}-${colorScheme}`);
        const id = conversationId(page);
        if (viewport !== undefined) {
          await page.getByRole('link', { name: 'All conversations' }).click();
          await page.locator(`main a[href="/chat/${id}"]`).waitFor();
          await tab.assertAccessible();
          await tab.assertNoSidewaysScroll();
          await tab.shoot(`chats-${size}-${colorScheme}`);
        }
        await tab.close();
      });
    }
  }
});

describe('what the page tells and learns by itself', () => {
  test('a notification of an agent stays until it is dismissed', async () => {
    const tab = await open();
    const { page } = tab;
    await say(page, 'notify me that the build is green');
    const notice = page.getByRole('status').filter({ hasText: 'the build is green' });
    await notice.waitFor();
    await settled(page);
    await tab.assertAccessible();
    await tab.shoot('notice-light');
    await notice.getByRole('button', { name: 'Dismiss' }).click();
    await notice.waitFor({ state: 'detached' });
    await tab.close();
  });

  test('the time zone of the first browser is that of the reminders', async () => {
    const own = await Server.start();
    try {
      const tab = await signedIn(browser, own, { timezoneId: 'Asia/Kathmandu' });
      await until(
        () => own.api('/api/workspace') as Promise<{ timezone?: string }>,
        ({ timezone }) => timezone === 'Asia/Kathmandu' || timezone === 'Asia/Katmandu',
      );
      await tab.close();
    } finally {
      await own.close();
    }
  });
});
