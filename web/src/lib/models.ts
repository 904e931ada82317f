// Which model answers, and how another one is connected. A server without these routes is told so by `isMissing`: then
// the page says what to write into rouse.yaml instead.
import { call, type Answer, type Failure } from './http.ts';
import { isObject, listOf, numberOf, textOf, type JsonObject } from './json.ts';

export interface Model {
  /** main, cheap, or a name of its own. */
  readonly role: string;
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly hasKey: boolean;
  readonly offline: boolean;
  readonly inUse: boolean;
  /** Where its key comes from, '' without one. */
  readonly keyFrom: string;
}

export interface ModelSetup {
  readonly models: readonly Model[];
  /** Where they are set. */
  readonly origin: string;
  /** They stand above the app, in rouse.yaml, and are changed there. */
  readonly pinned: boolean;
}

/** What is sent to connect a model. Empty parts are left out: the server has its own for them. */
export interface ModelDraft {
  readonly provider: string;
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string;
}

export interface Tested {
  readonly ok: boolean;
  readonly text: string;
  readonly latencyMs: number;
  /** Why it did not answer. */
  readonly why: string;
}

export interface Saved {
  readonly restartNeeded: boolean;
}

export interface Provider {
  readonly id: 'anthropic' | 'openai' | 'local';
  readonly label: string;
  /** What the server calls it. */
  readonly provider: 'anthropic' | 'openai';
  readonly baseUrl: string;
  readonly models: readonly string[];
  readonly keyName: string;
  readonly help: string;
}

/** Three starting points; everything in them can be changed. */
export const providers: readonly Provider[] = [
  {
    id: 'anthropic', label: 'Anthropic', provider: 'anthropic', baseUrl: '', keyName: 'ANTHROPIC_API_KEY',
    models: ['claude-sonnet-4-5', 'claude-haiku-4-5', 'claude-opus-4-5'],
    help: 'The key begins with sk-ant-. It is made at console.anthropic.com.',
  },
  {
    id: 'openai', label: 'OpenAI or compatible', provider: 'openai', baseUrl: '', keyName: 'OPENAI_API_KEY',
    models: ['gpt-5.1', 'gpt-5-mini', 'gpt-4.1'],
    help: 'Any server that speaks the OpenAI protocol. Without an address it is OpenAI itself.',
  },
  {
    id: 'local', label: 'On this machine', provider: 'openai', baseUrl: 'http://127.0.0.1:11434/v1', keyName: 'LOCAL_MODEL_KEY',
    models: ['llama3.1', 'qwen3', 'gpt-oss:20b'],
    help: 'Ollama, llama.cpp, vLLM and the like. The address is the one of Ollama; most need no key.',
  },
];

/** The server gives a model 15 s. */
const testWaitMs = 25_000;

export function listModels(): Promise<Answer<readonly Model[]>> {
  return call('GET', '/api/models', undefined, (json) => (isObject(json) ? listOf(json, 'items', modelFrom) : null));
}

export function readSetup(): Promise<Answer<ModelSetup>> {
  return call('GET', '/api/models', undefined, (json) =>
    isObject(json)
      ? { models: listOf(json, 'items', modelFrom), origin: textOf(json, 'origin'), pinned: json['pinned'] === true }
      : null,
  );
}

/** Asks it one short question. With a role that is set up, the key that is kept for it is used unless there is another. */
export function testDraft(draft: ModelDraft, role: string | null): Promise<Answer<Tested>> {
  return call('POST', '/api/models/test', { ...bodyOf(draft), ...(role === null ? {} : { role }) }, testedFrom, testWaitMs);
}

export function testRole(role: string): Promise<Answer<Tested>> {
  return call('POST', '/api/models/test', { role }, testedFrom, testWaitMs);
}

export function saveModel(role: string, draft: ModelDraft): Promise<Answer<Saved>> {
  return call('PUT', `/api/models/${encodeURIComponent(role)}`, bodyOf(draft), savedFrom);
}

export function removeModel(role: string): Promise<Answer<Saved>> {
  return call('DELETE', `/api/models/${encodeURIComponent(role)}`, undefined, savedFrom);
}

/** The server has no such route. */
export function isMissing(failure: Failure | null): boolean {
  return failure?.kind === 'refused' && (failure.code === 'not_found' || failure.code === 'method_not_allowed');
}

export function bodyOf({ provider, baseUrl, model, apiKey }: ModelDraft): Record<string, string> {
  const parts = { provider, base_url: baseUrl.trim(), model: model.trim(), api_key: apiKey.trim() };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== ''));
}

/** What is missing before it can be tried; '' if nothing is. */
export function lackOf(draft: ModelDraft, needsKey: boolean): string {
  if (needsKey && draft.apiKey.trim() === '') return 'Paste the key first.';
  if (draft.model.trim() === '') return 'Name the model first.';
  if (draft.baseUrl.trim() !== '' && !/^https?:\/\/\S+$/.test(draft.baseUrl.trim())) return 'The address begins with http:// or https://.';
  return '';
}

/** The same as a section of rouse.yaml. The key itself never stands there. */
export function yamlFor(role: string, { provider, baseUrl, model }: ModelDraft, keyName: string, needsKey: boolean): string {
  return [
    'models:',
    `  ${role}:`,
    `    provider: ${provider}`,
    ...(baseUrl.trim() === '' ? [] : [`    base_url: ${baseUrl.trim()}`]),
    `    model: ${model.trim() || 'NAME'}`,
    ...(needsKey ? [`    api_key_env: ${keyName}`] : []),
  ].join('\n');
}

export function roleWords(role: string): string {
  if (role === 'main') return 'Answers you';
  if (role === 'cheap') return 'Short questions of rouse itself';
  return role;
}

/** "anthropic, key entered here" */
export function whereWords({ provider, baseUrl, hasKey, keyFrom, offline }: Model): string {
  if (offline) return '';
  const key = !hasKey ? 'no key' : isEntered(keyFrom) ? 'key entered here' : keyFrom === '' ? 'with a key' : `key from ${keyFrom}`;
  return [provider === 'anthropic' ? 'Anthropic' : baseUrl === '' ? 'OpenAI' : baseUrl, key].join(', ');
}

/** Whether it was connected in the app, so that it can be taken back there. */
export function isConnectedHere({ offline, keyFrom }: Model, { pinned, origin }: ModelSetup): boolean {
  return !offline && !pinned && (isEntered(keyFrom) || origin === 'settings.json');
}

/** Whether the server has a key that it would use for this draft, too. */
export function keepsKey(models: readonly Model[], role: string, { provider, baseUrl }: ModelDraft): boolean {
  return models.some((one) => one.role === role && one.hasKey && one.provider === provider && one.baseUrl === baseUrl.trim());
}

function isEntered(keyFrom: string): boolean {
  return keyFrom.startsWith('secrets/');
}

export function modelName({ offline, model, provider }: Model): string {
  if (offline) return 'Offline assistant';
  return model || provider;
}

function modelFrom(item: JsonObject): Model | null {
  const role = textOf(item, 'role') || textOf(item, 'name');
  if (role === '') return null;
  const provider = textOf(item, 'provider');
  return {
    role,
    provider,
    model: textOf(item, 'model'),
    baseUrl: textOf(item, 'base_url'),
    hasKey: item['has_key'] === true,
    offline: item['offline'] === true || provider === 'offline',
    inUse: item['in_use'] !== false,
    keyFrom: textOf(item, 'key_from'),
  };
}

function testedFrom(json: unknown): Tested | null {
  if (!isObject(json) || typeof json['ok'] !== 'boolean') return null;
  return { ok: json['ok'], text: textOf(json, 'text'), latencyMs: numberOf(json, 'latency_ms'), why: textOf(json, 'message') || textOf(json, 'error') };
}

function savedFrom(json: unknown): Saved | null {
  return isObject(json) ? { restartNeeded: json['restart_needed'] === true } : null;
}
