// The settings, section by section, and the inbox of notifications.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page, Route } from 'playwright-core';
import { phone, serverAway, signedIn, type SignedInOptions, type Tab } from './support/browser.ts';
import { until } from './support/chat.ts';
import { inHouse } from './support/house.ts';
import { Model } from './support/model.ts';
import type { Server } from './support/server.ts';

let browser: Browser;
let server: Server;

inHouse((...house) => ([browser, server] = house));

const open = (path: string, options: SignedInOptions = {}): Promise<Tab> => signedIn(browser, server, { path, ...options });
const row = (page: Page, name: string | RegExp) => page.getByRole('article', { name });

let config = {};
/** Adds to rouse.yaml, as somebody who edits it: the server reads it again. */
function configure(part: object): void {
  config = { ...config, ...part };
  writeFileSync(join(server.dataDir, 'rouse.yaml'), JSON.stringify(config));
}

interface Setting {
  readonly key: string;
  readonly value: unknown;
  readonly origin: string;
}
async function setting(key: string): Promise<Setting> {
  const { items } = (await server.api('/api/settings')) as { items: Setting[] };
  return items.find((one) => one.key === key)!;
}

/** A server that can be told about models, as the page sees it. */
class ModelDesk {
  items: object[] = [{ role: 'main', provider: 'offline', model: '', base_url: '', has_key: false, offline: true, in_use: true }];
  test: object = { ok: true, text: 'Ready.', latency_ms: 1240, error: '' };
  pinned = false;
  readonly asked: { method: string; path: string; body: unknown }[] = [];

  readonly prepare = async (page: Page): Promise<void> => {
    await page.route('**/api/models**', (route) => this.#answer(route));
  };

  async #answer(route: Route): Promise<void> {
    const request = route.request();
    const path = new URL(request.url()).pathname;
    const method = request.method();
    if (method === 'GET') return route.fulfill({ json: { items: this.items, choices: [], origin: 'default', pinned: this.pinned, restart_needed: false } });
    this.asked.push({ method, path, body: request.postDataJSON() as unknown });
    if (path === '/api/models/test') return route.fulfill({ json: this.test });
    if (method === 'DELETE') this.items = [{ role: 'main', provider: 'offline', offline: true, in_use: true }];
    else this.items = [{ role: 'main', offline: false, in_use: true, has_key: true, key_from: 'secrets/model-main', ...(request.postDataJSON() as object) }];
    return route.fulfill({ json: { ok: true, restart_needed: false } });
  }
}

const pushKeys = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};

/** A push service in the page: the real one is on the internet. */
function fakePush(keys: object): void {
  let subscription: object | null = null;
  const made = {
    toJSON: () => ({ endpoint: 'https://push.example.com/here', keys }),
    unsubscribe: async () => ((subscription = null), true),
  };
  const pushManager = { getSubscription: async () => subscription, subscribe: async () => (subscription = made) };
  Object.defineProperty(navigator.serviceWorker, 'ready', { value: Promise.resolve({ pushManager }) });
  Object.defineProperty(navigator.serviceWorker, 'getRegistration', { value: async () => ({ pushManager }) });
}

describe('models', () => {
  test('a model is connected with a key and one button, tested first', async () => {
    const desk = new ModelDesk();
    const tab = await open('/settings#models', { serviceWorkers: 'block', prepare: desk.prepare });
    const { page } = tab;
    await page.getByText('The offline assistant answers.').waitFor();
    await tab.assertAccessible();
    await tab.shoot('settings-models-light');
    await page.getByRole('button', { name: 'Test and connect' }).click();
    await page.getByText('Paste the key first.').waitFor();
    assert.deepEqual(desk.asked, []);
    await page.getByLabel('Key', { exact: true }).fill('sk-ant-1');
    await page.getByRole('button', { name: 'Test and connect' }).click();
    await page.getByText('Connected. claude-sonnet-4-5 answers from the next message.').waitFor();
    await page.getByText('It answered in 1.2 s: “Ready.”').waitFor();
    await row(page, /claude-sonnet-4-5/).waitFor();
    assert.equal(await page.getByLabel('Key, or nothing to keep the one there is').inputValue(), '');
    const draft = { provider: 'anthropic', model: 'claude-sonnet-4-5', api_key: 'sk-ant-1' };
    assert.deepEqual(desk.asked, [
      { method: 'POST', path: '/api/models/test', body: { ...draft, role: 'main' } },
      { method: 'PUT', path: '/api/models/main', body: draft },
    ]);
    await row(page, /claude-sonnet-4-5/).getByRole('button', { name: /^Test/ }).click();
    await row(page, /claude-sonnet-4-5/).getByText(/It answered in 1\.2 s/).waitFor();
    await row(page, /claude-sonnet-4-5/).getByRole('button', { name: /^Disconnect/ }).click();
    await row(page, /claude-sonnet-4-5/).getByRole('button', { name: 'Disconnect', exact: true }).click();
    await page.getByText('The offline assistant answers.').waitFor();
    await tab.close();
  });

  test('one that does not answer says why and is not saved, unless it is wanted', async () => {
    const desk = new ModelDesk();
    desk.test = { ok: false, text: '', latency_ms: 3, error: 'unreachable', message: 'cannot connect to 127.0.0.1:11434: Connection refused. Is the server running?' };
    const tab = await open('/settings#models', { serviceWorkers: 'block', prepare: desk.prepare });
    const { page } = tab;
    await page.getByText('On this machine', { exact: true }).click();
    assert.equal(await page.getByLabel('Address').inputValue(), 'http://127.0.0.1:11434/v1');
    await page.getByLabel('Model', { exact: true }).fill('mistral');
    await page.getByRole('button', { name: 'Test and connect' }).click();
    await page.getByText(/It did not answer\. Cannot connect to 127\.0\.0\.1:11434/).waitFor();
    await tab.assertAccessible();
    assert.equal(desk.asked.length, 1);
    await page.getByRole('button', { name: 'Save it anyway' }).click();
    await row(page, /mistral/).waitFor();
    await tab.close();
  });

  test('models of rouse.yaml are shown, and changed there', async () => {
    const desk = new ModelDesk();
    desk.pinned = true;
    desk.items = [{ role: 'main', provider: 'anthropic', model: 'claude-haiku-4-5', has_key: true, key_from: 'environment MY_KEY', in_use: true }];
    const tab = await open('/settings#models', { serviceWorkers: 'block', prepare: desk.prepare });
    await row(tab.page, /claude-haiku-4-5/).getByText('Answers you. Anthropic, key from environment MY_KEY').waitFor();
    await tab.page.getByText(/which stands above this page/).waitFor();
    assert.equal(await tab.page.getByRole('button', { name: /^Disconnect/ }).count(), 0);
    assert.equal(await tab.page.getByRole('button', { name: 'Test and connect' }).count(), 0);
    await tab.assertAccessible();
    await tab.close();
  });

  test('a server that takes models from its file only: the page writes the section', async () => {
    const tab = await open('/settings#models', {
      serviceWorkers: 'block',
      permissions: ['clipboard-read', 'clipboard-write'],
      prepare: async (page) => void (await page.route('**/api/models', (route) => route.fulfill({ status: 404, json: { ok: false, error: 'not_found', message: 'there is nothing at /api/models' } }))),
    });
    const { page } = tab;
    await page.getByText('provider: anthropic').waitFor();
    await tab.assertAccessible();
    await page.getByText('On this machine', { exact: true }).click();
    await page.getByRole('button', { name: /^Copy/ }).click();
    await page.getByText('Copied').waitFor();
    assert.equal(
      await page.evaluate(() => navigator.clipboard.readText()),
      'models:\n  main:\n    provider: openai\n    base_url: http://127.0.0.1:11434/v1\n    model: llama3.1',
    );
    await tab.close(/status of 404 .*\(\/api\/models\)/);
  });
});

/** Against the server itself, with a model whose answers the test writes. */
describe('a real model', () => {
  let model: Model;
  before(async () => void (model = await Model.start()));
  after(() => model.close());

  test('is connected, answers, and is disconnected again', async () => {
    const tab = await open('/settings#models');
    const { page } = tab;
    await page.getByText('The offline assistant answers.').waitFor();
    await page.getByText('OpenAI or compatible', { exact: true }).click();
    await page.getByLabel('Address').fill(model.url);
    await page.getByLabel('Key, if it wants one').fill('sk-test');
    await page.getByLabel('Model', { exact: true }).fill('small-one');
    await page.getByRole('button', { name: 'Test and connect' }).click();
    (await model.asked()).end('Ready.');
    await page.getByText('Connected. small-one answers from the next message.').waitFor();
    await row(page, /small-one/).getByText(/key entered here/).waitFor();
    await page.getByRole('button', { name: 'Only test' }).click();
    (await model.asked()).refuse();
    await page.getByText(/It did not answer\./).waitFor();
    const said = server.api('/api/chat', { session_id: 'websocket:model', message: 'Who are you?' }) as Promise<{ response: string }>;
    (await model.asked()).end('The small one.');
    assert.equal((await said).response, 'The small one.');
    await row(page, /small-one/).getByRole('button', { name: /^Disconnect/ }).click();
    await row(page, /small-one/).getByRole('button', { name: 'Disconnect', exact: true }).click();
    await page.getByText('The offline assistant answers.').waitFor();
    await tab.close();
  });
});

describe('notifications', () => {
  test('places of rouse.yaml are shown with their hours, and a test tells whether it arrived', async () => {
    const heard: string[] = [];
    const hook = createServer((request, response) => {
      heard.push(request.url ?? '');
      response.writeHead(request.url === '/good' ? 200 : 400).end();
    });
    hook.listen(0, '127.0.0.1');
    await once(hook, 'listening');
    const at = `http://127.0.0.1:${(hook.address() as AddressInfo).port}`;
    const tab = await open('/settings#notifications');
    const { page } = tab;
    await page.getByText(/is named in/).waitFor();
    await page.getByText('None yet.').waitFor();
    writeFileSync(join(server.dataDir, 'hook.key'), 'secret\n', { mode: 0o600 });
    const key = join(server.dataDir, 'hook.key');
    const targets = {
      desk: { type: 'webhook', url: `${at}/good`, secret_file: key, quiet_hours: '22:00-07:00', zone: 'Europe/Berlin', kinds: ['heartbeat', 'approval'], privacy: 'subject' },
      broken: { type: 'webhook', url: `${at}/bad`, secret_file: key },
    };
    configure({ notifications: { targets } });
    await until(() => server.api('/api/notifications/targets') as Promise<{ items: unknown[] }>, ({ items }) => items.length === 2);
    await page.reload();
    await row(page, 'desk').getByText('Heartbeats and approvals. Quiet 22:00 to 07:00 Europe/Berlin. Only the subject.').waitFor();
    await row(page, 'desk').getByRole('button', { name: 'Send a test to desk' }).click();
    await row(page, 'desk').getByText('Arrived').waitFor();
    await row(page, 'broken').getByRole('button', { name: 'Send a test to broken' }).click();
    await row(page, 'broken').getByText('Did not arrive').waitFor();
    assert.deepEqual(heard, ['/good', '/bad']);
    await tab.assertAccessible();
    await tab.shoot('settings-notifications-light');
    await tab.close();
    hook.closeAllConnections();
    hook.close();
  });

  test('this browser is told once it is turned on, and a browser that refuses says what to do', async () => {
    const tab = await open('/settings#notifications', { prepare: (page) => page.addInitScript(fakePush, pushKeys).then(() => {}) });
    const { page } = tab;
    await page.getByText('Off. You are told only while a page is open.').waitFor();
    await page.evaluate(() => (Notification.requestPermission = async () => 'denied'));
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByRole('alert').getByText(/The browser refused\./).waitFor();
    await tab.assertAccessible();
    await page.evaluate(() => (Notification.requestPermission = async () => 'granted'));
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('On. This browser tells you, even while the page is closed.').waitFor();
    await row(page, /^Chrome on Linux$/).waitFor();
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByText('Off. You are told only while a page is open.').waitFor();
    await row(page, /^Chrome on Linux$/).waitFor({ state: 'detached' });
    assert.deepEqual(((await server.api('/api/push/subscriptions')) as { items: unknown[] }).items, []);
    await tab.close();
  });

  test('browsers that are told are listed and can be removed', async () => {
    const made = (await server.api('/api/push/subscriptions', {
      endpoint: 'https://push.example.com/abc',
      keys: pushKeys,
      name: 'Firefox on Linux',
    })) as { id?: string };
    assert.ok(made.id, JSON.stringify(made));
    const tab = await open('/settings#notifications');
    const { page } = tab;
    const firefox = row(page, 'Firefox on Linux');
    await firefox.getByText(/nothing reached it yet/).waitFor();
    await firefox.getByRole('button', { name: 'Remove Firefox on Linux' }).click();
    await firefox.getByRole('button', { name: 'Remove', exact: true }).click();
    await firefox.waitFor({ state: 'detached' });
    await tab.close();
  });

  test('the inbox counts what is unread, in the rail too, until it is read', async () => {
    const tab = await open('/notifications');
    const { page } = tab;
    const inRail = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Notifications/ });
    await page.getByText('Nothing to tell').waitFor();
    await tab.assertAccessible();
    await tab.shoot('notifications-empty-light');
    await server.api('/api/chat', { session_id: 'websocket:inbox', message: 'write hello to the file inbox.txt' });
    await page.getByText('Waits for you').first().waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Notifications\s*1\s*unread/ }).waitFor();
    await tab.assertAccessible();
    await tab.shoot('notifications-light');
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await page.getByRole('button', { name: 'Mark all as read' }).waitFor({ state: 'detached' });
    assert.match((await inRail.textContent()) ?? '', /^\s*Notifications\s*$/);
    assert.equal(((await server.api('/api/notifications')) as { unread: number }).unread, 0);
    await page.reload();
    await page.getByRole('link', { name: 'Open the conversation' }).click();
    await page.waitForURL('**/chat/conv_*');
    await tab.close();
  });
});

describe('access', () => {
  test('a token is shown once, works, and is revoked', async () => {
    const tab = await open('/settings#access');
    const { page } = tab;
    await row(page, 'owner').getByText(/Kept in the file/).waitFor();
    await page.getByRole('button', { name: 'Make token' }).click();
    await page.getByText('Give it a name first: who or what will use it.').waitFor();
    await page.getByLabel('Name of a new token').fill('Laptop of Ada');
    await page.getByRole('button', { name: 'Make token' }).click();
    const secret = await page.getByLabel('the token').inputValue();
    assert.match(secret, /^rouse_/);
    const me = (token: string) => fetch(`${server.url}/api/me`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal((await me(secret)).status, 200);
    await row(page, 'Laptop of Ada').getByText(/^User, workspace Owner/).waitFor();
    await tab.assertAccessible();
    await tab.shoot('settings-access-light');
    await row(page, 'Laptop of Ada').getByRole('button', { name: 'Revoke Laptop of Ada' }).click();
    await row(page, 'Laptop of Ada').getByRole('button', { name: 'Revoke', exact: true }).click();
    await row(page, 'Laptop of Ada').waitFor({ state: 'detached' });
    assert.equal((await me(secret)).status, 401);
    await tab.close();
  });

  test('a link signs another device in, once', async () => {
    const tab = await open('/settings#access');
    await tab.page.getByRole('button', { name: 'Make a link' }).click();
    const link = new URL(await tab.page.getByLabel('the link').inputValue());
    await tab.page.getByText(/Good until it is used, or on .* Europe\/Berlin/).waitFor();
    const answer = await fetch(`${server.url}${link.pathname}${link.search}`, { redirect: 'manual' });
    assert.match(answer.headers.get('set-cookie') ?? '', /rouse/);
    await tab.close();
  });
});

describe('the workspace', () => {
  test('gets its name and zone, and a zone that does not exist is refused in place', async () => {
    const tab = await open('/settings#workspace');
    const { page } = tab;
    await page.getByLabel('Time zone').fill('Europe/Berlim');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText(/Not saved\..*Europe\/Berlim/).waitFor();
    await page.getByLabel('Time zone').fill('Europe/Paris');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Harbour');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. Counts from the next turn.').waitFor();
    const { name, timezone } = (await server.api('/api/workspace')) as { name: string; timezone: string };
    assert.deepEqual([name, timezone], ['Harbour', 'Europe/Paris']);
    await tab.assertAccessible();
    await tab.shoot('settings-workspace-light');
    await tab.close(/status of 400/);
  });

  test('is read at a second try, and what is typed stays through a reconnect', async () => {
    let broken = true;
    const tab = await open('/settings#workspace', {
      prepare: async (page) => {
        await page.route('**/api/workspace', (route) =>
          broken ? route.fulfill({ status: 503, json: { ok: false, error: 'unavailable', message: 'the disk is full' } }) : route.continue(),
        );
      },
    });
    const { page } = tab;
    await page.getByText('The workspace could not be read.').waitFor();
    broken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('Half a na');
    await server.kill();
    await page.getByText('Not connected.').waitFor();
    await server.startAgain();
    await page.getByText(/rouse restarted/).waitFor();
    assert.equal(await name.inputValue(), 'Half a na');
    await tab.close(/status of 503/, serverAway, /ERR_|WebSocket/);
  });

  test('projects and agents are added, changed and removed', async () => {
    const tab = await open('/settings#projects');
    const { page } = tab;
    await page.getByText('No projects yet.').waitFor();
    await page.getByRole('button', { name: 'Add project' }).click();
    await page.getByLabel('Key').fill('web');
    await page.getByLabel('Folder on the machine of rouse').fill('home');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The folder is a whole path and begins with /.').waitFor();
    await tab.assertAccessible();
    await page.getByLabel('Folder on the machine of rouse').fill('/tmp');
    await page.getByLabel('What you call it').fill('The website');
    await page.getByRole('button', { name: 'Save' }).click();
    await row(page, 'The website').getByText('/tmp').waitFor();
    await tab.shoot('settings-projects-light');
    await row(page, 'The website').getByRole('button', { name: 'Remove The website' }).click();
    await row(page, 'The website').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No projects yet.').waitFor();

    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Agents' }).click();
    await page.getByText('Only the default agent.').waitFor();
    await page.getByRole('button', { name: 'Add agent' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('ida');
    await page.getByLabel('Instructions', { exact: true }).fill('You look after the shop.');
    await tab.assertAccessible();
    await page.getByRole('button', { name: 'Save' }).click();
    await row(page, 'ida').getByText('You look after the shop.').waitFor();
    await row(page, 'ida').getByRole('button', { name: 'Edit ida' }).click();
    await page.getByLabel('Model', { exact: true }).fill('cheap');
    await page.getByRole('button', { name: 'Save' }).click();
    await row(page, 'ida').getByText('cheap').waitFor();
    await tab.shoot('settings-agents-light');
    await tab.close();
  });
});

describe('all settings', () => {
  test('show where each comes from, and change in place', async () => {
    configure({ history: { messages: 100 } });
    await until(() => setting('history.messages'), ({ value }) => value === 100);
    const tab = await open('/settings#values');
    const { page } = tab;
    await row(page, 'history.messages').getByText('rouse.yaml line 1 says so; change it there.').waitFor();
    await page.getByLabel('Search settings').fill('deadline');
    const deadline = row(page, 'turns.deadline_seconds');
    await deadline.getByText('Default').waitFor();
    assert.equal(await row(page, 'history.messages').count(), 0);
    await deadline.getByRole('button', { name: 'Change turns.deadline_seconds' }).click();
    await deadline.getByLabel('turns.deadline_seconds', { exact: true }).fill('5');
    await deadline.getByRole('button', { name: 'Save' }).click();
    await deadline.getByText(/must be a whole number from 10 to 86400/).waitFor();
    await tab.assertAccessible();
    await deadline.getByLabel('turns.deadline_seconds', { exact: true }).fill('500');
    await deadline.getByRole('button', { name: 'Save' }).click();
    await deadline.getByText('Set here').waitFor();
    assert.equal((await setting('turns.deadline_seconds')).value, 500);
    await deadline.getByRole('button', { name: 'Change turns.deadline_seconds' }).click();
    await deadline.getByRole('button', { name: 'Back to the default' }).click();
    await deadline.getByText('Default').waitFor();
    assert.equal((await setting('turns.deadline_seconds')).value, 600);
    await tab.close(/status of 400/);
  });

  test('say why they could not be read', async () => {
    const tab = await open('/settings#values', {
      serviceWorkers: 'block',
      prepare: async (page) => void (await page.route('**/api/settings', (route) => route.fulfill({ status: 500, json: { ok: false, error: 'internal', message: 'the store is broken' } }))),
    });
    await tab.page.getByText('The settings could not be read.').waitFor();
    await tab.page.getByText('The store is broken.').waitFor();
    await tab.assertAccessible();
    await tab.close(/status of 500/);
  });
});

/** The address, the title and something that is there once the section was read. */
const sections = [
  ['models', 'Models', 'The offline assistant answers.'],
  ['notifications', 'Notifications', 'desk'],
  ['access', 'Access', 'Kept in the file'],
  ['workspace', 'Workspace', 'In this browser'],
  ['projects', 'Projects', 'Add project'],
  ['agents', 'Agents', 'Add agent'],
  ['values', 'All settings', 'history.messages'],
  ['backup', 'Backup and export', 'The whole store'],
  ['about', 'About', 'Signed in'],
] as const;

describe('the page', () => {
  test('shows a user only what is theirs', async () => {
    const { token } = (await server.api('/api/tokens', { name: 'guest', role: 'user' })) as { token: string };
    const tab = await open('/');
    const { page } = tab;
    await page.request.post(`${server.url}/api/signin`, { data: { token } });
    await page.goto(`${server.url}/settings`);
    await page.getByRole('heading', { name: 'Notifications' }).waitFor();
    const names = await page.getByRole('navigation', { name: 'Settings' }).getByRole('link').allTextContents();
    assert.deepEqual(names.map((name) => name.trim()), ['Notifications', 'Workspace', 'Projects', 'Agents', 'Backup and export', 'About']);
    await tab.close();
  });

  test('downloads a backup, tells the version, and signs out', async () => {
    const tab = await open('/settings#backup');
    const { page } = tab;
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download Backup' }).click()]);
    assert.match(file.suggestedFilename(), /^rouse-\d{4}-\d\d-\d\d\.db$/);
    await tab.assertAccessible();
    await tab.shoot('settings-backup-light');
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'About' }).click();
    await page.getByText('Awake').first().waitFor();
    await tab.assertAccessible();
    await tab.shoot('settings-about-light');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Access token').waitFor();
    await tab.close(/status of 401/);
  });

  test('fits a phone and the dark: first the list, then one section', async () => {
    for (const [look, options] of [
      ['dark', { colorScheme: 'dark' }],
      ['390-light', { viewport: phone, hasTouch: true }],
      ['390-dark', { viewport: phone, hasTouch: true, colorScheme: 'dark' }],
    ] as const) {
      const desk = new ModelDesk();
      const tab = await open('/settings', { serviceWorkers: 'block', prepare: desk.prepare, ...options });
      const { page } = tab;
      for (const [id, name, there] of sections) {
        const link = page.locator(`nav a[href="/settings#${id}"]`);
        await link.waitFor();
        if (look !== 'dark' && id === 'models') {
          await tab.assertAccessible();
          await tab.shoot(`settings-${look}`);
        }
        await link.click();
        await page.getByRole('heading', { name, exact: true }).waitFor();
        await page.getByText(there).first().waitFor();
        await tab.assertAccessible();
        await tab.assertNoSidewaysScroll();
        await tab.shoot(`settings-${id}-${look}`);
        if (look !== 'dark') await page.getByRole('main').getByRole('link', { name: 'Settings', exact: true }).click();
      }
      await tab.close();
    }
    for (const [look, options] of [['dark', { colorScheme: 'dark' }], ['390-light', { viewport: phone, hasTouch: true }]] as const) {
      const tab = await open('/notifications', options);
      await tab.page.getByRole('link', { name: 'Open the conversation' }).waitFor();
      await tab.assertAccessible();
      await tab.assertNoSidewaysScroll();
      await tab.shoot(`notifications-${look}`);
      await tab.close();
    }
  });
});
