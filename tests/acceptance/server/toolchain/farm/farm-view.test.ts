import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readFarm } from '../../../../../server/toolchain/farm/farm-view.ts';
import { SCRIPTS } from '../../../../../server/toolchain/farm/scripts.ts';
import { FarmBench, WorkerProcess } from '../../../../support/farm.ts';
import { noRedis, RedisServer } from '../../../../support/redis.ts';

/** The script by its digest in Redis. */
const VIEW = createHash('sha1').update(SCRIPTS.view).digest('hex');

describe.skipIf(noRedis !== null)('the farm as a bench sees it', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-view-'));
  const gate = path.join(folder, 'gate');
  let redis: RedisServer;
  let worker: WorkerProcess;
  let bench: FarmBench;
  beforeAll(async () => {
    redis = await RedisServer.start();
    worker = await WorkerProcess.stub({ url: redis.url });
    bench = await FarmBench.open(redis.url);
  });
  afterAll(async () => {
    writeFileSync(gate, '');
    await worker.end();
    await bench.close();
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /**
   * The maximum of the queue and of running builds that the bench reads in its regular polls. Read from a bare
   * connection, because a client with other traffic may lose the answer to its MONITOR.
   */
  async function readByItself(): Promise<Set<string>> {
    const socket = net.connect(redis.port, '127.0.0.1').setEncoding('utf8');
    socket.write('MONITOR\r\n');
    for await (const line of createInterface({ input: socket })) {
      const [, script, , , ...most] = [...line.matchAll(/"([^"]*)"/g)].map(([, word]) => word);
      if (script === VIEW) return new Set([most.join(' ')]);
    }
    throw new Error('Redis told nothing.');
  }

  test('regular polling does not grow with the number of builds, and the last view survives a Redis failure', async () => {
    const building = bench.build(`module a; endmodule // gate-${gate} `, { filename: 'first.v' });
    await building.says('builds it');
    bench.build('module b; endmodule', { filename: 'second.v' });
    await expect.poll(async () => (await bench.farm.look(100)).view.line.length).toBe(1);
    expect(await readByItself()).toEqual(new Set(['0 0']));
    expect(await redis.with((client) => readFarm(client, 0, 0))).toMatchObject({
      line: [],
      building: [],
      waiting: 1,
      owners: { 'lab-1': 1 },
    });
    redis.freeze();
    const { view: frozen, problem } = await bench.farm.look(100);
    redis.thaw();
    expect(problem).toBe('cannot be reached');
    expect(frozen.line.map(({ file }) => file)).toEqual(['second.v']);
    await redis.kill();
    await expect
      .poll(async () => (await bench.farm.look(100)).problem)
      .toBe('cannot be reached, because nothing listens on that port');
    const { view } = await bench.farm.look(100);
    expect(view.building.map(({ file }) => file)).toEqual(['first.v']);
    expect(view.line.map(({ file }) => file)).toEqual(['second.v']);
    expect(view.workers).toHaveLength(1);
    await redis.resume();
    await expect.poll(async () => (await bench.farm.look(100)).problem).toBeNull();
  });
});
