// Debian's Chromium through playwright-core, with a record of everything a page complains about: console errors,
// exceptions and violations of the Content-Security-Policy. Each test says which complaints it provoked on purpose.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { patienceMs, type Server } from './server.ts';

const executablePath = process.env['CHROMIUM_BIN'] ?? '/usr/bin/chromium';
const pictures = process.env['SHOTS'] || join(import.meta.dirname, '../../../build/screenshots');
const isRoot = process.getuid?.() === 0;
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What Playwright says for our own choice. */
const workerBlocked = 'Service Worker registration blocked by Playwright';

export const desktop = { width: 1440, height: 900 };
export const phone = { width: 390, height: 844 };

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    chromiumSandbox: !isRoot,
    args: [
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      '--disable-quic',
    ],
  });
}

export interface TabOptions extends BrowserContextOptions {
  /** Lets the agent speak first, as the server decides. Elsewhere it would speak into what a test counts. */
  readonly greets?: boolean;
}

const silence = { session_id: '', response: '', is_new_user: false, silent: true, conversation_id: null, turn_id: null };

export class Tab {
  readonly page: Page;
  readonly complaints: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.setDefaultTimeout(patienceMs);
    page.on('pageerror', (error) => this.complaints.push(`exception: ${error.message}`));
    page.on('console', (message) => {
      if (message.type() !== 'error' && message.type() !== 'warning') return;
      if (message.text() === workerBlocked) return;
      this.complaints.push(`${message.text()} (${new URL(message.location().url || 'about:blank').pathname})`);
    });
  }

  static async open(browser: Browser, { greets = false, ...options }: TabOptions = {}): Promise<Tab> {
    // A worker would answer for the server; only the tests of the installed app want that.
    const context = await browser.newContext({ viewport: desktop, timezoneId: 'Europe/Berlin', serviceWorkers: 'block', ...options });
    if (!greets) await context.route('**/api/chat/session_open', (route) => route.fulfill({ json: silence }));
    const tab = new Tab(await context.newPage());
    await tab.page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) => {
        console.error(`CSP blocked ${event.blockedURI} by ${event.violatedDirective}`);
      });
    });
    return tab;
  }

  /** Ends the test of this tab: nothing may have been said besides what `expected` matches. */
  async close(...expected: readonly RegExp[]): Promise<void> {
    const unexpected = this.complaints.filter((text) => !expected.some((pattern) => pattern.test(text)));
    await this.page.context().close();
    assert.deepEqual(unexpected, []);
  }

  async assertAccessible(): Promise<void> {
    await this.page.evaluate(axeSource);
    const violations = await this.page.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
      const result = await axe.run(document, { resultTypes: ['violations'] });
      return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
    });
    assert.deepEqual(violations, []);
  }

  async assertNoSidewaysScroll(): Promise<void> {
    const overhang = await this.page.evaluate(() => {
      const root = document.documentElement;
      return root.scrollWidth - root.clientWidth;
    });
    assert.equal(overhang, 0);
  }

  /** A picture for people, into build/screenshots or the folder that SHOTS names. */
  async shoot(name: string): Promise<void> {
    mkdirSync(pictures, { recursive: true });
    await this.page.screenshot({ path: join(pictures, `${name}.png`), animations: 'disabled' });
  }
}

/** A tab of somebody who is signed in, at a page of theirs: a conversation that has not begun, unless told. */
export async function signedIn(
  browser: Browser,
  server: Server,
  { path = '/chat/new', prepare = async () => {}, ...options }: SignedInOptions = {},
): Promise<Tab> {
  const tab = await Tab.open(browser, options);
  await prepare(tab.page);
  const answer = await tab.page.request.post(`${server.url}/api/signin`, { data: { token: server.token } });
  assert.equal(answer.status(), 200);
  await tab.page.goto(server.url + path);
  return tab;
}

export interface SignedInOptions extends TabOptions {
  readonly path?: string;
  readonly prepare?: (page: Page) => Promise<unknown>;
}

// Chromium reports every refused request on the console, and no page can prevent it.
export const signedOutStatus = /status of 401 .*\(\/api\/(me|signin)\)$/;
export const serverAway =
  /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_SOCKET_NOT_CONNECTED|closed before receiving a handshake/;
