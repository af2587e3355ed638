import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '../../server/contract/client/client.ts';
import { median } from './figure.ts';

const JOB = '00000000-0000-4000-8000-000000000000';
/** Answers for the requests of a run, with the fields that the client reads. */
const ANSWER = JSON.stringify({ job_id: JOB, fpga_id: 0, status: 'complete', ok: true, data: [0] });

/** Time of the client itself, milliseconds: a run as three requests and as one, against a server that does nothing. */
export interface ClientTime {
  three: number;
  one: number;
}

/**
 * Runs the client against a server in this process that does nothing. Afterwards its code is compiled, so that the next
 * measurement is of the service; the last hundred runs give the client's own part.
 */
export async function warmClient(runs: number): Promise<ClientTime> {
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end(ANSWER));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = createClient({ base: `http://127.0.0.1:${port}` });
  const body = { op: 2, address: 0, count: 1 } as const;
  const three: number[] = [];
  const one: number[] = [];
  try {
    for (let i = 0; i < runs; i++) {
      const began = performance.now();
      const { job_id } = await client.runTransaction({ fpga_id: 0, body });
      await client.jobEnded({ fpga_id: 0, job_id });
      await client.getRunResult({ fpga_id: 0, job_id });
      three.push(performance.now() - began);
      const again = performance.now();
      await client.runTransaction({ fpga_id: 0, body, wait: 1 });
      one.push(performance.now() - again);
    }
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return { three: median(three.slice(-100)), one: median(one.slice(-100)) };
}
