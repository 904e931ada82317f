// The rows of a conversation: its messages grouped into turns, with a line where a day or a session begins.
import type { SessionInfo } from '../conversations.ts';
import { textIn, type Block, type Message } from '../messages.ts';
import { isSameDay } from '../time.ts';
import { partsOf, type Part } from './turn.ts';
import { boundaryWords, type BoundaryWords } from './words.ts';

export type SaidFile = Extract<Block, { type: 'file' }>;

export interface TurnRow {
  readonly kind: 'turn';
  readonly key: string;
  readonly turnId: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly atMs: number;
  /** What a person said, or what an automation told the agent. Null when the turn has no such message. */
  readonly said: string | null;
  readonly saidByPerson: boolean;
  /** Pictures and files that came with it. */
  readonly files: readonly SaidFile[];
  readonly automation: Message['automation'];
  /** When the automation was due; 0 if it is not known. */
  readonly dueMs: number;
  /** What brought it about; '' if the messages do not say. */
  readonly cause: string;
  /** How it ended, if the messages say so. */
  readonly ending: { readonly verdict: string; readonly reason: string } | null;
  readonly parts: readonly Part[];
}

export type Row =
  | TurnRow
  | { readonly kind: 'day'; readonly key: string; readonly atMs: number }
  | ({ readonly kind: 'boundary'; readonly key: string } & BoundaryWords);

export function rowsOf(messages: readonly Message[], sessions: readonly SessionInfo[]): readonly Row[] {
  const rows: Row[] = [];
  let previous: Message | null = null;
  for (let from = 0; from < messages.length; ) {
    const first = messages[from]!;
    const to = endOfTurn(messages, from);
    const isNewSession = previous !== null && previous.sessionId !== first.sessionId;
    const isNewDay = previous !== null && !isSameDay(previous.atMs, first.atMs);
    if (isNewDay) rows.push({ kind: 'day', key: `day-${first.seq}`, atMs: first.atMs });
    if (isNewSession) {
      rows.push({ kind: 'boundary', key: first.sessionId, ...boundaryWords(sessions, previous!.sessionId, first.sessionId) });
    }
    rows.push(turnRow(messages.slice(from, to)));
    previous = messages[to - 1]!;
    from = to;
  }
  return rows;
}

/** Messages of one turn follow each other; those without a turn stand alone. */
function endOfTurn(messages: readonly Message[], from: number): number {
  const { turnId } = messages[from]!;
  let to = from + 1;
  while (turnId !== '' && to < messages.length && messages[to]!.turnId === turnId) to += 1;
  return to;
}

function turnRow(messages: readonly Message[]): TurnRow {
  const first = messages[0]!;
  const told = messages.filter(({ role }) => role === 'user');
  const said = told.map(({ content }) => textIn(content)).join('\n\n');
  return {
    kind: 'turn',
    key: first.turnId || `message-${first.seq}`,
    turnId: first.turnId,
    firstSeq: first.seq,
    lastSeq: messages.at(-1)!.seq,
    atMs: first.atMs,
    said: told.length === 0 ? null : said,
    saidByPerson: isFromPerson(told),
    files: filesIn(told),
    automation: first.automation,
    dueMs: first.dueMs,
    cause: first.turnKind,
    ending: endingOf(messages.at(-1)!),
    parts: partsOf(messages.filter(({ role }) => role !== 'user')),
  };
}

function endingOf({ verdict, reason }: Message): TurnRow['ending'] {
  return verdict === '' ? null : { verdict, reason };
}

export function filesIn(told: readonly Message[]): readonly SaidFile[] {
  return told.flatMap(({ content }) => content.filter((block) => block.type === 'file'));
}

/** Words that rouse itself put into a conversation are marked as the agent's. */
export function isFromPerson(told: readonly Message[]): boolean {
  return told.some(({ content }) => content.some((block) => block.type !== 'text' || block.from !== 'agent'));
}

/** Adds newer or older messages to those that are there; the number of a message decides. */
export function merged(old: readonly Message[], more: readonly Message[]): readonly Message[] {
  if (more.length === 0) return old;
  const isNewer = old.length === 0 || more.every(({ seq }) => seq > old.at(-1)!.seq);
  const all = isNewer ? [...old, ...more] : [...new Map([...old, ...more].map((one) => [one.seq, one])).values()];
  return all.sort((a, b) => a.seq - b.seq);
}
