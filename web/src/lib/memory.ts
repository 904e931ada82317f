// What an agent keeps beyond a conversation (docs/memory.md): notes, and the instructions of the person.
import { call, type Answer } from './http.ts';
import { isObject, numberOf, textOf, timeOf, type JsonObject } from './json.ts';
import { pageFrom, type Page } from './page.ts';

export interface Note {
  readonly id: string;
  readonly text: string;
  /** 1 to 5. */
  readonly importance: number;
  /** Who stands behind it: owner, sender, agent, untrusted. */
  readonly provenance: string;
  readonly conversationId: string;
  readonly updatedMs: number;
}

export interface Instructions {
  /** The newest, in force or not. */
  readonly text: string;
  readonly inForce: string;
  readonly provenance: string;
  readonly previous: string;
  /** 0 while there were never any. */
  readonly updatedMs: number;
}

export interface Imported {
  readonly added: number;
  readonly renewed: number;
  readonly unchanged: number;
  readonly instructionsChanged: boolean;
}

export const longestNote = 2000;
export const longestInstructions = 4000;
/** Every turn reads the instructions; from here on they crowd out what is said. */
export const handyInstructions = 2000;
export const usualImportance = 3;
const largeFileWaitMs = 120_000;

export function listNotes(agent: string, words: string, cursor: string | null, limit: number): Promise<Answer<Page<Note>>> {
  return call('GET', `/api/memory?${query({ agent, query: words, cursor: cursor ?? '', limit: String(limit) })}`, undefined, (json) =>
    pageFrom(json, noteFrom),
  );
}

export function addNote(agent: string, text: string, importance: number): Promise<Answer<Note>> {
  return call('POST', `/api/memory?${query({ agent })}`, { text, importance }, (json) => (isObject(json) ? noteFrom(json) : null));
}

export function changeNote(agent: string, id: string, change: { text?: string; importance?: number }): Promise<Answer<Note>> {
  return call('PATCH', `/api/memory/${encodeURIComponent(id)}?${query({ agent })}`, change, (json) =>
    isObject(json) ? noteFrom(json) : null,
  );
}

export function deleteNote(agent: string, id: string): Promise<Answer<true>> {
  return call('DELETE', `/api/memory/${encodeURIComponent(id)}?${query({ agent })}`, undefined, () => true as const);
}

export function readInstructions(agent: string): Promise<Answer<Instructions>> {
  return call('GET', `/api/memory/instructions?${query({ agent })}`, undefined, instructionsFrom);
}

export function saveInstructions(agent: string, text: string): Promise<Answer<Instructions>> {
  return call('PUT', `/api/memory/instructions?${query({ agent })}`, { instructions: text }, instructionsFrom);
}

export function exportPath(agent: string): string {
  const whose = query({ agent });
  return `/api/memory/export${whose === '' ? '' : `?${whose}`}`;
}

export function importMemory(agent: string, markdown: string): Promise<Answer<Imported>> {
  return call(
    'POST',
    `/api/memory/import?${query({ agent })}`,
    { markdown },
    (json) =>
      isObject(json)
        ? {
            added: numberOf(json, 'added'),
            renewed: numberOf(json, 'renewed'),
            unchanged: numberOf(json, 'unchanged'),
            instructionsChanged: json['instructions_changed'] === true,
          }
        : null,
    largeFileWaitMs,
  );
}

function noteFrom(item: JsonObject): Note | null {
  const id = textOf(item, 'id');
  if (id === '') return null;
  return {
    id,
    text: textOf(item, 'text'),
    importance: numberOf(item, 'importance', usualImportance),
    provenance: textOf(item, 'provenance'),
    conversationId: textOf(item, 'conversation_id'),
    updatedMs: timeOf(item, 'updated_at'),
  };
}

function instructionsFrom(json: unknown): Instructions | null {
  if (!isObject(json) || typeof json['instructions'] !== 'string') return null;
  return {
    text: textOf(json, 'instructions'),
    inForce: textOf(json, 'in_force'),
    provenance: textOf(json, 'provenance'),
    previous: textOf(json, 'previous'),
    updatedMs: timeOf(json, 'updated_at'),
  };
}

/** What is empty is left out. */
function query(parts: Readonly<Record<string, string>>): string {
  return new URLSearchParams(Object.entries(parts).filter(([, value]) => value !== '')).toString();
}
