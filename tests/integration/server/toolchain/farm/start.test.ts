import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createLogger } from '../../../../../server/log.ts';
import { type FarmWorker, startWorker } from '../../../../../server/toolchain/farm/worker.ts';
import type { WorkerTools } from '../../../../../server/toolchain/farm/worker-tools.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';

describe('a worker that does not become ready', () => {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  /** Something at the place of Redis. @returns its port, and what resolves when it was first sent something */
  async function listen(answer: (socket: Socket, sent: string) => void) {
    const sockets: Socket[] = [];
    let first = () => {};
    const spoken = new Promise<void>((resolve) => {
      first = resolve;
    });
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => {});
      socket.on('data', (sent) => {
        answer(socket, sent.toString('latin1'));
        first();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ends.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return { port: (server.address() as { port: number }).port, spoken };
  }

  function begin(address: string, capabilities: WorkerTools['capabilities'] = async () => []) {
    const lines: string[] = [];
    const clock = new FakeClock();
    const tools = { capabilities, close: async () => {} } as unknown as WorkerTools;
    const logger = createLogger('info', { write: (line) => lines.push(line) });
    const options = { address, tools, slots: 1, lease: 10, sharedBytes: 1, logger, clock };
    const started: Promise<FarmWorker> = startWorker(options);
    return { lines, clock, started };
  }

  test.each([
    ['redis', 'Redis is connected but not ready'],
    ['rediss', 'Redis cannot be reached'],
  ])('reports what it waits for when %s is accepted but not answered', async (scheme, cause) => {
    const { port, spoken } = await listen(() => {});
    const { lines, clock, started } = begin(`${scheme}://127.0.0.1:${port}`);
    const worker = await started;
    ends.push(() => worker.close());
    await spoken;
    clock.advance(10_000);
    expect(lines.join('')).toContain('the worker is not ready yet');
    expect(lines.join('')).toContain(cause);
  });

  test('reports that it waits for its tools', async () => {
    let known = (_: []) => {};
    const { lines, clock, started } = begin(
      'redis://127.0.0.1:1',
      () => new Promise((resolve) => (known = resolve)),
    );
    clock.advance(10_000);
    expect(lines.join('')).toContain('its tools have not yet reported what they can build');
    known([]);
    await (await started).close();
    const said = lines.length;
    clock.advance(10_000);
    expect(lines.slice(said).join('')).not.toContain('not ready yet');
  });
});
