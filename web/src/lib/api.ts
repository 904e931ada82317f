// The few HTTP calls of the shell. Every call ends in a value, never in an exception: a person can act on
// "not reachable" or "try again in 30 s", and the type makes each caller say how.
import { isObject, textOf } from './json.ts';

export interface Me {
  readonly name: string;
  readonly role: string;
  readonly workspace: string;
}

export type Failure =
  | { readonly kind: 'unauthorized' }
  | { readonly kind: 'too-many'; readonly retryAfterS: number }
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'refused'; readonly message: string };

export type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

const deadlineMs = 10_000;
const retryAfterUnknownS = 30;

export function whoAmI(): Promise<Answer<Me>> {
  return call('GET', '/api/me', undefined, meFrom);
}

export function signIn(token: string): Promise<Answer<Me>> {
  return call('POST', '/api/signin', { token }, meFrom);
}

export function signOut(): Promise<Answer<true>> {
  return call('POST', '/api/signout', {}, () => true);
}

async function call<T>(
  method: string,
  path: string,
  body: object | undefined,
  read: (json: unknown) => T | null,
): Promise<Answer<T>> {
  let response: Response;
  let json: unknown;
  try {
    response = await fetch(path, {
      method,
      headers: body ? { 'content-type': 'application/json' } : {},
      body: body ? JSON.stringify(body) : null,
      credentials: 'same-origin',
      cache: 'no-store',
      signal: AbortSignal.timeout(deadlineMs),
    });
    json = await response.json().catch(() => null);
  } catch {
    return failed({ kind: 'unreachable' });
  }
  if (!response.ok) return failed(failureFrom(response, json));
  const value = read(json);
  // Something else answered with 200, a captive portal for instance.
  return value === null ? failed({ kind: 'unreachable' }) : { ok: true, value };
}

function failureFrom(response: Response, json: unknown): Failure {
  if (response.status === 401) return { kind: 'unauthorized' };
  if (response.status === 429) {
    return { kind: 'too-many', retryAfterS: secondsFrom(response.headers.get('retry-after')) };
  }
  // A proxy in front answers like this while rouse itself is down.
  if (response.status === 502 || response.status === 504) return { kind: 'unreachable' };
  const message = isObject(json) ? textOf(json, 'message') : '';
  return { kind: 'refused', message: message || `The server answered ${response.status}.` };
}

function secondsFrom(header: string | null): number {
  const seconds = Number(header);
  return header !== null && Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : retryAfterUnknownS;
}

function meFrom(json: unknown): Me | null {
  if (!isObject(json) || typeof json['role'] !== 'string') return null;
  return { name: textOf(json, 'name'), role: textOf(json, 'role'), workspace: textOf(json, 'workspace') };
}

function failed(failure: Failure): { ok: false; failure: Failure } {
  return { ok: false, failure };
}
