import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Clock, pause, systemClock } from '../../clock.ts';
import { type Client, createClient } from '../../contract/client/client.ts';
import type { Stage } from '../../contract/jobs/jobs.ts';
import type { RunRequest } from '../../contract/jobs/runs.ts';
import { resourcePath } from '../../paths.ts';
import type { CommandLine } from '../command-line.ts';
import { STAGE_NAMES } from '../shared/wait.ts';

/** The command `demo`: an example through all its stages. */
export function declareDemo(line: CommandLine): void {
  line.command('demo', 'build and test one example', 'wishbench demo', demo);
}

const EXAMPLE = 'echo.v';
const NODE = 0;
const WORDS = 512;

/** Shows one step at a time: in place on a terminal, otherwise a line each. */
class Steps {
  readonly #clock: Clock;
  readonly #started: number;
  #stepStarted: number;
  #shown = '';

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#started = this.#stepStarted = clock.monotonic();
  }

  /** Shows the current step. */
  now(text: string): void {
    if (!process.stdout.isTTY || text === this.#shown) return;
    this.#shown = text;
    process.stdout.write(`\r\x1b[K  … ${text}`);
  }

  /** Ends a step, with the time since the previous one. */
  done(text: string, detail = ''): void {
    const now = this.#clock.monotonic();
    const ms = now - this.#stepStarted;
    this.#stepStarted = now;
    this.#shown = '';
    const time = ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(2)} s`;
    process.stdout.write(
      `${process.stdout.isTTY ? '\r\x1b[K' : ''}${time.padStart(9)}  ${text}${detail && `: ${detail}`}\n`,
    );
  }

  get total(): string {
    return `${((this.#clock.monotonic() - this.#started) / 1000).toFixed(2)} s`;
  }
}

/** Words that differ in every bit position, the same in every run. */
const pattern = (count: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.imul(i + 1, 0x9e37_79b1) >>> 0);

/** Follows a build to its end and prints each stage. */
async function watchBuild(client: Client, steps: Steps, job_id: string): Promise<boolean> {
  const which = { fpga_id: NODE, job_id };
  let stage: Stage | undefined;
  for (;;) {
    const job = await client.getJobDetails(which);
    if (job.stage !== stage) {
      if (stage !== undefined) steps.done(STAGE_NAMES[stage]);
      stage = job.stage;
    }
    if (job.status === 'complete') {
      if (stage !== undefined) steps.done(STAGE_NAMES[stage]);
      process.stdout.write(`           The node is reserved${job.summary ? `: ${job.summary}` : ''}.\n`);
      return true;
    }
    if (job.status === 'failed' || job.status === 'cancelled') {
      process.stdout.write(`\n${new TextDecoder().decode(await client.getJobLog(which))}\n`);
      process.stderr.write(`The build did not complete: ${job.failure?.message ?? job.status}\n`);
      return false;
    }
    const percent = job.fraction === undefined ? '' : ` ${Math.round(100 * job.fraction)} %`;
    steps.now(`${STAGE_NAMES[stage ?? 'queue']}${percent}`);
    await pause(systemClock, 20);
  }
}

/** Runs one example on a bench of its own; 0 only if every word is correct. */
async function demo(): Promise<number> {
  const data = await mkdtemp(path.join(os.tmpdir(), 'wishbench-demo-'));
  const steps = new Steps(systemClock);
  const [{ createBench }, { createLogger }] = await Promise.all([
    import('../../bench.ts'),
    import('../../log.ts'),
  ]);
  const bench = await createBench({
    dataDir: data,
    host: '127.0.0.1',
    port: 0,
    logger: createLogger('error'),
  });
  try {
    steps.done('service started', bench.url);
    const client = createClient({ base: bench.url, headers: () => ({ 'x-api-key': 'demo' }) });
    const contents = await readFile(resourcePath('examples', EXAMPLE));
    const submitted = await client.submitDesign({
      fpga_id: NODE,
      body: { file: { name: EXAMPLE, contents } },
    });
    steps.done(`${EXAMPLE} submitted to node ${NODE}`, `job ${submitted.job_id}`);
    if (!(await watchBuild(client, steps, submitted.job_id))) return 1;

    const run = async (body: RunRequest) =>
      client.jobEnded(await client.runTransaction({ fpga_id: NODE, body }));
    const words = pattern(WORDS);
    const written = await run({ op: 1, address: 0, data: words });
    steps.done(`${WORDS} words written`, written.status);
    const { job_id } = await run({ op: 2, address: 0, count: WORDS });
    const { ok, data: received } = await client.getRunResult({ fpga_id: NODE, job_id });
    const wrong = words.filter((word, i) => word !== received[i]).length;
    steps.done(
      `${WORDS} words read back`,
      ok && wrong === 0 ? 'all correct' : `${wrong === 1 ? '1 word differs' : `${wrong} words differ`}`,
    );

    const released = await client.jobEnded(await client.releaseSession({ fpga_id: NODE }));
    steps.done('node released', released.status);
    const good = written.status === 'complete' && ok && wrong === 0 && released.status === 'complete';
    process.stdout.write(
      good
        ? `\nDone in ${steps.total}: HDL source to bitstream to registers and back.\n`
        : `\nThe demonstration failed after ${steps.total}.\n`,
    );
    return good ? 0 : 1;
  } finally {
    await bench.close();
    await rm(data, { recursive: true, force: true });
  }
}
