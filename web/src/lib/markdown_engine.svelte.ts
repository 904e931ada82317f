// The markdown code as soon as it is there. Until then answers are shown as the plain text they are.
type Engine = typeof import('./markdown.ts');

class MarkdownEngine {
  loaded = $state.raw<Engine | null>(null);
  #asked = false;

  load(): void {
    if (this.#asked) return;
    this.#asked = true;
    import('./markdown.ts').then(
      (engine) => (this.loaded = engine),
      // Away just now: the next answer asks again.
      () => (this.#asked = false),
    );
  }
}

export const markdown = new MarkdownEngine();
