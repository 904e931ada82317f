// Reads fields out of JSON that came from outside. Each reader takes a fallback, so one odd field
// never throws away the rest of a message.

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textOf(object: JsonObject, key: string, fallback = ''): string {
  const value = object[key];
  return typeof value === 'string' ? value : fallback;
}

export function numberOf(object: JsonObject, key: string, fallback = 0): number {
  const value = object[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback;
}

/** An ISO time as ms since 1970; the fallback for null, absent or broken ones. */
export function timeOf(object: JsonObject, key: string, fallback = 0): number {
  const ms = Date.parse(textOf(object, key));
  return Number.isNaN(ms) ? fallback : ms;
}

export function textsOf(object: JsonObject, key: string): readonly string[] {
  const value = object[key];
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/** The objects of a list, read one by one; what can't be read is left out. */
export function listOf<T>(object: JsonObject, key: string, read: (item: JsonObject) => T | null): readonly T[] {
  const value = object[key];
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => {
    const one = isObject(item) ? read(item) : null;
    return one === null ? [] : [one];
  });
}
