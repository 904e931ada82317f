// The settings of the server, each with where its value comes from (docs/config.md).
import { call, type Answer } from './http.ts';
import { isObject, listOf, textOf } from './json.ts';

export interface Setting {
  readonly key: string;
  readonly value: unknown;
  readonly origin: string;
  /** It stands in a place above the app, and is changed there. */
  readonly pinned: boolean;
  readonly needsRestart: boolean;
  readonly doc: string;
}

export interface SettingGroup {
  readonly name: string;
  readonly settings: readonly Setting[];
}

export function listSettings(): Promise<Answer<readonly Setting[]>> {
  return call('GET', '/api/settings', undefined, settingsFrom);
}

/** null takes the default again. Answers with all settings. */
export function changeSetting(key: string, value: unknown): Promise<Answer<readonly Setting[]>> {
  return call('PATCH', '/api/settings', { [key]: value }, settingsFrom);
}

function settingsFrom(json: unknown): readonly Setting[] | null {
  if (!isObject(json) || !Array.isArray(json['items'])) return null;
  return listOf(json, 'items', (item) => ({
    key: textOf(item, 'key'),
    value: item['value'] ?? null,
    origin: textOf(item, 'origin'),
    pinned: item['pinned'] === true,
    needsRestart: item['needs_restart'] === true,
    doc: textOf(item, 'doc'),
  }));
}

/** "Default", "Set here", "rouse.yaml line 2", "Environment SESSION_TIMEOUT_MINUTES", "Command line". */
export function originWords(origin: string): string {
  if (origin === 'default' || origin === '') return 'Default';
  if (origin === 'settings.json' || origin.startsWith('secrets/')) return 'Set here';
  if (origin === 'flag') return 'Command line';
  if (origin.startsWith('rouse.yaml')) return origin;
  return origin.charAt(0).toUpperCase() + origin.slice(1);
}

export function isSetHere({ origin }: Setting): boolean {
  return originWords(origin) === 'Set here';
}

/** Why it can't be changed here, and where it can. */
export function pinnedWords({ origin }: Setting): string {
  if (origin === 'default') return 'Only rouse.yaml can change it.';
  if (origin === 'flag') return 'The command line says so; change it there.';
  return `${originWords(origin)} says so; change it there.`;
}

export function valueWords(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'Not set';
  if (value === true) return 'On';
  if (value === false) return 'Off';
  if (value === '(hidden)') return 'Hidden';
  if (Array.isArray(value)) return value.length === 0 ? 'None' : value.map((item) => (isObject(item) ? JSON.stringify(item) : String(item))).join(', ');
  if (isObject(value)) return Object.keys(value).length === 0 ? 'None' : JSON.stringify(value);
  return String(value);
}

/** The value as it stands in a field. */
export function editText(value: unknown): string {
  if (value === null || value === undefined || value === '(hidden)') return '';
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join('\n');
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}

/**
 * What was typed as a value of the same kind as the old one. The server knows the kinds and says what is wrong; here only
 * text, numbers, lists and sections are told apart. Gives undefined for a section that is no JSON.
 */
export function typedValue(text: string, old: unknown): unknown {
  const trimmed = text.trim();
  if (Array.isArray(old) && old.every((item) => typeof item === 'string')) {
    return trimmed === '' ? [] : trimmed.split('\n').map((line) => line.trim()).filter((line) => line !== '');
  }
  if (trimmed === '') return null;
  if (typeof old === 'string') return trimmed;
  const json = jsonIn(trimmed);
  if (typeof old === 'object' && old !== null) return json;
  return json === undefined ? trimmed : json;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const groupNames: Readonly<Record<string, string>> = {
  listen: 'Server', tls: 'Server', public_url: 'Server', allowed_hosts: 'Server', trusted_proxies: 'Server',
  allow_plain_http: 'Server', log: 'Server', limits: 'Server', shutdown: 'Server',
  timezone: 'You', locale: 'You', people: 'You', projects: 'You',
  session: 'Conversations', unified_session: 'Conversations', history: 'Conversations', turns: 'Conversations',
  models: 'Models and cost', spend: 'Models and cost',
  automations: 'Automations and activity', activity: 'Automations and activity',
  notifications: 'Notifications and channels', bridges: 'Notifications and channels',
  tools: 'Tools',
};
const groupOrder = ['You', 'Conversations', 'Models and cost', 'Automations and activity', 'Notifications and channels', 'Tools', 'Server', 'More'];

/** The settings that fit the words, by what they are about. */
export function groupsOf(settings: readonly Setting[], words: string): readonly SettingGroup[] {
  const wanted = words.trim().toLowerCase();
  const fitting = settings.filter(({ key, doc }) => `${key} ${doc}`.toLowerCase().includes(wanted));
  const nameOf = ({ key }: Setting) => groupNames[key.split('.')[0] ?? ''] ?? 'More';
  return groupOrder
    .map((name) => ({ name, settings: fitting.filter((setting) => nameOf(setting) === name) }))
    .filter((group) => group.settings.length > 0);
}
