import { readFileSync } from 'node:fs';
import type { Client } from '../../server/contract/client/client.ts';
import { ServiceError } from '../../server/contract/client/failures.ts';
import { completed } from '../../server/contract/client/work.ts';
import { resourcePath } from '../../server/paths.ts';
import { ONE_MEMORY_POOL } from '../../server/toolchain/engines/embedded/fork-tools.ts';
import { Belongings } from '../bench/belongings.ts';
import { startRedis, startWorker } from '../bench/farm-support.ts';
import { ServiceProcess } from '../support/browser/service.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { mebibytes, quantile } from './figures.ts';
import { StatusWatch } from './status-watch.ts';

export interface ClassOptions {
  students: number;
  forMs: number;
  /** Share of the time, at its end, in which all hand in. */
  handInMs: number;
  /** Build workers. With them each submit is an edited design, so builds are real; without them it is from the cache. */
  workers?: number;
  /** A student's time on a node after the build, ms; half a second by default. */
  sessionMs?: number;
  /** Pause between two transfers, ms; none by default. */
  pauseMs?: number;
}

export interface ClassFigures {
  students: number;
  sessions: number;
  runs: number;
  /** Submits that the share refused. */
  refused: number;
  /** Unexpected errors and wrong words. */
  errors: string[];
  handedIn: number;
  graded: number;
  passed: number;
  /**
   * Difference of a student's time with nodes before the hand-ins from the mean, the largest, as a part of the mean. The
   * time of a session begins with its build on the node and ends with its release.
   */
  unfair: number;
  /** The longest session as a part of the mean time: a line that gives whole sessions cannot be fairer. */
  longest: number;
  statusP99Ms: number;
  /**
   * Growth from the second quarter of the time, when caches are full, to the last: of the resident set, and of the main
   * thread's heap. The smallest of a quarter counts, because up to a third is garbage: after ten minutes with two workers,
   * collections in all threads left 200 of 298 MiB, as many as after the start.
   */
  grownMiB: number;
  heapGrownMiB: number;
}

/** The memory of the service at a moment, bytes. */
interface MemorySample {
  /** Part of the time, from 0 to 1. */
  at: number;
  resident: number;
  heap: number;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** Pause between two samples of the memory, ms. */
const SAMPLE_MS = 1000;
const CHECK = [
  {
    title: 'Words come back',
    points: 2,
    steps: [
      { op: 'write' as const, address: 0x10, data: [1, 2, 3] },
      { op: 'read' as const, address: 0x10, expect: [1, 2, 3] },
    ],
  },
];

/** Resident set of a process, bytes; Linux. */
const residentOf = (pid: number): number =>
  1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);

/** The heap in use by the service's main thread, bytes. */
const heapOf = async (client: Client): Promise<number> =>
  Number(
    /^nodejs_heap_size_used_bytes (\S+)/m.exec(new TextDecoder().decode(await client.getMetrics()))?.[1],
  );

/** Growth of the memory from the second quarter of the time to the last. */
function growthOf(samples: readonly MemorySample[]): Pick<ClassFigures, 'grownMiB' | 'heapGrownMiB'> {
  const quarter = (from: number) => samples.filter(({ at }) => at >= from && at < from + 0.25);
  const growth = (of: 'resident' | 'heap') => {
    const [early = 0, late = 0] = [0.25, 0.75].map((from) =>
      quantile(
        quarter(from).map((one) => one[of]),
        0,
      ),
    );
    return mebibytes(late - early);
  };
  return { grownMiB: growth('resident'), heapGrownMiB: growth('heap') };
}

/** The example `echo.v`, edited: words lie at other places of its memory, so its logic differs and its behaviour does not. */
const edited = (echo: string, edit: number): string => {
  const source = echo.replaceAll('memory[wb_adr]', `memory[wb_adr ^ 9'd${edit % 512}]`);
  if (source === echo) throw new Error('echo.v has no memory[wb_adr].');
  return source;
};

/**
 * A class on the ten virtual boards of one service: each student submits a design to any node, writes and reads words,
 * and releases the node, again and again; at the end all hand in.
 */
export async function simulateClass(options: ClassOptions): Promise<ClassFigures> {
  const { students, forMs, handInMs, workers = 0, sessionMs = 500, pauseMs = 0 } = options;
  const own = new Belongings();
  try {
    const service = await own.keep(ServiceProcess.start(['echo.v'], ONE_MEMORY_POOL), (one) => one.close());
    if (workers > 0) {
      const redis = await startRedis(own);
      for (let i = 1; i <= workers; i++)
        await startWorker(own, redis.url, temporaryFolder('worker'), `worker-${i}`);
      await service.client().changeSettings({ body: { toolchain: { queue: redis.url } } });
    }
    const echo = readFileSync(resourcePath('examples', 'echo.v'), 'utf8');
    let edits = 0;
    const design = () => (workers === 0 ? echo : edited(echo, ++edits));
    const names = Array.from({ length: students }, (_, i) => `student-${i + 1}`);
    // On this computer a member without the operator's token has its own role.
    const teacher = service.client('teacher');
    const { course_id } = await teacher.createCourse({
      body: { name: 'Class', shares: { sessions: 1, queued_jobs: 1 } },
    });
    const members = names.map((username) => ({ name: `Name of ${username}`, username }));
    await teacher.addMembers({ course_id, body: { members } });
    const { assignment_id } = await teacher.createAssignment({
      course_id,
      body: { title: 'Lab', check: CHECK, attempts: 1 },
    });

    const began = performance.now();
    const end = began + forMs;
    const errors: string[] = [];
    const held = new Map<string, number>();
    const memory: MemorySample[] = [];
    let [sessions, runs, refused, longest] = [0, 0, 0, 0];

    /** One time with a node; the submit's job. */
    const session = async (client: Client, name: string): Promise<string> => {
      const job = await client.submitToAnyNode({ body: { file: { name: 'echo.v', contents: design() } } });
      const { fpga_id, started_at = '' } = await completed(client, job);
      const from = performance.now();
      const word = Math.floor(from) >>> 0;
      do {
        await client.jobEnded(
          await client.runTransaction({ fpga_id, body: { op: 1, address: 0x20, count: 1, data: [word] } }),
        );
        const read = await client.runTransaction({ fpga_id, body: { op: 2, address: 0x20, count: 1 } });
        await client.jobEnded(read);
        const { data } = await client.getRunResult(read);
        if (data[0] !== word) errors.push(`${name} read ${data[0]}, not ${word}`);
        runs += 2;
        await pause(pauseMs);
      } while (performance.now() - from < sessionMs);
      const { updated_at } = await client.jobEnded(await client.releaseSession({ fpga_id }));
      // A student who has handed in is gone, so only the time before counts.
      if (from < end - handInMs) {
        const time = Date.parse(updated_at) - Date.parse(started_at);
        longest = Math.max(longest, time);
        held.set(name, (held.get(name) ?? 0) + time);
      }
      sessions++;
      return job.job_id;
    };
    const student = async (name: string, i: number): Promise<void> => {
      const client = service.client(name);
      const handsInAt = end - handInMs + (handInMs * i) / students;
      let job: string | undefined;
      // Everybody has at least one session, however slow the machine is.
      while (performance.now() < end || (job === undefined && errors.length < 100)) {
        try {
          job = await session(client, name);
          if (performance.now() < handsInAt) continue;
          await client.handIn({ course_id, assignment_id, body: { job_id: job } });
          return;
        } catch (error) {
          if (error instanceof ServiceError && error.code === 'share_used_up') refused++;
          else errors.push(`${name}: ${error}`);
          await pause(50);
        }
      }
      // A student who waited for a node until the end hands in an earlier build.
      if (job) await client.handIn({ course_id, assignment_id, body: { job_id: job } });
    };
    const sampler = async () => {
      for (let from = began; from < end; from = performance.now()) {
        const heap = await heapOf(teacher);
        memory.push({ at: (from - began) / forMs, resident: residentOf(service.pid), heap });
        await pause(SAMPLE_MS);
      }
    };
    const statuses = await own.keep(new StatusWatch(service.url), (one) => one.close());
    await Promise.all([...names.map(student), sampler()]);
    const statusP99Ms = await statuses.p99();

    const grades = async () =>
      (await teacher.listHandIns({ course_id, assignment_id })).map(({ grade }) => grade);
    const waiting = () =>
      grades().then((all) => all.some(({ state }) => state === 'queued' || state === 'running'));
    while (await waiting()) await pause(100);
    const all = await grades();
    const times = names.map((name) => held.get(name) ?? 0);
    const mean = times.reduce((sum, one) => sum + one, 0) / students;
    return {
      ...{ students, sessions, runs, refused, errors: errors.slice(0, 10) },
      handedIn: all.length,
      graded: all.filter(({ state }) => state === 'graded').length,
      passed: all.filter(({ points, of }) => points === of).length,
      unfair: Math.round(100 * Math.max(...times.map((one) => Math.abs(one - mean) / mean))) / 100,
      longest: Math.round((100 * longest) / mean) / 100,
      statusP99Ms,
      ...growthOf(memory),
    };
  } finally {
    await own.close();
  }
}
