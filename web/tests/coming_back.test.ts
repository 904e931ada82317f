// Coming back: `/` leads to where one was, and somebody who was away is greeted without a word typed. Nothing is made
// up here: server, store and agent are real, only time has passed in the store.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, phone, signedIn, Tab } from './support/browser.ts';
import { composer, conversationId, exactly, say, settled, stored, transcript, wordsOf, yours } from './support/chat.ts';
import { Model } from './support/model.ts';
import { letTimePass } from './support/past.ts';
import { Server } from './support/server.ts';

const hourMs = 3_600_000;
let browser: Browser;

before(async () => {
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
});

async function withServer(run: (server: Server) => Promise<void>): Promise<void> {
  const server = await Server.start();
  try {
    await run(server);
  } finally {
    await server.close();
  }
}

async function talked(server: Server, name: string, message: string): Promise<string> {
  const answer = (await server.api('/api/chat', { session_id: name, message })) as { conversation_id: string };
  return answer.conversation_id;
}

describe('the first page', () => {
  test('is the newest conversation; a new one is one click away, and so is the way back', () =>
    withServer(async (server) => {
      await talked(server, 'websocket:older', 'what is 1+1?');
      const newest = await talked(server, 'websocket:newer', 'what is 2+2?');
      const tab = await signedIn(browser, server, { path: '/' });
      const { page } = tab;
      await transcript(page).getByText('2+2 = 4').first().waitFor();
      assert.equal(conversationId(page), newest);
      await page.getByRole('link', { name: 'New conversation' }).click();
      await page.getByText('Say something').waitFor();
      assert.equal(new URL(page.url()).pathname, '/chat/new');
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Chat' }).click();
      await transcript(page).getByText('2+2 = 4').first().waitFor();
      await page.goBack();
      await page.getByText('Say something').waitFor();
      await tab.close();
    }));

  test('is the new conversation one has begun to write in', () =>
    withServer(async (server) => {
      await talked(server, 'websocket:older', 'what is 1+1?');
      const tab = await signedIn(browser, server, { path: '/' });
      const { page } = tab;
      await transcript(page).getByText('1+1 = 2').first().waitFor();
      await page.getByRole('link', { name: 'New conversation' }).click();
      await page.getByText('Say something').waitFor();
      await composer(page).fill('half a thou');
      await page.goto(server.url);
      await page.getByText('Say something').waitFor();
      assert.equal(await composer(page).inputValue(), 'half a thou');
      // What happens elsewhere meanwhile carries nobody away.
      const other = await talked(server, 'websocket:other', 'what is 3+3?');
      await page.locator(`section a[href="/chat/${other}"]`).waitFor();
      assert.equal(await composer(page).inputValue(), 'half a thou');
      await composer(page).fill('what is 5+5?');
      await composer(page).press('Enter');
      await transcript(page).getByText('5+5 = 10').first().waitFor();
      await tab.close();
    }));

  test('is no run of an automation: those stand behind one line, under the name of the automation', () =>
    withServer(async (server) => {
      const talk = await talked(server, 'websocket:talk', 'what is 1+1?');
      await talked(server, 'cron:nightly', 'Scheduled automation triggered: Nightly check\n\nwhat is 6+6?');
      await talked(server, 'websocket:report', 'Scheduled automation triggered: Morning report\n\nwhat is 7+7?');
      // Only rouse itself opens conversations under such a key.
      const asRun = (page: Page) =>
        page.route('**/api/conversations**', async (route) => {
          const answer = await route.fetch();
          await route.fulfill({ response: answer, body: (await answer.text()).replaceAll('api:cron:', 'cron:') });
        });
      const tab = await signedIn(browser, server, { path: '/status', prepare: asRun });
      const { page } = tab;
      const list = page.getByRole('region', { name: 'Conversations' });
      await list.getByText('Morning report', { exact: true }).waitFor();
      assert.equal(await list.getByText('Scheduled automation triggered').count(), 0);
      const run = list.getByRole('link', { name: /Nightly check/ });
      assert.equal(await run.isVisible(), false);
      await list.getByText('Runs of automations').click();
      await run.waitFor();
      await tab.assertAccessible();
      await tab.shoot('conversations-runs-light');
      await run.click();
      await page.getByRole('heading', { name: 'Nightly check', level: 1 }).waitFor();
      await page.locator(`section a[href="/chat/${talk}"]`).waitFor();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await tab.close();
    }));
});

describe('somebody who was away', () => {
  test('is greeted in their conversation by the offline assistant, with what is in flight', () =>
    withServer(async (server) => {
      const id = await talked(server, 'websocket:plans', 'remind me in 10 hours to water the plants');
      const said = (await stored(server, id)).length;
      await letTimePass(server, 14 * hourMs);
      const tab = await signedIn(browser, server, { path: '/', greets: true, reducedMotion: 'reduce' });
      const { page } = tab;
      await page.waitForURL(`**/chat/${id}`);
      await page.getByText('opened the conversation').waitFor();
      await settled(page);
      const [greeting, ...more] = (await stored(server, id)).slice(said);
      assert.deepEqual([greeting?.role, more.length], ['assistant', 0]);
      await transcript(page).getByText(/water the plants/).nth(1).waitFor();
      assert.match(wordsOf(greeting!), /water the plants/);
      await exactly(yours(page), 1); // nothing was typed
      await tab.assertAccessible();
      await tab.shoot('coming-back-light');
      await page.setViewportSize(phone);
      await tab.assertNoSidewaysScroll();
      await tab.shoot('coming-back-phone');
      // Once: a reload and a second tab are no second return.
      const silent = page.waitForResponse('**/api/chat/session_open');
      await page.reload();
      assert.equal(((await (await silent).json()) as { silent: boolean }).silent, true);
      assert.equal((await stored(server, id)).length, said + 1);
      await tab.close();
    }));

  test('is greeted by the model, and their reply goes on from there', async () => {
    const model = await Model.start();
    const server = await Server.start({ model });
    try {
      const asked = server.api('/api/chat', { session_id: 'websocket:tax', message: 'Help me with the tax papers' });
      (await model.asked()).end('Send me the list.');
      const { conversation_id: id } = (await asked) as { conversation_id: string };
      await letTimePass(server, 30 * hourMs);
      const tab = await Tab.open(browser, { greets: true, reducedMotion: 'reduce' });
      const { page } = tab;
      await page.goto(server.signInLink);
      const opening = await model.asked();
      assert.match(opening.asked, /^\[/, 'no words of a person');
      opening.end('Good to see you. The list of the tax papers is still missing.');
      await transcript(page).getByText('The list of the tax papers is still missing.').waitFor();
      assert.equal(conversationId(page), id);
      await say(page, 'Here it is');
      (await model.asked()).end('Thank you.');
      await transcript(page).getByText('Thank you.').waitFor();
      await settled(page);
      assert.deepEqual((await stored(server, id)).map(wordsOf), [
        'Help me with the tax papers',
        'Send me the list.',
        'Good to see you. The list of the tax papers is still missing.',
        'Here it is',
        'Thank you.',
      ]);
      await tab.close();
    } finally {
      await server.close();
      await model.close();
    }
  });

  test('for a moment only is not greeted', () =>
    withServer(async (server) => {
      const id = await talked(server, 'websocket:short', 'what is 1+1?');
      await letTimePass(server, 2 * 60_000);
      let answered: Promise<{ json: () => Promise<unknown> }> | null = null;
      const prepare = async (page: Page) => void (answered = page.waitForResponse('**/api/chat/session_open'));
      const tab = await signedIn(browser, server, { path: '/', greets: true, prepare });
      await transcript(tab.page).getByText('1+1 = 2').first().waitFor();
      assert.equal(((await (await answered!).json()) as { silent: boolean }).silent, true);
      assert.equal(conversationId(tab.page), id);
      await tab.close();
    }));
});
