// The web app in a real browser against the real server: signing in, live health, losing and finding the server.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { phone, serverAway, signedIn, signedOutStatus, Tab, type SignedInOptions } from './support/browser.ts';
import { inHouse } from './support/house.ts';
import { Server } from './support/server.ts';

let browser: Browser;
let server: Server;

inHouse((...house) => ([browser, server] = house));

/** At the page about the server's health, which says when it is live. */
async function signedInTab(at: Server, options: SignedInOptions = {}): Promise<Tab> {
  const tab = await signedIn(browser, at, { path: '/status', ...options });
  await awake(tab.page);
  return tab;
}

async function signInTab(options: BrowserContextOptions = {}): Promise<Tab> {
  const tab = await Tab.open(browser, options);
  await tab.page.goto(server.url);
  await tokenField(tab.page).waitFor();
  return tab;
}

const tokenField = (page: Page) => page.getByLabel('Access token');
const signInButton = (page: Page) => page.getByRole('button', { name: 'Sign in' });
const composer = (page: Page) => page.getByLabel('Message', { exact: true });
const awake = (page: Page) => page.getByRole('status').getByText('Awake', { exact: true }).waitFor();
const uptime = (page: Page) => page.getByRole('timer', { name: 'Uptime' });
const ground = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const lightGround = 'rgb(252, 251, 248)';
const darkGround = 'rgb(16, 18, 31)';

describe('signing in', () => {
  test('the printed link opens the frame with a new conversation, and works only once', async () => {
    const first = await Tab.open(browser);
    await first.page.goto(server.signInLink);
    await composer(first.page).waitFor();
    assert.equal(new URL(first.page.url()).pathname + new URL(first.page.url()).search, '/');
    assert.equal(await first.page.title(), 'New conversation · rouse');
    await first.page.getByText('Admin, ws_default').first().waitFor();

    const second = await Tab.open(browser);
    await second.page.goto(server.signInLink);
    await second.page.getByText('This link has expired or was used before.').waitFor();
    assert.equal(new URL(second.page.url()).search, '');
    await second.shoot('signin-expired-light');
    await second.page.reload();
    await tokenField(second.page).waitFor();
    assert.equal(await second.page.getByText('This link has expired').count(), 0);
    await second.close(signedOutStatus);
    await first.close();
  });

  test('the pasted token opens the frame, with the keyboard alone', async () => {
    const tab = await signInTab();
    const { page } = tab;
    assert.equal(await page.title(), 'Sign in · rouse');
    await page.locator('input[name=token]:focus').waitFor();
    await page.keyboard.insertText(`  ${server.token}\n`);
    await page.keyboard.press('Enter');
    await page.locator('textarea:focus').waitFor();
    await tab.close(signedOutStatus);
  });

  test('a wrong token is refused in place, and the next try can succeed', async () => {
    const tab = await signInTab();
    const { page } = tab;
    await tokenField(page).fill('not-the-token');
    await signInButton(page).click();
    await page.getByRole('alert').getByText('rouse does not know this token.').waitFor();
    assert.equal(await tokenField(page).getAttribute('aria-invalid'), 'true');
    await page.locator('input[name=token]:focus').waitFor();
    await tab.assertAccessible();
    await tab.shoot('signin-wrong-light');
    await tokenField(page).fill(server.token);
    await signInButton(page).click();
    await composer(page).waitFor();
    await tab.close(signedOutStatus);
  });

  test('an empty field asks for the token without a request', async () => {
    const tab = await signInTab();
    let requests = 0;
    tab.page.on('request', () => requests++);
    await signInButton(tab.page).click();
    await tab.page.getByText('Paste the access token first.').waitFor();
    assert.equal(requests, 0);
    await tab.close(signedOutStatus);
  });

  test('the token is hidden until it is shown', async () => {
    const tab = await signInTab();
    const { page } = tab;
    assert.equal(await tokenField(page).getAttribute('type'), 'password');
    await page.getByRole('button', { name: 'Show token' }).click();
    assert.equal(await tokenField(page).getAttribute('type'), 'text');
    await page.getByRole('button', { name: 'Hide token' }).click();
    assert.equal(await tokenField(page).getAttribute('type'), 'password');
    await tab.close(signedOutStatus);
  });

  test('a pasted link is followed as a link', async () => {
    const tab = await signInTab();
    await tokenField(tab.page).fill('http://other-name:1/signin?code=no-such-code');
    await signInButton(tab.page).click();
    await tab.page.getByText('This link has expired or was used before.').waitFor();
    await tab.close(signedOutStatus);
  });

  test('too many tries count down the wait the server asked for', async () => {
    const tab = await signInTab();
    const { page } = tab;
    await page.route('**/api/signin', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'retry-after': '30' },
        json: { ok: false, error: 'too_many_requests', message: 'Too many tries.' },
      }),
    );
    await tokenField(page).fill('anything');
    await signInButton(page).click();
    await page.getByText(/Try again in (30|29|28) s\./).waitFor();
    assert.equal(await signInButton(page).getAttribute('aria-disabled'), 'true');
    await tab.assertAccessible();
    await tab.shoot('signin-wait-light');
    await tab.close(signedOutStatus, /status of 429/);
  });

  test('a server that does not answer is named as the reason', async () => {
    const tab = await signInTab();
    await tab.page.route('**/api/signin', (route) => route.abort('connectionrefused'));
    await tokenField(tab.page).fill('anything');
    await signInButton(tab.page).click();
    await tab.page.getByRole('alert').getByText('rouse did not answer.').waitFor();
    await tab.close(signedOutStatus, serverAway);
  });
});

describe('the frame', () => {
  test('uptime ticks, and the facts of the server are shown', async () => {
    const tab = await signedInTab(server);
    const { page } = tab;
    const health = (await (await page.request.get(`${server.url}/health`)).json()) as { version: string };
    await page.getByRole('definition').getByText(health.version, { exact: true }).waitFor();
    const before = await uptime(page).textContent();
    await page.waitForFunction((text) => document.querySelector('[role=timer]')?.textContent !== text, before);
    await tab.close();
  });

  test('signing out leads to the sign-in page in every tab and ends the session', async () => {
    const tab = await signedInTab(server);
    const { page } = tab;
    const other = await page.context().newPage();
    await other.goto(`${server.url}/status`);
    await awake(other);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    await other.getByText('You were signed out.').waitFor();
    assert.equal((await page.request.get(`${server.url}/api/me`)).status(), 401);
    await tab.close(signedOutStatus);
  });

  test('the skip link leads past the rail', async () => {
    const tab = await signedInTab(server);
    const { page } = tab;
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.getByRole('link', { name: 'Skip to content' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('main:focus').waitFor();
    await tab.close();
  });

  test('the account menu opens and closes with the keyboard', async () => {
    const tab = await signedInTab(server);
    const { page } = tab;
    await page.getByRole('button', { name: 'Account' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.keyboard.press('Tab');
    await page.locator('input[type=radio]:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Sign out' }).waitFor({ state: 'hidden' });
    await tab.close();
  });
});

describe('losing the server', () => {
  test('a killed server is noticed, and a new process is found without a reload', async () => {
    const own = await Server.start();
    try {
      const tab = await signedInTab(own);
      const { page } = tab;
      await page.evaluate(() => document.documentElement.setAttribute('data-same-document', ''));
      await own.kill();
      await page.getByText('Not connected.').waitFor();
      await page.getByText('Trying again every second.').waitFor();
      await page.waitForFunction(() => document.title === 'Not connected · rouse');
      await tab.assertAccessible();
      await tab.shoot('away-light');

      await own.startAgain();
      await page.getByText(/rouse restarted at \d\d:\d\d\./).waitFor();
      await awake(page);
      assert.equal(await page.getByText('Not connected.').count(), 0);
      assert.equal(await page.locator('html[data-same-document]').count(), 1);
      await tab.assertAccessible();
      await tab.shoot('restarted-light');
      await page.getByRole('button', { name: 'Dismiss' }).click();
      assert.equal(await page.getByText('rouse restarted').count(), 0);
      await tab.close(serverAway);
    } finally {
      await own.close();
    }
  });

  test('the network coming back ends the wait at once', async () => {
    const own = await Server.start();
    try {
      const tab = await signedInTab(own, { prepare: (page) => page.clock.install() });
      const { page } = tab;
      // From here no timer of the page runs: only the event can bring it back.
      await page.clock.pauseAt(Date.now() + 60_000);
      await own.kill();
      await page.getByText('Not connected.').waitFor();
      await own.startAgain();
      await page.evaluate(() => window.dispatchEvent(new Event('online')));
      await page.getByText(/rouse restarted/).waitFor();
      await tab.close(serverAway);
    } finally {
      await own.close();
    }
  });

  test('a session that ended meanwhile leads to the sign-in page', async () => {
    const own = await Server.start();
    try {
      const tab = await signedInTab(own);
      await own.kill();
      await tab.page.getByText('Not connected.').waitFor();
      await tab.page.context().clearCookies();
      await own.startAgain();
      await tab.page.getByText('You were signed out.').waitFor();
      await tokenField(tab.page).waitFor();
      await tab.close(serverAway, signedOutStatus, /WebSocket .*HTTP Authentication failed/);
    } finally {
      await own.close();
    }
  });

  test('a page opened while the API is away says so and goes on by itself', async () => {
    const tab = await Tab.open(browser);
    const { page } = tab;
    await page.route('**/api/me', (route) => route.abort('connectionrefused'));
    await page.goto(server.url);
    await page.getByText('Not connected.').waitFor();
    await tab.assertAccessible();
    await page.unroute('**/api/me');
    await tokenField(page).waitFor();
    await tab.close(serverAway, signedOutStatus);
  });
});

describe('a slow server', () => {
  test('"Connecting" shows after 400 ms and not before', async () => {
    const tab = await Tab.open(browser);
    const { page } = tab;
    await page.request.post(`${server.url}/api/signin`, { data: { token: server.token } });
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.routeWebSocket('**/ws', () => {
      // Accepts and says nothing.
    });
    await page.goto(`${server.url}/status`);
    await page.getByRole('heading', { name: 'Health' }).waitFor();
    await page.clock.runFor(399);
    assert.equal(await page.getByText('Connecting').count(), 0);
    await page.clock.runFor(1);
    await page.getByText('Connecting').waitFor();
    await page.clock.resume(); // axe needs timers of its own
    await tab.assertAccessible();
    await tab.shoot('connecting-light');
    await tab.close();
  });
});

describe('motion', () => {
  test('the mark breathes, and stands still for who asks for less motion', async () => {
    const tab = await signedInTab(server);
    const moving = () => tab.page.evaluate(() => document.getAnimations().length);
    assert.ok((await moving()) > 0);
    await tab.page.emulateMedia({ reducedMotion: 'reduce' });
    assert.equal(await moving(), 0);
    await tab.close();
  });
});

describe('theme', () => {
  test('the system decides until a person does, and the choice survives a reload', async () => {
    const tab = await signedInTab(server, { colorScheme: 'dark' });
    const { page } = tab;
    assert.equal(await ground(page), darkGround);
    await page.emulateMedia({ colorScheme: 'light' });
    assert.equal(await ground(page), lightGround);

    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByText('Dark', { exact: true }).click();
    assert.equal(await ground(page), darkGround);
    await tab.shoot('menu-dark');
    await page.reload();
    await awake(page);
    assert.equal(await ground(page), darkGround);

    await page.getByRole('button', { name: 'Account' }).click();
    assert.equal(await page.getByRole('radio', { name: 'Dark' }).isChecked(), true);
    await page.getByText('System', { exact: true }).click();
    await page.reload();
    await awake(page);
    assert.equal(await ground(page), lightGround);
    await tab.close();
  });
});

describe('each view, light and dark, wide and narrow', () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, viewport] of [['1440', undefined], ['390', phone]] as const) {
      const options = { colorScheme, ...(viewport ? { viewport } : {}) };

      test(`sign-in, ${colorScheme}, ${size} px`, async () => {
        const tab = await signInTab(options);
        await tab.assertAccessible();
        await tab.assertNoSidewaysScroll();
        await tab.shoot(`signin-${size}-${colorScheme}`);
        await tab.close(signedOutStatus);
      });

      test(`health, ${colorScheme}, ${size} px`, async () => {
        const tab = await signedInTab(server, options);
        await tab.assertAccessible();
        await tab.assertNoSidewaysScroll();
        await tab.shoot(`health-${size}-${colorScheme}`);
        await tab.page.getByRole('button', { name: 'Account' }).click();
        await tab.page.getByRole('button', { name: 'Sign out' }).waitFor();
        await tab.assertAccessible();
        await tab.assertNoSidewaysScroll();
        await tab.shoot(`menu-${size}-${colorScheme}`);
        await tab.close();
      });

      test(`health with a problem, ${colorScheme}, ${size} px`, async () => {
        const tab = await Tab.open(browser, options);
        const { page } = tab;
        await page.request.post(`${server.url}/api/signin`, { data: { token: server.token } });
        await page.routeWebSocket('**/ws', (socket) => {
          socket.send(JSON.stringify({ type: 'hello', protocol: 1, boot_id: 'b1', version: '0.1.0', seq: 0 }));
          socket.send(JSON.stringify({ type: 'from_the_future', seq: 1 }));
          socket.send(JSON.stringify(brokenConfig()));
        });
        await page.goto(`${server.url}/status`);
        await page.getByRole('status').getByText('Needs attention').waitFor();
        await page.getByText('models.main.provider is "opnai"').waitFor();
        assert.equal(await page.title(), 'Needs attention · rouse');
        await tab.assertAccessible();
        await tab.assertNoSidewaysScroll();
        await tab.shoot(`problem-${size}-${colorScheme}`);
        await tab.close();
      });
    }
  }
});

function brokenConfig(): object {
  return {
    type: 'health',
    ok: false,
    status: 'degraded',
    version: '0.1.0',
    uptime_ms: 11_528_000,
    store: 'ok',
    config: 'invalid',
    problems: ['rouse.yaml, line 12: models.main.provider is "opnai". Known are openai, anthropic and offline.'],
    connections: 3,
    at: new Date().toISOString(),
  };
}
