// The slash commands. `send` ones are the server's own words; the others are done by the page.
export interface Command {
  readonly name: string;
  readonly what: string;
  readonly does: 'send' | 'clear' | 'stop' | 'help' | 'status' | 'remind' | 'model';
  /** What may follow on the same line, as the help shows it. */
  readonly takes?: string;
}

export interface TypedCommand {
  readonly command: Command;
  readonly rest: string;
}

export const commands: readonly Command[] = [
  { name: '/clear', what: 'Start fresh: this conversation is summed up and kept', does: 'clear' },
  { name: '/new', what: 'The same as /clear', does: 'clear' },
  { name: '/compact', what: 'Sum up what was said long ago', does: 'send' },
  { name: '/remind', what: 'Be reminded: say of what and when', does: 'remind', takes: 'in 20 minutes to stretch' },
  { name: '/stop', what: 'Stop the answer', does: 'stop' },
  { name: '/status', what: 'How rouse is', does: 'status' },
  { name: '/model', what: 'Who answers here; with a name, who shall', does: 'model', takes: 'name' },
  { name: '/help', what: 'Commands and keys', does: 'help' },
];

/** The commands that what was typed may become: only while it is one word that begins with a slash. */
export function matchingCommands(typed: string): readonly Command[] {
  if (!/^\/\w*$/.test(typed)) return [];
  return commands.filter(({ name }) => name.startsWith(typed.toLowerCase()));
}

/** A command alone, or with the words it takes. "/clear the table" is a sentence for the agent. */
export function commandIn(text: string): TypedCommand | null {
  const [, word = '', rest = ''] = /^\s*(\/\w+)(?:\s+([^]*?))?\s*$/.exec(text) ?? [];
  const command = commands.find(({ name }) => name === word.toLowerCase());
  if (command === undefined || (rest !== '' && command.takes === undefined)) return null;
  return { command, rest };
}

export const reminderStart = 'Remind me in 20 minutes to ';

export const keys: readonly { readonly keys: string; readonly what: string }[] = [
  { keys: 'Ctrl K', what: 'Go anywhere' },
  { keys: 'Enter', what: 'Send' },
  { keys: 'Shift Enter', what: 'New line' },
  { keys: 'Esc', what: 'Stop the answer' },
  { keys: 'Up', what: 'Take the last message again' },
];
