// The frames of /ws (docs/websocket.md), turned into typed values at this edge and nowhere else. Unknown types and
// fields are ignored, so an older page survives a newer server; an unknown event still counts by its number.
import { titleWords } from './chat/words.ts';
import { isObject, listOf, numberOf, textOf, textsOf, timeOf, type JsonObject } from './json.ts';
import { argumentsOf, messageFrom, messagesIn, type Message } from './messages.ts';

export interface Hello {
  readonly type: 'hello';
  readonly protocol: number;
  readonly bootId: string;
  readonly version: string;
  readonly lastSeq: number;
}

export interface Health {
  readonly type: 'health';
  readonly ok: boolean;
  readonly version: string;
  readonly uptimeMs: number;
  readonly storeOk: boolean;
  readonly configOk: boolean;
  readonly problems: readonly string[];
  readonly connections: number;
  /** When the server wrote this, in ms since 1970 by the server's clock. */
  readonly atMs: number;
}

/** What every durable event carries. */
interface Durable {
  readonly seq: number;
  readonly atMs: number;
  readonly conversationId: string;
  readonly turnId: string;
  /** What it is about was deleted since. */
  readonly gone: boolean;
}

export interface TurnQueued extends Durable {
  readonly type: 'turn_queued';
  readonly sessionId: string;
  readonly kind: string;
  readonly clientMessageId: string;
  readonly decision: string;
  readonly reason: string;
  readonly message: Message | null;
  /** Of an automation's turn: its name, and when it was due. */
  readonly automationName: string;
  readonly dueMs: number;
}

/** Its name, its place in the list or what was seen of it is different now. */
export interface ConversationChanged extends Durable {
  readonly type: 'conversation_changed';
  readonly title: string;
  readonly agent: string;
  readonly pinned: boolean;
  readonly seenSeq: number;
}

export interface ConversationDeleted extends Durable {
  readonly type: 'conversation_deleted';
}

export interface TurnEnded extends Durable {
  readonly type: 'turn_ended';
  readonly kind: string;
  readonly verdict: string;
  readonly reason: string;
  readonly messages: readonly Message[];
  /** Messages after this one did not fit into the frame; null when all are there. */
  readonly moreAfter: number | null;
}

export interface ChatCleared extends Durable {
  readonly type: 'chat_cleared';
}

export interface ApprovalRequested extends Durable {
  readonly type: 'approval_requested';
  readonly approvalId: string;
  readonly tool: string;
  readonly summary: string;
  readonly expiresAtMs: number;
}

export interface ApprovalDecided extends Durable {
  readonly type: 'approval_decided';
  readonly approvalId: string;
  readonly state: string;
  readonly scope: string;
}

/** Something about an automation is different now: whoever shows it reads it again. */
export interface AutomationEvent extends Durable {
  readonly type: 'automation_changed' | 'automation_ran' | 'automation_missed';
  readonly automationId: string;
  /** Of a change: what the automation is now, 'removed' for instance. */
  readonly state: string;
}

/** A row of the activity log was written: whoever shows it reads on. */
export interface ActivityEvent extends Durable {
  readonly type: 'activity';
  readonly activityId: number;
}

/** An agent wants a person to know something. */
export interface Notification extends Durable {
  readonly type: 'notification';
  /** Who has something to say: heartbeat, automation, approval, agent, system. */
  readonly kind: string;
  readonly title: string;
  readonly text: string;
  /** It is made of words from outside. */
  readonly untrusted: boolean;
}

export interface OtherEvent extends Durable {
  readonly type: 'other';
  readonly name: string;
}

export type DurableEvent = ConversationChanged | ConversationDeleted | TurnQueued | TurnEnded | ChatCleared | ApprovalRequested | ApprovalDecided | AutomationEvent | ActivityEvent | Notification | OtherEvent;

/** What is going on right now: provisional, about a running turn. */
interface Passing {
  readonly turnId: string;
  readonly conversationId: string;
  readonly attempt: number;
}

export interface CallState {
  readonly callId: string;
  readonly tool: string;
  readonly done: boolean;
  readonly failed: boolean;
  /** '' if the server does not tell. */
  readonly args: string;
  readonly text: string;
}

export type PassingFrame =
  | (Passing & { readonly type: 'turn_started'; readonly kind: string })
  | (Passing & {
      readonly type: 'turn_snapshot';
      readonly kind: string;
      readonly blocks: readonly string[];
      readonly calls: readonly CallState[];
      readonly message: Message | null;
      readonly automationName: string;
      readonly dueMs: number;
    })
  | (Passing & { readonly type: 'delta'; readonly block: number; readonly offset: number; readonly text: string })
  | (Passing & { readonly type: 'turn_again' })
  | (Passing & { readonly type: 'tool_call'; readonly callId: string; readonly tool: string; readonly args: string })
  | (Passing & {
      readonly type: 'tool_result';
      readonly callId: string;
      readonly tool: string;
      readonly failed: boolean;
      readonly text: string;
    });

/** Answers to what this page sent. */
export type ReplyFrame =
  | { readonly type: 'accepted'; readonly clientMessageId: string; readonly conversationId: string; readonly turnId: string }
  | { readonly type: 'done_for_you'; readonly clientMessageId: string; readonly conversation: string; readonly message: string }
  | { readonly type: 'error'; readonly clientMessageId: string; readonly message: string };

export type Frame =
  | Hello
  | Health
  | { readonly type: 'reset'; readonly lastSeq: number }
  | DurableEvent
  | PassingFrame
  | ReplyFrame;

export const askForHealth = JSON.stringify({ type: 'health' });

/** Gives null for what this page does not know: not an error, only a newer server. */
export function parseFrame(text: unknown, nowMs: number = Date.now()): Frame | null {
  if (typeof text !== 'string') return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(value)) return null;
  const type = textOf(value, 'type');
  if (typeof value['seq'] === 'number' && type !== 'hello' && type !== 'reset') return durableFrom(type, value);
  return toYouFrom(type, value, nowMs) ?? passingFrom(type, value);
}

function toYouFrom(type: string, value: JsonObject, nowMs: number): Frame | null {
  const clientMessageId = textOf(value, 'client_message_id');
  switch (type) {
    case 'hello':
      return {
        type,
        protocol: numberOf(value, 'protocol', 1),
        bootId: textOf(value, 'boot_id'),
        version: textOf(value, 'version'),
        lastSeq: numberOf(value, 'seq'),
      };
    case 'health':
      return healthFrom(value, nowMs);
    case 'reset':
      return { type, lastSeq: numberOf(value, 'seq') };
    case 'accepted':
      return {
        type,
        clientMessageId,
        conversationId: textOf(value, 'conversation_id'),
        turnId: textOf(value, 'turn_id'),
      };
    case 'chat_cleared':
    case 'chat_compacted':
      return {
        type: 'done_for_you',
        clientMessageId,
        conversation: textOf(value, 'conversation_id'),
        message: textOf(value, 'message'),
      };
    case 'error':
      return { type, clientMessageId, message: textOf(value, 'message') };
    default:
      return null;
  }
}

function durableFrom(type: string, value: JsonObject): DurableEvent {
  const base = {
    seq: numberOf(value, 'seq'),
    atMs: timeOf(value, 'at'),
    conversationId: textOf(value, 'conversation_id'),
    turnId: textOf(value, 'turn_id'),
    gone: value['gone'] === true,
  };
  switch (type) {
    case 'turn_queued':
      return {
        ...base,
        type,
        sessionId: textOf(value, 'session_id'),
        kind: textOf(value, 'kind'),
        clientMessageId: textOf(value, 'client_message_id'),
        decision: textOf(value, 'decision'),
        reason: textOf(value, 'reason'),
        message: isObject(value['message']) ? messageFrom(value['message']) : null,
        automationName: textOf(value, 'automation_name'),
        dueMs: timeOf(value, 'scheduled_for'),
      };
    case 'conversation_changed':
      return {
        ...base,
        type,
        title: titleWords(textOf(value, 'title')),
        agent: textOf(value, 'agent'),
        pinned: value['pinned'] === true,
        seenSeq: numberOf(value, 'seen_seq'),
      };
    case 'conversation_deleted':
      return { ...base, type };
    case 'turn_ended':
      return {
        ...base,
        type,
        kind: textOf(value, 'kind'),
        verdict: textOf(value, 'verdict'),
        reason: textOf(value, 'reason'),
        messages: messagesIn(value, 'messages'),
        moreAfter: typeof value['more'] === 'number' ? value['more'] : null,
      };
    case 'chat_cleared':
      return { ...base, type };
    case 'approval_requested':
      return {
        ...base,
        type,
        approvalId: textOf(value, 'approval_id'),
        tool: textOf(value, 'tool'),
        summary: textOf(value, 'summary'),
        expiresAtMs: timeOf(value, 'expires_at'),
      };
    case 'approval_decided':
      return {
        ...base,
        type,
        approvalId: textOf(value, 'approval_id'),
        state: textOf(value, 'state'),
        scope: textOf(value, 'scope'),
      };
    case 'automation_changed':
    case 'automation_ran':
    case 'automation_missed':
      return { ...base, type, automationId: textOf(value, 'automation_id'), state: textOf(value, 'state') };
    case 'activity':
      return { ...base, type, activityId: isObject(value['activity']) ? numberOf(value['activity'], 'id') : 0 };
    case 'notification':
      return {
        ...base,
        type,
        kind: textOf(value, 'kind'),
        title: textOf(value, 'title'),
        text: textOf(value, 'text'),
        untrusted: value['untrusted'] === true,
      };
    default:
      return { ...base, type: 'other', name: type };
  }
}

function passingFrom(type: string, value: JsonObject): PassingFrame | null {
  const base = {
    turnId: textOf(value, 'turn_id'),
    conversationId: textOf(value, 'conversation_id'),
    attempt: numberOf(value, 'attempt', 1),
  };
  const call = { callId: textOf(value, 'call_id'), tool: textOf(value, 'tool') };
  switch (type) {
    case 'turn_started':
      return { ...base, type, kind: textOf(value, 'kind') };
    case 'turn_snapshot':
      return {
        ...base,
        type,
        kind: textOf(value, 'kind'),
        blocks: textsOf(value, 'blocks'),
        calls: listOf(value, 'calls', (item) => ({
          callId: textOf(item, 'call_id'),
          tool: textOf(item, 'tool'),
          done: item['done'] === true,
          failed: item['failed'] === true,
          args: argumentsOf(item),
          text: textOf(item, 'text'),
        })),
        message: isObject(value['message']) ? messageFrom(value['message']) : null,
        automationName: textOf(value, 'automation_name'),
        dueMs: timeOf(value, 'scheduled_for'),
      };
    case 'delta':
      return { ...base, type, block: numberOf(value, 'block'), offset: numberOf(value, 'offset'), text: textOf(value, 'text') };
    case 'turn_again':
      return { ...base, type };
    case 'tool_call':
      return { ...base, ...call, type, args: argumentsOf(value) };
    case 'tool_result':
      return { ...base, ...call, type, failed: value['failed'] === true, text: textOf(value, 'text') };
    default:
      return null;
  }
}

function healthFrom(value: JsonObject, nowMs: number): Health {
  return {
    type: 'health',
    ok: value['ok'] === true && textOf(value, 'status', 'ok') === 'ok',
    version: textOf(value, 'version'),
    uptimeMs: numberOf(value, 'uptime_ms'),
    storeOk: textOf(value, 'store', 'ok') === 'ok',
    configOk: textOf(value, 'config', 'ok') === 'ok',
    problems: textsOf(value, 'problems'),
    connections: numberOf(value, 'connections'),
    atMs: timeOf(value, 'at', nowMs),
  };
}
