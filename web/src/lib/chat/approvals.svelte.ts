// The approvals of a conversation, by their id. An event tells only the outline; the rest is fetched.
import { decide, getApproval, type Approval, type Decision, type Scope } from '../conversations.ts';
import type { ApprovalDecided, ApprovalRequested } from '../frames.ts';
import { whyFailed } from '../http.ts';
import { approvalOf, type CallPart } from './turn.ts';

export class Approvals {
  byId = $state.raw<ReadonlyMap<string, Approval>>(new Map());
  readonly waiting = $derived([...this.byId.values()].filter(({ state }) => state === 'pending'));

  learn(approvals: readonly Approval[]): void {
    const byId = new Map(this.byId);
    for (const approval of approvals) byId.set(approval.id, approval);
    this.byId = byId;
  }

  /** The approval that a call was turned into. A snapshot of a running turn does not tell what tools answered;
      then the turn and the tool decide. */
  askedBy(call: CallPart, turnId: string): Approval | undefined {
    const named = this.byId.get(approvalOf(call) ?? '');
    if (named !== undefined || call.result !== '' || !call.failed) return named;
    return [...this.byId.values()].find((one) => one.turnId === turnId && one.tool === call.tool);
  }

  received(frame: ApprovalRequested | ApprovalDecided): void {
    const known = this.byId.get(frame.approvalId);
    if (frame.type === 'approval_decided') {
      if (known === undefined) return void this.#fetch(frame.approvalId);
      this.learn([{ ...known, state: frame.state, scope: frame.scope, decidedAtMs: frame.atMs }]);
      return;
    }
    if (known !== undefined) return;
    const { approvalId: id, conversationId, turnId, tool, summary, expiresAtMs } = frame;
    const outline = { id, conversationId, turnId, tool, summary, expiresAtMs };
    this.learn([{ ...outline, args: '', why: '', state: 'pending', scope: '', decidedAtMs: 0 }]);
    void this.#fetch(id);
  }

  /** Gives '' or the reason why it could not be answered. The first answer wins: then that one is shown. */
  async answer(id: string, decision: Decision, scope: Scope): Promise<string> {
    const answer = await decide(id, decision, scope);
    if (answer.ok) {
      this.learn([answer.value]);
      return '';
    }
    await this.#fetch(id);
    return this.byId.get(id)?.state === 'pending' ? whyFailed(answer.failure) : '';
  }

  async #fetch(id: string): Promise<void> {
    const answer = await getApproval(id);
    if (answer.ok) this.learn([answer.value]);
  }
}
