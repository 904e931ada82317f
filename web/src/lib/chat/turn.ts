// A turn as the page shows it: what was said to the agent, and the parts of its answer in their order. Committed
// turns are built from messages; a turn that runs is built from frames and replaced when it ends.
import type { CallState, PassingFrame } from '../frames.ts';
import type { Block, Message } from '../messages.ts';

export interface TextPart {
  readonly kind: 'text';
  readonly text: string;
  /** Of a running turn: which block of the stream this is, and how many bytes of UTF-8 it has. */
  readonly block: number;
  readonly bytes: number;
}

export interface CallPart {
  readonly kind: 'call';
  readonly callId: string;
  readonly tool: string;
  readonly args: string;
  readonly result: string | null;
  readonly failed: boolean;
}

export interface FilePart {
  readonly kind: 'file';
  readonly hash: string;
  readonly name: string;
}

export type Part = TextPart | CallPart | FilePart;

export interface OpenTurn {
  readonly turnId: string;
  readonly kind: string;
  readonly clientMessageId: string;
  readonly message: Message | null;
  /** Of an automation: its name and when it was due; '' and 0 if the server did not say. */
  readonly automationName: string;
  readonly dueMs: number;
  readonly queuedAtMs: number;
  readonly running: boolean;
  readonly attempt: number;
  readonly parts: readonly Part[];
}

const encoder = new TextEncoder();
const bytesOf = (text: string): number => encoder.encode(text).length;

export function queuedTurn(turnId: string, kind: string, queuedAtMs: number): OpenTurn {
  return { turnId, kind, queuedAtMs, clientMessageId: '', message: null, automationName: '', dueMs: 0, running: false, attempt: 0, parts: [] };
}

/** What the frame makes of the turn. The rules are those of docs/websocket.md. */
export function advance(turn: OpenTurn, frame: PassingFrame): OpenTurn {
  if (frame.type === 'turn_snapshot') {
    return {
      ...turn,
      running: true,
      attempt: frame.attempt,
      parts: snapshotParts(frame.blocks, frame.calls),
      message: frame.message ?? turn.message,
      automationName: frame.automationName || turn.automationName,
      dueMs: frame.dueMs || turn.dueMs,
    };
  }
  if (frame.type === 'turn_started' || frame.type === 'turn_again' || frame.attempt > turn.attempt) {
    const fresh: OpenTurn = { ...turn, running: true, attempt: frame.attempt, parts: [] };
    return frame.type === 'turn_started' || frame.type === 'turn_again' ? fresh : advance(fresh, frame);
  }
  if (frame.attempt < turn.attempt) return turn;
  switch (frame.type) {
    case 'delta':
      return { ...turn, running: true, parts: withDelta(turn.parts, frame.block, frame.offset, frame.text) };
    case 'tool_call':
      return { ...turn, parts: withCall(turn.parts, { ...newCall(frame.callId, frame.tool), args: frame.args }) };
    case 'tool_result':
      return { ...turn, parts: withResult(turn.parts, frame.callId, frame.tool, frame.text, frame.failed) };
  }
}

function withDelta(parts: readonly Part[], block: number, offset: number, text: string): readonly Part[] {
  const at = parts.findIndex((part) => part.kind === 'text' && part.block === block);
  const old = parts[at];
  if (old === undefined || old.kind !== 'text') {
    return [...parts, { kind: 'text', block, text, bytes: bytesOf(text) }];
  }
  // Already there, from a snapshot for instance.
  if (offset < old.bytes) return parts;
  return parts.with(at, { ...old, text: old.text + text, bytes: old.bytes + bytesOf(text) });
}

function newCall(callId: string, tool: string): CallPart {
  return { kind: 'call', callId, tool, args: '', result: null, failed: false };
}

function withCall(parts: readonly Part[], call: CallPart): readonly Part[] {
  const known = parts.some((part) => part.kind === 'call' && part.callId === call.callId);
  return known ? parts : [...parts, call];
}

function withResult(
  parts: readonly Part[],
  callId: string,
  tool: string,
  text: string,
  failed: boolean,
): readonly Part[] {
  const all = withCall(parts, newCall(callId, tool));
  return all.map((part) => (part.kind === 'call' && part.callId === callId ? { ...part, result: text, failed } : part));
}

/** The snapshot does not tell how text and calls alternate. Calls that are done came before the latest text. */
function snapshotParts(
  blocks: readonly string[],
  calls: readonly CallState[],
): readonly Part[] {
  const texts = blocks.map((text, block): TextPart => ({ kind: 'text', block, text, bytes: bytesOf(text) }));
  const shown = calls.map(({ callId, tool, done, failed, args, text }): CallPart => {
    return { ...newCall(callId, tool), args, result: done ? text : null, failed };
  });
  const last = shown.every(({ result }) => result !== null) && texts.length > 1 ? texts.length - 1 : texts.length;
  return [...texts.slice(0, last), ...shown, ...texts.slice(last)];
}

/** The answer of a committed turn: its agent's and tools' messages in their order. */
export function partsOf(messages: readonly Message[]): readonly Part[] {
  let parts: readonly Part[] = [];
  for (const block of messages.flatMap(({ content }) => content)) parts = withBlock(parts, block);
  return parts;
}

function withBlock(parts: readonly Part[], block: Block): readonly Part[] {
  switch (block.type) {
    case 'text':
      return [...parts, { kind: 'text', text: block.text, block: parts.length, bytes: 0 }];
    case 'call':
      return [...parts, { ...newCall(block.callId, block.tool), args: block.args }];
    case 'result':
      return withResult(parts, block.callId, block.tool, block.text, block.failed);
    case 'file':
      return [...parts, { kind: 'file', hash: block.hash, name: block.name }];
  }
}

/** A call that was not run but asked about: its result names the approval. */
export function approvalOf(part: CallPart): string | null {
  return /^needs approval (apr_[\w-]+)/.exec(part.result ?? '')?.[1] ?? null;
}

export function plainText(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n\n');
}
