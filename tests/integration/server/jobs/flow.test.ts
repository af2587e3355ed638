import { afterEach, expect, test } from 'vitest';
import { alice, design, ended, read, type TestPool, testPool, write } from '../../../support/test-pool.ts';

let bench: TestPool;
afterEach(() => bench.dispose());

test('a design is built and programmed, registers are written and read, the node is released', async () => {
  bench = await testPool();
  const { pool, boards } = bench;
  const submitted = await pool.submit(3, design(), alice);
  expect(submitted).toMatchObject({
    fpga_id: 3,
    type: 'build_and_program',
    status: 'queued',
    owner: 'alice',
  });
  expect(pool.node(3)).toMatchObject({ state: 'queued', session: null, current_job_id: submitted.job_id });

  const built = await ended(pool, submitted);
  expect(built).toMatchObject({ status: 'complete', cached: false, summary: 'Fmax 63.2 MHz, 14 % LUT' });
  const node = pool.node(3);
  expect(node).toMatchObject({ state: 'reserved', current_job_id: null, last_job_id: submitted.job_id });
  expect(node.session).toMatchObject({ fpga_id: 3, owner: 'alice' });
  expect(node.design).toEqual({
    filename: 'echo.v',
    build_id: built.build_id,
    module: 'echo',
    design_id: built.design_id,
  });
  expect(built.design_id).toMatch(/^echo-v-[0-9a-f]{8}$/);
  expect(boards.board(3).buildId).toBe(built.build_id);

  const written = await ended(pool, await pool.run(3, write(0x10, 1, 2, 0xffff_ffff), alice));
  expect(written).toMatchObject({ status: 'complete', ok: true, run: { op: 1, address: 0x10, count: 3 } });
  expect(await pool.result(3, written.job_id)).toEqual({ ok: true, data: new Uint32Array(0) });
  const got = await ended(pool, await pool.run(3, read(0x10, 3), alice));
  expect((await pool.result(3, got.job_id)).data).toEqual(Uint32Array.of(1, 2, 0xffff_ffff));

  const released = await ended(pool, await pool.release(3, alice));
  expect(released).toMatchObject({ type: 'reset', status: 'complete' });
  expect(pool.node(3)).toMatchObject({ state: 'idle', session: null, design: null, resetting: false });
  expect(boards.board(3).buildId).toMatch(/^0{64}$/);

  const log = (await pool.readLog(3, submitted.job_id)).toString();
  expect(log).toMatch(/^\[ {3}\d\.\d{3} scan\] scan of echo\.v$/m);
  expect(log).toContain('identify] the board runs build');
});

test('a run shows its node twice: when it comes and when it ends', async () => {
  bench = await testPool();
  const { pool, events } = bench;
  await ended(pool, await pool.submit(0, design(), alice));
  const from = events.length;
  const run = await pool.run(0, read(0), alice);
  await ended(pool, run);
  const shown = events.slice(from).flatMap((event) => (event.type === 'node' ? [event.node] : []));
  expect(shown.map(({ current_job_id }) => current_job_id)).toEqual([run.job_id, null]);
});
