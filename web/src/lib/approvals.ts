// Calls that wait for a person's word, those that did, and what is allowed for longer (docs/approvals.md).
import type { Decision, Scope } from './conversations.ts';
import { call, type Answer } from './http.ts';
import { isObject, textOf, timeOf, type JsonObject } from './json.ts';
import { argumentsOf } from './messages.ts';
import { cursorPart, pageFrom, type Page } from './page.ts';

export interface ApprovalRecord {
  readonly id: string;
  readonly conversationId: string;
  readonly tool: string;
  readonly args: string;
  /** '' is the default agent. */
  readonly agent: string;
  readonly folder: string;
  readonly summary: string;
  readonly why: string;
  /** pending, approved, denied, expired or withdrawn */
  readonly state: string;
  readonly scope: string;
  readonly decidedBy: string;
  readonly note: string;
  readonly askedMs: number;
  readonly expiresMs: number;
  readonly decidedMs: number;
}

export interface Permission {
  readonly id: string;
  readonly tool: string;
  readonly covers: string;
  /** '' when it counts everywhere in the workspace. */
  readonly conversationId: string;
  readonly createdMs: number;
}

/** Newest first. */
export function listApprovalRecords(cursor: string | null, limit: number): Promise<Answer<Page<ApprovalRecord>>> {
  return call('GET', `/api/approvals?limit=${limit}${cursorPart(cursor)}`, undefined, (json) => pageFrom(json, recordFrom));
}

export function listWaiting(): Promise<Answer<Page<ApprovalRecord>>> {
  return call('GET', '/api/approvals?state=pending&limit=200', undefined, (json) => pageFrom(json, recordFrom));
}

/** What is said with a no is told to the agent. */
export function answerApproval(id: string, decision: Decision, scope: Scope, note: string): Promise<Answer<ApprovalRecord>> {
  const body = { decision, ...(decision === 'approve' ? { scope } : {}), ...(note === '' ? {} : { note }) };
  return call('POST', `/api/approvals/${encodeURIComponent(id)}`, body, (json) => (isObject(json) ? recordFrom(json) : null));
}

export function listPermissions(cursor: string | null, limit: number): Promise<Answer<Page<Permission>>> {
  return call('GET', `/api/permissions?limit=${limit}${cursorPart(cursor)}`, undefined, (json) => pageFrom(json, permissionFrom));
}

export function revokePermission(id: string): Promise<Answer<true>> {
  return call('DELETE', `/api/permissions/${encodeURIComponent(id)}`, undefined, () => true);
}

function recordFrom(json: JsonObject): ApprovalRecord | null {
  const id = textOf(json, 'approval_id');
  if (id === '') return null;
  return {
    id,
    conversationId: textOf(json, 'conversation_id'),
    tool: textOf(json, 'tool'),
    args: argumentsOf(json),
    agent: textOf(json, 'agent'),
    folder: textOf(json, 'project_folder'),
    summary: textOf(json, 'summary'),
    why: textOf(json, 'why'),
    state: textOf(json, 'state'),
    scope: textOf(json, 'scope'),
    decidedBy: textOf(json, 'decided_by'),
    note: textOf(json, 'note'),
    askedMs: timeOf(json, 'created_at'),
    expiresMs: timeOf(json, 'expires_at'),
    decidedMs: timeOf(json, 'decided_at'),
  };
}

function permissionFrom(json: JsonObject): Permission | null {
  const id = textOf(json, 'permission_id');
  if (id === '') return null;
  return {
    id,
    tool: textOf(json, 'tool'),
    covers: textOf(json, 'covers'),
    conversationId: textOf(json, 'conversation_id'),
    createdMs: timeOf(json, 'created_at'),
  };
}
