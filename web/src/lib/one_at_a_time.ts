// Reads something again whenever it may have changed, one question at a time: what happens while an answer is on its way
// leads to one more question, however much it was.
export class OneAtATime {
  readonly #read: () => Promise<void>;
  #busy = false;
  #again = false;

  constructor(read: () => Promise<void>) {
    this.#read = read;
  }

  ask(): void {
    if (this.#busy) this.#again = true;
    else void this.#run();
  }

  async #run(): Promise<void> {
    this.#busy = true;
    do {
      this.#again = false;
      await this.#read();
    } while (this.#again);
    this.#busy = false;
  }
}
