// The sentences of the approvals page.
import type { ApprovalRecord } from './approvals.ts';
import { decisionWords } from './chat/words.ts';
import type { IconName } from './icons.ts';

const doors: Readonly<Record<string, string>> = {
  web: 'by you',
  api: 'over the API',
  cli: 'on the command line',
  whatsapp: 'over WhatsApp',
  terminal: 'in the terminal',
};

/** "Allowed for this conversation by you", "Expired, nobody answered in time". */
export function settledWords(record: ApprovalRecord): { readonly icon: IconName; readonly state: string; readonly rest: string } {
  const { allowed, state, rest } = decisionWords(record);
  const by = doors[record.decidedBy] ?? '';
  const icon: IconName = allowed ? 'check' : record.state === 'denied' ? 'close' : 'clock';
  if (record.state === 'expired') return { icon, state, rest: `, ${rest}. It counts as denied.` };
  if (record.state === 'withdrawn') return { icon, state, rest: `, ${rest}.` };
  return { icon, state, rest: `${rest === '' ? '' : ` ${rest}`}${by === '' ? '' : ` ${by}`}.` };
}

/** The arguments of a call, one a row; null for what is no object. */
export function argumentRows(args: string): readonly { readonly name: string; readonly value: string }[] | null {
  try {
    const value: unknown = JSON.parse(args);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return Object.entries(value).map(([name, one]) => ({ name, value: typeof one === 'string' ? one : JSON.stringify(one, null, 2) }));
  } catch {
    return null;
  }
}
