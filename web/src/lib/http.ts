// One HTTP call to our own server. Every call ends in a value, never in an exception: a person can act on "not
// reachable" or "try again in 30 s", and the type makes each caller say how.
import { isObject, textOf } from './json.ts';

export type Failure =
  | { readonly kind: 'unauthorized' }
  | { readonly kind: 'too-many'; readonly retryAfterS: number }
  | { readonly kind: 'unreachable' }
  /** `code` is the server's stable name of the error, '' if it gave none. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

export type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const usualWaitMs = 10_000;
const retryAfterUnknownS = 30;

/** `read` gives null for an answer that rouse can't have written. */
export async function call<T>(
  method: Method,
  path: string,
  body: object | undefined,
  read: (json: unknown) => T | null,
  waitMs = usualWaitMs,
): Promise<Answer<T>> {
  let response: Response;
  let json: unknown;
  try {
    response = await fetch(path, {
      method,
      headers: body ? { 'content-type': typeOf(body) } : {},
      body: body instanceof Blob ? body : body ? JSON.stringify(body) : null,
      credentials: 'same-origin',
      cache: 'no-store',
      signal: AbortSignal.timeout(waitMs),
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

/** A sentence for a failure that is shown where it happened. */
export function whyFailed(failure: Failure): string {
  switch (failure.kind) {
    case 'unauthorized':
      return 'You are signed out.';
    case 'too-many':
      return `Too many requests. Try again in ${failure.retryAfterS} s.`;
    case 'unreachable':
      return 'rouse did not answer.';
    case 'refused':
      return sentence(failure.message);
  }
}

/** The server's messages begin in lower case and end without a stop; on a page they stand alone. */
export function sentence(text: string): string {
  if (text === '') return '';
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

/** A file goes as it is, everything else as JSON. */
function typeOf(body: object): string {
  return body instanceof Blob ? body.type || 'application/octet-stream' : 'application/json';
}

function failureFrom(response: Response, json: unknown): Failure {
  if (response.status === 401) return { kind: 'unauthorized' };
  if (response.status === 429) {
    return { kind: 'too-many', retryAfterS: secondsFrom(response.headers.get('retry-after')) };
  }
  // A proxy in front answers like this while rouse itself is down.
  if (response.status === 502 || response.status === 504) return { kind: 'unreachable' };
  const message = isObject(json) ? textOf(json, 'message') : '';
  const code = isObject(json) ? textOf(json, 'error') : '';
  return { kind: 'refused', code, message: message || `The server answered ${response.status}.` };
}

function secondsFrom(header: string | null): number {
  const seconds = Number(header);
  return header !== null && Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : retryAfterUnknownS;
}

function failed(failure: Failure): { ok: false; failure: Failure } {
  return { ok: false, failure };
}
