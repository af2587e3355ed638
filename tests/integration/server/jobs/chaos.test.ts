import { readdir, readlink } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BenchEvent } from '../../../../server/contract/events/events.ts';
import type { Job, JobStatus } from '../../../../server/contract/jobs/jobs.ts';
import type { FpgaState } from '../../../../server/contract/nodes/nodes.ts';
import { BenchError } from '../../../../server/errors/bench-error.ts';
import { NODE_EVENTS, transition } from '../../../../server/nodes/machine.ts';
import { type DiskStep, FailingFiles } from '../../../support/failing-files.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { FakeToolchain } from '../../../support/fake-toolchain.ts';
import {
  alice,
  design,
  ended,
  read,
  reserve,
  type TestPool,
  testPool,
  until,
  write,
} from '../../../support/test-pool.ts';

/** Only a few nodes, so that random actions meet. */
const NODES = 3;

type Action =
  | {
      do: 'submit' | 'replace' | 'run' | 'reset' | 'release' | 'cancel' | 'plug' | 'unplug' | 'exchange';
      node: number;
      text: string;
    }
  | {
      do: 'fault';
      node: number;
      fault: 'failProgram' | 'failLink' | 'hangLink' | 'hangProgram' | 'wrongIdentity';
    }
  | { do: 'time'; seconds: number }
  | { do: 'disk'; failing: DiskStep | null }
  | { do: 'pause'; turns: number }
  | { do: 'restart' };

const node = fc.nat({ max: NODES - 1 });
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'submit' as const,
        'submit' as const,
        'replace' as const,
        'replace' as const,
        'run' as const,
        'run' as const,
        'run' as const,
        'reset' as const,
        'release' as const,
        'cancel' as const,
      ),
      node,
      text: fc.constantFrom('a', 'b', 'fail-scan', 'crash-pack', 'hang-route'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('plug' as const, 'unplug' as const, 'exchange' as const),
      node,
      text: fc.constant(''),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fault' as const),
      node,
      fault: fc.constantFrom(
        'failProgram' as const,
        'failLink' as const,
        'hangLink' as const,
        'hangProgram' as const,
        'wrongIdentity' as const,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('time' as const), seconds: fc.nat({ max: 4000 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('disk' as const),
      failing: fc.constantFrom(
        'open' as const,
        'write' as const,
        'sync' as const,
        'rename' as const,
        null,
        null,
      ),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('pause' as const), turns: fc.nat({ max: 12 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
);

/** Whether some event of the state machine leads from one state to the other; two steps may share an event. */
const reachable = (from: FpgaState, to: FpgaState) =>
  from === to || NODE_EVENTS.some((event) => transition(from, event) === to);

const STATUS_ORDER: Record<JobStatus, number> = {
  queued: 0,
  running: 1,
  complete: 2,
  failed: 2,
  cancelled: 2,
};

/** Checks every event against the one before it. */
function watch(events: BenchEvent[]): void {
  const states = new Map<number, FpgaState>();
  const statuses = new Map<string, JobStatus>();
  for (const event of events) {
    if (event.type === 'node') {
      const { fpga_id: id, state, session, design: onBoard, error } = event.node;
      const before = states.get(id);
      if (before && !reachable(before, state)) throw new Error(`node ${id}: ${before} → ${state}`);
      states.set(id, state);
      expect(onBoard !== null).toBe(state === 'reserved');
      expect(error !== null).toBe(state === 'error');
      if (session) expect(['reserved', 'error']).toContain(state);
      // A design that is to be replaced runs on: the node is not idle, queued or building meanwhile.
      if (state === 'reserved' && before === 'programming') expect(session).not.toBeNull();
    } else if (event.type === 'job') {
      const { job_id: id, status } = event.job;
      const before = statuses.get(id);
      if (before && before !== status && STATUS_ORDER[before] >= STATUS_ORDER[status])
        throw new Error(`job ${id}: ${before} → ${status}`);
      statuses.set(id, status);
    }
  }
}

async function play(actions: Action[]): Promise<void> {
  const clock = new FakeClock();
  const disk = new FailingFiles();
  const start = (folder?: string) =>
    testPool({
      clock,
      files: disk.files,
      toolchain: new FakeToolchain({ slots: 2 }),
      ...(folder === undefined ? {} : { folder }),
    });
  let bench: TestPool = await start();
  const requests: Promise<unknown>[] = [];
  /** Acknowledged jobs, by id. */
  const accepted = new Map<string, number>();
  const expectedErrors = (error: unknown) => {
    if (!(error instanceof BenchError)) throw error;
  };
  const accept = (promise: Promise<Job>) =>
    requests.push(promise.then((job) => accepted.set(job.job_id, job.fpga_id), expectedErrors));

  for (const step of actions) {
    const { pool, boards } = bench;
    switch (step.do) {
      case 'submit':
        accept(pool.submit(step.node, design(step.text), alice));
        break;
      case 'replace':
        accept(pool.replace(step.node, design(step.text), alice));
        break;
      case 'run':
        accept(pool.run(step.node, step.text === 'a' ? read(0, 3) : write(4, 1), alice));
        break;
      case 'reset':
        accept(pool.reset(step.node, alice));
        break;
      case 'release':
        accept(pool.release(step.node, alice));
        break;
      case 'cancel': {
        const [job] = pool.jobs({ fpgaId: step.node, statuses: ['queued'] });
        if (job) requests.push(pool.cancel(step.node, job.job_id, alice).catch(expectedErrors));
        break;
      }
      case 'plug':
      case 'unplug':
        boards[step.do](step.node);
        break;
      case 'exchange':
        boards.replace(step.node, `usb:${clock.now()}`);
        break;
      case 'fault':
        Object.assign(boards.board(step.node).faults, {
          [step.fault]: step.fault.startsWith('fail') ? 'asked for' : true,
        });
        break;
      case 'time':
        clock.advance(step.seconds * 1000);
        break;
      case 'disk':
        disk.failing = step.failing;
        break;
      case 'pause':
        for (let i = 0; i < step.turns; i++) await new Promise((resolve) => setTimeout(resolve, 1));
        break;
      case 'restart':
        // Whether a full disk lets a stopped service start again is the store's own test.
        disk.failing = null;
        await bench.stop();
        watch(bench.events);
        bench = await start(bench.folder);
    }
  }

  // Everything is well again: boards there, disk free. Hanging jobs end by their deadline or their session.
  disk.failing = null;
  await Promise.all(requests);
  for (const board of bench.boards.boards) {
    board.faults = {};
    bench.boards.plug(board.slot);
  }
  const atRest = () =>
    bench.pool.nodes().every(({ state, resetting }) => !resetting && /idle|reserved|error/.test(state)) &&
    bench.pool.jobs({ statuses: ['queued', 'running'] }).length === 0;
  /** Ends at rest, or after a while where a build hangs. */
  const settle = async () => {
    for (let i = 0; !atRest() && (i < 20 || bench.toolchain.hanging === 0); i++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      clock.advance(i < 5 ? 0 : 400_000);
    }
  };
  await settle();
  // Only the service's end stops a build that hangs on request; one that waits for its slot begins then.
  while (!atRest()) {
    await bench.stop();
    watch(bench.events);
    bench = await start(bench.folder);
    await settle();
  }
  const last = bench.pool;
  for (const [jobId, fpgaId] of accepted) {
    const job = last.job(fpgaId, jobId);
    expect(['complete', 'failed', 'cancelled']).toContain(job.status);
    if (job.status === 'failed') expect(job.failure?.message).toBeTruthy();
    await last.result(fpgaId, jobId);
  }
  // No node is stuck: each takes a new design.
  for (let id = 0; id < NODES; id++) {
    if (last.node(id).state !== 'idle') {
      const reset = await ended(last, await last.reset(id, alice));
      expect(reset).toMatchObject({ status: 'complete' });
    }
    await reserve(last, id);
    expect((await ended(last, await last.run(id, read(0), alice))).ok).toBe(true);
  }
  watch(bench.events);
  // Writes that the disk refused, such as logs, are tried again after a while, and this clock has not moved.
  await until(() => {
    clock.advance(5_000);
    return bench.store.healthy;
  }, 'a store that is well');
  await bench.dispose();
  for (const { openLinks } of bench.boards.boards) expect(openLinks).toBe(0);
  if (process.platform !== 'linux') return;
  const handles = await readdir('/proc/self/fd');
  const files = await Promise.all(handles.map((one) => readlink(`/proc/self/fd/${one}`).catch(() => '')));
  expect(files.filter((file) => file.startsWith(bench.folder))).toEqual([]);
}

test('under random actions every job ends and no node is stuck', async () => {
  await fc.assert(fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 60 }), play), {
    numRuns: Number(process.env['WISHBENCH_CHAOS_RUNS'] ?? 8),
    // A hanging one shows its progress, too.
    timeout: 60_000,
    // Shrinking replays the whole sequence; what fails is shown as it came.
    endOnFailure: true,
  });
}, 600_000);
