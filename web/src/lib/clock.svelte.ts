// The page's one clock. Everything that ticks reads it, so the page wakes once a second and not once a widget,
// and not at all while nobody looks.

class Clock {
  nowMs = $state(Date.now());
  /** Does somebody look? */
  visible = $state(document.visibilityState === 'visible');
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    document.addEventListener('visibilitychange', () => this.#tick());
    this.#tick();
  }

  #tick(): void {
    clearTimeout(this.#timer);
    this.nowMs = Date.now();
    this.visible = document.visibilityState === 'visible';
    if (!this.visible) return;
    // Aligned to the full second: all counters change together.
    this.#timer = setTimeout(() => this.#tick(), 1000 - (this.nowMs % 1000));
  }
}

export const clock = new Clock();
