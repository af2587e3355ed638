import Type, { type Static } from 'typebox';
import type { BoardPool } from '../boards/board.ts';
import type { Clock } from '../clock.ts';
import { BoardCheck } from '../contract/boards/board-checks.ts';
import { checkOf } from '../contract/check.ts';
import { nullable } from '../contract/component.ts';
import { boardsError } from '../errors/boards.ts';
import { jobsError } from '../errors/jobs.ts';
import type { EventHub } from '../events/events.ts';
import { failureOf } from '../jobs/execution/end.ts';
import type { NodePool } from '../jobs/node-pool.ts';
import { type Caller, SYSTEM } from '../jobs/pool.ts';
import type { Logger } from '../log.ts';
import { VERSION } from '../version.ts';
import { CHECK_DESIGN, readCheckDesign } from './check-design.ts';
import { CheckRecord } from './check-record.ts';
import { CheckRun, type FirstJob } from './check-run.ts';
import { CheckedNode } from './checked-node.ts';
import { driverFacts, runtimeVersions, systemFacts } from './facts.ts';
import { reportText } from './report.ts';
import { plannedSteps } from './steps.ts';

/** The last check of a slot as stored, with its session, which is given back after a crash. */
const KeptCheck = Type.Object({ check: BoardCheck, session_id: nullable(Type.String()) });
const StoredChecks = Type.Record(Type.String({ pattern: '^[0-9]$' }), KeptCheck);
export type StoredChecks = Static<typeof StoredChecks>;

/** Checks the document of stored checks from disk. */
export const areStoredChecks = checkOf(StoredChecks);

interface BoardChecksOptions {
  pool: NodePool;
  boards: BoardPool;
  events: EventHub;
  /** Storage of the last check of each slot. */
  document: { readonly value: StoredChecks; write(value: StoredChecks): Promise<void> };
  clock: Clock;
  newId: () => string;
  logger: Logger;
  /** Mount point of sysfs; null where there is none. */
  sys?: string | null;
}

/** A check that has not ended. */
interface Running {
  record: CheckRecord;
  node: CheckedNode;
  /** Ends it early; `stops` is for the stop of the service, which ends all waiting. */
  ends: AbortController;
  stops: AbortController;
  ended: Promise<void>;
}

/** The board checks of the ten slots: one at a time in each, and the last one of each. */
export class BoardChecks {
  readonly #options: BoardChecksOptions;
  readonly #running = new Map<number, Running>();
  /** Slots whose check is being accepted. */
  readonly #starting = new Set<number>();
  #closed = false;

  constructor(options: BoardChecksOptions) {
    this.#options = options;
    this.#endInterrupted();
  }

  /**
   * Begins a check; resolves when the node has accepted its first job.
   * @throws check_running, fpga_not_idle, service_stopping, store_unavailable.
   */
  async start(fpgaId: number, caller: Caller): Promise<BoardCheck> {
    if (this.#closed) throw jobsError('service_stopping');
    if (this.#running.has(fpgaId) || this.#starting.has(fpgaId)) throw boardsError('check_running');
    this.#starting.add(fpgaId);
    try {
      return await this.#start(fpgaId, caller);
    } finally {
      this.#starting.delete(fpgaId);
    }
  }

  async #start(fpgaId: number, caller: Caller): Promise<BoardCheck> {
    const { pool, boards, events, clock, logger, newId } = this.#options;
    const source = await readCheckDesign();
    const { definition } = boards.board(fpgaId);
    const board = boards.list().find(({ slot }) => slot === fpgaId);
    if (!board) throw new RangeError(`There is no slot ${fpgaId}.`);
    const ends = new AbortController();
    const stops = new AbortController();
    const node = new CheckedNode({ pool, events, fpgaId, caller, stops: stops.signal });
    const first = await this.#firstJob(fpgaId, node, source, caller);
    const { part, package: packaged } = definition.fpga;
    const record = new CheckRecord(
      {
        check_id: newId(),
        fpga_id: fpgaId,
        state: 'running',
        cancelling: false,
        started_at: new Date(clock.now()).toISOString(),
        ended_at: null,
        board,
        part: `${part}-${packaged}`,
        programmer: definition.programmer.kind,
        identity: null,
        versions: { wishbench: VERSION, ...runtimeVersions() },
        system: systemFacts(),
        drivers: await driverFacts(board, this.#options.sys ?? null),
        steps: plannedSteps(definition, { reset: first.kind === 'reset' }),
        log: [],
      },
      clock,
    );
    const onSession = (sessionId: string | null) => void this.#keep(fpgaId, record, sessionId);
    const run = new CheckRun({
      ...{ record, node, definition, board, source, clock, logger, onSession },
      ends: ends.signal,
      stops: stops.signal,
    });
    const perform = async () => {
      await this.#keep(fpgaId, record, null);
      const well = await run.perform(first);
      const cancelled = ends.signal.aborted && !stops.signal.aborted;
      record.add({
        state: cancelled ? 'cancelled' : well ? 'passed' : 'failed',
        cancelling: false,
        ended_at: new Date(clock.now()).toISOString(),
      });
      this.#running.delete(fpgaId);
      // After a stop of the service the session still exists; the next start gives it back.
      const held = stops.signal.aborted ? (this.#stored(fpgaId)?.session_id ?? null) : null;
      await this.#keep(fpgaId, record, held);
    };
    this.#running.set(fpgaId, { record, node, ends, stops, ended: perform() });
    return record.view;
  }

  /** Asks the node without a delay, so that one of simultaneous requests wins. */
  async #firstJob(fpgaId: number, node: CheckedNode, source: Uint8Array, caller: Caller): Promise<FirstJob> {
    const { pool } = this.#options;
    const { state, session, board } = pool.node(fpgaId);
    if (state === 'idle' && !board.present) return { kind: 'none' };
    if (state === 'error' && session === null && board.present)
      return { kind: 'reset', job: await pool.reset(fpgaId, caller) };
    return { kind: 'build', job: await node.submit(CHECK_DESIGN, source) };
  }

  /** The running check, else the last one; undefined without one. */
  find(fpgaId: number): BoardCheck | undefined {
    return this.#running.get(fpgaId)?.record.view ?? this.#stored(fpgaId)?.check;
  }

  /** The same. @throws no_board_check. */
  get(fpgaId: number): BoardCheck {
    const check = this.find(fpgaId);
    if (!check) throw boardsError('no_board_check');
    return check;
  }

  /** The check as a Markdown file. @throws no_board_check. */
  report(fpgaId: number): string {
    return reportText(this.get(fpgaId));
  }

  /** Ends a check after its running job; an ended one stays unchanged. @throws no_board_check. */
  cancel(fpgaId: number): BoardCheck {
    const running = this.#running.get(fpgaId);
    if (running && !running.ends.signal.aborted) {
      running.record.add({ cancelling: true });
      running.ends.abort(boardsError('check_cancelled'));
      running.node.cancel();
    }
    return this.get(fpgaId);
  }

  /** Ends running checks without waiting for boards. Call it before the pool of nodes closes. */
  async close(): Promise<void> {
    this.#closed = true;
    const reason = jobsError('service_stopped', { message: 'The service stopped during the check.' });
    const running = [...this.#running.values()];
    for (const { node, ends, stops } of running) {
      node.cancel();
      ends.abort(reason);
      stops.abort(reason);
    }
    await Promise.all(running.map(({ ended }) => ended));
  }

  #stored(fpgaId: number): StoredChecks[string] | undefined {
    return this.#options.document.value[String(fpgaId)];
  }

  /** A check that can't be stored is shown until the service stops; the store reports its own health. */
  async #keep(fpgaId: number, record: CheckRecord, sessionId: string | null): Promise<void> {
    const { document } = this.#options;
    const entry = { check: record.view, session_id: sessionId };
    await document.write({ ...document.value, [String(fpgaId)]: entry }).catch(() => {});
  }

  /** Ends checks that an earlier service left running, and gives their nodes back. */
  #endInterrupted(): void {
    const { document, pool, logger } = this.#options;
    const next = { ...document.value };
    for (const [slot, { check, session_id: sessionId }] of Object.entries(document.value)) {
      if (check.state === 'running') {
        const failure = failureOf(
          jobsError('service_stopped', { message: 'The service ended during the check.' }),
        );
        const record = new CheckRecord(check, this.#options.clock);
        const at = check.steps.find(({ state }) => state === 'running' || state === 'waiting');
        if (at) record.fail(at, failure);
        record.skipRest();
        record.add({ state: 'failed', cancelling: false, ended_at: check.started_at });
        next[slot] = { check: record.view, session_id: null };
      } else if (sessionId !== null) next[slot] = { check, session_id: null };
      if (sessionId === null || pool.node(Number(slot)).session?.session_id !== sessionId) continue;
      pool
        .release(Number(slot), SYSTEM)
        .catch((err) => logger.warn({ err, slot }, 'the node of a board check could not be released'));
    }
    void document.write(next).catch(() => {});
  }
}
