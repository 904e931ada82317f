// The pages of a long list, as every route of the server gives them: some items, and the cursor that leads on.
import { isObject, listOf, textOf, type JsonObject } from './json.ts';

export interface Page<T> {
  readonly items: readonly T[];
  /** Null on the last page. */
  readonly next: string | null;
}

/** Null for what is no page. */
export function pageFrom<T>(json: unknown, read: (item: JsonObject) => T | null, key = 'items'): Page<T> | null {
  if (!isObject(json) || !Array.isArray(json[key])) return null;
  return { items: listOf(json, key, read), next: textOf(json, 'next_cursor') || null };
}

/** For the end of a query that has something before it. */
export function cursorPart(cursor: string | null): string {
  return cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
}
