// The workflows in force: rules about what agents may do, read from YAML files that people write. Admins alone see them.
import { call, type Answer } from './http.ts';
import { isObject, listOf, numberOf, textOf, textsOf, timeOf, type JsonObject } from './json.ts';

export interface WorkflowProblem {
  readonly file: string;
  /** 0 if it is about the whole file. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface WorkflowAction {
  readonly action: string;
  /** The condition as it is written; '' for always. */
  readonly when: string;
  readonly line: number;
  readonly summary: string;
}

export interface WorkflowTrigger {
  readonly event: string;
  readonly actions: readonly WorkflowAction[];
}

export interface Workflow {
  readonly name: string;
  readonly file: string;
  readonly description: string;
  readonly type: string;
  readonly sources: readonly string[];
  readonly priority: number;
  readonly state: string;
  readonly shipped: boolean;
  /** When its last good version was read; 0 if there never was one. */
  readonly loadedMs: number;
  readonly problems: readonly WorkflowProblem[];
  readonly triggers: readonly WorkflowTrigger[];
}

export interface WorkflowText extends Workflow {
  readonly text: string;
  readonly variables: readonly Variable[];
}

/** A value as JSON, for reading. */
export interface Variable {
  readonly name: string;
  readonly value: string;
}

export function listWorkflows(): Promise<Answer<readonly Workflow[]>> {
  return call('GET', '/api/workflows', undefined, (json) =>
    isObject(json) && Array.isArray(json['workflows']) ? listOf(json, 'workflows', workflowFrom) : null,
  );
}

export function getWorkflow(name: string): Promise<Answer<WorkflowText>> {
  return call('GET', `/api/workflows/${encodeURIComponent(name)}`, undefined, (json) => {
    const workflow = isObject(json) ? workflowFrom(json) : null;
    return workflow && isObject(json) ? { ...workflow, text: textOf(json, 'text'), variables: variablesOf(json, 'variables') } : null;
  });
}

export function variablesOf(json: JsonObject, key: string): readonly Variable[] {
  const values = json[key];
  if (!isObject(values)) return [];
  return Object.entries(values).map(([name, value]) => ({ name, value: JSON.stringify(value) }));
}

function workflowFrom(json: JsonObject): Workflow | null {
  const name = textOf(json, 'name');
  if (name === '') return null;
  return {
    name,
    file: textOf(json, 'file'),
    description: textOf(json, 'description'),
    type: textOf(json, 'type'),
    sources: textsOf(json, 'sources'),
    priority: numberOf(json, 'priority'),
    state: textOf(json, 'state'),
    shipped: json['shipped'] === true,
    loadedMs: timeOf(json, 'loaded_at'),
    problems: listOf(json, 'problems', problemFrom),
    triggers: listOf(json, 'triggers', triggerFrom),
  };
}

function problemFrom(json: JsonObject): WorkflowProblem {
  return { file: textOf(json, 'file'), line: numberOf(json, 'line'), column: numberOf(json, 'column'), message: textOf(json, 'message') };
}

function triggerFrom(json: JsonObject): WorkflowTrigger {
  const actions = listOf(json, 'actions', (one) => ({
    action: textOf(one, 'action'),
    when: textOf(one, 'when'),
    line: numberOf(one, 'line'),
    summary: textOf(one, 'summary'),
  }));
  return { event: textOf(json, 'event'), actions };
}
