// The rows that are drawn: what is committed, then what runs and waits, then what is not sent yet.
import { textIn } from '../messages.ts';
import type { Chat, ChatNote } from './chat.svelte.ts';
import type { Outgoing } from './outbox.svelte.ts';
import { filesIn, isFromPerson, type Row, type TurnRow } from './rows.ts';
import type { OpenTurn } from './turn.ts';
import { automationName } from './words.ts';

/** A turn that just ended has fewer messages than this. */
const recentMessages = 1000;

export interface ShownTurn {
  readonly kind: 'turn';
  readonly key: string;
  readonly turn: TurnRow;
  /** What brought the turn about: user, automation, approval …; '' when it is not known any more. */
  readonly cause: string;
  readonly open: 'running' | 'queued' | null;
}

export type ShownRow =
  | ShownTurn
  | Extract<Row, { kind: 'day' | 'boundary' }>
  | { readonly kind: 'note'; readonly key: string; readonly text: string; readonly link?: ChatNote['link']; readonly kept?: string }
  | { readonly kind: 'unread'; readonly key: string }
  | { readonly kind: 'welcome'; readonly key: string }
  | { readonly kind: 'outgoing'; readonly key: string; readonly item: Outgoing };

/** What is committed. Apart from the rest, because it may be long and does not change while an answer streams. */
export function committedRows(chat: Chat, withBackground: boolean): readonly ShownRow[] {
  const rows = chat.rows.map((row): ShownRow => {
    if (row.kind !== 'turn') return row;
    return { kind: 'turn', key: row.key, turn: row, cause: row.cause || (chat.verdicts.get(row.turnId)?.kind ?? ''), open: null };
  });
  return withBackground ? rows : rows.filter(isNoBackground);
}

/** A line above the first turn that came while nobody looked. What people said themselves is not new to them. */
export function withUnreadMark(rows: readonly ShownRow[], away: { readonly fromMs: number; readonly toMs: number }): readonly ShownRow[] {
  const isNews = (row: ShownRow) =>
    row.kind === 'turn' && !row.turn.saidByPerson && row.turn.atMs > away.fromMs && row.turn.atMs <= away.toMs;
  const first = rows.findIndex(isNews);
  // Above the very first turn it would say nothing.
  const hasBefore = rows.slice(0, Math.max(0, first)).some(({ kind }) => kind === 'turn');
  return hasBefore ? [...rows.slice(0, first), { kind: 'unread', key: 'unread' }, ...rows.slice(first)] : rows;
}

export function openRows(chat: Chat, outgoing: readonly Outgoing[], withBackground: boolean): readonly ShownRow[] {
  // History may know the end of a turn a moment before its event comes: what is committed wins.
  const committed = new Set(chat.messages.slice(-recentMessages).map(({ turnId }) => turnId));
  const going = chat.atEnd ? chat.turns.filter(({ turnId }) => !committed.has(turnId)).map(openRow) : [];
  const notes = chat.notes.map(({ id, text, link }): ShownRow => ({ kind: 'note', key: `note-${id}`, text, ...(link && { link }) }));
  if (isCleared(chat)) {
    notes.unshift({ kind: 'note', key: 'cleared', text: 'Cleared. The next message starts fresh.', kept: chat.detail!.sessions[0]!.closeSummary });
  }
  const unsent = outgoing.map((item): ShownRow => ({ kind: 'outgoing', key: item.id, item }));
  return [...(withBackground ? going : going.filter(isNoBackground)), ...notes, ...unsent];
}

/** Newest first: the first session is the one that the next message would go on with. */
function isCleared({ detail, messages, turns, atEnd }: Chat): boolean {
  const newest = detail?.sessions[0];
  return atEnd && turns.length === 0 && newest?.closeReason === 'cleared' && messages.at(-1)?.sessionId === newest.id;
}

function isNoBackground(row: ShownRow): boolean {
  return row.kind !== 'turn' || (row.turn.automation === null && row.cause !== 'heartbeat_wake');
}

function openRow(turn: OpenTurn): ShownRow {
  const said = turn.message === null ? null : textIn(turn.message.content);
  const row: TurnRow = {
    kind: 'turn',
    key: turn.turnId,
    turnId: turn.turnId,
    firstSeq: 0,
    lastSeq: 0,
    atMs: turn.queuedAtMs,
    said,
    cause: turn.kind,
    ending: null,
    saidByPerson: turn.message !== null && isFromPerson([turn.message]),
    files: turn.message === null ? [] : filesIn([turn.message]),
    // Its id and run come with the committed messages.
    automation: turn.kind === 'automation' ? { id: '', name: turn.automationName || automationName(said ?? ''), runId: '' } : null,
    dueMs: turn.dueMs,
    parts: turn.parts,
  };
  return { kind: 'turn', key: turn.turnId, turn: row, cause: turn.kind, open: turn.running ? 'running' : 'queued' };
}

/** For Up: what the person said, newest last. */
export function saidByPerson(chat: Chat, outgoing: readonly Outgoing[]): readonly string[] {
  const recent = chat.rows.slice(-100).flatMap((row) => {
    return row.kind === 'turn' && row.saidByPerson && row.said !== null ? [row.said] : [];
  });
  const going = chat.turns.flatMap(({ message }) => (message !== null && isFromPerson([message]) ? [textIn(message.content)] : []));
  return [...recent, ...going, ...outgoing.map(({ text }) => text)];
}
