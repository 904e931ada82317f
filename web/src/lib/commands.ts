// The slash commands. `send` ones are the server's own words; the others are done by the page.
export interface Command {
  readonly name: string;
  readonly what: string;
  readonly does: 'send' | 'stop' | 'help' | 'status' | 'remind';
}

export const commands: readonly Command[] = [
  { name: '/clear', what: 'Start fresh: close this session with a summary', does: 'send' },
  { name: '/new', what: 'The same as /clear', does: 'send' },
  { name: '/compact', what: 'Sum up what was said long ago', does: 'send' },
  { name: '/remind', what: 'Be reminded: say of what and when', does: 'remind' },
  { name: '/stop', what: 'Stop the answer', does: 'stop' },
  { name: '/status', what: 'How rouse is', does: 'status' },
  { name: '/help', what: 'Commands and keys', does: 'help' },
];

/** The commands that what was typed may become: only while it is one word that begins with a slash. */
export function matchingCommands(typed: string): readonly Command[] {
  if (!/^\/\w*$/.test(typed)) return [];
  return commands.filter(({ name }) => name.startsWith(typed.toLowerCase()));
}

export function commandIn(text: string): Command | null {
  return commands.find(({ name }) => name === text.trim().toLowerCase()) ?? null;
}

export const reminderStart = 'Remind me in 20 minutes to ';

export const keys: readonly { readonly keys: string; readonly what: string }[] = [
  { keys: 'Ctrl K', what: 'Go anywhere' },
  { keys: 'Enter', what: 'Send' },
  { keys: 'Shift Enter', what: 'New line' },
  { keys: 'Esc', what: 'Stop the answer' },
  { keys: 'Up', what: 'Take the last message again' },
];
