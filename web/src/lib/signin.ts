// What a person may paste into the token field, and what to say when it does not work.
import type { Failure } from './api.ts';
import type { SignInReason } from './session.svelte.ts';

export type Pasted =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'link'; readonly path: string };

/** People paste the whole sign-in link too. Its code works here, whatever host name the link was printed with. */
export function readPasted(text: string): Pasted {
  const token = text.trim();
  if (token === '') return { kind: 'nothing' };
  const code = /^https?:\/\/[^/\s]+\/signin\?code=([^&#\s]+)/.exec(token)?.[1];
  return code === undefined ? { kind: 'token', token } : { kind: 'link', path: `/signin?code=${code}` };
}

export function reasonText(reason: SignInReason): string {
  switch (reason) {
    case 'link-expired':
      return 'This link has expired or was used before. Make a new one as described below.';
    case 'ended':
      return 'You were signed out. Sign in again to go on.';
    case 'left':
      return 'You are signed out.';
    case 'first':
      return '';
  }
}

/** A wait has its own countdown, so it has no text here. */
export function failureText(failure: Exclude<Failure, { kind: 'too-many' }>): string {
  switch (failure.kind) {
    case 'unauthorized':
      return 'rouse does not know this token. Check that all of it was copied.';
    case 'unreachable':
      return 'rouse did not answer. Check that it runs, then try again.';
    case 'refused':
      return failure.message;
  }
}
