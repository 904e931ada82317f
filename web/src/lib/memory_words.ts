// How the memory page says where a note comes from, how much it weighs, and what an import did.
import type { Imported } from './memory.ts';

export function provenanceWords(provenance: string): string {
  switch (provenance) {
    case 'owner':
      return 'Written by hand';
    case 'sender':
      return 'Said in a conversation';
    case 'agent':
      return 'Noted by the agent';
    case 'untrusted':
      return 'From words of others';
    default:
      return 'Unknown origin';
  }
}

export const importances: readonly { readonly value: number; readonly label: string }[] = [
  { value: 5, label: '5, always in mind' },
  { value: 4, label: '4, important' },
  { value: 3, label: '3, normal' },
  { value: 2, label: '2, minor' },
  { value: 1, label: '1, trivia' },
];

export function importWords({ added, renewed, unchanged, instructionsChanged }: Imported): string {
  const parts = [`${count(added, 'note')} added`, `${renewed} renewed`, `${unchanged} unchanged`];
  return `${parts.join(', ')}.${instructionsChanged ? ' The instructions were replaced.' : ''}`;
}

export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en-GB')} ${noun}${number === 1 ? '' : 's'}`;
}

/** Characters as a person counts them: an emoji is one. */
export function lengthOf(text: string): number {
  return [...text].length;
}
