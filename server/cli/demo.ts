import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createLogger } from '../log.ts';
import { resourcePath } from '../paths.ts';
import { ServiceClient } from './service-client.ts';
import { parse, words } from './usage.ts';

const EXAMPLE = 'echo.v';
const NODE = 0;
const WORDS = 512;

/** Shows one step at a time: in place on a terminal, a line each elsewhere. */
class Steps {
  readonly #started = performance.now();
  #stepStarted = this.#started;
  #shown = '';

  /** What goes on at the moment. */
  now(text: string): void {
    if (!process.stdout.isTTY || text === this.#shown) return;
    this.#shown = text;
    process.stdout.write(`\r\x1b[K  … ${text}`);
  }

  /** A step is done; the time since the one before is its own. */
  done(text: string, detail = ''): void {
    const now = performance.now();
    const ms = now - this.#stepStarted;
    this.#stepStarted = now;
    this.#shown = '';
    const time = ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(2)} s`;
    process.stdout.write(
      `${process.stdout.isTTY ? '\r\x1b[K' : ''}${time.padStart(9)}  ${text}${detail && `: ${detail}`}\n`,
    );
  }

  get total(): string {
    return `${((performance.now() - this.#started) / 1000).toFixed(2)} s`;
  }
}

const STAGES: Record<string, string> = {
  queue: 'waiting for a worker',
  scan: 'finding the Wishbone slave',
  synthesis: 'synthesis',
  place: 'placement',
  route: 'routing',
  pack: 'packing the bitstream',
  program: 'programming the board',
  identify: 'checking the design on the board',
};

/** Words that differ in every bit position, the same at every run. */
const pattern = (count: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.imul(i + 1, 0x9e37_79b1) >>> 0);

/** Watches a build to its end and tells each stage as it passes. */
async function watchBuild(client: ServiceClient, steps: Steps, jobId: string): Promise<boolean> {
  let stage: string | undefined;
  for (;;) {
    const job = await client.job(NODE, jobId);
    if (job.stage !== stage) {
      if (stage !== undefined) steps.done(STAGES[stage] ?? stage);
      stage = job.stage;
    }
    if (job.status === 'complete') {
      if (stage !== undefined) steps.done(STAGES[stage] ?? stage);
      process.stdout.write(`           The node is reserved${job.summary ? `: ${job.summary}` : ''}.\n`);
      return true;
    }
    if (job.status !== 'queued' && job.status !== 'running') {
      process.stdout.write(`\n${await client.log(NODE, jobId)}\n`);
      process.stderr.write(`The build did not complete: ${job.failure?.message ?? job.status}\n`);
      return false;
    }
    const percent = job.fraction === undefined ? '' : ` ${Math.round(100 * job.fraction)} %`;
    steps.now(`${STAGES[stage ?? 'queue'] ?? stage}${percent}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Runs one example through everything that the bench does; 0 only if every word agreed. */
export async function demo(args: string[]): Promise<number> {
  const { positionals } = parse(args, {});
  words(positionals, []);
  const data = await mkdtemp(path.join(os.tmpdir(), 'wishbench-demo-'));
  const steps = new Steps();
  const { createBench } = await import('../bench.ts');
  const bench = await createBench({
    dataDir: data,
    host: '127.0.0.1',
    port: 0,
    logger: createLogger('error'),
  });
  try {
    steps.done('service started', bench.url);
    const client = new ServiceClient({ url: bench.url, key: 'demo' });
    const source = await readFile(resourcePath('examples', EXAMPLE));
    const submitted = await client.submit(NODE, EXAMPLE, source, {});
    steps.done(`${EXAMPLE} submitted to node ${NODE}`, `job ${submitted.job_id}`);
    if (!(await watchBuild(client, steps, submitted.job_id))) return 1;

    const sent = pattern(WORDS);
    const write = await client.run(NODE, { op: 1, address: 0, data: sent });
    const written = await client.ended(NODE, write.job_id);
    steps.done(`${WORDS} words written`, written.status);
    const read = await client.run(NODE, { op: 2, address: 0, count: WORDS });
    await client.ended(NODE, read.job_id);
    const { ok, data: received } = await client.result(NODE, read.job_id);
    const wrong = sent.filter((word, i) => word !== received[i]).length;
    steps.done(`${WORDS} words read back`, ok && wrong === 0 ? 'every word agreed' : `${wrong} words differ`);

    const release = await client.post(`/fpga/${NODE}/session/release`);
    const released = await client.ended(NODE, release.job_id);
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
