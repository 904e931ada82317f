// The sentences of the panel beside a conversation.
import type { SessionInfo } from '../conversations.ts';
import { dollars } from '../usage_words.ts';

/** What a session carries over; a part that says nothing is empty. */
export interface Carried {
  readonly goal: string;
  readonly decided: string;
  readonly open: readonly OpenPoint[];
  /** Names that came up. */
  readonly about: string;
}

export interface OpenPoint {
  readonly whose: string;
  readonly text: string;
}

const whose: Readonly<Record<string, string>> = {
  'assistant owes': 'To be done',
  'assistant asks': 'Asked you',
  'user asks': 'You asked',
  remember: 'To keep in mind',
};

/** Null when it tells nothing that is not on the page already: the title is the first thing that was said. */
export function carriedIn(summary: string, title = ''): Carried | null {
  const parts = new Map(summary.split('\n').map((line) => {
    const [, word = '', text = ''] = /^([A-Z]+):\s*(.*)$/.exec(line) ?? [];
    return [word, /^(none|nothing|n\/a|-)?\.?$/i.test(text.trim()) ? '' : text.replaceAll('Scheduled automation triggered: ', '').trim()];
  }));
  const wanted = parts.get('GOAL') ?? '';
  const goal = wanted === title ? '' : wanted;
  const decided = parts.get('DECISIONS') ?? '';
  const open = (parts.get('PENDING') ?? '').split('; ').map(openPoint).filter(({ text }) => text !== '' && text !== wanted);
  const told = [title, wanted, decided, ...open.map(({ text }) => text)].join('\n');
  const about = (parts.get('ENTITIES') ?? '').split(', ').filter((name) => !told.includes(name) && !isClock(name)).join(', ');
  return goal === '' && decided === '' && open.length === 0 ? null : { goal, decided, open, about };
}

/** When something was said is no subject. */
const isClock = (name: string) => /^\d{1,2}:\d{2}/.test(name);

function openPoint(said: string): OpenPoint {
  const [, who = '', text = said] = /^(assistant owes|assistant asks|user asks|remember): (.*)$/.exec(said) ?? [];
  return { whose: whose[who] ?? '', text: text.trim() };
}

const openings: Readonly<Record<string, string>> = {
  first_message: 'with the first message',
  no_session: 'with the first message',
  explicit_reset: 'because you asked to start over',
  timeout: 'after a quiet time',
  topic_drift: 'because the subject changed',
  session_closed: 'after the one before was closed',
};

export function openedWords({ openedReason }: SessionInfo): string {
  return openings[openedReason] ?? '';
}

/** "912", "38.4k", "1.2M". */
export function countWords(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** "$0.21 of $2.00"; a price that is not known is not guessed. */
export function costWords({ usd, priceUnknown, capUsd }: { readonly usd: number; readonly priceUnknown: boolean; readonly capUsd: number | null }): string {
  const spent = priceUnknown ? 'Price not known' : dollars(usd);
  return capUsd === null ? spent : `${spent} of ${dollars(capUsd)}`;
}
