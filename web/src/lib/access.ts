// Who may come in: tokens for programs and people, and links that sign another device in.
import { call, type Answer } from './http.ts';
import { isObject, listOf, textOf, timeOf } from './json.ts';

export interface Token {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly workspace: string;
  /** 0 for the owner's, which is a file. */
  readonly createdMs: number;
}

export interface NewToken {
  readonly name: string;
  readonly role: string;
  readonly workspace: string;
}

export interface SignInLink {
  readonly url: string;
  readonly expiresMs: number;
}

export interface WorkspaceName {
  readonly id: string;
  readonly name: string;
}

export function listTokens(): Promise<Answer<readonly Token[]>> {
  return call('GET', '/api/tokens', undefined, (json) =>
    isObject(json)
      ? listOf(json, 'items', (item) => ({
          id: textOf(item, 'id'),
          name: textOf(item, 'name'),
          role: textOf(item, 'role'),
          workspace: textOf(item, 'workspace'),
          createdMs: timeOf(item, 'created_at'),
        }))
      : null,
  );
}

/** Gives the secret itself: it is shown once and can't be asked for again. */
export function makeToken(wanted: NewToken): Promise<Answer<string>> {
  return call('POST', '/api/tokens', wanted, (json) => (isObject(json) ? textOf(json, 'token') || null : null));
}

export function revokeToken(id: string): Promise<Answer<true>> {
  return call('DELETE', `/api/tokens/${encodeURIComponent(id)}`, undefined, () => true as const);
}

export function makeSignInLink(): Promise<Answer<SignInLink>> {
  return call('POST', '/api/signin/codes', {}, (json) =>
    isObject(json) && textOf(json, 'url') !== '' ? { url: textOf(json, 'url'), expiresMs: timeOf(json, 'expires_at') } : null,
  );
}

/** All workspaces of the server, for an admin. */
export function listWorkspaces(): Promise<Answer<readonly WorkspaceName[]>> {
  return call('GET', '/kernel/workspaces?limit=200', undefined, (json) =>
    isObject(json)
      ? listOf(json, 'items', (item) => ({ id: textOf(item, 'workspace_id'), name: textOf(item, 'name') }))
      : null,
  );
}

/** The token of the data folder: it is replaced there, not here. */
export function isOwners({ id }: Token): boolean {
  return id.startsWith('tok_owner');
}
