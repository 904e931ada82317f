// How notifications, their places and their way there are named.
import { sentence } from './http.ts';
import { isSameDay, moment, zone } from './time.ts';
import type { Delivery, Target } from './notifications.ts';
import type { Wording } from './words.ts';

export function kindWords(kind: string): string {
  switch (kind) {
    case 'heartbeat':
      return 'Heartbeat';
    case 'automation':
      return 'Automation';
    case 'approval':
      return 'Waits for you';
    case 'agent':
      return 'Agent';
    default:
      return 'rouse';
  }
}

export function typeWords(type: string): string {
  switch (type) {
    case 'ntfy':
      return 'ntfy';
    case 'webhook':
      return 'Webhook';
    case 'desktop':
      return 'Desktop of the server';
    case 'push':
      return 'Browsers that subscribed';
    case 'conversation':
      return 'Conversation';
    default:
      return type;
  }
}

/** "Heartbeats and approvals. Quiet 22:00 to 07:00 Europe/Berlin. Only the subject." */
export function targetWords({ kinds, quietHours, zone: itsZone, privacy }: Target): string {
  const parts = [kinds === null ? 'Everything' : kinds.length === 0 ? 'Nothing' : listed(kinds)];
  if (quietHours !== '') parts.push(`Quiet ${quietHours.replace('-', ' to ')} ${itsZone}`.trim());
  if (privacy === 'subject') parts.push('Only the subject');
  if (privacy === 'none') parts.push('Only that there is something');
  return `${parts.join('. ')}.`;
}

/** What became of a test. Nothing is said of a delivery the server does not list any more. */
export function deliveryWords(delivery: Delivery | undefined, nowMs: number): Wording & { readonly why: string } {
  switch (delivery?.state) {
    case 'delivered':
      return { mark: 'ok', word: 'Arrived', why: '' };
    case 'failed':
    case 'expired':
      return { mark: 'failed', word: 'Did not arrive', why: sentence(delivery.error) };
    case 'unknown':
      return { mark: 'missed', word: 'Perhaps arrived', why: sentence(delivery.error) };
    default: {
      if (delivery === undefined || delivery.error === '') return { mark: 'queued', word: 'On its way', why: '' };
      const again = delivery.nextTryMs === 0 ? '' : ` Trying again ${whenWords(delivery.nextTryMs, nowMs)}.`;
      return { mark: 'failed', word: 'Not yet', why: `${sentence(delivery.error)}${again}` };
    }
  }
}

/** "today at 11:02 Europe/Berlin": a time always has its zone. */
export function whenWords(ms: number, nowMs: number): string {
  return `${isSameDay(ms, nowMs) ? 'today ' : ''}${moment(ms, nowMs)} ${zone}`;
}

const manyOf: Readonly<Record<string, string>> = {
  heartbeat: 'heartbeats',
  automation: 'automations',
  approval: 'approvals',
  agent: 'words of agents',
  system: 'words of rouse itself',
};

function listed(kinds: readonly string[]): string {
  const names = kinds.map((kind) => manyOf[kind] ?? kind);
  return sentence(names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`).slice(0, -1);
}
