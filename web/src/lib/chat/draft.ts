// Where the browser keeps what was typed and not sent, by conversation; one that has not begun is called `new`.
export function draftKey(workspace: string, conversation: string | null): string {
  return `rouse-draft:${workspace}:${conversation ?? 'new'}`;
}
