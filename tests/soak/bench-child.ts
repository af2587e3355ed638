import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createBench } from '../../server/bench.ts';
import { silentLogger } from '../../server/log.ts';
import { FakeBoardPool } from '../support/fake-board.ts';
import { FakeToolchain } from '../support/fake-toolchain.ts';

/** The parent's questions: memory of the service, with or without a collection; or its end. */
type Question = 'resident' | 'memory' | 'end';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/**
 * A bench with fake boards and a fake toolchain in a process of its own, so that the memory is the service's only. It
 * sends its address to its parent and then answers the parent's questions.
 */
export default async function run([host = '127.0.0.1']: string[]): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'wishbench-soak-'));
  const bench = await createBench({
    dataDir: folder,
    logger: silentLogger,
    host,
    port: 0,
    boards: async () => new FakeBoardPool(),
    toolchain: async () => new FakeToolchain(),
    warm: false,
  });
  process.on('message', async (question: Question) => {
    if (question === 'resident') return void process.send?.(process.memoryUsage.rss());
    if (question === 'memory') {
      const resident = process.memoryUsage.rss();
      collect();
      const { heapUsed, external } = process.memoryUsage();
      process.send?.({ resident, held: heapUsed + external });
      return;
    }
    await bench.close();
    await rm(folder, { recursive: true, force: true });
    process.disconnect();
  });
  process.send?.({ url: bench.url });
}
