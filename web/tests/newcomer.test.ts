// A newcomer's first minutes as one story against the real server: the printed link, the greeting, a reminder that
// fires into the chat and stands in the timeline, and an agent that knows what it said.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Browser } from 'playwright-core';
import { desktop, phone, Tab } from './support/browser.ts';
import { conversationId, say, scheduled, settled, stored, transcript, until, wordsOf } from './support/chat.ts';
import { inHouse } from './support/house.ts';
import type { Server } from './support/server.ts';

let browser: Browser;
let server: Server;

inHouse(async (...house) => {
  [browser, server] = house;
  // A conversation is told about when it rests: nobody waits two minutes for a test.
  await server.kill();
  writeFileSync(join(server.dataDir, 'rouse.yaml'), JSON.stringify({ activity: { idle_seconds: 1 } }));
  await server.startAgain();
});

test('from the link to a greeting, a reminder that fires, and its line in the timeline', async () => {
  const tab = await Tab.open(browser, { greets: true, reducedMotion: 'reduce' });
  const { page } = tab;

  // Greeted without a word typed.
  await page.goto(server.signInLink);
  const hello = transcript(page).getByText(/^Hello!/);
  await hello.waitFor();
  await page.waitForURL(/\/chat\/conv_/);
  await settled(page);
  const id = conversationId(page);
  const [opening, ...more] = await stored(server, id);
  assert.deepEqual([opening?.role, more.length], ['assistant', 0]);
  await page.locator('textarea:focus').waitFor();
  await tab.assertAccessible();
  await tab.shoot('newcomer-1-greeted');

  // A reply knows how the conversation was opened.
  await say(page, 'what did you say?');
  const answered = await until(() => stored(server, id), (messages) => messages.length >= 3 && messages.at(-1)?.role === 'assistant');
  assert.ok(wordsOf(answered.at(-1)!).includes(wordsOf(answered[0]!).split('\n')[0] ?? '?'), wordsOf(answered.at(-1)!));
  await hello.nth(1).waitFor({ state: 'attached' });
  await settled(page);
  await tab.shoot('newcomer-2-knows');

  // A reminder in a person's words, which fires into the chat on its own.
  await say(page, 'remind me in 1 second to stretch');
  await transcript(page).getByText(/^I'll remind you in 1 second/).waitFor();
  const fired = scheduled(page).filter({ hasText: 'Reminder: stretch' });
  await fired.waitFor();
  await settled(page);
  assert.equal(conversationId(page), id);
  // Nothing is planned any longer, and the list says so, too.
  await page.locator(`a[href="/chat/${id}"]`).getByText(/ automations?$/).waitFor({ state: 'detached' });
  await tab.assertAccessible();
  await tab.shoot('newcomer-3-reminded');

  // It stands in the timeline, by itself and live, and leads back.
  await page.getByRole('link', { name: 'Activity', exact: true }).first().click();
  const row = page.getByRole('region', { name: 'Today' }).getByRole('listitem').filter({ hasText: 'Reminder: stretch' });
  await row.waitFor();
  await tab.assertAccessible();
  await tab.shoot('newcomer-4-timeline');
  await page.setViewportSize(phone);
  await tab.assertNoSidewaysScroll();
  await tab.shoot('newcomer-5-timeline-phone');
  await row.getByRole('link', { name: 'Conversation' }).click();
  await page.waitForURL(`**/chat/${id}`);
  await fired.waitFor();
  await hello.first().waitFor({ state: 'attached' });
  await tab.shoot('newcomer-6-back-phone');

  await page.setViewportSize(desktop);

  // A reload keeps the greeting, and is greeted by nothing more.
  const before = (await stored(server, id)).length;
  const asked = page.waitForResponse('**/api/chat/session_open');
  await page.reload();
  await hello.first().waitFor({ state: 'attached' });
  assert.equal(((await (await asked).json()) as { silent: boolean }).silent, true);
  assert.equal(conversationId(page), id);
  assert.equal((await stored(server, id)).length, before);
  await fired.waitFor();
  await tab.shoot('newcomer-7-reloaded');
  await tab.close();
});
