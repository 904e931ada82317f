// The memory page: notes, instructions, tasks, skills, and MEMORY.md out and in.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { phone, serverAway, signedIn, type SignedInOptions, type Tab } from './support/browser.ts';
import { exactly, until } from './support/chat.ts';
import { inHouse } from './support/house.ts';
import type { Server } from './support/server.ts';

let browser: Browser;
let server: Server;

inHouse((...house) => ([browser, server] = house));

const open = (path: string, options: SignedInOptions = {}): Promise<Tab> => signedIn(browser, server, { path, ...options });
const newNote = (page: Page) => page.getByLabel('New note');
const note = (page: Page, text: string | RegExp) => page.getByRole('article', { name: text });
const keep = (text: string, importance = 3) => server.api('/api/memory', { text, importance });

describe('notes', () => {
  test('an empty memory says how a note comes into it, and the first one is written by hand', async () => {
    const tab = await open('/memory');
    const { page } = tab;
    await page.getByText('No notes yet').waitFor();
    await tab.assertAccessible();
    await tab.shoot('memory-empty-light');
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByText('Write the fact first.').waitFor();
    await newNote(page).fill('The dog is called Rex.');
    await page.getByLabel('Importance').first().selectOption({ label: '5, always in mind' });
    await page.getByRole('button', { name: 'Add note' }).click();
    const rex = note(page, 'The dog is called Rex.');
    await rex.getByText('Written by hand').waitFor();
    await rex.getByText('Importance 5 of 5').waitFor();
    assert.equal(await newNote(page).inputValue(), '');
    const { items } = (await server.api('/api/memory')) as { items: { text: string; importance: number }[] };
    assert.deepEqual(items.map(({ text, importance }) => ({ text, importance })), [{ text: 'The dog is called Rex.', importance: 5 }]);
    await tab.close();
  });

  test('a note of a chat shows up by itself, with the way to its conversation', async () => {
    const tab = await open('/memory');
    const { page } = tab;
    await newNote(page).waitFor();
    await server.api('/api/chat', { session_id: 'websocket:memory', message: 'remember that the boiler is serviced in May' });
    const boiler = note(page, /boiler/);
    await boiler.getByText('Noted by the agent').waitFor();
    await boiler.getByRole('link', { name: 'Conversation' }).click();
    await page.waitForURL('**/chat/conv_*');
    await tab.close();
  });

  test('search finds by words, and says so when nothing fits', async () => {
    await keep('Ada likes blue cheese', 4);
    await keep('The train to Gothenburg leaves at 07:12');
    const tab = await open('/memory');
    const { page } = tab;
    await note(page, /Gothenburg/).waitFor();
    await page.getByLabel('Search notes').fill('cheeses');
    await page.getByText('1 note with “cheeses”, best first').waitFor();
    await note(page, /blue cheese/).waitFor();
    assert.equal(await note(page, /Gothenburg/).count(), 0);
    await page.getByLabel('Search notes').fill('zeppelin');
    await page.getByText('No note fits “zeppelin”.').waitFor();
    await tab.assertAccessible();
    await page.getByLabel('Search notes').fill('');
    await note(page, /Gothenburg/).waitFor();
    await tab.close();
  });

  test('is edited where it stands, and another one that says the same is named', async () => {
    await keep('The key is under the mat');
    await keep('The key is with the neighbour');
    const tab = await open('/memory');
    const { page } = tab;
    await note(page, /under the mat/).getByRole('button', { name: 'Edit this note' }).click();
    const text = page.getByLabel('Text of the note');
    await text.fill('The key is with the neighbour');
    await text.press('Control+Enter');
    await page.getByRole('alert').getByText(/Not saved\./).waitFor();
    await tab.assertAccessible();
    await text.fill('The key is in the shed');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await note(page, /in the shed/).waitFor();
    await note(page, /in the shed/).getByRole('button', { name: 'Edit this note' }).click();
    await text.fill('never mind');
    await text.press('Escape');
    await note(page, /in the shed/).waitFor();
    await tab.close(/status of 409/);
  });

  test('is deleted after a second look', async () => {
    await keep('Old and wrong');
    const tab = await open('/memory');
    const { page } = tab;
    const old = note(page, 'Old and wrong');
    await old.getByRole('button', { name: 'Delete this note' }).click();
    await page.getByRole('button', { name: 'Keep it' }).press('Escape');
    await old.getByRole('button', { name: 'Delete this note' }).click();
    await tab.assertAccessible();
    await old.getByRole('button', { name: 'Delete', exact: true }).click();
    await old.waitFor({ state: 'detached' });
    await page.reload();
    await newNote(page).waitFor();
    await note(page, /shed|cheese/).first().waitFor();
    assert.equal(await old.count(), 0);
    await tab.close();
  });

  test('one from words of others is told apart, until the person stands behind it', async () => {
    await server.api('/api/memory/import', { markdown: '# Memory\n\n## Notes\n\n- [3, untrusted] The shop closes at five\n' });
    const tab = await open('/memory');
    const shop = note(tab.page, 'The shop closes at five');
    await shop.getByText('From words of others').waitFor();
    await shop.getByText(/Left out of turns/).waitFor();
    await tab.assertAccessible();
    await tab.shoot('memory-untrusted-light');
    await shop.getByRole('button', { name: 'It is true' }).click();
    await shop.getByText('Written by hand').waitFor();
    await tab.close();
  });

  test('more than a page of them come as they are asked for', async () => {
    const lines = Array.from({ length: 120 }, (_, index) => `- [1] Fact number ${index}`).join('\n');
    await server.api('/api/memory/import?agent=pager', { markdown: `# Memory\n\n## Notes\n\n${lines}\n` });
    await server.api('/api/agents/pager', { instructions: '' }, 'PUT');
    const tab = await open('/memory');
    const { page } = tab;
    await page.getByLabel('Memory of').selectOption('pager');
    await page.getByText('Showing the first 50 notes').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('Showing the first 100 notes').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('120 notes', { exact: true }).waitFor();
    await exactly(page.getByRole('article'), 120);
    await tab.close();
  });
});

describe('MEMORY.md', () => {
  test('goes out and comes in, and a wrong line is named', async () => {
    await keep('Exported fact');
    const tab = await open('/memory');
    const { page } = tab;
    await note(page, 'Exported fact').waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Export' }).click()]);
    assert.equal(file.suggestedFilename(), 'MEMORY.md');
    assert.match(readFileSync((await file.path())!, 'utf8'), /- \[3\] Exported fact/);
    const chosen = page.getByLabel('MEMORY.md to import');
    await chosen.setInputFiles({ name: 'MEMORY.md', mimeType: 'text/markdown', buffer: Buffer.from('# Memory\n\n## Notes\n\n- [4] Came from a file\n') });
    await page.getByText('1 note added, 0 renewed, 0 unchanged.').waitFor();
    await note(page, 'Came from a file').waitFor();
    await chosen.setInputFiles({ name: 'bad.md', mimeType: 'text/markdown', buffer: Buffer.from('# Memory\n\n## Notes\n\n- [9] Too much\n') });
    await page.getByRole('alert').getByText(/bad\.md was not read in\. .*line 5/i).waitFor();
    await tab.close(/status of 400/);
  });
});

describe('instructions', () => {
  test('are saved, counted, and never overwrite what was changed meanwhile', async () => {
    const tab = await open('/memory/instructions');
    const { page } = tab;
    const text = page.getByLabel('Instructions', { exact: true });
    await page.getByText('Never saved.').waitFor();
    await text.fill('Answer in German.');
    await page.getByText('17 of 4,000 characters').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. Counts from the next turn.').waitFor();
    assert.equal(((await server.api('/api/memory/instructions')) as { in_force: string }).in_force, 'Answer in German.');
    await tab.shoot('memory-instructions-light');

    await text.fill('Answer in French.');
    await server.api('/api/memory/instructions', { instructions: 'Answer in Danish.' }, 'PUT');
    await page.getByRole('button', { name: 'Save' }).click();
    const clash = page.getByRole('alert').filter({ hasText: 'Changed meanwhile' });
    await clash.getByText('Answer in Danish.').waitFor();
    await tab.assertAccessible();
    await tab.shoot('memory-instructions-changed-light');
    assert.equal(((await server.api('/api/memory/instructions')) as { in_force: string }).in_force, 'Answer in Danish.');
    await clash.getByRole('button', { name: 'Replace it with mine' }).click();
    await page.getByText('Saved. Counts from the next turn.').waitFor();
    assert.equal(((await server.api('/api/memory/instructions')) as { in_force: string }).in_force, 'Answer in French.');

    await text.fill('x'.repeat(2100));
    await page.getByText(/Over 2,000 characters/).waitFor();
    await text.fill('x'.repeat(4001));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('At most 4,000 characters. Take 1 out.').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    assert.equal(await text.inputValue(), 'Answer in French.');
    await tab.close();
  });
});

describe('tasks', () => {
  test('are added, completed, and closed with a reason; another page follows', async () => {
    const tab = await open('/memory/tasks');
    const { page } = tab;
    await page.getByText('Nothing to do').waitFor();
    await tab.assertAccessible();
    await page.getByLabel('New task').fill('Buy milk');
    await page.getByLabel('Detail, if there is more to say').fill('The oat one.');
    await page.getByRole('button', { name: 'Add task' }).click();
    await page.getByRole('article', { name: 'Task 1: Buy milk' }).getByText('The oat one.').waitFor();
    await server.api('/api/tasks', { title: 'Paint the fence' });
    const fence = page.getByRole('article', { name: 'Task 2: Paint the fence' });
    await fence.getByRole('button', { name: 'Close task 2' }).click();
    await page.getByRole('button', { name: 'Close task', exact: true }).click();
    await page.getByText('Say why, so that nobody adds it again.').waitFor();
    await tab.assertAccessible();
    await page.getByLabel('Why nobody will do it').fill('It was torn down.');
    await page.getByRole('button', { name: 'Close task', exact: true }).click();
    await fence.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Complete task 1' }).click();
    await page.getByText('Nothing to do').waitFor();
    await page.getByText('Closed', { exact: true }).click();
    await fence.getByText('Why: It was torn down.').waitFor();
    await page.getByText('Done', { exact: true }).click();
    await page.getByRole('article', { name: 'Task 1: Buy milk' }).waitFor();
    await tab.close();
  });
});

describe('skills', () => {
  const write = (folder: string, text: string) => {
    mkdirSync(join(server.dataDir, 'skills', folder), { recursive: true });
    writeFileSync(join(server.dataDir, 'skills', folder, 'SKILL.md'), text);
  };

  test('are listed with their text, and a file with a mistake is named', async () => {
    const tab = await open('/memory/skills');
    const { page } = tab;
    await page.getByText('No skills yet').waitFor();
    write('weekly', '---\nname: weekly-report\ndescription: How the Friday report is written\nalways_apply: true\n---\nThree sections: done, stuck, next.\n');
    write('broken', 'no head\n');
    await until(() => server.api('/api/skills') as Promise<{ items: unknown[]; problems: unknown[] }>, ({ items, problems }) => items.length === 1 && problems.length === 1);
    await page.reload();
    await page.getByText('weekly-report').click();
    await page.getByText('Three sections: done, stuck, next.').waitFor();
    await page.getByText('In every turn').waitFor();
    await page.getByText(/skills\/broken\/SKILL\.md line 1/).waitFor();
    await tab.assertAccessible();
    await tab.shoot('memory-skills-light');
    await tab.close();
  });

  test('what changed while rouse was away is there when it is back, without a reload', async () => {
    const tab = await open('/memory/skills');
    const { page } = tab;
    await page.getByText('weekly-report').waitFor();
    await server.kill();
    await page.getByText('Not connected.').waitFor();
    await page.getByText('weekly-report').waitFor();
    await tab.assertAccessible();
    write('release', '---\nname: before-release\ndescription: Which tests to run\n---\nAll of them.\n');
    await server.startAgain();
    await page.getByText('before-release').waitFor();
    await tab.close(serverAway, /ERR_|WebSocket/);
  });
});

describe('the page', () => {
  test('says why it could not read, and tries again', async () => {
    let broken = true;
    const tab = await open('/memory', {
      serviceWorkers: 'block',
      prepare: async (page) => {
        await page.route('**/api/memory?*', (route) =>
          broken ? route.fulfill({ status: 503, json: { ok: false, error: 'unavailable', message: 'the disk is full' } }) : route.continue(),
        );
      },
    });
    const { page } = tab;
    await page.getByText('The notes could not be read.').waitFor();
    await page.getByText('The disk is full.').waitFor();
    await tab.assertAccessible();
    await tab.shoot('memory-error-light');
    broken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await note(page, /blue cheese/).waitFor();
    await tab.close(/status of 503/);
  });

  test('fits a phone and the dark', async () => {
    for (const title of ['Order the paint', 'Ask Ada about the invoice of March', 'Water the plants']) await server.api('/api/tasks', { title });
    await server.api('/api/tasks/4', { action: 'claim', by: 'Ada' }, 'PATCH');
    for (const [look, options] of [
      ['light', {}],
      ['dark', { colorScheme: 'dark' }],
      ['390-light', { viewport: phone, hasTouch: true }],
      ['390-dark', { viewport: phone, hasTouch: true, colorScheme: 'dark' }],
    ] as const) {
      const tab = await open('/memory', options);
      await note(tab.page, /blue cheese/).waitFor();
      await tab.assertAccessible();
      await tab.assertNoSidewaysScroll();
      await tab.shoot(`memory-${look}`);
      await tab.page.getByRole('navigation', { name: 'Memory' }).getByRole('link', { name: 'Tasks' }).click();
      await tab.page.getByText('Taken by Ada').waitFor();
      await tab.assertAccessible();
      await tab.assertNoSidewaysScroll();
      await tab.shoot(`memory-tasks-${look}`);
      await tab.close();
    }
  });
});
