// The sentences of the panel beside a conversation.
import type { SessionInfo } from '../conversations.ts';
import { dollars } from '../usage_words.ts';

export interface SummaryLine {
  readonly name: string;
  readonly text: string;
}

const names: Readonly<Record<string, string>> = { GOAL: 'Goal', ENTITIES: 'About', DECISIONS: 'Decided', PENDING: 'Open' };

/** What a session carries over, without what it does not say. */
export function summaryLines(summary: string): readonly SummaryLine[] {
  return summary.split('\n').flatMap((line) => {
    const [, word = '', text = ''] = /^([A-Z]+):\s*(.*)$/.exec(line) ?? [];
    const name = names[word];
    const said = text.replace(/(^|; )(remember|assistant owes|assistant asks): /g, '$1').replace(/Scheduled automation triggered: /g, '');
    return name === undefined || said === '' || said === 'none' ? [] : [{ name, text: said }];
  });
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
