// Code that is loaded when it is needed. Without a connection it may not come: that is a state and no exception, and it
// is asked for again. Browsers that remember a failed import for ever (Chromium doesn't) have it after a reload.
import { untrack } from 'svelte';
import type { Live } from './live.svelte.ts';

export class LazyCode<Code> {
  loaded = $state.raw<Code | null>(null);
  failed = $state(false);
  readonly #load: () => Promise<Code>;
  #going: Promise<void> | null = null;
  #askedMeanwhile = false;

  constructor(load: () => Promise<Code>) {
    this.#load = load;
  }

  /** Null when it did not come. */
  async get(): Promise<Code | null> {
    if (this.loaded !== null) return this.loaded;
    if (this.#going === null) this.#going = this.#try().finally(() => (this.#going = null));
    else this.#askedMeanwhile = true;
    await this.#going;
    return this.loaded;
  }

  async #try(): Promise<void> {
    do {
      this.#askedMeanwhile = false;
      try {
        this.loaded = await this.#load();
        this.failed = false;
        return;
      } catch {
        // The link may have come back while a try from before was failing.
      }
    } while (this.#askedMeanwhile);
    this.failed = true;
  }
}

/** For the script of a component: loads what it wants now, and again whenever the link is back. */
export function loadWithLink(live: Live, wanted: () => LazyCode<unknown>): void {
  const isOpen = $derived(live.isOpen);
  $effect(() => {
    const code = wanted();
    if (isOpen || untrack(() => !code.failed)) untrack(() => void code.get());
  });
}
