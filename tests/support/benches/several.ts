import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BenchView } from '../../../server/contract/remote/benches.ts';
import { SOURCE, TestBench, type TestBenchOptions } from '../api/test-bench.ts';

/** Slow changes are checked often, so that a test ends as soon as it can. */
export const OFTEN = { interval: 50 };

const started: TestBench[] = [];
export async function start(options: TestBenchOptions = {}): Promise<TestBench> {
  const bench = await TestBench.start(options);
  started.push(bench);
  return bench;
}
const servers: http.Server[] = [];
export async function listen(handler: http.RequestListener): Promise<string> {
  const server = http.createServer(handler).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  servers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
/** Ends what a test has started. */
export async function stopAll(): Promise<void> {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  // Last first: one that was started again has the folder of one before it.
  for (const bench of started.splice(0).reverse()) await bench.stop();
}

export interface Entry {
  name: string;
  address: string;
  key?: string;
}
export const know = (bench: TestBench, known: Entry[], more: object = {}) =>
  bench.bench.settings.apply({ benches: { known, ...more } });

export async function viewOf(bench: TestBench, name: string, headers = {}): Promise<BenchView | undefined> {
  return (await bench.client(headers).listBenches()).find((one) => one.name === name);
}
export const state = (bench: TestBench, name: string) => async () => (await viewOf(bench, name))?.state;

export function form(source = SOURCE, fields: Record<string, string> = {}): FormData {
  const sent = new FormData();
  for (const [name, value] of Object.entries(fields)) sent.append(name, value);
  sent.append('file', new Blob([source]), 'design.v');
  return sent;
}
export interface Accepted {
  job_id: string;
  fpga_id: number | null;
  status: string;
  bench?: {
    name: string;
    address: string;
    fpga_id: number | null;
    state: string;
    problem: { error: string } | null;
  };
}
