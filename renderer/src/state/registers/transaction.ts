import type { Failure } from '../../../../server/contract/diagnostics.ts';
import type { RunRequest } from '../../../../server/contract/jobs/runs.ts';

/** A read or write of the session with its result: of this window, or from the bench's record. */
export interface Transaction {
  id: number;
  /** Sequence number in the bench's record; absent until the record has it. */
  seq?: number;
  /** Milliseconds since 1970. */
  at: number;
  /** Absent for this window's own. */
  owner?: string;
  request: Pick<RunRequest, 'op' | 'address' | 'fixed_address'>;
  /** Words requested or sent. */
  count: number;
  state: 'running' | 'ok' | 'not-acknowledged' | 'failed';
  /** Words read or written; the first ones of a long transaction. */
  data: readonly number[];
  /** From request to result, ms; of another window, the time on the bench. */
  milliseconds?: number;
  failure?: Pick<Failure, 'message' | 'remedy'>;
  jobId?: string;
}
