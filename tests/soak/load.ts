import { createClient } from '../../server/contract/client/client.ts';
import { BenchProcess } from './bench-process.ts';
import { mebibytes, quantile } from './figures.ts';

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
  const bench = await BenchProcess.start();
  try {
    const client = createClient({ base: bench.url });
    for (let node = 0; node < 10; node++) await bench.build(node, '// a design\nmodule echo;\nendmodule\n');
    const start = await bench.memory();
    const end = performance.now() + forMs;
    const waits: number[] = [];
    const statuses: number[] = [];
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
    const watcher = async () => {
      while (performance.now() < end) {
        const began = performance.now();
        await client.getStatus();
        statuses.push(performance.now() - began);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    await Promise.all([...Array.from({ length: clients }, (_, i) => runner(i)), watcher()]);
    return {
      clients,
      runs,
      errors: errors.slice(0, 10),
      waitP99Ms: Math.round(quantile(waits, 0.99)),
      statusP99Ms: Math.round(quantile(statuses, 0.99)),
      heldMoreMiB: mebibytes((await bench.memory()).held - start.held),
    };
  } finally {
    await bench.stop();
  }
}
