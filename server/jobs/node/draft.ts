import type { BenchError } from '../../errors/bench-error.ts';
import type { Purpose, Reply } from '../commands.ts';
import type { Change, ChangeKind } from './node-state.ts';
import type { Bench, Decision, Effect, Memory, State } from './state.ts';

/** A decision under construction, with the state that it starts from. */
export class Draft implements State, Decision {
  readonly node: State['node'];
  readonly staged: State['staged'];
  readonly jobs: State['jobs'];
  readonly boardPresent: boolean;
  readonly bench: Bench;
  readonly changes: Decision['changes'][number][] = [];
  readonly effects: Effect[] = [];
  memory: Memory;

  constructor(state: State, bench: Bench) {
    this.node = state.node;
    this.staged = state.staged;
    this.jobs = state.jobs;
    this.boardPresent = state.boardPresent;
    this.memory = state.memory;
    this.bench = bench;
  }

  remember(memory: Partial<Memory>): void {
    this.memory = { ...this.memory, ...memory };
  }

  commit(change: Change, kind: ChangeKind, purpose: Purpose = { kind: 'none' }): void {
    this.changes.push({ change, kind, purpose });
  }

  /** Answers the caller when the change is made. */
  commitAndAnswer(change: Change, kind: ChangeKind, reply: Reply<unknown>, value: unknown): void {
    this.commit(change, kind, { kind: 'answer', reply, value });
  }

  do(...effects: Effect[]): void {
    this.effects.push(...effects);
  }

  answer<T>(reply: Reply<T>, value: T): void {
    this.do({ kind: 'answer', reply, value });
  }

  refuse(reply: Reply<never>, error: unknown): void {
    this.do({ kind: 'refuse', reply, error });
  }

  abortJob(jobId: string, reason?: BenchError): void {
    this.do({ kind: 'abort_job', jobId, reason });
  }
}
