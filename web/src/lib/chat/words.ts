// The sentences of the chat. No machine word reaches a person from here.
import type { Approval, SessionInfo } from '../conversations.ts';

export interface BoundaryWords {
  readonly why: string;
  readonly carried: string;
  /** What was written down of the session before, as Markdown. */
  readonly kept?: string;
}

/** Why a session began, told where it began. What was before it is known only if the server still lists it. */
export function boundaryWords(sessions: readonly SessionInfo[], before: string, now: string): BoundaryWords {
  const last = sessions.find(({ id }) => id === before);
  const opened = sessions.find(({ id }) => id === now)?.openedReason ?? '';
  if (last?.closeReason === 'cleared') return { why: 'New session, cleared by you', carried: 'nothing carried over', kept: last.closeSummary };
  switch (opened) {
    case 'explicit_reset':
      return { why: 'New session, you asked to start over', carried: 'nothing carried over' };
    case 'timeout':
      return { why: 'New session after a quiet time', carried: 'context carried over' };
    case 'topic_drift':
      return { why: 'New session, the subject changed', carried: 'context carried over' };
    case 'session_closed':
      return { why: 'New session, the one before was closed', carried: 'context carried over' };
    default:
      return { why: 'New session', carried: '' };
  }
}

/** One line under an answer that did not end well; '' when there is nothing to say. */
export function verdictWords(verdict: string, reason: string): string {
  if (verdict === 'interrupted') return interruptions[reason] ?? 'This turn was cut off.';
  if (verdict === 'failed') return 'This turn failed.';
  if (verdict === 'spoke' && reason === 'max_tokens') return "The answer was cut at the model's limit.";
  return '';
}

const interruptions: Readonly<Record<string, string>> = {
  cancelled: 'Stopped.',
  cleared: 'Stopped when the conversation was cleared.',
  deadline: 'Stopped: it took longer than a turn may.',
  inactive: 'Stopped: the model said nothing for too long.',
  restart: 'rouse was restarted. A tool may have run; it is not run again.',
  parked: 'Parked: it stopped rouse twice.',
};

/** A tool call in one line: the value that says most about it. */
export function callSummary(args: string): string {
  let value: unknown;
  try {
    value = JSON.parse(args);
  } catch {
    return args.slice(0, 200);
  }
  if (typeof value !== 'object' || value === null) return args.slice(0, 200);
  const entries = Object.entries(value);
  const telling = ['command', 'path', 'url', 'query', 'expression', 'message', 'text', 'name'];
  const key = telling.find((name) => entries.some(([field]) => field === name));
  const shown = entries.find(([field]) => field === key) ?? entries[0];
  return shown === undefined ? '' : String(typeof shown[1] === 'object' ? JSON.stringify(shown[1]) : shown[1]).slice(0, 200);
}

/** JSON for reading; text that is no JSON as it is. */
export function prettyArgs(args: string): string {
  try {
    return JSON.stringify(JSON.parse(args), null, 2);
  } catch {
    return args;
  }
}

/** "asks to write a file", by the tool. */
export function askWords(tool: string): string {
  const known: Readonly<Record<string, string>> = {
    shell: 'asks to run a shell command',
    write_file: 'asks to write a file',
    http_fetch: 'asks to fetch a page',
    cron: 'asks to change an automation',
  };
  return known[tool] ?? `asks to use ${tool}`;
}

export interface DecisionWords {
  readonly allowed: boolean;
  readonly state: string;
  readonly rest: string;
}

/** What became of an approval, once somebody or nobody answered. */
export function decisionWords({ state, scope }: Pick<Approval, 'state' | 'scope'>): DecisionWords {
  if (state === 'approved') {
    if (scope === 'conversation') return { allowed: true, state: 'Allowed', rest: 'for this conversation' };
    if (scope === 'always') return { allowed: true, state: 'Allowed', rest: 'always' };
    return { allowed: true, state: 'Allowed once', rest: '' };
  }
  if (state === 'denied') return { allowed: false, state: 'Denied', rest: '' };
  if (state === 'expired') return { allowed: false, state: 'Expired', rest: 'nobody answered in time' };
  return { allowed: false, state: 'Withdrawn', rest: 'the conversation was cleared' };
}

/** The message of an automation without the line that rouse puts in front of it. */
export function automationPrompt(said: string): string {
  return said.replace(/^Scheduled automation triggered: [^\n]*\n+/, '');
}

export function automationName(said: string): string {
  return /^Scheduled automation triggered: ([^\n]*)/.exec(said)?.[1] ?? 'Scheduled';
}

/** What an automation began is called by the automation's name, not by the line that rouse puts in front of its message. */
export function titleWords(title: string): string {
  return title.replace(/^Scheduled automation triggered: */, '');
}

/** Where a conversation takes place, for the line below its title. */
export function channelWords(key: string): string {
  const [channel = '', peer = ''] = [key.slice(0, key.indexOf(':')), key.slice(key.indexOf(':') + 1)];
  switch (channel) {
    case 'websocket':
    case 'web':
      return 'Web';
    case 'whatsapp':
      return `WhatsApp ${peer}`;
    case 'telegram':
      return `Telegram ${peer}`;
    case 'terminal':
      return 'Terminal';
    case 'unified':
      return 'All channels';
    case 'isolated':
    case 'cron':
      return 'Automation';
    default:
      return 'API';
  }
}

/** The first paragraph of an answer without its marks, where there is room for a line or two. */
export function firstWords(markdown: string): string {
  const paragraph = markdown.trim().split(/\n\s*\n|\n(?=[-*#>] )/)[0] ?? '';
  return paragraph.replace(/^#+\s+|\*\*|__|`/g, '').replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replace(/\s+/g, ' ').trim();
}
