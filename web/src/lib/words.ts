// Which words and which mark belong to a state. One place, so that the page title, the heading and the list
// never disagree, and no machine word reaches a person.
import type { Health } from './frames.ts';
import type { Link } from './socket.ts';

export type MarkKind = 'running' | 'queued' | 'waits' | 'ok' | 'failed' | 'missed' | 'interrupted' | 'skipped' | 'paused' | 'silent' | 'planned';

export interface Wording {
  readonly mark: MarkKind;
  readonly word: string;
}

export interface Check extends Wording {
  readonly name: string;
  readonly sentence: string;
  readonly problems: readonly string[];
}

export function overallState(link: Link, health: Health | null): Wording {
  if (link.kind !== 'open') {
    const first = link.kind === 'connecting' && !link.again;
    return first ? { mark: 'queued', word: 'Connecting' } : { mark: 'missed', word: 'Not known' };
  }
  if (health === null) return { mark: 'queued', word: 'Connecting' };
  return health.ok ? { mark: 'running', word: 'Awake' } : { mark: 'failed', word: 'Needs attention' };
}

export function pageTitle(link: Link, health: Health | null): string {
  const { mark, word } = overallState(link, health);
  if (mark === 'missed') return 'Not connected · rouse';
  return mark === 'failed' ? `${word} · rouse` : 'Health · rouse';
}

/** The parts the server reports on. A problem stands beside the part it belongs to when that is certain. */
export function checksOf(health: Health, connected: boolean): readonly Check[] {
  const part = partToBlame(health);
  const whileConnected = (sentence: string) => (connected ? sentence : '');
  return [
    {
      name: 'Store',
      ...known(connected, health.storeOk ? fine : { mark: 'failed', word: 'Failed' }),
      sentence: health.storeOk ? whileConnected('Conversations are read and written.') : 'The store reports an error.',
      problems: part === 'store' ? health.problems : [],
    },
    {
      name: 'Settings',
      ...known(connected, health.configOk ? fine : { mark: 'failed', word: 'Not valid' }),
      sentence: health.configOk ? whileConnected('Read and valid.') : 'The settings could not be used as they are.',
      problems: part === 'config' ? health.problems : [],
    },
    {
      name: 'This page',
      ...(connected ? { mark: 'ok', word: 'Live' } : { mark: 'missed', word: 'Cut off' }),
      sentence: connected ? 'Changes show as they happen.' : 'It goes on by itself when rouse answers.',
      problems: [],
    },
  ];
}

/** The server lists problems without their part. One problem and one bad part belong together; more is a guess. */
function partToBlame(health: Health): 'store' | 'config' | null {
  if (health.problems.length !== 1 || health.storeOk === health.configOk) return null;
  return health.storeOk ? 'config' : 'store';
}

/** What was true when the link broke is shown as past, with the mark for "nobody knows". */
function known(connected: boolean, wording: Wording): Wording {
  return connected ? wording : { mark: 'missed', word: `Was ${wording.word.toLowerCase()}` };
}

export function leadOf(health: Health): string {
  if (health.ok) return 'rouse is running. Nothing needs you.';
  const count = Math.max(1, health.problems.length);
  return `rouse is running. ${count === 1 ? 'One thing needs' : `${count} things need`} you.`;
}

/** Problems that no single part explains. */
export function otherProblems(health: Health): readonly string[] {
  return partToBlame(health) === null ? health.problems : [];
}

export function roleName(role: string): string {
  return role === '' ? '' : role.charAt(0).toUpperCase() + role.slice(1);
}

const fine: Wording = { mark: 'ok', word: 'ok' };
