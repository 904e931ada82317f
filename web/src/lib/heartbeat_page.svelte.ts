// The heartbeat page's state: what the server says, what the person is writing, and what became of saving it. A file
// that changed on disk while somebody writes is never overwritten and never lost: both are shown.
import { BeatHistory } from './beat_history.svelte.ts';
import { readHeartbeats, saveFile, type Heartbeat, type HeartbeatFile, type Heartbeats } from './heartbeat.ts';
import { formFrom, textWith, type SettingsForm } from './heartbeat_settings.ts';
import { whyFailed } from './http.ts';
import { isObject } from './json.ts';
import type { Live } from './live.svelte.ts';
import { OneAtATime } from './one_at_a_time.ts';
import { remember, rememberedJson } from './storage.svelte.ts';

/** A file as it was read, what the person made of it, and what stands in the way of saving it. */
export interface Draft {
  readonly base: HeartbeatFile;
  readonly text: string;
  readonly problem: string;
  /** What is on disk now, if that is neither. */
  readonly theirs: HeartbeatFile | null;
}

const heard = new Set(['hello', 'reset', 'activity', 'automation_changed', 'automation_missed']);

export class HeartbeatPage {
  all = $state.raw<Heartbeats | null>(null);
  problem = $state('');
  drafts = $state.raw<Readonly<Record<string, Draft>>>({});
  /** The form beside the file: null when the file can't be shown as one. */
  form = $state.raw<SettingsForm | null>(null);
  saving = $state(false);
  savedAtMs = $state(0);

  #name = $state('');
  readonly history = new BeatHistory();
  readonly #reading = new OneAtATime(() => this.#read());
  readonly #stop: () => void;
  readonly #key: string;

  constructor(live: Live, workspace: string, name: string) {
    this.#key = `rouse-heartbeat-drafts:${workspace}`;
    this.#name = name;
    // What was being written when the page was left.
    this.drafts = rememberedJson(this.#key, areDrafts, {});
    this.#stop = live.listen((frame) => {
      if (heard.has(frame.type)) this.read();
    });
    this.read();
  }

  close(): void {
    this.#stop();
  }

  get one(): Heartbeat | null {
    return this.all?.items.find(({ name }) => name === this.#name) ?? this.all?.items[0] ?? null;
  }

  get settings(): Draft | null {
    return this.drafts['heartbeat.json'] ?? null;
  }

  get orders(): Draft | null {
    return (this.one && this.drafts[this.one.ordersFile]) ?? null;
  }

  get dirty(): readonly Draft[] {
    return Object.values(this.drafts).filter(isDirty);
  }

  show(name: string): void {
    if (name === this.#name) return;
    this.#name = name;
    this.#formAnew();
    void this.history.read(this.#shownName);
  }

  read(): void {
    this.#reading.ask();
  }

  write(file: string, text: string): void {
    const draft = this.drafts[file];
    if (draft === undefined) return;
    this.#keep({ ...this.drafts, [file]: { ...draft, text, problem: '' } });
    if (draft.base.kind === 'settings') this.#formAnew();
  }

  /** The form was changed: the file says the same at once. */
  fill(change: Partial<SettingsForm>): void {
    const draft = this.settings;
    if (draft === null || this.form === null) return;
    const form = { ...this.form, ...change };
    const text = textWith(draft.text, this.#shownName, this.form, form);
    if (text === null) return;
    const isAsBefore = JSON.stringify(formFrom(draft.base.text, this.#shownName)) === JSON.stringify(form);
    this.#keep({ ...this.drafts, [draft.base.name]: { ...draft, text: isAsBefore ? draft.base.text : text, problem: '' } });
    this.form = form;
  }

  discard(): void {
    this.#keep(Object.fromEntries(Object.entries(this.drafts).map(([name, { base, theirs }]) => [name, fresh(theirs ?? base)])));
    this.#formAnew();
  }

  async save(): Promise<void> {
    if (this.saving) return;
    this.saving = true;
    this.savedAtMs = 0;
    for (const draft of this.dirty) await this.#saveOne(draft);
    this.saving = false;
    if (this.dirty.length === 0) this.savedAtMs = Date.now();
  }

  /** Of two versions the person's: what is on disk is written over, knowingly. */
  async keepMine(file: string): Promise<void> {
    const draft = this.drafts[file];
    if (!draft?.theirs) return;
    this.#keep({ ...this.drafts, [file]: { ...draft, base: draft.theirs, theirs: null } });
    await this.save();
  }

  takeTheirs(file: string): void {
    const draft = this.drafts[file];
    if (!draft?.theirs) return;
    this.#keep({ ...this.drafts, [file]: fresh(draft.theirs) });
    this.#formAnew();
  }

  async #read(): Promise<void> {
    const answer = await readHeartbeats();
    this.problem = answer.ok ? '' : whyFailed(answer.failure);
    if (!answer.ok) return;
    this.#take(answer.value);
    if (this.one !== null) await this.history.read(this.one.name);
  }

  get #shownName(): string {
    return this.one?.name ?? this.#name;
  }

  async #saveOne(draft: Draft): Promise<void> {
    const { base, text } = draft;
    const answer = await saveFile(base, text);
    if (answer.ok) {
      this.#keep({ ...this.drafts, [base.name]: fresh(answer.value.files?.find(({ name }) => name === base.name) ?? { ...base, text }) });
      this.#take(answer.value);
      return;
    }
    const { failure } = answer;
    const isConflict = failure.kind === 'refused' && failure.code === 'conflict';
    const theirs = isConflict ? await fileNow(base.name) : null;
    this.#keep({ ...this.drafts, [base.name]: { ...draft, problem: isConflict ? '' : whyFailed(failure), theirs } });
  }

  #take(all: Heartbeats): void {
    this.all = all;
    const drafts: Record<string, Draft> = {};
    for (const file of all.files ?? []) {
      const draft = this.drafts[file.name];
      // What nobody touched follows the disk; what somebody is writing waits for their word.
      if (draft === undefined || !isDirty(draft)) drafts[file.name] = fresh(file);
      else drafts[file.name] = { ...draft, theirs: file.etag === draft.base.etag || file.text === draft.text ? null : file };
    }
    const isSame = drafts['heartbeat.json']?.text === this.settings?.text && this.form !== null;
    this.#keep(drafts);
    if (!isSame) this.#formAnew();
  }

  #keep(drafts: Readonly<Record<string, Draft>>): void {
    this.drafts = drafts;
    const written = Object.entries(drafts).filter(([, draft]) => isDirty(draft));
    remember(this.#key, written.length === 0 ? null : JSON.stringify(Object.fromEntries(written)));
  }

  #formAnew(): void {
    this.form = this.settings === null ? null : formFrom(this.settings.text, this.#shownName);
  }
}

const fresh = (base: HeartbeatFile): Draft => ({ base, text: base.text, problem: '', theirs: null });
const isDirty = ({ base, text }: Draft): boolean => text !== base.text;

function areDrafts(value: unknown): value is Readonly<Record<string, Draft>> {
  return isObject(value) && Object.values(value).every((one) => isObject(one) && isObject(one['base']) && typeof one['text'] === 'string');
}

async function fileNow(name: string): Promise<HeartbeatFile | null> {
  const answer = await readHeartbeats();
  return answer.ok ? (answer.value.files?.find((file) => file.name === name) ?? null) : null;
}
