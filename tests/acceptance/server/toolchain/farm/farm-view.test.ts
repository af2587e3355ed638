import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readFarm } from '../../../../../server/toolchain/farm/farm-view.ts';
import { SCRIPTS } from '../../../../../server/toolchain/farm/scripts.ts';
import { WorkerProcess } from '../../../../support/farm.ts';
import { withFarm } from '../../../../support/farm-tests.ts';
import { noRedis } from '../../../../support/redis.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

/** The script by its digest in Redis. */
const VIEW = createHash('sha1').update(SCRIPTS.view).digest('hex');

describe.skipIf(noRedis !== null)('the farm as a bench sees it', () => {
  const farm = withFarm();
  const gate = path.join(temporaryFolder('view'), 'gate');
  let worker: WorkerProcess;
  beforeAll(async () => {
    worker = await WorkerProcess.stub({ url: farm.redis.url });
  });
  afterAll(async () => {
    writeFileSync(gate, '');
    await worker.end();
  });

  /**
   * The maximum of the queue and of running builds that the bench reads in its regular polls. Read from a bare
   * connection, because a client with other traffic may lose the answer to its MONITOR.
   */
  async function readByItself(): Promise<Set<string>> {
    const socket = net.connect(farm.redis.port, '127.0.0.1').setEncoding('utf8');
    socket.write('MONITOR\r\n');
    for await (const line of createInterface({ input: socket })) {
      const [, script, , , ...most] = [...line.matchAll(/"([^"]*)"/g)].map(([, word]) => word);
      if (script === VIEW) return new Set([most.join(' ')]);
    }
    throw new Error('Redis told nothing.');
  }

  test('regular polling does not grow with the number of builds, and the last view survives a Redis failure', async () => {
    const building = farm.bench.build(`module a; endmodule // gate-${gate} `, { filename: 'first.v' });
    await building.says('builds it');
    farm.bench.build('module b; endmodule', { filename: 'second.v' });
    await expect.poll(async () => (await farm.bench.farm.look(100)).view.line.length).toBe(1);
    expect(await readByItself()).toEqual(new Set(['0 0']));
    expect(await farm.redis.with((client) => readFarm(client, 0, 0))).toMatchObject({
      line: [],
      building: [],
      waiting: 1,
      owners: { 'lab-1': 1 },
    });
    farm.redis.freeze();
    const { view: frozen, problem } = await farm.bench.farm.look(100);
    farm.redis.thaw();
    expect(problem).toBe('cannot be reached');
    expect(frozen.line.map(({ file }) => file)).toEqual(['second.v']);
    await farm.redis.kill();
    await expect
      .poll(async () => (await farm.bench.farm.look(100)).problem)
      .toBe('cannot be reached, because nothing listens on that port');
    const { view } = await farm.bench.farm.look(100);
    expect(view.building.map(({ file }) => file)).toEqual(['first.v']);
    expect(view.line.map(({ file }) => file)).toEqual(['second.v']);
    expect(view.workers).toHaveLength(1);
    await farm.redis.resume();
    await expect.poll(async () => (await farm.bench.farm.look(100)).problem).toBeNull();
  });
});
