import type { Clock } from '../../../server/clock.ts';
import { EventHub } from '../../../server/events/events.ts';
import { silentLogger } from '../../../server/log.ts';
import { JobLogs } from '../../../server/logs/job-logs.ts';
import { emptyNode } from '../../../server/store/bench-data.ts';
import { openStore, type Store, type StoredJob } from '../../../server/store/index.ts';
import { FAULTS, type Fault, MemoryDisk, REMAINS, type Remains } from '../memory-disk.ts';
import { seeded } from '../seeded.ts';

/** Time that passes a thousand times as fast, so that what is tried again every second is so every millisecond. */
class SwiftClock implements Clock {
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #stopped = false;

  now = () => Date.now();
  monotonic = () => performance.now();

  after(ms: number, callback: () => void): () => void {
    if (this.#stopped) return () => {};
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      callback();
    }, ms / 1000);
    this.#timers.add(timer);
    return () => clearTimeout(timer);
  }

  /** Stops time: a store without power would retry without end. */
  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }
}

const FOLDER = '/bench';
const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const BUILD = 'ab'.repeat(32);
const SESSION = id(99);
const SOURCE = Buffer.from('module echo; endmodule');
const LINE = 'what the tools say';

const job = (n: number, status: 'queued' | 'running' | 'complete'): StoredJob => ({
  job: {
    job_id: id(n),
    fpga_id: 0,
    type: 'build_and_program',
    status,
    created_at: '2024-03-01T12:00:00.000Z',
    updated_at: '2024-03-01T12:00:00.000Z',
    owner: 'alice',
    submit: { filename: 'echo.v', size: SOURCE.length, options: {} },
  },
  seq: n,
});

interface Settings {
  n: number;
}
const isSettings = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && 'n' in value && typeof value.n === 'number';

/** Acknowledged and refused changes. */
interface Promised {
  queued: Set<number>;
  ended: Set<number>;
  source: boolean;
  log: boolean;
  settings: number;
  refusedSettings: Set<number>;
  session: boolean | null;
  bitstream: boolean;
}

const open = (disk: MemoryDisk, clock: Clock) =>
  openStore(FOLDER, {
    logger: silentLogger,
    files: disk.files,
    clock,
    lock: async () => async () => {},
  });

/** Everything that the store does, once or twice; what it promised on the way. */
async function scenario(
  disk: MemoryDisk,
  clock: Clock,
): Promise<{ promised: Promised; store: Store | null }> {
  const promised: Promised = {
    queued: new Set(),
    ended: new Set(),
    source: false,
    log: false,
    settings: 0,
    refusedSettings: new Set(),
    session: null,
    bitstream: false,
  };
  const kept = (work: Promise<unknown> | undefined): Promise<boolean> =>
    (work ?? Promise.reject(new Error('no such part'))).then(
      () => true,
      () => false,
    );
  const store = await open(disk, clock).catch(() => null);
  if (store === null) return { promised, store };
  const { bench, histories, jobFiles } = store;
  const settings = await store.document<Settings>('settings', { n: 0 }, isSettings).catch(() => null);
  const logs = new JobLogs({
    store,
    clock,
    events: new EventHub(() => {}),
    logger: silentLogger,
    limit: () => 1 << 20,
  });
  for (const n of [1, 2]) {
    promised.source =
      (await kept(jobFiles.write(0, id(n), 'source', SOURCE))) && (n === 1 || promised.source);
    bench.jobs.set(id(n), job(n, 'queued'));
    bench.seq = n;
    const accepted = await kept(store.commit(() => bench.jobs.delete(id(n))));
    if (accepted) promised.queued.add(n);
    if (settings) {
      const written = await kept(settings.write({ n }));
      if (written) promised.settings = n;
      else promised.refusedSettings.add(n);
    }
    if (!accepted) continue;
    if (n === 1) {
      const log = logs.log(0, id(1));
      log.line('scan', LINE);
      await log.sync();
      promised.log = !log.pending;
      await logs.close(id(1));
    }
    await kept(histories[0]?.begin(id(n)));
    bench.jobs.set(id(n), job(n, 'complete'));
    if (await kept(histories[0]?.append(job(n, 'complete')))) {
      promised.ended.add(n);
      bench.jobs.delete(id(n));
      store.touch();
    }
  }
  // Accepted by a line in the history, as a run that begins at once.
  bench.jobs.set(id(3), job(3, 'running'));
  if (await kept(histories[0]?.accept(job(3, 'running')))) promised.queued.add(3);
  else {
    bench.jobs.delete(id(3));
    store.touch();
  }
  promised.bitstream = await kept(jobFiles.writeBitstream(BUILD, SOURCE));
  const idle = emptyNode(3);
  bench.nodes[3] = {
    ...idle,
    state: 'reserved',
    session: { session_id: SESSION, fpga_id: 3, owner: 'alice', expires_at: '2030-01-01T00:00:00.000Z' },
    lease: { left_ms: 1000, at: '2030-01-01T00:00:00.000Z', boot: null, uptime_ms: 0 },
    design: { filename: 'echo.v', build_id: BUILD, module: 'echo', job_id: id(1), board: 'virtual-hx8k' },
  };
  promised.session = await kept(
    store.commit(() => {
      bench.nodes[3] = idle;
    }),
  );
  return { promised, store };
}

const wrong = (what: string): never => {
  throw new Error(what);
};

/** Opens the remains and compares them with the acknowledgements. */
async function verify(disk: MemoryDisk, promised: Promised, cut: boolean): Promise<void> {
  const clock = new SwiftClock();
  const store = await open(disk, clock);
  if (store.notices.length > 0) wrong(`a notice: ${store.notices[0]?.message}`);
  const settings = await store.document<Settings>('settings', { n: 0 }, isSettings);
  if (store.notices.length > 0) wrong(`a notice: ${store.notices[0]?.message}`);
  const ended = new Map(store.ended[0]?.map((stored) => [stored.job.job_id, stored.job.status]));
  for (const n of promised.ended) if (ended.get(id(n)) !== 'complete') wrong(`the end of job ${n} is lost`);
  const accepted = new Set(store.histories[0]?.accepted.map((stored) => stored.job.job_id));
  const known = (n: number) => ended.has(id(n)) || store.bench.jobs.has(id(n)) || accepted.has(id(n));
  for (const n of promised.queued) if (!known(n)) wrong(`job ${n} is lost`);
  for (const n of [1, 2, 3])
    if (!cut && !promised.queued.has(n) && known(n)) wrong(`job ${n} was refused and is there`);
  if (settings.value.n < promised.settings) wrong('the settings are lost');
  if (!cut && settings.value.n !== promised.settings) wrong('settings that were refused are there');
  const node = store.bench.nodes[3];
  if (promised.session === true && node?.session?.session_id !== SESSION) wrong('the session is lost');
  if (!cut && promised.session === false && node?.state !== 'idle') wrong('a refused session is there');
  const same = async (file: Promise<Buffer | null>, what: string) =>
    (await file)?.equals(SOURCE) || wrong(`${what} is lost`);
  if (promised.source)
    for (const n of [1, 2]) await same(store.jobFiles.read(0, id(n), 'source'), 'a source');
  if (promised.bitstream) await same(store.jobFiles.readBitstream(BUILD), 'the bitstream');
  const log = (await store.jobFiles.readLog(0, id(1)))?.toString() ?? '';
  if (promised.log && !log.includes(LINE)) wrong('a log is shorter than it was said to be');
  await store.close();
  clock.stop();
}

/** One walk with these faults; throws if an acknowledged change is missing afterwards. */
async function walkOnce(
  faults: ReadonlyMap<number, Fault>,
  remains: Remains,
  random: () => number,
): Promise<number> {
  const disk = new MemoryDisk(random);
  disk.faults = new Map(faults);
  const clock = new SwiftClock();
  const { promised, store } = await scenario(disk, clock);
  const { steps } = disk;
  if ([...faults.values()].includes('cuts')) {
    disk.cut();
    clock.stop();
    await store?.close().catch(() => {});
    await verify(disk.afterCut(remains), promised, true);
    return steps;
  }
  disk.faults.clear();
  // Failed writes are repeated as soon as they work again.
  for (let turn = 0; store && !store.healthy && turn < 1000; turn++)
    await new Promise((done) => setTimeout(done, 1));
  if (store && !store.healthy) wrong('the store does not recover');
  await store?.close();
  clock.stop();
  await verify(disk, promised, false);
  // A power cut right after the end loses nothing of it.
  await verify(disk.afterCut('nothing'), promised, true);
  return steps;
}

export interface WalkResult {
  steps: number;
  walks: number;
  failures: string[];
}

/**
 * Makes every step of the scenario fail in every way, alone, and every pair of steps in every pair of ways, or a share
 * of the pairs: `pairs` from 0 to 1.
 */
export async function walk(
  pairs: number,
  seed: number,
  until = Number.POSITIVE_INFINITY,
): Promise<WalkResult> {
  const random = seeded(seed);
  const result: WalkResult = { steps: await walkOnce(new Map(), 'nothing', random), walks: 1, failures: [] };
  const attempt = async (faults: Map<number, Fault>) => {
    const ways = [...faults.values()].includes('cuts') ? REMAINS : (['nothing'] as const);
    for (const remains of ways) {
      result.walks++;
      await walkOnce(faults, remains, random).catch((error: unknown) => {
        const where = [...faults].map(([step, fault]) => `step ${step} ${fault}`).join(', ');
        result.failures.push(`${where}, ${remains} remains: ${error}`);
      });
    }
  };
  for (let step = 0; step < result.steps; step++)
    for (const fault of FAULTS) await attempt(new Map([[step, fault]]));
  for (let first = 0; first < result.steps && pairs > 0; first++)
    for (let second = first + 1; second < result.steps + 6; second++)
      for (const a of FAULTS)
        for (const b of FAULTS) {
          // Without power there is no second.
          if (a === 'cuts' || random() >= pairs) continue;
          if (performance.now() > until) return result;
          await attempt(
            new Map([
              [first, a],
              [second, b],
            ]),
          );
        }
  return result;
}
