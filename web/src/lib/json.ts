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

export function textsOf(object: JsonObject, key: string): readonly string[] {
  const value = object[key];
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
