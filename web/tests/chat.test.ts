// Talking: sending, streaming, stopping, and what must hold when the connection, the page or the server goes away in
// the middle. The model is the test itself, so every moment of a stream can be held.
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { serverAway, signedIn, Tab } from './support/browser.ts';
import { composer, conversationId, exactly, say, settled, stopButton, stored, transcript, wordsOf, yours } from './support/chat.ts';
import { inHouseWithModel } from './support/house.ts';
import type { Model } from './support/model.ts';
import { Server } from './support/server.ts';

let browser: Browser;
let model: Model;
let server: Server;

inHouseWithModel((...house) => ([browser, server, model] = house));

afterEach(() => model.forget());

const open = (): Promise<Tab> => signedIn(browser, server);

describe('a message', () => {
  test('is streamed, committed once, and still there after a reload', async () => {
    const tab = await open();
    const { page } = tab;
    await say(page, 'Say hello');
    const answer = await model.asked();
    assert.match(answer.asked, /Say hello/);
    answer.say('Hello ');
    await transcript(page).getByText('Hello', { exact: true }).waitFor();
    await stopButton(page).waitFor();
    answer.end('**world**');
    await settled(page);
    await transcript(page).locator('strong', { hasText: 'world' }).waitFor();
    assert.deepEqual((await stored(server, conversationId(page))).map(wordsOf), ['Say hello', 'Hello **world**']);

    await page.reload();
    await transcript(page).locator('strong', { hasText: 'world' }).waitFor();
    await exactly(yours(page), 1);
    await exactly(transcript(page).locator('strong'), 1);
    await tab.close();
  });

  test('that waits behind an answer says so, and is answered after it', async () => {
    const tab = await open();
    const { page } = tab;
    await say(page, 'first');
    const first = await model.asked();
    first.say('one');
    await transcript(page).getByText('one').waitFor();
    await say(page, 'second');
    await page.getByText('One message waits. It is answered after this one.').waitFor();
    await tab.shoot('chat-queued-light');
    first.end();
    (await model.asked()).end('two');
    await transcript(page).getByText('two').waitFor();
    await settled(page);
    assert.deepEqual(await yours(page).locator('.card').allTextContents(), ['first', 'second']);
    await tab.close();
  });

  test('can be stopped with Escape; what was said is kept', async () => {
    const tab = await open();
    const { page } = tab;
    await say(page, 'Tell me everything');
    (await model.asked()).say('It began');
    await transcript(page).getByText('It began').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Stopped.', { exact: true }).waitFor();
    await transcript(page).getByText('It began').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    (await model.asked()).end('From the start');
    await transcript(page).getByText('From the start').waitFor();
    await exactly(yours(page), 2);
    await tab.close();
  });

  test('that the model fails on is explained in place', async () => {
    const tab = await open();
    const { page } = tab;
    await say(page, 'Break');
    (await model.asked()).refuse();
    await page.getByText('This turn failed.').waitFor();
    await tab.assertAccessible();
    await tab.close();
  });

  test('is not sent while an input method is in the middle of a word', async () => {
    const tab = await open();
    const { page } = tab;
    await composer(page).fill('にほん');
    await composer(page).evaluate((area) => {
      area.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true }));
    });
    assert.equal(await composer(page).inputValue(), 'にほん');
    await composer(page).press('Enter');
    (await model.asked()).end('はい');
    await transcript(page).getByText('はい').waitFor();
    await exactly(yours(page), 1);
    await tab.close();
  });

  test('that is not sent yet survives a reload, and Up takes the last one again', async () => {
    const tab = await open();
    const { page } = tab;
    await say(page, 'Remember me');
    (await model.asked()).end('Yes');
    await settled(page);
    await composer(page).fill('half a thou');
    await page.reload();
    assert.equal(await composer(page).inputValue(), 'half a thou');
    await composer(page).fill('');
    await yours(page).waitFor();
    await composer(page).press('ArrowUp');
    assert.equal(await composer(page).inputValue(), 'Remember me');
    await composer(page).press('ArrowDown');
    assert.equal(await composer(page).inputValue(), '');
    await tab.close();
  });
});

describe('a stream', () => {
  test('goes on in a page that is loaded in its middle, with the words that began it', async () => {
    const tab = await open();
    const { page } = tab;
    await say(page, 'Count');
    const answer = await model.asked();
    answer.say('one ');
    await transcript(page).getByText('one').waitFor();
    await page.waitForURL(/conv_/);
    await page.reload();
    await transcript(page).getByText('one').waitFor();
    await yours(page).getByText('Count').waitFor();
    answer.end('two');
    await transcript(page).getByText('one two').waitFor();
    await settled(page);
    await exactly(yours(page), 1);
    await tab.close();
  });

  test('is the same in two tabs', async () => {
    const tab = await open();
    const { page } = tab;
    await say(page, 'To both');
    const answer = await model.asked();
    await page.waitForURL(/conv_/);
    const other = await page.context().newPage();
    await other.goto(page.url());
    answer.say('Grüße ');
    for (const one of [page, other]) await transcript(one).getByText('Grüße').waitFor();
    answer.end('an **alle**');
    for (const one of [page, other]) {
      await transcript(one).locator('strong', { hasText: 'alle' }).waitFor();
      await settled(one);
      await exactly(yours(one), 1);
    }
    assert.equal(await transcript(page).innerText(), await transcript(other).innerText());
    await tab.close();
  });

  test('that a killed server cut off is made good after its restart, without a reload', async () => {
    const own = await Server.start({ model });
    try {
      const tab = await signedIn(browser, own);
      const { page } = tab;
      await page.evaluate(() => document.documentElement.setAttribute('data-same-document', ''));
      await say(page, 'Do not stop');
      (await model.asked()).say('Half of ');
      await transcript(page).getByText('Half of').waitFor();
      await page.waitForURL(/conv_/);
      await own.kill();
      await page.getByText('Not connected.').waitFor();
      // That it keeps its word is in the table of waits (lib.test.ts, socket.test.ts): so the truth shows within 2 s.
      await page.getByText('Trying again every second.').waitFor();
      await tab.shoot('chat-away-light');
      await own.startAgain();
      const again = await model.asked();
      again.say('The ');
      await transcript(page).getByText('The', { exact: true }).waitFor();
      again.end('whole');
      await transcript(page).getByText('The whole').waitFor();
      await settled(page);
      assert.equal(await transcript(page).getByText('Half of').count(), 0);
      await exactly(yours(page), 1);
      await exactly(page.locator('html[data-same-document]'), 1);
      assert.deepEqual((await stored(own, conversationId(page))).map(wordsOf), ['Do not stop', 'The whole']);
      await tab.close(serverAway);
    } finally {
      await own.close();
    }
  });
});

describe('without a connection', () => {
  test('messages are kept and sent once, in their order', async () => {
    const own = await Server.start();
    try {
      const tab = await signedIn(browser, own);
      const { page } = tab;
      await say(page, 'what is 1+1?');
      await transcript(page).getByText('1+1 = 2').first().waitFor();
      await settled(page);
      await own.kill();
      await page.getByText('What you type is kept and sent once.').waitFor();
      await say(page, 'what is 2+2?');
      await say(page, 'what is 3+3?');
      await exactly(page.getByText('Kept here. Sent once rouse answers.'), 2);
      await tab.assertAccessible();
      await tab.shoot('chat-kept-light');
      // Not even a reload loses them: the app itself is in the browser's cache or served again.
      await own.startAgain();
      await transcript(page).getByText('3+3 = 6').first().waitFor();
      await settled(page);
      const said = (await stored(own, conversationId(page))).filter(({ role }) => role === 'user').map(wordsOf);
      assert.deepEqual(said, ['what is 1+1?', 'what is 2+2?', 'what is 3+3?']);
      assert.deepEqual(await yours(page).locator('.card').allTextContents(), said);
      await tab.close(serverAway);
    } finally {
      await own.close();
    }
  });

  test('a message that was accepted without our knowing is not sent twice', async () => {
    const tab = await open();
    const { page } = tab;
    await say(page, 'hello');
    (await model.asked()).end('hi');
    await settled(page);
    const id = conversationId(page);
    // As if the page had been closed between sending and hearing that it arrived.
    await page.evaluate(
      ([workspace, conversation]) => {
        const item = { id: 'the-same', conversation, text: 'only once', atMs: Date.now(), error: '' };
        localStorage.setItem(`rouse-outbox:${workspace}`, JSON.stringify([item]));
      },
      ['ws_default', id] as const,
    );
    const sent = server.api('/api/chat', { session_id: id, message: 'only once', client_message_id: 'the-same' });
    const answer = await model.asked();
    await page.reload();
    answer.end('once');
    await sent;
    await transcript(page).getByText('once', { exact: true }).waitFor();
    await settled(page);
    await exactly(yours(page).locator('.card'), 2); // what was said before may come a moment later
    assert.deepEqual(await yours(page).locator('.card').allTextContents(), ['hello', 'only once']);
    await tab.close();
  });
});
