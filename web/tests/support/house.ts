// What nearly every file of tests begins and ends with: a browser and a server, and for some a model that says what the
// test wants. They are there before the first test and gone after the last, also when one of them did not come.
import { after, before } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { Model } from './model.ts';
import { Server } from './server.ts';

/** What has to be there besides is made when both are entered. */
export function inHouse(enter: (browser: Browser, server: Server) => unknown): void {
  open(async (closing) => {
    const [browser, server] = await Promise.all([closing.keep(launchBrowser()), closing.keep(Server.start())]);
    await enter(browser, server);
  });
}

/** The server asks this model instead of the offline one. */
export function inHouseWithModel(enter: (browser: Browser, server: Server, model: Model) => unknown): void {
  open(async (closing) => {
    const [browser, model] = await Promise.all([closing.keep(launchBrowser()), closing.keep(Model.start())]);
    await enter(browser, await closing.keep(Server.start({ model })), model);
  });
}

class Closing {
  readonly #open: { close(): Promise<void> }[] = [];

  async keep<T extends { close(): Promise<void> }>(coming: Promise<T>): Promise<T> {
    const one = await coming;
    this.#open.push(one);
    return one;
  }

  async all(): Promise<void> {
    for (const one of this.#open.reverse()) await one.close();
  }
}

function open(all: (closing: Closing) => Promise<void>): void {
  const closing = new Closing();
  before(() => all(closing));
  after(() => closing.all());
}
