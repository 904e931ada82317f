// Notifications (docs/notifications.md): the ones that came, the places they are brought to, and the browsers that are told.
import { call, type Answer } from './http.ts';
import { isObject, listOf, numberOf, textOf, textsOf, timeOf, type JsonObject } from './json.ts';
import { pageFrom, type Page } from './page.ts';

export interface InboxItem {
  readonly number: number;
  /** heartbeat, automation, approval, agent, system. */
  readonly kind: string;
  readonly subject: string;
  readonly text: string;
  readonly conversationId: string;
  /** It is made of words from outside. */
  readonly untrusted: boolean;
  readonly createdMs: number;
  readonly isRead: boolean;
}

export interface InboxPage extends Page<InboxItem> {
  readonly unread: number;
}

export interface Target {
  readonly name: string;
  readonly type: string;
  readonly privacy: string;
  /** null: every kind. */
  readonly kinds: readonly string[] | null;
  readonly quietHours: string;
  readonly zone: string;
}

export interface Device {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly createdMs: number;
  /** 0 until a message reached it. */
  readonly workedMs: number;
}

export interface Delivery {
  readonly id: string;
  readonly state: string;
  readonly error: string;
  readonly nextTryMs: number;
}

export function listInbox(cursor: string | null, limit: number): Promise<Answer<InboxPage>> {
  const query = new URLSearchParams({ limit: String(limit), ...(cursor === null ? {} : { cursor }) });
  return call('GET', `/api/notifications?${query}`, undefined, (json) => {
    const page = pageFrom(json, itemFrom);
    return page && isObject(json) ? { ...page, unread: numberOf(json, 'unread') } : null;
  });
}

/** Gives how many are still unread. */
export function markRead(through: number): Promise<Answer<number>> {
  return call('POST', '/api/notifications/read', { through }, (json) => (isObject(json) ? numberOf(json, 'unread') : null));
}

export function listTargets(): Promise<Answer<readonly Target[]>> {
  return call('GET', '/api/notifications/targets', undefined, (json) =>
    isObject(json)
      ? listOf(json, 'items', (item) => ({
          name: textOf(item, 'name'),
          type: textOf(item, 'type'),
          privacy: textOf(item, 'privacy', 'full'),
          kinds: Array.isArray(item['kinds']) ? textsOf(item, 'kinds') : null,
          quietHours: textOf(item, 'quiet_hours'),
          zone: textOf(item, 'zone'),
        }))
      : null,
  );
}

/** Sends one test now, whatever the hours and kinds; gives the deliveries under way. */
export function testTarget(target: string): Promise<Answer<readonly string[]>> {
  return call('POST', '/api/notifications/test', { target }, (json) => (isObject(json) ? textsOf(json, 'deliveries') : null));
}

export function recentDeliveries(): Promise<Answer<readonly Delivery[]>> {
  return call('GET', '/api/deliveries?limit=50', undefined, (json) =>
    isObject(json)
      ? listOf(json, 'items', (item) => ({
          id: textOf(item, 'id'),
          state: textOf(item, 'state'),
          error: textOf(item, 'error'),
          nextTryMs: timeOf(item, 'next_try_at'),
        }))
      : null,
  );
}

export function listDevices(): Promise<Answer<readonly Device[]>> {
  return call('GET', '/api/push/subscriptions', undefined, (json) =>
    isObject(json)
      ? listOf(json, 'items', (item) => ({
          id: textOf(item, 'id'),
          name: textOf(item, 'name'),
          host: textOf(item, 'host'),
          createdMs: timeOf(item, 'created_at'),
          workedMs: timeOf(item, 'worked_at'),
        }))
      : null,
  );
}

export function removeDevice(id: string): Promise<Answer<true>> {
  return call('DELETE', `/api/push/subscriptions/${encodeURIComponent(id)}`, undefined, () => true as const);
}

function itemFrom(item: JsonObject): InboxItem | null {
  const number = numberOf(item, 'number');
  if (number === 0) return null;
  return {
    number,
    kind: textOf(item, 'kind'),
    subject: textOf(item, 'subject'),
    text: textOf(item, 'text'),
    conversationId: textOf(item, 'conversation_id'),
    untrusted: item['untrusted'] === true,
    createdMs: timeOf(item, 'created_at'),
    isRead: timeOf(item, 'read_at') > 0,
  };
}
