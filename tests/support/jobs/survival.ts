import { hasEnded, type JobStatus } from '../../../server/contract/jobs/jobs.ts';
import { type TestPool, until } from '../test-pool.ts';
import type { CrashReport } from './busy-nodes.ts';

interface KnownJob {
  /** Null for a job that any node may take, until one has. */
  fpga: number | null;
  status: JobStatus | null;
  result: number[] | null;
  log: string;
}

/** Figures of a harness that ends the service again and again. */
export interface Survival {
  /** How many times it was ended. */
  rounds: number;
  acknowledged: number;
  lost: string[];
  wrong: string[];
  stuck: string[];
  shorter: string[];
}

/** Records acknowledgements over any number of starts of the service, and checks them. */
export class Ledger {
  readonly figures: Survival = { rounds: 0, acknowledged: 0, lost: [], wrong: [], stuck: [], shorter: [] };
  readonly #words = new Map<string, number>();
  readonly #known = new Map<string, KnownJob>();
  readonly #written: number[] = [];
  /** The session that a node must have; null for any. */
  #sessions = new Map<number, string | null>();

  /** Records the reports of one start of the service. */
  hear(reports: readonly CrashReport[]): void {
    this.figures.rounds++;
    this.#sessions = new Map();
    for (const report of reports) {
      switch (report.type) {
        case 'accepted':
          this.figures.acknowledged++;
          this.#known.set(report.job, { fpga: report.fpga, status: null, result: null, log: '' });
          if (report.word !== null) this.#words.set(report.job, report.word);
          break;
        case 'cancelled':
          this.figures.acknowledged++;
          this.#known.set(report.job, { fpga: report.fpga, status: 'cancelled', result: [], log: '' });
          break;
        case 'ended': {
          const { fpga, status, result, log } = report;
          this.#known.set(report.job, { fpga, status, result, log });
          break;
        }
        case 'session':
          this.#sessions.set(report.fpga, report.session);
          break;
        case 'replacing':
          this.#sessions.set(report.fpga, null);
          break;
        case 'releasing':
          this.#sessions.delete(report.fpga);
          break;
        case 'written':
          this.#written.push(report.word);
          break;
        case 'ready':
      }
    }
  }

  /** Checks the restarted service; queued jobs run first. */
  async check({ pool, store, boards }: TestPool): Promise<void> {
    const { lost, wrong, stuck, shorter } = this.figures;
    for (const { message } of store.notices) wrong.push(`a notice: ${message}`);
    for (const [fpga, session] of this.#sessions) {
      const node = pool.node(fpga);
      if (node.session === null || (session !== null && node.session.session_id !== session))
        lost.push(`the session of node ${fpga} (${node.state})`);
    }
    const waiting = () => pool.unplacedJobs({ limit: 1e6 }).some(({ status }) => status === 'queued');
    // A job that waits for a node is on its way to an idle one.
    const rest = () =>
      pool.jobs({ statuses: ['queued', 'running'] }).length === 0 &&
      pool.nodes().every(({ state, resetting }) => !resetting && /idle|reserved/.test(state)) &&
      !(waiting() && pool.nodes().some(({ state }) => state === 'idle'));
    await until(rest, 'rest', 60).catch(() => stuck.push(JSON.stringify(pool.nodes())));
    for (const board of boards.boards) this.#written.push(...board.writes.map(({ word }) => word));
    for (const [jobId, before] of this.#known) {
      if (!pool.knows(jobId)) {
        lost.push(`job ${jobId}`);
        this.#known.delete(jobId);
        continue;
      }
      const job = pool.findJob(jobId);
      const fpga = job.fpga_id;
      if (before.fpga !== null && before.fpga !== fpga) wrong.push(`job ${jobId} is on another node`);
      // While all nodes are reserved it keeps waiting for one.
      if (fpga === null && !hasEnded(job.status)) continue;
      const result = [...(await pool.result(fpga, jobId)).data];
      if (before.status === null) {
        this.#known.set(jobId, { ...before, fpga, status: job.status, result });
        continue;
      }
      if (job.status !== before.status) wrong.push(`job ${jobId} was ${before.status} and is ${job.status}`);
      if (String(result) !== String(before.result)) wrong.push(`the result of job ${jobId}`);
      const log = fpga === null ? before.log : (await pool.readLog(fpga, jobId)).toString();
      if (!log.startsWith(before.log))
        shorter.push(`the log of job ${jobId} (${log.length} < ${before.log.length})`);
    }
  }

  /** At the end: every word was written at most once, and as its job says. */
  conclude(): Survival {
    const { wrong } = this.figures;
    const done = new Set(this.#written);
    if (done.size !== this.#written.length) wrong.push('a word was written twice');
    for (const [jobId, word] of this.#words) {
      const status = this.#known.get(jobId)?.status;
      if (status === 'complete' && !done.has(word)) wrong.push(`job ${jobId} is complete and was not done`);
      if (status === 'cancelled' && done.has(word)) wrong.push(`job ${jobId} was cancelled and was done`);
    }
    return this.figures;
  }

  /** Forgets all but the newest jobs, so that a long run does not check all of them every time. */
  forget(keep: number): void {
    for (const jobId of [...this.#known.keys()].slice(0, -keep)) {
      this.#known.delete(jobId);
      this.#words.delete(jobId);
    }
  }
}
