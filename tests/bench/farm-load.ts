import { createHash } from 'node:crypto';
import { readFarm } from '../../server/toolchain/farm/farm-view.ts';
import { FarmBench } from '../support/farm.ts';

/** Result of a bench with very many queued builds. */
export interface LoadReading {
  /** Builds a second, from the first that began to the last result. */
  perSecond: number;
  /** Most memory that came with the builds, bytes. */
  rss: number;
  /** Largest difference of an owner's share from the mean, when half of all was built, as a fraction. */
  unfairness: number;
  /** Milliseconds to read the whole farm while nearly all of it waited. */
  viewMs: number;
}

/**
 * A bench in a process of its own that requests many small builds of several owners, waits until all are queued, prints
 * `queued`, and then prints their results.
 */
export default async function farmLoad([url = '', count = '0', owners = '1']: string[]): Promise<void> {
  const bench = await FarmBench.open(url, 'load');
  const [builds, people] = [Number(count), Number(owners)];
  const done = new Map<string, number>();
  let [ended, half, first, rss] = [0, null as number[] | null, 0, 0];
  // The loader of TypeScript in this process is not the bench's.
  const before = process.memoryUsage.rss();
  const watch = setInterval(() => {
    rss = Math.max(rss, process.memoryUsage.rss());
  }, 100);
  const all = Array.from({ length: builds }, async (_, i) => {
    const owner = `owner-${i % people}`;
    const build = bench.build(`module m${createHash('sha256').update(String(i)).digest('hex')}; endmodule`, {
      owner,
    });
    await build.result;
    if (first === 0) first = performance.now();
    done.set(owner, (done.get(owner) ?? 0) + 1);
    if (++ended === builds >> 1) half = [...done.values()];
  });
  let viewMs = 0;
  for (;;) {
    const began = performance.now();
    const { waiting } = await readFarm(bench.farm.redis, 100);
    viewMs = performance.now() - began;
    if (waiting === builds) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  process.stdout.write('queued\n');
  await Promise.all(all);
  const seconds = (performance.now() - first) / 1000;
  clearInterval(watch);
  const mean = (builds >> 1) / people;
  const shares = Array.from({ length: people }, (_, i) => half?.[i] ?? 0);
  const unfairness = Math.max(...shares.map((share) => Math.abs(share - mean) / mean));
  const reading: LoadReading = { perSecond: builds / seconds, rss: rss - before, unfairness, viewMs };
  process.stdout.write(`${JSON.stringify(reading)}\n`);
  await bench.close();
  process.exit(0);
}
