import { createClient } from '../../server/contract/client/client.ts';
import { Belongings } from '../bench/belongings.ts';
import { BenchProcess } from './bench-process.ts';
import { mebibytes, quantile } from './figures.ts';
import { StatusWatch } from './status-watch.ts';

export interface LoadOptions {
  clients: number;
  forMs: number;
}

export interface LoadFigures {
  clients: number;
  runs: number;
  errors: string[];
  /** From the end of a job to the answer of who waits for it is not seen from outside: the whole of a run and its wait. */
  waitP99Ms: number;
  statusP99Ms: number;
  heldMoreMiB: number;
}

/** Clients run, wait and read results on ten nodes while others request the status. */
export async function load({ clients, forMs }: LoadOptions): Promise<LoadFigures> {
  const own = new Belongings();
  try {
    const bench = await own.keep(BenchProcess.start(), (one) => one.stop());
    const client = createClient({ base: bench.url });
    for (let node = 0; node < 10; node++) await bench.build(node, '// a design\nmodule echo;\nendmodule\n');
    const start = await bench.memory();
    const end = performance.now() + forMs;
    const statuses = await own.keep(new StatusWatch(bench.url), (one) => one.close());
    const waits: number[] = [];
    const errors: string[] = [];
    let runs = 0;
    const runner = async (i: number) => {
      const fpga_id = i % 10;
      while (performance.now() < end) {
        const began = performance.now();
        try {
          const { job_id } = await client.runTransaction({ fpga_id, body: { op: 2, address: 0, count: 4 } });
          await client.jobEnded({ fpga_id, job_id });
          waits.push(performance.now() - began);
          const { ok } = await client.getRunResult({ fpga_id, job_id });
          if (!ok) errors.push(`run ${job_id} was not ok`);
          runs++;
        } catch (error) {
          errors.push(String(error));
        }
      }
    };
    await Promise.all(Array.from({ length: clients }, (_, i) => runner(i)));
    return {
      clients,
      runs,
      errors: errors.slice(0, 10),
      waitP99Ms: Math.round(quantile(waits, 0.99)),
      statusP99Ms: await statuses.p99(),
      heldMoreMiB: mebibytes((await bench.memory()).held - start.held),
    };
  } finally {
    await own.close();
  }
}
