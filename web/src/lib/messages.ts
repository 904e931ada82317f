// What was said, as the server stores it: messages of blocks. Read here from JSON, for HTTP and the socket alike.
import { isObject, listOf, numberOf, textOf, timeOf, type JsonObject } from './json.ts';

export type Block =
  | { readonly type: 'text'; readonly from: string; readonly text: string }
  | { readonly type: 'call'; readonly callId: string; readonly tool: string; readonly args: string }
  | { readonly type: 'result'; readonly callId: string; readonly tool: string; readonly text: string; readonly failed: boolean }
  | { readonly type: 'file'; readonly hash: string; readonly name: string; readonly mediaType: string; readonly isImage: boolean };

export interface Message {
  /** Its place in the conversation; 0 while it is not committed. */
  readonly seq: number;
  readonly sessionId: string;
  readonly turnId: string;
  readonly role: string;
  readonly content: readonly Block[];
  readonly atMs: number;
  /** Set on everything an automation said and was told. */
  readonly automation: { readonly id: string; readonly name: string; readonly runId: string } | null;
  /** When an automation was due; 0 if it is none or not known. */
  readonly dueMs: number;
  /** What brought its turn about, and on the last message how that ended; '' if the server does not say. */
  readonly turnKind: string;
  readonly verdict: string;
  readonly reason: string;
}

export function messageFrom(json: JsonObject): Message {
  const isAutomation = json['_automation_turn'] === true;
  return {
    seq: numberOf(json, 'seq'),
    sessionId: textOf(json, 'session_id'),
    turnId: textOf(json, 'turn_id'),
    role: textOf(json, 'role'),
    content: listOf(json, 'content', blockFrom),
    atMs: timeOf(json, 'created_at'),
    automation: isAutomation
      ? {
          id: textOf(json, 'automation_id'),
          name: textOf(json, 'automation_name'),
          runId: textOf(json, 'automation_run_id'),
        }
      : null,
    dueMs: timeOf(json, 'scheduled_for'),
    turnKind: textOf(json, 'turn_kind'),
    verdict: textOf(json, 'verdict'),
    reason: textOf(json, 'reason'),
  };
}

export function messagesIn(json: JsonObject, key: string): readonly Message[] {
  return listOf(json, key, messageFrom);
}

export function textIn(content: readonly Block[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n');
}

function blockFrom(json: JsonObject): Block | null {
  switch (json['type']) {
    case 'text':
      return { type: 'text', from: textOf(json, 'from'), text: textOf(json, 'text') };
    case 'tool_call':
      return {
        type: 'call',
        callId: textOf(json, 'call_id'),
        tool: textOf(json, 'tool'),
        args: argumentsOf(json),
      };
    case 'tool_result':
      return {
        type: 'result',
        callId: textOf(json, 'call_id'),
        tool: textOf(json, 'tool'),
        text: textOf(json, 'text'),
        failed: json['failed'] === true,
      };
    case 'image':
    case 'file':
      return {
        type: 'file',
        hash: textOf(json, 'hash'),
        name: textOf(json, 'name'),
        mediaType: textOf(json, 'media_type'),
        isImage: json['type'] === 'image',
      };
    default:
      return null;
  }
}

/** Arguments come as JSON in a text; a server that sends them as an object is understood too. */
export function argumentsOf(json: JsonObject): string {
  const value = json['arguments'];
  if (typeof value === 'string') return value;
  return isObject(value) ? JSON.stringify(value) : '';
}
