// The approvals page: what waits, what was answered, what is allowed for longer. Events tell that something changed;
// what it is now is read again, so that learning it twice changes nothing.
import { answerApproval, listApprovalRecords, listPermissions, listWaiting, revokePermission, type ApprovalRecord, type Permission } from './approvals.ts';
import type { Decision, Scope } from './conversations.ts';
import type { Frame } from './frames.ts';
import { whyFailed } from './http.ts';
import type { Live } from './live.svelte.ts';
import { Paged } from './paged.svelte.ts';
import { follow, Reading } from './reading.svelte.ts';

export class ApprovalsDesk {
  readonly waiting = new Reading(listWaiting);
  readonly records = new Paged<ApprovalRecord>(listApprovalRecords, ({ id }) => id);
  readonly permissions = new Paged<Permission>(listPermissions, ({ id }) => id);
  readonly #stop: () => void;

  constructor(live: Live) {
    this.#stop = follow(live, () => this.read(), isNews);
  }

  close(): void {
    this.#stop();
  }

  async read(): Promise<void> {
    await Promise.all([this.waiting.read(), this.records.read(), this.permissions.read()]);
  }

  /** Gives '' or why it could not be answered. If somebody was faster, theirs is shown and that is no error. */
  async answer(id: string, decision: Decision, scope: Scope, note: string): Promise<string> {
    const answer = await answerApproval(id, decision, scope, note);
    await this.read();
    if (answer.ok) return '';
    const stillWaits = this.waiting.value?.items.some((one) => one.id === id) ?? true;
    return stillWaits ? whyFailed(answer.failure) : '';
  }

  async revoke(id: string): Promise<string> {
    const answer = await revokePermission(id);
    const isGone = answer.ok || (answer.failure.kind === 'refused' && answer.failure.code === 'permission_not_found');
    if (isGone) this.permissions.drop(id);
    return isGone ? '' : whyFailed(answer.failure);
  }
}

function isNews(frame: Frame): boolean {
  return frame.type === 'approval_requested' || frame.type === 'approval_decided';
}
