// Looks for words in everything that was said, a moment after the typing stops. Only the newest question counts.
import { searchMessages, type SearchHit } from './conversations.ts';

const quietMs = 200;
const shortestWords = 2;

export class Finder {
  #words = $state('');
  hits = $state.raw<readonly SearchHit[]>([]);
  state = $state<'idle' | 'looking' | 'ready' | 'failed'>('idle');
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;

  get words(): string {
    return this.#words;
  }

  set words(words: string) {
    this.#words = words;
    clearTimeout(this.#timer);
    this.#asked += 1;
    if (words.trim().length < shortestWords) {
      this.hits = [];
      this.state = 'idle';
      return;
    }
    this.state = 'looking';
    this.#timer = setTimeout(() => void this.#look(words.trim()), quietMs);
  }

  async #look(words: string): Promise<void> {
    const asked = ++this.#asked;
    const answer = await searchMessages(words);
    if (asked !== this.#asked) return;
    this.hits = answer.ok ? answer.value.items : [];
    this.state = answer.ok ? 'ready' : 'failed';
  }
}
