// What a schedule would do, asked a moment after the typing stops. Only the newest question counts; the answer before
// stays until the next one is there.
import { previewAutomation, type Preview } from './automations.ts';
import type { Failure } from './http.ts';

const quietMs = 250;

export class PreviewLoader {
  value = $state.raw<Preview | null>(null);
  failure = $state.raw<Failure | null>(null);
  /** What is shown belongs to an older question. */
  stale = $state(false);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;
  #lastBody = '';

  ask(body: object): void {
    const text = JSON.stringify(body);
    if (text === this.#lastBody) return;
    this.#lastBody = text;
    clearTimeout(this.#timer);
    this.#asked += 1;
    this.stale = true;
    this.#timer = setTimeout(() => void this.#look(body), quietMs);
  }

  /** The fields say nothing that could be asked about. */
  forget(): void {
    this.close();
    [this.value, this.failure, this.stale, this.#lastBody] = [null, null, false, ''];
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#asked += 1;
  }

  async #look(body: object): Promise<void> {
    const asked = ++this.#asked;
    const answer = await previewAutomation(body);
    if (asked !== this.#asked) return;
    this.stale = false;
    this.failure = answer.ok ? null : answer.failure;
    if (answer.ok) this.value = answer.value;
    else if (answer.failure.kind === 'refused') this.value = null;
    // Nobody answered: the same question may be asked again.
    else this.#lastBody = '';
  }
}
