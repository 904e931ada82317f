// The files of the message that is being written. Each is uploaded as soon as it is chosen, so sending does not wait.
import { uploadFile, whyNotSent, type KeptFile } from '../files.ts';
import { whyFailed } from '../http.ts';

export interface Attachment {
  readonly id: number;
  readonly name: string;
  readonly file: File;
  readonly kept: KeptFile | null;
  /** Why it can't be sent. */
  readonly problem: string;
}

export class Attachments {
  items = $state.raw<readonly Attachment[]>([]);
  readonly isUploading = $derived(this.items.some(({ kept, problem }) => kept === null && problem === ''));
  readonly hasProblem = $derived(this.items.some(({ problem }) => problem !== ''));
  #count = 0;

  add(files: Iterable<File>): void {
    for (const file of files) {
      const problem = whyNotSent(file, this.items.length);
      const item: Attachment = { id: ++this.#count, name: file.name || 'Picture', file, kept: null, problem };
      this.items = [...this.items, item];
      if (problem === '') void this.#upload(item);
    }
  }

  tryAgain(id: number): void {
    const item = this.items.find((one) => one.id === id);
    if (item === undefined || whyNotSent(item.file, 0) !== '') return;
    this.#change(id, { problem: '' });
    void this.#upload(item);
  }

  remove(id: number): void {
    this.items = this.items.filter((one) => one.id !== id);
  }

  /** Gives what is ready and begins anew. */
  take(): readonly KeptFile[] {
    const kept = this.items.flatMap((one) => (one.kept === null ? [] : [one.kept]));
    this.items = [];
    return kept;
  }

  async #upload({ id, file }: Attachment): Promise<void> {
    const answer = await uploadFile(file);
    this.#change(id, answer.ok ? { kept: answer.value } : { problem: whyFailed(answer.failure) });
  }

  #change(id: number, change: Partial<Attachment>): void {
    this.items = this.items.map((one) => (one.id === id ? { ...one, ...change } : one));
  }
}
