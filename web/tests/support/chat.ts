// What the tests of the chat say and look for, in the words of the page.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { patienceMs, type Server } from './server.ts';

export const composer = (page: Page): Locator => page.getByLabel('Message', { exact: true });
export const transcript = (page: Page): Locator => page.getByRole('region', { name: 'Conversation', exact: true });
export const yours = (page: Page): Locator => page.getByRole('article', { name: /^You, / });
export const stopButton = (page: Page): Locator => page.getByRole('button', { name: 'Stop the answer' });
export const scheduled = (page: Page): Locator => page.getByRole('article', { name: /^Scheduled turn/ });

export async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press('Enter');
}

/** The page shows nothing that is still going on. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
}

export function conversationId(page: Page): string {
  const id = /\/chat\/(conv_\w+)/.exec(page.url())?.[1];
  assert.ok(id, `the address names no conversation: ${page.url()}`);
  return id;
}

export interface Stored {
  readonly role: string;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

/** What the server has committed, oldest first. */
export async function stored(server: Server, id: string): Promise<readonly Stored[]> {
  const { items } = (await server.api(`/api/conversations/${id}/messages?limit=200`)) as { items: Stored[] };
  return items.reverse();
}

export const wordsOf = ({ content }: Stored): string => content.map(({ text = '' }) => text).join('');

/** So many and no more, as soon as the page has drawn them. */
export async function exactly(what: Locator, count: number): Promise<void> {
  await until(() => what.count(), (now) => now === count);
}

/** Asks again until it is so: for what has no event of its own, like the search index. */
export async function until<T>(ask: () => Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const value = await ask();
    if (isSo(value)) return value;
    assert.ok(Date.now() < deadline, `still not so: ${JSON.stringify(value)}`);
  }
}
