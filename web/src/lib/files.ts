// Files that are sent along with a message: kept by the server under the hash of their bytes, named in the message.
import { call, type Answer } from './http.ts';
import { isObject, textOf } from './json.ts';

export interface KeptFile {
  readonly hash: string;
  readonly mediaType: string;
  readonly name: string;
}

/** What the server takes. */
export const largestFileBytes = 8 * 1024 * 1024;
/** A message has at most 32 blocks, and one of them is its text. */
export const mostFiles = 31;

const uploadMs = 120_000;
const picture = /^image\/(png|jpeg|gif|webp)$/;

export function isPicture(mediaType: string): boolean {
  return picture.test(mediaType);
}

export function uploadFile(file: File): Promise<Answer<KeptFile>> {
  const read = (json: unknown): KeptFile | null => {
    const hash = isObject(json) ? textOf(json, 'hash') : '';
    return isObject(json) && hash !== '' ? { hash, mediaType: textOf(json, 'media_type'), name: file.name.slice(0, 200) } : null;
  };
  return call('POST', '/api/files', file, read, uploadMs);
}

export type SaidBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'file'; readonly hash: string; readonly media_type: string; readonly name?: string };

/** A message as the server takes it: plain text, or blocks if there are files. */
export function messageOf(text: string, files: readonly KeptFile[]): string | readonly SaidBlock[] {
  if (files.length === 0) return text;
  const named = files.map(({ hash, mediaType, name }): SaidBlock => {
    const type = isPicture(mediaType) ? 'image' : 'file';
    return { type, hash, media_type: mediaType, ...(name === '' ? {} : { name }) };
  });
  return text === '' ? named : [{ type: 'text', text }, ...named];
}

/** Why a file can't be sent; '' if it can. */
export function whyNotSent(file: { readonly name: string; readonly size: number }, already: number): string {
  if (already >= mostFiles) return `A message takes ${mostFiles} files.`;
  if (file.size === 0) return 'It is empty.';
  return file.size > largestFileBytes ? 'It is larger than 8 MB.' : '';
}
