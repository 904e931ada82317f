// Workflows and what they did, in words. A name that is not known here is shown as it is written, without its underscores.
import type { Firing, FiredAction } from './gates.ts';
import { sentence } from './http.ts';
import { moment } from './time.ts';
import type { Wording } from './words.ts';
import type { Workflow, WorkflowProblem } from './workflows.ts';

const sources: Readonly<Record<string, string>> = {
  claude_sdk: 'conversations that rouse itself runs',
  claude: 'Claude Code',
  gemini: 'Gemini CLI',
  codex: 'Codex',
  antigravity: 'Antigravity',
  cursor: 'Cursor',
  windsurf: 'Windsurf',
  copilot: 'Copilot',
  whatsapp: 'WhatsApp',
  telegram: 'Telegram',
  terminal: 'the terminal',
  api: 'programs that use the API',
};

const moments: Readonly<Record<string, string>> = {
  on_session_start: 'When a session begins',
  on_before_agent: 'Before the agent begins to answer',
  on_before_tool: 'Before a tool is used',
  on_after_tool: 'After a tool was used',
  on_pre_compact: 'Before old messages are summed up',
  on_stop: 'When the agent wants to stop',
  on_session_end: 'When a session ends',
};

const deeds: Readonly<Record<string, string>> = {
  set_variable: 'Remember',
  increment_variable: 'Count',
  inject_context: 'Tell the agent',
  inject_message: 'Tell the agent',
  block_tools: 'Refuse tools',
  block_stop: 'Keep the agent from stopping',
  synthesize_title: 'Give the conversation a title',
  memory_recall_relevant: 'Recall what fits from memory',
};

/** "Applies to conversations that rouse itself runs."; '' when nothing of it was ever read. */
export function scopeWords({ sources: which, loadedMs }: Pick<Workflow, 'sources' | 'loadedMs'>): string {
  if (loadedMs === 0) return '';
  if (which.length === 0) return 'Applies to every conversation.';
  const names = which.map((one) => sources[one] ?? plain(one));
  const all = names.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return `Applies to ${all}.`;
}

export function workflowState({ state, loadedMs }: Pick<Workflow, 'state' | 'loadedMs'>): Wording {
  if (state === 'active') return { mark: 'ok', word: 'In force' };
  if (state === 'off') return { mark: 'paused', word: 'Off' };
  return { mark: 'failed', word: loadedMs > 0 ? 'Broken' : 'Not in force' };
}

/** What a broken file means right now; '' for one that is fine. */
export function brokenWords({ state, loadedMs }: Pick<Workflow, 'state' | 'loadedMs'>, nowMs: number): string {
  if (state !== 'broken') return '';
  if (loadedMs === 0) return 'None of its rules are in force until the file is mended.';
  return `The version that was read ${moment(loadedMs, nowMs)} is still in force. It is replaced when the file is mended.`;
}

/** "Line 17: there is no action set_varable." */
export function problemWords({ line, message }: WorkflowProblem): string {
  return line > 0 ? `Line ${line}: ${lowerFirst(sentence(message))}` : sentence(message);
}

export function eventWords(event: string): string {
  return moments[event] ?? upperFirst(plain(event));
}

export function actionWords(action: string): string {
  return deeds[action] ?? upperFirst(plain(action));
}

export function decisionState({ decision }: Pick<Firing, 'decision'>): Wording {
  if (decision === 'block') return { mark: 'skipped', word: 'Blocked' };
  if (decision === 'error') return { mark: 'failed', word: 'Failed' };
  return decision === 'inject' ? { mark: 'ok', word: 'Told the agent' } : { mark: 'silent', word: 'Let through' };
}

export function outcomeWords({ outcome, detail }: FiredAction): string {
  const word = { done: 'done', skipped: 'did not apply', blocked: 'blocked', failed: 'failed' }[outcome] ?? plain(outcome);
  return detail === '' ? word : `${word}: ${detail}`;
}

/** "12 µs", "3.4 ms" */
export function tookWords(micros: number): string {
  return micros < 1000 ? `${Math.round(micros)} µs` : `${(micros / 1000).toFixed(1)} ms`;
}

/** What kept the agent from something, or went wrong, comes first; each part stays newest first. */
export function stoppedFirst(firings: readonly Firing[]): { readonly stopped: readonly Firing[]; readonly others: readonly Firing[] } {
  const isStop = ({ decision }: Firing) => decision === 'block' || decision === 'error';
  return { stopped: firings.filter(isStop), others: firings.filter((one) => !isStop(one)) };
}

const plain = (name: string) => name.replaceAll('_', ' ').trim();
const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
/** Not a name in capitals, like YAML. */
const lowerFirst = (text: string) => (/^[A-Z][a-z ]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text);
