// Who is signed in: the calls of the shell itself. Calls about conversations are in conversations.ts.
import { call, type Answer } from './http.ts';
import { isObject, textOf } from './json.ts';

export type { Answer, Failure } from './http.ts';

export interface Me {
  readonly name: string;
  readonly role: string;
  readonly workspace: string;
}

export function whoAmI(): Promise<Answer<Me>> {
  return call('GET', '/api/me', undefined, meFrom);
}

export function signIn(token: string): Promise<Answer<Me>> {
  return call('POST', '/api/signin', { token }, meFrom);
}

export function signOut(): Promise<Answer<true>> {
  return call('POST', '/api/signout', {}, () => true);
}

function meFrom(json: unknown): Me | null {
  if (!isObject(json) || typeof json['role'] !== 'string') return null;
  return { name: textOf(json, 'name'), role: textOf(json, 'role'), workspace: textOf(json, 'workspace') };
}
