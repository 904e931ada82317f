// Everything the chat asks over HTTP: conversations, their messages, turns, approvals, and search.
import { firstWords, titleWords } from './chat/words.ts';
import { call, type Answer } from './http.ts';
import { isObject, listOf, numberOf, textOf, timeOf, type JsonObject } from './json.ts';
import { argumentsOf, messageFrom, type Message } from './messages.ts';
import { cursorPart, pageFrom, type Page } from './page.ts';

export interface Conversation {
  readonly id: string;
  readonly key: string;
  readonly title: string;
  readonly agent: string;
  readonly lastActiveMs: number;
  readonly messageCount: number;
  /** The newest message, and up to which somebody saw them on any device; null if the server does not keep it. */
  readonly lastSeq: number | null;
  readonly seenSeq: number | null;
  readonly automationCount: number;
  readonly pinned: boolean;
  /** What was said last, in one line. */
  readonly preview: string;
}

export interface SessionInfo {
  readonly id: string;
  readonly openedReason: string;
  readonly closeReason: string;
  readonly closedAtMs: number;
  readonly createdAtMs: number;
  readonly summary: string;
  /** What is worth keeping of it, if it was cleared. */
  readonly closeSummary: string;
}

export interface ConversationDetail extends Conversation {
  readonly sessions: readonly SessionInfo[];
}

export interface TurnRecord {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly verdict: string;
  readonly reason: string;
  readonly queuedAtMs: number;
}

export interface Approval {
  readonly id: string;
  readonly conversationId: string;
  readonly turnId: string;
  readonly tool: string;
  readonly args: string;
  readonly summary: string;
  readonly why: string;
  readonly state: string;
  readonly scope: string;
  readonly decidedAtMs: number;
  readonly expiresAtMs: number;
}

export interface SearchHit {
  readonly conversationId: string;
  readonly title: string;
  readonly seq: number;
  readonly atMs: number;
  readonly snippet: string;
}

export interface AutomationInTheWay {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
}

export type Deletion = { readonly deleted: true } | { readonly deleted: false; readonly automations: readonly AutomationInTheWay[] };

export type Decision = 'approve' | 'deny';
export type Scope = 'once' | 'conversation' | 'always';

/** Elsewhere a greeting would ring somebody's phone. */
export function isOnTheWeb({ key }: Conversation): boolean {
  return /^(websocket|web|unified):/.test(key);
}

/** The conversation of an automation that works apart: nobody talks in it. */
export function isRun({ key }: Conversation): boolean {
  return /^(isolated|cron):/.test(key);
}

const at = (id: string) => `/api/conversations/${encodeURIComponent(id)}`;

export function listConversations(cursor: string | null): Promise<Answer<Page<Conversation>>> {
  return call('GET', `/api/conversations?limit=50${cursorPart(cursor)}`, undefined, (json) => pageFrom(json, conversationFrom));
}

export function getConversation(id: string): Promise<Answer<ConversationDetail>> {
  return call('GET', at(id), undefined, (json) => {
    if (!isObject(json)) return null;
    const conversation = conversationFrom(json);
    return conversation && { ...conversation, sessions: listOf(json, 'sessions', sessionFrom) };
  });
}

/** Those that are kept on top, however long ago they were active. */
export function listPinned(): Promise<Answer<Page<Conversation>>> {
  return call('GET', '/api/conversations?limit=50&pinned=true', undefined, (json) => pageFrom(json, conversationFrom));
}

export function pinConversation(id: string, pinned: boolean): Promise<Answer<true>> {
  return call('PATCH', at(id), { pinned }, () => true);
}

/** Tells the other devices. */
export function markSeen(id: string, seq: number): Promise<Answer<true>> {
  return call('PATCH', at(id), { seen_seq: seq }, () => true);
}

/** All of it was seen, on whatever device. */
export function isSeenAnywhere({ lastSeq, seenSeq }: Conversation): boolean {
  return lastSeq !== null && seenSeq !== null && seenSeq >= lastSeq;
}

export function renameConversation(id: string, title: string): Promise<Answer<true>> {
  return call('PATCH', at(id), { title }, () => true);
}

export function deleteConversation(id: string, withAutomations: boolean): Promise<Answer<Deletion>> {
  const query = withAutomations ? '?delete_automations=true' : '';
  return call('DELETE', at(id) + query, undefined, (json) => {
    if (!isObject(json)) return null;
    if (json['deleted'] === true) return { deleted: true };
    const automations = listOf(json, 'automations', (item) => ({
      id: textOf(item, 'id'),
      name: textOf(item, 'name'),
      enabled: item['enabled'] === true,
    }));
    return { deleted: false, automations };
  });
}

export function exportPath(id: string): string {
  return `${at(id)}/export?format=markdown`;
}

/** Newest first; the cursor leads to older ones. */
export function olderMessages(id: string, cursor: string | null): Promise<Answer<Page<Message>>> {
  return call('GET', `${at(id)}/messages?limit=100${cursorPart(cursor)}`, undefined, (json) => pageFrom(json, messageFrom));
}

/** Oldest first, from the one after `seq`. */
export function messagesAfter(id: string, seq: number): Promise<Answer<Page<Message>>> {
  return call('GET', `${at(id)}/messages?limit=100&after=${seq}`, undefined, (json) => pageFrom(json, messageFrom));
}

export function recentTurns(id: string): Promise<Answer<Page<TurnRecord>>> {
  const query = `limit=100&conversation_id=${encodeURIComponent(id)}`;
  return call('GET', `/api/turns?${query}`, undefined, (json) => pageFrom(json, turnFrom));
}

export function listApprovals(id: string): Promise<Answer<Page<Approval>>> {
  const query = `limit=100&conversation_id=${encodeURIComponent(id)}`;
  return call('GET', `/api/approvals?${query}`, undefined, (json) => pageFrom(json, approvalFrom));
}

export function listWaitingApprovals(): Promise<Answer<Page<Approval>>> {
  return call('GET', '/api/approvals?state=pending&limit=100', undefined, (json) => pageFrom(json, approvalFrom));
}

export function getApproval(id: string): Promise<Answer<Approval>> {
  return call('GET', `/api/approvals/${id}`, undefined, (json) => (isObject(json) ? approvalFrom(json) : null));
}

export function decide(id: string, decision: Decision, scope: Scope): Promise<Answer<Approval>> {
  const body = decision === 'approve' ? { decision, scope } : { decision };
  return call('POST', `/api/approvals/${id}`, body, (json) => (isObject(json) ? approvalFrom(json) : null));
}

export function searchMessages(words: string, conversation?: string): Promise<Answer<Page<SearchHit>>> {
  const where = conversation === undefined ? '' : `&conversation=${encodeURIComponent(conversation)}`;
  return call('GET', `/api/search?limit=20&q=${encodeURIComponent(words)}${where}`, undefined, (json) => pageFrom(json, hitFrom));
}

function conversationFrom(json: JsonObject): Conversation | null {
  const id = textOf(json, 'conversation_id');
  if (id === '') return null;
  return {
    id,
    key: textOf(json, 'session_key'),
    title: titleWords(textOf(json, 'title')),
    agent: textOf(json, 'agent'),
    lastActiveMs: timeOf(json, 'last_active_at'),
    messageCount: numberOf(json, 'message_count'),
    lastSeq: typeof json['last_seq'] === 'number' ? json['last_seq'] : null,
    seenSeq: typeof json['seen_seq'] === 'number' ? json['seen_seq'] : null,
    automationCount: numberOf(json, 'automation_count'),
    pinned: json['pinned'] === true,
    preview: titleWords(firstWords(textOf(json, 'last_message'))),
  };
}

function sessionFrom(json: JsonObject): SessionInfo {
  return {
    id: textOf(json, 'session_id'),
    openedReason: textOf(json, 'opened_reason'),
    closeReason: textOf(json, 'close_reason'),
    closedAtMs: timeOf(json, 'closed_at'),
    createdAtMs: timeOf(json, 'created_at'),
    summary: textOf(json, 'context_summary'),
    closeSummary: textOf(json, 'close_summary'),
  };
}

function turnFrom(json: JsonObject): TurnRecord {
  return {
    id: textOf(json, 'turn_id'),
    kind: textOf(json, 'kind'),
    state: textOf(json, 'state'),
    verdict: textOf(json, 'verdict'),
    reason: textOf(json, 'reason'),
    queuedAtMs: timeOf(json, 'queued_at'),
  };
}

function approvalFrom(json: JsonObject): Approval | null {
  const id = textOf(json, 'approval_id');
  if (id === '') return null;
  return {
    id,
    conversationId: textOf(json, 'conversation_id'),
    turnId: textOf(json, 'turn_id'),
    tool: textOf(json, 'tool'),
    args: argumentsOf(json),
    summary: textOf(json, 'summary'),
    why: textOf(json, 'why'),
    state: textOf(json, 'state'),
    scope: textOf(json, 'scope'),
    decidedAtMs: timeOf(json, 'decided_at'),
    expiresAtMs: timeOf(json, 'expires_at'),
  };
}

function hitFrom(json: JsonObject): SearchHit {
  return {
    conversationId: textOf(json, 'conversation_id'),
    title: titleWords(textOf(json, 'title')),
    seq: numberOf(json, 'seq'),
    atMs: timeOf(json, 'created_at'),
    snippet: textOf(json, 'snippet'),
  };
}
