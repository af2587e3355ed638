import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exampleSource } from '../../../server/toolchain/examples.ts';
import { FlowBench } from '../../support/flow/flow-bench.ts';
import { RING } from '../../support/toolchain/build/ring.ts';

const PORTS = `(
  input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [7:0] wb_adr,
  input [31:0] wb_dat_w, input [3:0] wb_sel, output [31:0] wb_dat_r, output wb_ack)`;
const echo = exampleSource({ file: 'echo.v' });

/** Free-running registers; from byte 0x40 on nothing acknowledges. */
const BUSY = `module a ${PORTS}; reg [63:0] n = 1; always @(posedge clk) n <= n * 5 + 1;
  assign wb_dat_r = n[63:32]; assign wb_ack = wb_stb & ~wb_adr[4]; endmodule`;
const BUSY_FILE = { filename: 'busy.v', source: BUSY };

/** Acknowledges all the time. */
const ALWAYS = {
  filename: 'a.v',
  source: `module a ${PORTS}; assign wb_ack = 1; assign wb_dat_r = 32'h600d; endmodule`,
};

let bench: FlowBench;
beforeAll(async () => {
  bench = await FlowBench.start(['echo.v', BUSY_FILE, ALWAYS]);
});
afterAll(() => bench.stop());

/** The node builds and runs a good design: earlier designs have no effect on it. */
async function stillUsable(node: number): Promise<void> {
  const job = await bench.submit(node, 'echo.v', echo);
  expect(job.status, job.log).toBe('complete');
  expect((await bench.run(node, { op: 1, address: 8, data: [0xcafe] })).ok).toBe(true);
  expect((await bench.run(node, { op: 2, address: 8 })).data).toEqual([0xcafe]);
  await bench.release(node);
}

describe('sources that cannot become a design fail with a helpful log and leave the node idle', () => {
  const cases: [string, string, string | Buffer, RegExp][] = [
    ['binary', 'a.v', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0, 1, 2, 0]), /text/i],
    ['a syntax error', 'a.v', `module a ${PORTS};\n  assign wb_ack = ;\nendmodule\n`, /a\.v:4: /],
    [
      'no bus',
      'a.v',
      'module a (input clk, output reg q); always @(posedge clk) q <= ~q; endmodule',
      /wb_ack/,
    ],
    [
      'two candidates',
      'a.v',
      `module one ${PORTS}; assign wb_ack = wb_stb; assign wb_dat_r = 1; endmodule
       module two ${PORTS}; assign wb_ack = wb_stb; assign wb_dat_r = 2; endmodule`,
      /one[\s\S]*two/,
    ],
    [
      'a memory image of the host',
      'a.v',
      `module a ${PORTS}; reg [31:0] m [0:3]; initial $readmemh("/etc/passwd", m);
       assign wb_dat_r = m[wb_adr]; assign wb_ack = wb_stb; endmodule`,
      /\/etc\/passwd|file/i,
    ],
    ['an include of the host', 'a.v', '`include "/etc/passwd"\nmodule a; endmodule', /include/i],
  ];
  test.concurrent.each(
    cases.map(([name, file, source, telling], index) => [name, index, file, source, telling] as const),
  )('%s', async (_name, node, file, source, telling) => {
    const job = await bench.submit(node, file, source);
    expect(job.status, job.log).toBe('failed');
    const last = job.log.trimEnd().split('\n').slice(-12).join('\n');
    expect(last).toMatch(telling);
    // The log is for people, the failure for programs.
    expect(job.failure?.error).toMatch(/^design_/);
    expect(job.failure?.diagnostics?.[0]).toMatchObject({ severity: 'error', file: 'a.v' });
    expect(job.log).not.toMatch(/root:x:0|at .*\.[jt]s:\d+/);
    expect(await bench.state(node)).toBe('idle');
  });
});

describe('designs that misbehave on the bus', () => {
  test('never acknowledging: the run completes, not ok, and its log names the byte address', async () => {
    expect((await bench.submit(0, 'busy.v', BUSY)).status).toBe('complete');
    const run = await bench.run(0, { op: 2, address: 0x40 });
    expect([run.status, run.ok, run.data]).toEqual(['complete', false, []]);
    expect(run.log).toMatch(/0x0*0?40\b|0x0000_0040/i);
    expect(await bench.state(0)).toBe('reserved');
    await bench.release(0);
    await stillUsable(0);
  });

  test('always acknowledging: reads succeed', async () => {
    expect((await bench.submit(1, ALWAYS.filename, ALWAYS.source)).status).toBe('complete');
    expect((await bench.run(1, { op: 2, address: 0, count: 300 })).data).toEqual(Array(300).fill(0x600d));
    await bench.release(1);
  });

  test('a ring oscillator is reported by name and affects no other board', async () => {
    const [job] = await Promise.all([bench.submit(2, RING.filename, RING.source), stillUsable(3)]);
    if (job.status === 'complete') {
      const run = await bench.run(2, { op: 2, address: 0 });
      expect(run.status, run.log).not.toBe('queued');
      expect(`${job.log}\n${run.log}`).toMatch(/loop|oscillat/i);
      await bench.reset(2);
    } else expect(job.log).toMatch(/loop|oscillat/i);
    if ((await bench.state(2)) === 'error') {
      expect((await bench.reset(2)).status).toBe('complete');
    }
    expect(await bench.state(2)).toBe('idle');
    await stillUsable(2);
  });

  test('a design with free-running registers leaves the bench responsive', async () => {
    expect((await bench.submit(4, 'busy.v', BUSY)).status).toBe('complete');
    const first = await bench.run(4, { op: 2, address: 0 });
    const second = await bench.run(4, { op: 2, address: 0 });
    expect(first.ok && second.ok).toBe(true);
    expect(second.data).not.toEqual(first.data);
    await stillUsable(5);
    await bench.release(4);
  });
});

test('a reserved board recovers its design and its session after a restart', async () => {
  expect((await bench.submit(6, 'echo.v', echo)).status).toBe('complete');
  const before = await bench.client.getSession({ fpga_id: 6 });
  await bench.stop(true);
  bench = await FlowBench.start([], bench.dataDir);
  await expect.poll(() => bench.state(6)).toBe('reserved');
  expect((await bench.client.getSession({ fpga_id: 6 })).session_id).toBe(before.session_id);
  expect((await bench.run(6, { op: 1, address: 4, data: [77] })).ok).toBe(true);
  expect((await bench.run(6, { op: 2, address: 4 })).data).toEqual([77]);
});
