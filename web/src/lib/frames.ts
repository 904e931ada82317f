// The frames the server sends over /ws, turned into typed values at this edge and nowhere else.
// Unknown types and fields are ignored, so an older page survives a newer server.
import { isObject, numberOf, textOf, textsOf, type JsonObject } from './json.ts';

export interface Hello {
  readonly type: 'hello';
  readonly protocol: number;
  readonly bootId: string;
  readonly version: string;
}

export interface Health {
  readonly type: 'health';
  readonly ok: boolean;
  readonly version: string;
  readonly uptimeMs: number;
  readonly storeOk: boolean;
  readonly configOk: boolean;
  readonly problems: readonly string[];
  readonly connections: number;
  /** When the server wrote this, in ms since 1970 by the server's clock. */
  readonly atMs: number;
}

export type Frame = Hello | Health;

export const askForHealth = JSON.stringify({ type: 'health' });

/** Gives null for what this page does not know: not an error, only a newer server. */
export function parseFrame(text: unknown, nowMs: number = Date.now()): Frame | null {
  if (typeof text !== 'string') return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(value)) return null;
  if (value['type'] === 'hello') return helloFrom(value);
  if (value['type'] === 'health') return healthFrom(value, nowMs);
  return null;
}

function helloFrom(value: JsonObject): Hello {
  return {
    type: 'hello',
    protocol: numberOf(value, 'protocol', 1),
    bootId: textOf(value, 'boot_id'),
    version: textOf(value, 'version'),
  };
}

function healthFrom(value: JsonObject, nowMs: number): Health {
  const atMs = Date.parse(textOf(value, 'at'));
  return {
    type: 'health',
    ok: value['ok'] === true && textOf(value, 'status', 'ok') === 'ok',
    version: textOf(value, 'version'),
    uptimeMs: numberOf(value, 'uptime_ms'),
    storeOk: textOf(value, 'store', 'ok') === 'ok',
    configOk: textOf(value, 'config', 'ok') === 'ok',
    problems: textsOf(value, 'problems'),
    connections: numberOf(value, 'connections'),
    atMs: Number.isNaN(atMs) ? nowMs : atMs,
  };
}
